//! `flag`: an operator says that a source, an observation or a belief is not to be believed; and
//! `unflag`, which takes that back.
//!
//! A flag refutes without a challenger (semantics.md 3): it opens an incident, and the response is
//! that of a refutation, but nobody's reputation moves.

use immune_model::{
    Event, FlagTarget, Handle, IncidentId, Instant, Item, MeshIncidentId, Role, TaskId, Text,
};

use super::{Draft, Forbidden, Reinstate, ReinstateError, Reinstated, SourceError, SourceRef};
use crate::state::{Cause, IncidentRecord};

/// What is to be flagged, as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagWhat {
    /// By id.
    Item(Item),
    /// A source by its handle.
    Source(SourceRef),
}

/// Something that is not to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// What.
    pub what: FlagWhat,
    /// Of a source, only what was received since then; nothing means all it ever sent and will
    /// send.
    pub received_from: Option<Instant>,
    /// Why, in the operator's words.
    pub reason: Option<Text>,
}

/// A flag that is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unflag {
    /// Of what.
    pub what: FlagWhat,
}

/// Why nothing was flagged, or no flag taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlagError {
    /// The principal is no operator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The source is not found.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A handle that never spoke in the channel named.
    #[error("no source `{handle}` is known there")]
    NeverSpoke {
        /// The handle.
        handle: Handle,
    },
    /// It does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// Only sources, observations and beliefs can be flagged.
    #[error("`{item}` is {kind}, no source, observation or belief", kind = .item.kind())]
    NotFlaggable {
        /// What was named.
        item: Item,
    },
    /// A moment of receipt for something that is no source.
    #[error("`{item}` is {kind}, and only a source is flagged since a moment", kind = .item.kind())]
    NoSource {
        /// What was named.
        item: Item,
    },
    /// A moment of receipt that is to come.
    #[error("`{from}` is to come: a flag holds from the moment it is set")]
    InTheFuture {
        /// The moment.
        from: Instant,
    },
    /// An incident of the mesh whose agents wrote nothing.
    #[error("the agents of `{incident}` are no sources of this memory: there is nothing to flag")]
    NothingWritten {
        /// Which incident.
        incident: MeshIncidentId,
    },
    /// There is no flag to take back.
    #[error("`{item}` was never flagged")]
    NeverFlagged {
        /// What was named.
        item: Item,
    },
}

impl FlagError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Source(SourceError::Unknown { .. }) | Self::NeverSpoke { .. } => {
                Some("`immune sources` shows who spoke".to_owned())
            }
            Self::Source(error) => Some(error.hint()),
            Self::NotInMemory { .. } => {
                Some("`immune list beliefs` shows what is there".to_owned())
            }
            Self::NotFlaggable { .. } => {
                Some("name a source, an observation or a belief: `immune flag bel_1`".to_owned())
            }
            Self::NoSource { item } => Some(format!("leave `--since` out: `immune flag {item}`")),
            Self::InTheFuture { .. } => {
                Some("leave `--since` out, and what is to come is covered too".to_owned())
            }
            Self::NeverFlagged { .. } => {
                Some("`immune incidents` shows what was flagged".to_owned())
            }
            Self::NothingWritten { incident } => Some(format!(
                "`immune mesh show {incident}` names them and what they wrote"
            )),
            Self::Forbidden(_) => None,
        }
    }
}

/// What a flag led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flagged {
    /// What was flagged.
    pub target: FlagTarget,
    /// The incident; the earlier one if it had been flagged already.
    pub incident: IncidentId,
    /// The incident as it is now.
    pub record: IncidentRecord,
    /// A flag that covers this one stood already: nothing was written.
    pub repeated: bool,
    /// The tasks that were opened for what was load-bearing.
    pub tasks: Vec<TaskId>,
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unflagged {
    /// What was flagged.
    pub target: FlagTarget,
    /// The flags of it, each undone; the latest one, if all were taken back before.
    pub undone: Vec<Reinstated>,
}

impl Draft {
    /// Plans `flag`.
    pub fn flag(&mut self, command: &Flag) -> Result<Flagged, FlagError> {
        self.require(Role::Operator, "flag")?;
        let target = self.flag_target(&command.what)?;
        if let Some(from) = command.received_from {
            if !matches!(target, FlagTarget::Source(_)) {
                let item = target.into();
                return Err(FlagError::NoSource { item });
            }
            if from > self.now {
                return Err(FlagError::InTheFuture { from });
            }
        }
        let standing = self.state.flags_of(target).iter();
        let known = standing.copied().find(|it| match command.received_from {
            Some(from) => it.covers(from),
            None => it.received_from.is_none(),
        });
        let first_task = self.state.tasks.len();
        let incident = match known {
            Some(flag) => flag.incident,
            None => self.open_flag(target, command),
        };
        Ok(Flagged {
            target,
            incident,
            record: self.state.incidents.get(incident).clone(),
            repeated: known.is_some(),
            tasks: self.state.tasks.ids().skip(first_task).collect(),
        })
    }

    fn open_flag(&mut self, target: FlagTarget, command: &Flag) -> IncidentId {
        let from = self.events.len();
        let incident = self.state.incidents.next_id();
        self.push(Event::Flagged {
            incident,
            since: self.state.seq() + 1,
            target,
            received_from: command.received_from,
            reason: command.reason.clone(),
        });
        self.respond_to_flag(from, incident);
        incident
    }

    /// Plans `unflag`: the undo of every flag of this very item.
    pub fn unflag(&mut self, command: &Unflag) -> Result<Unflagged, FlagError> {
        self.require(Role::Operator, "take a flag back")?;
        let target = self.flag_target(&command.what)?;
        let standing = self.state.flags_of(target).iter();
        let mut incidents: Vec<IncidentId> = standing.map(|it| it.incident).collect();
        if incidents.is_empty() {
            let past = self.state.incidents.iter().filter(|(_, it)| {
                matches!(&it.cause, Cause::Flag { target: flagged, .. } if *flagged == target)
            });
            incidents.extend(past.map(|(id, _)| id).last());
        }
        if incidents.is_empty() {
            let item = target.into();
            return Err(FlagError::NeverFlagged { item });
        }
        let mut undone = Vec::with_capacity(incidents.len());
        for incident in incidents {
            match self.reinstate(&Reinstate { incident }) {
                Ok(reinstated) => undone.push(reinstated),
                Err(ReinstateError::Forbidden(error)) => return Err(error.into()),
                Err(ReinstateError::NotInMemory { .. }) => {
                    unreachable!("the incident was found in this state")
                }
            }
        }
        Ok(Unflagged { target, undone })
    }

    fn flag_target(&self, what: &FlagWhat) -> Result<FlagTarget, FlagError> {
        let item = match what {
            FlagWhat::Item(item) => *item,
            FlagWhat::Source(named) => {
                let found = self.find_source(named)?;
                let handle = named.handle.clone();
                return found
                    .map(FlagTarget::Source)
                    .ok_or(FlagError::NeverSpoke { handle });
            }
        };
        let target = match item {
            Item::Source(id) => FlagTarget::Source(id),
            Item::Observation(id) => FlagTarget::Observation(id),
            Item::Belief(id) => FlagTarget::Belief(id),
            _ => return Err(FlagError::NotFlaggable { item }),
        };
        if !self.state.contains(item) {
            return Err(FlagError::NotInMemory { item });
        }
        Ok(target)
    }
}
