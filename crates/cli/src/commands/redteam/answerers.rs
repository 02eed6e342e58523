//! Who answers in the battery beside the oracle that was asked for: one that wants to hear a thing
//! twice, and one that now and then says something else.

use std::sync::atomic::{AtomicU64, Ordering};

use immune_engine::Comparer;
use immune_engine::attribution::{Answer, Answerer, Shown, Unanswered};

/// Says what two sources say, and nothing that one says alone: memories are needed together.
#[derive(Debug)]
pub(super) struct Corroborating<'a> {
    /// Who reads each memory.
    pub(super) base: &'a dyn Answerer,
}

impl Answerer for Corroborating<'_> {
    fn name(&self) -> String {
        format!("{}, heard twice", self.base.name())
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let mut heard: Vec<(String, usize)> = Vec::new();
        for memory in shown {
            let Some(text) = self.base.answer(question, &[memory])?.text else {
                continue;
            };
            let voices = memory.source.split(", ").count();
            let same = |it: &&mut (String, usize)| {
                Comparer::asserts(&it.0, &text) && Comparer::asserts(&text, &it.0)
            };
            match heard.iter_mut().find(same) {
                Some((_, all)) => *all += voices,
                None => heard.push((text, voices)),
            }
        }
        let most = heard.iter().map(|(_, voices)| *voices).max();
        let most = most.filter(|it| *it >= 2);
        let first = heard.into_iter().find(|(_, it)| Some(*it) == most);
        Ok(Answer {
            text: first.map(|(text, _)| text),
            tokens: None,
        })
    }
}

/// Says the lie where it should not, and nothing where it should, now and then: the same calls in
/// the same order give the same answers.
#[derive(Debug)]
pub(super) struct Noisy<'a> {
    base: &'a dyn Answerer,
    percent: u64,
    lie: String,
    calls: AtomicU64,
}

impl<'a> Noisy<'a> {
    pub(super) fn new(base: &'a dyn Answerer, percent: u64, lie: &str) -> Self {
        Self {
            base,
            percent,
            lie: lie.to_owned(),
            calls: AtomicU64::new(0),
        }
    }
}

impl Answerer for Noisy<'_> {
    fn name(&self) -> String {
        format!("{}, wrong {} times of 100", self.base.name(), self.percent)
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let answer = self.base.answer(question, shown)?;
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if scattered(call) % 100 >= self.percent {
            return Ok(answer);
        }
        let text = answer.text.filter(|it| Comparer::asserts(it, &self.lie));
        let text = match text {
            Some(_) => None,
            None => Some(self.lie.clone()),
        };
        Ok(Answer { text, tokens: None })
    }
}

/// A number that looks like chance (SplitMix64, Steele, Lea and Flood, OOPSLA 2014).
fn scattered(call: u64) -> u64 {
    let mut it = call.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}
