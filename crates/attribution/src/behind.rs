//! Who else makes the answer wrong, hidden by those who make it right.
//!
//! [`attribute`](crate::attribute) ends when the answer passes, and what passes may still hold
//! candidates that would make it wrong where nobody gainsaid them: showing more made a wrong answer
//! right, so such an oracle is not monotone. To see them, those who bring about another answer are
//! set aside, and what is left is searched again, until it says nothing any more. Who was set aside
//! is then heard alone. Nothing is guessed about any of them: each that is named here was shown,
//! alone or in its cause, and the answer was wrong.

use std::collections::HashMap;

use crate::{
    Candidates, Found, Options, Oracle, Outcome, Part, Proof, Reply, Subset, Verdict, Why,
    attribute,
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

    /// What it said of exactly these, if it knows that without asking; nothing by default.
    fn said(&self, shown: &Subset) -> Option<Said> {
        let _ = shown;
        None
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
    /// Every reply, in order; its part is [`Part::Proof`].
    pub replies: Vec<Reply>,
}

/// Looks behind those who make the answer right, after a first search that found something.
///
/// For an oracle that does not err: nothing is asked twice here, nor after the first search where
/// the oracle tells what it said. The budget of the options counts the calls made here; their noise and proof are not looked at.
pub fn look_behind<O: Sides>(
    candidates: &Candidates,
    first: &Found<O::Error>,
    oracle: &mut O,
    options: &Options<'_>,
) -> Behind<O::Error> {
    let replies = first.certificate.replies.iter();
    let known = replies.map(|it| (it.shown.clone(), it.verdict));
    let named = first.correction.clone();
    let mut look = Look {
        candidates,
        memo: Memo {
            oracle,
            calls_max: options.calls_max,
            known: known.collect(),
            said: HashMap::new(),
            replies: Vec::new(),
        },
        named: first.causes.iter().fold(named, |all, it| all.with(it)),
        aside: Subset::none(candidates.len()),
        causes: Vec::new(),
    };
    let outcome = match &first.outcome {
        Outcome::Found => look.run().unwrap_or_else(Outcome::Stopped),
        _ => Outcome::NotReproduced,
    };
    Behind {
        outcome,
        causes: look.causes,
        aside: look.aside,
        replies: look.memo.replies,
    }
}

/// What was asked, and whom to ask for more.
struct Memo<'o, O: Oracle> {
    oracle: &'o mut O,
    calls_max: Option<usize>,
    /// What the first search was told.
    known: HashMap<Subset, Verdict>,
    said: HashMap<Subset, Said>,
    replies: Vec<Reply>,
}

impl<O: Sides> Memo<'_, O> {
    /// What is said of each of these; those that are new are asked in one go.
    fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, Why<O::Error>> {
        let mut new: Vec<Subset> = Vec::new();
        for one in shown {
            if self.said.contains_key(one) || new.contains(one) {
                continue;
            }
            if let Some(said) = self.oracle.said(one) {
                self.said.insert(one.clone(), said);
            } else {
                new.push(one.clone());
            }
        }
        let left = self
            .calls_max
            .map(|it| it.saturating_sub(self.replies.len()));
        let within = left.unwrap_or(new.len()).min(new.len());
        let (now, beyond) = new.split_at(within);
        if !now.is_empty() {
            let said = self.oracle.say(now).map_err(Why::Oracle)?;
            assert_eq!(said.len(), now.len(), "an oracle says something of each");
            for (shown, said) in now.iter().zip(said) {
                self.said.insert(shown.clone(), said);
                self.replies.push(Reply {
                    shown: shown.clone(),
                    verdict: verdict(said == Said::Wrong),
                    part: Part::Proof,
                });
            }
        }
        if !beyond.is_empty() {
            return Err(Why::Budget);
        }
        let found = shown.iter().filter_map(|it| self.said.get(it).copied());
        Ok(found.collect())
    }

    /// Whether each of these is wrong, or is another answer.
    fn is(&mut self, side: Said, shown: &[Subset]) -> Result<Vec<Verdict>, Why<O::Error>> {
        let known = |it: &Subset| match (self.known.get(it), side) {
            (Some(known), Said::Wrong) => Some(*known),
            // What is wrong is no other answer.
            (Some(Verdict::Fails), _) => Some(Verdict::Passes),
            _ => None,
        };
        let known: Vec<Option<Verdict>> = shown.iter().map(known).collect();
        let open = shown.iter().zip(&known).filter(|it| it.1.is_none());
        let open: Vec<Subset> = open.map(|it| it.0.clone()).collect();
        let mut said = self.say(&open)?.into_iter();
        let verdicts = known.into_iter().map(|it| match it {
            Some(known) => known,
            None => verdict(said.next() == Some(side)),
        });
        Ok(verdicts.collect())
    }
}

fn verdict(fails: bool) -> Verdict {
    if fails {
        Verdict::Fails
    } else {
        Verdict::Passes
    }
}

/// Some of the candidates under one side of an oracle.
struct Among<'m, 'o, O: Oracle> {
    memo: &'m mut Memo<'o, O>,
    numbers: &'m [usize],
    n: usize,
    side: Said,
}

impl<O: Sides> Oracle for Among<'_, '_, O> {
    type Error = Why<O::Error>;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, Self::Error> {
        let of_all = shown.iter().map(|it| renumbered(it, self.numbers, self.n));
        let of_all: Vec<Subset> = of_all.collect();
        self.memo.is(self.side, &of_all)
    }
}

/// A set of some candidates as one of all of them.
fn renumbered(of: &Subset, numbers: &[usize], n: usize) -> Subset {
    Subset::of(n, of.numbers().filter_map(|it| numbers.get(it).copied()))
}

struct Look<'l, 'o, O: Oracle> {
    candidates: &'l Candidates,
    memo: Memo<'o, O>,
    /// Those who are in a cause.
    named: Subset,
    aside: Subset,
    causes: Vec<Subset>,
}

impl<O: Sides> Look<'_, '_, O> {
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
            memo: &mut self.memo,
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
        let verdicts = self.memo.is(Said::Wrong, &each)?;
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
        let options = Options {
            calls_max,
            ..Options::default()
        };
        let named = first
            .causes
            .iter()
            .fold(Subset::none(n), |all, it| all.with(it));
        let behind = look_behind(&candidates, &first, count, &options);
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
        let behind = look_behind(&candidates, &first, &mut gone, &Options::default());
        let why = Why::Oracle("gone".to_owned());
        assert_eq!(behind.outcome, Outcome::Stopped(why));
        assert!(behind.replies.len() <= 12);
    }
}
