//! How a search is asked for: its budget, its noise, and how much it has to prove.

use std::fmt;

/// How a search is asked for.
#[derive(Default)]
pub struct Options<'a> {
    /// At most so many calls of the oracle, guards and proofs included; no limit without.
    pub calls_max: Option<usize>,
    /// How often a verdict is wrong.
    pub noise: Noise,
    /// What has to be proven before the search ends.
    pub proof: Proof,
    /// How sure a search under noise has to be, above 0 and below 1; 0.995 without.
    pub confidence: Option<f64>,
    /// Is told after each reply.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("calls_max", &self.calls_max)
            .field("noise", &self.noise)
            .field("proof", &self.proof)
            .field("confidence", &self.confidence)
            .finish_non_exhaustive()
    }
}

/// How often a verdict is the opposite of what is true, each call for itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Noise {
    /// Never: the same memories always give the same verdict.
    #[default]
    None,
    /// With this probability, from 0 to 0.4; more is taken as unstable.
    Known(f64),
    /// It is estimated: all and none are asked so often each, and the search goes by that.
    Estimated {
        /// How often each of the two is asked; 1 at least.
        repeats: usize,
    },
}

/// What has to be proven by replies, of an oracle that is monotone: showing more never makes a
/// wrong answer right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proof {
    /// The correction: it was left out and the answer passed, and each of it is needed. The causes
    /// are exact if each culprit acts alone or all act together, and are taken to do either.
    Correction,
    /// The causes too: each was shown alone and failed, none of it can be spared, and where not
    /// too many they are all there are, since each way to break them was replayed and passes.
    /// About two more calls for each culprit; a correction of several is also tested one by one,
    /// which finds an innocent whom an oracle that is not monotone had framed.
    #[default]
    Causes,
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The calls made.
    pub calls: usize,
    /// How many more are expected, on average over what is still possible; a guess.
    pub remaining: f64,
}
