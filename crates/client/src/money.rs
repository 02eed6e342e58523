//! What calls cost: prices, sums, and a purse that is never overdrawn by what a call may cost.
//!
//! Money is whole numbers: a price is in millionths of a currency for a million tokens, so that a
//! token costs as many millionths of a millionth, and a sum of tokens is exact. Which currency is
//! the affair of whoever names the prices. Invariant: the most that an attempt may cost is taken
//! before it is sent, and what it did not cost is given back when that is known.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

/// Decimals of a sum that is written or read.
const DECIMALS: usize = 6;
/// Parts of a millionth.
const PARTS: u64 = 1_000_000;

/// A sum, exact to a millionth of a millionth of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(u64);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many millionths.
    pub fn from_millionths(millionths: u64) -> Self {
        Self(millionths.saturating_mul(PARTS))
    }

    /// In millionths, a begun one as a whole one.
    pub fn millionths(self) -> u64 {
        self.0.div_ceil(PARTS)
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millionths = self.millionths();
        let decimals = format!("{:06}", millionths % PARTS);
        let decimals = decimals.trim_end_matches('0');
        // Two decimals at least, as sums are written.
        write!(f, "{}.{decimals:0<2}", millionths / PARTS)
    }
}

/// Why a word is no sum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no sum: write it like `0.15`, with six decimals at most")]
pub struct MoneyError(String);

impl FromStr for Money {
    type Err = MoneyError;

    fn from_str(word: &str) -> Result<Self, MoneyError> {
        let wrong = || MoneyError(word.to_owned());
        let (whole, decimals) = word.split_once('.').unwrap_or((word, "0"));
        let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) || decimals.len() > DECIMALS {
            return Err(wrong());
        }
        let millionths = format!("{whole}{decimals:0<DECIMALS$}");
        let millionths: u64 = millionths.parse().map_err(|_| wrong())?;
        let parts = millionths.checked_mul(PARTS).ok_or_else(wrong)?;
        Ok(Self(parts))
    }
}

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// For a million tokens that it reads.
    pub read: Money,
    /// For a million tokens that it writes.
    pub written: Money,
}

impl Price {
    /// What so many tokens cost.
    pub fn of(&self, tokens: Tokens) -> Money {
        let cost = |price: Money, n: u64| Money(price.millionths().saturating_mul(n));
        cost(self.read, tokens.read).plus(cost(self.written, tokens.written))
    }
}

/// How many tokens a call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Those that the model read.
    pub read: u64,
    /// Those that it wrote.
    pub written: u64,
}

/// What was spent, and how much may be.
#[derive(Debug)]
pub(crate) struct Purse {
    most: Option<Money>,
    spent: Mutex<Money>,
}

impl Purse {
    pub(crate) fn new(most: Option<Money>) -> Self {
        Self {
            most,
            spent: Mutex::new(Money::ZERO),
        }
    }

    pub(crate) fn spent(&self) -> Money {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the most that an attempt may cost; what was spent and may be, where it is too much.
    pub(crate) fn take(&self, cost: Money) -> Result<(), (Money, Money)> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let with = spent.plus(cost);
        match self.most {
            Some(most) if with > most => Err((*spent, most)),
            _ => {
                *spent = with;
                Ok(())
            }
        }
    }

    /// Puts in the place of what was taken what it did cost.
    pub(crate) fn settle(&self, taken: Money, cost: Money) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.less(taken).plus(cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_read_and_written_to_a_millionth() {
        for (word, shown) in [
            ("0.15", "0.15"),
            ("2", "2.00"),
            ("0.000001", "0.000001"),
            ("0010.5", "10.50"),
            ("18446744", "18446744.00"),
        ] {
            assert_eq!(word.parse::<Money>().unwrap().to_string(), shown);
        }
        for word in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "0.0000001",
            "1e3",
            "1,5",
            "18446745",
        ] {
            assert!(word.parse::<Money>().is_err(), "{word}");
        }
    }

    #[test]
    fn tokens_cost_exactly_what_they_cost() {
        let sum = |word: &str| word.parse::<Money>().unwrap();
        let price = Price {
            read: sum("0.15"),
            written: sum("0.6"),
        };
        let tokens = |read, written| price.of(Tokens { read, written });
        assert_eq!(tokens(1_000_000, 1_000_000).to_string(), "0.75");
        assert_eq!(tokens(1, 0).to_string(), "0.000001", "a begun millionth");
        assert_eq!(tokens(u64::MAX, 1).millionths(), u64::MAX.div_ceil(PARTS));
    }

    #[test]
    fn a_purse_is_never_overdrawn_and_takes_back_what_was_not_spent() {
        let sum = Money::from_millionths;
        let purse = Purse::new(Some(sum(100)));
        purse.take(sum(60)).unwrap();
        assert_eq!(purse.take(sum(60)), Err((sum(60), sum(100))));
        purse.settle(sum(60), sum(40));
        purse.take(sum(60)).unwrap();
        assert_eq!(purse.spent(), sum(100));
        Purse::new(None).take(sum(u64::MAX)).unwrap();
    }
}
