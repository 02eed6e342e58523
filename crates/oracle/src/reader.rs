//! A reader.
use immune_attribution::{Answer, Answerer, Shown, Unanswered};

/// A reader that takes the answer out of what it is shown.
#[derive(Debug, Default)]
pub struct Reader {}

impl Reader {
    /// One that has read nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Answerer for Reader {
    fn name(&self) -> String {
        "extractive reader".to_owned()
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let asked = immune_recall::terms(question);
        let best = shown.iter().map(|it| {
            let terms = immune_recall::terms(&it.text);
            (
                asked
                    .iter()
                    .filter(|it| !immune_recall::is_stop_word(it) && terms.contains(it))
                    .count(),
                it,
            )
        });
        let best = best.rev().max_by_key(|it| it.0).filter(|it| it.0 > 0);
        Ok(Answer {
            text: best.map(|it| it.1.text.clone()),
            tokens: None,
        })
    }
}
