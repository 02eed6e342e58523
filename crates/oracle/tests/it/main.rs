//! Who answers, against an endpoint on this machine and against commands, well and ill.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

#[cfg(unix)]
mod command;
mod model;
mod reader;

use immune_attribution::Shown;

/// Memories `bel_1`, `bel_2` and so on with these texts.
fn memories(texts: &[&str]) -> Vec<Shown> {
    let numbered = (1..).zip(texts).map(|(number, text)| Shown {
        id: format!("bel_{number}"),
        source: "wiki".to_owned(),
        text: (*text).to_owned(),
    });
    numbered.collect()
}
