//! Stems of English words: what is left when the endings of number and tense are cut off.
//!
//! For `relate` alone. A stem is a key, never shown: `studies` and `studied` have one.

use super::verbs;

/// The stems of a token that say something: a word joined by hyphens gives each of its parts.
pub(super) fn stems(token: &str) -> Vec<String> {
    let parts = token.split(['-', '/', '_', '\'', '&', '.']);
    parts
        .filter(|it| it.len() > 1 && it.starts_with(char::is_alphabetic))
        .filter(|it| !verbs::is_function(it))
        .map(stem)
        .collect()
}

/// The stem of a word in lower case.
pub(super) fn stem(word: &str) -> String {
    let irregular = verbs::IRREGULAR
        .iter()
        .find(|(forms, _)| forms.split_ascii_whitespace().any(|it| it == word));
    let word = irregular.map_or(word, |(_, base)| *base);
    let vowel = |it: &str| it.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    for ending in ["ing", "ed"] {
        if let Some(base) = word.strip_suffix(ending)
            && base.len() > 2
            && vowel(base)
        {
            return without_e(&undoubled(base));
        }
    }
    for (ending, base) in [
        ("ies", "i"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
    ] {
        if let Some(stem) = word.strip_suffix(ending)
            && !stem.is_empty()
        {
            return format!("{stem}{base}");
        }
    }
    let plural = word.len() > 3 && !["ss", "us", "is"].iter().any(|it| word.ends_with(it));
    let word = if plural {
        word.strip_suffix('s').unwrap_or(word)
    } else {
        word
    };
    without_e(word)
}

/// `stopp` of `stopped` is `stop`; `pass` stays.
fn undoubled(base: &str) -> String {
    let mut ends = base.chars().rev();
    match (ends.next(), ends.next()) {
        (Some(last), Some(before)) if last == before && !"lsz".contains(last) => {
            base.strip_suffix(last).unwrap_or(base).to_owned()
        }
        _ => base.to_owned(),
    }
}

fn without_e(word: &str) -> String {
    let word = match word.strip_suffix('e') {
        Some(stem) if stem.len() > 2 => stem,
        _ => word,
    };
    match word.strip_suffix('y') {
        Some(stem) if stem.len() > 1 => format!("{stem}i"),
        _ => word.to_owned(),
    }
}

/// Whether two verbs, as stems, name one deed: the same one, or one of a class.
pub(super) fn same_deed(left: &str, right: &str) -> bool {
    left == right || verbs::share_class(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            &["write", "writes", "wrote", "written", "writing"][..],
            &["use", "uses", "used", "using"],
            &["study", "studies", "studied", "studying"],
            &["stop", "stopped", "stopping"],
            &["pass", "passes", "passed"],
            &["route", "routes"],
            &["meet", "met", "meeting"],
        ] {
            let first = stem(forms[0]);
            for form in forms {
                assert_eq!(stem(form), first, "{form}");
            }
        }
        assert_ne!(stem("router"), stem("route"));
        assert!(same_deed(&stem("built"), &stem("written")));
        assert!(!same_deed(&stem("met"), &stem("written")));
    }
}
