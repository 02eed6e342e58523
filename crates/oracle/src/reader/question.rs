//! What a question asks about, and for what kind of answer.

use std::collections::BTreeSet;

use immune_model::LiteralKind;
use immune_reason::literal;

use super::text::{Text, Word};

/// First words of a question that is answered by yes or no.
const ASKING: [&str; 23] = [
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "might",
    "must", "shall", "should", "was", "were", "will", "would", "isn", "aren", "doesn",
];
/// Terms behind "how" that ask for a number; they are no part of what is asked about.
const MEASURES: [&str; 12] = [
    "far", "fast", "few", "high", "larg", "long", "mani", "much", "old", "often", "tall", "wide",
];
/// What is asked for, by the words that name it.
const NAMED: [(LiteralKind, &[&str]); 10] = [
    (LiteralKind::Iban, &["iban", "account"]),
    (LiteralKind::Account, &["account"]),
    (LiteralKind::Card, &["card"]),
    (LiteralKind::CryptoAddress, &["wallet", "bitcoin", "crypto"]),
    (LiteralKind::Email, &["email", "mailbox"]),
    (
        LiteralKind::Phone,
        &["phone", "telephone", "fax", "hotline"],
    ),
    (
        LiteralKind::Host,
        &["url", "link", "website", "domain", "host"],
    ),
    (LiteralKind::Package, &["version"]),
    (
        LiteralKind::Amount,
        &["price", "cost", "fee", "salary", "budget", "amount"],
    ),
    (LiteralKind::Percentage, &["percentage", "percent"]),
];

/// What kind of answer is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Yes or no.
    YesNo,
    /// One of two, each by the words that name it.
    Choice([String; 2]),
    /// A name.
    Name,
    /// A number, with its unit if it has one.
    Number,
    /// A date or a year.
    Date,
    /// A literal of one of these kinds.
    Literal(Vec<LiteralKind>),
    /// Whatever is said.
    Words,
}

/// A question, read.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) kind: Kind,
    /// What it is about: its terms that tell something, or all where none does.
    pub(super) terms: BTreeSet<String>,
    /// All its terms, in their order.
    pub(super) sequence: Vec<String>,
    /// The literals in it, which are no answer.
    pub(super) literals: BTreeSet<String>,
}

impl Question {
    pub(super) fn new(question: &str) -> Self {
        let read = Text::new(question);
        let sequence: Vec<String> = read.words.iter().map(|it| it.term.clone()).collect();
        let kind = kind(&read, &sequence);
        let asks = |it: &Word| {
            let before = sequence.iter().position(|term| *term == it.term);
            let before = before.and_then(|at| sequence.get(at.checked_sub(1)?));
            before.is_some_and(|it| it == "how") && measures(&it.term)
        };
        let telling = read.words.iter().filter(|it| !it.is_stop && !asks(it));
        let mut terms: BTreeSet<String> = telling.map(|it| it.term.clone()).collect();
        if terms.is_empty() {
            terms.extend(sequence.iter().cloned());
        }
        let literals = literal::find(question).into_iter();
        Self {
            kind,
            terms,
            sequence,
            literals: literals.map(|it| it.literal.to_string()).collect(),
        }
    }
}

fn measures(term: &str) -> bool {
    MEASURES.contains(&term)
}

fn kind(read: &Text<'_>, terms: &[String]) -> Kind {
    if let Some(choice) = choice(read, terms) {
        return Kind::Choice(choice);
    }
    let has = |word: &str| terms.iter().any(|it| it == word);
    let pair = |first: &str, second: &[&str]| {
        let mut pairs = terms.windows(2);
        pairs.any(|it| matches!(it, [a, b] if a == first && second.contains(&b.as_str())))
    };
    if terms
        .first()
        .is_some_and(|it| ASKING.contains(&it.as_str()))
    {
        return Kind::YesNo;
    }
    if pair("how", &MEASURES) || has("percentag") {
        return Kind::Number;
    }
    let year = ["year", "date", "day", "month"];
    if has("when") || pair("what", &year) || pair("which", &year) {
        return Kind::Date;
    }
    if ["who", "whom", "whose"].iter().any(|it| has(it)) {
        return Kind::Name;
    }
    let folded = |word: &str| immune_recall::terms(word).into_iter().next();
    let named = NAMED.iter().filter(|(_, words)| {
        let mut words = words.iter().filter_map(|it| folded(it));
        words.any(|it| has(&it))
    });
    let kinds: Vec<LiteralKind> = named.map(|it| it.0).collect();
    if kinds.is_empty() {
        Kind::Words
    } else {
        Kind::Literal(kinds)
    }
}

/// The two between which a question asks: names on both sides of an `or`, else the words there.
fn choice(read: &Text<'_>, terms: &[String]) -> Option<[String; 2]> {
    let or = terms.iter().rposition(|it| it == "or")?;
    let asks = terms
        .iter()
        .any(|it| ["which", "who", "what"].contains(&it.as_str()));
    let asks = asks
        || terms
            .first()
            .is_some_and(|it| ASKING.contains(&it.as_str()));
    let is_name = |at: &usize| read.words.get(*at).is_some_and(|it| it.is_capital);
    if !asks || or == 0 {
        return None;
    }
    let first = (0..or)
        .rev()
        .take_while(|at| is_name(at) && (*at + 1 == or || read.between(*at).trim().is_empty()));
    let first = first.last().unwrap_or(or - 1)..or;
    let mut start = or + 1;
    while read.words.get(start).is_some_and(|it| it.is_stop) {
        start += 1;
    }
    let last = (start..read.words.len())
        .take_while(|at| is_name(at) && (*at == start || read.between(*at - 1).trim().is_empty()));
    let last = start..last.last().unwrap_or(start) + 1;
    let joined = |range: std::ops::Range<usize>| {
        let words = read.words(&range).iter().map(|it| it.term.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    let choice = [joined(first), joined(last)];
    choice.iter().all(|it| !it.is_empty()).then_some(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_an_answer_is_read_off_the_question() {
        let choice = |a: &str, b: &str| Kind::Choice([a.to_owned(), b.to_owned()]);
        for (question, kind) in [
            ("Are both of them plants?", Kind::YesNo),
            ("who sang it", Kind::Name),
            ("How many episodes are there?", Kind::Number),
            ("What percentage of couples sleep apart?", Kind::Number),
            ("when did it come out", Kind::Date),
            ("It was founded in what year?", Kind::Date),
            ("what river is in Rome", Kind::Words),
            (
                "To which account do refunds go?",
                Kind::Literal(vec![LiteralKind::Iban, LiteralKind::Account]),
            ),
            (
                "Who was born earlier, Emma Bull or Virginia Woolf?",
                choice("emma bull", "virginia woolf"),
            ),
            (
                "Is he a left-hand or right-hand batsman?",
                choice("lefthand", "righthand"),
            ),
        ] {
            assert_eq!(Question::new(question).kind, kind, "{question}");
        }
    }

    #[test]
    fn what_a_question_is_about_are_the_words_that_tell_something() {
        let terms = Question::new("How many episodes are in season 4?").terms;
        assert_eq!(
            terms.into_iter().collect::<Vec<_>>(),
            ["4", "episod", "season"]
        );
        assert_eq!(Question::new("who is it?").terms.len(), 3);
    }
}
