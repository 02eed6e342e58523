//! An oracle whose truth is drawn: who is to blame, how they act, and how often it errs.

use std::convert::Infallible;

use immune_attribution::{Oracle, Subset, Verdict};
use immune_testkit::random::Random;

/// How the culprits act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each alone makes the answer wrong.
    Alone,
    /// All of them are needed.
    Together,
    /// Some alone, some with others.
    Mixed,
}

impl Shape {
    pub(crate) const ALL: [Self; 3] = [Self::Alone, Self::Together, Self::Mixed];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Alone => "each alone",
            Self::Together => "all together",
            Self::Mixed => "mixed",
        }
    }
}

/// What is true, and what comes back.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) causes: Vec<Subset>,
    flip: f64,
    random: Random,
}

impl Scene {
    /// One of `n` candidates with `k` culprits.
    pub(crate) fn draw(n: usize, k: usize, shape: Shape, flip: f64, mut random: Random) -> Self {
        let mut culprits: Vec<usize> = Vec::new();
        while culprits.len() < k {
            let drawn = random.below(n);
            if !culprits.contains(&drawn) {
                culprits.push(drawn);
            }
        }
        let sets: Vec<Vec<usize>> = match (shape, culprits.as_slice()) {
            (Shape::Alone, all) => all.iter().map(|it| vec![*it]).collect(),
            (Shape::Mixed, &[one, two, three]) => match random.below(2) {
                0 => vec![vec![one, two], vec![one, three]],
                _ => vec![vec![one], vec![two, three]],
            },
            (Shape::Mixed, &[one, two, three, four]) => match random.below(4) {
                0 => vec![vec![one], vec![two, three, four]],
                1 => vec![vec![one], vec![two], vec![three, four]],
                2 => vec![vec![one, two], vec![three, four]],
                _ => vec![vec![one, two], vec![two, three], vec![three, four]],
            },
            (_, all) => vec![all.to_vec()],
        };
        let causes = sets.into_iter().map(|it| Subset::of(n, it)).collect();
        Self {
            causes,
            flip,
            random,
        }
    }

    /// Whether these make the answer wrong in truth.
    pub(crate) fn is_wrong(&self, shown: &Subset) -> bool {
        self.causes.iter().any(|it| it.is_within(shown))
    }
}

impl Oracle for Scene {
    type Error = Infallible;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, Infallible> {
        let mut verdicts = Vec::new();
        for shown in shown {
            let flips = self.flip > 0.0 && self.random.fraction() < self.flip;
            verdicts.push(if self.is_wrong(shown) == flips {
                Verdict::Passes
            } else {
                Verdict::Fails
            });
        }
        Ok(verdicts)
    }
}
