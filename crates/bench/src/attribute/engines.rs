//! Who searches: ours, and the baselines of the same crate.

use std::convert::Infallible;

use immune_attribution::baseline::{Asking, Blamed, ddmin, peel, probdd, quickxplain};
use immune_attribution::{Candidates, Found, Noise, Options, Proof, Subset, attribute};

use super::cells::Cell;
use super::scene::{Scene, Shape};

/// A baseline that verdicts mislead is stopped after so many calls.
const CALLS_MAX: usize = 20_000;

/// Who searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Ours, to a correction that was replayed.
    Search,
    /// Ours, with every cause proven and all ways to break them replayed.
    Proven,
    Ddmin,
    /// With the majority of so many calls as the verdict.
    Majority(usize),
    Probdd,
    Quickxplain,
    Peel,
}

/// What one found, and after how many calls.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Everybody who is in a cause; whom the baseline blames.
    pub(crate) culprits: Subset,
    /// The causes, where it has more than one set to give.
    pub(crate) causes: Option<Vec<Subset>>,
    /// What it would leave out.
    pub(crate) correction: Subset,
    pub(crate) calls: usize,
    /// Those before the replays that prove what was found.
    pub(crate) calls_found: usize,
}

impl Engine {
    /// Those that a cell is given to.
    pub(crate) fn of(cell: &Cell) -> Vec<Self> {
        let mut all = vec![Self::Search];
        // Noise makes each proof some calls, and mixed causes are found by no other way.
        if cell.flip <= 0.0 || cell.shape == Shape::Mixed || cell.n == 100 {
            all.push(Self::Proven);
        }
        all.push(Self::Ddmin);
        if cell.flip > 0.0 {
            all.extend([Self::Majority(3), Self::Majority(5)]);
        }
        all.extend([Self::Probdd, Self::Quickxplain, Self::Peel]);
        all
    }

    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Search | Self::Proven)
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Search => "immune, replayed".to_owned(),
            Self::Proven => "immune, causes proven".to_owned(),
            Self::Ddmin => "ddmin".to_owned(),
            Self::Majority(of) => format!("ddmin, majority of {of}"),
            Self::Probdd => "ProbDD".to_owned(),
            Self::Quickxplain => "QuickXplain".to_owned(),
            Self::Peel => "peel".to_owned(),
        }
    }

    pub(crate) fn answer(self, n: usize, flip: f64, scene: &mut Scene) -> Answer {
        let asking = |majority_of| Asking {
            majority_of,
            calls_max: CALLS_MAX,
        };
        let candidates = Candidates::uniform(n);
        let blamed = match self {
            Self::Search => return ours(&candidates, Proof::Correction, flip, scene),
            Self::Proven => return ours(&candidates, Proof::Causes, flip, scene),
            Self::Ddmin => ddmin(n, scene, asking(1)),
            Self::Majority(of) => ddmin(n, scene, asking(of)),
            Self::Probdd => probdd(n, scene, asking(1)),
            Self::Quickxplain => quickxplain(n, scene, asking(1)),
            Self::Peel => peel(&candidates, scene, asking(1)),
        };
        let Blamed { blamed, calls } = match blamed {
            Ok(blamed) => blamed,
            Err(never) => match never {},
        };
        Answer {
            culprits: blamed.clone(),
            causes: None,
            correction: blamed,
            calls,
            calls_found: calls,
        }
    }
}

fn ours(candidates: &Candidates, proof: Proof, flip: f64, scene: &mut Scene) -> Answer {
    let options = Options {
        noise: if flip > 0.0 {
            Noise::Known(flip)
        } else {
            Noise::None
        },
        proof,
        ..Options::default()
    };
    let found: Found<Infallible> = attribute(candidates, scene, options);
    let none = Subset::none(candidates.len());
    Answer {
        culprits: found.causes.iter().fold(none, |all, it| all.with(it)),
        causes: Some(found.causes),
        correction: found.correction,
        calls: found.certificate.search_calls + found.certificate.proof_calls,
        calls_found: found.certificate.search_calls,
    }
}
