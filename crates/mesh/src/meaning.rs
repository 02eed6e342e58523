//! How near an output is in meaning to what came along: a second signal, which only tells.
//!
//! Texts are compared piece by piece, since a payload is a part of what it stands in. What an output
//! has of its task, or of trusted texts, is nearer to those and does not count. A score is a cosine
//! in thousandths; which one is near belongs to the model, which one is unusual to the agent.

use immune_model::limits::MESH_IDENTITIES_MAX;

use crate::conclude::Finding;
use crate::fact::{Exchange, Ground, Judgement, Message, Place, Purpose, Span};
use crate::mesh::Mesh;
use crate::read::is_untrusted;
use crate::spread::Way;
use crate::view::Reading;

/// Words of a piece, and words from the beginning of one to that of the next.
const PIECE_WORDS: usize = 48;
const STEP_WORDS: usize = 24;
/// Pieces of one kind of text that are compared: the first ones.
const PIECES_MOST: usize = 64;
/// Words below which a piece says too little.
const WORDS_LEAST: usize = 8;

/// A model of meaning.
pub trait Meaning: std::fmt::Debug {
    /// A vector of length 1 for each text, in their order; nothing if the model fails.
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>>;

    /// The cosine from which two texts are near, in thousandths.
    fn threshold(&self) -> u16;
}

/// A piece of what came along, and how near the output is to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    /// The cosine, in thousandths.
    pub(crate) score: u16,
    pub(crate) span: Span,
}

/// A piece of a text: where it is, and what it says.
struct Piece<'a> {
    place: Place,
    start: usize,
    text: &'a str,
}

impl Near {
    /// The piece of what came along that the output is nearest to, nearer than to its task.
    pub(crate) fn of(meaning: &dyn Meaning, exchange: &Exchange<'_>, said: &str) -> Option<Self> {
        let name = exchange.agent.name;
        let is_found = |it: &Message<'_>| is_untrusted(it, name) && it.purpose == Purpose::Found;
        let (mut found, mut known) = (Vec::new(), Vec::new());
        for (number, message) in exchange.input.iter().enumerate() {
            let pieces = pieces(Place::Input(number), message.text);
            match is_found(message) {
                true => found.extend(pieces),
                false => known.extend(pieces),
            }
        }
        let mut says: Vec<Piece<'_>> = pieces(Place::Output(0), said).collect();
        found.truncate(PIECES_MOST);
        known.truncate(PIECES_MOST);
        says.truncate(PIECES_MOST);
        if found.is_empty() || says.is_empty() {
            return None;
        }
        let texts = found.iter().chain(&known).chain(&says);
        let texts: Vec<&str> = texts.map(|it| it.text).collect();
        let vectors = meaning.vectors(&texts)?;
        let (of_found, rest) = vectors.split_at_checked(found.len())?;
        let (of_known, of_said) = rest.split_at_checked(known.len())?;
        let mut nearest: Option<Self> = None;
        for said in of_said {
            let own = of_known.iter().map(|it| cosine(it, said)).max();
            for (piece, vector) in found.iter().zip(of_found) {
                let score = cosine(vector, said);
                let is_nearer = nearest.is_none_or(|it| score > it.score);
                if is_nearer && own.is_none_or(|it| score > it) {
                    nearest = Some(Self {
                        score,
                        span: piece.span(),
                    });
                }
            }
        }
        nearest
    }
}

impl Piece<'_> {
    fn span(&self) -> Span {
        Span {
            place: self.place,
            start: self.start as u32,
            end: (self.start + self.text.len()) as u32,
            reading: Reading::Plain,
        }
    }
}

/// Pieces of a text, each half of the one before it.
fn pieces(place: Place, text: &str) -> impl Iterator<Item = Piece<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let n = words.len();
    let starts = (0..n).step_by(STEP_WORDS);
    // The last piece reaches the end.
    let starts = starts.filter(move |it| *it == 0 || it + PIECE_WORDS - STEP_WORDS < n);
    starts.filter_map(move |first| {
        let last = (first + PIECE_WORDS).min(n).checked_sub(1)?;
        let (from, to) = (words.get(first)?, words.get(last)?);
        let start = from.as_ptr() as usize - text.as_ptr() as usize;
        let end = to.as_ptr() as usize - text.as_ptr() as usize + to.len();
        let is_long = last + 1 - first >= WORDS_LEAST;
        is_long.then_some(Piece {
            place,
            start,
            text: text.get(start..end)?,
        })
    })
}

/// In thousandths; what points away is 0.
fn cosine(one: &[f32], other: &[f32]) -> u16 {
    let cosine: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
    (cosine.clamp(0.0, 1.0) * 1000.0) as u16
}

impl Mesh {
    /// Whether an output is unusually near to what came along; learns how near it is.
    pub(crate) fn meant(
        &mut self,
        exchange: &Exchange<'_>,
        near: Near,
        threshold: u16,
    ) -> Option<Finding> {
        let identity = exchange.agent.identity;
        if self.near.len() >= MESH_IDENTITIES_MAX && !self.near.contains_key(identity) {
            self.near.pop_first();
        }
        let usual = self.near.entry(identity.to_owned()).or_default();
        let judged = match usual.is_warm() {
            true => usual.judge(near.score),
            false => self.near_of_all.judge(near.score),
        };
        usual.learn(near.score);
        self.near_of_all.learn(near.score);
        let tells = judged.is_warm && judged.is_unusual && near.score >= threshold;
        tells.then(|| Finding {
            judgement: Judgement::Advisory,
            ground: Ground::Meaning,
            score: near.score,
            spans: vec![near.span],
            way: Way::default(),
            payload: Vec::new(),
            is_sure: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_overlap_by_half_and_the_last_one_reaches_the_end() {
        let text: Vec<String> = (0..100).map(|it| format!("w{it}")).collect();
        let text = text.join("  ");
        let found: Vec<&str> = pieces(Place::Input(0), &text).map(|it| it.text).collect();
        assert_eq!(found.len(), 4);
        assert!(found[1].starts_with("w24") && found[1].ends_with("w71"));
        assert!(found[3].starts_with("w72") && found[3].ends_with("w99"));
        assert_eq!(pieces(Place::Input(0), "far too short").count(), 0);
        assert_eq!(pieces(Place::Input(0), "").count(), 0);
    }
}
