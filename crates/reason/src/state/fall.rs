//! In which incident a belief fell: read off what it rested on, for many beliefs in one pass.

use immune_model::{BeliefId, IncidentId, Premise};
use rustc_hash::{FxHashMap, FxHashSet};

use super::State;

impl State {
    /// The incident in which a belief fell: its own, or the latest among what it rested on.
    pub fn incident_of(&self, id: BeliefId) -> Option<IncidentId> {
        self.incidents_of([id]).get(&id).copied()
    }

    /// As [`Self::incident_of`], for many beliefs: linear in what fell, cycles included.
    ///
    /// Everything fallen behind the beliefs is gathered first; then each incident, latest first,
    /// is handed down from where it struck to whatever has none yet.
    pub fn incidents_of(
        &self,
        beliefs: impl IntoIterator<Item = BeliefId>,
    ) -> FxHashMap<BeliefId, IncidentId> {
        let mut stack: Vec<BeliefId> = beliefs.into_iter().collect();
        let mut seen: FxHashSet<BeliefId> = stack.iter().copied().collect();
        let mut struck: Vec<(IncidentId, BeliefId)> = Vec::new();
        let mut below: FxHashMap<BeliefId, Vec<BeliefId>> = FxHashMap::default();
        while let Some(belief) = stack.pop() {
            let refuted_in = self.beliefs.find(belief).and_then(|it| it.refuted_in);
            if let Some(incident) = refuted_in {
                struck.push((incident, belief));
                continue;
            }
            for justification in self.justifications_of(belief) {
                let flag = self.flag_against(justification);
                struck.extend(flag.map(|incident| (incident, belief)));
                for premise in self.justifications.get(justification).grounds.premises() {
                    match premise {
                        Premise::Belief(it) if self.now.get(it).status.fell() => {
                            below.entry(it).or_default().push(belief);
                            if seen.insert(it) {
                                stack.push(it);
                            }
                        }
                        Premise::Belief(_) => {}
                        Premise::Observation(it) => {
                            let flag = self.flag_over(it);
                            struck.extend(flag.map(|incident| (incident, belief)));
                        }
                    }
                }
            }
        }
        struck.sort_unstable_by(|left, right| right.cmp(left));
        let mut fell_in: FxHashMap<BeliefId, IncidentId> = FxHashMap::default();
        for (incident, belief) in struck {
            let mut stack = vec![belief];
            while let Some(next) = stack.pop() {
                if let std::collections::hash_map::Entry::Vacant(slot) = fell_in.entry(next) {
                    slot.insert(incident);
                    stack.extend(below.get(&next).into_iter().flatten());
                }
            }
        }
        fell_in
    }
}
