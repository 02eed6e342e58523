//! Whose word a conclusion is: that of its premises where they carry its value, else that of the
//! agent that concluded it (semantics.md 4 and 5).
//!
//! A premise vouches for what it says and for nothing else. What it does not say is added by who
//! concludes, so that agent is an origin of every such conclusion, beside those of the premises: any
//! number of them by one agent falls with that agent, whatever unrelated premises it names. Read off
//! the values of beliefs at each question; no text of an observation is read. Called by `origins`
//! alone, and by whoever names the sources of a belief.

use std::collections::BinaryHeap;

use immune_model::{BeliefId, JustificationId, Literal, Polarity, Premise, SourceId, Trust};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::normal::normal;
use crate::reputation::Scope;
use crate::state::{Belief, Grounds, State};
use crate::subject;
use crate::support::{justification_cap, premises_of};

/// A justification some of whose premises are not settled yet.
struct Waiting {
    head: BeliefId,
    missing: usize,
    /// The least of what it can give and of the premises that are settled.
    weakest: Trust,
}

impl State {
    /// The agent that derived by a justification, where it is an origin of the conclusion: no
    /// premises carry the value. Nothing for a statement, and for what was imported.
    pub fn reasoner_of(&self, id: JustificationId) -> Option<SourceId> {
        let justification = self.justifications.get(id);
        let Grounds::Derivation {
            agent: Some(agent),
            premises,
        } = &justification.grounds
        else {
            return None;
        };
        let belief = self.beliefs.get(justification.belief);
        (!self.carry_value(premises, belief)).then_some(*agent)
    }

    /// How far an agent is trusted for a conclusion that is its own word: as for a statement of
    /// which it chose the subject.
    pub(super) fn trust_of_reasoner(&self, id: JustificationId, agent: SourceId) -> Trust {
        let about = &self.beliefs.get(self.justifications.get(id).belief).subject;
        self.trust_of(agent, Scope::Worst(about.area()))
    }

    /// The strength of a belief if what an agent concluded as its own word gave no more than its
    /// word: so much is a value worth beside others. Settled from the strongest down (Knuth).
    pub(super) fn strength_by_word(&self, id: BeliefId) -> Trust {
        let mut grounds: Vec<Waiting> = Vec::new();
        let mut dependents: FxHashMap<BeliefId, Vec<usize>> = FxHashMap::default();
        let mut ready: BinaryHeap<(Trust, BeliefId)> = BinaryHeap::new();
        let (mut members, mut seen) = (vec![id], FxHashSet::from_iter([id]));
        while let Some(head) = members.pop() {
            for by in self.justifications_of(head).filter(|it| self.holds(*it)) {
                let word = self
                    .reasoner_of(by)
                    .map(|it| self.trust_of_reasoner(by, it));
                let mut ground = Waiting {
                    head,
                    missing: 0,
                    weakest: justification_cap(self, by).min(word.unwrap_or(Trust::ONE)),
                };
                for premise in premises_of(self, by) {
                    match premise {
                        Premise::Observation(it) => {
                            ground.weakest = ground.weakest.min(self.observation_strength(it));
                        }
                        Premise::Belief(it) => {
                            ground.missing += 1;
                            dependents.entry(it).or_default().push(grounds.len());
                            members.extend(seen.insert(it).then_some(it));
                        }
                    }
                }
                if ground.missing == 0 {
                    ready.push((ground.weakest, head));
                }
                grounds.push(ground);
            }
        }
        while let Some((strength, belief)) = ready.pop() {
            if belief == id {
                return strength;
            }
            // What was settled before has nobody waiting any more.
            for place in dependents.remove(&belief).into_iter().flatten() {
                let Some(ground) = grounds.get_mut(place) else {
                    continue;
                };
                ground.missing -= 1;
                ground.weakest = ground.weakest.min(strength);
                if ground.missing == 0 {
                    ready.push((ground.weakest, ground.head));
                }
            }
        }
        Trust::ZERO
    }

    /// Whether premises say together what the value of a belief is.
    ///
    /// That is each of its decisive literals; on a subject that has none each of its literals, and
    /// if the subject is registered its very words too; without a subject each literal that tells
    /// one thing from another. All other words are an inference over the premises, as independent as
    /// they are.
    fn carry_value(&self, premises: &[Premise], belief: &Belief) -> bool {
        let vouching = || premises.iter().filter_map(|it| self.vouching(*it, belief));
        let carried = |it: &Literal| vouching().any(|other| other.literals.contains(it));
        let deciding = subject::decisive(&belief.subject, &belief.literals);
        if !deciding.is_empty() {
            return deciding.into_iter().all(carried);
        }
        let has_subject = !belief.subject.is_none();
        let tells = |it: &&Literal| has_subject || subject::identifies(it.kind);
        if !belief.literals.iter().filter(tells).all(carried) {
            return false;
        }
        let says_the_same = || {
            let words = normal(belief.text.as_str());
            vouching().any(|it| normal(it.text.as_str()) == words)
        };
        subject::registration(&belief.subject).is_none() || says_the_same()
    }

    /// A premise that may vouch for a value. A note states no claim: what it says is read by the
    /// agent alone. Another value of the same subject, or one that denies, speaks against it.
    fn vouching(&self, premise: Premise, belief: &Belief) -> Option<&Belief> {
        let Premise::Belief(id) = premise else {
            return None;
        };
        let other = self.beliefs.get(id);
        let same_side = other.polarity == belief.polarity || belief.polarity == Polarity::Open;
        let rivals = !belief.subject.is_none() && other.subject == belief.subject;
        (same_side && !rivals).then_some(other)
    }
}
