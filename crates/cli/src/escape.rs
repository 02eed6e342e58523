//! Text from a memory, made harmless: it may come from anybody and must not drive the terminal.

use immune_api::value::is_hostile;

/// The text on one line: control characters, bidirectional marks and invisible characters are
/// written as escapes, so that what is seen is what is there.
pub(crate) fn line(text: &str) -> String {
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
pub(crate) fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./:@%+,=".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", line(word).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_is_left() {
        let text = "\u{1b}]0;owned\u{7}\u{9b}31m red\r\nnew\u{202e}evil\u{e0041}";
        let shown = line(text);
        assert!(!shown.chars().any(is_hostile), "{shown:?}");
        assert_eq!(
            shown,
            r"\u{1b}]0;owned\u{7}\u{9b}31m red\r\nnew\u{202e}evil\u{e0041}"
        );
        assert_eq!(line("Zürich 日本 😀"), "Zürich 日本 😀");
    }

    #[test]
    fn a_quoted_word_is_one_word_to_a_shell() {
        assert_eq!(quoted("bel_7"), "bel_7");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
        assert_eq!(quoted(""), "''");
    }
}
