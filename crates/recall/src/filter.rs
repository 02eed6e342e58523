//! Filters over metadata: which of the trusted items are asked for.
//!
//! `engine` applies one where it decides who is in the set that is searched. Invariants: keys are
//! taken literally and never reach a query language; a value of another type, or none, matches no
//! comparison and stops nothing; what is malformed is refused with the name of its key, never
//! ignored.

use std::cmp::Ordering;
use std::sync::Arc;

use immune_model::Metadata;
use immune_model::metadata::Value;

/// A condition on metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// All of them hold; with none, everything is let through.
    All(Vec<Filter>),
    /// One of them holds.
    Any(Vec<Filter>),
    /// What is noted under a key passes a test.
    Key {
        /// The key.
        key: Arc<str>,
        /// The test.
        test: Test,
    },
}

/// A test of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// It is this: `$eq`, or the value by itself.
    Is(Value),
    /// It is not this, or not there: `$ne`.
    IsNot(Value),
    /// It is one of these: `$in`.
    In(Vec<Value>),
    /// It is a number, or a text, and compares so with this one: `$gt`, `$gte`, `$lt`, `$lte`.
    Compares(Comparison, Value),
}

/// How a value compares with that of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It is greater.
    Greater,
    /// It is greater or the same.
    GreaterOrSame,
    /// It is less.
    Less,
    /// It is less or the same.
    LessOrSame,
}

/// Why a filter is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A filter, or a part of `$and` or `$or`, that has no keys.
    #[error("a filter is an object of keys and conditions, not {kind}")]
    NoObject {
        /// What it is.
        kind: &'static str,
    },
    /// An operator that is not known.
    #[error("`{operator}` under `{key}` is no operator")]
    Unknown {
        /// The key it is under.
        key: Arc<str>,
        /// What stands there.
        operator: Arc<str>,
    },
    /// A key that starts with `$` where keys of the metadata stand.
    #[error("`{operator}` stands where a key is expected")]
    Misplaced {
        /// What stands there.
        operator: Arc<str>,
    },
    /// An object that is neither operators nor marked as a value.
    #[error("`{key}` is compared with an object, and `{inner}` in it is no operator")]
    Object {
        /// The key it is under.
        key: Arc<str>,
        /// The first key of the object.
        inner: Arc<str>,
    },
    /// An operator with a value of a kind that it cannot take.
    #[error("`{operator}` under `{key}` takes {expected}, not {kind}")]
    Operand {
        /// The key it is under, or the operator itself.
        key: Arc<str>,
        /// The operator.
        operator: Arc<str>,
        /// What it takes.
        expected: &'static str,
        /// What it got.
        kind: &'static str,
    },
    /// `$and` and `$or` inside one another.
    #[error("the filter is nested too deep, the limit is {limit}")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

impl FilterError {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Object { .. } => {
                "operators start with `$`: `{\"age\":{\"$gt\":25}}`; say `{\"$eq\":{…}}` to compare \
                 with an object"
            }
            Self::Operand { operator, .. } if &**operator == "$in" => {
                "give it a list: `{\"user\":{\"$in\":[\"alice\"]}}`"
            }
            _ => {
                "write it like `{\"user\":\"alice\",\"age\":{\"$gte\":18}}`; there are `$eq`, `$ne`, \
                 `$gt`, `$gte`, `$lt`, `$lte` and `$in` for values, `$and` and `$or` for filters"
            }
        }
    }
}

impl Filter {
    /// The filter that this value says.
    pub fn parse(value: &Value) -> Result<Self, FilterError> {
        parse(value, 1)
    }

    /// Whether metadata passes.
    pub fn matches(&self, metadata: &Metadata) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|it| it.matches(metadata)),
            Self::Any(filters) => filters.iter().any(|it| it.matches(metadata)),
            Self::Key { key, test } => test.passes(metadata.get(key)),
        }
    }
}

fn parse(value: &Value, depth: usize) -> Result<Filter, FilterError> {
    let limit = immune_model::limits::METADATA_DEPTH_MAX;
    if depth > limit {
        return Err(FilterError::TooDeep { limit });
    }
    let Value::Object(entries) = value else {
        return Err(FilterError::NoObject { kind: value.kind() });
    };
    let mut all = Vec::new();
    for (key, condition) in entries {
        match &**key {
            "$and" => all.push(Filter::All(parts(key, condition, depth)?)),
            "$or" => all.push(Filter::Any(parts(key, condition, depth)?)),
            operator if operator.starts_with('$') => {
                return Err(FilterError::Misplaced {
                    operator: key.clone(),
                });
            }
            _ => all.extend(tests(key, condition)?.into_iter().map(|test| Filter::Key {
                key: key.clone(),
                test,
            })),
        }
    }
    Ok(match <[Filter; 1]>::try_from(all) {
        Ok([one]) => one,
        Err(all) => Filter::All(all),
    })
}

fn parts(operator: &Arc<str>, value: &Value, depth: usize) -> Result<Vec<Filter>, FilterError> {
    match value {
        Value::List(parts) if !parts.is_empty() => {
            parts.iter().map(|it| parse(it, depth + 1)).collect()
        }
        _ => Err(FilterError::Operand {
            key: operator.clone(),
            operator: operator.clone(),
            expected: "a list of filters",
            kind: match value {
                Value::List(_) => "an empty one",
                _ => value.kind(),
            },
        }),
    }
}

/// The tests that a condition asks for.
fn tests(key: &Arc<str>, condition: &Value) -> Result<Vec<Test>, FilterError> {
    let Value::Object(operators) = condition else {
        return Ok(vec![Test::Is(condition.clone())]);
    };
    if let Some(inner) = operators.keys().find(|it| !it.starts_with('$')) {
        return Err(FilterError::Object {
            key: key.clone(),
            inner: inner.clone(),
        });
    }
    if operators.is_empty() {
        return Ok(vec![Test::Is(condition.clone())]);
    }
    operators
        .iter()
        .map(|(operator, value)| test(key, operator, value))
        .collect()
}

fn test(key: &Arc<str>, operator: &Arc<str>, value: &Value) -> Result<Test, FilterError> {
    let operand = |expected| FilterError::Operand {
        key: key.clone(),
        operator: operator.clone(),
        expected,
        kind: value.kind(),
    };
    let compares = |comparison| match value {
        Value::Number(_) | Value::Text(_) => Ok(Test::Compares(comparison, value.clone())),
        _ => Err(operand("a number or a text")),
    };
    match &**operator {
        "$eq" => Ok(Test::Is(value.clone())),
        "$ne" => Ok(Test::IsNot(value.clone())),
        "$gt" => compares(Comparison::Greater),
        "$gte" => compares(Comparison::GreaterOrSame),
        "$lt" => compares(Comparison::Less),
        "$lte" => compares(Comparison::LessOrSame),
        "$in" => match value {
            Value::List(values) => Ok(Test::In(values.clone())),
            _ => Err(operand("a list")),
        },
        _ => Err(FilterError::Unknown {
            key: key.clone(),
            operator: operator.clone(),
        }),
    }
}

impl Test {
    fn passes(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Is(expected) => value == Some(expected),
            Self::IsNot(expected) => value != Some(expected),
            Self::In(expected) => value.is_some_and(|it| expected.contains(it)),
            Self::Compares(comparison, bound) => {
                let ordering = match (value, bound) {
                    (Some(Value::Number(it)), Value::Number(bound)) => it.compare(*bound),
                    (Some(Value::Text(it)), Value::Text(bound)) => it.cmp(bound),
                    _ => return false,
                };
                comparison.holds(ordering)
            }
        }
    }
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrSame => ordering.is_ge(),
            Self::Less => ordering.is_lt(),
            Self::LessOrSame => ordering.is_le(),
        }
    }
}

#[cfg(test)]
mod tests {
    use immune_model::metadata::Number;

    use super::*;

    fn text(it: &str) -> Value {
        Value::Text(it.into())
    }

    fn number(it: f64) -> Value {
        Value::Number(Number::of(it).expect("it is finite"))
    }

    fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
        let entries = entries.into_iter().map(|(key, it)| (key.into(), it));
        Value::Object(entries.collect())
    }

    fn noted<const N: usize>(entries: [(&str, Value); N]) -> Metadata {
        let Value::Object(entries) = object(entries) else {
            unreachable!("an object is one")
        };
        Metadata::new(entries).expect("it is within the limits")
    }

    fn filter(value: &Value) -> Filter {
        Filter::parse(value).expect("it is a filter")
    }

    #[test]
    fn d10_a_value_of_another_type_or_none_matches_no_comparison() {
        let older = filter(&object([("age", object([("$gt", number(25.0))]))]));
        assert!(older.matches(&noted([("age", number(30.0))])));
        assert!(!older.matches(&noted([])));
        assert!(!older.matches(&noted([("age", text("unknown"))])));
        assert!(!older.matches(&noted([("age", Value::Null)])));
    }

    #[test]
    fn d11_numbers_compare_as_numbers() {
        let ten = filter(&object([("score", object([("$gte", number(10.0))]))]));
        let kept = [2.0, 9.0, 10.0, 100.0].map(|it| ten.matches(&noted([("score", number(it))])));
        assert_eq!(kept, [false, false, true, true]);
    }

    #[test]
    fn d06_a_key_is_only_ever_a_key() {
        let odd = "age') = 1 OR 1=1 --";
        let asked = filter(&object([(odd, number(1.0))]));
        assert!(!asked.matches(&noted([("age", number(1.0))])));
        assert!(asked.matches(&noted([(odd, number(1.0))])));
    }

    #[test]
    fn d07_what_is_malformed_is_refused_with_its_key() {
        let refused = |value: &Value| Filter::parse(value).expect_err("it is none").to_string();
        let bare = object([("user_id", object([("in", text("alice"))]))]);
        assert_eq!(
            refused(&bare),
            "`user_id` is compared with an object, and `in` in it is no operator"
        );
        let letters = object([("user_id", object([("$in", text("alice"))]))]);
        assert_eq!(
            refused(&letters),
            "`$in` under `user_id` takes a list, not a text"
        );
        let unknown = object([("a", object([("$near", number(1.0))]))]);
        assert_eq!(refused(&unknown), "`$near` under `a` is no operator");
        assert_eq!(
            refused(&object([("$not", Value::Null)])),
            "`$not` stands where a key is expected"
        );
        assert_eq!(
            refused(&text("a")),
            "a filter is an object of keys and conditions, not a text"
        );
        let empty = object([("$or", Value::List(Vec::new()))]);
        assert_eq!(
            refused(&empty),
            "`$or` under `$or` takes a list of filters, not an empty one"
        );
    }

    #[test]
    fn tests_of_one_key_and_several_keys_all_have_to_hold() {
        let range = object([("$gt", number(1.0)), ("$lt", number(5.0))]);
        let both = filter(&object([("n", range), ("user", text("alice"))]));
        assert!(both.matches(&noted([("n", number(3.0)), ("user", text("alice"))])));
        assert!(!both.matches(&noted([("n", number(5.0)), ("user", text("alice"))])));
        assert!(!both.matches(&noted([("n", number(3.0)), ("user", text("bob"))])));
        assert!(filter(&object([])).matches(&noted([])));
    }

    #[test]
    fn or_and_in_and_ne_mean_what_they_say() {
        let users = Value::List(vec![text("alice"), text("bob")]);
        let one_of = filter(&object([("user", object([("$in", users)]))]));
        assert!(one_of.matches(&noted([("user", text("bob"))])));
        assert!(!one_of.matches(&noted([("user", text("b"))])));
        let parts = vec![object([("a", number(1.0))]), object([("b", number(2.0))])];
        let either = filter(&object([("$or", Value::List(parts))]));
        assert!(either.matches(&noted([("b", number(2.0))])));
        assert!(!either.matches(&noted([("b", number(1.0))])));
        let other = filter(&object([("user", object([("$ne", text("bob"))]))]));
        assert!(other.matches(&noted([])));
        assert!(!other.matches(&noted([("user", text("bob"))])));
    }
}
