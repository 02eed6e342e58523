//! Metadata and filters as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use immune_engine::{Filter, FilterError};
use immune_model::metadata::{Number, Value};
use immune_model::{Metadata, MetadataError};
use serde_json::Value as Json;

/// Why a text is no metadata or no filter.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON at all.
    #[error("the metadata is no JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It is no JSON where a filter is expected.
    #[error("the filter is no JSON: {0}")]
    FilterSyntax(serde_json::Error),
    /// Metadata is keys with values.
    #[error("metadata is an object of keys and values")]
    NoObject,
    /// It is past a limit.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// It is no filter.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

impl JsonError {
    /// The next step.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Syntax(_) | Self::FilterSyntax(_) => {
                Some("keys and texts stand in double quotes: `{\"user\":\"alice\"}`")
            }
            Self::NoObject => Some("write it like `{\"user\":\"alice\",\"age\":30}`"),
            Self::Filter(error) => Some(error.hint()),
            Self::Metadata(_) => None,
        }
    }
}

/// The metadata that a JSON object says. Of a key that stands there twice the last value counts.
pub fn metadata(json: &str) -> Result<Metadata, JsonError> {
    match value(&serde_json::from_str(json)?) {
        Value::Object(entries) => Ok(Metadata::new(entries)?),
        _ => Err(JsonError::NoObject),
    }
}

/// The filter that a JSON object says.
pub fn filter(json: &str) -> Result<Filter, JsonError> {
    let json = serde_json::from_str(json).map_err(JsonError::FilterSyntax)?;
    Ok(Filter::parse(&value(&json))?)
}

/// The value that somebody wrote after `KEY=`: a number, `true`, `false` or `null` if it is one,
/// else a text.
pub fn word(word: &str) -> Value {
    match serde_json::from_str(word) {
        Ok(json @ (Json::Null | Json::Bool(_) | Json::Number(_))) => value(&json),
        _ => Value::Text(word.into()),
    }
}

/// A JSON value of the vocabulary. A number past 64 bits is the nearest that is floating.
pub fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(number) => {
            let whole = number.as_i64().map(Number::Whole);
            let real = || number.as_f64().and_then(Number::of);
            whole.or_else(real).map_or(Value::Null, Value::Number)
        }
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Array(values) => Value::List(values.iter().map(value).collect()),
        Json::Object(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, it)| (key.as_str().into(), value(it)))
                    .collect(),
            )
        }
    }
}

/// Metadata as JSON.
pub(crate) fn json(metadata: &Metadata) -> Json {
    object(metadata.entries())
}

fn object(entries: &BTreeMap<Arc<str>, Value>) -> Json {
    let entries = entries.iter();
    Json::Object(
        entries
            .map(|(key, it)| (key.to_string(), json_of(it)))
            .collect(),
    )
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(yes) => Json::Bool(*yes),
        Value::Number(Number::Whole(whole)) => Json::from(*whole),
        Value::Number(real) => Json::from(real.value()),
        Value::Text(text) => Json::from(&**text),
        Value::List(values) => Json::Array(values.iter().map(json_of).collect()),
        Value::Object(entries) => object(entries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_the_same_json_again() {
        let text = r#"{"a":[1,2.5,null,true],"b":{"c":"é"},"large":1e300,"whole":-7}"#;
        let read = metadata(text).expect("it is metadata");
        let expected: Json = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(json(&read), expected);
    }

    #[test]
    fn what_is_no_metadata_is_refused() {
        assert!(matches!(metadata("[1]"), Err(JsonError::NoObject)));
        assert!(matches!(metadata("{a:1}"), Err(JsonError::Syntax(_))));
        assert!(matches!(
            metadata(r#"{"a":"\u0000"}"#),
            Err(JsonError::Metadata(_))
        ));
    }

    #[test]
    fn a_word_is_a_number_or_a_choice_if_it_reads_as_one() {
        assert_eq!(word("30"), Value::Number(Number::Whole(30)));
        assert_eq!(word("true"), Value::Bool(true));
        assert_eq!(word("[1]"), Value::Text("[1]".into()));
        assert_eq!(word("\"x\""), Value::Text("\"x\"".into()));
        assert_eq!(word("alice"), Value::Text("alice".into()));
    }
}
