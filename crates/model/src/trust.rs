//! Trust: whole thousandths in 0..=1, so that every machine computes the same value.

use std::fmt;
use std::str::FromStr;

/// How far something is trusted, in whole thousandths, 0..=1000 (read 0.000..=1.000).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trust(u16);

/// A number that is no trust value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no trust value; write a number from 0 to 1 with at most 3 decimals")]
pub struct TrustError {
    /// The word as it was given.
    pub word: String,
}

impl Trust {
    /// No trust at all.
    pub const ZERO: Self = Self(0);
    /// Full trust.
    pub const ONE: Self = Self(1000);
    /// Where a newcomer starts at most (seeds.md 1.3: new source trust).
    pub const NEWCOMER: Self = Self(700);
    /// What recall asks for unless told otherwise (semantics.md 10).
    pub const FLOOR: Self = Self(500);
    /// What a system of record needs at the time it speaks (semantics.md 1).
    pub const RECORD: Self = Self(900);
    /// The tier of the channel of agents' own conclusions (seeds.md 1.3).
    pub const AGENT: Self = Self(850);
    /// The confidence of a claim with a mild hedge, the middle of 0.45 to 0.65 (seeds.md 5.1).
    pub const HEDGED: Self = Self(550);
    /// That of a guess, the middle of 0.25 to 0.45.
    pub const GUESS: Self = Self(350);
    /// That of a standing order of whom nobody vouches for, as for a guess: it can be checked against
    /// nothing (peers.md D43).
    pub const ORDERED: Self = Self(350);
    /// That of a claim with a literal of what was refuted, from whom nobody vouches for: as for a
    /// guess (semantics.md 8).
    pub const REFUTED: Self = Self(350);
    /// That of a rumour, the middle of 0.05 to 0.25.
    pub const RUMOUR: Self = Self(150);

    /// The trust of this many thousandths; none above 1000.
    pub fn from_thousandths(thousandths: u16) -> Option<Self> {
        (thousandths <= 1000).then_some(Self(thousandths))
    }

    /// The value in thousandths, 0..=1000.
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// Trust after a refuted statement: x0.4, half up (seeds.md 1.3: 0.70 -> 0.28).
    pub fn after_refutation(self) -> Self {
        Self(u16::try_from((u32::from(self.0) * 4 + 5) / 10).expect("less than before"))
    }

    /// Trust after a survived check: +0.05, never above `tier` (seeds.md 1.3).
    pub fn after_survived_check(self, tier: Self) -> Self {
        Self((self.0 + 50).min(tier.0))
    }

    /// `self x numerator / denominator`, half up, for a fraction of at most 1.
    ///
    /// # Panics
    /// When the fraction is above 1 or has no denominator.
    pub fn fraction(self, numerator: u64, denominator: u64) -> Self {
        assert!(denominator > 0, "a fraction has a denominator");
        assert!(numerator <= denominator, "a fraction of trust is at most 1");
        let scaled = (u128::from(self.0) * u128::from(numerator) * 2 + u128::from(denominator))
            / (u128::from(denominator) * 2);
        Self(u16::try_from(scaled).expect("at most the value before"))
    }

    /// How many survived checks lead from here to `floor`, if `tier` allows it at all.
    pub fn checks_to_reach(self, floor: Self, tier: Self) -> Option<u32> {
        (tier >= floor).then(|| u32::from(floor.0.saturating_sub(self.0)).div_ceil(50))
    }
}

impl fmt::Display for Trust {
    /// Two decimals, or three where the third says something: `0.70`, `0.285`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1000, self.0 % 1000);
        if part % 10 == 0 {
            write!(f, "{whole}.{:02}", part / 10)
        } else {
            write!(f, "{whole}.{part:03}")
        }
    }
}

impl FromStr for Trust {
    type Err = TrustError;

    fn from_str(word: &str) -> Result<Self, TrustError> {
        let error = || TrustError {
            word: word.to_owned(),
        };
        let (whole, part) = word.split_once('.').unwrap_or((word, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || whole.len() > 1 || part.len() > 3 {
            return Err(error());
        }
        let thousandths = format!("{whole}{part:0<3}").parse().map_err(|_| error())?;
        Self::from_thousandths(thousandths).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(word: &str) -> Trust {
        word.parse().unwrap()
    }

    #[test]
    fn text_and_value_agree() {
        for (word, shown) in [
            ("0", "0.00"),
            ("1", "1.00"),
            ("0.7", "0.70"),
            ("0.285", "0.285"),
        ] {
            assert_eq!(trust(word).to_string(), shown);
        }
        for word in [
            "", ".", "1.", ".5", "1.001", "2", "-0.1", "0.1234", "1e-1", "NaN", "0,5",
        ] {
            assert!(word.parse::<Trust>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_refuted_newcomer_falls_to_0_28_and_needs_five_checks() {
        let mut value = Trust::NEWCOMER.after_refutation();
        assert_eq!(value, trust("0.28"));
        assert_eq!(
            value.checks_to_reach(Trust::FLOOR, Trust::NEWCOMER),
            Some(5)
        );
        for _ in 0..5 {
            value = value.after_survived_check(Trust::NEWCOMER);
        }
        assert_eq!(value, trust("0.53"));
    }

    #[test]
    fn a_check_never_lifts_above_the_tier_and_fractions_round_half_up() {
        assert_eq!(
            trust("0.68").after_survived_check(Trust::NEWCOMER),
            trust("0.7")
        );
        assert_eq!(
            trust("0.5").checks_to_reach(trust("0.5"), trust("0.3")),
            None
        );
        assert_eq!(trust("0.7").fraction(3, 4), trust("0.525"));
        assert_eq!(
            trust("0.001").fraction(1, 2),
            trust("0.001"),
            "half goes up"
        );
    }
}
