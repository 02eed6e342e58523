//! The false texts of a question: those that were published, and edited copies of them.
//!
//! The published attack puts the question itself before a text, so that it is found; every other
//! round of copies does so, and the others change words, so that no copy is another one.

use std::collections::BTreeSet;

use immune_testkit::random::Random;

use super::data::Question;

/// One word of so many changes its place, is left out or is said twice.
const EDIT_EVERY: usize = 12;

/// The first `n` false texts of a question: as published, then copies, none like another.
pub(super) fn false_texts(question: &Question, n: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut texts: Vec<String> = question.poison.iter().take(n).cloned().collect();
    let mut known: BTreeSet<String> = texts.iter().cloned().collect();
    let published = texts.len();
    while texts.len() < n && published > 0 {
        let Some(of) = texts.get(texts.len() % published) else {
            break;
        };
        let mut copy = match texts.len() / published {
            1 => of.clone(),
            _ => edited(of, &mut random),
        };
        if (texts.len() / published) % 2 == 1 {
            copy = format!("{} {copy}", question.text);
        }
        while !known.insert(copy.clone()) {
            copy = edited(&copy, &mut random);
        }
        texts.push(copy);
    }
    texts
}

/// The same with a few words in another place, left out or said twice.
fn edited(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    for _ in 0..=words.len() / EDIT_EVERY {
        if words.len() < 2 {
            words.extend(words.first().copied());
            break;
        }
        let at = random.below(words.len() - 1);
        match random.below(3) {
            0 => words.swap(at, at + 1),
            1 => {
                words.remove(at);
            }
            _ => {
                let again = words.get(at).copied().unwrap_or_default();
                words.insert(at, again);
            }
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_edited_none_is_another_and_a_seed_gives_them() {
        let question = Question {
            text: "who sang it".to_owned(),
            poison: vec![
                "Frank".to_owned(),
                "It was sung by Frank Sinatra, they say.".to_owned(),
            ],
            ..Question::default()
        };
        let texts = false_texts(&question, 50, 5);
        assert_eq!(texts[..2], question.poison);
        assert_eq!(texts[2], "who sang it Frank");
        let distinct: BTreeSet<&String> = texts.iter().collect();
        assert_eq!(distinct.len(), 50);
        assert_eq!(texts, false_texts(&question, 50, 5));
        assert_ne!(texts, false_texts(&question, 50, 6));
        assert_eq!(texts[..10], false_texts(&question, 10, 5));
    }
}
