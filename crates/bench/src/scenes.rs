//! The scenes of `bench attribute`: who made an answer wrong, on real texts.
//!
//! Questions of PoisonedRAG and RealtimeQA, each with one to five of its published false texts among
//! honest ones, answered by the extractive reader. A scene counts if the reader is right without the
//! false texts and says the published wrong answer with them; the others are counted by the reason.
//! Nothing is fitted: the reader learns nothing, and the search sees numbers and verdicts.
//!
//! Who is to blame: with all honest texts shown, each set of the false ones is shown too, 31 at
//! most; a cause is one with which the answer is wrong and of which none can be spared, and every
//! false text in a cause is a culprit. An honest text never is.

mod build;

use std::collections::BTreeMap;

use immune_attribution::{
    Answerer as _, Asked, Candidates, Options, Outcome, Shown, Subset, Unanswered, Verdict,
    attribute,
};
use immune_oracle::Reader;

use crate::poisoned::data::Question;
use build::{Scene, scenes};

/// Why a scene does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Excluded {
    /// No honest text of the question holds the right answer.
    NoTruth,
    /// The reader is not right without the false texts.
    NotRight,
    /// The reader does not say the wrong answer with them.
    NotFooled,
}

impl Excluded {
    const ALL: [Self; 3] = [Self::NoTruth, Self::NotRight, Self::NotFooled];

    fn name(self) -> &'static str {
        match self {
            Self::NoTruth => "no honest text holds the right answer",
            Self::NotRight => "not right without the false texts",
            Self::NotFooled => "not wrong with the false texts",
        }
    }
}

/// What came of a scene that counts.
#[derive(Debug, Clone, PartialEq)]
struct Scored {
    /// Those who are to blame.
    culprits: Subset,
    /// Those who are blamed.
    blamed: Subset,
    /// How many honest texts are blamed.
    innocents: usize,
    /// How many calls the search took, guards and proofs counted.
    calls: usize,
    guard_calls: usize,
    /// The bound for as many culprits.
    bound: f64,
    /// Whether the answer is not wrong without the correction, and whether it is right.
    passes: bool,
    is_right: bool,
}

/// Who reads a scene.
struct Reading<'s> {
    reader: Reader,
    scene: &'s Scene<'s>,
}

impl Reading<'_> {
    fn answer(&self, shown: &Subset) -> Option<String> {
        let memories = &self.scene.memories;
        let shown = shown.numbers().filter_map(|it| memories.get(it));
        let shown: Vec<&Shown> = shown.collect();
        let answer = self.reader.answer(&self.scene.question.text, &shown);
        answer.expect("the reader always has a reply").text
    }

    fn is_right(&self, answer: Option<&str>) -> bool {
        let right = &self.scene.question.right;
        answer.is_some_and(|answer| right.iter().any(|it| says(answer, it)))
    }

    fn is_wrong(&self, answer: Option<&str>) -> bool {
        answer.is_some_and(|it| says(it, &self.scene.question.wrong))
    }

    /// The false texts that are in a cause, all honest texts being shown.
    fn culprits(&self, honest: &Subset) -> Subset {
        let n = self.scene.memories.len();
        let poison = &self.scene.poison;
        let mut causes: Vec<Subset> = Vec::new();
        let mut sets: Vec<u32> = (1..1 << poison.len()).collect();
        // By size, so that a cause is met before what holds it.
        sets.sort_by_key(|it| it.count_ones());
        for set in sets {
            let chosen = (0..).zip(poison).filter(|it| set >> it.0 & 1 == 1);
            let chosen = Subset::of(n, chosen.map(|it| *it.1));
            let holds_a_cause = causes.iter().any(|it| it.is_within(&chosen));
            if !holds_a_cause && self.is_wrong(self.answer(&honest.with(&chosen)).as_deref()) {
                causes.push(chosen);
            }
        }
        let none = Subset::none(n);
        causes.iter().fold(none, |all, it| all.with(it))
    }
}

/// Whether an answer holds a value: its words in their order, yes and no at the beginning.
fn says(answer: &str, value: &str) -> bool {
    let terms = |it: &str| format!(" {} ", immune_recall::terms(it).join(" "));
    let (answer, value) = (terms(answer), terms(value));
    match value.trim() {
        "" => false,
        "yes" | "no" => answer.starts_with(&value),
        _ => answer.contains(&value),
    }
}

/// Has a scene attributed, if it counts.
fn score(scene: &Scene<'_>) -> Result<Scored, Excluded> {
    let reading = Reading {
        reader: Reader::new(),
        scene,
    };
    let n = scene.memories.len();
    let all = Subset::all(n);
    let honest = all.without(&Subset::of(n, scene.poison.iter().copied()));
    let own = scene.own.iter().filter_map(|it| scene.memories.get(*it));
    let mut own = own.map(|it| it.text.as_str());
    if !own.any(|text| scene.question.right.iter().any(|it| holds(text, it))) {
        return Err(Excluded::NoTruth);
    }
    let before = reading.answer(&honest);
    if !reading.is_right(before.as_deref()) || reading.is_wrong(before.as_deref()) {
        return Err(Excluded::NotRight);
    }
    if !reading.is_wrong(reading.answer(&all).as_deref()) {
        return Err(Excluded::NotFooled);
    }
    let wrong = |_: &str, answer: &str| -> Result<Verdict, Unanswered> {
        Ok(verdict(says(answer, &scene.question.wrong)))
    };
    let mode = std::env::var("MODE").unwrap_or_default();
    let other = |_: &str, answer: &str| -> Result<Verdict, Unanswered> {
        Ok(verdict(if mode != "right" {
            !says(answer, &scene.question.wrong)
        } else {
            scene.question.right.iter().any(|it| says(answer, it))
        }))
    };
    let ask = |among: &Subset, judge: &dyn immune_attribution::Judge, proof| {
        let numbers: Vec<usize> = among.numbers().collect();
        let memories: Vec<Shown> = numbers
            .iter()
            .map(|it| scene.memories[*it].clone())
            .collect();
        let mut oracle = Asked::new(&reading.reader, judge, &scene.question.text, &memories);
        let options = Options {
            proof,
            ..Options::default()
        };
        let found = attribute(&Candidates::uniform(memories.len()), &mut oracle, options);
        let back = |of: &Subset| Subset::of(n, of.numbers().map(|it| numbers[it]));
        let causes: Vec<Subset> = found.causes.iter().map(back).collect();
        (causes, back(&found.correction), found.certificate)
    };
    use immune_attribution::Proof;
    let (causes, correction, certificate) = ask(&all, &wrong, Proof::Causes);
    let mut calls = certificate.calls();
    let mut blamed = causes
        .iter()
        .fold(correction.clone(), |all, it| all.with(it));
    let mut rest = all.without(&blamed);
    if mode != "one" {
        let mut rounds = 0;
        loop {
            rounds += 1;
            let (_, supporters, certificate) = ask(&rest, &other, Proof::Correction);
            calls += certificate.calls();
            rest = rest.without(&supporters);
            if mode == "each" {
                for h in supporters.numbers() {
                    calls += 1;
                    let one = Subset::of(n, [h]);
                    if reading.is_wrong(reading.answer(&one).as_deref()) {
                        blamed = blamed.with(&one);
                    }
                }
            }
            let (causes, correction, certificate) = ask(&rest, &wrong, Proof::Causes);
            calls += certificate.calls();
            if causes.is_empty() || rounds > 8 {
                break;
            }
            let more = causes.iter().fold(correction, |all, it| all.with(it));
            blamed = blamed.with(&more);
            rest = rest.without(&more);
        }
    }
    let after = reading.answer(&all.without(&correction));
    Ok(Scored {
        culprits: reading.culprits(&Subset::none(n)),
        innocents: blamed.numbers().filter(|it| honest.contains(*it)).count(),
        blamed,
        calls,
        guard_calls: 2,
        bound: certificate.bound_calls,
        passes: !reading.is_wrong(after.as_deref()),
        is_right: reading.is_right(after.as_deref()),
    })
}

fn verdict(is_so: bool) -> Verdict {
    if is_so {
        Verdict::Fails
    } else {
        Verdict::Passes
    }
}

/// Whether a text holds a value, in whatever words.
fn holds(text: &str, value: &str) -> bool {
    let terms = |it: &str| format!(" {} ", immune_recall::terms(it).join(" "));
    terms(text).contains(&terms(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look() {
        let Some(data) = crate::test_data() else {
            return;
        };
        let sets = crate::poisoned::data::sets(&data).unwrap();
        for (name, questions) in &sets {
            let start = std::time::Instant::now();
            let mut excluded: BTreeMap<Excluded, usize> = BTreeMap::new();
            let (mut n, mut exact, mut inn, mut passes, mut right, mut calls, mut bound, mut fewer) =
                (0, 0, 0, 0, 0, 0, 0.0, 0);
            for scene in scenes(name, questions, &sets, 7) {
                match score(&scene) {
                    Err(why) => *excluded.entry(why).or_default() += 1,
                    Ok(s) => {
                        n += 1;
                        exact += usize::from(s.blamed == s.culprits);
                        inn += usize::from(s.innocents > 0);
                        passes += usize::from(s.passes);
                        right += usize::from(s.is_right);
                        calls += s.calls - s.guard_calls;
                        bound += s.bound;
                        fewer += usize::from(s.culprits.len() < scene.poison.len());
                        if s.blamed != s.culprits {
                            println!(
                                "{} k={} poison {:?} culprits {:?} blamed {:?} own {:?}",
                                scene.question.text,
                                scene.poison.len(),
                                scene.poison,
                                s.culprits,
                                s.blamed,
                                scene.own.len()
                            );
                        }
                    }
                }
            }
            println!(
                "TOTAL {name} {excluded:?} n {n} exact {exact} innocents {inn} passes {passes} right {right} calls {calls} bound {bound} fewer {fewer} {:?}",
                start.elapsed()
            );
        }
    }
}
