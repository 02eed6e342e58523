//! Tasks as whoever does them needs them: the old claim, what of it stands, what took the place
//! of the rest.

use std::collections::BTreeSet;

use immune_model::{ActionId, BeliefId, Literal, Premise, SourceId, Status, TaskId, Text, limits};
use immune_reason::State;
use immune_reason::state::{Cause, Grounds, Task};

use crate::explain::{Explained, Support};

/// Words that a literal may be spelled in: an IBAN in groups of four has nine.
const SPELLED_WORDS_MAX: usize = 9;

/// A premise that fell, and what is believed in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The premise as it is now.
    pub premise: Support,
    /// The challenger's claim, or what leads on its subject now; nothing if nothing stands there.
    pub by: Option<BeliefId>,
}

/// A conclusion to derive again, with what that takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rederivable {
    /// Which task.
    pub task: TaskId,
    /// The task itself.
    pub record: Task,
    /// The claim as the agent last put it.
    pub claim: Text,
    /// The agent that derived it.
    pub agent: Option<SourceId>,
    /// Its premises that stand.
    pub intact: Vec<Support>,
    /// Its premises that do not.
    pub lost: Vec<Replaced>,
    /// The actions that relied on it, oldest first.
    pub actions: Vec<ActionId>,
    /// The claim with the values that replaced those of its premises; nothing if its words carry
    /// a value that nothing replaced.
    pub proposal: Option<String>,
}

impl Rederivable {
    /// What it rests on when it is derived again: what stands, and what replaced the rest.
    pub fn premises(&self) -> Vec<Premise> {
        let intact = self.intact.iter().map(|it| it.premise);
        let new = self.lost.iter().filter_map(|it| it.by.map(Premise::Belief));
        let all: BTreeSet<Premise> = intact.chain(new).collect();
        all.into_iter().collect()
    }
}

impl Explained<'_> {
    /// A task with what it takes; nothing if there is none.
    pub fn task(self, id: TaskId) -> Option<Rederivable> {
        let record = self.state.task(id)?;
        let derivations: Vec<_> = self
            .state
            .justifications_of(record.belief)
            .filter_map(|it| {
                let justification = self.state.justification(it)?;
                match &justification.grounds {
                    Grounds::Derivation { agent, premises } => {
                        Some((it, justification, *agent, premises))
                    }
                    Grounds::Statement { .. } => None,
                }
            })
            .collect();
        let stands = |premise: &Premise| {
            self.support(*premise)
                .is_some_and(|it| it.status == Status::Active)
        };
        let fell = derivations.iter().find(|(id, _, _, premises)| {
            self.state.flag_against(*id).is_some() || !premises.iter().all(stands)
        });
        // Of one that was done or cancelled, all may stand again.
        let (_, derivation, agent, premises) = fell.or(derivations.first()).copied()?;
        let (mut intact, mut lost) = (Vec::new(), Vec::new());
        for premise in premises.iter().filter_map(|it| self.support(*it)) {
            if premise.status == Status::Active {
                intact.push(premise);
            } else {
                let by = replacement(self.state, premise.premise);
                lost.push(Replaced { premise, by });
            }
        }
        let decisions = self.state.decisions_on(record.belief);
        let decisions = decisions.filter_map(|it| self.state.decision(it));
        let actions: BTreeSet<ActionId> = decisions
            .flat_map(|it| it.actions.iter().copied())
            .collect();
        Some(Rederivable {
            task: id,
            record: record.clone(),
            claim: derivation.text.clone(),
            agent,
            proposal: proposal(self.state, &derivation.text, &lost),
            intact,
            lost,
            actions: actions.into_iter().collect(),
        })
    }
}

/// What is believed in place of a premise that fell.
fn replacement(state: &State, premise: Premise) -> Option<BeliefId> {
    let Premise::Belief(id) = premise else {
        return None;
    };
    let fallen = state.belief(id)?;
    let stands = |it: &BeliefId| {
        *it != id && state.belief_now(*it).map(|it| it.status) == Some(Status::Active)
    };
    let refuted_in = fallen.refuted_in.and_then(|it| state.incident(it));
    if let Some(Cause::Challenge { trigger, .. }) = refuted_in.map(|it| &it.cause) {
        let statements = state.observation(*trigger).map(|it| it.statements.iter());
        let claimed = statements.into_iter().flatten();
        let claimed = claimed.filter_map(|it| state.justification(*it).map(|it| it.belief));
        let same = |it: &BeliefId| {
            state
                .belief(*it)
                .is_some_and(|it| it.subject == fallen.subject)
        };
        if let Some(found) = claimed.filter(same).find(stands) {
            return Some(found);
        }
    }
    state
        .beliefs_about(&fallen.namespace, &fallen.subject)
        .filter(stands)
        .max_by_key(|it| {
            let strength = state.belief_now(*it).map(|it| it.strength);
            (
                state.stated_by_record(*it),
                strength,
                std::cmp::Reverse(*it),
            )
        })
}

/// The claim with each value of a premise that fell in its new place. Nothing where a premise has
/// no new value, or where the words would still carry an old one.
fn proposal(state: &State, claim: &Text, lost: &[Replaced]) -> Option<String> {
    if claim.as_str().len() > limits::PROPOSAL_BYTES_MAX {
        return None;
    }
    let mut words = claim.as_str().to_owned();
    let mut fallen = Vec::new();
    for replaced in lost {
        let Premise::Belief(old) = replaced.premise.premise else {
            return None;
        };
        let new = &state.belief(replaced.by?)?.literals;
        for literal in &state.belief(old)?.literals {
            if let Some(value) = new.iter().find(|it| it.kind == literal.kind) {
                words = with_value(&words, literal, &value.value);
            }
            fallen.push(literal.clone());
        }
    }
    let carried = immune_reason::literal::literals(&words);
    let clean = !carried.iter().any(|it| fallen.contains(it));
    clean.then_some(words)
}

/// The words with another value in place of a literal, however that is spelled in them.
fn with_value(words: &str, literal: &Literal, value: &str) -> String {
    let starts = words.char_indices().filter(|(at, it)| {
        let before = words.get(..*at).and_then(|it| it.chars().next_back());
        !it.is_whitespace() && before.is_none_or(char::is_whitespace)
    });
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let holds = |span: &str| {
        let found = immune_reason::literal::literals(span);
        found.len() == 1 && found.first() == Some(literal)
    };
    for n_words in 1..=SPELLED_WORDS_MAX {
        for (place, start) in starts.iter().enumerate() {
            let end = starts.get(place + n_words).copied().unwrap_or(words.len());
            let (Some(before), Some(span), Some(after)) = (
                words.get(..*start),
                words.get(*start..end),
                words.get(end..),
            ) else {
                continue;
            };
            if place + n_words <= starts.len() && holds(span) {
                let spelled = span.trim_end_matches(|it: char| !it.is_alphanumeric());
                let rest = span.get(spelled.len()..).unwrap_or_default();
                let again = with_value(after, literal, value);
                return format!("{before}{value}{rest}{again}");
            }
        }
    }
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_the_place_of_another_however_that_is_spelled() {
        let iban = |value: &str| Literal::new(immune_model::LiteralKind::Iban, value);
        let old = iban("GB29NWBK60161331926819");
        for (before, after) in [
            (
                "Pay GB29 NWBK 6016 1331 9268 19.",
                "Pay DE89370400440532013000.",
            ),
            ("GB29NWBK60161331926819, now", "DE89370400440532013000, now"),
            (
                "gb29nwbk60161331926819 or GB29NWBK60161331926819",
                "DE89370400440532013000 or DE89370400440532013000",
            ),
            ("Pay in Zürich at nine", "Pay in Zürich at nine"),
            ("", ""),
        ] {
            assert_eq!(with_value(before, &old, "DE89370400440532013000"), after);
        }
    }
}
