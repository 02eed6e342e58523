//! `bench cascade`: a source turns out to be a lie. What does it take to know what falls?
//!
//! On each graph a small, a median and the giant source are flagged. Ours computes what really
//! falls, with the strength of what stays; the peers compute bare closure.

use std::collections::BTreeMap;

use immune_api::bench::{Bench, BenchRow};

use crate::ours::{self, Ours};
use crate::shape::{Shape, Suspect};
use crate::{BenchError, Options, Peer, machine, peers, sqlite, targets};

/// How many beliefs the cone of a single observation should have.
const CONE: usize = 1_000;

/// Runs it. `say` is told what is going on.
pub fn cascade(options: &Options, say: &mut dyn FnMut(&str)) -> Result<Bench, BenchError> {
    let mut rows = Vec::new();
    for n in &options.beliefs {
        for mut row in at_size(options, *n, say)? {
            row.beliefs = *n;
            rows.push(row);
        }
    }
    let mut versions = BTreeMap::from([
        ("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("machine".to_owned(), machine::processor()),
        ("sqlite".to_owned(), rusqlite::version().to_owned()),
    ]);
    for row in rows.iter().filter(|it| it.note.is_none()) {
        for (name, prefix) in [("postgres", "PostgreSQL "), ("falkordb", "FalkorDB ")] {
            if let Some(version) = row.engine.strip_prefix(prefix) {
                versions.insert(name.to_owned(), version.to_owned());
            }
        }
    }
    let targets = targets::of(&rows);
    Ok(Bench {
        bench: "cascade".to_owned(),
        seed: options.seed,
        versions,
        rows,
        targets,
    })
}

fn at_size(
    options: &Options,
    n: usize,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<BenchRow>, BenchError> {
    let folder = tempfile::tempdir()?;
    say(&format!("{n} beliefs: the graph and what is right"));
    let shape = Shape::new(immune_testkit::graph::layered(n, options.seed));
    let suspects = shape.suspects();
    let mut rows = shape_rows(&shape, &suspects);
    say(&format!("{n} beliefs: importing it"));
    let path = folder.path().join("bench.immune");
    let (ours, written) = Ours::load(&path, &shape)?;
    rows.push(written);
    say(&format!("{n} beliefs: ours"));
    for suspect in &suspects {
        rows.push(ours.cascade(options, suspect)?);
    }
    for suspect in &suspects {
        rows.push(ours.reach(options, suspect)?);
        rows.push(ours.blast(options, suspect)?);
    }
    let (observation, reached) = shape.observation_reaching(CONE);
    rows.push(ours.cascade_of(options, observation, reached)?);
    for suspect in &suspects {
        rows.extend(ours.end_to_end(options, suspect)?);
    }
    drop(ours);
    rows.extend(ours::opened(options, &path, n));
    peers::write(folder.path(), &shape, &suspects)?;
    for peer in &options.peers {
        say(&format!("{n} beliefs: {}", peer.name()));
        let found = match peer {
            Peer::Sqlite => sqlite::rows(options, folder.path(), &shape, &suspects)?,
            Peer::Postgres | Peer::Falkordb => peers::rows(options, folder.path(), *peer),
        };
        check(&found, &suspects)?;
        rows.extend(found);
    }
    Ok(rows)
}

/// What plain reachability would revoke, and what is right.
fn shape_rows(shape: &Shape, suspects: &[Suspect]) -> Vec<BenchRow> {
    let count = |what: &str, source: &str, answer: usize| BenchRow {
        engine: "graph".to_owned(),
        what: what.to_owned(),
        source: source.to_owned(),
        answer: Some(answer as u64),
        ..BenchRow::default()
    };
    let graph = &shape.graph;
    let mut rows = vec![
        count("justifications", "", graph.justifications.len()),
        count("premises", "", graph.n_premises()),
        count("sources", "", graph.n_sources),
        count("observations", "", graph.observations.len()),
    ];
    for suspect in suspects {
        let reached = suspect.reached;
        for (what, answer) in [
            ("observations of the source", suspect.sent.len()),
            ("most hops", suspect.hops as usize),
            ("reached: what plain reachability would revoke", reached),
            ("fallen: what is right to revoke", suspect.fallen),
            ("survive by another justification", reached - suspect.fallen),
        ] {
            rows.push(count(what, suspect.name, answer));
        }
    }
    rows
}

/// A peer that answers something else was not asked the same.
fn check(rows: &[BenchRow], suspects: &[Suspect]) -> Result<(), BenchError> {
    for suspect in suspects {
        let mut of_suspect = rows.iter().filter(|it| it.source == suspect.name);
        let right = suspect.reached as u64;
        if let Some(wrong) = of_suspect.find(|it| it.answer.is_some_and(|found| found != right)) {
            return Err(BenchError::Wrong {
                what: format!("{} about the {} source", wrong.engine, suspect.name),
                found: usize::try_from(wrong.answer.unwrap_or(0)).unwrap_or(usize::MAX),
                right: suspect.reached,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_measures_everything_and_agrees_with_what_is_right() {
        let options = Options {
            beliefs: vec![2_000],
            seed: 7,
            peers: vec![Peer::Sqlite],
            runs: 1,
            limit_seconds: 5,
            probe: Vec::new(),
        };
        let mut said = Vec::new();
        let bench = cascade(&options, &mut |line| said.push(line.to_owned())).unwrap();
        assert!(!said.is_empty());
        for what in [
            "cascade: support, strength",
            "closure with hops",
            "blast radius: hop and fate",
            "flag, end to end, durable",
            "commit of the cascade",
            "recursive CTE",
            "fallen: what is right to revoke",
        ] {
            let rows = bench.rows.iter().filter(|it| it.what == what);
            let sources: Vec<_> = rows.map(|it| it.source.as_str()).collect();
            assert_eq!(sources, ["small", "median", "giant"], "{what}");
        }
        assert_eq!(bench.targets, [], "no target is for so small a memory");
    }
}
