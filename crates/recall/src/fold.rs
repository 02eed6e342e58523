//! One form for the forms of an English word, and the stop list.
//!
//! Called by `token` and `search`. Folding is applied to texts and queries alike, so a wrong
//! fold never loses a match; at worst two words meet (`import` and
//! `importance`), which moves a rank and decides nothing. It touches only words of three or more
//! ASCII letters: numbers, codes, names with accents and other scripts stay as they are.

use crate::stem;

/// Words that say little in an English question. Negations are not among them.
const STOP: [&str; 42] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "did", "do", "does", "for", "from", "has",
    "have", "how", "in", "is", "it", "its", "of", "on", "or", "s", "t", "that", "the", "this",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why",
    "will", "with",
];

/// Whether a term is on the stop list.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Brings a lower-case word to its common form. Stop words stay, so that a term says by itself
/// whether it is one.
pub(crate) fn fold(word: &mut String) {
    let foldable = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if foldable && !is_stop(word) {
        stem::stem(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(word: &str) -> String {
        let mut word = word.to_owned();
        fold(&mut word);
        word
    }

    #[test]
    fn forms_of_one_word_meet() {
        for forms in [
            &["invoice", "invoices", "invoiced", "invoicing"][..],
            &["refund", "refunds", "refunded", "refunding"],
            &["approve", "approves", "approved", "approving"],
            &["ship", "ships", "shipped", "shipping"],
            &["bill", "bills", "billed", "billing"],
            &["process", "processes", "processed", "processing"],
            &["party", "parties"],
            &["apply", "applies", "applied", "applying"],
            &["batch", "batches", "batched"],
            &["add", "adds", "added", "adding"],
            &["approval", "approvals"],
            &["conference", "conferences"],
        ] {
            let (first, rest) = forms.split_first().unwrap();
            for form in rest {
                assert_eq!(folded(form), folded(first), "`{form}` and `{first}`");
            }
        }
    }

    #[test]
    fn short_words_codes_and_other_scripts_stay() {
        for word in [
            "bus",
            "iban",
            "string",
            "king",
            "need",
            "gb29",
            "größe",
            "naïveté",
            "v1",
            "of",
            "is",
        ] {
            assert_eq!(folded(word), word);
        }
    }

    #[test]
    fn the_stop_list_is_sorted_and_has_no_negation() {
        assert!(STOP.is_sorted());
        assert!(is_stop("the") && !is_stop("not") && !is_stop("no") && !is_stop("never"));
    }
}
