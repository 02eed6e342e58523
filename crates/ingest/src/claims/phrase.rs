//! Words, noun phrases and the names that subjects are made of.
//!
//! A name in a subject is in lower case, its words joined by `_`, of `a-z`, `0-9`, `_` and `-`, at
//! most 60 bytes. A domain keeps its parts apart (`acme.com` is `acme_com`) and an address its sign
//! (`jo@acme.com` is `jo_at_acme_com`), so two senders never share a name.

use std::ops::Range;
use std::sync::LazyLock;

use immune_model::Subject;
use regex::Regex;
use unicode_normalization::UnicodeNormalization;

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
    /// Whether it is one of the words of a list, which are parted by spaces.
    pub(super) fn is(&self, words: &str) -> bool {
        listed(words, &self.lower)
    }

    fn is_mark(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }

    /// Whether a phrase may start after it: it is a mark, or a word that no phrase holds.
    pub(super) fn starts_phrase_after(&self) -> bool {
        self.is_mark() || self.is(STOPPERS)
    }

    fn is_possessive(&self) -> bool {
        self.lower.ends_with("'s") || (self.lower.ends_with('\'') && self.lower.len() > 2)
    }

    /// Whether it is written like a name: a capital first, or a mix that no common word has.
    pub(super) fn is_proper(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

/// Whether a word is in a list of words parted by spaces.
pub(super) fn listed(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}

/// The words and marks of a text.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[\p{L}\p{N}]+(?:['’._/&@+-][\p{L}\p{N}]+)*(?:['’]\B)?|\S")
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
    /// `your`: whoever reads it, who is not known here.
    Reader,
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
    /// The place of its first word in the clause.
    pub(super) start: usize,
}

const DETERMINERS: &str = "the a an this these those your its each every all any no some both";
const FRESHNESS: &str = "\
    new current latest updated revised correct actual exact old same following above \
    attached";
const PREPOSITIONS: &str =
    "of for on in at to over above under below with from by between per into about";
/// Words that no noun phrase holds: before them it starts.
const STOPPERS: &str = "\
    i you he she it they we me him them us who which what that there here if when because \
    since while whether though although and or but so then is are was were be been am has \
    have had do does did will would shall should can could may might must not never please \
    just only also think believe know say says said told confirm confirmed hope understand \
    see because as than until after before unless how why where everything everyone nothing \
    something anything one however now today tomorrow yesterday once fyi hi hello dear \
    effective immediately note thanks regards let yes ok okay sorry maybe perhaps according like except";
/// Heads that name nothing by themselves: whose total, which price?
const GENERIC: &str = "\
    total sum amount price cost value number figure rate balance payment result difference rest \
    size volume bid offer term fee charge quantity date time deal contract project company \
    two three four five account settle transaction new all other budget draft version model";
/// Heads of talk, not of things.
const TALK: &str = "\
    problem question answer issue idea point reason fact thing goal plan line key truth news \
    way understanding preference guess thought thoughts opinion concern suggestion \
    assumption view hope recommendation comment comments feeling sense bad purpose intent \
    intention trick upshot concept objective lot bunch couple kind sort only other first \
    second third last next latter former whole best worst message email e-mail note status \
    stuff determination knowledge recollection";

/// The noun phrase that ends before the word at `end`, if one does.
pub(super) fn before(words: &[Word<'_>], end: usize) -> Option<Phrase> {
    let word_at = |at: usize| words.get(at);
    let mut start = end;
    while let Some(word) = start.checked_sub(1).and_then(word_at) {
        let stops = word.is_mark() && !word.is("$ £ € # % &");
        // `May 1st` is a day, and no verb.
        let month = word.text == "May"
            && word_at(start).is_some_and(|it| it.text.starts_with(|it: char| it.is_ascii_digit()));
        if stops || (word.is(STOPPERS) && !month) || end - start >= PHRASE_WORDS_MAX {
            break;
        }
        start -= 1;
        let earlier = start.checked_sub(1).and_then(word_at);
        let follows_preposition = earlier.is_some_and(|it| it.is(PREPOSITIONS));
        if word.is_possessive() {
            // `Acme's limit`: the name of the owner goes on before it.
            start = name_start(words, start);
            break;
        }
        // A determiner starts a phrase, unless the phrase hangs on the one before it.
        let letter = word.text == "A" && earlier.is_some_and(Word::is_proper);
        if (word.is(OWNERS) || word.is(DETERMINERS)) && !follows_preposition && !letter {
            break;
        }
    }
    let mut found = words.get(start..end)?;
    if found.first().is_some_and(|it| it.is(PREPOSITIONS)) {
        // `On Monday the price`; elsewhere the phrase belongs to something that is not seen here.
        let opens = start == 0 || word_at(start - 1).is_some_and(Word::is_mark);
        let determiner = found.iter().rposition(|it| it.is("the our my"))?;
        let hangs = determiner > 0
            && found
                .get(determiner - 1)
                .is_some_and(|it| it.is(PREPOSITIONS));
        if !opens || hangs {
            return None;
        }
        start += determiner;
        found = found.get(determiner..)?;
    }
    let mut phrase = phrase(found)?;
    phrase.start = start;
    Some(phrase)
}

/// The words before the noun at `at` that belong to it alone: `a current book value` of it.
pub(super) fn compound(words: &[Word<'_>], at: usize) -> Option<Phrase> {
    let mut start = at;
    while let Some(word) = start.checked_sub(1).and_then(|it| words.get(it)) {
        if word.is_mark() || word.is(STOPPERS) || word.is(PREPOSITIONS) || word.is(DETERMINERS) {
            break;
        }
        start -= 1;
    }
    let mut phrase = phrase(words.get(start..=at)?)?;
    phrase.start = start;
    Some(phrase)
}

const OWNERS: &str = "our my his her their your";
/// Words on `-ly` that name something.
const NOUNS_ON_LY: &str = "supply family july anomaly assembly reply monopoly";
/// What is said of a thing without telling which: `an estimated cost`.
const ESTIMATES: &str = "\
    estimated fixed net average final nice approximate expected average initial possible \
    similar small large big additional further";
const MONTHS_AND_UNITS: &str = "month months year years day days week weeks period hour hours";

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
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        // `mail forwarded by Marie`: what was done to it stands after it.
        let done = word.lower.ends_with("ed") && next.is_some_and(|it| it.is(PREPOSITIONS));
        match word.lower.as_str() {
            "our" if head.is_empty() => owner = Owner::Ours,
            "my" if head.is_empty() => owner = Owner::Sender,
            "his" | "her" | "their" if head.is_empty() => owner = Owner::Before,
            "your" if head.is_empty() => owner = Owner::Reader,
            "the" if head.is_empty() => is_definite = true,
            // `Device A` is a name.
            "a" if word.is_proper() && !head.is_empty() => head.push(word),
            _ if word.is_mark() || word.is(DETERMINERS) || word.is(OWNERS) => {}
            _ if word.is(PREPOSITIONS) || (done && !head.is_empty()) => in_rest |= !head.is_empty(),
            _ if word.is_possessive() && !in_rest => {
                let mut name: Vec<&str> = head.iter().map(|it| it.text).collect();
                name.push(
                    word.text
                        .trim_end_matches(['s', 'S'])
                        .trim_end_matches(['\'', '’']),
                );
                owner = Owner::Named(name_of(&name.join(" "))?);
                head.clear();
            }
            _ if word.lower.ends_with("ly") && !word.is(NOUNS_ON_LY) => {}
            _ if in_rest => rest.push(word.lower.clone()),
            _ if word.is(FRESHNESS) => {}
            _ => head.push(word),
        }
    }
    let last = head.last()?;
    let n_numbers = head
        .iter()
        .filter(|it| it.text.starts_with(|it: char| it.is_ascii_digit()))
        .count();
    // Talk, a participle, a code of one letter, and a row of a table name nothing.
    let empty = last.is(TALK)
        || (head.len() == 1
            && (last.text.chars().count() < 2 || last.lower.ends_with("ed") || last.is("it its")))
        || n_numbers > 1
        || head.len() > 6;
    (!empty).then(|| Phrase {
        owner,
        is_proper: head.iter().all(|it| it.is_proper()),
        head: head.iter().map(|it| it.lower.clone()).collect(),
        rest,
        is_definite,
        start: 0,
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
        let words: Vec<String> = self
            .rest
            .iter()
            .take(REST_WORDS_MAX)
            .cloned()
            .chain(self.singular_head())
            .collect();
        topic_of(&words)
    }

    /// The name of the head alone, for a policy over all of a kind: `refunds over $500` is `refund`.
    pub(super) fn kind(&self) -> Option<String> {
        topic_of(&self.singular_head())
    }

    fn singular_head(&self) -> Vec<String> {
        let mut head = self.head.clone();
        if let Some(last) = head.last_mut() {
            *last = singular(last);
        }
        head
    }

    /// The head without this noun, with what follows the preposition: `gas` of `price of gas`.
    pub(super) fn without_noun(&self) -> Option<String> {
        let head = self.head.split_last().map_or(&[][..], |(_, before)| before);
        let words: Vec<String> = self
            .rest
            .iter()
            .take(REST_WORDS_MAX)
            .chain(head)
            .cloned()
            .collect();
        topic_of(&words)
    }

    /// The phrase without words that do not tell which one is meant.
    pub(super) fn without_estimates(mut self) -> Self {
        self.head.retain(|it| !listed(ESTIMATES, it));
        self
    }

    /// Whether it is only a length of time.
    pub(super) fn is_period(&self) -> bool {
        listed(MONTHS_AND_UNITS, self.noun())
    }
}

/// Whether a topic alone does not say which one is meant.
pub(super) fn is_generic(topic: &str) -> bool {
    topic.split('_').all(|word| listed(GENERIC, word))
}

/// The most words that are taken from behind a preposition; the head is what the topic is.
const REST_WORDS_MAX: usize = 4;

/// The name of a topic; it holds a letter, or it is a number from a table.
fn topic_of(words: &[String]) -> Option<String> {
    name_of(&words.join(" ")).filter(|name| name.bytes().any(|it| it.is_ascii_alphabetic()))
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
    // Accents are no part of a name: `Müller` and `Muller` are written for the same person.
    for character in text.nfkd().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => name.push(character),
            '-' if !name.is_empty() && !name.ends_with(['-', '_']) => name.push('-'),
            '@' => name.push_str("_at_"),
            '\'' | '’' => {}
            _ if unicode_normalization::char::is_combining_mark(character) => {}
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
            ("Müller", "muller"),
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
        assert!(is_generic(&read("the total").unwrap().topic().unwrap()));
        assert_eq!(
            read("as follows: Vossler The total settlement amount")
                .unwrap()
                .topic()
                .as_deref(),
            Some("total_settlement_amount")
        );
        assert_eq!(
            read("the end of the earlier period")
                .unwrap()
                .topic()
                .as_deref(),
            Some("earlier_period_end")
        );
        assert!(read("as of the end of the period").is_none());
        assert_eq!(read("0.10 Princeton 0.18 phase"), None);
    }
}
