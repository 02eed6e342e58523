//! What one memory offers as answers to a question.
//!
//! It depends on the question and on the words of that memory alone, never on what else is shown,
//! so that it is read once. How much a memory has to say is the sum over its sentences of the share
//! of the question's terms that are in them, the best one whole and each further one half of what
//! the one before counted. A sentence is taken together with the one before it, so that one that
//! says "he" is about whom that one names. A sentence that asks tells what the memory speaks of and
//! offers nothing; what stands alone behind one, or in the same sentence behind the question's own
//! words, is the reply to it.

use std::collections::BTreeSet;
use std::ops::Range;

use immune_model::{LiteralKind, Polarity};
use immune_reason::literal::{self, Found};
use immune_reason::polarity::polarity;

use super::key::{Key, key_of, plain_number};
use super::question::{Kind, Question};
use super::text::{Text, Word};

/// A sentence bears on a question if it has at least one of so many of the question's terms.
const BEARS_ONE_OF: usize = 3;
/// Most offers of one memory.
const OFFERS_MAX: usize = 8;
/// Words between capital letters that belong to a name.
const IN_NAMES: [&str; 10] = [
    "of", "the", "de", "da", "di", "del", "la", "van", "von", "der",
];
/// Words right before what is said not to be the answer.
const EXCLUDING: [&str; 8] = [
    "not", "than", "never", "nor", "neither", "unlike", "instead", "isn",
];
/// Words that deny something.
const DENYING: [&str; 8] = [
    "not", "never", "neither", "nor", "no", "none", "cannot", "nobodi",
];

/// A possible answer.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) key: Key,
    /// How it was written.
    pub(super) text: String,
    /// How much speaks for it in this memory.
    pub(super) weight: f64,
    /// What decides among offers for which as much speaks: the least.
    pub(super) rank: (usize, usize),
}

/// What of a sentence is looked at.
struct Part {
    /// The number of the sentence.
    number: usize,
    /// The words, without a question at its beginning.
    range: Range<usize>,
    /// How much speaks for what it offers.
    weight: f64,
    /// Whether it is the reply to a question.
    is_reply: bool,
}

/// What a memory offers, the best first.
pub(super) fn offers(question: &Question, memory: &str) -> Vec<Offer> {
    // A sentence cannot have what the whole memory does not, and most have nothing of a question.
    let held: BTreeSet<String> = immune_recall::terms(memory).into_iter().collect();
    if !bears(held.intersection(&question.terms).count(), question) {
        return Vec::new();
    }
    let read = Text::new(memory);
    let reading = Reading::new(question, &read);
    let mut offers = Vec::new();
    for number in 0..read.sentences.len() {
        reading.sentence(number, &mut offers);
    }
    offers.sort_by(|a: &Offer, b: &Offer| b.weight.total_cmp(&a.weight).then(a.rank.cmp(&b.rank)));
    // What a memory says again is said once.
    let mut distinct: Vec<Offer> = Vec::new();
    for offer in offers {
        if distinct.len() < OFFERS_MAX && !distinct.iter().any(|it| it.key == offer.key) {
            distinct.push(offer);
        }
    }
    distinct
}

/// A memory under a question.
struct Reading<'r> {
    question: &'r Question,
    read: &'r Text<'r>,
    /// Of each sentence with the one before it, how many of the question's terms are in it.
    covered: Vec<usize>,
    /// Whether the memory is a question and one sentence behind it.
    is_reply: bool,
    /// How much the memory has to say.
    weight: f64,
    literals: Vec<Found>,
}

impl<'r> Reading<'r> {
    fn new(question: &'r Question, read: &'r Text<'r>) -> Self {
        let held = read.sentences.iter().map(|sentence| {
            let terms = read.words(sentence).iter().map(|it| it.term.as_str());
            let terms: BTreeSet<&str> = terms.filter(|it| question.terms.contains(*it)).collect();
            terms
        });
        let held: Vec<BTreeSet<&str>> = held.collect();
        let asks: Vec<bool> = read
            .sentences
            .iter()
            .map(|it| asks(question, read, it))
            .collect();
        let is_reply = matches!(asks.as_slice(), [true, false]);
        let with_before = held.iter().enumerate().map(|(number, own)| {
            let before = number.checked_sub(1);
            let before = before.filter(|it| is_reply || asks.get(*it) == Some(&false));
            let before = before.and_then(|it| held.get(it));
            match asks.get(number) {
                Some(true) => 0,
                _ => before.map_or(own.len(), |it| own.union(it).count()),
            }
        });
        let covered: Vec<usize> = with_before.collect();
        let mut own: Vec<usize> = held.iter().map(BTreeSet::len).collect();
        own.sort_unstable_by(|a, b| b.cmp(a));
        let bears = covered.iter().any(|it| bears(*it, question));
        Self {
            weight: halving(own.into_iter().map(|it| share(it, question))),
            literals: if bears {
                literal::find(read.text)
            } else {
                Vec::new()
            },
            covered,
            is_reply,
            question,
            read,
        }
    }

    /// What one sentence offers.
    fn sentence(&self, number: usize, offers: &mut Vec<Offer>) {
        let covered = self.covered.get(number).copied().unwrap_or_default();
        let Some(sentence) = self.read.sentences.get(number) else {
            return;
        };
        if !bears(covered, self.question) {
            return;
        }
        // Beside the best sentence of this memory, another one counts by what it has of the question.
        let most = self.covered.iter().copied().max().unwrap_or(1).max(1);
        let range = self.behind_question(sentence);
        let part = Part {
            weight: self.weight * share_of(covered, most),
            is_reply: self.is_reply || range.start > sentence.start,
            range,
            number,
        };
        let typed = self.typed(&part, sentence);
        if typed.is_empty() || self.question.kind == Kind::Words {
            offers.extend(self.whole(&part));
        }
        offers.extend(typed);
    }

    /// What in a part is of the kind that is asked for; names, where no kind is.
    fn typed(&self, part: &Part, sentence: &Range<usize>) -> Vec<Offer> {
        let offer = |key, text: &str, rank| Offer {
            key,
            text: text.to_owned(),
            weight: part.weight,
            rank,
        };
        match &self.question.kind {
            Kind::YesNo => {
                let word = self.yes_or_no(sentence, &part.range);
                vec![offer(Key::Words(format!(" {word} ")), word, (0, 0))]
            }
            Kind::Choice(choice) => {
                let found = self.chosen(choice, &part.range).into_iter();
                let found = found.map(|it| {
                    let key = Key::words(self.read.words(&it));
                    offer(key, self.read.written(&it), (0, 0))
                });
                found.collect()
            }
            kind @ (Kind::Name | Kind::Words) => {
                // A sentence will do where no name is asked for, so names come behind it.
                let after = usize::from(*kind == Kind::Words);
                let names = self.names(&part.range).into_iter();
                let names = names.map(|(name, distance)| {
                    let key = Key::words(self.read.words(&name));
                    let rank = (after + self.oddness(&name), distance);
                    offer(key, self.read.written(&name), rank)
                });
                names.collect()
            }
            kind => {
                let found = self.literals(kind, &part.range).into_iter();
                let found = found.map(|(key, text, distance)| offer(key, &text, (0, distance)));
                found.collect()
            }
        }
    }

    /// The whole of a part: what stands behind a question is the answer to it, and a sentence may
    /// be one; where another kind is asked for it counts one half.
    fn whole(&self, part: &Part) -> Option<Offer> {
        let says = self.says(&part.range);
        if says.is_empty() {
            return None;
        }
        let is_words = self.question.kind == Kind::Words;
        let key = if part.is_reply && !is_words {
            Key::words(self.read.words(&part.range))
        } else {
            Key::sentence(&says)
        };
        let is_plain = part.is_reply || is_words;
        Some(Offer {
            key,
            text: self.read.written(&self.with_before(part)).to_owned(),
            weight: if is_plain {
                part.weight
            } else {
                part.weight / 2.0
            },
            // Of sentences that count alike, the later one is said with the others in mind.
            rank: (0, usize::MAX - part.number),
        })
    }

    /// A part with the sentence before it, where that has of the question what the part has not.
    fn with_before(&self, part: &Part) -> Range<usize> {
        let own = self.read.words(&part.range).iter();
        let own: BTreeSet<&String> = own
            .map(|it| &it.term)
            .filter(|it| self.question.terms.contains(*it))
            .collect();
        let covered = self.covered.get(part.number).copied().unwrap_or_default();
        let before = part.number.checked_sub(1);
        let before = before.and_then(|it| self.read.sentences.get(it));
        match before {
            Some(before) if !part.is_reply && own.len() < covered => before.start..part.range.end,
            _ => part.range.clone(),
        }
    }

    /// What a part says beyond the question.
    fn says(&self, range: &Range<usize>) -> BTreeSet<String> {
        says(self.question, self.read.words(range))
    }

    /// The part of a sentence behind the question, where it begins with the question itself.
    fn behind_question(&self, sentence: &Range<usize>) -> Range<usize> {
        let asked = &self.question.sequence;
        let words = self.read.words(sentence);
        let begins =
            words.len() > asked.len() && asked.iter().zip(words).all(|(it, word)| *it == word.term);
        let start = if begins {
            sentence.start + asked.len()
        } else {
            sentence.start
        };
        start..sentence.end
    }

    /// Yes or no: as a reply begins; else no where something is denied.
    fn yes_or_no(&self, sentence: &Range<usize>, range: &Range<usize>) -> &'static str {
        let words = self.read.words(range);
        let first = words.first().map(|it| it.term.as_str());
        let denies = |it: &Word| {
            let written = self.read.text.get(it.span.clone()).unwrap_or_default();
            DENYING.contains(&it.term.as_str())
                || written.ends_with("n't")
                || written.ends_with("n’t")
        };
        match first {
            Some("yes") => "yes",
            Some("no") => "no",
            _ if words.iter().any(denies) => "no",
            _ if polarity(self.read.written(sentence)) == Polarity::Denied => "no",
            _ => "yes",
        }
    }

    /// Which of two is named first.
    fn chosen(&self, choice: &[String; 2], range: &Range<usize>) -> Option<Range<usize>> {
        let named = choice.iter().filter_map(|of| {
            let terms: Vec<&str> = of.split(' ').collect();
            let words = self.read.words(range);
            let mut at = words.windows(terms.len());
            let at =
                at.position(|it| it.iter().zip(&terms).all(|(word, term)| word.term == *term))?;
            let at = range.start + at;
            (!self.is_excluded(at)).then_some(at..at + terms.len())
        });
        named.min_by_key(|it| it.start)
    }

    /// The names in a part that the question does not have, each with how far it is from the next
    /// word of the question.
    fn names(&self, range: &Range<usize>) -> Vec<(Range<usize>, usize)> {
        let words = &self.read.words;
        let is_capital = |at: usize| words.get(at).is_some_and(|it| it.is_capital);
        let joined = |at: usize| matches!(self.read.between(at), " " | ". ");
        let mut names = Vec::new();
        let mut at = range.start;
        while at < range.end {
            if !is_capital(at) {
                at += 1;
                continue;
            }
            let (mut end, mut next) = (at + 1, at + 1);
            while next < range.end && joined(next - 1) {
                let term = words.get(next).map_or("", |it| it.term.as_str());
                if is_capital(next) {
                    end = next + 1;
                } else if !IN_NAMES.contains(&term) {
                    break;
                }
                next += 1;
            }
            let name = self.trimmed(at..end);
            if !name.is_empty() && !self.is_excluded(name.start) {
                let distance = self.distance(&name, range);
                names.push((name, distance));
            }
            at = end;
        }
        names
    }

    /// How unlike the name of a person or a place a name is: such have several words, no article, and
    /// are not those to whom the next name belongs.
    fn oddness(&self, name: &Range<usize>) -> usize {
        let before = name
            .start
            .checked_sub(1)
            .and_then(|it| self.read.words.get(it));
        let has_article = before.is_some_and(|it| matches!(it.term.as_str(), "the" | "a" | "an"));
        let gap = self.read.between(name.end - 1);
        let owns = gap.starts_with("'s") || gap.starts_with("’s");
        usize::from(name.len() == 1) + usize::from(has_article) + usize::from(owns)
    }

    /// A name without the words at its ends that say little, or that the question has.
    fn trimmed(&self, mut name: Range<usize>) -> Range<usize> {
        let idle = |at: usize| {
            let word = self.read.words.get(at);
            word.is_none_or(|it| it.is_stop || self.question.terms.contains(&it.term))
        };
        while !name.is_empty() && idle(name.start) {
            name.start += 1;
        }
        while !name.is_empty() && idle(name.end - 1) {
            name.end -= 1;
        }
        name
    }

    /// How many words lie between some and the next one of the question.
    fn distance(&self, of: &Range<usize>, within: &Range<usize>) -> usize {
        let asked = within.clone().filter(|at| {
            let word = self.read.words.get(*at);
            !of.contains(at) && word.is_some_and(|it| self.question.terms.contains(&it.term))
        });
        let away = asked.map(|at| {
            if at < of.start {
                of.start - at
            } else {
                at + 1 - of.end
            }
        });
        away.min().unwrap_or(usize::MAX)
    }

    /// Whether it is said not to be what is asked for.
    fn is_excluded(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|it| self.read.words.get(it));
        before.is_some_and(|it| EXCLUDING.contains(&it.term.as_str()))
    }

    /// The literals of a part that are an answer of this kind and not in the question, as they were
    /// written, each with how far it is from the next word of the question.
    fn literals(&self, kind: &Kind, range: &Range<usize>) -> Vec<(Key, String, usize)> {
        let words = self.read.words(range);
        let span = words.first().zip(words.last());
        let Some((start, end)) = span.map(|(a, b)| (a.span.start, b.span.end)) else {
            return Vec::new();
        };
        let inside = |it: &&Found| start <= it.span.start && it.span.end <= end;
        let own: Vec<&Found> = self.literals.iter().filter(inside).collect();
        let mut found = Vec::new();
        for one in &own {
            let at = self.words_of(&one.span, range);
            let text = self.read.text.get(one.span.clone()).unwrap_or_default();
            let asked = self.question.literals.contains(&one.literal.to_string());
            if asked || self.is_excluded(at.start) {
                continue;
            }
            if let Some(key) = key_of(kind, one, text) {
                // Beside no word that says so, an account is digits.
                let text = match one.literal.kind {
                    LiteralKind::Account => format!("account {text}"),
                    _ => text.to_owned(),
                };
                found.push((key, text, self.distance(&at, range)));
            }
        }
        if !matches!(kind, Kind::Number | Kind::Date) {
            return found;
        }
        for at in range.clone() {
            let Some(word) = self.read.words.get(at) else {
                continue;
            };
            let taken = own
                .iter()
                .any(|it| it.span.start < word.span.end && word.span.start < it.span.end);
            if taken || self.question.terms.contains(&word.term) || self.is_excluded(at) {
                continue;
            }
            let text = self.read.text.get(word.span.clone()).unwrap_or_default();
            if let Some(key) = plain_number(kind, &word.term) {
                found.push((key, text.to_owned(), self.distance(&(at..at + 1), range)));
            }
        }
        found
    }

    /// The words of a part that a span lies over.
    fn words_of(&self, span: &Range<usize>, range: &Range<usize>) -> Range<usize> {
        let over = range.clone().filter(|at| {
            let word = self.read.words.get(*at);
            word.is_some_and(|it| it.span.start < span.end && span.start < it.span.end)
        });
        let over: Vec<usize> = over.collect();
        let first = over.first().copied().unwrap_or(range.start);
        first..over.last().map_or(first + 1, |it| it + 1)
    }
}

/// Whether a sentence is a question, or the question's own words.
fn asks(question: &Question, read: &Text<'_>, sentence: &Range<usize>) -> bool {
    let last = read.words.get(sentence.end - 1);
    let behind = last
        .and_then(|it| read.text.get(it.span.end..))
        .unwrap_or_default();
    let is_question = behind
        .trim_start_matches(['"', '\'', '”', '’', ')', ' '])
        .starts_with('?');
    let terms = read.words(sentence).iter().map(|it| &it.term);
    is_question || terms.eq(&question.sequence)
}

/// What words say beyond the question.
fn says(question: &Question, words: &[Word]) -> BTreeSet<String> {
    let words = words.iter();
    let words = words.filter(|it| !it.is_stop && !question.terms.contains(&it.term));
    words.map(|it| it.term.clone()).collect()
}

fn bears(covered: usize, question: &Question) -> bool {
    covered > 0 && BEARS_ONE_OF * covered >= question.terms.len()
}

fn share(covered: usize, question: &Question) -> f64 {
    share_of(covered, question.terms.len().max(1))
}

fn share_of(part: usize, whole: usize) -> f64 {
    let float = |it: usize| f64::from(u32::try_from(it).unwrap_or(u32::MAX));
    float(part) / float(whole)
}

/// The sum of these, the first whole and each further one half of what the one before counted.
pub(super) fn halving(values: impl Iterator<Item = f64>) -> f64 {
    let mut counts = 2.0;
    values
        .map(|it| {
            counts /= 2.0;
            it * counts
        })
        .sum()
}
