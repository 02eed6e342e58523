//! Commands as they are printed for pasting: the one place that quotes a word for a shell.
//!
//! What is pasted is read back as the very same words. A value that begins with a dash is joined
//! to its option, and a word that does stands last, after `--`: neither is taken for an option.

use std::fmt;

/// Whether a character could drive a terminal or turn the order of what is read: control
/// characters, bidirectional marks, line and paragraph separators, invisible ones and tags.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// Whether something can be seen of a text: it is not made of white space and of characters that
/// leave no mark alone.
pub fn is_visible(text: &str) -> bool {
    let leaves_no_mark = |it: char| {
        it.is_whitespace()
            || is_hostile(it)
            || matches!(it,
                '\u{00AD}' | '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
                | '\u{180B}'..='\u{180F}' | '\u{200C}' | '\u{200D}' | '\u{2800}' | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}' | '\u{E0080}'..='\u{E0FFF}')
    };
    !text.chars().all(leaves_no_mark)
}

/// The text on one line: hostile characters are written as escapes, so that what is seen is what
/// is there.
pub fn escaped(text: &str) -> String {
    if !text.chars().any(is_hostile) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hostile(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The text in quotes that a POSIX shell reads back as this very text; hostile characters as
/// escapes, for then it is not pasted but looked at.
pub fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./:@%+,=".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", escaped(word).replace('\'', r"'\''"))
}

/// A command without the program: a verb, then its options and words.
///
/// ```
/// use immune_model::shell::Command;
///
/// let command = Command::new("derive").option("--agent", "--yes").option("--about", "a b");
/// assert_eq!(command.to_string(), "derive --agent=--yes --about 'a b'");
/// let command = Command::new("channels set").word("-x").option("--tier", "0.7");
/// assert_eq!(command.to_string(), "channels set --tier 0.7 -- -x");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    words: String,
    after_dashes: String,
}

impl Command {
    /// The command of this verb, which may be of several words and is taken as it is.
    pub fn new(verb: &str) -> Self {
        Self {
            words: verb.to_owned(),
            after_dashes: String::new(),
        }
    }

    /// With words that are taken as they are.
    pub fn plain(mut self, words: &str) -> Self {
        self.words.push(' ');
        self.words.push_str(words);
        self
    }

    /// With an option and its value.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.words.push(' ');
        self.words.push_str(name);
        self.words
            .push(if value.starts_with('-') { '=' } else { ' ' });
        self.words.push_str(&quoted(value));
        self
    }

    /// With an option and its value, if there is one.
    pub fn option_if(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.option(name, value),
            None => self,
        }
    }

    /// With a word that is no option.
    pub fn word(mut self, word: &str) -> Self {
        let words = if word.starts_with('-') {
            &mut self.after_dashes
        } else {
            &mut self.words
        };
        words.push(' ');
        words.push_str(&quoted(word));
        self
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)?;
        if self.after_dashes.is_empty() {
            return Ok(());
        }
        write!(f, " --{}", self.after_dashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_is_left() {
        let text = "\u{1b}]0;owned\u{7}\u{9b}31m red\r\nnew\u{202e}evil\u{e0041}";
        let shown = escaped(text);
        assert!(!shown.chars().any(is_hostile), "{shown:?}");
        assert_eq!(
            shown,
            r"\u{1b}]0;owned\u{7}\u{9b}31m red\r\nnew\u{202e}evil\u{e0041}"
        );
        assert_eq!(escaped("Zürich 日本 😀"), "Zürich 日本 😀");
    }

    #[test]
    fn a_quoted_word_is_one_word_to_a_shell() {
        assert_eq!(quoted("bel_7"), "bel_7");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_word_of_marks_that_nobody_sees_is_invisible() {
        for word in [
            "",
            " ",
            "\u{200b}",
            "\u{2060}\u{feff} ",
            "\u{3164}",
            "\u{200d}\u{fe0f}",
        ] {
            assert!(!is_visible(word), "{word:?}");
        }
        for word in ["a", "日本", "\u{200b}a", "-", "😀"] {
            assert!(is_visible(word), "{word:?}");
        }
    }
}
