//! The embedder in the binary: its file, its bits, its nearness.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use immune_embed::{StaticModel, pack};
use immune_recall::{Embedder, Window, chunk};

const TABLE: &[u8] = include_bytes!("../model/minilm.table");
/// What `tools/distil/distil.sh` compares, too.
const DIGEST: &str = include_str!("../model/minilm.table.blake3");

fn near(left: &str, right: &str) -> f32 {
    let vectors = StaticModel::bundled().embed(&[left, right]).unwrap();
    let (left, right) = (vectors.first().unwrap(), vectors.last().unwrap());
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[test]
fn the_table_is_the_one_that_was_distilled_and_fits() {
    assert!(TABLE.len() <= 8_000_000, "{} bytes", TABLE.len());
    assert_eq!(blake3::hash(TABLE).to_hex().as_str(), DIGEST.trim());
    let model = StaticModel::bundled();
    assert_eq!(
        model.model().to_string(),
        "static-minilm-1 (256 dimensions)"
    );
}

/// Memories keep vectors of this name: whoever changes a bit of them gives another name.
#[test]
fn the_vectors_have_the_same_bits_for_ever() {
    let texts = [
        "Brandt GmbH is paid to GB29 NWBK.",
        "口座 🎉 naïve",
        "",
        "x",
    ];
    let vectors = StaticModel::bundled().embed(&texts).unwrap();
    let bytes: Vec<u8> = vectors
        .iter()
        .flatten()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    assert_eq!(
        blake3::hash(&bytes).to_hex().as_str(),
        include_str!("vectors.blake3").trim(),
    );
}

#[test]
fn texts_of_one_meaning_are_nearer_than_others() {
    for (text, like, unlike) in [
        (
            "The invoice was paid.",
            "payment of the bill",
            "the dog sleeps",
        ),
        ("She adopted a puppy", "her new dog", "the interest rate"),
        ("refund policy", "money back rules", "weather in spring"),
        ("He plays the violin", "music lessons", "tax declaration"),
    ] {
        assert!(near(text, like) > near(text, unlike) + 0.1, "{text}");
    }
}

#[test]
fn a_vector_has_length_one_and_that_of_nothing_is_zero() {
    let texts = ["word", "  ", "", "\u{200b}", "𓀀", "a 𓀀"];
    let vectors = StaticModel::bundled().embed(&texts).unwrap();
    let lengths: Vec<f32> = vectors
        .iter()
        .map(|it| it.iter().map(|n| n * n).sum::<f32>().round())
        .collect();
    let shown: Vec<String> = lengths.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["1", "0", "0", "0", "0", "1"]);
}

#[test]
fn a_text_has_the_same_vector_whatever_is_beside_it() {
    let model = StaticModel::bundled();
    let hash = |vectors: Vec<Vec<f32>>| {
        let mut hasher = DefaultHasher::new();
        for number in vectors.first().unwrap() {
            number.to_bits().hash(&mut hasher);
        }
        hasher.finish()
    };
    let alone = hash(model.embed(&["some text"]).unwrap());
    assert_eq!(hash(model.embed(&["some text", "other"]).unwrap()), alone);
}

#[test]
fn texts_of_any_size_are_read_in_spans() {
    let model = StaticModel::bundled();
    let window = Window::of(&*model);
    // A run without a gap is a single unknown word, however long.
    for (unit, spans_min) in [
        ("word after word. ", 900),
        ("字", 1_400),
        ("🎉", 1),
        ("x", 1),
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let spans = chunk(&text, window, &|it| model.n_tokens(it));
        assert!(spans.len() >= spans_min, "{unit}: {}", spans.len());
        assert!(
            spans
                .iter()
                .all(|it| model.n_tokens(&text[it.clone()]) <= window.tokens)
        );
        let first = model.embed(&[&text[spans[0].clone()]]).unwrap();
        assert_eq!(first.len(), 1);
    }
}

#[test]
fn a_table_says_what_was_put_in() {
    let mut bytes = Vec::new();
    pack(
        &mut bytes,
        &["a", "##b"],
        &[vec![1.0, -2.0], vec![0.0, 0.0]],
    )
    .unwrap();
    let mut right = b"imtable1\x02\0\0\0\x02\0\0\0\x05\0\0\0".to_vec();
    right.extend_from_slice(&(2.0_f32 / 127.0).to_le_bytes());
    right.extend_from_slice(&0.0_f32.to_le_bytes());
    right.extend_from_slice(&[64, 0x81, 0, 0]);
    right.extend_from_slice(b"a\n##b");
    assert_eq!(bytes, right);
}
