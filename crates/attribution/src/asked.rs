//! An answerer and a judge as an oracle: each question is asked, judged and written down.
//!
//! Invariants: what was answered is kept whatever becomes of the rest; no answer is no failure;
//! questions that are asked at once are written down in the order of their list; no question is
//! begun once somebody said to stop. The budget is with the search, see [`Options`](crate::Options).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tracing::{Span, field};

use crate::{Answer, Answerer, Judge, Oracle, Said, Shown, Sides, Subset, Unanswered, Verdict};

/// Says how much time passed since some moment, always the same one.
type Clock<'a> = &'a (dyn Fn() -> Duration + Sync);

/// Hears of each question when it is answered.
type Watch<'a> = &'a (dyn Fn(&Call) + Sync);

/// Says whether to stop.
type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// One question, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What was shown.
    pub subset: Subset,
    /// What was answered, and what that cost.
    pub answer: Answer,
    /// Whether it is wrong.
    pub verdict: Verdict,
    /// How long it took, where somebody handed in a clock.
    pub took: Option<Duration>,
}

impl Call {
    /// Which side that was.
    pub fn said(&self) -> Said {
        match (self.verdict, &self.answer.text) {
            (Verdict::Fails, _) => Said::Wrong,
            (Verdict::Passes, Some(_)) => Said::Other,
            (Verdict::Passes, None) => Said::Nothing,
        }
    }
}

/// Why there are no verdicts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Somebody said to stop.
    #[error("somebody stopped it")]
    Interrupted,
    /// Who was asked gave no answer, or the judge no verdict.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
}

/// Asks an answerer with some of the memories, and a judge about the answer.
pub struct Asked<'a> {
    answerer: &'a dyn Answerer,
    judge: &'a dyn Judge,
    question: &'a str,
    memories: &'a [Shown],
    clock: Option<Clock<'a>>,
    watch: Option<Watch<'a>>,
    is_stopped: Option<Stop<'a>>,
    calls: Vec<Call>,
    n_started: u64,
}

impl<'a> Asked<'a> {
    /// The oracle over these memories: candidate `i` is the `i`th of them.
    pub fn new(
        answerer: &'a dyn Answerer,
        judge: &'a dyn Judge,
        question: &'a str,
        memories: &'a [Shown],
    ) -> Self {
        Self {
            answerer,
            judge,
            question,
            memories,
            clock: None,
            watch: None,
            is_stopped: None,
            calls: Vec::new(),
            n_started: 0,
        }
    }

    /// Takes down how long each question took.
    #[must_use]
    pub fn timed(self, clock: Clock<'a>) -> Self {
        Self {
            clock: Some(clock),
            ..self
        }
    }

    /// Tells of each question when it is answered, from the thread that asked it.
    #[must_use]
    pub fn watched(self, watch: Watch<'a>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// Begins no question once this says to stop; those under way are waited for.
    #[must_use]
    pub fn stopped_by(self, is_stopped: Stop<'a>) -> Self {
        Self {
            is_stopped: Some(is_stopped),
            ..self
        }
    }

    /// What was asked and answered so far.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The same, for keeping.
    pub fn into_calls(self) -> Vec<Call> {
        self.calls
    }

    /// How many questions were asked, those without an answer counted.
    pub fn n_asked(&self) -> u64 {
        self.n_started
    }

    fn call(&self, subset: &Subset) -> Result<Call, Unanswered> {
        let shown = subset.numbers().filter_map(|it| self.memories.get(it));
        let shown: Vec<&Shown> = shown.collect();
        let started = self.clock.map(|it| it());
        let answer = self.answerer.answer(self.question, &shown)?;
        let verdict = match &answer.text {
            None => Verdict::Passes,
            Some(text) => self.judge.judge(self.question, text)?,
        };
        let took = self.clock.zip(started);
        Ok(Call {
            subset: subset.clone(),
            answer,
            verdict,
            took: took.map(|(clock, started)| clock().saturating_sub(started)),
        })
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.is_some_and(|it| it())
    }

    /// The same, in a span of its own.
    fn traced(&self, within: &Span, subset: &Subset) -> Result<Call, Unanswered> {
        let span = tracing::info_span!(
            parent: within,
            "immune.oracle_call",
            subset_size = subset.len(),
            verdict = field::Empty,
            tokens_read = field::Empty,
            tokens_written = field::Empty,
            error = field::Empty,
        );
        let _entered = span.enter();
        let found = self.call(subset);
        match &found {
            Ok(call) => {
                span.record("verdict", call.verdict.name());
                if let Some((read, written)) = call.answer.tokens {
                    span.record("tokens_read", read);
                    span.record("tokens_written", written);
                }
                if let Some(watch) = self.watch {
                    watch(call);
                }
            }
            Err(error) => {
                span.record("error", field::display(error));
            }
        }
        found
    }

    /// Asks as many at once as the answerer takes. After one without an answer, or once somebody
    /// said to stop, no other is begun.
    fn all(&self, shown: &[Subset]) -> BTreeMap<usize, Result<Call, Unanswered>> {
        let within = Span::current();
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let found = Mutex::new(BTreeMap::new());
        let work = || {
            while !is_over.load(Ordering::Relaxed) && !self.is_stopped() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(subset) = shown.get(number) else {
                    return;
                };
                let call = self.traced(&within, subset);
                if call.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                }
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.insert(number, call);
            }
        };
        std::thread::scope(|scope| {
            let others = self.answerer.at_once().min(shown.len());
            for _ in 1..others {
                scope.spawn(work);
            }
            work();
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Oracle for Asked<'_> {
    type Error = AskError;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, AskError> {
        let asked = self.each(shown)?.iter();
        Ok(asked.map(|it| it.verdict).collect())
    }
}

impl Sides for Asked<'_> {
    fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, AskError> {
        let asked = self.each(shown)?.iter();
        Ok(asked.map(Call::said).collect())
    }

    fn said(&self, shown: &Subset) -> Vec<Said> {
        let same = self.calls.iter().filter(|it| it.subset == *shown);
        same.map(Call::said).collect()
    }
}

impl Asked<'_> {
    /// Asks each of these, and keeps what came of it; the calls of all of them.
    fn each(&mut self, shown: &[Subset]) -> Result<&[Call], AskError> {
        let found = self.all(shown);
        self.n_started += found.len() as u64;
        let before = self.calls.len();
        let mut refused = None;
        for call in found.into_values() {
            match call {
                Ok(call) => self.calls.push(call),
                // One about the endpoint says more than one about an answer.
                Err(error) => {
                    let says_more = |it: &Unanswered| error.is_final && !it.is_final;
                    if refused.as_ref().is_none_or(says_more) {
                        refused = Some(error);
                    }
                }
            }
        }
        match refused {
            Some(refused) => Err(refused.into()),
            None if self.calls.len() < before + shown.len() => Err(AskError::Interrupted),
            None => Ok(self.calls.get(before..).unwrap_or_default()),
        }
    }
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("answerer", &self.answerer)
            .field("question", &self.question)
            .field("n_memories", &self.memories.len())
            .field("n_calls", &self.calls.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Answers with the texts that it is shown; `?` is no answer, and `!` is none to be had.
    #[derive(Debug)]
    struct Echo;

    impl Answerer for Echo {
        fn name(&self) -> String {
            "echo".to_owned()
        }

        fn at_once(&self) -> usize {
            3
        }

        fn answer(&self, _: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
            let texts: Vec<&str> = shown.iter().map(|it| it.text.as_str()).collect();
            let text = texts.join(" ");
            if text.contains('!') {
                return Err(Unanswered {
                    reason: "gone".to_owned(),
                    advice: "look for it".to_owned(),
                    is_final: true,
                    is_spent: false,
                });
            }
            Ok(Answer {
                tokens: Some((shown.len() as u64, 1)),
                text: (text != "?").then_some(text),
            })
        }
    }

    /// What holds `wrong` is wrong; what holds `odd` cannot be judged.
    struct Words;

    impl Judge for Words {
        fn judge(&self, question: &str, answer: &str) -> Result<Verdict, Unanswered> {
            assert_eq!(question, "which?");
            if answer.contains("odd") {
                return Err(Unanswered {
                    reason: "no verdict".to_owned(),
                    advice: String::new(),
                    is_final: false,
                    is_spent: false,
                });
            }
            Ok(if answer.contains("wrong") {
                Verdict::Fails
            } else {
                Verdict::Passes
            })
        }
    }

    fn memories(texts: &[&str]) -> Vec<Shown> {
        let of = |text: &&str| Shown {
            id: String::new(),
            source: String::new(),
            text: (*text).to_owned(),
        };
        texts.iter().map(of).collect()
    }

    fn each(n: usize) -> Vec<Subset> {
        (0..n).map(|it| Subset::of(n, [it])).collect()
    }

    #[test]
    fn what_is_said_is_judged_timed_told_and_kept_in_order() {
        let memories = memories(&["wrong", "right", "?"]);
        let (ticks, told) = (AtomicU64::new(0), AtomicUsize::new(0));
        let clock = || Duration::from_secs(ticks.fetch_add(1, Ordering::SeqCst));
        let watch = |_: &Call| {
            told.fetch_add(1, Ordering::SeqCst);
        };
        let asked = Asked::new(&Echo, &Words, "which?", &memories);
        let mut asked = asked.timed(&clock).watched(&watch);
        let said = asked.say(&each(3)).unwrap();
        assert_eq!(said, [Said::Wrong, Said::Other, Said::Nothing]);
        let verdicts = asked.ask(&[Subset::all(3), Subset::none(3)]).unwrap();
        assert_eq!(verdicts, [Verdict::Fails, Verdict::Passes]);
        let subsets = asked.calls().iter().map(|it| it.subset.clone());
        let all = [each(3), vec![Subset::all(3), Subset::none(3)]].concat();
        assert_eq!(subsets.collect::<Vec<_>>(), all);
        assert!(asked.calls().iter().all(|it| it.took.is_some()));
        assert_eq!((told.load(Ordering::SeqCst), asked.n_asked()), (5, 5));
    }

    #[test]
    fn an_error_ends_what_comes_after() {
        let memories = memories(&["right", "odd", "!", "right"]);
        let mut asked = Asked::new(&Echo, &Words, "which?", &memories);
        // Those under way are waited for, and the one about whoever is asked is told.
        let error = asked.ask(&each(4)).unwrap_err().to_string();
        assert!(["gone", "no verdict"].contains(&error.as_str()), "{error}");
        let kept = asked.calls().len() as u64;
        assert!(kept < asked.n_asked() && asked.n_asked() <= 4);
        assert_eq!(asked.ask(&each(4)[..1]), Ok(vec![Verdict::Passes]));
    }

    #[test]
    fn no_question_is_begun_once_somebody_said_to_stop() {
        let memories = memories(&["wrong"; 20]);
        let told = AtomicUsize::new(0);
        let watch = |_: &Call| {
            told.fetch_add(1, Ordering::SeqCst);
        };
        let is_stopped = || told.load(Ordering::SeqCst) >= 5;
        let asked = Asked::new(&Echo, &Words, "which?", &memories);
        let mut asked = asked.watched(&watch).stopped_by(&is_stopped);
        assert_eq!(asked.ask(&each(20)[..2]).map(|it| it.len()), Ok(2));
        assert_eq!(asked.ask(&each(20)), Err(AskError::Interrupted));
        // Those under way were waited for, and are kept.
        assert!((5..=8).contains(&asked.calls().len()));
        assert_eq!(asked.said(&each(20)[0]), [Said::Wrong; 2]);
    }

    /// Writes down the spans that end with what was recorded in them.
    #[derive(Clone, Default)]
    struct Spans(std::sync::Arc<Mutex<Vec<String>>>);

    impl Visit for &Spans {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            let mut spans = self.0.lock().unwrap();
            spans.push(format!("{}={value:?}", field.name()));
        }
    }

    impl Subscriber for Spans {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            self.0
                .lock()
                .unwrap()
                .push(span.metadata().name().to_owned());
            span.record(&mut &*self);
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut &*self);
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn each_question_is_a_span_with_its_size_its_verdict_and_its_tokens() {
        let memories = memories(&["wrong", "!"]);
        let mut asked = Asked::new(&Echo, &Words, "which?", &memories);
        let spans = Spans::default();
        tracing::subscriber::with_default(spans.clone(), || {
            asked.ask(&each(2)[..1]).unwrap();
            asked.ask(&each(2)[1..]).unwrap_err();
        });
        let found = spans.0.lock().unwrap().join(" ");
        let expected = "immune.oracle_call subset_size=1 verdict=\"fails\" tokens_read=1 \
            tokens_written=1 immune.oracle_call subset_size=1 error=gone";
        assert_eq!(found, expected);
    }
}
