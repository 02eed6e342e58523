//! Graph exchange: a graph is imported under its aliases, shown with what stands in it, and
//! exported again.

mod export;
mod held;
mod left_out;
mod standing;

use std::sync::Arc;

use immune_reason::graph::Graph;
use immune_reason::plan::{GraphImported, ImportError};

use crate::error::WriteError;
use crate::session::Session;

pub use export::{ExportedLine, GraphExport};
pub use left_out::{LeftOut, left_out};
pub use standing::{GraphStanding, standings};

impl Session {
    /// Imports a graph, all of it or nothing; what was there before with the same content is left
    /// as it is.
    pub fn import_graph(&self, graph: Graph) -> Result<GraphImported, WriteError<ImportError>> {
        let graph = Arc::new(graph);
        self.write(move |draft| draft.import_graph(&graph))
    }
}
