//! Which column or field holds what: the usual names, and the map that overrules them.

use std::fmt;
use std::str::FromStr;

/// What a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// The text.
    Body,
    /// Who says it.
    Sender,
    /// To whom.
    Recipients,
    /// The subject line.
    Subject,
    /// When it was sent.
    Date,
    /// What it is called.
    Id,
}

impl Column {
    /// Every column.
    pub const ALL: [Self; 6] = [
        Self::Body,
        Self::Sender,
        Self::Recipients,
        Self::Subject,
        Self::Date,
        Self::Id,
    ];

    /// The word for it in a map.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Sender => "sender",
            Self::Recipients => "recipients",
            Self::Subject => "subject",
            Self::Date => "date",
            Self::Id => "id",
        }
    }

    /// The names under which it is found without a map, the most usual first.
    pub fn usual_names(self) -> &'static [&'static str] {
        match self {
            Self::Body => &["payload", "body", "text", "content", "message"],
            Self::Sender => &["from", "sender", "author"],
            Self::Recipients => &["to", "recipients"],
            Self::Subject => &["subject", "title"],
            Self::Date => &["date", "sent", "sent_at", "timestamp"],
            Self::Id => &["message-id", "message_id", "id"],
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A `column=name` that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// No `=`, or nothing after it.
    #[error("`{word}` maps no column; write it like `body=payload`")]
    NoName {
        /// The word as it was given.
        word: String,
    },
    /// Something else before the `=`.
    #[error(
        "`{word}` is no column; there are `body`, `sender`, `recipients`, `subject`, `date` and `id`"
    )]
    Unknown {
        /// What stands before the `=`.
        word: String,
    },
    /// Mapped before.
    #[error("`{column}` is mapped twice")]
    Twice {
        /// The column.
        column: Column,
    },
}

/// Which column holds what, where the usual names do not say it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnMap {
    names: Vec<(Column, String)>,
}

impl ColumnMap {
    /// The map of these words, each like `body=payload`.
    pub fn parse<W: AsRef<str>>(words: &[W]) -> Result<Self, ColumnError> {
        let mut names: Vec<(Column, String)> = Vec::new();
        for word in words {
            let (column, name) = word
                .as_ref()
                .split_once('=')
                .map(|(column, name)| (column.trim(), name.trim()))
                .filter(|(_, name)| !name.is_empty())
                .ok_or_else(|| ColumnError::NoName {
                    word: word.as_ref().to_owned(),
                })?;
            let column: Column = column.parse()?;
            if names.iter().any(|(it, _)| *it == column) {
                return Err(ColumnError::Twice { column });
            }
            names.push((column, name.to_owned()));
        }
        Ok(Self { names })
    }

    /// The name that a column is mapped to.
    pub fn name(&self, column: Column) -> Option<&str> {
        let (_, name) = self.names.iter().find(|(it, _)| *it == column)?;
        Some(name)
    }

    /// Where the column is among these names: the mapped one, or the first usual one.
    pub(crate) fn find<N: AsRef<str>>(&self, column: Column, names: &[N]) -> Option<usize> {
        let at = |wanted: &str| {
            names
                .iter()
                .position(|it| it.as_ref().trim().eq_ignore_ascii_case(wanted.trim()))
        };
        match self.name(column) {
            Some(name) => at(name),
            None => column.usual_names().iter().find_map(|name| at(name)),
        }
    }
}

impl FromStr for Column {
    type Err = ColumnError;

    fn from_str(word: &str) -> Result<Self, ColumnError> {
        Self::ALL
            .into_iter()
            .find(|column| column.name() == word)
            .ok_or_else(|| ColumnError::Unknown {
                word: word.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_are_found_and_a_map_overrules_them() {
        let names = ["id", " From ", "Payload", "text"];
        let map = ColumnMap::default();
        assert_eq!(map.find(Column::Body, &names), Some(2));
        assert_eq!(map.find(Column::Sender, &names), Some(1));
        assert_eq!(map.find(Column::Date, &names), None);
        let map = ColumnMap::parse(&["body=TEXT", "date=id"]).unwrap();
        assert_eq!(map.find(Column::Body, &names), Some(3));
        assert_eq!(map.find(Column::Date, &names), Some(0));
        let map = ColumnMap::parse(&["body=absent"]).unwrap();
        assert_eq!(map.find(Column::Body, &names), None, "a map is no wish");
    }

    #[test]
    fn a_map_that_says_nothing_is_refused() {
        for word in ["body", "body=", "=x", "words=x"] {
            assert!(ColumnMap::parse(&[word]).is_err(), "{word}");
        }
        assert_eq!(
            ColumnMap::parse(&["body=a", "body=b"]),
            Err(ColumnError::Twice {
                column: Column::Body
            })
        );
    }
}
