//! What is in force: each setting with where its value came from.
//!
//! Precedence: option, environment, default. There is no configuration file yet.

use std::path::PathBuf;

use immune_engine::When;
use immune_model::{Handle, MemoryName, Principal, Role};

use crate::args::{ExtractorName, Global, RoleName};
use crate::failure::Failure;

/// The environment variables of the product.
pub(crate) mod environment {
    /// The store, as `--store`.
    pub(crate) const STORE: &str = "IMMUNE_STORE";
    /// The memory, as `--memory`.
    pub(crate) const MEMORY: &str = "IMMUNE_MEMORY";
    /// Who finds claims, as `--extractor`.
    pub(crate) const EXTRACTOR: &str = "IMMUNE_EXTRACTOR";
    /// Who makes vectors, as `reindex --embedder`.
    pub(crate) const EMBEDDER: &str = "IMMUNE_EMBEDDER";
    /// How many numbers a vector of the endpoint has; asked of it where it is not said.
    pub(crate) const EMBED_DIMENSIONS: &str = "IMMUNE_EMBED_DIMENSIONS";
    /// What the variables of the model that reads begin with.
    pub(crate) const MODEL: &str = "IMMUNE_MODEL";
    /// What those of the model that makes vectors begin with.
    pub(crate) const EMBED: &str = "IMMUNE_EMBED";
    /// Ends the variable with the base URL of an endpoint.
    pub(crate) const URL: &str = "URL";
    /// Ends that with the name of the model there.
    pub(crate) const NAME: &str = "NAME";
    /// Ends that with the name of the variable that holds the key.
    pub(crate) const KEY_FROM: &str = "KEY_FROM";
    /// Ends that with the seconds that one call may take.
    pub(crate) const TIMEOUT: &str = "TIMEOUT";
    /// Ends that with what a million tokens cost that the model reads.
    pub(crate) const PRICE_READ: &str = "PRICE_READ";
    /// Ends that with what a million tokens cost that it writes.
    pub(crate) const PRICE_WRITTEN: &str = "PRICE_WRITTEN";
    /// Ends that which is `allowed` where `http` may go to other machines.
    pub(crate) const PLAIN_HTTP: &str = "PLAIN_HTTP";
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// An option of this command.
    Option,
    /// An environment variable.
    Environment,
    /// Nobody said anything.
    Default,
}

impl Origin {
    /// The word for it, in lower case.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Environment => "environment",
            Self::Default => "default",
        }
    }
}

/// A value with where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) from: Origin,
}

/// What is in force.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Where the memories are: a path or a URL.
    pub(crate) store: Setting<String>,
    /// Which memory.
    pub(crate) memory: Setting<MemoryName>,
    /// Who asks.
    pub(crate) principal: Setting<Principal>,
    /// How long to wait for other writers, in seconds.
    pub(crate) timeout_seconds: Setting<u64>,
    /// The moment that is asked about; now if nothing is said.
    pub(crate) as_of: Option<When>,
    /// Who finds claims, unless a command says otherwise.
    pub(crate) extractor: Setting<ExtractorName>,
    /// The endpoint of the model that reads, as it is written.
    pub(crate) model: ModelSettings,
    /// Who makes vectors of texts, if somebody said so.
    pub(crate) embedder: Option<String>,
    /// The endpoint of the model that makes vectors, as it is written.
    pub(crate) embed: ModelSettings,
    /// How many numbers its vectors have, as it is written.
    pub(crate) embed_dimensions: Option<String>,
}

/// The endpoint of a model, as the environment describes it. Nothing is checked before it is used.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelSettings {
    /// What its variables begin with.
    begin: &'static str,
    /// The base URL.
    pub(crate) url: Option<String>,
    /// The name of the model.
    pub(crate) name: Option<String>,
    /// The name of the variable that holds the key.
    pub(crate) key_from: Option<String>,
    /// Seconds that one call may take.
    pub(crate) timeout_seconds: Option<String>,
    /// Whether `http` may go to other machines.
    pub(crate) plain_http: Option<String>,
    /// What a million tokens cost that it reads.
    pub(crate) price_read: Option<String>,
    /// What a million tokens cost that it writes.
    pub(crate) price_written: Option<String>,
}

impl ModelSettings {
    fn of_environment(begin: &'static str) -> Result<Self, Failure> {
        let of = |end: &str| variable(&format!("{begin}_{end}"));
        Ok(Self {
            begin,
            url: of(environment::URL)?,
            name: of(environment::NAME)?,
            key_from: of(environment::KEY_FROM)?,
            timeout_seconds: of(environment::TIMEOUT)?,
            plain_http: of(environment::PLAIN_HTTP)?,
            price_read: of(environment::PRICE_READ)?,
            price_written: of(environment::PRICE_WRITTEN)?,
        })
    }

    /// The variable of these settings that ends so.
    pub(crate) fn variable(&self, end: &str) -> String {
        format!("{}_{end}", self.begin)
    }
}

/// Seconds to wait for other writers.
const TIMEOUT_SECONDS: u64 = 10;

impl Settings {
    /// The settings that follow from the options and the environment.
    pub(crate) fn of(global: &Global) -> Result<Self, Failure> {
        let store = match (&global.store, variable(environment::STORE)?) {
            (Some(value), _) => setting(value.clone(), Origin::Option),
            (None, Some(value)) => setting(value, Origin::Environment),
            (None, None) => setting(default_store()?, Origin::Default),
        };
        let memory = match (&global.memory, variable(environment::MEMORY)?) {
            (Some(value), _) => setting(MemoryName::new(value)?, Origin::Option),
            (None, Some(value)) => setting(MemoryName::new(&value)?, Origin::Environment),
            (None, None) => setting(MemoryName::new("default")?, Origin::Default),
        };
        let principal = match &global.principal {
            Some(named) => setting(named.principal()?, Origin::Option),
            None => setting(local_operator()?, Origin::Default),
        };
        let timeout_seconds = match global.timeout {
            Some(seconds) => setting(seconds, Origin::Option),
            None => setting(TIMEOUT_SECONDS, Origin::Default),
        };
        let extractor = match variable(environment::EXTRACTOR)? {
            Some(word) => setting(extractor_named(&word)?, Origin::Environment),
            None => setting(ExtractorName::Rules, Origin::Default),
        };
        Ok(Self {
            extractor,
            model: ModelSettings::of_environment(environment::MODEL)?,
            embedder: variable(environment::EMBEDDER)?,
            embed: ModelSettings::of_environment(environment::EMBED)?,
            embed_dimensions: variable(environment::EMBED_DIMENSIONS)?,
            store,
            memory,
            principal,
            timeout_seconds,
            as_of: global.as_of,
        })
    }
}

fn setting<T>(value: T, from: Origin) -> Setting<T> {
    Setting { value, from }
}

fn extractor_named(word: &str) -> Result<ExtractorName, Failure> {
    ExtractorName::from_name(word).ok_or_else(|| {
        let name = environment::EXTRACTOR;
        let word = crate::escape::line(word);
        Failure::usage(format!("`{name}` is `{word}`, which finds no claims"))
            .hint(format!("`export {name}=rules`, or `model`"))
    })
}

/// The value of an environment variable; an empty one counts as unset.
pub(crate) fn variable(name: &str) -> Result<Option<String>, Failure> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("`{name}` is no UTF-8")))
        }
    }
}

/// Whoever may open the file is its operator; the name is theirs, for the log.
fn local_operator() -> Result<Principal, Failure> {
    let name = variable("USER").ok().flatten();
    let name = name.or_else(|| variable("USERNAME").ok().flatten());
    let name = name.and_then(|it| Handle::new(&it).ok());
    Ok(Principal {
        role: Role::Operator,
        name: name.map_or_else(|| Handle::new("operator"), Ok)?,
    })
}

/// One file in the user's data folder. The current folder is never looked at: a store can hold
/// compensation commands, and one that came with a download must not be opened by accident.
fn default_store() -> Result<String, Failure> {
    let folder = data_folder().ok_or_else(|| {
        Failure::usage("no store is named, and there is no home folder for the default one")
            .hint("name one with `--store FILE` or `IMMUNE_STORE`")
    })?;
    let path = folder.join("immune").join("immune.db");
    path.into_os_string()
        .into_string()
        .map_err(|_| Failure::usage("the path of the default store is no UTF-8"))
}

fn data_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
    };
    if cfg!(windows) {
        return folder("APPDATA");
    }
    if cfg!(target_os = "macos") {
        return folder("HOME").map(|it| it.join("Library/Application Support"));
    }
    folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|it| it.join(".local/share")))
}

impl RoleName {
    fn principal(&self) -> Result<Principal, Failure> {
        Ok(Principal {
            role: self.role,
            name: Handle::new(&self.name)?,
        })
    }
}
