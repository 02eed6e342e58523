//! The run of an agent that names none (semantics.md 1): one of its own, until it was idle for too
//! long. They are numbered from 1, and none is left out.
//!
//! An agent that could drop what it read by not naming a run would launder it. Whoever is no agent
//! has none: people look at what they do not believe, and what they write then is their own word.

use immune_model::{Handle, Instant, RunId, Write, limits};

use super::ContextId;
use crate::state::State;

impl State {
    /// The run of its own in which an agent reads and writes at a time: its latest, unless that was
    /// idle for longer than so many seconds. Nothing where none was shown anything.
    pub fn own_run(&self, agent: &Handle, now: Instant, idle_seconds: i64) -> Option<RunId> {
        let run = own_run_name(agent, self.n_own_runs(agent));
        self.contexts.agent_of(&run).filter(|it| *it == agent)?;
        let idle = now.micros() - self.last_active(self.context_of_run(&run)?).micros();
        (idle <= idle_seconds * 1_000_000).then_some(run)
    }

    /// The run of its own that an agent starts where [`Self::own_run`] has none.
    pub(crate) fn next_own_run(&self, agent: &Handle) -> RunId {
        own_run_name(agent, self.n_own_runs(agent) + 1)
    }

    fn n_own_runs(&self, agent: &Handle) -> u64 {
        let is_there = |n: u64| self.context_of_run(&own_run_name(agent, n)).is_some();
        let (mut known, mut step) = (0, 1);
        while is_there(known + step) {
            known += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if is_there(known + step) {
                known += step;
            }
        }
        known
    }

    /// When a run was last shown something, or wrote with that before its eyes.
    fn last_active(&self, context: ContextId) -> Instant {
        let shown_at = self.contexts.contexts.get(context).at;
        let written_at = self.contexts.writes_in(context).next().map(|it| match it {
            Write::Observation(id) => self.observations.get(id).received_at,
            Write::Justification(id) => self.justifications.get(id).at,
            Write::Decision(id) => {
                let action = self.decisions.get(id).actions.first();
                action.map_or(shown_at, |it| self.actions.get(*it).proposed_at)
            }
        });
        written_at.map_or(shown_at, |it| it.max(shown_at))
    }
}

/// The agent that a run is of by its name.
pub(crate) fn agent_in(run: &RunId) -> Option<Handle> {
    let (agent, number) = run.as_str().rsplit_once('#')?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    Handle::new(agent).ok().filter(|_| is_number)
}

/// What the n-th run of its own of an agent is called. Agents with one long beginning of their
/// names share theirs: more is before their eyes then, never less.
fn own_run_name(agent: &Handle, n: u64) -> RunId {
    let number = format!("#{n}");
    let mut name = agent.as_str();
    while name.len() + number.len() > limits::NAME_BYTES_MAX {
        let mut shorter = name.chars();
        shorter.next_back();
        name = shorter.as_str();
    }
    RunId::new(&format!("{name}{number}")).expect("a name, shortened, and a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_has_a_run_too() {
        let agent = Handle::new(&"ü".repeat(limits::NAME_BYTES_MAX / 2)).unwrap();
        let run = own_run_name(&agent, 12);
        assert!(run.as_str().ends_with("ü#12"));
        assert!(run.as_str().len() <= limits::NAME_BYTES_MAX);
        let agent = Handle::new("bot").unwrap();
        assert_eq!(own_run_name(&agent, 1).as_str(), "bot#1");
        assert_eq!(
            State::new().own_run(&agent, Instant::from_seconds(0).unwrap(), 1),
            None
        );
    }
}
