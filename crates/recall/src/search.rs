//! Ranking: BM25 over the eligible documents, and the list of refused ones that match.
//!
//! Called by `index` only. Invariants: scores are sums of whole millionths, so the order of the
//! words and the machine do not matter; equal scores are ordered by document number; a refused
//! document is found by its terms, but no number about it enters a score.
//!
//! Words of the tiny stop list (`fold::is_stop`) select no document and weigh a tenth, unless
//! the query has no other word.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use immune_model::limits;

use crate::admission::Admitted;
use crate::fold;
use crate::index::Index;
use crate::postings::Postings;
use crate::threads::Threads;
use crate::token::{self, Side};

/// How soon more occurrences of a word stop to count.
const K1: f64 = 1.2;
/// How much a long document is discounted.
const B: f64 = 0.75;
/// What a stop word weighs beside other words.
const STOP_WEIGHT: f64 = 0.1;
const MILLION: f64 = 1_000_000.0;

/// How much one search may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Hits at most.
    pub hits_max: usize,
    /// Refused documents at most.
    pub excluded_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hits_max: limits::RECALL_HITS_MAX,
            excluded_max: limits::RECALL_EXCLUDED_MAX,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// Eligible documents, best first; equal scores by document number.
    pub hits: Vec<Hit>,
    /// Refused documents that match, by document number. Past the limit those that share most
    /// words with the query are kept, the earlier ones first; none of them is scored.
    pub excluded: Vec<u32>,
    /// Words of the query that were left out because it has more than
    /// `limits::QUERY_TOKENS_MAX`; the first ones are used.
    pub n_words_left_out: usize,
}

/// One eligible document that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its number.
    pub document: u32,
    /// BM25 in whole millionths, what comes from beside it included; 0 when the query is blank.
    pub score_millionths: u64,
    /// How much of that comes from the documents beside it in its thread.
    pub beside_millionths: u64,
    /// The words of the query that it holds, in the order of the query; none where all of its
    /// score comes from beside it.
    pub matched: Vec<String>,
}

/// A thread in which eligible documents match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadHit {
    /// Its number.
    pub thread: u32,
    /// BM25 of its eligible documents taken as one, in whole millionths.
    pub score_millionths: u64,
}

/// One word of the query that some document holds.
struct Word<'a> {
    surface: String,
    postings: Option<Cow<'a, Postings>>,
    stop: bool,
}

/// See [`Index::search_admitted`].
pub(crate) fn search(
    index: &Index,
    query: &str,
    admitted: &Admitted,
    threads: Option<&Threads>,
    limits: Limits,
) -> Hits {
    if query.trim().is_empty() {
        return everything(admitted, limits);
    }
    let (words, n_words_left_out) = words_of(index, query);
    let mut tally = Tally::new(index, admitted);
    // Stop words weigh only what the others have selected, so they come last.
    let (stop, telling): (Vec<&Word<'_>>, Vec<&Word<'_>>) = words.iter().partition(|w| w.stop);
    for word in telling.into_iter().chain(stop) {
        tally.add(word);
    }
    if let Some(threads) = threads {
        tally.spread(threads);
    }
    Hits {
        hits: tally.best(&words, limits.hits_max),
        excluded: tally.most_shared(limits.excluded_max),
        n_words_left_out,
    }
}

/// See [`Index::search_threads`].
pub(crate) fn threads(
    index: &Index,
    query: &str,
    admitted: &Admitted,
    threads: &Threads,
    hits_max: usize,
) -> Vec<ThreadHit> {
    let mut lengths = vec![0_u32; threads.n_threads()];
    for document in admitted.eligible() {
        let thread = threads.of(document).map(|it| it as usize);
        if let Some(length) = thread.and_then(|it| lengths.get_mut(it)) {
            *length = length.saturating_add(index.length(document));
        }
    }
    let n_all = lengths.iter().filter(|it| **it > 0).count() as u32;
    let tokens = lengths.iter().map(|it| u64::from(*it)).sum();
    let mut scores: BTreeMap<u32, u64> = BTreeMap::new();
    let (words, _) = words_of(index, query);
    let (stop, telling): (Vec<&Word<'_>>, Vec<&Word<'_>>) = words.iter().partition(|w| w.stop);
    for word in telling.into_iter().chain(stop) {
        let counts = counts_in(threads, word, admitted);
        let weigh = Weigh::new(word.stop, counts.len() as u32, n_all, tokens);
        for (thread, count) in counts {
            let length = lengths.get(thread as usize).copied().unwrap_or(0);
            let weight = weigh.millionths(count, length);
            match scores.get_mut(&thread) {
                Some(score) => *score += weight,
                None if word.stop => {}
                None => drop(scores.insert(thread, weight)),
            }
        }
    }
    let score = |thread: u32| scores.get(&thread).copied().unwrap_or(0);
    let found: Vec<u32> = scores.keys().copied().collect();
    let ranked = first(&found, hits_max, |thread| (Reverse(score(thread)), thread));
    let hit = |thread| ThreadHit {
        thread,
        score_millionths: score(thread),
    };
    ranked.into_iter().map(hit).collect()
}

/// How often the eligible documents of each thread hold a word.
fn counts_in(threads: &Threads, word: &Word<'_>, admitted: &Admitted) -> BTreeMap<u32, u32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    let postings = word.postings.as_deref().into_iter();
    for (document, count) in postings.flat_map(Postings::counts) {
        if let Some(thread) = threads
            .of(document)
            .filter(|_| admitted.is_eligible(document))
        {
            let sum = counts.entry(thread).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    counts
}

/// All eligible documents in their order.
fn everything(admitted: &Admitted, limits: Limits) -> Hits {
    let hit = |document| Hit {
        document,
        score_millionths: 0,
        beside_millionths: 0,
        matched: Vec::new(),
    };
    Hits {
        hits: admitted.eligible().take(limits.hits_max).map(hit).collect(),
        excluded: admitted.refused().take(limits.excluded_max).collect(),
        n_words_left_out: 0,
    }
}

/// The distinct words of the query in their order, and how many were left out.
fn words_of<'a>(index: &'a Index, query: &str) -> (Vec<Word<'a>>, usize) {
    let mut words: Vec<Word<'a>> = Vec::new();
    let mut known: HashSet<Box<str>> = HashSet::new();
    let mut n_left_out = 0;
    token::each(query, Side::Query, &mut |token| {
        if !known.insert(token.term.into()) {
            return;
        }
        if words.len() == limits::QUERY_TOKENS_MAX {
            n_left_out += 1;
            return;
        }
        words.push(Word {
            surface: token.surface.to_owned(),
            postings: index.postings(token.term.as_bytes()),
            stop: fold::is_stop(token.term),
        });
    });
    if words.iter().all(|word| word.stop) {
        for word in &mut words {
            word.stop = false;
        }
    }
    (words, n_left_out)
}

/// Scores and shares while the words are added one by one.
///
/// The two tables have an entry per document. They are allocated zeroed, which costs next to
/// nothing for the pages that no posting touches.
struct Tally<'a> {
    index: &'a Index,
    admitted: &'a Admitted,
    scores: Vec<u64>,
    /// What came from neighbours, by document; empty where nobody asked.
    beside: Vec<u64>,
    shares: Vec<u16>,
    scored: Vec<u32>,
    refused: Vec<u32>,
}

impl<'a> Tally<'a> {
    fn new(index: &'a Index, admitted: &'a Admitted) -> Self {
        Self {
            index,
            admitted,
            scores: vec![0; index.len()],
            beside: Vec::new(),
            shares: vec![0; index.len()],
            scored: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Adds what one word says about every document that holds it.
    fn add(&mut self, word: &Word<'_>) {
        let Some(postings) = word.postings.as_deref() else {
            return;
        };
        let weigh = Weigh::of_documents(word.stop, postings, self.admitted);
        for (document, count) in postings.counts() {
            let Some(shared) = self.shares.get_mut(document as usize) else {
                continue;
            };
            if word.stop && *shared == 0 {
                continue;
            }
            if self.admitted.is_eligible(document) {
                if *shared == 0 {
                    self.scored.push(document);
                }
                if let Some(score) = self.scores.get_mut(document as usize) {
                    *score += weigh.millionths(count, self.index.length(document));
                }
            } else if word.stop || !self.admitted.is_refused(document) {
                continue;
            } else if *shared == 0 {
                self.refused.push(document);
            }
            *shared += 1;
        }
    }

    /// Gives every document half of what the better of its neighbours has by itself.
    fn spread(&mut self, threads: &Threads) {
        self.beside = vec![0; self.index.len()];
        let own = |document: u32| self.scores.get(document as usize).copied().unwrap_or(0);
        let (beside, mut unmatched) = (&mut self.beside, Vec::new());
        threads.spread(&self.scored, self.admitted, own, |document, gets| {
            if let Some(place) = beside.get_mut(document as usize) {
                *place = gets;
            }
            if own(document) == 0 {
                unmatched.push(document);
            }
        });
        self.scored.extend(unmatched);
        for (score, beside) in self.scores.iter_mut().zip(&self.beside) {
            *score += beside;
        }
    }

    /// The best `hits_max` of the scored documents.
    fn best(&self, words: &[Word<'_>], hits_max: usize) -> Vec<Hit> {
        let score = |document: u32| self.scores.get(document as usize).copied().unwrap_or(0);
        let ranked = first(&self.scored, hits_max, |document| {
            (Reverse(score(document)), document)
        });
        let matched = |document| {
            words
                .iter()
                .filter(|word| word.postings.as_deref().is_some_and(|p| p.has(document)))
                .map(|word| word.surface.clone())
                .collect()
        };
        let hit = |document| Hit {
            document,
            score_millionths: score(document),
            beside_millionths: self.beside.get(document as usize).copied().unwrap_or(0),
            matched: matched(document),
        };
        ranked.into_iter().map(hit).collect()
    }

    /// The `excluded_max` refused documents that hold most words of the query, by number.
    fn most_shared(&self, excluded_max: usize) -> Vec<u32> {
        let shared = |document: u32| self.shares.get(document as usize).copied().unwrap_or(0);
        let mut kept = first(&self.refused, excluded_max, |document| {
            (Reverse(shared(document)), document)
        });
        kept.sort_unstable();
        kept
    }
}

/// The `n` smallest documents by `key`, in its order.
///
/// It keeps a short list and the worst key in it, so that most documents cost one comparison.
fn first<K: Ord + Copy>(documents: &[u32], n: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    if n == 0 {
        return Vec::new();
    }
    let mut kept: Vec<(K, u32)> = Vec::new();
    let mut worst: Option<K> = None;
    for document in documents {
        let key = key(*document);
        if worst.is_some_and(|worst| key >= worst) {
            continue;
        }
        kept.push((key, *document));
        if kept.len() >= n.saturating_mul(2) {
            kept.select_nth_unstable_by_key(n - 1, |pair| pair.0);
            kept.truncate(n);
            worst = kept.last().map(|pair| pair.0);
        }
    }
    kept.sort_unstable_by_key(|pair| pair.0);
    kept.truncate(n);
    kept.into_iter().map(|(_, document)| document).collect()
}

/// What an occurrence of one word weighs among the eligible documents.
struct Weigh {
    /// How telling the word is: the inverse document frequency of BM25, which is above 0.
    rarity: f64,
    /// Tokens of an average eligible document.
    length_average: f64,
}

impl Weigh {
    fn of_documents(stop: bool, postings: &Postings, admitted: &Admitted) -> Self {
        let is_eligible = |document: &&u32| admitted.is_eligible(**document);
        let n_holding = postings.documents().iter().filter(is_eligible).count();
        Self::new(
            stop,
            n_holding as u32,
            admitted.n_eligible(),
            admitted.tokens(),
        )
    }

    /// Of a word that `n_holding` of `n_all` hold, which have `tokens` together.
    fn new(stop: bool, n_holding: u32, n_all: u32, tokens: u64) -> Self {
        let (n_holding, n_all) = (f64::from(n_holding), f64::from(n_all));
        let rarity = (1.0 + (n_all - n_holding + 0.5) / (n_holding + 0.5)).ln();
        #[expect(
            clippy::cast_precision_loss,
            reason = "2^53 tokens are more than a machine holds"
        )]
        let tokens = tokens as f64;
        Self {
            rarity: if stop { rarity * STOP_WEIGHT } else { rarity },
            length_average: tokens / n_all.max(1.0),
        }
    }

    /// The BM25 weight of `count` occurrences in a document of `length` tokens.
    fn millionths(&self, count: u32, length: u32) -> u64 {
        let count = f64::from(count);
        let norm = K1 * (1.0 - B) + K1 * B * f64::from(length) / self.length_average;
        let weight = self.rarity * count * (K1 + 1.0) / (count + norm);
        #[expect(
            clippy::cast_sign_loss,
            reason = "rarity is above 0, and so are counts and lengths"
        )]
        let whole = (weight * MILLION + 0.5) as u64;
        whole
    }
}
