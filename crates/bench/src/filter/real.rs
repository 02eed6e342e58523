//! Vectors of real texts: every sentence in a folder, by the model in the binary.
//!
//! What ends with a question mark is asked, the others are what is searched; each is taken once,
//! and in the order of the names of the files. Some sentences are drawn as middles, and whatever
//! is nearest to one is its cluster, for the filter that goes by clusters.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use immune_embed::StaticModel;
use immune_recall::Embedder as _;
use immune_testkit::random::Random;
use immune_testkit::vectors::Clustered;
use immune_vector::dot;
use serde_json::Value;

use super::QUERIES;
use super::cells::Cells;
use crate::BenchError;

/// Sentences that are searched, at most.
pub(super) const ROWS_MAX: usize = 100_000;
/// Words that a sentence has at least: fewer are names and numbers.
const WORDS_MIN: usize = 4;
/// Sentences that are drawn as the middles of clusters.
const CLUSTERS: usize = 200;
/// Texts of one call of the embedder.
const AT_ONCE: usize = 4_096;
/// How the names of files end that have a value a line.
const LINES: &str = "jsonl";

/// The sentences of a folder as cells, at most so many of them.
pub(super) fn cells(folder: &Path, rows_max: usize, seed: u64) -> Result<Cells, BenchError> {
    let (mut said, mut asked) = sentences(folder)?;
    if said.len() < CLUSTERS || asked.is_empty() {
        let folder = folder.display();
        let what = format!("`{folder}` has no {CLUSTERS} sentences, or no question");
        return Err(BenchError::Absent { what });
    }
    let mut random = Random::new(seed + 3);
    draw(&mut said, rows_max.min(ROWS_MAX), &mut random);
    draw(&mut asked, QUERIES, &mut random);
    let vectors = embedded(&said)?;
    let queries = embedded(&asked)?;
    let middles: Vec<usize> = (0..CLUSTERS).map(|_| random.below(vectors.len())).collect();
    let cluster = |vector: &Vec<f32>| {
        let products = middles.iter().filter_map(|it| vectors.get(*it));
        let products = (0_u32..).zip(products.map(|it| dot(it, vector)));
        let nearest = products.max_by(|a, b| a.1.total_cmp(&b.1));
        nearest.map_or(0, |it| it.0)
    };
    let clusters = vectors.iter().map(cluster).collect();
    let n_dims = vectors.first().map_or(0, Vec::len);
    let data = Clustered::of(n_dims, vectors.concat(), clusters);
    Ok(Cells::of(data, queries, seed))
}

/// Who makes the vectors.
pub(super) fn model() -> String {
    StaticModel::bundled().model().to_string()
}

/// Keeps so many, drawn, in their order.
fn draw(texts: &mut Vec<String>, n: usize, random: &mut Random) {
    let mut left = texts.len();
    let mut wanted = n.min(left);
    texts.retain(|_| {
        let is_drawn = random.below(left) < wanted;
        left -= 1;
        wanted -= usize::from(is_drawn);
        is_drawn
    });
}

/// What has a vector at all; a sentence of unknown words has none, and is left out.
fn embedded(texts: &[String]) -> Result<Vec<Vec<f32>>, BenchError> {
    let embedder = StaticModel::bundled();
    let mut vectors = Vec::with_capacity(texts.len());
    for part in texts.chunks(AT_ONCE) {
        let part: Vec<&str> = part.iter().map(String::as_str).collect();
        let made = embedder.embed(&part);
        vectors.extend(made.map_err(BenchError::refused("make the vectors"))?);
    }
    vectors.retain(|it: &Vec<f32>| it.iter().any(|it| *it != 0.0));
    Ok(vectors)
}

/// The sentences in the files of a folder and below, each once: those that say something, and the
/// questions.
fn sentences(folder: &Path) -> Result<(Vec<String>, Vec<String>), BenchError> {
    let (mut said, mut asked) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for file in files(folder)? {
        let Ok(text) = fs_err::read_to_string(&file) else {
            // What is no text has no sentences.
            continue;
        };
        for sentence in texts_of(&file, &text).iter().flat_map(|it| cut(it)) {
            let is_new = !seen.contains(&sentence);
            if is_new {
                let list = if sentence.ends_with('?') {
                    &mut asked
                } else {
                    &mut said
                };
                list.push(sentence.clone());
                seen.insert(sentence);
            }
        }
    }
    Ok((said, asked))
}

/// The files below a folder, by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The strings of JSON, or all of it.
fn texts_of(file: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_lines = file.extension().is_some_and(|it| it == LINES);
    let parts: Vec<&str> = if is_lines {
        text.lines().collect()
    } else {
        vec![text]
    };
    for part in parts {
        match serde_json::from_str(part) {
            Ok(value) => strings(&value, &mut found),
            Err(_) => found.push(part.to_owned()),
        }
    }
    found
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|it| strings(it, found)),
        Value::Object(fields) => fields.values().for_each(|it| strings(it, found)),
        _ => {}
    }
}

/// The sentences of a text that have some words: up to a mark and what is no letter after it, or
/// to the end of a line.
fn cut(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut begun = 0;
        let mut marks = line.char_indices().peekable();
        while let Some((at, mark)) = marks.next() {
            let ends = matches!(mark, '.' | '!' | '?')
                && marks.peek().is_none_or(|(_, next)| next.is_whitespace());
            let end = at + mark.len_utf8();
            if ends || end == line.len() {
                let sentence = line.get(begun..end).unwrap_or_default().trim();
                begun = end;
                if has_words(sentence) {
                    found.push(sentence.to_owned());
                }
            }
        }
    }
    found
}

fn has_words(sentence: &str) -> bool {
    let is_word = |it: &&str| it.chars().filter(|it| it.is_alphabetic()).count() >= 2;
    sentence.split_whitespace().filter(is_word).count() >= WORDS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_sentences_of_some_words_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let json =
            r#"{"a": ["The invoice was paid late. Yes. Who paid the old invoice?"], "b": 7}"#;
        fs_err::write(folder.path().join("a.json"), json).unwrap();
        let text = "The invoice was paid late.\nIt came to 3.50 euros in all\n17, 18, 19, x9\n";
        fs_err::write(folder.path().join("b.txt"), text).unwrap();
        let lines = "{\"t\": \"A line of its own\"}\nno JSON but a line\n";
        fs_err::write(folder.path().join("c.jsonl"), lines).unwrap();
        let (said, asked) = sentences(folder.path()).unwrap();
        let right = [
            "The invoice was paid late.",
            "It came to 3.50 euros in all",
            "A line of its own",
            "no JSON but a line",
        ];
        assert_eq!(said, right);
        assert_eq!(asked, ["Who paid the old invoice?"]);
        assert!(cells(folder.path(), 10, 1).is_err(), "they are too few");
    }

    #[test]
    fn what_is_drawn_keeps_its_order_and_its_number() {
        let mut texts: Vec<String> = (0..50).map(|it| format!("{it:02}")).collect();
        draw(&mut texts, 20, &mut Random::new(4));
        assert_eq!(texts.len(), 20);
        assert!(texts.is_sorted());
        draw(&mut texts, 30, &mut Random::new(4));
        assert_eq!(texts.len(), 20);
    }
}
