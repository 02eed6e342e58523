//! The belief update of nous-state as it is published, faults included: what the default engine is
//! measured beside, and what its tables are reproduced with.
//!
//! A *dimension* is a categorical distribution over the values that were seen. An observation of a
//! value with a reliability multiplies by the likelihood, normalises, and drops what is below
//! [`PRUNED_BELOW`]. Nothing here knows origins: a vote counts as often as it is cast, a reliability
//! below one half is evidence against what is said, and each new value makes the others weigh less.
//! Nothing outside the benches calls this.

use std::fmt::Debug;

use immune_model::Instant;

/// Probability of a value that was never seen, for its surprise only.
pub const NOVELTY: f64 = 0.05;
/// What is less probable is forgotten after an update.
pub const PRUNED_BELOW: f64 = 0.01;
/// How probable a value has to be before a question is answered with it.
pub const ANSWERED_FROM: f64 = 0.80;
/// Reliability of an observation that says nothing of it.
pub const DEFAULT_RELIABILITY: f64 = 0.9;
/// Surprise in bits of what was held impossible.
pub const SURPRISE_MAX: f64 = 20.0;
/// Time after which half of what is known has decayed, in seconds.
pub const HALF_LIFE_SECONDS: f64 = 30.0 * 86_400.0;

/// A value with its probability, 0..1. No value stands for what is not known.
pub type Weighed<V> = (Option<V>, f64);

/// What one observation changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Delta<V> {
    /// When.
    pub at: Instant,
    /// The value that was observed.
    pub value: V,
    /// How reliable the observation was taken to be, 0..1.
    pub reliability: f64,
    /// How surprising it was, in bits.
    pub surprise: f64,
    /// What was believed after it.
    pub posterior: Vec<Weighed<V>>,
}

/// What is believed of one attribute of one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension<V> {
    /// In the order in which values were first seen, which decides between equals.
    distribution: Vec<Weighed<V>>,
    /// When it was last read or written: what it decays from.
    accessed: Option<Instant>,
    deltas: Vec<Delta<V>>,
}

impl<V> Default for Dimension<V> {
    fn default() -> Self {
        Self {
            distribution: vec![(None, 1.0)],
            accessed: None,
            deltas: Vec::new(),
        }
    }
}

impl<V: Clone + PartialEq> Dimension<V> {
    /// Each value with its probability.
    pub fn distribution(&self) -> &[Weighed<V>] {
        &self.distribution
    }

    /// What was observed, in order.
    pub fn deltas(&self) -> &[Delta<V>] {
        &self.deltas
    }

    /// How probable a value is, 0..1; [`NOVELTY`] for one that was never seen or is forgotten.
    pub fn probability(&self, value: &V) -> f64 {
        probability(&self.distribution, value).unwrap_or(NOVELTY)
    }

    /// Takes up an observation of a value with a reliability, 0..1.
    pub fn observe(&mut self, value: V, reliability: f64, at: Instant) -> &Delta<V> {
        let surprise = surprise(self.probability(&value));
        let is_new = probability(&self.distribution, &value).is_none();
        let support = self.distribution.len() + usize::from(is_new);
        let against = (1.0 - reliability) / float(support.saturating_sub(1).max(1));
        let mut posterior: Vec<Weighed<V>> = Vec::with_capacity(support);
        for (known, before) in &self.distribution {
            let is_it = known.as_ref() == Some(&value);
            let likelihood = if is_it { reliability } else { against };
            posterior.push((known.clone(), before * likelihood));
        }
        if is_new {
            posterior.push((Some(value.clone()), 1.0 / float(support) * reliability));
        }
        normalise(&mut posterior);
        prune(&mut posterior);
        normalise(&mut posterior);
        self.distribution.clone_from(&posterior);
        self.accessed = Some(at);
        self.deltas.push(Delta {
            at,
            value,
            reliability,
            surprise,
            posterior,
        });
        self.deltas.last().expect("it was pushed")
    }

    /// The most probable value, ignoring what is not known if anything is; of equals the one that
    /// was seen first.
    pub fn leader(&self) -> Option<(&V, f64)> {
        let mut leader: Option<(&V, f64)> = None;
        for (value, probability) in &self.distribution {
            let better = leader.is_none_or(|(_, best)| *probability > best);
            if let Some(value) = value.as_ref().filter(|_| better) {
                leader = Some((value, *probability));
            }
        }
        leader
    }

    /// The value that a question is answered with: the leader, if it is probable enough.
    pub fn answer(&self) -> Option<&V> {
        let (value, probability) = self.leader()?;
        (probability >= ANSWERED_FROM).then_some(value)
    }

    /// Mixes with the uniform distribution over the support by the time since the last access, and
    /// starts that time anew. Over a single value this changes nothing, which is a fault of it.
    pub fn decay(&mut self, now: Instant) {
        let since = self.accessed.map_or(0, |it| now.micros() - it.micros());
        if since <= 0 {
            return;
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "2^53 microseconds are 285 years"
        )]
        let seconds = since as f64 / 1e6;
        let kept = 0.5_f64.powf(seconds / HALF_LIFE_SECONDS);
        let uniform = 1.0 / float(self.distribution.len());
        for (_, probability) in &mut self.distribution {
            *probability = kept * *probability + (1.0 - kept) * uniform;
        }
        normalise(&mut self.distribution);
        self.accessed = Some(now);
    }

    /// What was believed at a moment: the posterior of the last delta until then; before the first,
    /// nothing is known.
    pub fn at(&self, at: Instant) -> Vec<Weighed<V>> {
        let until = self.deltas.iter().rev().find(|it| it.at <= at);
        until.map_or_else(|| vec![(None, 1.0)], |it| it.posterior.clone())
    }
}

/// How surprising something of this probability is, in bits; [`SURPRISE_MAX`] if it was impossible.
pub fn surprise(probability: f64) -> f64 {
    if probability <= 0.0 {
        SURPRISE_MAX
    } else if probability >= 1.0 {
        0.0
    } else {
        -probability.log2()
    }
}

/// The reliability of a claim: what its channel is trusted, or its own confidence if that is less.
pub fn capped(tier: f64, confidence: f64) -> f64 {
    tier.min(confidence)
}

/// The tier of what came through several hands: the least of theirs; 1 if there were none.
pub fn tainted(hops: impl IntoIterator<Item = f64>) -> f64 {
    hops.into_iter().fold(1.0, f64::min)
}

fn probability<V: PartialEq>(distribution: &[Weighed<V>], value: &V) -> Option<f64> {
    let known = distribution.iter();
    let mut known = known.filter(|(it, _)| it.as_ref() == Some(value));
    known.next().map(|(_, probability)| *probability)
}

fn normalise<V>(distribution: &mut [Weighed<V>]) {
    let total: f64 = distribution.iter().map(|(_, it)| it).sum();
    if total > 0.0 {
        for (_, probability) in distribution {
            *probability /= total;
        }
    }
}

/// Forgets what is hardly probable, but never the most probable.
fn prune<V>(distribution: &mut Vec<Weighed<V>>) {
    let most = distribution.iter().map(|(_, it)| *it).fold(0.0, f64::max);
    distribution.retain(|(_, it)| *it >= PRUNED_BELOW.min(most));
    normalise(distribution);
}

#[expect(clippy::cast_precision_loss, reason = "supports have few values")]
fn float(n: usize) -> f64 {
    n as f64
}
