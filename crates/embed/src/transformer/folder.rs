//! What is in the folder of a model: read, checked, and refused where it is another kind.
//!
//! Called by `mod` only. Invariant: a model that is not refused is computed as its files say;
//! whatever would be computed otherwise has an error that names the file and what is in it.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use candle_core::{Device, Tensor};
use serde_json::Value;

use super::bert::Shape;

/// Hexadecimal digits of the digest of the weights that a name ends with.
const DIGEST_DIGITS: usize = 12;

/// Why a folder is no model that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A file is not what its name says.
    #[error("`{file}` cannot be read: {reason}")]
    Format {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A model of another kind.
    #[error("`{file}` has {found} at `{at}`, where {expected} is expected")]
    Unsupported {
        /// The file.
        file: &'static str,
        /// Where in it, as a JSON pointer.
        at: String,
        /// What is there, as JSON.
        found: String,
        /// What can be used.
        expected: &'static str,
    },
    /// The weights are not those that the configuration speaks of.
    #[error("`model.safetensors` cannot be used: {reason}")]
    Weights {
        /// What is wrong with them.
        reason: String,
    },
}

/// What the states of the pieces become for the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
}

/// The pieces that are no words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Specials {
    begin: u32,
    end: u32,
    pub(super) unknown: u32,
}

impl Specials {
    /// A text as the model wants it.
    pub(super) fn around(self, pieces: &[u32]) -> Vec<u32> {
        let mut row = vec![self.begin];
        row.extend_from_slice(pieces);
        row.push(self.end);
        row
    }
}

/// What the files say.
pub(super) struct Files {
    pub(super) name: String,
    pub(super) dimensions: u32,
    pub(super) shape: Shape,
    pub(super) pooling: Pooling,
    pub(super) window_tokens: usize,
    pub(super) pieces: Vec<(String, u32)>,
    pub(super) specials: Specials,
    pub(super) weights: HashMap<String, Tensor>,
}

/// Reads and checks them.
pub(super) fn read(folder: &Path) -> Result<Files, OpenError> {
    let config = Json::read(folder, "config.json")?;
    config.expect("/model_type", &["bert"], "`bert`")?;
    config.expect("/hidden_act", &["gelu"], "`gelu`")?;
    let absolute = ["absolute", ""];
    config.expect("/position_embedding_type", &absolute, "`absolute`")?;
    let n_positions = config.number("/max_position_embeddings")?;
    let tokenizer = Json::read(folder, "tokenizer.json")?;
    let (pieces, specials) = vocabulary(&tokenizer)?;
    let bytes = fs_err::read(folder.join("model.safetensors"))?;
    let digest = blake3::hash(&bytes).to_hex();
    let weights = candle_core::safetensors::load_buffer(&bytes, &Device::Cpu);
    let weights = weights.map_err(|it| OpenError::Weights {
        reason: it.to_string(),
    })?;
    Ok(Files {
        name: format!("{}@{:.DIGEST_DIGITS$}", named(folder, &config), digest),
        dimensions: u32::try_from(config.number("/hidden_size")?).unwrap_or(u32::MAX),
        shape: Shape {
            n_layers: config.number("/num_hidden_layers")?,
            n_heads: config.number("/num_attention_heads")?.max(1),
            epsilon: config.get("/layer_norm_eps").as_f64().unwrap_or(1e-12),
        },
        pooling: pooling(folder)?,
        window_tokens: window(folder, n_positions)?,
        pieces,
        specials,
        weights,
    })
}

/// What the model calls itself, else its folder.
fn named(folder: &Path, config: &Json) -> String {
    let said = config.get("/_name_or_path").as_str();
    let said = said.and_then(|it| it.rsplit('/').next());
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    said.filter(|it| !it.is_empty())
        .unwrap_or(&folder)
        .to_owned()
}

/// Pieces that a text may have beside the two around it.
fn window(folder: &Path, n_positions: usize) -> Result<usize, OpenError> {
    let said = Json::read_if_there(folder, "sentence_bert_config.json")?;
    let said = said.map(|it| it.number("/max_seq_length")).transpose()?;
    let tokens = said.unwrap_or(n_positions).min(n_positions);
    Ok(tokens.saturating_sub(2).max(1))
}

fn pooling(folder: &Path) -> Result<Pooling, OpenError> {
    let Some(config) = Json::read_if_there(folder, "1_Pooling/config.json")? else {
        return Ok(Pooling::Mean);
    };
    let is = |at: &str| config.get(at).as_bool().unwrap_or(false);
    match (
        is("/pooling_mode_mean_tokens"),
        is("/pooling_mode_cls_token"),
    ) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(config.unsupported("", "the mean or the first token as pooling")),
    }
}

fn vocabulary(tokenizer: &Json) -> Result<(Vec<(String, u32)>, Specials), OpenError> {
    tokenizer.expect("/model/type", &["WordPiece"], "`WordPiece`")?;
    tokenizer.expect("/model/continuing_subword_prefix", &["##"], "`##`")?;
    tokenizer.expect("/normalizer/type", &["BertNormalizer"], "`BertNormalizer`")?;
    for at in ["/normalizer/lowercase", "/normalizer/handle_chinese_chars"] {
        if tokenizer.get(at).as_bool() != Some(true) {
            return Err(tokenizer.unsupported(at, "`true`"));
        }
    }
    if tokenizer.get("/normalizer/strip_accents").as_bool() == Some(false) {
        return Err(tokenizer.unsupported("/normalizer/strip_accents", "`true`"));
    }
    let listed = tokenizer.get("/model/vocab").as_object();
    let listed = listed.ok_or_else(|| tokenizer.unsupported("/model/vocab", "a list of pieces"))?;
    let number = |it: &Value| u32::try_from(it.as_u64()?).ok();
    let special = |piece: &str| {
        let found = listed.get(piece).and_then(number);
        found.ok_or_else(|| OpenError::Format {
            file: tokenizer.file,
            reason: format!("`{piece}` is no piece of its vocabulary"),
        })
    };
    let specials = Specials {
        begin: special("[CLS]")?,
        end: special("[SEP]")?,
        unknown: special("[UNK]")?,
    };
    let pieces = listed
        .iter()
        .filter_map(|(it, n)| Some((it.clone(), number(n)?)));
    let mut pieces: Vec<(String, u32)> = pieces.collect();
    pieces.sort_unstable_by_key(|it| it.1);
    Ok((pieces, specials))
}

/// A file of JSON.
struct Json {
    file: &'static str,
    value: Value,
}

impl Json {
    fn read(folder: &Path, file: &'static str) -> Result<Self, OpenError> {
        let text = fs_err::read(folder.join(file))?;
        let value = serde_json::from_slice(&text).map_err(|it| OpenError::Format {
            file,
            reason: it.to_string(),
        })?;
        Ok(Self { file, value })
    }

    fn read_if_there(folder: &Path, file: &'static str) -> Result<Option<Self>, OpenError> {
        let is_there = folder.join(file).is_file();
        is_there.then(|| Self::read(folder, file)).transpose()
    }

    fn get(&self, at: &str) -> &Value {
        self.value.pointer(at).unwrap_or(&Value::Null)
    }

    fn number(&self, at: &str) -> Result<usize, OpenError> {
        let found = self
            .get(at)
            .as_u64()
            .and_then(|it| usize::try_from(it).ok());
        found.ok_or_else(|| self.unsupported(at, "a whole number"))
    }

    /// Whether one of these words is there; nothing at all is the empty word.
    fn expect(&self, at: &str, words: &[&str], expected: &'static str) -> Result<(), OpenError> {
        let found = self.get(at);
        let word = found.as_str().unwrap_or_default();
        if words.contains(&word) && (found.is_string() || found.is_null()) {
            return Ok(());
        }
        Err(self.unsupported(at, expected))
    }

    fn unsupported(&self, at: &str, expected: &'static str) -> OpenError {
        const SHOWN_CHARS: usize = 80;
        let found = self.get(at).to_string();
        OpenError::Unsupported {
            file: self.file,
            at: at.to_owned(),
            found: found.chars().take(SHOWN_CHARS).collect(),
            expected,
        }
    }
}
