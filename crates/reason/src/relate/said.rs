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
    /// The stems of the verbs that would say it was done.
    deeds: Vec<String>,
    /// What it would have been done to: the last noun of the phrase.
    object: String,
    /// Every word that tells it apart, the object among them.
    words: BTreeSet<String>,
}

/// What somebody did, has or likes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Assertion {
    actor: Actor,
    /// The stems of what may be its verbs.
    deeds: BTreeSet<String>,
    /// What it calls its own: `my car`.
    owned: BTreeSet<String>,
    /// What it was done with: `with Terraform`, `using a loom`.
    means: BTreeSet<String>,
    /// The stems of all that the sentence asserts.
    words: BTreeSet<String>,
}

impl Denial {
    fn new(actor: &Actor, deeds: &[&str], object: &str, words: &BTreeSet<String>) -> Self {
        Self {
            actor: actor.clone(),
            deeds: deeds.iter().map(|it| (*it).to_owned()).collect(),
            object: object.to_owned(),
            words: words.clone(),
        }
    }
}

impl Said {
    /// Whether a text may deny something in the words that [`Said::gainsays`] goes by; cheap.
    pub(crate) fn may_deny(text: &str) -> bool {
        const MARKS: [&str; 11] = [
            "never", "not", "n't", "dont", "no ", "zero", "yet to", "hate", "dislike", "detest",
            "loathe",
        ];
        let holds = |mark: &str| {
            let mut places = text.as_bytes().windows(mark.len());
            places.any(|it| it.eq_ignore_ascii_case(mark.as_bytes()))
        };
        !text.is_ascii() || MARKS.iter().any(|it| holds(it))
    }

    /// Reads a statement.
    pub fn read(text: &str) -> Self {
        let mut said = Self {
            topic: topic(text),
            normal: normal(text),
            ..Self::default()
        };
        for sentence in words::sentences(text) {
            said.read_sentence(&sentence);
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

    /// The stems of its words.
    pub(crate) fn topic(&self) -> impl Iterator<Item = &str> {
        self.topic.iter().map(String::as_str)
    }

    /// Whether both are the same words.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.normal == other.normal
    }

    fn read_sentence(&mut self, sentence: &words::Sentence) {
        let segments = segments(&sentence.tokens);
        let n_segments = segments.len();
        let mut asserted: Vec<Assertion> = Vec::new();
        let mut stated: BTreeSet<String> = BTreeSet::new();
        let asking = segments.iter().any(|(_, it)| asks(it));
        for (idx, (lead, segment)) in segments.into_iter().enumerate() {
            // Only what is asked makes the sentence a question: `I sent it, is it there?` says
            // that it was sent, and so does `is it there, because I sent it?`.
            let asked = sentence.is_question && idx + 1 == n_segments && !asking;
            let supposed = lead.is_some_and(|it| is(it, verbs::SUPPOSING));
            if asked || supposed || asks(segment) {
                continue;
            }
            let own = sentence.tokens.iter().any(|it| is(it, "i we"));
            match read_segment(segment, own) {
                // `so I don't lose it` tells what for.
                Read::Denied(_) if lead.is_some_and(|it| it.is_word("so")) => {}
                Read::Denied(denials) => self.denials.extend(denials),
                Read::Asserted(assertion) => {
                    stated.extend(segment.iter().flat_map(|it| stems(it.text())));
                    asserted.extend(assertion);
                }
            }
        }
        for mut assertion in asserted {
            assertion.words.clone_from(&stated);
            self.assertions.push(assertion);
        }
    }
}

/// What one segment says.
enum Read {
    Denied(Vec<Denial>),
    Asserted(Vec<Assertion>),
}

fn read_segment(segment: &[Token], own: bool) -> Read {
    let owned = owned(segment);
    let Some((actor, from)) = actor(segment, own) else {
        return Read::Asserted(possession(owned));
    };
    let rest = segment.get(from..).unwrap_or(&[]);
    if let Some((at, deed)) = negator(rest) {
        let scope = rest.get(at..).unwrap_or(&[]);
        return Read::Denied(denials(&actor, deed, scope));
    }
    if words_deny(rest) {
        return Read::Denied(Vec::new());
    }
    // What is wanted or planned is no deed, but wanting it is; and `I used a board to plan` is one.
    let wanted = rest.iter().position(|it| is(it, verbs::UNREAL));
    let real = rest.iter().take(wanted.map_or(rest.len(), |it| it + 1));
    let before = segment.get(..from).unwrap_or(&[]);
    let gerunds = before.iter().filter(|it| it.text().ends_with("ing"));
    let mut deeds: BTreeSet<String> = real
        .clone()
        .chain(gerunds)
        .flat_map(|it| stems(it.text()))
        .collect();
    // Alone it is a verb, before another one it only helps.
    let helps = |it: &Token| words::is_participle(it) || is(it, "been to never not");
    let has = rest
        .windows(2)
        .any(|it| matches!(it, [verb, next] if is(verb, "have has had") && !helps(next)));
    if has {
        deeds.insert(stem("have"));
    }
    if deeds.is_empty() {
        return Read::Asserted(possession(owned));
    }
    // Who tries to do it with a thing uses the thing.
    let tried = |it: &Token| is(it, verbs::UNREAL) && !it.is_word("trying");
    let done = rest.iter().position(tried).unwrap_or(rest.len());
    let done = rest.get(..done).unwrap_or(&[]);
    let possessed = match actor {
        Actor::Speaker => Vec::new(),
        // `My bike has a flat tyre`: what it does is not what its owner does.
        Actor::Named(_) => possession(self::owned(before))
            .into_iter()
            .map(|it| Assertion {
                deeds: BTreeSet::new(),
                ..it
            })
            .collect(),
    };
    let assertion = Assertion {
        actor,
        deeds,
        owned,
        means: means(done),
        words: BTreeSet::new(),
    };
    Read::Asserted(std::iter::once(assertion).chain(possessed).collect())
}

/// What a deed was done with.
fn means(rest: &[Token]) -> BTreeSet<String> {
    let mut means = BTreeSet::new();
    for (at, _) in rest
        .iter()
        .enumerate()
        .filter(|(_, it)| is(it, "with using via through"))
    {
        let phrase = rest.iter().skip(at + 1).take(4);
        let phrase = phrase.take_while(|it| !it.is_comma() && !is(it, verbs::PREPOSITIONS));
        means.extend(phrase.flat_map(|it| stems(it.text())));
    }
    means
}

/// What the speaker calls an own thing or an own deed: `my car`, `our last meeting`.
fn owned(segment: &[Token]) -> BTreeSet<String> {
    let mut owned = BTreeSet::new();
    for (at, _) in segment
        .iter()
        .enumerate()
        .filter(|(_, it)| is(it, "my our"))
    {
        let next = segment.iter().skip(at + 1).take(2);
        owned.extend(next.flat_map(|it| stems(it.text())));
    }
    owned
}

/// That the speaker has what is called an own thing.
fn possession(owned: BTreeSet<String>) -> Vec<Assertion> {
    let assertion = (!owned.is_empty()).then(|| Assertion {
        actor: Actor::Speaker,
        deeds: owned.clone(),
        owned,
        means: BTreeSet::new(),
        words: BTreeSet::new(),
    });
    assertion.into_iter().collect()
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

/// Parts of a sentence that say something each, with the conjunction before them: parted by
/// conjunctions, and by a comma or an `and` before a new subject.
fn segments(tokens: &[Token]) -> Vec<(Option<&Token>, &[Token])> {
    let mut all = Vec::new();
    let (mut start, mut lead) = (0, None);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let opens = next.is_some_and(|it| is(it, verbs::OPENING));
        let parts = is(token, verbs::CONJUNCTIONS)
            || (is(token, "considering given as") && next.is_some_and(|it| is(it, "i we that my")))
            || (token.is_comma() && opens)
            || (token.is_word("and") && opens);
        if parts {
            all.push((lead, tokens.get(start..at).unwrap_or(&[])));
            (start, lead) = (at + 1, Some(token));
        }
    }
    all.push((lead, tokens.get(start..).unwrap_or(&[])));
    all.retain(|(_, it)| it.iter().any(|token| !token.is_comma()));
    all
}

/// Whether a segment asks or orders: it starts with a verb or a word of asking.
fn asks(segment: &[Token]) -> bool {
    let first = segment.iter().find(|it| !it.is_comma());
    first.is_some_and(|it| is(it, verbs::ASKING))
}

/// Who acts, and where what is said of it starts; `own` tells that the next clause is the
/// speaker's.
fn actor(segment: &[Token], own: bool) -> Option<(Actor, usize)> {
    if let Some(at) = segment.iter().position(|it| is(it, "i we")) {
        return Some((Actor::Speaker, at + 1));
    }
    // `After attending the class, I …`.
    if let [first, second, ..] = segment
        && is(first, "after by while since through")
        && second.text().ends_with("ing")
    {
        return own.then_some((Actor::Speaker, 1));
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
    for (at, token) in rest.iter().enumerate() {
        let next = |words: &str| word(at + 1).is_some_and(|it| is(it, words));
        let after = |words: &str| at > 0 && word(at - 1).is_some_and(|it| is(it, words));
        if token.is_word("never") {
            return Some((at + 1, None));
        }
        if token.is_word("yet") && next("to") && after("have has had") {
            return Some((at + 2, None));
        }
        // Further on it denies something that hangs on the deed.
        if at > 5 {
            continue;
        }
        if token.is_word("not") && after(verbs::HELPING) {
            // `not only`, `not sure`, `did not have to`: nothing is denied of a deed.
            return (!next("only just sure necessarily until")).then_some((at + 1, None));
        }
        if is(token, "have has had") && next("no zero") {
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
    // `never, in ten years, sold`.
    let scope = match scope {
        [first, rest @ ..] if first.is_comma() => {
            let after = rest.iter().position(Token::is_comma);
            after.and_then(|it| rest.get(it + 1..)).unwrap_or(&[])
        }
        _ => scope,
    };
    let end = scope
        .iter()
        .position(|it| it.is_comma() || is(it, verbs::SCOPE_ENDS));
    let scope = scope.get(..end.unwrap_or(scope.len())).unwrap_or(&[]);
    let mut found = Vec::new();
    let mut last_deed = deed.map(stem);
    for part in scope.split(|it| is(it, "or nor and")) {
        let adverb = |it: &Token| {
            is(it, verbs::ADVERBS) || (it.text().ends_with("ly") && it.text().len() > 4)
        };
        let skipped = part.iter().take_while(|it| adverb(it)).count();
        let mut rest = part.get(skipped..).unwrap_or(&[]);
        // `never been asked`, `never been using`.
        if let [first, second, ..] = rest
            && first.is_word("been")
            && (words::is_participle(second) || second.text().ends_with("ing"))
        {
            rest = rest.get(1..).unwrap_or(&[]);
        }
        let Some(first) = rest.first() else {
            continue;
        };
        if deed.is_none() && (last_deed.is_none() || is_verb(first)) {
            // `never had to wait`, `did not want it`: nothing is denied of the world.
            let obliged =
                is(first, "had have has") && rest.get(1).is_some_and(|it| it.is_word("to"));
            if is(first, verbs::NO_DEEDS) || obliged {
                return found;
            }
            last_deed = Some(stem(first.text()));
            rest = rest.get(1..).unwrap_or(&[]);
        }
        if let Some(deed) = &last_deed {
            found.extend(denied(actor, deed, rest));
        }
    }
    found
}

/// What is denied of a deed and its object, in the ways in which it could be asserted.
fn denied(actor: &Actor, deed: &str, object: &[Token]) -> Vec<Denial> {
    // `tools like saws`: neither tools nor saws.
    if let Some(at) = object.iter().position(|it| is(it, "like including")) {
        let of = |part: &[Token]| denied(actor, deed, part);
        let mut all = object.get(..at).map(of).unwrap_or_default();
        all.extend(object.get(at + 1..).map(of).unwrap_or_default());
        return all;
    }
    // The phrase of the object ends at its first preposition, what follows still tells it apart.
    let nouns: Vec<String> = object
        .split(|it| is(it, verbs::PREPOSITIONS))
        .filter_map(|it| {
            let nouns = it.iter().flat_map(|it| stems(it.text()));
            nouns.rev().find(|it| !verbs::is_general(it))
        })
        .collect();
    let words: BTreeSet<String> = object
        .iter()
        .flat_map(|it| stems(it.text()))
        .filter(|it| !verbs::is_general(it))
        .collect();
    let Some((head, others)) = nouns.split_first() else {
        return Vec::new();
    };
    let mut all = vec![Denial::new(actor, &[deed], head, &words)];
    // `had a meeting with Jo` is to meet Jo, and who has no experience with it has not used it.
    if let Some(with) = others.first() {
        let mut rest = words.clone();
        rest.remove(head);
        let deeds: &[&str] = if verbs::is_one_of(head, verbs::EXPERIENCE) {
            &["use", "work", "writ", "learn", "hav"]
        } else if verbs::is_one_of(head, verbs::TROUBLE) {
            &["struggl", "hav", "fac"]
        } else if verbs::is_one_of(deed, verbs::LIGHT) && verbs::is_known(head) {
            &[head]
        } else {
            &[]
        };
        if !deeds.is_empty() {
            all.push(Denial::new(actor, deeds, with, &rest));
        }
    }
    if *actor == Actor::Speaker {
        all.extend(by_others(deed, &nouns, &words));
    }
    all
}

/// Whom I never met never met me, and what I never got from somebody nobody gave.
fn by_others(deed: &str, nouns: &[String], words: &BTreeSet<String>) -> Vec<Denial> {
    let mut all = Vec::new();
    for other in nouns {
        let named = Actor::Named(other.clone());
        if verbs::is_one_of(deed, verbs::MUTUAL) {
            let deeds = [deed, "advis", "suggest", "tell"];
            all.push(Denial::new(&named, &deeds, other, words));
        }
        let head = nouns.first().filter(|it| *it != other);
        if let Some(head) = head.filter(|_| verbs::is_one_of(deed, verbs::GETTING)) {
            let deeds = ["giv", "send", "provid", "offer", "shar"];
            all.push(Denial::new(&named, &deeds, head, words));
        }
    }
    all
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
        let known = |word: &String| self.words.iter().any(|it| alike(it, word));
        if !known(&denial.object) {
            return false;
        }
        let shared = denial.words.iter().filter(|it| known(it)).count();
        if shared * 5 < denial.words.len() * 3 {
            return false;
        }
        let owned = || self.owned.iter().any(|it| alike(it, &denial.object));
        let by_means = || self.means.iter().any(|it| alike(it, &denial.object));
        denial.deeds.iter().any(|deed| {
            // The object is no deed: `my test` does not test the test.
            let mut deeds = self.deeds.iter().filter(|it| !alike(it, &denial.object));
            deeds.any(|it| same_deed(it, deed))
                || (verbs::is_one_of(deed, "have own") && owned())
                || (same_deed(deed, "use") && by_means())
        })
    }
}

/// Whether two stems are forms of one word: `implement` and `implementation`.
pub(super) fn alike(left: &str, right: &str) -> bool {
    if left == right || verbs::share_trouble(left, right) {
        return true;
    }
    let shorter = left.len().min(right.len());
    shorter >= 5 && (left.starts_with(right) || right.starts_with(left))
}
