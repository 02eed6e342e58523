//! Copies that were inferred, with what shows them.

use immune_engine::reason::State;
use immune_model::{InferredCopy, SourceId};
use serde::Serialize;

use crate::value::SourceName;

/// A source that was inferred to be one origin with another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InferredMirror {
    /// The other one.
    pub with: SourceName,
    /// What shows it: `domain` or `values`.
    pub by: &'static str,
    /// The same in words.
    pub why: String,
    /// When it was inferred.
    pub at: String,
    /// The event that says so.
    pub seq: u64,
}

impl InferredMirror {
    /// The mirrors that were inferred of a source.
    pub(crate) fn all_of(state: &State, id: SourceId) -> Vec<Self> {
        let mirrors = state.inferred_mirrors().filter_map(|(one, other, it)| {
            let with = match id {
                it if it == one => other,
                it if it == other => one,
                _ => return None,
            };
            Some(Self {
                with: SourceName::of(state, with),
                by: it.copy.name(),
                why: why(&it.copy),
                at: it.at.to_string(),
                seq: it.seq,
            })
        });
        mirrors.collect()
    }
}

/// What shows a copy, in words.
pub fn why(copy: &InferredCopy) -> String {
    match copy {
        InferredCopy::Content(it) => {
            format!("repeats {}: {} % of its runs of words", it.of, it.percent)
        }
        InferredCopy::Domain(it) => format!("both belong to `{}`", it.domain),
        InferredCopy::Values(it) => format!(
            "of {} subjects both speak about, {} with the same value that is not believed, {} with different ones: evidence {}.{:01} nats",
            it.shared,
            it.unbelieved,
            it.differing,
            it.evidence / 1000,
            it.evidence % 1000 / 100
        ),
    }
}
