//! Real mail of twelve people, in two halves: what was looked at, and what the figures are of.
//!
//! Tables as `StavC/Here-Comes-the-AI-Worm` has them (Enron is public record): a row a mail, a file
//! a person. Invariant: no text is in both halves, and none is twice in one.

use std::collections::BTreeSet;
use std::path::Path;

use immune_testkit::random::Random;

/// Mails among which something is looked for, and letters of the words by which it is.
const LOOKED_THROUGH: usize = 24;
const LONG_WORD: usize = 5;

/// A mail that somebody wrote.
#[derive(Debug, Clone)]
pub(super) struct Mail {
    pub(super) from: String,
    pub(super) text: String,
}

/// The mails of both halves of the people.
#[derive(Debug, Default)]
pub(super) struct Mails {
    /// Every other person, the first one included: thresholds were looked at on these.
    looked_at: Vec<Mail>,
    /// The others.
    kept: Vec<Mail>,
}

/// The mails of one half. What agents write in their own words is from the others: it is not in
/// what they read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half<'a> {
    pub(super) mails: &'a [Mail],
    others: &'a [Mail],
}

impl<'a> Half<'a> {
    /// Its first mails.
    pub(super) fn first(self, n: usize) -> Self {
        Self {
            mails: self.mails.get(..n).unwrap_or(self.mails),
            ..self
        }
    }

    /// Any of its mails.
    pub(super) fn any(self, random: &mut Random) -> Option<&'a Mail> {
        self.mails.get(random.below(self.mails.len().max(1)))
    }

    /// Of some of its mails, the one that shares the most long words with this one.
    pub(super) fn found(self, mail: &Mail, random: &mut Random) -> Option<&'a Mail> {
        let long = |text: &'a String| text.split_whitespace().filter(|it| it.len() > LONG_WORD);
        let words: BTreeSet<&str> = mail.text.split_whitespace().collect();
        let shared = |it: &&'a Mail| {
            let words: BTreeSet<&str> = long(&it.text).filter(|it| words.contains(it)).collect();
            words.len()
        };
        let some: Vec<&'a Mail> = (0..LOOKED_THROUGH)
            .filter_map(|_| self.any(random))
            .collect();
        let others = some.into_iter().filter(|it| it.text != mail.text);
        others.max_by_key(shared)
    }

    /// What an agent writes in its own words: the beginning of a mail of somebody.
    pub(super) fn own_words(self, random: &mut Random) -> String {
        let mail = self.others.get(random.below(self.others.len().max(1)));
        let text = mail.map_or("", |it| it.text.as_str());
        let words = text.split_whitespace().take(20);
        words.collect::<Vec<_>>().join(" ")
    }
}

impl Mails {
    /// The half that thresholds were looked at on.
    pub(super) fn looked_at(&self) -> Half<'_> {
        Half {
            mails: &self.looked_at,
            others: &self.kept,
        }
    }

    /// The half of the figures.
    pub(super) fn kept(&self) -> Half<'_> {
        Half {
            mails: &self.kept,
            others: &self.looked_at,
        }
    }

    /// How many different texts there are.
    pub(super) fn len(&self) -> usize {
        self.looked_at.len() + self.kept.len()
    }
}

/// Reads a folder; says what is not there.
pub(super) fn read(folder: &Path) -> Result<Mails, String> {
    let absent = || format!("no tables of mail in `{}`", folder.display());
    let entries = fs_err::read_dir(folder).map_err(|_| absent())?;
    let paths = entries.filter_map(|it| it.ok().map(|it| it.path()));
    let mut paths: Vec<_> = paths
        .filter(|it| it.extension().is_some_and(|it| it == "csv"))
        .collect();
    paths.sort();
    if paths.is_empty() {
        return Err(absent());
    }
    let mut mails = Mails::default();
    let mut seen = BTreeSet::new();
    for half in 0..2 {
        for path in paths.iter().skip(half).step_by(2) {
            let mut table = csv::Reader::from_path(path).map_err(|it| it.to_string())?;
            let head = table.headers().map_err(|it| it.to_string())?.clone();
            let at = |name: &str| head.iter().position(|it| it == name);
            let (Some(text), Some(from)) = (at("payload"), at("from")) else {
                return Err(format!("`{}` has no payload and from", path.display()));
            };
            for row in table.records() {
                let row = row.map_err(|it| it.to_string())?;
                let cell = |at: usize| row.get(at).unwrap_or_default().trim().to_owned();
                let text = cell(text).trim_matches('"').to_owned();
                if text.is_empty() || !seen.insert(text.clone()) {
                    continue;
                }
                let mail = Mail {
                    from: cell(from),
                    text,
                };
                match half {
                    0 => mails.looked_at.push(mail),
                    _ => mails.kept.push(mail),
                }
            }
        }
    }
    Ok(mails)
}

/// The sentences of a text, roughly; what has no end is one.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let parts = text.split_inclusive(['.', '!', '?', '\n']);
    // A full stop inside a number or an address ends nothing.
    let mut found: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for part in parts {
        end += part.len();
        let after = text.get(end..).unwrap_or_default();
        let ends = after.is_empty() || after.starts_with(char::is_whitespace);
        if ends || part.ends_with('\n') {
            found.extend(text.get(start..end).map(str::trim));
            start = end;
        }
    }
    found.retain(|it| !it.is_empty());
    found
}
