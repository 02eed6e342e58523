//! BM25 (Robertson and Zaragoza 2009, k1 1.2, b 0.75) over a few texts: the retrieval that finds
//! by shared words, beside which our verdicts are shown.

use std::collections::BTreeMap;

use crate::machine::float;

/// Texts and how often each word stands in them.
pub(super) struct Bm25 {
    texts: Vec<BTreeMap<String, usize>>,
    lengths: Vec<usize>,
    holding: BTreeMap<String, usize>,
}

impl Bm25 {
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut index = Self {
            texts: Vec::new(),
            lengths: Vec::new(),
            holding: BTreeMap::new(),
        };
        for text in texts {
            let mut words: BTreeMap<String, usize> = BTreeMap::new();
            for word in words_of(text) {
                *words.entry(word).or_default() += 1;
            }
            for word in words.keys() {
                *index.holding.entry(word.clone()).or_default() += 1;
            }
            index.lengths.push(words.values().sum());
            index.texts.push(words);
        }
        index
    }

    /// The texts, best first; those that share no word are left out.
    pub(super) fn ranked(&self, query: &str) -> Vec<usize> {
        let n = float(self.texts.len());
        let mean = float(self.lengths.iter().sum()) / n.max(1.0);
        let mut query: Vec<String> = words_of(query).collect();
        query.sort_unstable();
        query.dedup();
        let mut scored: Vec<(f64, usize)> = Vec::new();
        for (at, words) in self.texts.iter().enumerate() {
            let length = float(self.lengths.get(at).copied().unwrap_or(0));
            let score: f64 = query
                .iter()
                .filter_map(|word| Some((word, *words.get(word)?)))
                .map(|(word, times)| {
                    let holding = float(self.holding.get(word).copied().unwrap_or(0));
                    let rare = ((n - holding + 0.5) / (holding + 0.5) + 1.0).ln();
                    let times = float(times);
                    rare * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
                })
                .sum();
            if score > 0.0 {
                scored.push((score, at));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().map(|(_, at)| at).collect()
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|it: char| !it.is_alphanumeric());
    words.filter(|it| !it.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let texts = ["the cat sat", "the dog sat", "the cat ran from the dog"];
        let index = Bm25::new(texts.into_iter());
        assert_eq!(index.ranked("ran"), [2]);
        assert_eq!(index.ranked("the cat sat").first(), Some(&0));
        assert_eq!(index.ranked("bird"), [0; 0]);
    }
}
