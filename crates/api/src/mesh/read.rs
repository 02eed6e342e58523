//! Every string of a JSON value, in the order in which it stands, keys too; what a key says twice is
//! read twice, for a model may have written it. For the requests of the mesh only.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The strings of a value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Strings(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Strings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Collecting)
    }
}

struct Collecting;

impl<'de> Visitor<'de> for Collecting {
    type Value = Strings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Strings, E> {
        Ok(Strings::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Strings, E> {
        Ok(Strings::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Strings, E> {
        Ok(Strings::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Strings, E> {
        Ok(Strings::default())
    }

    fn visit_unit<E: Error>(self) -> Result<Strings, E> {
        Ok(Strings::default())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Strings, E> {
        Ok(Strings(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Strings, A::Error> {
        let mut all = Vec::new();
        while let Some(Strings(found)) = values.next_element()? {
            all.extend(found);
        }
        Ok(Strings(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Strings, A::Error> {
        let mut all = Vec::new();
        while let Some((key, Strings(found))) = entries.next_entry::<String, Strings>()? {
            all.push(key);
            all.extend(found);
        }
        Ok(Strings(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_read_and_what_stands_twice_too() {
        let json = r#"{"to":"bob","n":[1,"x",{"y":null,"z":true}],"to":"\u0063at"}"#;
        let Strings(found) = serde_json::from_str(json).unwrap();
        assert_eq!(found, ["to", "bob", "n", "x", "y", "z", "to", "cat"]);
    }
}
