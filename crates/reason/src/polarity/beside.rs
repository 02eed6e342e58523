//! What a text says of a claim that somebody states beside it.
//!
//! Whoever states the claims of a text in words of his own can leave out what puts them in doubt or
//! turns them round. So the sentences of the text that say the most of a claim's words, and at least
//! half of them, are read too: how sure they are, and whether they affirm.

use immune_model::{Polarity, Trust};

use super::words::{self, Sentence, is};
use super::{hedge, of_sentence};

/// Words that say nothing of what a claim is about.
const FILLING: &str = "a an the is are was were be been to of in on at for and or it this that";

/// How the sentences of a text say what a claim says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// How sure they are; nothing if they say it plainly.
    pub confidence: Option<Trust>,
    /// Whether they affirm it: open where they differ, or leave it open for another reason than
    /// that they are not sure.
    pub polarity: Polarity,
}

/// How a text says what a claim says; nothing if none of its sentences does.
///
/// ```
/// use immune_model::Polarity;
/// use immune_reason::polarity::beside;
///
/// let found = beside("Hello. I guess the gate is z.", "The gate is z").unwrap();
/// assert_eq!(found.confidence.unwrap().to_string(), "0.35");
/// let found = beside("Refunds do not go to Bob", "Refunds go to Bob").unwrap();
/// assert_eq!(found.polarity, Polarity::Denied);
/// assert_eq!(beside("Hello", "The gate is z"), None);
/// ```
pub fn beside(text: &str, claim: &str) -> Option<Beside> {
    let claimed = words::sentences(claim);
    let mut wanted: Vec<&str> = claimed.iter().flat_map(telling).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let sentences = words::sentences(text);
    let n_said = |it: &Sentence| {
        let said: Vec<&str> = telling(it).collect();
        wanted.iter().filter(|word| said.contains(word)).count()
    };
    let counts: Vec<usize> = sentences.iter().map(n_said).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most == 0 || most * 2 < wanted.len() {
        return None;
    }
    let saying = sentences.iter().zip(&counts);
    let saying = saying.filter(|(_, count)| **count == most);
    let mut found: Option<Beside> = None;
    for (sentence, _) in saying {
        let confidence = hedge::of(&sentence.tokens);
        let polarity = of_sentence(sentence);
        found = Some(match found {
            None => Beside {
                confidence,
                polarity,
            },
            Some(before) => Beside {
                confidence: before.confidence.into_iter().chain(confidence).min(),
                polarity: if before.polarity == polarity {
                    polarity
                } else {
                    Polarity::Open
                },
            },
        });
    }
    found
}

fn telling(sentence: &Sentence) -> impl Iterator<Item = &str> {
    let telling = |it: &&words::Token| !it.is_comma() && !is(it, FILLING);
    sentence
        .tokens
        .iter()
        .filter(telling)
        .map(words::Token::text)
}
