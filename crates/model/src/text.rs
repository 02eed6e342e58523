//! Content as it is stored: kept exactly, or refused with the position of what is wrong.

use std::fmt;
use std::sync::Arc;

use crate::limits;

/// A piece of content: UTF-8 without NUL, at most `limits::TEXT_BYTES_MAX` bytes. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

/// Why a text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// PostgreSQL cannot store NUL; so that all stores agree, none does.
    #[error("the text holds a NUL character at byte {at}")]
    Nul {
        /// Offset of the first NUL in bytes.
        at: usize,
    },
    /// Past `limits::TEXT_BYTES_MAX`.
    #[error("the text has {found} bytes, the limit is {limit}")]
    TooLong {
        /// Its size in bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Nothing but white space.
    #[error("the text is empty")]
    Empty,
}

impl Text {
    /// The text, checked. White space at the ends is kept; a text of nothing else is refused.
    pub fn new(text: &str) -> Result<Self, TextError> {
        if let Some(at) = text.find('\0') {
            return Err(TextError::Nul { at });
        }
        if text.len() > limits::TEXT_BYTES_MAX {
            return Err(TextError::TooLong {
                found: text.len(),
                limit: limits::TEXT_BYTES_MAX,
            });
        }
        if text.trim().is_empty() {
            return Err(TextError::Empty);
        }
        Ok(Self(text.into()))
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_exactly_or_refused_with_the_position() {
        assert_eq!(
            Text::new(" \u{200b}héllo\n").unwrap().as_str(),
            " \u{200b}héllo\n"
        );
        assert_eq!(Text::new("ab\0c"), Err(TextError::Nul { at: 2 }));
        assert_eq!(Text::new(" \n\t"), Err(TextError::Empty));
        let most = "x".repeat(limits::TEXT_BYTES_MAX);
        assert!(Text::new(&most).is_ok());
        assert!(matches!(
            Text::new(&(most + "x")),
            Err(TextError::TooLong { .. })
        ));
    }
}
