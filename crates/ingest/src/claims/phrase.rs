//! Words, noun phrases and the names that subjects are made of.
//!
//! A name in a subject is in lower case, its words joined by `_`, of `a-z`, `0-9`, `_` and `-`, at
//! most 60 bytes. A domain keeps its parts apart (`acme.com` is `acme_com`) and an address its sign
//! (`jo@acme.com` is `jo_at_acme_com`), so two senders never share a name.

use std::ops::Range;
use std::sync::LazyLock;

use immune_model::Subject;
use regex::Regex;

/// Bytes of the longest name of an entity or a topic.
const NAME_BYTES_MAX: usize = 60;
/// Words of the longest noun phrase.
const PHRASE_WORDS_MAX: usize = 9;

/// A word or a mark, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) lower: String,
    pub(super) span: Range<usize>,
}

impl Word<'_> {
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
    }

    fn is_mark(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }

    /// Whether it is written like a name: a capital first, or a mix that no common word has.
    pub(super) fn is_proper(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

/// The words and marks of a text.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[\p{L}\p{N}](?:[\p{L}\p{N}'’._/&@+-]*[\p{L}\p{N}])?(?:[sS]['’])?|\S")
            .expect("a tested pattern")
    });
    WORD.find_iter(text)
        .map(|it| Word {
            text: it.as_str(),
            lower: it.as_str().to_lowercase().replace('’', "'"),
            span: it.range(),
        })
        .collect()
}

/// Whose something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nobody is named.
    Nobody,
    /// The sender: `my`.
    Sender,
    /// Those the sender speaks for: `our`.
    Ours,
    /// Somebody named: `Acme's`.
    Named(String),
    /// `his`, `their`: whoever was named before.
    Before,
}

/// A noun phrase: `our new refund limit for vendors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) owner: Owner,
    /// The words up to the first preposition, without determiners and `new`.
    pub(super) head: Vec<String>,
    /// The words of what follows the preposition.
    pub(super) rest: Vec<String>,
    /// Whether every word of the head is written like a name.
    pub(super) is_proper: bool,
    /// Whether it starts with `the`.
    pub(super) is_definite: bool,
}

const DETERMINERS: &[&str] = &[
    "the", "a", "an", "this", "these", "those", "your", "its", "each", "every", "all", "any", "no",
    "some", "both",
];
const FRESHNESS: &[&str] = &[
    "new",
    "current",
    "latest",
    "updated",
    "revised",
    "correct",
    "actual",
    "exact",
    "old",
    "same",
    "following",
    "above",
    "attached",
];
const PREPOSITIONS: &[&str] = &[
    "of", "for", "on", "in", "at", "to", "over", "above", "under", "below", "with", "from", "by",
    "between", "per", "into", "about",
];
/// Words that no noun phrase holds: before them it starts.
const STOPPERS: &[&str] = &[
    "i",
    "you",
    "he",
    "she",
    "it",
    "they",
    "we",
    "me",
    "him",
    "them",
    "us",
    "who",
    "which",
    "what",
    "that",
    "there",
    "here",
    "if",
    "when",
    "because",
    "since",
    "while",
    "whether",
    "though",
    "although",
    "and",
    "or",
    "but",
    "so",
    "then",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "am",
    "has",
    "have",
    "had",
    "do",
    "does",
    "did",
    "will",
    "would",
    "shall",
    "should",
    "can",
    "could",
    "may",
    "might",
    "must",
    "not",
    "never",
    "please",
    "note",
    "just",
    "only",
    "also",
    "think",
    "believe",
    "know",
    "say",
    "says",
    "said",
    "told",
    "confirm",
    "confirmed",
    "hope",
    "understand",
    "see",
    "because",
    "as",
    "than",
    "until",
    "after",
    "before",
    "unless",
    "how",
    "why",
    "where",
    "everything",
    "everyone",
    "nothing",
    "something",
    "anything",
    "one",
    "however",
    "now",
    "today",
    "tomorrow",
    "yesterday",
    "once",
    "fyi",
    "hi",
    "hello",
    "dear",
    "thanks",
    "regards",
    "let",
    "yes",
    "ok",
    "okay",
    "sorry",
    "maybe",
    "perhaps",
    "according",
    "like",
    "except",
];
/// Heads that name nothing by themselves: whose total, which price?
const GENERIC: &[&str] = &[
    "total",
    "sum",
    "amount",
    "price",
    "cost",
    "value",
    "number",
    "figure",
    "rate",
    "balance",
    "payment",
    "result",
    "difference",
    "rest",
    "size",
    "volume",
    "bid",
    "offer",
    "term",
    "fee",
    "charge",
    "quantity",
    "date",
    "time",
    "deal",
    "contract",
    "project",
    "company",
    "account",
];
/// Heads of talk, not of things.
const TALK: &[&str] = &[
    "problem",
    "question",
    "answer",
    "issue",
    "idea",
    "point",
    "reason",
    "fact",
    "thing",
    "goal",
    "plan",
    "line",
    "key",
    "truth",
    "news",
    "way",
    "understanding",
    "preference",
    "guess",
    "thought",
    "thoughts",
    "opinion",
    "concern",
    "suggestion",
    "assumption",
    "view",
    "hope",
    "recommendation",
    "comment",
    "comments",
    "feeling",
    "sense",
    "bad",
    "purpose",
    "intent",
    "intention",
    "trick",
    "upshot",
    "concept",
    "objective",
    "lot",
    "bunch",
    "couple",
    "kind",
    "sort",
    "only",
    "other",
    "first",
    "second",
    "third",
    "last",
    "next",
    "latter",
    "former",
    "whole",
    "best",
    "worst",
    "message",
    "email",
    "e-mail",
    "mail",
    "letter",
    "call",
    "note",
    "summary",
    "status",
    "stuff",
];

/// The noun phrase that ends before the word at `end`, if one does.
pub(super) fn before(words: &[Word<'_>], end: usize) -> Option<Phrase> {
    let mut start = end;
    while let Some(word) = start.checked_sub(1).and_then(|at| words.get(at)) {
        let possessive = word.lower.ends_with("'s") || word.lower.ends_with("s'");
        let stops = word.is_mark() && !word.is(&["$", "£", "€", "#", "%", "&"]);
        if stops || word.is(STOPPERS) || end - start >= PHRASE_WORDS_MAX {
            break;
        }
        start -= 1;
        if possessive || word.is(OWNERS) {
            // `Acme's limit`: the name of the owner goes on before it.
            if possessive {
                start = name_start(words, start);
            }
            break;
        }
    }
    let mut found = words.get(start..end)?;
    // `On Monday the price`: what stands before the determiner is no part of it.
    if found.first().is_some_and(|it| it.is(PREPOSITIONS)) {
        let determiner = found.iter().rposition(|it| it.is(&["the", "our", "my"]))?;
        found = found.get(determiner..)?;
    }
    phrase(found)
}

const OWNERS: &[&str] = &["our", "my", "his", "her", "their", "your"];

fn name_start(words: &[Word<'_>], end: usize) -> usize {
    let mut start = end;
    while let Some(word) = start.checked_sub(1).and_then(|at| words.get(at)) {
        if word.is_mark() || !word.is_proper() || word.is(STOPPERS) || word.is(DETERMINERS) {
            break;
        }
        start -= 1;
    }
    start
}

/// The noun phrase of these words.
pub(super) fn phrase(words: &[Word<'_>]) -> Option<Phrase> {
    let mut owner = Owner::Nobody;
    let mut head: Vec<&Word<'_>> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    let mut is_definite = false;
    let mut in_rest = false;
    for word in words {
        let stem = word
            .lower
            .strip_suffix("'s")
            .or_else(|| word.lower.strip_suffix('\'').filter(|it| it.ends_with('s')));
        match word.lower.as_str() {
            "our" => owner = Owner::Ours,
            "my" => owner = Owner::Sender,
            "his" | "her" | "their" => owner = Owner::Before,
            "the" if head.is_empty() => is_definite = true,
            _ if word.is_mark() || word.is(DETERMINERS) => {}
            _ if word.is(PREPOSITIONS) => in_rest |= !head.is_empty(),
            _ if stem.is_some() && !in_rest => {
                let mut name: Vec<&str> = head.iter().map(|it| it.text).collect();
                let own = word.text.get(..stem.map_or(0, str::len)).unwrap_or("");
                name.push(own);
                owner = Owner::Named(name_of(&name.join(" "))?);
                head.clear();
            }
            _ if in_rest => rest.push(word.lower.clone()),
            _ if word.is(FRESHNESS) => {}
            _ => head.push(word),
        }
    }
    let last = head.last()?;
    if last.is(TALK) || (head.len() == 1 && last.text.chars().count() < 2) {
        return None;
    }
    Some(Phrase {
        owner,
        is_proper: head.iter().all(|it| it.is_proper()),
        head: head.iter().map(|it| it.lower.clone()).collect(),
        rest,
        is_definite,
    })
}

impl Phrase {
    /// The last word of the head: what it is.
    pub(super) fn noun(&self) -> &str {
        self.head.last().map_or("", String::as_str)
    }

    /// The name of the topic: what follows the preposition, then the head, the last word in the
    /// singular: `price of gas` is `gas_price`.
    pub(super) fn topic(&self) -> Option<String> {
        let mut head = self.head.clone();
        if let Some(last) = head.last_mut() {
            *last = singular(last);
        }
        let words: Vec<String> = self.rest.iter().cloned().chain(head).collect();
        name_of(&words.join(" "))
    }

    /// The name of the head alone, for a policy over all of a kind: `refunds over $500` is `refund`.
    pub(super) fn kind(&self) -> Option<String> {
        let mut head = self.head.clone();
        if let Some(last) = head.last_mut() {
            *last = singular(last);
        }
        name_of(&head.join(" "))
    }

    /// Whether the topic alone does not say which one is meant.
    pub(super) fn is_generic(&self) -> bool {
        self.rest.is_empty()
            && self.head.len() == 1
            && GENERIC.contains(&singular(self.noun()).as_str())
    }

    /// The head without this noun, with what follows the preposition: `gas` of `price of gas`.
    pub(super) fn without_noun(&self) -> Option<String> {
        let head = self.head.split_last().map_or(&[][..], |(_, before)| before);
        let words: Vec<String> = self.rest.iter().chain(head).cloned().collect();
        name_of(&words.join(" "))
    }
}

/// The singular of an English noun, near enough for a key.
pub(super) fn singular(word: &str) -> String {
    if word.len() <= 3 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["ches", "shes", "sses", "xes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// The name of a phrase in a subject, or nothing if no letter or digit is left.
pub(super) fn name_of(text: &str) -> Option<String> {
    let mut name = String::new();
    for character in text.to_lowercase().chars() {
        match character {
            'a'..='z' | '0'..='9' => name.push(character),
            '-' if !name.is_empty() && !name.ends_with(['-', '_']) => name.push('-'),
            '@' => name.push_str("_at_"),
            '\'' => {}
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    if name.len() > NAME_BYTES_MAX {
        let cut = name.get(..NAME_BYTES_MAX)?;
        name = cut
            .rsplit_once('_')
            .map_or(cut, |(whole, _)| whole)
            .to_owned();
    }
    let name = name.trim_matches(['_', '-']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The subject `entity/topic.attribute`, the entity left out if there is none.
pub(super) fn subject(entity: Option<&str>, topic: &str, attribute: &str) -> Option<Subject> {
    let key = format!("{topic}.{attribute}");
    let whole = match entity {
        Some(entity) => format!("{entity}/{key}"),
        None => key,
    };
    Subject::new(&whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Phrase> {
        let words = words(text);
        before(&words, words.len())
    }

    #[test]
    fn names_are_short_and_never_shared_by_two_senders() {
        for (text, name) in [
            ("Acme Ltd.", "acme_ltd"),
            ("acme.com", "acme_com"),
            ("a-b.com", "a-b_com"),
            ("Jo@Acme.com", "jo_at_acme_com"),
            ("e-dash", "e-dash"),
            ("December gas", "december_gas"),
            ("Müller", "m_ller"),
        ] {
            assert_eq!(name_of(text).as_deref(), Some(name), "{text}");
        }
        assert_eq!(name_of("…"), None);
        assert_eq!(name_of(&"word ".repeat(50)).unwrap().len(), 59);
    }

    #[test]
    fn a_phrase_has_owner_head_and_rest() {
        let it = read("so our new refund limits for vendors").unwrap();
        assert_eq!(it.owner, Owner::Ours);
        assert_eq!(it.topic().as_deref(), Some("vendors_refund_limit"));
        assert_eq!(it.kind().as_deref(), Some("refund_limit"));
        let it = read("I think that Acme Ltd's bank account").unwrap();
        assert_eq!(it.owner, Owner::Named("acme_ltd".to_owned()));
        assert_eq!(it.topic().as_deref(), Some("bank_account"));
        let it = read("On Monday the price of gas").unwrap();
        assert_eq!(it.topic().as_deref(), Some("gas_price"));
        assert!(read("it").is_none());
        assert!(read("the problem").is_none());
        assert!(read("On Monday").is_none());
        assert!(read("the total").unwrap().is_generic());
    }
}
