//! What is asked of the cascade, held against the rows.

use immune_api::bench::{BenchRow, BenchTarget};

use crate::ours::ENGINE;

/// CPU of a cascade in milliseconds: size, source, most.
const CASCADES: [(usize, &str, f64); 6] = [
    (100_000, "small", 1.0),
    (100_000, "median", 1.5),
    (100_000, "giant", 14.0),
    (1_000_000, "small", 4.5),
    (1_000_000, "median", 10.0),
    (1_000_000, "giant", 260.0),
];

/// The targets that these rows can answer.
pub(crate) fn of(rows: &[BenchRow]) -> Vec<BenchTarget> {
    let found = Found(rows);
    let mut targets = Vec::new();
    let mut if_found = |name: String, value: Option<f64>, most: f64| {
        targets.extend(value.map(|value| at_most(name, value, most)));
    };
    for (beliefs, source, most) in CASCADES {
        let name = format!("cascade of the {source} source at {beliefs}, CPU ms");
        if_found(
            name,
            found.cpu(beliefs, "cascade: support, strength", source),
            most,
        );
    }
    let cone = |beliefs| found.cpu(beliefs, "cascade in a cone of 1,000", "observation");
    let name = "cascade in a cone of 1,000 at 1000000, CPU ms";
    if_found(name.to_owned(), cone(1_000_000), 1.0);
    let growth = cone(1_000_000)
        .zip(cone(100_000))
        .map(|(large, small)| large / small);
    let name = "the same cone in ten times the memory, times the CPU";
    if_found(name.to_owned(), growth, 4.0);
    let durable = found.ours(100_000, "flag, end to end, durable", "giant");
    let durable = durable.and_then(|it| it.wall_ms);
    let name = "flag of the giant source at 100000, durable, wall ms";
    if_found(name.to_owned(), durable, 100.0);
    for beliefs in [100_000, 1_000_000] {
        let each = found.ours(beliefs, "memory of the graph", "");
        let name = format!("memory of the graph at {beliefs}, bytes for each belief");
        if_found(name, each.and_then(|it| it.bytes_each), 160.0);
    }
    let import = found.ours(1_000_000, "import of the graph", "");
    let name = "import at 1000000, wall ms";
    if_found(name.to_owned(), import.and_then(|it| it.wall_ms), 60_000.0);
    let opened = found.ours(1_000_000, "open", "").and_then(|it| it.wall_ms);
    if_found("open at 1000000, wall ms".to_owned(), opened, 2_000.0);
    let commit = found.ours(1_000_000, "commit of the cascade", "giant");
    let name = "commit of the giant cascade at 1000000, wall ms";
    if_found(name.to_owned(), commit.and_then(|it| it.wall_ms), 600.0);
    let extra = found.ours(1_000_000, "extra memory of a flag and its commit", "giant");
    let name = "extra memory of the giant cascade at 1000000, MB";
    if_found(name.to_owned(), extra.and_then(|it| it.megabytes), 150.0);
    let update = found.peer_wall(100_000, "UPDATE of the closure, durable", "giant");
    if let Some((theirs, ours)) = update.zip(durable) {
        targets.push(at_least(
            "PostgreSQL's over-revoking update of the giant source, durable, times ours",
            theirs / ours,
            20.0,
        ));
    }
    for source in ["small", "median", "giant"] {
        let ours = found.cpu(100_000, "cascade: support, strength", source);
        if let Some((theirs, ours)) = found.best_peer(100_000, source).zip(ours) {
            let name = format!("the best peer's bare closure of the {source} source, times ours");
            targets.push(at_least(name, theirs / ours, 1.0));
        }
    }
    targets
}

/// A value that is to be at least so much.
pub(crate) fn at_least(name: impl Into<String>, value: f64, least: f64) -> BenchTarget {
    BenchTarget {
        name: name.into(),
        value,
        target: format!(">= {least}"),
        holds: value >= least,
    }
}

/// A value that is to be at most so much.
pub(crate) fn at_most(name: impl Into<String>, value: f64, most: f64) -> BenchTarget {
    BenchTarget {
        name: name.into(),
        value,
        target: format!("<= {most}"),
        holds: value <= most,
    }
}

struct Found<'a>(&'a [BenchRow]);

impl Found<'_> {
    fn ours(&self, beliefs: usize, what: &str, source: &str) -> Option<&BenchRow> {
        let own = |it: &&BenchRow| it.engine == ENGINE && it.beliefs == beliefs;
        let mut own = self.0.iter().filter(own);
        own.find(|it| it.what == what && it.source == source)
    }

    fn cpu(&self, beliefs: usize, what: &str, source: &str) -> Option<f64> {
        self.ours(beliefs, what, source)?.cpu_ms
    }

    fn peers(&self, beliefs: usize, source: &str) -> impl Iterator<Item = &BenchRow> {
        let rows = self
            .0
            .iter()
            .filter(move |it| it.beliefs == beliefs && it.source == source);
        rows.filter(|it| it.engine != ENGINE)
    }

    fn peer_wall(&self, beliefs: usize, what: &str, source: &str) -> Option<f64> {
        let mut peers = self.peers(beliefs, source);
        peers.find(|it| it.what == what).and_then(|it| it.wall_ms)
    }

    /// The least CPU that any peer needs for bare closure.
    fn best_peer(&self, beliefs: usize, source: &str) -> Option<f64> {
        let times = self.peers(beliefs, source).filter_map(|it| it.cpu_ms);
        times.min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_falls_short_says_so_and_one_without_a_row_is_left_out() {
        let row = |engine: &str, what: &str, ms: f64| BenchRow {
            beliefs: 100_000,
            engine: engine.to_owned(),
            what: what.to_owned(),
            source: "giant".to_owned(),
            cpu_ms: Some(ms),
            wall_ms: Some(ms),
            ..BenchRow::default()
        };
        let rows = [
            row(ENGINE, "cascade: support, strength", 15.0),
            row(ENGINE, "flag, end to end, durable", 50.0),
            row("FalkorDB", "algo.BFS", 17.6),
            row("PostgreSQL", "UPDATE of the closure, durable", 1_200.0),
        ];
        let found: Vec<_> = of(&rows)
            .into_iter()
            .map(|it| (it.value, it.target, it.holds))
            .collect();
        let expected = [
            (15.0, "<= 14", false),
            (50.0, "<= 100", true),
            (24.0, ">= 20", true),
            (17.6 / 15.0, ">= 1", true),
        ];
        let expected = expected.map(|(value, target, holds)| (value, target.to_owned(), holds));
        assert_eq!(found, expected);
    }
}
