//! Runs of words in a text, and a few of them by which near-identical texts are found. For
//! `copying`.

use immune_model::{Namespace, limits};
use rustc_hash::FxHashSet;

use crate::normal::normal;
use crate::pack::key;
use crate::words::digest;

/// Words of one run.
const RUN: usize = 4;
/// Words below which a text is too short to be a copy: short phrases repeat by themselves.
const WORDS_LEAST: usize = 12;
/// Runs of a text that are looked up: those with the least digests, so that near-identical texts
/// share most of them.
const SKETCH: usize = 8;

/// The runs of words of a text, each as a digest.
#[derive(Debug, Clone)]
pub(crate) struct Runs(Vec<u64>);

impl Runs {
    /// The runs of a text; none of one that is too short.
    pub(crate) fn of(text: &str) -> Self {
        let text = normal(text);
        let words = text
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| !it.is_empty());
        let words: Vec<&str> = words.take(limits::COPY_WORDS_MAX).collect();
        if words.len() < WORDS_LEAST {
            return Self(Vec::new());
        }
        let runs = words.windows(RUN).map(|it| digest(it.join(" ").as_bytes()));
        let mut runs: Vec<u64> = runs.collect();
        runs.sort_unstable();
        runs.dedup();
        Self(runs)
    }

    /// The keys of those that are looked up in a namespace.
    pub(crate) fn sketch(&self, namespace: &Namespace) -> Vec<[u8; 16]> {
        let least = self.0.iter().take(SKETCH);
        least
            .map(|it| key(&[namespace.as_str().as_bytes(), &it.to_le_bytes()]))
            .collect()
    }

    /// How many of a hundred runs stand in the other text.
    pub(crate) fn percent_in(&self, other: &Self) -> u32 {
        if self.0.is_empty() {
            return 0;
        }
        let theirs: FxHashSet<u64> = other.0.iter().copied().collect();
        let shared = self.0.iter().filter(|it| theirs.contains(it)).count();
        u32::try_from(100 * shared / self.0.len()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "The harbour office says that all ferries to the northern island are \
        cancelled until the storm has passed on Friday";

    #[test]
    fn near_identical_texts_share_their_runs_and_others_do_not() {
        let story = Runs::of(STORY);
        let shouted = Runs::of(&format!("{}!", STORY.to_uppercase()));
        assert_eq!(shouted.percent_in(&story), 100);
        assert_eq!(
            shouted.sketch(&Namespace::ROOT),
            story.sketch(&Namespace::ROOT)
        );
        let longer = Runs::of(&format!("Breaking: {STORY}"));
        assert!(longer.percent_in(&story) >= 80);
        let other = Runs::of(
            "Ferries to the southern island run again as the wind has calmed down, the mayor said",
        );
        assert!(other.percent_in(&story) < 20);
    }

    #[test]
    fn a_short_text_is_no_copy() {
        let short = Runs::of("all ferries to the northern island are cancelled");
        assert!(short.sketch(&Namespace::ROOT).is_empty());
        assert_eq!(short.percent_in(&short), 0);
    }
}
