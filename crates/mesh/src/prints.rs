//! Prints of a text: hashes of runs of its letters, of which few are kept and the same ones always.
//!
//! Winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): of each [`WINDOW`] runs of [`RUN`]
//! letters that follow one another the least hash is kept, the last one of equal ones. Invariant:
//! two texts that share `RUN + WINDOW - 1` letters in a row share a print, and no print is shared
//! by texts that share fewer than `RUN`, but for collisions of 64 bits.

use crate::letters::Letters;

/// Letters of one run: about four words.
pub(crate) const RUN: usize = 16;
/// Runs of which one is kept.
pub(crate) const WINDOW: usize = 8;
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// One run that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Print {
    pub(crate) hash: u64,
    /// Where the run starts, in letters.
    pub(crate) at: u32,
}

/// The prints of a text in their order.
pub(crate) fn prints(letters: &Letters) -> Vec<Print> {
    let bytes = &letters.bytes;
    let mut kept: Vec<Print> = Vec::with_capacity(bytes.len() / 4);
    let leaving = (0..RUN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    let none = Print {
        hash: u64::MAX,
        at: 0,
    };
    // The prints of the window, and the least of them.
    let mut ring = [none; WINDOW];
    let mut least = none;
    let old = std::iter::repeat_n(0, RUN).chain(bytes.iter().map(|it| u64::from(*it) + 1));
    for (end, (byte, old)) in bytes.iter().zip(old).enumerate() {
        hash = hash
            .wrapping_mul(BASE)
            .wrapping_add(u64::from(*byte) + 1)
            .wrapping_sub(old.wrapping_mul(leaving));
        let Some(at) = (end + 1).checked_sub(RUN) else {
            continue;
        };
        let print = Print {
            hash: mixed(hash),
            at: at as u32,
        };
        if let Some(place) = ring.get_mut(at % WINDOW) {
            *place = print;
        }
        // The least one stays until one that is no greater comes, or it leaves the window.
        if print.hash <= least.hash {
            least = print;
        } else if least.at as usize + WINDOW <= at {
            least = least_of(&ring);
        }
        if at + 1 >= WINDOW && kept.last() != Some(&least) {
            kept.push(least);
        }
    }
    kept
}

/// The least of a window, the last one of equal ones.
fn least_of(ring: &[Print; WINDOW]) -> Print {
    let [first, rest @ ..] = *ring;
    rest.into_iter().fold(first, |least, it| {
        let is_less = it.hash < least.hash || it.hash == least.hash && it.at > least.at;
        if is_less { it } else { least }
    })
}

/// Spreads the bits (the finalizer of MurmurHash3).
pub(crate) fn mixed(hash: u64) -> u64 {
    let mut hash = hash;
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

/// Hashes in order, each once, to be looked up.
pub(crate) fn sorted(hashes: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut sorted: Vec<u64> = hashes.into_iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// A print or another mark of a text, and the letters that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) hash: u64,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The hashes of the prints that start between two places.
pub(crate) fn within(prints: &[Print], start: u32, end: u32) -> impl Iterator<Item = u64> {
    let within = prints
        .iter()
        .filter(move |it| (start..end).contains(&it.at));
    within.map(|it| it.hash)
}

/// A stretch of letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The hashes of its marks.
    pub(crate) hashes: Vec<u64>,
}

/// Letters between two shared marks that still belong to one stretch: a word that was changed.
const GAP: u32 = 24;

/// The stretches of a text whose prints are among others that are sorted.
pub(crate) fn stretches(own: &[Print], others: &[u64]) -> Vec<Stretch> {
    let shared = own.iter();
    let shared = shared.filter(|it| others.binary_search(&it.hash).is_ok());
    stretches_of(shared.map(|it| Mark {
        hash: it.hash,
        start: it.at,
        end: it.at + RUN as u32,
    }))
}

/// The stretches of marks, which are in their order.
pub(crate) fn stretches_of(marks: impl Iterator<Item = Mark>) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for mark in marks {
        match found.last_mut() {
            Some(last) if mark.start <= last.end + GAP => {
                last.end = last.end.max(mark.end);
                last.hashes.push(mark.hash);
            }
            _ => found.push(Stretch {
                start: mark.start,
                end: mark.end,
                hashes: vec![mark.hash],
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<Print> {
        prints(&Letters::of(text))
    }

    /// The prints by their definition.
    fn naive(text: &str) -> Vec<Print> {
        let bytes = Letters::of(text).bytes;
        let runs: Vec<Print> = bytes
            .windows(RUN)
            .enumerate()
            .map(|(at, run)| {
                let hash = run.iter().fold(0_u64, |hash, byte| {
                    hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1)
                });
                Print {
                    hash: mixed(hash),
                    at: at as u32,
                }
            })
            .collect();
        let mut kept: Vec<Print> = runs
            .windows(WINDOW)
            .map(|window| {
                let least = window.iter().map(|it| it.hash).min().unwrap();
                *window.iter().rev().find(|it| it.hash == least).unwrap()
            })
            .collect();
        kept.dedup();
        kept
    }

    proptest! {
        #[test]
        fn the_prints_are_those_of_the_definition(text in "[ab ]{0,200}") {
            prop_assert_eq!(of(&text), naive(&text));
        }

        #[test]
        fn whoever_shares_enough_letters_shares_a_print(
            shared in "[a-z]{23}", before in "[a-z]{0,40}", after in "[a-z]{0,40}",
        ) {
            let one = sorted(of(&format!("{before}{shared}")).iter().map(|it| it.hash));
            let other = of(&format!("{shared}{after}"));
            prop_assert!(!stretches(&other, &one).is_empty());
        }
    }

    #[test]
    fn a_stretch_goes_on_over_a_word_that_was_changed() {
        let text = "please send each of the new invoices to the desk on the second floor at once";
        let edited = text.replace("desk", "clerk");
        let one = sorted(of(text).iter().map(|it| it.hash));
        let found = stretches(&of(&edited), &one);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
