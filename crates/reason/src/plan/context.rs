//! What a run is shown, what it hands on, and what its writes take from it (semantics.md 4).

use immune_model::{
    Carrier, Event, Handle, Item, Literal, Premise, Role, RunId, Statement, Subject, limits,
};

use super::{Draft, Forbidden};
use crate::context::own::agent_in;
use crate::literal;
use crate::state::State;
use crate::subject::{self, identifies};

/// Whether the context of a run counts in what is written there with premises that are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Narrowing {
    /// It does.
    #[default]
    Whole,
    /// It does not: what is named is all. For operators.
    Narrowed,
}

/// A run was shown something.
#[derive(Debug, Clone)]
pub struct Show {
    /// Which run; the agent's own where it names none. Whoever is no agent has none.
    pub run: Option<RunId>,
    /// Observations and beliefs; an observation stands for the beliefs of its claims too.
    pub items: Vec<Item>,
}

/// A run starts another one.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// The run that is started.
    pub run: RunId,
    /// The run that starts it.
    pub parent: RunId,
    /// All that it hands over; its whole context if nothing is said.
    pub items: Option<Vec<Item>>,
}

/// What a run was handed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The items, as far as they are named; a context that is handed over whole stays whole.
    pub items: Vec<Premise>,
    /// Whether anything was written.
    pub written: bool,
}

/// Why a run is not taken note of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The principal may not do that.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// An item that is no observation or belief.
    #[error("`{item}` is {kind}, no observation or belief", kind = .item.kind())]
    NotShown {
        /// What was named.
        item: Item,
    },
    /// An item that does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// A run that would hand over to itself.
    #[error("run `{run}` cannot start itself")]
    Itself {
        /// Which run.
        run: RunId,
    },
    /// A run in which another agent reads.
    #[error("run `{run}` is of agent `{agent}`")]
    AnotherAgents {
        /// Which run.
        run: RunId,
        /// Whose it is.
        agent: Handle,
    },
    /// A run that was shown something before it was started.
    #[error("run `{run}` was shown something before")]
    Started {
        /// Which run.
        run: RunId,
    },
}

/// Seconds after which a read of what an agent was shown before is written down all the same: the
/// run of its own is not idle.
pub const OWN_RUN_FRESH_SECONDS: i64 = limits::RUN_IDLE_SECONDS / 2;

impl Draft {
    /// Plans `show`: what the run was not shown before is written down.
    pub fn show(&mut self, command: &Show) -> Result<Vec<Premise>, RunError> {
        self.require(Role::Agent, "read in a run")?;
        let items = self.shown_items(&command.items)?;
        if let Some(run) = &command.run {
            self.check_reads_in(run)?;
            return Ok(self.push_shown(run, items));
        }
        if self.actor.role != Role::Agent {
            return Ok(Vec::new());
        }
        let agent = &self.actor.name;
        let run = self.own_run();
        let run = run.unwrap_or_else(|| self.state.next_own_run(agent));
        let is_fresh = self
            .state
            .own_run(agent, self.now, OWN_RUN_FRESH_SECONDS)
            .is_some();
        let items = self.push_shown(&run, items);
        if items.is_empty() && !is_fresh {
            // What was read again keeps the run: nobody drops it by waiting between two reads.
            let (from, items) = (None, Vec::new());
            self.push(Event::Shown { run, from, items });
        }
        Ok(items)
    }

    /// Nobody puts what it read before the eyes of another agent.
    fn check_reads_in(&self, run: &RunId) -> Result<(), RunError> {
        match self.other_agent_of(run) {
            Some(agent) => Err(RunError::AnotherAgents {
                run: run.clone(),
                agent,
            }),
            None => Ok(()),
        }
    }

    /// The other agent whose run it is: who reads in it, or whose own it is by its name.
    pub(super) fn other_agent_of(&self, run: &RunId) -> Option<Handle> {
        let agent = self.state.contexts.agent_of(run).cloned();
        let agent = agent.or_else(|| agent_in(run));
        agent.filter(|it| self.actor.role == Role::Agent && *it != self.actor.name)
    }

    /// The run in which an agent writes that names none.
    fn own_run(&self) -> Option<RunId> {
        let agent = Some(&self.actor).filter(|it| it.role == Role::Agent)?;
        let idle = limits::RUN_IDLE_SECONDS;
        self.state.own_run(&agent.name, self.now, idle)
    }

    /// The run of what is written: the one that is named, else the agent's own.
    pub(super) fn run_of_write(&self, named: Option<&RunId>) -> Option<RunId> {
        named.cloned().or_else(|| self.own_run())
    }

    /// Plans `runs start`: what the new run has before its eyes is what it was handed.
    pub fn hand_over(&mut self, command: &HandOver) -> Result<Handed, RunError> {
        self.require(Role::Agent, "start a run")?;
        if command.run == command.parent {
            let run = command.run.clone();
            return Err(RunError::Itself { run });
        }
        if self.state.context_of_run(&command.run).is_some() {
            let run = command.run.clone();
            return Err(RunError::Started { run });
        }
        if let Some(items) = &command.items {
            self.require(Role::Operator, "narrow what a run is handed")?;
            let items = self.push_shown(&command.run, self.shown_items(items)?);
            let written = !items.is_empty();
            return Ok(Handed { items, written });
        }
        let written = self.state.context_of_run(&command.parent).is_some();
        if written {
            self.push(Event::Shown {
                run: command.run.clone(),
                from: Some(command.parent.clone()),
                items: Vec::new(),
            });
        }
        let items = Vec::new();
        Ok(Handed { items, written })
    }

    pub(super) fn check_may_narrow(&self, narrowing: Narrowing) -> Result<(), Forbidden> {
        match narrowing {
            Narrowing::Whole => Ok(()),
            Narrowing::Narrowed => self.require(Role::Operator, "leave the context of a run out"),
        }
    }

    /// What is shown with these items, each once.
    fn shown_items(&self, named: &[Item]) -> Result<Vec<Premise>, RunError> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut items = Vec::with_capacity(named.len());
        let mut add = |it: Premise| {
            if seen.insert(it) {
                items.push(it);
            }
        };
        for item in named {
            match *item {
                Item::Belief(id) if self.state.belief(id).is_some() => add(Premise::Belief(id)),
                Item::Observation(id) => {
                    let found = self.state.observation(id);
                    let found = found.ok_or(RunError::NotInMemory { item: *item })?;
                    add(Premise::Observation(id));
                    for statement in &found.statements {
                        let belief = self.state.justifications.get(*statement).belief;
                        add(Premise::Belief(belief));
                    }
                }
                Item::Belief(_) => return Err(RunError::NotInMemory { item: *item }),
                _ => return Err(RunError::NotShown { item: *item }),
            }
        }
        Ok(items)
    }

    /// Writes down what a run was not shown before, and gives that.
    pub(super) fn push_shown(&mut self, run: &RunId, items: Vec<Premise>) -> Vec<Premise> {
        let known = |it: &Premise| self.state.contexts.has(run, *it);
        let items: Vec<Premise> = items.into_iter().filter(|it| !known(it)).collect();
        for items in items.chunks(limits::SHOWN_ITEMS_MAX) {
            self.push(Event::Shown {
                run: run.clone(),
                from: None,
                items: items.to_vec(),
            });
        }
        items
    }

    /// For each statement, the strongest beliefs of a context that carry its decisive literals.
    pub(super) fn carriers_for(
        &self,
        run: Option<&RunId>,
        namespace: &immune_model::Namespace,
        statements: &[Statement],
    ) -> Vec<Carrier> {
        let Some(context) = run.and_then(|it| self.state.context_of_run(it)) else {
            return Vec::new();
        };
        let mut carriers = Vec::new();
        for statement in statements {
            for literal in telling(&statement.subject, &statement.literals) {
                let itself = Some(statement.belief);
                let carrier = self
                    .state
                    .strongest_carrier(context, namespace, literal, itself);
                carriers.extend(carrier.map(|belief| Carrier {
                    justification: statement.justification,
                    belief,
                }));
            }
        }
        carriers.sort_unstable();
        carriers.dedup();
        carriers
    }
}

impl State {
    /// Whether a premise carries a literal: a belief among its own, a note in its text.
    pub(super) fn carries(&self, premise: Premise, literal: &Literal) -> bool {
        match premise {
            Premise::Belief(id) => self.beliefs.get(id).literals.contains(literal),
            Premise::Observation(id) => {
                let text = self.observations.get(id).text.as_str();
                literal::literals(text).contains(literal)
            }
        }
    }
}

/// The literals of a claim that tell where it is from: the decisive ones; where there are none,
/// those that name one thing among all.
pub(super) fn telling<'a>(about: &Subject, literals: &'a [Literal]) -> Vec<&'a Literal> {
    let decisive = subject::decisive(about, literals);
    if decisive.is_empty() {
        return literals.iter().filter(|it| identifies(it.kind)).collect();
    }
    decisive
}
