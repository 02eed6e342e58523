//! How much an agent usually takes of what came along, and what is unusually much. For the mesh.
//!
//! A score is letters of an output, up to a thousand.
//! Median and median absolute deviation (Hampel 1974; factor 1.4826) of the last scores, one-sided,
//! with a floor of the spread and a bound on how far the centre may ever move from where the first
//! scores were. Invariant: a score that is unusual is not learned, nor is one of a call that leaked
//! its canary; so nobody walks the centre further than [`DRIFT`] by small steps.

use std::collections::VecDeque;

use immune_model::limits::{MESH_BASELINE_SCORES_MAX, MESH_COLD_SCORES};

/// The least spread, in letters: what varies less is not taken by its word.
pub const SPREAD_FLOOR: u16 = 30;
/// How far the centre moves at most from that of the first scores, in letters.
pub const DRIFT: u16 = 150;
/// Spreads above the centre from which a score is unusual, in tenths.
pub const UNUSUAL: u16 = 35;
/// What is unusual while there are too few scores, in letters.
pub const COLD: u16 = 250;

/// How unusual a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unusual {
    /// The score, in letters.
    pub score: u16,
    /// Spreads above the centre, in tenths; 0 for what is at it or below.
    pub spreads: u16,
    /// Whether there are enough scores to judge by.
    pub is_warm: bool,
    /// Whether it is too much.
    pub is_unusual: bool,
}

/// The scores of one identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Baseline {
    #[n(0)]
    pub(crate) scores: VecDeque<u16>,
    /// The centre and the spread of the first scores.
    #[n(1)]
    pub(crate) anchor: Option<(u16, u16)>,
}

impl Baseline {
    /// Whether there are enough scores to judge by.
    pub fn is_warm(&self) -> bool {
        self.anchor.is_some()
    }

    /// What is usual for whoever takes nothing of what came along.
    pub(crate) fn of_nothing() -> Self {
        Self {
            anchor: Some((0, 0)),
            ..Self::default()
        }
    }

    /// How unusual a score (letters) is, before it is learned.
    pub fn judge(&self, score: u16) -> Unusual {
        let Some((first, first_spread)) = self.anchor else {
            return Unusual {
                score,
                spreads: 0,
                is_warm: false,
                is_unusual: score > COLD,
            };
        };
        let (centre, spread) = centre_and_spread(&self.scores);
        let centre = centre.min(first + DRIFT);
        let spread = spread.min(first_spread + SPREAD_FLOOR).max(SPREAD_FLOOR);
        let above = u32::from(score.saturating_sub(centre)) * 10 / u32::from(spread);
        let spreads = u16::try_from(above).unwrap_or(u16::MAX);
        Unusual {
            score,
            spreads,
            is_warm: true,
            is_unusual: spreads >= UNUSUAL,
        }
    }

    /// Takes a score up whose call leaked no canary, unless it is unusual among enough others.
    pub fn learn(&mut self, score: u16) {
        let judged = self.judge(score);
        if judged.is_warm && judged.is_unusual {
            return;
        }
        if self.scores.len() >= MESH_BASELINE_SCORES_MAX {
            self.scores.pop_front();
        }
        self.scores.push_back(score);
        if self.anchor.is_none() && self.scores.len() >= MESH_COLD_SCORES {
            self.anchor = Some(centre_and_spread(&self.scores));
        }
    }
}

/// Median, and median absolute deviation times 1.4826, in letters.
fn centre_and_spread(scores: &VecDeque<u16>) -> (u16, u16) {
    let centre = median(scores.iter().copied());
    let deviation = median(scores.iter().map(|it| it.abs_diff(centre)));
    let spread = (u32::from(deviation) * 14_826 + 5_000) / 10_000;
    (centre, u16::try_from(spread).unwrap_or(u16::MAX))
}

fn median(values: impl Iterator<Item = u16>) -> u16 {
    let mut values: Vec<u16> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(scores: &[u16]) -> Baseline {
        let mut baseline = Baseline::default();
        for score in scores {
            baseline.learn(*score);
        }
        baseline
    }

    /// Hole 2: a low score was malicious (0.60 of an agent at 0.888).
    #[test]
    fn hole_low_mirroring_is_not_malicious() {
        let agent = of(&[880, 888, 900, 870, 888, 895]);
        assert!(!agent.judge(600).is_unusual);
        assert_eq!(agent.judge(0).spreads, 0);
    }

    /// Hole 3: 0.903 was 7 deviations from 0.9, 0.9, 0.9, 0.9, 0.901.
    #[test]
    fn hole_a_tiny_variance_is_no_alarm() {
        assert!(!of(&[900, 900, 900, 900, 901]).judge(903).is_unusual);
    }

    /// Hole 6: 28 steps just below the limit made 0.92 acceptable to an agent at 0.349.
    #[test]
    fn hole_a_ramp_does_not_make_much_usual() {
        let mut agent = of(&[330, 349, 360, 340, 355, 349]);
        for _ in 0..28 {
            let most = (0..=1000).rev().find(|it| !agent.judge(*it).is_unusual);
            agent.learn(most.unwrap());
        }
        assert!(agent.judge(920).is_unusual);
        for _ in 0..1000 {
            let most = (0..=1000).rev().find(|it| !agent.judge(*it).is_unusual);
            agent.learn(most.unwrap());
        }
        assert!(agent.judge(920).is_unusual, "{agent:?}");
    }

    /// The published baseline: after six scores of mean 0.869, proofreading at 0.902 is usual.
    #[test]
    fn proofreading_is_usual_where_much_is_repeated() {
        let agent = of(&[845, 890, 869, 850, 899, 861]);
        assert!(!agent.judge(902).is_unusual);
    }

    #[test]
    fn much_is_unusual_where_little_is_repeated() {
        let agent = of(&[300, 349, 380, 320, 355, 349]);
        assert!(agent.judge(920).is_unusual);
        assert!(Baseline::default().judge(920).is_unusual);
        assert!(!Baseline::default().judge(920).is_warm);
    }

    proptest! {
        #[test]
        fn the_limit_never_leaves_where_it_began(
            first in prop::collection::vec(0_u16..=1000, 5),
            then in prop::collection::vec(0_u16..=1000, 0..200),
        ) {
            let mut agent = of(&first);
            let (centre, spread) = agent.anchor.unwrap();
            for score in &then {
                agent.learn(*score);
            }
            let spread = (spread + SPREAD_FLOOR).max(SPREAD_FLOOR);
            let bound = u32::from(centre + DRIFT) + u32::from(UNUSUAL) * u32::from(spread) / 10 + 1;
            prop_assert!(bound > 1000 || agent.judge(bound as u16).is_unusual);
        }
    }
}
