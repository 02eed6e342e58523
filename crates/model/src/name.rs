//! Names that people and programs give: memories, channels, handles, subjects, areas, runs.
//!
//! A name is accepted everywhere or refused at the first call: UTF-8 of 1 to
//! `limits::NAME_BYTES_MAX` bytes without control characters. Subjects and areas are compared in
//! lower case and hold no white space.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::limits;

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// No characters, or only white space.
    #[error("the {what} is empty")]
    Empty {
        /// Which name it is.
        what: &'static str,
    },
    /// Past `limits::NAME_BYTES_MAX`.
    #[error("the {what} has {found} bytes, the limit is {limit}")]
    TooLong {
        /// Which name it is.
        what: &'static str,
        /// Its size in bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A character that this name may not hold.
    #[error("the {what} holds `{found}` at byte {at}", found = .character.escape_default())]
    Character {
        /// Which name it is.
        what: &'static str,
        /// The character.
        character: char,
        /// Its offset in bytes.
        at: usize,
    },
    /// A subject or area that is not written as `entity/area.attribute`.
    #[error("the {what} `{word}` has an empty part; write it like `vendor/acme.iban`")]
    EmptyPart {
        /// Which name it is.
        what: &'static str,
        /// The word as it was given.
        word: String,
    },
}

fn check(what: &'static str, word: &str, allowed: fn(char) -> bool) -> Result<(), NameError> {
    if word.trim().is_empty() {
        return Err(NameError::Empty { what });
    }
    if word.len() > limits::NAME_BYTES_MAX {
        let limit = limits::NAME_BYTES_MAX;
        return Err(NameError::TooLong {
            what,
            found: word.len(),
            limit,
        });
    }
    match word
        .char_indices()
        .find(|&(_, character)| character.is_control() || !allowed(character))
    {
        Some((at, character)) => Err(NameError::Character {
            what,
            character,
            at,
        }),
        None => Ok(()),
    }
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The name, checked and otherwise as it was given.
            pub fn new(word: &str) -> Result<Self, NameError> {
                check($what, word, |_| true)?;
                Ok(Self(word.into()))
            }

            /// The characters.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(word: &str) -> Result<Self, NameError> {
                Self::new(word)
            }
        }
    )*};
}

names! {
    /// The name of one isolated memory.
    MemoryName "memory name";
    /// The name of a channel, unique in its memory.
    ChannelName "channel name";
    /// The handle of a source, unique in its channel: a sender address, a host, an agent's name.
    Handle "source handle";
    /// What kind of action: `refund.payout`.
    Kind "action kind";
    /// One execution of one agent, as its caller names it.
    RunId "run id";
    /// What a graph that was imported calls an item; unique in its memory.
    Alias "alias";
}

/// A part of one memory in which beliefs are told apart; the root when nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Namespace(Option<Arc<str>>);

impl Namespace {
    /// The namespace that is meant when none is named.
    pub const ROOT: Self = Self(None);

    /// The namespace of this name; the empty name is the root.
    pub fn new(word: &str) -> Result<Self, NameError> {
        if word.is_empty() {
            return Ok(Self::ROOT);
        }
        check("namespace", word, |_| true)?;
        Ok(Self(Some(word.into())))
    }

    /// The characters; empty for the root.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    /// Whether `other` is this one or lies below it: `team/alice` below `team`, all below the
    /// root, `teams` not below `team`.
    pub fn covers(&self, other: &Self) -> bool {
        let Some(prefix) = self.0.as_deref() else {
            return true;
        };
        let rest = other.as_str().strip_prefix(prefix);
        rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    }
}

/// What a claim is about: `entity/area.attribute`, entity optional, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject(Arc<str>);

impl Subject {
    /// The subject, checked and folded to lower case.
    pub fn new(word: &str) -> Result<Self, NameError> {
        const WHAT: &str = "subject";
        // Folding may lengthen a word: what is checked is what is kept.
        let word = &word.to_lowercase();
        check(WHAT, word, |character| !character.is_whitespace())?;
        let key = word.rsplit_once('/').map_or(word.as_str(), |(_, key)| key);
        let entity = word.rsplit_once('/').map(|(entity, _)| entity);
        if key.split('.').any(str::is_empty) || entity.is_some_and(str::is_empty) {
            return Err(NameError::EmptyPart {
                what: WHAT,
                word: word.to_owned(),
            });
        }
        Ok(Self(word.as_str().into()))
    }

    /// The subject of what is about nothing that is named: an imported belief without one.
    pub fn none() -> Self {
        Self("-".into())
    }

    /// Whether this is [`Subject::none`].
    pub fn is_none(&self) -> bool {
        &*self.0 == "-"
    }

    /// The whole key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whom it is about, if anybody: `acme` of `acme/refund.destination`.
    pub fn entity(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(entity, _)| entity)
    }

    /// The key without the entity: `refund.destination`.
    pub fn key(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, key)| key)
    }

    /// The area, in which reputations are kept: `refund` of `refund.destination`; a key without a
    /// period is its own area.
    pub fn area(&self) -> &str {
        self.key()
            .rsplit_once('.')
            .map_or(self.key(), |(area, _)| area)
    }

    /// The attribute: `destination` of `refund.destination`.
    pub fn attribute(&self) -> &str {
        self.key()
            .rsplit_once('.')
            .map_or(self.key(), |(_, attribute)| attribute)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Subject {
    type Err = NameError;

    fn from_str(word: &str) -> Result<Self, NameError> {
        Self::new(word)
    }
}

/// The subjects that a system of record speaks for: `*`, one key, or `refund.*`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(Arc<str>);

impl Area {
    /// The area, checked and folded to lower case. A `*` may only be the last part.
    pub fn new(word: &str) -> Result<Self, NameError> {
        const WHAT: &str = "area";
        let word = &word.to_lowercase();
        check(WHAT, word, |character| !character.is_whitespace())?;
        if word.split(['.', '/']).any(str::is_empty) {
            return Err(NameError::EmptyPart {
                what: WHAT,
                word: word.to_owned(),
            });
        }
        let stem = word.strip_suffix('*').unwrap_or(word);
        let bounded = stem.is_empty() || stem.ends_with(['.', '/']) || stem.len() == word.len();
        if let Some(at) = stem.find('*').or((!bounded).then_some(stem.len())) {
            return Err(NameError::Character {
                what: WHAT,
                character: '*',
                at,
            });
        }
        Ok(Self(word.as_str().into()))
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this subject lies in the area. A pattern without an entity covers every entity.
    pub fn covers(&self, subject: &Subject) -> bool {
        let subject = if self.0.contains('/') {
            subject.as_str()
        } else {
            subject.key()
        };
        match self.0.strip_suffix('*') {
            Some(stem) => subject.starts_with(stem),
            None => subject == &*self.0,
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Area {
    type Err = NameError;

    fn from_str(word: &str) -> Result<Self, NameError> {
        Self::new(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_accepted_and_long_or_broken_ones_refused_at_once() {
        for word in [
            "session-agent:main:main",
            "a b",
            "a/b%",
            &"x".repeat(300),
            "日本",
        ] {
            assert_eq!(MemoryName::new(word).unwrap().as_str(), word);
        }
        assert!(matches!(MemoryName::new(" "), Err(NameError::Empty { .. })));
        assert!(matches!(
            MemoryName::new("a\0"),
            Err(NameError::Character { at: 1, .. })
        ));
        assert!(MemoryName::new(&"x".repeat(512)).is_ok());
        assert!(matches!(
            MemoryName::new(&"x".repeat(513)),
            Err(NameError::TooLong { .. })
        ));
    }

    #[test]
    fn a_subject_has_entity_area_and_attribute() {
        let subject = Subject::new("Acme/Refund.Destination").unwrap();
        assert_eq!(subject.as_str(), "acme/refund.destination");
        assert_eq!(subject.entity(), Some("acme"));
        assert_eq!(
            (subject.area(), subject.attribute()),
            ("refund", "destination")
        );
        assert_eq!(
            Subject::new("vendor.acme.iban").unwrap().area(),
            "vendor.acme"
        );
        assert_eq!(Subject::new("color").unwrap().area(), "color");
        for word in ["", ".", "a.", "/a", "a b", "a..b"] {
            assert!(Subject::new(word).is_err(), "{word}");
        }
        assert!(
            Subject::new(&"Ⱥ".repeat(250)).is_err(),
            "500 bytes, 750 in lower case"
        );
    }

    #[test]
    fn an_area_covers_its_subjects_and_no_others() {
        let covers = |area: &str, subject: &str| {
            Area::new(area)
                .unwrap()
                .covers(&Subject::new(subject).unwrap())
        };
        assert!(covers("*", "a/b.c"));
        assert!(covers("refund.*", "refund.destination"));
        assert!(covers("refund.*", "acme/refund.destination"));
        assert!(covers("acme/*", "acme/refund.destination"));
        assert!(!covers("acme/*", "bolt/refund.destination"));
        assert!(!covers("refund.*", "refunds.destination"));
        assert!(!covers("refund.destination", "refund.destination_check"));
        for word in ["", "re*", "*.x", "a.*.b", "a..*", " "] {
            assert!(Area::new(word).is_err(), "{word}");
        }
    }
}
