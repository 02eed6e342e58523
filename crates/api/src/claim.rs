//! Claims as a caller states them in JSON.

use immune_model::{Polarity, Trust};
use serde::{Deserialize, Deserializer};

/// A claim as it is stated.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedClaim {
    /// What it is about: a subject.
    pub about: String,
    /// The claim in words.
    pub claim: String,
    /// `+`, `-` or `?`; read from the words if it is left out.
    #[serde(default, deserialize_with = "polarity")]
    pub polarity: Option<Polarity>,
    /// How sure it is, from 0 to 1: it can only lower what its source is worth.
    #[serde(default, deserialize_with = "confidence")]
    pub confidence: Option<Trust>,
    /// When what it says starts to hold.
    #[serde(default)]
    pub valid_from: Option<String>,
    /// When what it says ceases to hold.
    #[serde(default)]
    pub valid_until: Option<String>,
    /// When the statement expires.
    #[serde(default)]
    pub expires_at: Option<String>,
}

fn polarity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Polarity>, D::Error> {
    let Some(sign) = Option::<char>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let polarity = Polarity::from_sign(sign);
    polarity
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom("the polarity is `+`, `-` or `?`"))
}

fn confidence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Trust>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    let trust = number.map(|it| it.to_string().parse());
    trust.transpose().map_err(serde::de::Error::custom)
}

/// The claims of a list, or one claim by itself.
pub fn parse(json: &str) -> Result<Vec<StatedClaim>, serde_json::Error> {
    if json.trim_start().starts_with('{') {
        return Ok(vec![serde_json::from_str(json)?]);
    }
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_and_a_misspelled_field_is_refused() {
        let claims = parse(r#"[{"about":"a.b","claim":"x","polarity":"-"}]"#).unwrap();
        assert_eq!(claims[0].polarity, Some(Polarity::Denied));
        assert_eq!(parse(r#"{"about":"a.b","claim":"x"}"#).unwrap().len(), 1);
        for json in [
            r#"[{"about":"a.b","claim":"x","polarity":"!"}]"#,
            r#"[{"about":"a.b","clam":"x"}]"#,
            "[1]",
            "",
        ] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
