//! English on a small scale: one form for plural, -ed and -ing, and the stop list.
//!
//! Called by `token` and `search`. Folding is applied to texts and queries alike, so a wrong
//! fold never loses a match; at worst two words meet (`harding` and `hard`), which moves a rank
//! and decides nothing. It touches only words of four or more ASCII letters: numbers, codes,
//! names with accents and other scripts stay as they are. No stemming crate is used:
//! `rust-stemmers` has had no release since 2020.

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
    let foldable = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !foldable || is_stop(word) {
        return;
    }
    fold_plural(word);
    fold_verb(word);
    // `approve` has to meet `approv-ed`, and `bill` to meet `bil-led`.
    if word.len() >= 5 && word.ends_with('e') {
        word.pop();
    }
    if word.len() >= 4 {
        drop_doubled(word);
    }
}

fn fold_plural(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        replace(word, 3, "y");
    } else if ["sses", "xes", "ches", "shes"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        replace(word, 2, "");
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        replace(word, 1, "");
    }
}

fn fold_verb(word: &mut String) {
    if word.len() > 4 && word.ends_with("ied") {
        replace(word, 3, "y");
    } else if word.ends_with("eed") {
        // `need`, `exceed`, `agreed`: no way to tell them apart.
    } else if ends_after_a_stem(word, "ed") {
        replace(word, 2, "");
    } else if ends_after_a_stem(word, "ing") {
        replace(word, 3, "");
    }
}

/// Whether `word` is a stem of four or more letters, a vowel among them, and then `end`.
fn ends_after_a_stem(word: &str, end: &str) -> bool {
    word.strip_suffix(end)
        .is_some_and(|stem| stem.len() >= 4 && stem.contains(['a', 'e', 'i', 'o', 'u', 'y']))
}

fn drop_doubled(word: &mut String) {
    let mut from_the_end = word.bytes().rev();
    let (last, before) = (from_the_end.next(), from_the_end.next());
    if last == before && !last.is_some_and(|byte| b"aeiou".contains(&byte)) {
        word.pop();
    }
}

fn replace(word: &mut String, n_dropped: usize, with: &str) {
    word.truncate(word.len() - n_dropped);
    word.push_str(with);
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
            "bus", "iban", "string", "king", "need", "paris", "status", "gb29", "größe",
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
