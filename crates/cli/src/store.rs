//! Opening the store that a setting names: the one place where a kind of store is chosen.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use immune_api::Code;
use immune_store::{MemoryStore, Store};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

use crate::escape;
use crate::failure::Failure;
use crate::settings::{Origin, Settings};

/// Whether a command may make a store where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It reads: an absent store is an error.
    Reads,
    /// It changes what is there: an absent store is an error.
    Changes,
    /// It writes, and may be the first to: an absent store is made.
    Writes,
    /// It plans and keeps nothing: an absent store is an empty one.
    Previews,
}

/// What a store is named by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location<'a> {
    /// A file.
    File(&'a Path),
    /// Nowhere: it is dropped at the end of the command.
    Nowhere,
}

impl<'a> Location<'a> {
    /// The location that a word names: a path, `sqlite:PATH`, or `memory:`.
    pub(crate) fn parse(word: &'a str) -> Result<Self, Failure> {
        if word == "memory:" {
            return Ok(Self::Nowhere);
        }
        if let Some(path) = word.strip_prefix("sqlite:") {
            return Ok(Self::File(Path::new(path)));
        }
        if let Some((scheme, _)) = word.split_once("://") {
            return Err(Failure::new(
                Code::UnsupportedStore,
                format!("this version has no `{scheme}` store"),
            )
            .hint("name a file, or `memory:`"));
        }
        Ok(Self::File(Path::new(word)))
    }
}

/// Opens the store that is in force as the file that it is, for what only a file can.
pub(crate) fn open_file(settings: &Settings) -> Result<SqliteStore, Failure> {
    let Location::File(path) = Location::parse(&settings.store.value)? else {
        return Err(Failure::new(
            Code::UnsupportedStore,
            "`memory:` is no file, and there is nothing to copy",
        ));
    };
    if !path.try_exists().unwrap_or(true) {
        return Err(absent(settings));
    }
    open_sqlite(path, settings, Access::Reads)
}

/// The file with a copy of a store.
pub(crate) fn open_copy(path: &Path, settings: &Settings) -> Result<Arc<dyn Store>, Failure> {
    Ok(Arc::new(open_sqlite(path, settings, Access::Reads)?))
}

fn absent(settings: &Settings) -> Failure {
    let shown = escape::line(&settings.store.value);
    Failure::new(Code::NoSuchStore, format!("there is no store at `{shown}`"))
        .hint("the first write makes it: `immune channels set inbox --tier 0.7`")
}

fn open_sqlite(path: &Path, settings: &Settings, access: Access) -> Result<SqliteStore, Failure> {
    let options = SqliteOptions {
        timeout: Duration::from_secs(settings.timeout_seconds.value),
        create: access == Access::Writes,
    };
    Ok(SqliteStore::open(path, options)?)
}

/// Opens the store that is in force.
pub(crate) fn open_store(settings: &Settings, access: Access) -> Result<Arc<dyn Store>, Failure> {
    let Location::File(path) = Location::parse(&settings.store.value)? else {
        return Ok(Arc::new(MemoryStore::new()));
    };
    let is_there = path.try_exists().unwrap_or(true);
    if !is_there && access == Access::Previews {
        return Ok(Arc::new(MemoryStore::new()));
    }
    if !is_there && matches!(access, Access::Reads | Access::Changes) {
        return Err(absent(settings));
    }
    if settings.store.from == Origin::Default
        && let Some(folder) = path.parent()
    {
        fs_err::create_dir_all(folder).map_err(|it| Failure::new(Code::StoreFailed, it))?;
    }
    Ok(Arc::new(open_sqlite(path, settings, access)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_path_a_url_of_a_path_or_nowhere() {
        let file = |path| Location::File(Path::new(path));
        for (word, location) in [
            ("a.db", file("a.db")),
            ("sqlite:a.db", file("a.db")),
            ("C:\\a.db", file("C:\\a.db")),
            ("memory:", Location::Nowhere),
        ] {
            assert_eq!(Location::parse(word).unwrap(), location, "{word}");
        }
        assert!(Location::parse("postgres://host/db").is_err());
    }
}
