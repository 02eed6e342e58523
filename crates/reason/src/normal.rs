//! The normal form of a text: what counts as the same words.

use unicode_normalization::UnicodeNormalization;

/// What closes or encloses a sentence, and says nothing by itself.
const ENCLOSING: &[char] = &['.', ',', ';', ':', '!', '?', '"', '\'', '(', ')', ' '];

/// NFKC, lower case, white space folded to single spaces, closing punctuation trimmed at both
/// ends; a text of nothing else is kept as it is.
///
/// Two claims without decisive literals are one value iff their normal forms are equal.
pub fn normal(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.trim_matches(ENCLOSING) {
        "" => words,
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_case_width_and_closing_marks_do_not_matter() {
        assert_eq!(
            normal("  Deliveries go\nto  Mission Rock. "),
            "deliveries go to mission rock"
        );
        assert_eq!(normal("ＡＢＣ"), "abc");
        for (one, other) in [
            ("--", "!"),
            ("...", "?"),
            ("C++", "C"),
            ("-5", "5"),
            ("a_", "a"),
        ] {
            assert_ne!(normal(one), normal(other));
        }
        assert_ne!(normal("5,000"), normal("50,000"));
    }
}
