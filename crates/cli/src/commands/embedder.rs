//! Who makes vectors of texts: the settings become an embedder.

use std::path::Path;
use std::sync::Arc;

use immune_api::Code;
use immune_embed::{Remote, RemoteSettings, StaticModel};
use immune_engine::{EmbedError, Embedder};

use super::extractor;
use crate::escape;
use crate::failure::Failure;
use crate::settings::{Settings, environment};

/// What begins the word for a model in a folder.
const FOLDER: &str = "folder:";

/// The embedder that the settings name; nothing where recall is to go by words alone.
pub(crate) fn of(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    named(settings, settings.embedder.as_deref().unwrap_or("bundled"))
}

/// The embedder of this word.
pub(crate) fn named(settings: &Settings, word: &str) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match word {
        "bundled" => Ok(Some(StaticModel::bundled())),
        "words" => Ok(None),
        "endpoint" => Ok(Some(Arc::new(remote(settings)?))),
        word => {
            let path = word.strip_prefix(FOLDER).map(Path::new);
            let path = path.ok_or_else(|| {
                let word = escape::line(word);
                Failure::usage(format!("`{word}` is no embedder"))
                    .hint("name `bundled`, `words`, `endpoint` or `folder:PATH`")
            })?;
            folder(path).map(Some)
        }
    }
}

fn remote(settings: &Settings) -> Result<Remote, Failure> {
    let client = extractor::client(&settings.embed, None)?;
    let dimensions = settings.embed_dimensions.as_deref().map(|word| {
        let name = environment::EMBED_DIMENSIONS;
        word.parse().map_err(|_| {
            Failure::usage(format!("`{name}` cannot be used: it is a whole number"))
                .hint(format!("`export {name}=768`, or `unset {name}`"))
        })
    });
    let remote = RemoteSettings {
        dimensions: dimensions.transpose()?,
        ..RemoteSettings::default()
    };
    Remote::new(client, remote).map_err(|it| failed(&it))
}

#[cfg(feature = "candle")]
fn folder(path: &Path) -> Result<Arc<dyn Embedder>, Failure> {
    let opened = immune_embed::Transformer::open(path, immune_embed::Precision::Single);
    let opened =
        opened.map_err(|it| Failure::new(Code::ModelFailed, escape::line(&it.to_string())));
    Ok(Arc::new(opened?))
}

#[cfg(not(feature = "candle"))]
fn folder(path: &Path) -> Result<Arc<dyn Embedder>, Failure> {
    let path = escape::line(&path.to_string_lossy());
    Err(Failure::usage(format!(
        "`{path}` is a model in a folder, and this program was built without that"
    ))
    .hint("build it with `cargo build --release --features candle`, or name `bundled`"))
}

/// The failure of a model that was to make vectors.
pub(crate) fn failed(error: &EmbedError) -> Failure {
    let failure = Failure::new(Code::ModelFailed, escape::line(&error.to_string()));
    match error {
        EmbedError::Endpoint { advice, .. } => failure.hint(advice.clone()),
        _ => failure,
    }
}
