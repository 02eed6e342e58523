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
/// share most of them; and as many of those that have a number in them, so that of texts of one
/// form those are found that say the same in it.
const SKETCH: usize = 8;

/// The runs of words of a text, each as a digest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    all: Vec<u64>,
    /// Those with a number in them, the least ones.
    numbered: Vec<u64>,
    /// The digest of the whole text.
    whole: Option<u64>,
}

impl Runs {
    /// The runs of a text; none of one that is too short.
    pub(crate) fn of(text: &str) -> Self {
        let text = normal(text);
        let words = text
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| !it.is_empty());
        let words: Vec<&str> = words.take(limits::COPY_WORDS_MAX).collect();
        if words.len() < WORDS_LEAST {
            return Self::default();
        }
        let (mut all, mut numbered) = (Vec::new(), Vec::new());
        let is_numbered = |it: &str| it.bytes().any(|it| it.is_ascii_digit());
        for run in words.windows(RUN) {
            let digest = digest(run.join(" ").as_bytes());
            all.push(digest);
            if run.iter().any(|it| is_numbered(it)) {
                numbered.push(digest);
            }
        }
        let whole = Some(digest(words.join(" ").as_bytes()));
        for runs in [&mut all, &mut numbered] {
            runs.sort_unstable();
            runs.dedup();
        }
        numbered.truncate(SKETCH);
        Self {
            all,
            numbered,
            whole,
        }
    }

    /// The keys under which a text is looked up in a namespace, each once.
    pub(crate) fn sketch(&self, namespace: &Namespace) -> Vec<[u8; 16]> {
        let least = self.all.iter().take(SKETCH).chain(&self.numbered);
        let mut keys: Vec<[u8; 16]> = least.map(|it| run_key(namespace, *it)).collect();
        keys.extend(self.whole(namespace));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The key of the whole text in a namespace; nothing for one that is too short.
    pub(crate) fn whole(&self, namespace: &Namespace) -> Option<[u8; 16]> {
        let whole = self.whole?.to_le_bytes();
        Some(key(&[namespace.as_str().as_bytes(), b"whole", &whole]))
    }

    /// How many of a hundred runs stand in the other text.
    pub(crate) fn percent_in(&self, other: &Self) -> u32 {
        if self.all.is_empty() {
            return 0;
        }
        let theirs: FxHashSet<u64> = other.all.iter().copied().collect();
        let shared = self.all.iter().filter(|it| theirs.contains(it)).count();
        u32::try_from(100 * shared / self.all.len()).unwrap_or(0)
    }
}

fn run_key(namespace: &Namespace, run: u64) -> [u8; 16] {
    key(&[namespace.as_str().as_bytes(), &run.to_le_bytes()])
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
