//! Attributions: what was asked again to learn which memories made an answer wrong, and what came
//! out (semantics.md 11).
//!
//! Written once, as a whole: an attribution blames nobody by itself, and moves no status.

use crate::id::{AttributionId, BeliefId, DecisionId, IncidentId, Item, Premise, ReviewId};
use crate::name::{Namespace, RunId};
use crate::text::Text;
use crate::trust::Trust;

/// An answer was found wrong, and asked for again from some of the memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributed {
    /// Its id, the next of its kind.
    pub attribution: AttributionId,
    /// The part of the memory that was asked.
    pub namespace: Namespace,
    /// The run whose answer it was, if one is named.
    pub run: Option<RunId>,
    /// The decision up to which the run is looked at, if one is named.
    pub decision: Option<DecisionId>,
    /// What the answer was given from, by number from 0.
    pub candidates: Vec<Candidate>,
    /// Every answer that was asked for, in order.
    pub calls: Vec<OracleCall>,
    /// How it ended.
    pub outcome: Outcome,
    /// The smallest sets that each make the answer wrong alone, as far as they were found.
    pub causes: Vec<Vec<u32>>,
    /// The causes that the right answer had hidden: each was shown alone, and the answer was wrong.
    pub hidden: Vec<Vec<u32>>,
    /// What to quarantine so that the answer is wrong no more.
    pub correction: Vec<u32>,
    /// What falls with the correction, because it rests on it alone.
    pub fallen: Vec<u32>,
    /// What it took, and how sure it is.
    pub certificate: AttributionCertificate,
    /// The question.
    pub question: Text,
    /// The value that a wrong answer asserts, if it was named.
    pub wrong: Option<Text>,
    /// What is true, if it was named: an answer that contradicts it is wrong.
    pub expected: Option<Text>,
    /// The command that judged, if one did.
    pub judge: Option<Text>,
    /// Who answered, in words without a key.
    pub oracle: Text,
    /// The different answers.
    pub answers: Vec<Text>,
}

/// A memory that an answer was given from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// A belief, or an observation without claims.
    pub item: Premise,
    /// The read in which its run was shown it, from 1; 1 where nothing but one answer was asked.
    pub turn: u32,
}

/// One answer, from some of the candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OracleCall {
    /// The candidates that were shown: 32 in each number, the first in the lowest bit.
    pub shown: Vec<u32>,
    /// Whether the answer was wrong.
    pub fails: bool,
    /// Which of the answers it was; nothing if there was none.
    pub answer: Option<u32>,
}

impl OracleCall {
    /// The numbers of the candidates that were shown, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        let words = (0..).step_by(32).zip(&self.shown);
        words.flat_map(|(first, word): (u32, &u32)| {
            (0..32)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| first + bit)
        })
    }

    /// Such numbers, in the form in which they are kept.
    pub fn words(n_candidates: usize, shown: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let mut words = vec![0; n_candidates.div_ceil(32)];
        for number in shown {
            if let Some(word) = words.get_mut(number / 32) {
                *word |= 1 << (number % 32);
            }
        }
        words
    }
}

/// How an attribution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The correction was asked for again, and the answer is wrong no more.
    Found,
    /// From all candidates the answer is not wrong: nobody is to blame.
    NotReproduced,
    /// The answer is wrong from no memory at all: none of them is to blame.
    WrongWithoutMemory,
    /// The budget was used up; what there is, is the best so far.
    BudgetSpent,
    /// Somebody stopped it; what there is, is the best so far.
    Interrupted,
    /// Whoever answers failed; what there is, is the best so far.
    OracleFailed,
    /// The same memories gave different verdicts so often that nothing can be told from them.
    Unstable,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 7] = [
        Self::Found,
        Self::NotReproduced,
        Self::WrongWithoutMemory,
        Self::BudgetSpent,
        Self::Interrupted,
        Self::OracleFailed,
        Self::Unstable,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotReproduced => "not_reproduced",
            Self::WrongWithoutMemory => "wrong_without_memory",
            Self::BudgetSpent => "budget_spent",
            Self::Interrupted => "interrupted",
            Self::OracleFailed => "oracle_failed",
            Self::Unstable => "unstable",
        }
    }
}

/// What an attribution took, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributionCertificate {
    /// Answers that were asked for to learn whether it is about memory at all.
    pub guard_calls: u32,
    /// Answers that were asked for again without the correction.
    pub replays: u32,
    /// How many of those were right.
    pub replays_right: u32,
    /// The fewest answers that tell so many sets of that size apart, in thousandths; an oracle
    /// that changes its mind needs more.
    pub bound_thousandths: u32,
    /// How sure the correction is.
    pub confidence: Trust,
    /// How often a verdict is taken to be wrong: estimated where the guards were asked several times.
    pub flips: Trust,
    /// Verdicts that no fixed set of causes gives: more memories, and right again.
    pub non_monotone: u32,
}

/// What an attribution was evidence for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceFor {
    /// A refutation.
    Incident(IncidentId),
    /// A question for a person.
    Review(ReviewId),
}

/// What holds a refuted belief where it is, although it was tested again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParoleHold {
    /// A system of record states this one, which contradicts it.
    ByRecord(BeliefId),
    /// This one contradicts it, and would lead.
    ByLeading(BeliefId),
    /// With it, the answer of this attribution is wrong again.
    WrongAgain(AttributionId),
    /// Nobody could answer, or judge.
    Unanswered,
}

impl ParoleHold {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByRecord(_) => "contradicted_by_record",
            Self::ByLeading(_) => "contradicted_by_leading",
            Self::WrongAgain(_) => "wrong_again",
            Self::Unanswered => "unanswered",
        }
    }

    /// The belief or the attribution that it is.
    pub fn by(self) -> Option<Item> {
        match self {
            Self::ByRecord(by) | Self::ByLeading(by) => Some(by.into()),
            Self::WrongAgain(attribution) => Some(attribution.into()),
            Self::Unanswered => None,
        }
    }
}

impl From<EvidenceFor> for Item {
    fn from(target: EvidenceFor) -> Self {
        match target {
            EvidenceFor::Incident(id) => id.into(),
            EvidenceFor::Review(id) => id.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shown_is_read_back_from_its_words() {
        let shown = [0, 31, 32, 69];
        let call = OracleCall {
            shown: OracleCall::words(70, shown),
            fails: true,
            answer: None,
        };
        assert_eq!(call.shown.len(), 3);
        assert_eq!(call.numbers().collect::<Vec<_>>(), [0, 31, 32, 69]);
    }
}
