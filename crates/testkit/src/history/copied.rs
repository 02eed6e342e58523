//! The steps in which the words of others are said again, and what an operator rules about that.

use immune_model::Text;
use immune_reason::plan::{Copying, SetMirror};
use proptest::prelude::*;

use super::in_run::{named_run, speaker};
use super::{History, Step, claim};

/// Words of one text; of these the drift changes some.
const WORDS: usize = 40;
/// Words that are changed from one text to the next: nine runs of four in ten are then the same.
const CHANGED: usize = 2;

/// Somebody says again what was said, or is ruled not to.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let run = prop::option::weighted(0.5, 0..3u8);
    prop_oneof![
        6 => (0..7u8, 0..4u8, 0..3u8, 0..6u8, run).prop_map(|(source, subject, value, drift, run)| {
            Step::Repeat { source, subject, value, drift, run }
        }),
        1 => (0..7u8, 0..7u8, any::<bool>())
            .prop_map(|(source, of, independent)| Step::Rule { source, of, independent }),
    ]
}

impl History {
    pub(super) fn take_copied(&mut self, step: &Step) {
        match step {
            Step::Repeat {
                source,
                subject,
                value,
                drift,
                run,
            } => {
                let text = Text::new(&long_text(*drift)).unwrap();
                let claims = vec![claim(*subject, *value)];
                self.say(speaker(*source), text, run.map(named_run), claims);
            }
            Step::Rule {
                source,
                of,
                independent,
            } => {
                let copying = if *independent {
                    Copying::Independent
                } else {
                    Copying::Open
                };
                let command = SetMirror {
                    source: speaker(*source),
                    of: speaker(*of),
                    copying,
                };
                // Unknown and own ones are refused; that is a step too.
                self.plan(|draft| drop(draft.set_mirror(&command)));
            }
            _ => unreachable!("`take` hands over what is said again, and nothing else"),
        }
    }
}

/// A text that differs from the one before it in its first words that did not differ yet.
fn long_text(drift: u8) -> String {
    let changed = CHANGED * usize::from(drift);
    let word = |at: usize| {
        let sign = if at < changed { "other" } else { "word" };
        format!("{sign}{at}")
    };
    let words: Vec<String> = (0..WORDS).map(word).collect();
    words.join(" ")
}
