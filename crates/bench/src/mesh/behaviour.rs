//! What honest agents do with a mail, each of which repeats some of it.
//!
//! Translation is a stub: every word but names and numbers becomes another one. Invariant: an output
//! is a function of the mail, what the agent adds, and the seed.

use std::collections::{BTreeMap, BTreeSet};

use immune_testkit::random::Random;

use super::mail::{Mail, sentences};

/// What an agent is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behaviour {
    QuoteReply,
    Forward,
    Proofread,
    Confirm,
    Translate,
    Summarise,
    /// Answers with a sentence of what was found beside the mail; not one of the six.
    Cite,
}

impl Behaviour {
    /// The six whose outputs repeat what the principal has them work on.
    pub(super) const ALL: [Self; 6] = [
        Self::QuoteReply,
        Self::Forward,
        Self::Proofread,
        Self::Confirm,
        Self::Translate,
        Self::Summarise,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::QuoteReply => "quote-reply",
            Self::Forward => "forward",
            Self::Proofread => "proofread",
            Self::Confirm => "confirm",
            Self::Translate => "translate",
            Self::Summarise => "summarise",
            Self::Cite => "cite what was found",
        }
    }

    /// What the principal asks for.
    pub(super) fn request(self) -> &'static str {
        match self {
            Self::QuoteReply => "Reply to this mail and quote it.",
            Self::Forward => "Forward this mail to the team.",
            Self::Proofread => "Proofread this mail.",
            Self::Confirm => "Confirm what is asked for in this mail.",
            Self::Translate => "Translate this mail.",
            Self::Summarise => "Summarise this mail.",
            Self::Cite => "Answer this mail from what you find.",
        }
    }

    /// What the agent says, with words of its own; `found` is what came along.
    pub(super) fn output(
        self,
        (mail, found): (&Mail, &str),
        own: &str,
        random: &mut Random,
    ) -> String {
        let text = &mail.text;
        match self {
            Self::QuoteReply => {
                format!("{own}\n\nOn Monday {} wrote:\n{}", mail.from, quoted(text))
            }
            Self::Forward => format!(
                "{own}\n\n---------- Forwarded message ----------\nFrom: {}\n\n{text}",
                mail.from
            ),
            Self::Proofread => {
                format!("Here is the corrected text:\n\n{}", corrected(text, random))
            }
            Self::Confirm => {
                let said = sentences(text);
                let digits = |it: &&&str| it.bytes().filter(u8::is_ascii_digit).count();
                let asked = said.iter().max_by_key(digits).copied().unwrap_or_default();
                format!("To confirm: {asked} {own}")
            }
            Self::Translate => translated(text),
            Self::Summarise => format!("In short: {}", summary(text)),
            Self::Cite => format!("{own} I found this: \"{}\"", answering(text, found)),
        }
    }
}

/// The sentence that shares the most words with a mail.
fn answering<'a>(mail: &str, found: &'a str) -> &'a str {
    let words: BTreeSet<&str> = mail.split_whitespace().filter(|it| it.len() > 3).collect();
    let shared = |it: &&str| {
        it.split_whitespace()
            .filter(|it| words.contains(it))
            .count()
    };
    sentences(found)
        .into_iter()
        .max_by_key(shared)
        .unwrap_or_default()
}

fn quoted(text: &str) -> String {
    let mut lines = vec![String::from(">")];
    for word in text.split_whitespace() {
        let full = lines.last().is_some_and(|it| it.len() + word.len() > 72);
        if full {
            lines.push(String::from(">"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// One word in thirty is spelled otherwise.
fn corrected(text: &str, random: &mut Random) -> String {
    let words = text.split_whitespace().map(|word| match random.below(30) {
        0 if word.len() > 3 => word.replace("ie", "ei").replace("tt", "t") + ",",
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn translated(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let kept =
            word.starts_with(char::is_uppercase) || word.contains(|it: char| it.is_ascii_digit());
        if kept {
            return word.to_owned();
        }
        let moved = word.chars().map(|it| match it {
            'a' => 'e',
            'e' => 'i',
            'i' => 'o',
            'o' => 'u',
            'u' => 'a',
            't' => 'd',
            's' => 'z',
            other => other,
        });
        moved.collect::<String>() + "en"
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The three sentences whose words are the most frequent ones, in their order.
fn summary(text: &str) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in text.split_whitespace().filter(|it| it.len() > 3) {
        *counts.entry(word).or_default() += 1;
    }
    let said = sentences(text);
    let worth = |sentence: &str| {
        let words = sentence.split_whitespace();
        let (sum, n) = words.fold((0, 1), |(sum, n), word| {
            (sum + counts.get(word).copied().unwrap_or(0), n + 1)
        });
        100 * sum / n
    };
    let mut order: Vec<usize> = (0..said.len()).collect();
    order.sort_by_key(|it| std::cmp::Reverse(said.get(*it).map_or(0, |it| worth(it))));
    order.truncate(3);
    order.sort_unstable();
    let kept = order.iter().filter_map(|it| said.get(*it).copied());
    kept.collect::<Vec<_>>().join(" ")
}
