//! The screening report of an earlier write: the log is folded up to where it ended, and read there.

use immune_model::{IncidentId, Instant, ObservationId, Principal, SourceId};
use immune_reason::screen::{StatementOutcome, StatementReport, Trusted};
use immune_store::open_entry;

use crate::memory::Snapshot;
use crate::past::{PastError, When};
use crate::session::Session;

/// How a write was screened when it was made.
#[derive(Debug, Clone)]
pub struct ScreenedThen {
    /// The memory as it was right after it.
    pub then: Snapshot,
    /// Which observation.
    pub observation: ObservationId,
    /// Whose words they are.
    pub source: SourceId,
    /// Who wrote it.
    pub principal: Principal,
    /// When.
    pub at: Instant,
    /// How far it was trusted as a whole.
    pub trusted: Trusted,
    /// What became of its claims.
    pub statements: Vec<StatementReport>,
    /// The incident that had flagged it or its source, if one had.
    pub flagged_in: Option<IncidentId>,
}

impl ScreenedThen {
    /// What became of it as a whole.
    pub fn outcome(&self) -> StatementOutcome {
        let claims = self.statements.iter().map(|it| it.outcome);
        StatementOutcome::of_all(claims, self.flagged_in)
    }
}

impl Session {
    /// How an observation was screened when it was written; nothing if there is none of that id.
    /// Reads the log from its beginning to there.
    pub fn screened_then(&self, id: ObservationId) -> Result<Option<ScreenedThen>, PastError> {
        let now = self.snapshot()?;
        let Some(observation) = now.state().observation(id) else {
            return Ok(None);
        };
        let until = now.state().written_until(id).unwrap_or(observation.seq);
        let before = self.memory.snapshot_at(When::Seq(observation.seq - 1))?;
        let (store, name) = (&self.memory.shared.parts.store, &self.memory.shared.name);
        let entries = store
            .read(name, before.head().seq, 1)
            .map_err(crate::error::OpenError::from)?;
        let Some(entry) = entries.first() else {
            return Ok(None);
        };
        let recorded = open_entry(before.head(), entry).map_err(crate::error::OpenError::from)?;
        let then = self.memory.snapshot_from(&before, until)?;
        let statements = then.state().screened(id);
        Ok(Some(ScreenedThen {
            observation: id,
            source: observation.source,
            principal: recorded.actor,
            at: recorded.at,
            trusted: then.state().trusted_observation(id),
            statements,
            flagged_in: then.state().flag_over(id),
            then,
        }))
    }
}
