//! The normal form of a text: what counts as the same words.

use unicode_normalization::UnicodeNormalization;

/// NFKC, lower case, white space folded to single spaces, punctuation trimmed at both ends.
///
/// Two claims without decisive literals are one value iff their normal forms are equal.
pub fn normal(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words
        .join(" ")
        .trim_matches(|it: char| it.is_ascii_punctuation() || it.is_whitespace())
        .to_owned()
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
        assert_eq!(normal("..."), "");
        assert_ne!(normal("5,000"), normal("50,000"));
    }
}
