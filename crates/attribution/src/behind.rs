//! Who else makes the answer wrong, hidden by those who make it right.
//!
//! [`attribute`](crate::attribute) ends when the answer passes, and what passes may still hold
//! candidates that would make it wrong where nobody gainsaid them: showing more made a wrong answer
//! right, so such an oracle is not monotone. To see them, those who bring about another answer are
//! set aside, and what is left is searched again, until it says nothing any more. Who was set aside
//! is then heard alone. Nothing is guessed about any of them: each that is named here was shown,
//! alone or in its cause, and the answer was wrong, as often as the flip rate asks for.

use crate::heard::Heard;
use crate::{
    Candidates, Found, Options, Oracle, Outcome, Proof, Reply, Subset, Verdict, Why, attribute,
};

/// Most rounds: each sets somebody aside or names somebody.
const ROUNDS_MAX: usize = 16;

/// What is said when only some candidates are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// The wrong answer.
    Wrong,
    /// Another answer.
    Other,
    /// Nothing.
    Nothing,
}

/// An oracle that also tells another answer from none.
pub trait Sides: Oracle {
    /// As [`Oracle::ask`], with what was said: what is not wrong passes.
    fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, Self::Error>;

    /// What it said of exactly these so far, each time, if it kept that; nothing by default.
    fn said(&self, shown: &Subset) -> Vec<Said> {
        let _ = shown;
        Vec::new()
    }
}

/// What a second look found.
#[derive(Debug, Clone, PartialEq)]
pub struct Behind<E> {
    /// The causes that the first search had not named, in the order in which they were found. Each
    /// was shown alone and failed.
    pub causes: Vec<Subset>,
    /// Those who bring about another answer, set aside to see the others. One may be in a cause.
    pub aside: Subset,
    /// [`Outcome::Found`] where what is left says nothing wrong any more; [`Outcome::FailsWithout`]
    /// where answers come without any candidate, so that nobody can be set aside.
    pub outcome: Outcome<E>,
    /// Every reply, in order; its part is [`Part::Proof`](crate::Part::Proof).
    pub replies: Vec<Reply>,
}

/// Looks behind those who make the answer right, after a first search that found something.
///
/// Where verdicts err at the rate of the first search, each set is asked until a side leads by
/// enough answers, those of the first search counted; where none errs, nothing is asked twice, nor
/// what the first search was told. The budget of the options counts the calls of both, and their
/// noise and proof are not looked at.
pub fn look_behind<O: Sides>(
    candidates: &Candidates,
    first: &Found<O::Error>,
    oracle: &mut O,
    options: &mut Options<'_>,
) -> Behind<O::Error> {
    let mut look = Look::after(candidates, first, oracle, options);
    let outcome = look.outcome(first);
    look.into_behind(outcome)
}

/// Some of the candidates under one side of an oracle.
struct Among<'m, 'o, 'p, O: Oracle> {
    heard: &'m mut Heard<'o, 'p, O>,
    numbers: &'m [usize],
    n: usize,
    side: Said,
}

impl<O: Sides> Oracle for Among<'_, '_, '_, O> {
    type Error = Why<O::Error>;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, Self::Error> {
        let of_all = shown.iter().map(|it| renumbered(it, self.numbers, self.n));
        let of_all: Vec<Subset> = of_all.collect();
        self.heard.is(self.side, &of_all)
    }
}

/// A set of some candidates as one of all of them.
fn renumbered(of: &Subset, numbers: &[usize], n: usize) -> Subset {
    Subset::of(n, of.numbers().filter_map(|it| numbers.get(it).copied()))
}

/// A second look under way.
pub(crate) struct Look<'l, 'o, 'p, O: Oracle> {
    pub(crate) candidates: &'l Candidates,
    pub(crate) heard: Heard<'o, 'p, O>,
    /// Those who are in a cause.
    named: Subset,
    aside: Subset,
    pub(crate) causes: Vec<Subset>,
}

impl<'l, 'o, 'p, O: Sides> Look<'l, 'o, 'p, O> {
    pub(crate) fn after(
        candidates: &'l Candidates,
        first: &Found<O::Error>,
        oracle: &'o mut O,
        options: &mut Options<'p>,
    ) -> Self {
        let named = first.correction.clone();
        Self {
            candidates,
            heard: Heard::after(first, oracle, options),
            named: first.causes.iter().fold(named, |all, it| all.with(it)),
            aside: Subset::none(candidates.len()),
            causes: Vec::new(),
        }
    }

    /// Looks, where the first search found something; how that ended.
    pub(crate) fn outcome(&mut self, first: &Found<O::Error>) -> Outcome<O::Error> {
        match &first.outcome {
            Outcome::Found => self.run().unwrap_or_else(Outcome::Stopped),
            _ => Outcome::NotReproduced,
        }
    }

    /// What was found, which ended so.
    pub(crate) fn into_behind(self, outcome: Outcome<O::Error>) -> Behind<O::Error> {
        Behind {
            outcome,
            causes: self.causes,
            aside: self.aside,
            replies: self.heard.replies().to_vec(),
        }
    }

    fn run(&mut self) -> Result<Outcome<O::Error>, Why<O::Error>> {
        for _ in 0..ROUNDS_MAX {
            let others = self.search(Said::Other, Proof::Correction)?;
            if matches!(others.outcome, Outcome::FailsWithout) {
                return Ok(Outcome::FailsWithout);
            }
            self.aside = self.aside.with(&others.correction);
            self.hear(&others.correction)?;
            let wrong = self.search(Said::Wrong, Proof::Causes)?;
            for cause in &wrong.causes {
                self.name(cause);
            }
            if others.correction.is_empty() && wrong.causes.is_empty() {
                break;
            }
        }
        Ok(Outcome::Found)
    }

    /// Searches what is neither named nor set aside for those who bring about one side.
    fn search(&mut self, side: Said, proof: Proof) -> Result<Found<Why<O::Error>>, Why<O::Error>> {
        let n = self.candidates.len();
        let rest = Subset::all(n).without(&self.named).without(&self.aside);
        let numbers: Vec<usize> = rest.numbers().collect();
        let weights: Vec<f64> = numbers
            .iter()
            .map(|it| self.candidates.weight(*it))
            .collect();
        let mut among = Among {
            heard: &mut self.heard,
            numbers: &numbers,
            n,
            side,
        };
        let options = Options {
            proof,
            ..Options::default()
        };
        let found = attribute(&Candidates::weighted(&weights), &mut among, options);
        let back = |it: &Subset| renumbered(it, &numbers, n);
        match found.outcome {
            Outcome::Stopped(Why::Oracle(why)) => Err(why),
            Outcome::Stopped(Why::Budget) => Err(Why::Budget),
            _ => Ok(Found {
                causes: found.causes.iter().map(back).collect(),
                correction: back(&found.correction),
                ..found
            }),
        }
    }

    /// Hears alone each of those who are set aside.
    fn hear(&mut self, aside: &Subset) -> Result<(), Why<O::Error>> {
        let n = self.candidates.len();
        let each: Vec<Subset> = aside.numbers().map(|it| Subset::of(n, [it])).collect();
        let verdicts = self.heard.is(Said::Wrong, &each)?;
        for (one, verdict) in each.iter().zip(verdicts) {
            if verdict.fails() {
                self.name(one);
            }
        }
        Ok(())
    }

    fn name(&mut self, cause: &Subset) {
        self.named = self.named.with(cause);
        self.causes.push(cause.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heard::verdict;

    /// The wrong answer counts what is wrong among the shown, the right one what is right.
    struct Count {
        wrong: Vec<usize>,
        right: Vec<usize>,
        calls: usize,
        calls_max: usize,
        knows_itself: bool,
    }

    impl Count {
        fn of(wrong: &[usize], right: &[usize]) -> Self {
            Self {
                wrong: wrong.to_vec(),
                right: right.to_vec(),
                calls: 0,
                calls_max: usize::MAX,
                knows_itself: false,
            }
        }
    }

    impl Oracle for Count {
        type Error = String;

        fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, String> {
            let said = self.say(shown)?.into_iter();
            Ok(said.map(|it| verdict(it == Said::Wrong)).collect())
        }
    }

    impl Sides for Count {
        fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, String> {
            self.calls += shown.len();
            if self.calls > self.calls_max {
                return Err("gone".to_owned());
            }
            let said = shown.iter().map(|it| {
                let n = |of: &[usize]| of.iter().filter(|number| it.contains(**number)).count();
                match (n(&self.wrong), n(&self.right)) {
                    (0, 0) if self.knows_itself => Said::Other,
                    (0, 0) => Said::Nothing,
                    (wrong, right) if wrong > right => Said::Wrong,
                    _ => Said::Other,
                }
            });
            Ok(said.collect())
        }
    }

    fn both(count: &mut Count, n: usize, calls_max: Option<usize>) -> (Subset, Behind<String>) {
        let candidates = Candidates::uniform(n);
        let first = attribute(&candidates, count, Options::default());
        assert_eq!(first.outcome, Outcome::Found);
        let n_first = first.certificate.calls();
        let mut options = Options {
            calls_max: calls_max.map(|it| it + n_first),
            ..Options::default()
        };
        let named = first
            .causes
            .iter()
            .fold(Subset::none(n), |all, it| all.with(it));
        let behind = look_behind(&candidates, &first, count, &mut options);
        (
            behind.causes.iter().fold(named, |all, it| all.with(it)),
            behind,
        )
    }

    #[test]
    fn whoever_is_outvoted_is_seen_once_those_who_outvote_are_set_aside() {
        for right in [vec![], vec![3], vec![3, 40], vec![0, 10, 59]] {
            for wrong in [vec![7, 8, 9, 50], vec![1, 20, 30, 31, 58]] {
                let mut count = Count::of(&wrong, &right);
                let (named, behind) = both(&mut count, 60, None);
                assert_eq!(named, Subset::of(60, wrong), "{right:?}");
                assert_eq!(behind.aside, Subset::of(60, right.clone()));
                assert_eq!(behind.outcome, Outcome::Found);
                assert!(behind.replies.len() < 60, "{}", behind.replies.len());
            }
        }
    }

    /// The same, which says another thing now and then.
    struct Errs {
        count: Count,
        flip: f64,
        draws: u64,
    }

    impl Errs {
        fn draw(&mut self) -> f64 {
            // SplitMix64.
            self.draws = self.draws.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut bits = self.draws;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            f64::from(u32::try_from((bits ^ (bits >> 31)) >> 32).unwrap()) / f64::from(u32::MAX)
        }
    }

    impl Oracle for Errs {
        type Error = String;

        fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, String> {
            let said = self.say(shown)?.into_iter();
            Ok(said.map(|it| verdict(it == Said::Wrong)).collect())
        }
    }

    impl Sides for Errs {
        fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, String> {
            let mut said = self.count.say(shown)?;
            for said in &mut said {
                if self.draw() < self.flip {
                    *said = match (*said, self.draw() < 0.5) {
                        (Said::Wrong, true) => Said::Other,
                        (Said::Wrong, false) => Said::Nothing,
                        _ => Said::Wrong,
                    };
                }
            }
            Ok(said)
        }
    }

    #[test]
    fn through_flips_they_are_seen_too_and_nobody_else_is_named() {
        let (wrong, right) = ([7, 8, 9, 50], [3, 40]);
        let exact = both(&mut Count::of(&wrong, &right), 60, None)
            .1
            .replies
            .len();
        let candidates = Candidates::uniform(60);
        for flip in [0.02, 0.1] {
            let (mut n_calls, mut n_missed) = (0, 0);
            for seed in 0..40 {
                let mut errs = Errs {
                    count: Count::of(&wrong, &right),
                    flip,
                    draws: seed,
                };
                let options = Options {
                    noise: crate::Noise::Known(flip),
                    ..Options::default()
                };
                let mut found = attribute(&candidates, &mut errs, options);
                assert_eq!(found.outcome, Outcome::Found);
                let mut options = Options::default();
                let behind = found.look_again(&candidates, &mut errs, &mut options);
                assert_eq!(behind.outcome, Outcome::Found);
                let causes = found.causes.iter().chain(&behind.causes);
                let named = causes.fold(Subset::none(60), |all, it| all.with(it));
                assert!(
                    named.is_within(&Subset::of(60, wrong)),
                    "{flip} {seed}: {named:?}"
                );
                n_missed += usize::from(named.len() < wrong.len());
                n_calls += behind.replies.len();
            }
            let times = n_calls / 40 / exact;
            assert!(
                n_missed == 0 && times <= 6,
                "{flip}: {n_missed} missed, {times} times"
            );
        }
    }

    #[test]
    fn answers_without_any_candidate_cannot_be_set_aside() {
        let mut count = Count::of(&[4, 5], &[]);
        count.knows_itself = true;
        let (named, behind) = both(&mut count, 20, None);
        assert_eq!(named, Subset::of(20, [4, 5]));
        assert_eq!(behind.outcome, Outcome::FailsWithout);
    }

    #[test]
    fn a_budget_or_an_oracle_that_is_gone_keeps_what_was_found() {
        let (wrong, right) = ([7, 8, 9, 50], [3, 40]);
        let whole = both(&mut Count::of(&wrong, &right), 60, None)
            .1
            .replies
            .len();
        for most in 0..whole {
            let (_, behind) = both(&mut Count::of(&wrong, &right), 60, Some(most));
            assert_eq!(behind.outcome, Outcome::Stopped(Why::Budget));
            assert_eq!(behind.replies.len(), most);
        }
        let mut gone = Count::of(&wrong, &right);
        let candidates = Candidates::uniform(60);
        let first = attribute(&candidates, &mut gone, Options::default());
        gone.calls_max = gone.calls + 12;
        let behind = look_behind(&candidates, &first, &mut gone, &mut Options::default());
        let why = Why::Oracle("gone".to_owned());
        assert_eq!(behind.outcome, Outcome::Stopped(why));
        assert!(behind.replies.len() <= 12);
    }
}
