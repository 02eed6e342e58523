//! Sentences and clauses of a mail, in the text as it is: flattened to one line, or with breaks.
//!
//! A stop ends a sentence unless it belongs to an abbreviation, an initial or a number. What does
//! not look like a sentence (a table, a pasted page) becomes one long piece, which the rules skip.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Bytes of the longest sentence that rules look at. Tables and lists that were flattened to one
/// line are longer; in them a number belongs to anything.
pub(super) const SENTENCE_BYTES_MAX: usize = 600;

/// Where a sentence may end: stops with white space after them, or an empty line.
static END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?x) (?<stops>[.!?…]{1,20}(?:\s\.){0,5})(?<close>["'”’)\]]{0,3})(?<space>\s{1,200}|$) | \n\s{0,200}\n | \n(?:\s{0,10}(?:[-*•·]|[0-9]{1,2}[.)])\s)"#)
        .expect("a tested pattern")
});
/// A short line that ends without a stop: a greeting, a heading, a line of a list.
static SHORT_LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[^\n]{1,45}$").expect("a tested pattern"));
/// A number that starts an item of a list that was flattened: `$30 2. The`. After a word it is the
/// end of a sentence: `October 29. If`.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[^\sA-Za-z](?<item>\s[0-9]{1,2}[.)]\s)[A-Z]|[.!?:;](?<bullet>\s[-*•]\s)[A-Z]")
        .expect("a tested pattern")
});
/// A word that starts a sentence where the stop before it was lost: `about $3.62 So the`.
static JOINED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9)%](?<after_number>\s)I\s|(?:[0-9)%]|\b[a-z]{2,20})(?<gap>\s)(?:The|We|So|This|Please|Thanks|Thank|If|Let|Our|My|It|You|They|There|These)\s")
        .expect("a tested pattern")
});

const ABBREVIATIONS: [&str; 40] = [
    "mr", "mrs", "ms", "dr", "inc", "ltd", "co", "corp", "no", "nos", "vs", "approx", "dept", "st",
    "jr", "sr", "acct", "ref", "ext", "fig", "sec", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec", "e.g", "i.e", "u.s", "attn", "ave", "prof", "est",
];

/// The sentences of a text, in order, white space at their ends cut off.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut cuts: Vec<usize> = Vec::new();
    for it in END.captures_iter(text) {
        let Some(whole) = it.get(0) else { continue };
        let Some(stops) = it.name("stops") else {
            cuts.push(whole.start());
            continue;
        };
        let next = text.get(whole.end()..).and_then(|it| it.chars().next());
        if ends_sentence(text, &stops.range(), stops.as_str(), next) {
            cuts.push(whole.end());
        }
    }
    cuts.extend(SHORT_LINE.find_iter(text).map(|it| it.end()));
    let starts = |pattern: &Regex, name: &str| -> Vec<usize> {
        pattern
            .captures_iter(text)
            .filter_map(|it| Some(it.name(name)?.start()))
            .collect()
    };
    cuts.extend(starts(&ITEM, "item"));
    cuts.extend(starts(&ITEM, "bullet"));
    cuts.extend(starts(&JOINED, "gap"));
    cuts.extend(starts(&JOINED, "after_number"));
    cuts.push(text.len());
    cuts.sort_unstable();
    let mut start = 0;
    let mut all = Vec::new();
    for cut in cuts {
        let sentence = text.get(start..cut).unwrap_or("").trim();
        start = cut;
        if sentence.chars().any(char::is_alphanumeric) {
            all.push(sentence);
        }
    }
    all
}

fn ends_sentence(text: &str, place: &Range<usize>, stops: &str, next: Option<char>) -> bool {
    if stops != "." {
        // An ellipsis before a small letter is a pause.
        return stops.contains(['!', '?']) || !next.is_some_and(char::is_lowercase);
    }
    let before = text.get(..place.start).unwrap_or("");
    let word = before
        .rsplit(|it: char| it.is_whitespace() || it == '(')
        .next()
        .unwrap_or("")
        .to_lowercase();
    let number = word.len() <= 2 && !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit());
    let opens = before
        .strip_suffix(word.as_str())
        .is_some_and(|it| !it.trim_end().ends_with(|it: char| it.is_ascii_alphabetic()));
    if number && opens && next.is_some() {
        // `2. The rest`: the number of an item, cut before and not after.
        return false;
    }
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i";
    if initial || ABBREVIATIONS.contains(&word.as_str()) {
        return false;
    }
    !next.is_some_and(char::is_lowercase)
}

/// The parts of a text that are no blocks of code: those outside of pairs of three back-quotes.
pub(super) fn prose(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2)
}

/// Whether a sentence is a line of code or of output: it has more marks than a writer uses.
pub(super) fn is_code(sentence: &str) -> bool {
    let marks = sentence
        .chars()
        .filter(|it| "{}()=;<>[]\\|_#".contains(*it));
    let marks = marks.count();
    let one_word = !sentence.trim().contains(char::is_whitespace);
    let ends = sentence.trim_end().ends_with(['{', '}', ';']);
    (one_word && sentence.contains(['(', '=', '{', '<']))
        || (ends && marks > 0)
        || marks * 12 > sentence.len().max(36)
}

/// Whether the sentence holds the residue of an encoding that was not undone: `=20 =09`.
pub(super) fn is_garbled(sentence: &str) -> bool {
    static RESIDUE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"=(?:20|09|0A|0D|3D|\s)").expect("a tested pattern"));
    sentence.contains("=09") || RESIDUE.find_iter(sentence).nth(1).is_some()
}

/// The clauses of a sentence that say something each: parted by `;`, `but`, and an `and` before a
/// new subject. `not only … but also` stays together.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    static JOINT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?xi) ;\s | ,?\s(?:but|however)\s(?<also>also\s)?
            | ,\s(?:so|because|since|although|while)\s
            | ,\s(?:and\s)?(?<subject2>(?:i|we|i'm|i've|we're|we've|can|could|how|what|should|do|is\sthere)\s)
            | ,\sand\s(?<subject>(?:the|our|my|your|we|i|it|they|he|she|a|an|all|any|no|this|please|do\ not|don't)\s)",
        )
        .expect("a tested pattern")
    });
    let mut start = 0;
    let mut all = Vec::new();
    for it in JOINT.captures_iter(sentence) {
        let Some(whole) = it.get(0) else { continue };
        if it.name("also").is_some() {
            continue;
        }
        let subject = it.name("subject").or_else(|| it.name("subject2"));
        let end = subject.map_or(whole.end(), |it| it.start());
        all.push(sentence.get(start..whole.start()).unwrap_or("").trim());
        start = end;
    }
    all.push(sentence.get(start..).unwrap_or("").trim());
    all.retain(|it| !it.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_of_abbreviations_and_numbers_end_nothing() {
        for (text, expected) in [
            ("One. Two! Three?", &["One.", "Two!", "Three?"][..]),
            (
                "Mr. Miller owes $4.94. He pays.",
                &["Mr. Miller owes $4.94.", "He pays."],
            ),
            (
                "Call Jerry W. Miller at Acme Inc. today.",
                &["Call Jerry W. Miller at Acme Inc. today."],
            ),
            (
                "No dash necessary..... I will call.",
                &["No dash necessary.....", "I will call."],
            ),
            ("and so on ... and more", &["and so on ... and more"]),
            (
                "Hello,\n\nOne line that goes on and on and on and on and on\nand ends here.",
                &[
                    "Hello,",
                    "One line that goes on and on and on and on and on\nand ends here.",
                ],
            ),
            (
                "Notes: 1. The fee is $30 2. The rest is free",
                &["Notes:", "1. The fee is $30", "2. The rest is free"],
            ),
            ("...", &[]),
        ] {
            assert_eq!(sentences(text), expected, "{text:?}");
        }
    }

    #[test]
    fn clauses_part_where_a_new_subject_starts() {
        for (text, expected) in [
            (
                "Refunds are open, but the check may be skipped",
                &["Refunds are open", "the check may be skipped"][..],
            ),
            (
                "It is not only cheap but also fast",
                &["It is not only cheap but also fast"],
            ),
            (
                "Pay A and B; the fee is $30",
                &["Pay A and B", "the fee is $30"],
            ),
            (
                "The fee is $30, and the tax is $3.",
                &["The fee is $30", "the tax is $3."],
            ),
        ] {
            assert_eq!(clauses(text), expected, "{text:?}");
        }
    }
}
