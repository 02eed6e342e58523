//! Closing without refuting: `forget`, and what expires.

use immune_model::{BeliefId, Closing, Event, Item, JustificationId, Role, Status};

use super::{Draft, Forbidden};
use crate::state::Grounds;

/// A belief or an observation that is to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forget {
    /// Which one.
    pub item: Item,
}

/// Why nothing was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForgetError {
    /// The principal may not forget this.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// Only beliefs and observations can be forgotten.
    #[error("`{item}` is {kind}, no observation or belief", kind = .item.kind())]
    NotForgettable {
        /// What was named.
        item: Item,
    },
}

/// What was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Which one.
    pub item: Item,
    /// Its status now.
    pub status: Status,
    /// Nothing was left to close.
    pub repeated: bool,
    /// The beliefs that are stale now, because they rested on it.
    pub stale: Vec<BeliefId>,
}

impl Draft {
    /// Plans `forget`: a later statement opens it again; nothing is deleted.
    pub fn forget(&mut self, command: &Forget) -> Result<Forgotten, ForgetError> {
        self.require(Role::Agent, "forget")?;
        let item = command.item;
        if !self.state.contains(item) {
            return Err(ForgetError::NotInMemory { item });
        }
        if self.actor.role < Role::Operator && !self.is_own(item) {
            let principal = self.actor.clone();
            return Err(Forbidden {
                principal,
                operation: "forget what it did not write",
            }
            .into());
        }
        let from = self.events.len();
        let closing = Closing::Forgotten;
        match item {
            Item::Belief(belief) => {
                let written = self.state.justifications_of(belief).collect::<Vec<_>>();
                if written.into_iter().any(|it| self.may_come_back(it)) {
                    self.push(Event::BeliefClosed { belief, closing });
                }
            }
            Item::Observation(observation) => {
                let found = self.state.observations.get(observation);
                let statements = found.statements.clone();
                let note = statements.is_empty() && found.closing.is_none();
                if note || statements.into_iter().any(|it| self.may_come_back(it)) {
                    self.push(Event::ObservationClosed {
                        observation,
                        closing,
                    });
                }
            }
            _ => return Err(ForgetError::NotForgettable { item }),
        }
        self.respond(from);
        Ok(self.forgotten(item, from))
    }

    /// Whether a justification stands, or would again if what closed it became void.
    fn may_come_back(&self, id: JustificationId) -> bool {
        let justification = self.state.justifications.get(id);
        let for_good = |closing: &Closing| !matches!(closing, Closing::Superseded { .. });
        !justification.retracted && !justification.closings.iter().any(|(_, it)| for_good(it))
    }

    fn forgotten(&self, item: Item, from: usize) -> Forgotten {
        let status = match item {
            Item::Belief(id) => self.state.now.get(id).status,
            Item::Observation(id) => self
                .state
                .observation_status(id)
                .expect("it was found to exist"),
            _ => Status::Active,
        };
        let repeated = self.events.len() == from;
        let first = self.events.get(from).map_or(u64::MAX, |it| it.seq);
        let moved = self
            .state
            .changes
            .transitions
            .iter()
            .filter(|it| it.seq >= first);
        let stale = moved.filter_map(|it| match it.item {
            Item::Belief(id) if it.after == Status::Stale.name() => Some(id),
            _ => None,
        });
        Forgotten {
            item,
            status,
            repeated,
            stale: stale.collect(),
        }
    }

    /// Whether the principal wrote all of it, as the agent of its name.
    fn is_own(&self, item: Item) -> bool {
        let name = &self.actor.name;
        let own = |source| {
            let source = self.state.sources.get(source);
            source.handle == *name && source.kind == immune_model::SourceKind::Agent
        };
        match item {
            Item::Observation(id) => own(self.state.observations.get(id).source),
            Item::Belief(id) => {
                let mut written = self.state.justifications_of(id).peekable();
                written.peek().is_some()
                    && written.all(|it| match self.state.justifications.get(it).grounds {
                        Grounds::Statement { observation, .. } => {
                            own(self.state.observations.get(observation).source)
                        }
                        Grounds::Derivation { agent, .. } => agent.is_some_and(own),
                    })
            }
            _ => false,
        }
    }

    /// Whether anything is due to expire: then an operation begins with [`Self::expire`].
    pub fn expiry_due(state: &crate::State, now: immune_model::Instant) -> bool {
        state.expiries.first().is_some_and(|(due, _)| *due <= now)
    }

    /// Appends the expiries that are due, each timed when it was due (semantics.md 2).
    pub fn expire(&mut self) {
        let until = self.now;
        let from = self.events.len();
        while let Some((due, _)) = self
            .state
            .expiries
            .first()
            .copied()
            .filter(|(due, _)| *due <= until)
        {
            let together = self.state.expiries.iter().take_while(|(at, _)| *at == due);
            let justifications = together.map(|(_, id)| *id).collect();
            let before = self.state.at().unwrap_or(due);
            self.now = due.max(before);
            self.push(Event::StatementsClosed {
                justifications,
                closing: Closing::Expired,
            });
        }
        self.now = until;
        self.respond(from);
    }
}
