//! What a statement denies and affirms in plain words, for pairs that no subject brings together.
//!
//! For [`super::relate_apart`] alone. It reads English by closed lists, like `polarity`: a sentence
//! is cut into segments, a segment that denies an experience, a possession or a liking becomes
//! [`Denial`]s (one for each thing that is denied), a segment that asserts becomes an
//! [`Assertion`]. What is asked, wanted, planned or supposed is neither. Two statements gainsay
//! each other where somebody asserts what the same one denies: the same deed, of the same thing.
//! Pure and linear in the text.

use std::collections::BTreeSet;

use crate::literal;
use crate::normal::normal;
use crate::polarity::words::{self, Token, is};

use super::stem::{same_deed, stem, stems};
use super::verbs;

/// A statement in words, read once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The stems of its words without its literals and its negators.
    topic: BTreeSet<String>,
    /// Its normal form.
    normal: String,
    denials: Vec<Denial>,
    assertions: Vec<Assertion>,
}

/// Whose deed it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Actor {
    /// `I`, `we`: whoever speaks.
    Speaker,
    /// Somebody or something named, by the last word of the name.
    Named(String),
}

/// That somebody never did something, has none of it, or does not like it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Denial {
    actor: Actor,
    /// The stem of the verb.
    deed: String,
    /// What it would have been done to: the last noun of the phrase.
    object: String,
    /// Every word that tells it apart, the object among them.
    words: BTreeSet<String>,
}

/// What somebody did, has or likes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Assertion {
    actor: Actor,
    /// The stems of the segment, in order, from the actor on.
    words: Vec<String>,
}

impl Said {
    /// Reads a statement.
    pub fn read(text: &str) -> Self {
        let mut said = Self {
            topic: topic(text),
            normal: normal(text),
            ..Self::default()
        };
        for sentence in words::sentences(text) {
            let segments = segments(&sentence.tokens);
            let n_segments = segments.len();
            for (idx, segment) in segments.into_iter().enumerate() {
                // Only what is asked at the end makes the sentence a question: `I sent it, is it
                // there?` says that it was sent.
                let asked = sentence.is_question && (idx + 1 == n_segments);
                if !asked && !asks(segment) {
                    said.read_segment(segment);
                }
            }
        }
        said
    }

    /// Whether one denies what the other asserts.
    pub fn gainsays(&self, other: &Self) -> bool {
        denies(&self.denials, &other.assertions) || denies(&other.denials, &self.assertions)
    }

    /// Whether four of five words besides literals stand in both, and there are at least two.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let longer = self.topic.len().max(other.topic.len());
        let shorter = self.topic.len().min(other.topic.len());
        if shorter < 2 || shorter * 5 < longer * 4 {
            return false;
        }
        let shared = self.topic.intersection(&other.topic).count();
        shared >= 2 && shared * 5 >= longer * 4
    }

    /// Whether both are the same words.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.normal == other.normal
    }

    fn read_segment(&mut self, segment: &[Token]) {
        let Some((actor, from)) = actor(segment) else {
            return;
        };
        let rest = segment.get(from..).unwrap_or(&[]);
        if let Some((at, deed)) = negator(rest) {
            let scope = rest.get(at..).unwrap_or(&[]);
            self.denials.extend(denials(&actor, deed, scope));
            return;
        }
        if rest.iter().any(|it| is(it, verbs::UNREAL)) || words_deny(rest) {
            return;
        }
        let words: Vec<String> = rest.iter().flat_map(|it| stems(it.text())).collect();
        if !words.is_empty() {
            self.assertions.push(Assertion { actor, words });
        }
    }
}

/// The stems of a text without its literals and its negators.
fn topic(text: &str) -> BTreeSet<String> {
    let mut rest = text.to_owned();
    for found in literal::find(text).into_iter().rev() {
        rest.replace_range(found.span, " ");
    }
    let words = normal(&rest);
    words.split(' ').flat_map(stems).collect()
}

/// Parts of a sentence that say something each: parted by marks, by conjunctions, and by `and`
/// before a new subject.
fn segments(tokens: &[Token]) -> Vec<&[Token]> {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let opens = next.is_some_and(|it| is(it, verbs::OPENING));
        let parts = is(token, verbs::CONJUNCTIONS)
            || (token.is_comma() && opens)
            || (token.is_word("and") && opens);
        if parts {
            all.push(tokens.get(start..at).unwrap_or(&[]));
            start = at + 1;
        }
    }
    all.push(tokens.get(start..).unwrap_or(&[]));
    all.retain(|it| it.iter().any(|token| !token.is_comma()));
    all
}

/// Whether a segment asks or orders: it starts with a verb or a word of asking.
fn asks(segment: &[Token]) -> bool {
    let first = segment.iter().find(|it| !it.is_comma());
    first.is_some_and(|it| is(it, verbs::ASKING))
}

/// Who acts, and where what is said of it starts.
fn actor(segment: &[Token]) -> Option<(Actor, usize)> {
    if let Some(at) = segment.iter().position(|it| is(it, "i we")) {
        return Some((Actor::Speaker, at + 1));
    }
    // `My sister visited`: the last noun before the verb; the first word is no verb.
    let verb = segment
        .iter()
        .skip(1)
        .position(|it| is(it, words::AUXILIARIES) || it.is_word("never") || is_verb(it))?
        + 1;
    let name = segment.get(..verb)?.iter().rev();
    let noun = name
        .filter(|it| !it.is_comma())
        .find_map(|it| stems(it.text()).pop())?;
    Some((Actor::Named(noun), verb))
}

/// Where the negator of a deed ends, and the deed if the negator holds it: `have no`, `hate`.
fn negator(rest: &[Token]) -> Option<(usize, Option<&'static str>)> {
    let word = |at: usize| rest.get(at);
    for (at, token) in rest.iter().enumerate().take(6) {
        let next = |words: &str| word(at + 1).is_some_and(|it| is(it, words));
        if token.is_word("never") {
            return Some((at + 1, None));
        }
        if token.is_word("not") && at > 0 && word(at - 1).is_some_and(|it| is(it, verbs::HELPING)) {
            // `not only`, `not sure`, `did not have to`: nothing is denied of a deed.
            return (!next("only just sure necessarily until")).then_some((at + 1, None));
        }
        if is(token, "have has had") && next("no") {
            return Some((at + 2, Some("have")));
        }
        if is(token, verbs::HATING) {
            return Some((at + 1, Some("like")));
        }
    }
    None
}

/// Whether a negator stands where [`negator`] does not look: what is said is not a plain fact.
fn words_deny(rest: &[Token]) -> bool {
    let denying = |it: &Token| it.is_word("not") || it.is_word("no") || is(it, words::NEVER);
    rest.iter().any(|it| denying(it) || is(it, words::NOBODY))
}

/// What a scope denies: one thing for each part of `routes or requests`.
fn denials(actor: &Actor, deed: Option<&str>, scope: &[Token]) -> Vec<Denial> {
    let end = scope
        .iter()
        .position(|it| it.is_comma() || is(it, verbs::SCOPE_ENDS));
    let scope = scope.get(..end.unwrap_or(scope.len())).unwrap_or(&[]);
    let mut found = Vec::new();
    let mut last_deed = deed.map(stem);
    for part in scope.split(|it| is(it, "or nor and")) {
        let content: Vec<&Token> = part
            .iter()
            .skip_while(|it| is(it, verbs::ADVERBS))
            .collect();
        let Some(first) = content.first() else {
            continue;
        };
        let own = deed.is_none() && (last_deed.is_none() || is_verb(first));
        let object = if own {
            // `never had to wait`, `did not want it`: nothing is denied of the world.
            let obliged =
                is(first, "had have has") && content.get(1).is_some_and(|it| it.is_word("to"));
            if is(first, verbs::NO_DEEDS) || obliged {
                return found;
            }
            last_deed = Some(stem(first.text()));
            content.get(1..).unwrap_or(&[])
        } else {
            content.as_slice()
        };
        let Some(deed) = &last_deed else { continue };
        // The phrase of the object ends at its first preposition, what follows still tells it apart.
        let head = object
            .split(|it| is(it, verbs::PREPOSITIONS))
            .find_map(|it| {
                let nouns = it.iter().flat_map(|it| stems(it.text()));
                nouns.filter(|it| !verbs::is_general(it)).last()
            });
        let words: BTreeSet<String> = object
            .iter()
            .flat_map(|it| stems(it.text()))
            .filter(|it| !verbs::is_general(it))
            .collect();
        if let Some(object) = head {
            found.push(Denial {
                actor: actor.clone(),
                deed: deed.clone(),
                object,
                words,
            });
        }
    }
    found
}

/// Whether a word after `or` starts a deed of its own: `written routes or handled requests`.
fn is_verb(token: &Token) -> bool {
    words::is_participle(token) || verbs::is_known(&stem(token.text()))
}

fn denies(denials: &[Denial], assertions: &[Assertion]) -> bool {
    denials.iter().any(|denial| {
        let mut own = assertions.iter().filter(|it| it.actor == denial.actor);
        own.any(|it| it.does(denial))
    })
}

impl Assertion {
    /// Whether it asserts what is denied: the deed, the object, and most of what tells it apart.
    fn does(&self, denial: &Denial) -> bool {
        let deed = self.words.iter().position(|it| same_deed(it, &denial.deed));
        let Some(deed) = deed else { return false };
        let after = self.words.get(deed..).unwrap_or(&[]);
        let known = |word: &String| self.words.iter().any(|it| alike(it, word));
        let object = after.iter().any(|it| alike(it, &denial.object));
        let shared = denial.words.iter().filter(|it| known(it)).count();
        object && shared * 3 >= denial.words.len() * 2
    }
}

/// Whether two stems are forms of one word: `implement` and `implementation`.
fn alike(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let shorter = left.len().min(right.len());
    shorter >= 5 && (left.starts_with(right) || right.starts_with(left))
}
