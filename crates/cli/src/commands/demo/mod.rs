//! `demo`: a lie, what it costs, and how the memory heals; `rehearse`: the same twice, compared.
//!
//! It runs on the embedded store in a folder of its own, with the payments in a ledger file
//! there. The clock stands still and ids are deterministic, so that two runs print the same
//! bytes. Everything that is shown is read back from the engine or from the ledger.

mod assertions;
mod ledger;
mod stage;
mod story;
mod tree;

use std::path::Path;

pub(crate) use assertions::Assertion;

/// What a run of the demo showed.
#[derive(Debug)]
pub(crate) struct Told {
    /// What people read, line by line.
    pub(crate) lines: Vec<String>,
    /// What was claimed, and whether it holds.
    pub(crate) assertions: Vec<Assertion>,
}

/// Tells the story in this folder, which is empty or absent. `glyphs` says whether the terminal
/// shows more than ASCII.
pub(crate) fn tell(folder: &Path, glyphs: bool) -> anyhow::Result<Told> {
    let stage = stage::Stage::set(folder)?;
    story::tell(&stage, glyphs)
}

/// The first line in which two tellings differ, if they do.
pub(crate) fn first_difference<'a>(
    first: &'a Told,
    second: &'a Told,
) -> Option<(usize, &'a str, &'a str)> {
    let n = first.lines.len().max(second.lines.len());
    let line = |told: &'a Told, at: usize| told.lines.get(at).map_or("", String::as_str);
    (0..n)
        .map(|at| (at + 1, line(first, at), line(second, at)))
        .find(|(_, first, second)| first != second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assertion_holds_and_two_tellings_are_byte_identical() {
        let folder = tempfile::tempdir().unwrap();
        let first = tell(&folder.path().join("first"), true).unwrap();
        let second = tell(&folder.path().join("second"), true).unwrap();
        assert!(
            first.assertions.iter().all(|it| it.holds),
            "{:#?}",
            first.assertions
        );
        assert_eq!(first_difference(&first, &second), None);
        assert!(
            first.lines.len() > 60,
            "the story is told, not only its end"
        );
    }

    #[test]
    fn without_glyphs_it_is_ascii() {
        let folder = tempfile::tempdir().unwrap();
        let told = tell(&folder.path().join("ascii"), false).unwrap();
        assert_eq!(told.lines.iter().find(|line| !line.is_ascii()), None);
    }
}
