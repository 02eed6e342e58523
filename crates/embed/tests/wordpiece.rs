//! Our word pieces against those of the original tokenizer.
//!
//! `pieces.jsonl` has texts with the numbers that the tokenizer of `all-MiniLM-L6-v2` gave
//! (`tokenizers` 0.23.3, without truncation and without the two pieces around a text): sentences,
//! odd characters, and random words of many scripts. `IMMUNE_PIECES` names another such file.

use immune_embed::StaticModel;

/// The number of the first piece that is in the table; those before are no words.
const FIRST: u32 = 999;
/// The number of an unknown word.
const UNKNOWN: u32 = 100;

#[test]
fn pieces_are_those_of_the_original_tokenizer() {
    let texts = match std::env::var_os("IMMUNE_PIECES") {
        Some(file) => fs_err::read_to_string(file).unwrap(),
        None => include_str!("pieces.jsonl").to_owned(),
    };
    let model = StaticModel::bundled();
    let mut n = 0;
    for line in texts.lines() {
        let (text, right): (String, Vec<u32>) = serde_json::from_str(line).unwrap();
        let mut found = Vec::new();
        model.vocabulary().each(&text, &mut |piece| {
            found.push(piece.map_or(UNKNOWN, |it| it + FIRST));
        });
        assert_eq!(found, right, "{text:?}");
        n += 1;
    }
    assert!(n > 200);
}
