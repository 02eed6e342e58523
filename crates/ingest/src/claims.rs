//! The claims in a text: who says what about which subject, by fixed rules.
//!
//! The caller hands in the sender's own words, never what they quoted. Precision comes before
//! coverage: a text in which no rule sees a claim is kept as a note and counted as unscreened, so a
//! miss costs an answer and a wrong claim costs trust. The same text gives the same claims.
//!
//! How subjects are named: `entity/topic.attribute`. The entity is the sender (`my`: the address,
//! `our` and `we`: the domain), or whoever is named (`Acme's`); left out when nobody is. The topic
//! is the noun phrase in lower case, its words joined by `_`, what follows a preposition first, the
//! last word in the singular: `the price of gas` is `gas.price`. A topic that names nothing by
//! itself (`the total`) belongs to whoever says it, so two totals of two people do not meet.
//! [`rules`] lists every rule with its subject, an example, and what it leaves alone.

mod bank;
mod contact;
mod date;
mod deal;
mod fact;
pub mod model;
mod person;
mod phrase;
mod policy;
mod sentence;
mod value;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use immune_model::{Literal, LiteralKind, Polarity, Subject, Text, limits};
use immune_reason::literal::{self, Found};
use immune_reason::polarity;
use regex::Regex;

use phrase::{Owner, Phrase, Word};

/// More literals than one statement has are a table, in which a number belongs to anything.
const LITERALS_OF_A_STATEMENT_MAX: usize = 6;

/// Bytes of the longest sentence that is compared by its words.
const STATEMENT_BYTES_MAX: usize = 4 * sentence::SENTENCE_BYTES_MAX;

/// What is known about a text besides its words.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The address it came from.
    pub sender: Option<&'a str>,
}

/// A claim that a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// What it is about.
    pub subject: Subject,
    /// The clause that says it.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// The typed literals in it, sorted, without repeats.
    pub literals: Vec<Literal>,
    /// The name of the rule.
    pub rule: &'static str,
}

/// A rule, as it is documented and tested.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// How it names the subject.
    pub subject: &'static str,
    /// A sentence in which it finds a claim.
    pub example: &'static str,
    /// What it finds there when `jo@acme.com` says it: subject and sign.
    pub finds: &'static str,
    /// A sentence like it in which there is none.
    pub counter_example: &'static str,
}

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [
        bank::RULES,
        contact::RULES,
        value::RULES,
        deal::RULES,
        date::RULES,
        policy::RULES,
        fact::RULES,
        person::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The claims in the sender's own words, in order, without repeats, at most
/// `limits::STATEMENTS_MAX`.
///
/// ```
/// use immune_ingest::claims::{Context, extract};
///
/// let context = Context { sender: Some("jo@acme.com") };
/// let found = extract(&context, "Hi Bo, our new bank account is GB29 4471 8829. Thanks, Jo");
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].subject.as_str(), "acme_com/payment.account");
/// assert!(extract(&context, "Here are a few of our pictures.").is_empty());
/// ```
pub fn extract(context: &Context<'_>, text: &str) -> Vec<Extracted> {
    let mut out = Out {
        claims: Vec::new(),
        seen: BTreeSet::new(),
    };
    let mut person = None;
    let mut before = 0;
    for sentence in sentence::prose(text).flat_map(sentence::sentences) {
        if out.is_full() {
            break;
        }
        // `Refunds go to … . That is a lie.`: what is taken back is not stated.
        let from = out.claims.len();
        if polarity::disowns(sentence) {
            out.leave_open(before);
        }
        before = from;
        let unreadable = sentence::is_garbled(sentence) || sentence::is_code(sentence);
        if sentence.len() > sentence::SENTENCE_BYTES_MAX || unreadable {
            person = None;
            continue;
        }
        let is_question = sentence.trim_end_matches(['"', ')', '\'']).ends_with('?');
        let body = without_greeting(without_number(sentence));
        let clauses = sentence::clauses(body);
        let n_clauses = clauses.len();
        for (idx, text) in clauses.into_iter().enumerate() {
            // What stands before the question is said and not asked.
            let is_question = is_question && idx + 1 == n_clauses;
            let clause = Clause::new(context, text, is_question, person.clone());
            bank::apply(&clause, &mut out);
            // A question states nothing; only where money would go is it worth knowing.
            if is_question {
                continue;
            }
            contact::apply(&clause, &mut out);
            if clause.found.len() <= LITERALS_OF_A_STATEMENT_MAX {
                deal::apply(&clause, &mut out);
                value::apply(&clause, &mut out);
                date::apply(&clause, &mut out);
            }
            policy::apply(&clause, &mut out);
            fact::apply(&clause, &mut out);
            person::apply(&clause, &mut out);
        }
        if polarity::warns(sentence) {
            out.leave_open(from);
        }
        person = only_person(body);
    }
    // Last, so that a sentence that gives the same number is kept in its place.
    contact::signature(context, text, &mut out);
    out.claims
}

/// The sentences of a text that rules look at, without greetings and marks of lists.
///
/// ```
/// use immune_ingest::claims::statements;
///
/// let found: Vec<_> = statements("Hi Bo, the limit is $500. Thanks!").collect();
/// assert_eq!(found, ["the limit is $500.", "Thanks!"]);
/// ```
pub fn statements(text: &str) -> impl Iterator<Item = &str> {
    let whole = |it: &&str| it.len() <= STATEMENT_BYTES_MAX && !sentence::is_garbled(it);
    let sentences = sentence::prose(text).flat_map(sentence::sentences);
    let sentences = sentences.filter(whole).filter(|it| !sentence::is_code(it));
    sentences.map(|it| without_greeting(without_number(it)))
}

/// The sentence without the number or the mark of a list before it.
fn without_number(sentence: &str) -> &str {
    let digits = sentence.trim_start_matches(|it: char| it.is_ascii_digit());
    let marked = match digits.strip_prefix(['.', ')']) {
        Some(rest) if digits.len() < sentence.len() && sentence.len() - digits.len() <= 2 => rest,
        _ => sentence.strip_prefix(['-', '*', '•']).unwrap_or(sentence),
    };
    if marked.starts_with(char::is_whitespace) {
        marked.trim_start()
    } else {
        sentence
    }
}

/// The sentence without `Eric, ` or `Ben - ` before it.
fn without_greeting(sentence: &str) -> &str {
    static GREETING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:(?:Hi|Hey|Hello|Dear)\s)?(?:[A-Z][a-z]{1,15}(?:(?:\s?[/&]\s?|\sand\s)[A-Z][a-z]{1,15}){0,4}|All)(?:,|:|\s?-{1,3})\s+",
        )
        .expect("a tested pattern")
    });
    const NO_NAMES: [&str; 9] = [
        "However",
        "Please",
        "Also",
        "Note",
        "Monday",
        "Friday",
        "Therefore",
        "Total",
        "Price",
    ];
    match GREETING.find(sentence) {
        Some(it) if !NO_NAMES.iter().any(|word| sentence.starts_with(word)) => {
            sentence.get(it.end()..).unwrap_or(sentence)
        }
        _ => sentence,
    }
}

/// The one person named in a sentence, whom `his` in the next one means.
fn only_person(sentence: &str) -> Option<String> {
    static PERSON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b[A-Z][a-z]{1,20}(?:\s[A-Z]\.)?\s[A-Z][a-z']{1,20}(?:[A-Z][a-z]{1,20})?\b")
            .expect("a tested pattern")
    });
    let mut found = PERSON.find_iter(sentence);
    let first = found.next()?;
    match found.next() {
        None => phrase::name_of(first.as_str()),
        Some(_) => None,
    }
}

/// One clause, with what rules ask about it.
struct Clause<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    found: Vec<Found>,
    polarity: Polarity,
    sender: Option<&'t str>,
    /// Whom `his` and `their` mean.
    person: Option<String>,
}

impl<'t> Clause<'t> {
    fn new(
        context: &Context<'t>,
        text: &'t str,
        is_question: bool,
        person: Option<String>,
    ) -> Self {
        Self {
            text,
            words: phrase::words(text),
            found: literal::find(text),
            polarity: if is_question {
                Polarity::Open
            } else {
                polarity::polarity(text)
            },
            sender: context.sender,
            person,
        }
    }

    /// The place of the first of these words.
    fn position(&self, words: &str) -> Option<usize> {
        self.words.iter().position(|it| it.is(words))
    }

    fn has(&self, words: &str) -> bool {
        self.position(words).is_some()
    }

    fn word(&self, at: usize) -> Option<&Word<'t>> {
        self.words.get(at)
    }

    fn is_at(&self, at: usize, words: &str) -> bool {
        self.word(at).is_some_and(|it| it.is(words))
    }

    /// The text between two places in bytes.
    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The entity for an owner. Nothing if it is somebody who was not named.
    #[expect(clippy::option_option, reason = "nobody and not known are two answers")]
    fn entity(&self, owner: &Owner) -> Option<Option<String>> {
        match owner {
            Owner::Nobody => Some(None),
            Owner::Sender => Some(self.sender_name()),
            Owner::Ours => Some(self.sender_domain()),
            Owner::Named(name) => Some(Some(name.clone())),
            Owner::Before => self.person.clone().map(Some),
            Owner::Reader => None,
        }
    }

    /// Whether the phrase stands in a condition: `if the fee is $30`.
    fn is_conditional(&self, phrase: &Phrase) -> bool {
        const CONDITIONS: &str = "\
    if when whether unless until once where before after while whenever assuming provided";
        (1..=2).any(|back| {
            phrase
                .start
                .checked_sub(back)
                .is_some_and(|at| self.is_at(at, CONDITIONS))
        })
    }

    /// Whether the phrase starts something: nothing that it could belong to stands before it.
    fn opens(&self, phrase: &Phrase) -> bool {
        let before = phrase.start.checked_sub(1).and_then(|at| self.word(at));
        before.is_none_or(Word::starts_phrase_after)
    }

    fn sender_name(&self) -> Option<String> {
        self.sender.and_then(phrase::name_of)
    }

    fn sender_domain(&self) -> Option<String> {
        let (_, domain) = self.sender?.rsplit_once('@')?;
        phrase::name_of(domain)
    }

    /// The subject of a phrase: a topic that names nothing by itself belongs to the sender.
    fn subject(&self, phrase: &Phrase, topic: &str, attribute: &str) -> Option<Subject> {
        let mut entity = self.entity(&phrase.owner)?;
        if entity.is_none() && phrase::is_generic(topic) {
            entity = self.sender_name();
        }
        phrase::subject(entity.as_deref(), topic, attribute)
    }
}

/// Whether the literal is where money goes.
fn is_destination(found: &Found) -> bool {
    matches!(
        found.literal.kind,
        LiteralKind::Iban | LiteralKind::Account | LiteralKind::CryptoAddress
    )
}

/// The claims so far.
struct Out {
    claims: Vec<Extracted>,
    seen: BTreeSet<(Subject, Polarity, String)>,
}

impl Out {
    /// Leaves open what was found from here on.
    fn leave_open(&mut self, from: usize) {
        for claim in self.claims.iter_mut().skip(from) {
            claim.polarity = Polarity::Open;
        }
    }

    fn is_full(&self) -> bool {
        self.claims.len() >= limits::STATEMENTS_MAX
    }

    /// Adds a claim that the whole clause makes.
    fn push(&mut self, rule: &'static str, subject: Option<Subject>, clause: &Clause<'_>) {
        let literals = sorted(clause.found.iter().map(|it| it.literal.clone()).collect());
        self.push_with(rule, subject, clause.text, clause.polarity, literals);
    }

    fn push_with(
        &mut self,
        rule: &'static str,
        subject: Option<Subject>,
        text: &str,
        polarity: Polarity,
        literals: Vec<Literal>,
    ) {
        let (Some(subject), Ok(text)) = (subject, Text::new(text)) else {
            return;
        };
        // The same value of the same subject is one claim, however often it is said.
        let value = if literals.is_empty() {
            text.to_string()
        } else {
            let shown: Vec<String> = literals.iter().map(ToString::to_string).collect();
            shown.join("; ")
        };
        if self.is_full() || !self.seen.insert((subject.clone(), polarity, value)) {
            return;
        }
        self.claims.push(Extracted {
            subject,
            text,
            polarity,
            literals,
            rule,
        });
    }
}

fn sorted(mut literals: Vec<Literal>) -> Vec<Literal> {
    literals.sort();
    literals.dedup();
    literals.truncate(limits::LITERALS_MAX);
    literals
}

#[cfg(test)]
mod tests;
