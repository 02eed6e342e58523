//! What a run is shown: a read that names one, or an agent's, is written down (semantics.md 4).

use immune_model::{Item, Premise, Role, RunId};
use immune_reason::plan::{OWN_RUN_FRESH_SECONDS, Show};

use crate::recall::{Recall, RecallError, Recalled};
use crate::session::Session;

impl Session {
    /// As [`Self::recall`], in a run, which is an agent's own where none is named: what the answer
    /// shows is in the context of all that the run writes from then on. An answer of which all was
    /// shown before writes nothing, and neither does one to whoever is no agent and names none.
    pub fn recall_in(
        &self,
        run: Option<&RunId>,
        question: &Recall,
    ) -> Result<Recalled, RecallError> {
        let recalled = self.recall(question)?;
        let facts = recalled.facts.iter().map(|it| Item::Belief(it.belief));
        let notes = recalled
            .notes
            .iter()
            .map(|it| Item::Observation(it.observation));
        self.show_in(run, facts.chain(notes).collect())?;
        Ok(recalled)
    }

    /// Writes down that a run was shown these items, unless it was shown all of them before: the
    /// agent's own where none is named. What is shown of the past is written down now.
    pub fn show_in(&self, named: Option<&RunId>, items: Vec<Item>) -> Result<(), RecallError> {
        if items.is_empty() || (named.is_none() && self.principal().role != Role::Agent) {
            return Ok(());
        }
        let present = self.memory().session(self.principal().clone());
        let snapshot = present.snapshot()?;
        let state = snapshot.state();
        let latest = || {
            let now = present.present(state)?;
            state.own_run(&self.principal().name, now, OWN_RUN_FRESH_SECONDS)
        };
        let run = named.cloned().or_else(latest);
        let known = |run: &RunId, item: &Item| match *item {
            Item::Belief(id) => state.was_shown(run, Premise::Belief(id)),
            Item::Observation(id) => state.was_shown(run, Premise::Observation(id)),
            _ => false,
        };
        let reader = self.principal();
        // Whether that one may read there is for the plan to say.
        let may_read = |run: &RunId| {
            let agent = state.agent_of_run(run);
            reader.role != Role::Agent || agent.is_some_and(|it| *it == reader.name)
        };
        let is_known = |run: RunId| may_read(&run) && items.iter().all(|it| known(&run, it));
        if !run.is_some_and(is_known) {
            let run = named.cloned();
            present
                .show(Show { run, items })
                .map_err(RecallError::Run)?;
        }
        Ok(())
    }
}
