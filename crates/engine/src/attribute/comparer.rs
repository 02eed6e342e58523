//! The judge that needs nobody: whether an answer asserts the wrong value, or contradicts the
//! expected one.
//!
//! The literal decides, as everywhere (semantics.md 7). Where neither value carries one, the words
//! of the wrong value have to stand in the answer. What the two do not decide is not wrong: a
//! failure has to be shown.

use immune_attribution::{Judge, Unanswered, Verdict};
use immune_model::{Polarity, Subject};
use immune_reason::Relation;
use immune_reason::literal::literals;
use immune_reason::normal::normal;
use immune_reason::polarity::polarity;

use crate::compare::compare;

/// Judges an answer by values.
#[derive(Debug, Clone, Default)]
pub struct Comparer {
    /// The value that a wrong answer asserts.
    pub wrong: Option<String>,
    /// What is true.
    pub expected: Option<String>,
    /// What both are about, if that is known.
    pub about: Option<Subject>,
}

impl Comparer {
    /// Whether an answer is wrong.
    pub fn is_wrong(&self, answer: &str) -> bool {
        let asserts = |it: &String| Self::asserts(answer, it);
        let contradicts = |it: &String| {
            matches!(
                compare(self.about.as_ref(), answer, it).relation,
                Relation::Conflict(_)
            )
        };
        self.wrong.as_ref().is_some_and(asserts) || self.expected.as_ref().is_some_and(contradicts)
    }

    /// Whether an answer asserts a value: all its literals, where it has any, else its words in a
    /// row; and not by denying it.
    pub fn asserts(answer: &str, value: &str) -> bool {
        let denied = |text: &str| polarity(text) == Polarity::Denied;
        if denied(answer) != denied(value) {
            return false;
        }
        let wanted = literals(value);
        let found = literals(answer);
        if !wanted.is_empty() {
            return wanted.iter().all(|it| found.contains(it));
        }
        let words = |text: &str| -> Vec<String> {
            let text = normal(text);
            let words = text.split(|it: char| !it.is_alphanumeric());
            words
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (answer, value) = (words(answer), words(value));
        !value.is_empty() && answer.windows(value.len()).any(|it| *it == *value)
    }
}

impl Judge for Comparer {
    fn judge(&self, _question: &str, answer: &str) -> Result<Verdict, Unanswered> {
        Ok(if self.is_wrong(answer) {
            Verdict::Fails
        } else {
            Verdict::Passes
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(wrong: &str, expected: &str, answer: &str) -> bool {
        let some = |it: &str| (!it.is_empty()).then(|| it.to_owned());
        let comparer = Comparer {
            wrong: some(wrong),
            expected: some(expected),
            about: None,
        };
        comparer.is_wrong(answer)
    }

    #[test]
    fn an_answer_is_wrong_that_asserts_the_wrong_value_or_contradicts_the_true_one() {
        let (true_one, lie) = ("GB29NWBK60161331926819", "DE89370400440532013000");
        let says = |it: &str| format!("Refunds go to {it}.");
        assert!(judge(lie, "", &says("de89 3704 0044 0532 0130 00")));
        assert!(judge("", true_one, &says(lie)));
        let both = format!("Refunds go to {true_one} or {lie}");
        assert!(
            judge("", true_one, &both),
            "a claim with both is a conflict"
        );
        assert!(!judge(lie, true_one, &says(true_one)));
        assert!(judge("thirty days", "", "Within 30 days."));
        assert!(!judge("500 MB", "", "The limit is 50 MB."));
        assert!(judge("", "$30", "It costs $300."));
        assert!(!judge("", "$30", "It costs $30.00."));
        assert!(judge("Lyon", "", "The capital is LYON."));
        assert!(!judge("Lyon", "", "The capital is Lyons."));
        assert!(!judge("Lyon", "", "The capital is not Lyon."));
    }

    #[test]
    fn what_is_not_decided_is_not_wrong() {
        assert!(!judge("", "30 days", "Within one month."));
        assert!(!judge("", "Paris", "Lyon"));
        assert!(!judge("", "Paris", ""));
    }
}
