//! An attacker who knows the detector, its words and its thresholds, and tries what spreads best.
//!
//! He writes payloads without a word that is looked for, at no cost of sense, some of them shorter
//! than what is unusual to take, and chooses how to hide them and how much each hop changes. He
//! tries on the mails that were looked at; what he found is then run on the others, with other
//! seeds. It is a row without a target.

use immune_api::bench::BenchRow;
use immune_mesh::Mesh;

use super::mail::Mails;
use super::outbreak::{Guard, Outbreak, Worm, run as outbreak};
use super::rows::infected;
use super::worm::{Kind, SHORT, TINY, UNLISTED};

/// Outbreaks by which he tells what spreads.
const TRIES: u64 = 2;
/// Outbreaks of what he found.
const RUNS: u64 = 12;
/// How he hides them: as they are, and with words of others between.
const KINDS: [&[Kind]; 2] = [
    &[Kind::Embedded, Kind::Verbatim, Kind::Quoted],
    &[Kind::Filled],
];
/// Words of a thousand that each hop changes.
const CHANGES: [usize; 7] = [0, 20, 50, 100, 200, 300, 500];

/// What he found.
pub(super) struct Attack {
    /// For each amount of change, as they are and with words between: the outbreaks of what spread
    /// best, on the other mails.
    found: Vec<(Worm, Vec<Outbreak>)>,
    /// The best of them, without the guard.
    unguarded: Vec<Outbreak>,
    best: usize,
}

/// What he writes.
fn payloads() -> impl Iterator<Item = &'static str> {
    UNLISTED.into_iter().chain(SHORT).chain(TINY)
}

/// Searches, then measures.
pub(super) fn run(mails: &Mails, seed: u64, mesh: &Mesh) -> Attack {
    let guard = Guard::Watched(mesh);
    let spread = |worm: &Worm| -> usize {
        let tries = (0..TRIES).map(|it| outbreak(mails.looked_at(), worm, guard, seed + it));
        tries.map(|it| it.infected).sum()
    };
    let mut chosen: Vec<(usize, Worm)> = Vec::new();
    let ways = KINDS
        .into_iter()
        .flat_map(|kinds| CHANGES.map(|changes| (kinds, changes)));
    for (kinds, changes) in ways {
        let worms = kinds.iter().flat_map(|kind| {
            payloads().map(move |payload| Worm {
                payload: payload.to_owned(),
                kind: *kind,
                changes,
            })
        });
        let best = worms.map(|it| (spread(&it), it)).max_by_key(|it| it.0);
        chosen.extend(best);
    }
    let most = chosen.iter().map(|it| it.0).max().unwrap_or(0);
    let best = chosen.iter().position(|it| it.0 == most).unwrap_or(0);
    let measure = |worm: &Worm, guard: Guard<'_>| -> Vec<Outbreak> {
        let runs = (0..RUNS).map(|it| outbreak(mails.kept(), worm, guard, seed + 1000 + it));
        runs.collect()
    };
    let unguarded = chosen.get(best).map(|it| measure(&it.1, Guard::None));
    let found = chosen.into_iter().map(|(_, worm)| {
        let runs = measure(&worm, guard);
        (worm, runs)
    });
    Attack {
        found: found.collect(),
        unguarded: unguarded.unwrap_or_default(),
        best,
    }
}

impl Attack {
    pub(super) fn rows(&self) -> Vec<BenchRow> {
        let mut rows = Vec::new();
        for (number, (worm, runs)) in self.found.iter().enumerate() {
            let percent = worm.changes / 10;
            let how = worm.kind.name();
            let source = format!("attacker who knows the words, {how}, {percent} % changed a hop");
            rows.push(infected(&source, "immune", runs));
            if number == self.best {
                let source = format!("{source}, his best");
                rows.push(infected(&source, "immune", runs));
                rows.push(infected(&source, "no guard", &self.unguarded));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {

    use super::super::payloads::is_looked_for;
    use super::*;

    #[test]
    fn what_he_writes_is_not_looked_for() {
        for text in payloads() {
            assert!(!is_looked_for(text), "{text}");
        }
    }
}
