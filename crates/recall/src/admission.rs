//! Who may be shown: the verdict on every document of one search, as two bit sets.
//!
//! `engine` makes one from its statuses and may keep it for several searches on the same
//! snapshot. Invariant: a document is in at most one of the two sets, and the totals beside the
//! eligible set are those of exactly its members.

/// What a reader is told of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// May be scored and shown.
    Eligible,
    /// Is never scored nor shown; its number is listed when it matches, so that the caller can
    /// say why it was left out.
    Refused,
    /// Outside what was asked (another namespace, subject or time): as if it did not exist.
    Hidden,
}

/// The verdicts on all documents, ready for searching.
#[derive(Debug, Clone, Default)]
pub struct Admitted {
    eligible: BitSet,
    refused: BitSet,
    n_eligible: u32,
    tokens: u64,
}

impl Admitted {
    /// Collects the verdicts; `lengths` has the number of tokens of each document.
    pub(crate) fn new(lengths: &[u32], verdict: &dyn Fn(u32) -> Admission) -> Self {
        let mut admitted = Self::default();
        for (document, length) in (0..).zip(lengths) {
            match verdict(document) {
                Admission::Eligible => {
                    admitted.eligible.insert(document);
                    admitted.n_eligible += 1;
                    admitted.tokens += u64::from(*length);
                }
                Admission::Refused => admitted.refused.insert(document),
                Admission::Hidden => {}
            }
        }
        admitted
    }

    /// How many documents are eligible.
    pub fn n_eligible(&self) -> u32 {
        self.n_eligible
    }

    /// Whether `document` is eligible. One added after the verdicts were collected is not.
    pub fn is_eligible(&self, document: u32) -> bool {
        self.eligible.has(document)
    }

    /// Whether `document` is refused, so that it is named when it matches.
    pub fn is_refused(&self, document: u32) -> bool {
        self.refused.has(document)
    }

    /// Tokens of all eligible documents together.
    pub(crate) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The eligible documents, ascending.
    pub(crate) fn eligible(&self) -> impl Iterator<Item = u32> + '_ {
        self.eligible.iter()
    }

    /// The refused documents, ascending.
    pub(crate) fn refused(&self) -> impl Iterator<Item = u32> + '_ {
        self.refused.iter()
    }
}

/// Document numbers, one bit each.
#[derive(Debug, Clone, Default)]
struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    fn insert(&mut self, document: u32) {
        let (word_idx, bit) = place(document);
        if word_idx >= self.words.len() {
            self.words.resize(word_idx + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word_idx) {
            *word |= bit;
        }
    }

    fn has(&self, document: u32) -> bool {
        let (word_idx, bit) = place(document);
        self.words.get(word_idx).is_some_and(|word| word & bit != 0)
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..)
            .zip(&self.words)
            .flat_map(|(word_idx, word): (u32, _)| {
                let mut left = *word;
                std::iter::from_fn(move || {
                    let bit = (left != 0).then(|| left.trailing_zeros())?;
                    left &= left - 1;
                    Some(word_idx * u64::BITS + bit)
                })
            })
    }
}

/// The word a document's bit is in, and the bit.
fn place(document: u32) -> (usize, u64) {
    ((document / u64::BITS) as usize, 1 << (document % u64::BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_hold_what_the_verdict_said_and_the_totals_are_of_the_eligible() {
        let lengths: Vec<u32> = (0..200).collect();
        let admitted = Admitted::new(&lengths, &|document| match document % 3 {
            0 => Admission::Eligible,
            1 => Admission::Refused,
            _ => Admission::Hidden,
        });
        assert!(admitted.eligible().eq((0..200).filter(|d| d % 3 == 0)));
        assert!(admitted.refused().eq((0..200).filter(|d| d % 3 == 1)));
        assert_eq!(admitted.n_eligible(), 67);
        assert_eq!(admitted.tokens(), (0..200).filter(|d| d % 3 == 0).sum());
        assert!(!admitted.is_eligible(2) && !admitted.is_refused(2));
        assert!(!admitted.is_eligible(5_000));
    }
}
