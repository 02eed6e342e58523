//! What is noted about a write, and the filter of a question.

use std::collections::BTreeMap;
use std::sync::Arc;

use immune_api::metadata;
use immune_engine::Filter;
use immune_model::Metadata;
use immune_model::metadata::Value;

use super::Context;
use crate::args::Noted;
use crate::failure::Failure;
use crate::input;

/// The metadata that a command gives.
pub(crate) fn metadata(context: &mut Context, args: &Noted) -> Result<Metadata, Failure> {
    let mut entries: BTreeMap<Arc<str>, Value> = match &args.metadata {
        Some(word) => metadata::metadata(&input::words(context, word)?)?
            .entries()
            .clone(),
        None => BTreeMap::new(),
    };
    for entry in &args.entries {
        let Some((key, value)) = entry.split_once('=') else {
            let entry = crate::escape::line(entry);
            return Err(Failure::usage(format!("`{entry}` is no key with a value"))
                .hint("write it like `--meta user=alice`"));
        };
        if entries.insert(key.into(), metadata::word(value)).is_some() {
            let key = crate::escape::line(key);
            return Err(Failure::usage(format!("`{key}` is noted twice")));
        }
    }
    Ok(Metadata::new(entries).map_err(metadata::JsonError::from)?)
}

/// The filter of a question, if it has one.
pub(crate) fn filter(context: &mut Context, word: Option<&str>) -> Result<Option<Filter>, Failure> {
    let Some(word) = word else {
        return Ok(None);
    };
    let json = input::words(context, word)?;
    Ok(Some(metadata::filter(&json)?))
}
