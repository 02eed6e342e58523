//! Whose word a conclusion is: that of its premises where they carry its value, else that of the
//! agent that concluded it (semantics.md 4 and 5).
//!
//! A premise vouches for what it says and for nothing else. What it does not say is added by who
//! concludes, so that agent is an origin of every such conclusion, beside those of the premises: any
//! number of them by one agent falls with that agent, whatever unrelated premises it names. Read off
//! the values of beliefs at each question; no text of an observation is read. Called by `origins`
//! alone, and by whoever names the sources of a belief.

use immune_model::{JustificationId, Polarity, Premise, SourceId, Trust};

use crate::normal::normal;
use crate::reputation::Scope;
use crate::state::{Belief, Grounds, State};
use crate::subject;

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

    /// Whether premises say together what the value of a belief is.
    ///
    /// That is each of its decisive literals; on an open subject each of its literals, one of which
    /// has to tell a thing from others, or else its very words. Of a claim without a subject each of
    /// its literals; where it has none it is an inference over its premises, and no value of its
    /// own.
    fn carry_value(&self, premises: &[Premise], belief: &Belief) -> bool {
        let vouching = || premises.iter().filter_map(|it| self.vouching(*it, belief));
        let deciding = subject::decisive(&belief.subject, &belief.literals);
        let is_registered = !deciding.is_empty();
        let literals = if is_registered {
            deciding
        } else {
            belief.literals.iter().collect()
        };
        let carried = |literal| vouching().any(|it| it.literals.contains(literal));
        if !literals.iter().copied().all(carried) {
            return false;
        }
        if is_registered
            || belief.subject.is_none()
            || literals.iter().any(|it| subject::identifies(it.kind))
        {
            return true;
        }
        let words = normal(belief.text.as_str());
        vouching().any(|it| normal(it.text.as_str()) == words)
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
