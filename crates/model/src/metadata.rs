//! What a caller notes about a write, for filtering: keys with JSON values.
//!
//! Nothing in it is ever believed: it decides which of the trusted items are asked for, never
//! whether one is trusted. Invariants: numbers are finite, no text holds NUL, and the whole is
//! within `limits::METADATA_BYTES_MAX` and `limits::METADATA_DEPTH_MAX`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::limits;

/// A finite number: whole where it is one, so that `2` and `2.0` are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// The bits of a finite number that is not whole, or too large.
    Real(u64),
}

impl Number {
    /// The number; nothing if it is infinite or none.
    pub fn of(value: f64) -> Option<Self> {
        // Every whole number of this size is exact in 64 bits of floating point.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            return None;
        }
        if value.fract() == 0.0 && value.abs() <= EXACT {
            let digits = format!("{value:.0}");
            return digits.parse().ok().map(Self::Whole);
        }
        Some(Self::Real(value.to_bits()))
    }

    /// It as a floating-point number; a whole one past 2^53 is rounded.
    pub fn value(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "said above")]
            Self::Whole(whole) => whole as f64,
            Self::Real(bits) => f64::from_bits(bits),
        }
    }

    /// How two numbers compare by value.
    pub fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => one.cmp(&other),
            _ => self.value().total_cmp(&other.value()),
        }
    }
}

/// A value of metadata: what JSON can say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Vec<Value>),
    /// Keys with values.
    Object(BTreeMap<Arc<str>, Value>),
}

impl Value {
    /// What kind of value it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a yes or no",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    fn check(&self, key: &str, depth: usize, bytes: &mut usize) -> Result<(), MetadataError> {
        let limit = limits::METADATA_DEPTH_MAX;
        if depth > limit {
            return Err(MetadataError::TooDeep {
                key: key.into(),
                limit,
            });
        }
        *bytes += match self {
            Self::Text(text) => checked(key, text)?.len(),
            _ => 8,
        };
        match self {
            Self::List(values) => values
                .iter()
                .try_for_each(|it| it.check(key, depth + 1, bytes)),
            Self::Object(entries) => entries.iter().try_for_each(|(inner, value)| {
                *bytes += checked(key, inner)?.len();
                value.check(key, depth + 1, bytes)
            }),
            _ => Ok(()),
        }
    }
}

fn checked<'a>(key: &str, text: &'a str) -> Result<&'a str, MetadataError> {
    if text.contains('\0') {
        return Err(MetadataError::Nul { key: key.into() });
    }
    Ok(text)
}

/// Why metadata is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// A key of no characters.
    #[error("a key of the metadata is empty")]
    EmptyKey,
    /// A key or text with NUL, which not every store can keep.
    #[error("the metadata holds a NUL character under `{}`", .key.escape_debug())]
    Nul {
        /// The key it is under.
        key: Arc<str>,
    },
    /// Lists and objects inside one another.
    #[error("the metadata under `{key}` is nested too deep, the limit is {limit}")]
    TooDeep {
        /// The key it is under.
        key: Arc<str>,
        /// The limit.
        limit: usize,
    },
    /// Past `limits::METADATA_BYTES_MAX`.
    #[error("the metadata has {found} bytes, the limit is {limit}")]
    TooLong {
        /// Its size: the bytes of all texts and keys, and 8 for any other value.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

/// What a caller notes about a write. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metadata(Arc<BTreeMap<Arc<str>, Value>>);

impl Metadata {
    /// The entries, checked. No entries are no metadata.
    pub fn new(entries: BTreeMap<Arc<str>, Value>) -> Result<Self, MetadataError> {
        let mut found = 0;
        for (key, value) in &entries {
            if key.is_empty() {
                return Err(MetadataError::EmptyKey);
            }
            found += checked(key, key)?.len();
            value.check(key, 1, &mut found)?;
        }
        let limit = limits::METADATA_BYTES_MAX;
        if found > limit {
            return Err(MetadataError::TooLong { found, limit });
        }
        Ok(Self(Arc::new(entries)))
    }

    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is noted under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The entries, by key.
    pub fn entries(&self) -> &BTreeMap<Arc<str>, Value> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(key: &str, value: Value) -> Result<Metadata, MetadataError> {
        Metadata::new(BTreeMap::from([(key.into(), value)]))
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        assert_eq!(Number::of(2.0), Some(Number::Whole(2)));
        assert_eq!(Number::of(-0.0), Some(Number::Whole(0)));
        assert_eq!(Number::of(f64::NAN), None);
        assert_eq!(Number::of(f64::INFINITY), None);
        let large = Number::of(1e300).expect("it is finite");
        assert_eq!(large.compare(Number::Whole(i64::MAX)), Ordering::Greater);
        let half = Number::of(2.5).expect("it is finite");
        assert_eq!(half.compare(Number::Whole(2)), Ordering::Greater);
        assert_eq!(half.compare(Number::Whole(3)), Ordering::Less);
    }

    #[test]
    fn what_no_store_keeps_is_refused_by_name() {
        let nul = one("k", Value::Text("a\0b".into()));
        assert_eq!(nul, Err(MetadataError::Nul { key: "k".into() }));
        assert_eq!(one("", Value::Null), Err(MetadataError::EmptyKey));
        let long = one(
            "k",
            Value::Text("x".repeat(limits::METADATA_BYTES_MAX).into()),
        );
        assert!(matches!(long, Err(MetadataError::TooLong { .. })));
        let deep = (0..limits::METADATA_DEPTH_MAX).fold(Value::Null, |it, _| Value::List(vec![it]));
        assert!(matches!(one("k", deep), Err(MetadataError::TooDeep { .. })));
        let flat = (1..limits::METADATA_DEPTH_MAX).fold(Value::Null, |it, _| Value::List(vec![it]));
        assert!(one("k", flat).is_ok());
    }
}
