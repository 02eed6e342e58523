//! How fast what is stated in an area loses weight (semantics.md 6). Called where weights are asked
//! for, and by `recall` for how fresh a hit is; nothing here is folded into a status or a strength.

use immune_model::{Area, Instant, Subject};

use crate::state::State;

/// Halvings after which a statement weighs nothing: below a millionth of what it did.
const HALVINGS_MAX: f64 = 20.0;

/// How the statements about one subject lose weight, as of one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fading {
    /// What halves a weight, in seconds, and the moment asked about; nothing if weights stay.
    by: Option<(u32, Instant)>,
}

impl Fading {
    /// A weight that was given at a moment, in millionths: halved with each half-life that has
    /// passed since, and nothing after [`HALVINGS_MAX`] of them. What is to come is as of now.
    pub(crate) fn left(self, millionths: u64, since: Instant) -> u64 {
        self.by.map_or(millionths, |(seconds, asked)| {
            left_of(millionths, seconds, since, asked)
        })
    }
}

/// What is left, at the moment asked about, of an amount in millionths that was whole at a moment
/// before: halved with each half-life of so many seconds, and nothing after twenty of them. What is
/// to come is as of now. The later of two moments never leaves less.
pub fn left_of(millionths: u64, half_life_seconds: u32, since: Instant, asked: Instant) -> u64 {
    let age = asked.micros().saturating_sub(since.micros()).max(0);
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^53 microseconds are 285 years, and amounts are below 4.6 million"
    )]
    let (age, whole) = (age as f64 / 1e6, millionths as f64);
    let halvings = age / f64::from(half_life_seconds.max(1));
    if halvings >= HALVINGS_MAX {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and what it was; rounded, so that machines agree"
    )]
    let left = (whole * (-halvings).exp2()).round() as u64;
    left
}

impl State {
    /// Every half-life that is set, in seconds, by area.
    pub fn half_lives(&self) -> Vec<(&Area, u32)> {
        let mut all: Vec<(&Area, u32)> = self.half_lives.iter().map(|(it, n)| (it, *n)).collect();
        all.sort_unstable();
        all
    }

    /// The half-life in force for a subject, in seconds, and the area that it is set for: of those
    /// that cover it the narrowest; nothing if what is stated about it keeps its weight.
    pub fn half_life_of(&self, subject: &Subject) -> Option<(&Area, u32)> {
        let covering = self.half_lives.iter().filter(|(it, _)| it.covers(subject));
        let narrowest = covering.max_by_key(|(area, _)| {
            let stem = area.as_str().trim_end_matches('*');
            let is_one = stem.len() == area.as_str().len();
            (stem.contains('/'), is_one, stem.len())
        });
        narrowest.map(|(area, seconds)| (area, *seconds))
    }

    /// How statements about a subject lose weight, as of then; as of the last event if nothing is
    /// said.
    pub(crate) fn fading(&self, subject: &Subject, asked: Option<Instant>) -> Fading {
        let seconds = self.half_life_of(subject).map(|(_, seconds)| seconds);
        let by = seconds.zip(asked.or(self.at));
        Fading { by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(days: i64) -> u64 {
        let noon = Instant::from_seconds(1_800_000_000).unwrap();
        let asked = Instant::from_seconds(1_800_000_000 + days * 86_400).unwrap();
        let fading = Fading {
            by: Some((30 * 86_400, asked)),
        };
        fading.left(2_197_225, noon)
    }

    #[test]
    fn a_weight_is_halved_with_each_half_life_and_ends_after_twenty() {
        let table = [(0, 2_197_225), (30, 1_098_613), (60, 549_306), (300, 2_146)];
        for (days, weight) in table {
            assert_eq!(left(days), weight, "{days} days");
        }
        assert_eq!(left(599), 2);
        assert_eq!(left(600), 0);
        assert_eq!(left(-5), 2_197_225, "what is to come is as of now");
        let kept = Fading { by: None };
        assert_eq!(kept.left(7, Instant::from_seconds(0).unwrap()), 7);
    }

    #[test]
    fn the_narrowest_area_decides() {
        let mut state = State::new();
        for (area, seconds) in [("*", 1), ("refund.*", 2), ("refund.rate", 3), ("acme/*", 4)] {
            state
                .half_lives
                .insert_mut(Area::new(area).unwrap(), seconds);
        }
        let of = |subject: &str| {
            let subject = Subject::new(subject).unwrap();
            state.half_life_of(&subject).map(|(_, it)| it)
        };
        assert_eq!(of("shop.hours"), Some(1));
        assert_eq!(of("refund.destination"), Some(2));
        assert_eq!(of("refund.rate"), Some(3));
        assert_eq!(of("acme/refund.rate"), Some(4));
        assert_eq!(
            State::new().half_life_of(&Subject::new("a.b").unwrap()),
            None
        );
    }
}
