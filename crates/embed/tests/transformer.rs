//! A transformer from a folder: what is refused, and the vectors of a known one.
//!
//! `IMMUNE_MINILM` names a folder with `all-MiniLM-L6-v2`; without it, that part is skipped.

#![cfg(feature = "candle")]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::Path;

use immune_embed::{Precision, Transformer};
use immune_recall::Embedder as _;

const CONFIG: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "max_position_embeddings": 8,
    "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}"#;
const TOKENIZER: &str = r###"{"model": {"type": "WordPiece", "continuing_subword_prefix": "##",
    "vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}},
    "normalizer": {"type": "BertNormalizer", "lowercase": true, "handle_chinese_chars": true}}"###;

/// Why a folder with these files is refused.
fn refused(config: &str, tokenizer: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
    write("config.json", config);
    write("tokenizer.json", tokenizer);
    write("model.safetensors", "no weights");
    let error = Transformer::open(folder.path(), Precision::Single).unwrap_err();
    error.to_string()
}

#[test]
fn another_kind_of_model_is_refused_with_what_it_is() {
    for (config, tokenizer, right) in [
        (
            CONFIG.replace("bert", "roberta"),
            TOKENIZER.to_owned(),
            "`config.json` has \"roberta\" at `/model_type`, where `bert` is expected",
        ),
        (
            CONFIG.to_owned(),
            TOKENIZER.replace("WordPiece", "BPE"),
            "`tokenizer.json` has \"BPE\" at `/model/type`, where `WordPiece` is expected",
        ),
        (
            CONFIG.to_owned(),
            TOKENIZER.replace("\"lowercase\": true", "\"lowercase\": false"),
            "`tokenizer.json` has false at `/normalizer/lowercase`, where `true` is expected",
        ),
        (
            CONFIG.to_owned(),
            TOKENIZER.replace("[UNK]", "unk"),
            "`tokenizer.json` cannot be read: `[UNK]` is no piece of its vocabulary",
        ),
    ] {
        assert_eq!(refused(&config, &tokenizer), right);
    }
    let found = refused(CONFIG, TOKENIZER);
    assert!(
        found.starts_with("`model.safetensors` cannot be used: "),
        "{found}"
    );
}

#[test]
fn vectors_are_those_of_the_reference() {
    let Some(folder) = std::env::var_os("IMMUNE_MINILM") else {
        println!("skipped: no model; set `IMMUNE_MINILM` to a folder with all-MiniLM-L6-v2");
        return;
    };
    let model = Transformer::open(Path::new(&folder), Precision::Single).unwrap();
    assert_eq!(
        (model.model().dimensions, model.window_tokens()),
        (384, 254)
    );
    assert!(
        model.model().name.starts_with("MiniLM-L6-H384-uncased@"),
        "{}",
        model.model()
    );
    let texts = ["The invoice was paid on Friday.", "口座 naïve 🎉 GB29", " "];
    let vectors = model.embed(&texts).unwrap();
    // The first numbers, as plain matrix products give them.
    let right: [[f32; 6]; 2] = [
        [
            -0.054_117, 0.111_715, 0.011_453, -0.061_487, -0.103_288, -0.042_111,
        ],
        [
            -0.057_770, 0.022_532, 0.054_733, 0.049_474, -0.052_744, 0.041_456,
        ],
    ];
    for (vector, right) in vectors.iter().zip(right) {
        for (found, right) in vector.iter().zip(right) {
            assert!((found - right).abs() < 1e-4, "{found} and {right}");
        }
        let square: f32 = vector.iter().map(|it| it * it).sum();
        assert!((square - 1.0).abs() < 1e-5);
    }
    assert!(vectors[2].iter().all(|it| it.abs() < f32::MIN_POSITIVE));
}
