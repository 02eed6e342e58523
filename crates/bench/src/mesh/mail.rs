//! Real mail of twelve people, in two halves: what was looked at, and what the figures are of.
//!
//! Tables as `StavC/Here-Comes-the-AI-Worm` has them (Enron is public record): a row a mail, a file
//! a person. Invariant: no text is in both halves, and none is twice in one.

use std::collections::BTreeSet;
use std::path::Path;

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
    pub(super) looked_at: Vec<Mail>,
    /// The others.
    pub(super) kept: Vec<Mail>,
}

impl Mails {
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
