//! Values as they are written in JSON: trust, times, ids, sources, literals.

use std::fmt::Write as _;

use immune_engine::reason::State;
use immune_model::shell::is_hostile;
use immune_model::{Instant, SourceId};
use serde::Serialize;

/// A trust value: a number from 0 to 1 with at most three decimals.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Trust(f64);

impl From<immune_model::Trust> for Trust {
    fn from(trust: immune_model::Trust) -> Self {
        // The quotient is the double nearest to the decimal, so it prints as the decimal.
        Self(f64::from(trust.thousandths()) / 1000.0)
    }
}

impl std::fmt::Display for Trust {
    /// As people read it: two decimals, or three where the third says something.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let three = format!("{:.3}", self.0);
        f.write_str(three.strip_suffix('0').unwrap_or(&three))
    }
}

/// A score in millionths as a number.
pub(crate) fn score(millionths: u64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a score is for people and for ordering; its first 15 digits say enough"
    )]
    let score = millionths as f64 / 1_000_000.0;
    score
}

/// A time as RFC 3339 in UTC.
pub(crate) fn time(at: Option<Instant>) -> Option<String> {
    at.map(|it| it.to_string())
}

/// Ids as strings.
pub(crate) fn ids<I: ToString>(ids: impl IntoIterator<Item = I>) -> Vec<String> {
    ids.into_iter().map(|it| it.to_string()).collect()
}

/// A source with its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceName {
    /// Its id.
    pub source: String,
    /// Its handle.
    pub handle: String,
    /// The channel in which it has that handle.
    pub channel: String,
}

impl SourceName {
    /// The names of a source; empty names if this state does not hold it.
    pub fn of(state: &State, id: SourceId) -> Self {
        let source = state.source(id);
        let channel = source.and_then(|it| state.channel(it.channel));
        Self {
            source: id.to_string(),
            handle: source.map_or_else(String::new, |it| it.handle.to_string()),
            channel: channel.map_or_else(String::new, |it| it.name.to_string()),
        }
    }
}

/// A typed literal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Literal {
    /// What it is: `iban`, `amount`.
    pub kind: &'static str,
    /// Its value in canonical form.
    pub value: String,
}

impl From<&immune_model::Literal> for Literal {
    fn from(literal: &immune_model::Literal) -> Self {
        Self {
            kind: literal.kind.name(),
            value: literal.value.to_string(),
        }
    }
}

pub(crate) fn literals(literals: &[immune_model::Literal]) -> Vec<Literal> {
    literals.iter().map(Into::into).collect()
}

/// The same JSON with every hostile character as an escape. They occur in strings only.
pub(crate) fn inert_json(json: &str) -> String {
    if !json.chars().any(is_hostile) {
        return json.to_owned();
    }
    let mut inert = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hostile(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(inert, "\\u{unit:04x}");
            }
        } else {
            inert.push(character);
        }
    }
    inert
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_has_at_most_three_decimals() {
        for thousandths in 0..=1000 {
            let trust = immune_model::Trust::from_thousandths(thousandths).unwrap();
            let json = serde_json::to_string(&Trust::from(trust)).unwrap();
            assert!(json.len() <= 5, "{json}");
            assert_eq!(json.parse::<immune_model::Trust>(), Ok(trust), "{json}");
        }
    }

    #[test]
    fn hostile_characters_are_escaped_and_read_back() {
        let text = "a\u{9b}31m\u{202e}b\u{e0041}\u{7f}é";
        let json = inert_json(&serde_json::to_string(text).unwrap());
        assert!(!json.chars().any(is_hostile), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
