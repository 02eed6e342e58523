//! The mesh: worms among two hundred agents that read and write real mail, and honest traffic.
//!
//! Half of the people and ten payloads were looked at when thresholds were chosen; the figures are of
//! the other half and twelve payloads that were written before the detector. Every kind of payload
//! is a row, and none is left out of the mean. Invariant: all but the times are the same each run.

mod attacker;
mod behaviour;
mod honest;
mod lineage;
mod mail;
mod outbreak;
mod payloads;
mod repeat;
mod rows;
mod worm;

use std::collections::BTreeMap;
use std::path::PathBuf;

use immune_api::bench::{Bench, BenchRow};
use immune_mesh::Settings;

use crate::BenchError;
use crate::machine::processor;
use mail::{Mail, Mails};
use payloads::{FINAL, LOOKED_AT};
use rows::Tables;

/// What to measure.
#[derive(Debug, Clone)]
pub struct MeshOptions {
    /// The folder with the tables of mail.
    pub mail: PathBuf,
    /// What everything random is made from.
    pub seed: u64,
    /// How much of it.
    pub part: MeshPart,
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshPart {
    /// All of it, and the few.
    All,
    /// A few mails and worms, which take seconds: their rows are among those of all.
    Few,
}

/// How much of each is run.
struct Amount {
    /// What its rows say of it; nothing for all.
    name: &'static str,
    mails: usize,
    worms: usize,
    outbreaks: u64,
}

/// What the figures are of.
const ALL: Amount = Amount {
    name: "",
    mails: usize::MAX,
    worms: 240,
    outbreaks: 12,
};
/// What a test runs again.
const FEW: Amount = Amount {
    name: ", a few",
    mails: 24,
    worms: 12,
    outbreaks: 1,
};

/// Runs it.
pub fn mesh(options: &MeshOptions, tell: &mut dyn FnMut(&str)) -> Result<Bench, BenchError> {
    let mails = mail::read(&options.mail).map_err(|what| BenchError::Absent { what })?;
    let settings = Settings::default();
    let few = measured(&mails.kept, &FEW, options.seed, settings, tell);
    let mut rows = few.rows();
    let mut targets = Vec::new();
    if options.part == MeshPart::All {
        let all = measured(&mails.kept, &ALL, options.seed, settings, tell);
        tell("an attacker who knows the detector");
        let attack = attacker::run(&mails, options.seed, settings);
        tell("100,000 honest texts, twice");
        let repeated = repeat::run(&mails, options.seed, settings);
        let timed = repeat::timed(&mails.kept, settings);
        targets = all.targets(&repeated, &timed);
        let mut of_all = vec![rows::counted("mails that differ", mails.len())];
        of_all.extend(all.rows());
        of_all.extend(looked_at(&mails, options.seed, settings));
        of_all.extend(attack.rows());
        of_all.extend(repeated.rows());
        of_all.extend(timed.rows());
        of_all.append(&mut rows);
        rows = of_all;
    }
    Ok(Bench {
        bench: "mesh".to_owned(),
        seed: options.seed,
        versions: versions(),
        rows,
        targets,
    })
}

fn versions() -> BTreeMap<String, String> {
    let immune = env!("CARGO_PKG_VERSION").to_owned();
    BTreeMap::from([
        ("immune".to_owned(), immune),
        ("machine".to_owned(), processor()),
    ])
}

fn measured(
    mails: &[Mail],
    amount: &Amount,
    seed: u64,
    settings: Settings,
    tell: &mut dyn FnMut(&str),
) -> Tables {
    let few = mails.get(..amount.mails.min(mails.len()));
    let few = few.unwrap_or_default();
    tell("honest traffic");
    let honest = honest::run(few, 1, seed, settings);
    tell("worms, hop by hop");
    let lineages = worm::Kind::ALL.map(|kind| {
        let found = lineage::run((mails, &FINAL[..]), kind, amount.worms, seed, settings);
        (kind, found)
    });
    tell("outbreaks among fifty agents");
    let outbreaks = worm::Kind::ALL.map(|kind| {
        let runs = outbreaks(mails, kind, amount.outbreaks, seed, settings);
        (kind, runs)
    });
    Tables {
        name: amount.name,
        honest,
        lineages,
        outbreaks,
    }
}

/// What thresholds were looked at on: worms of all kinds, and honest traffic at all hops.
fn looked_at(mails: &Mails, seed: u64, settings: Settings) -> Vec<BenchRow> {
    let half = (mails.looked_at.as_slice(), &LOOKED_AT[..]);
    let worms = worm::Kind::ALL.iter();
    let worms = worms.map(|it| lineage::run(half, *it, LOOKED_AT.len(), seed, settings));
    let worms = worms.fold(lineage::Found::default(), lineage::Found::plus);
    let honest = honest::run(&mails.looked_at, 1, seed, settings);
    let honest = honest.hops.iter().flatten().copied();
    let honest = honest.fold(honest::Judged::default(), honest::Judged::plus);
    let source = || "all kinds, looked at".to_owned();
    vec![
        rows::share("found at the first hop", source(), worms.first, worms.all),
        rows::share(
            "found by the second hop",
            source(),
            worms.by_second,
            worms.all,
        ),
        rows::share(
            "honest, stopped",
            "all six, all hops, looked at".to_owned(),
            honest.stopped,
            honest.all,
        ),
    ]
}

/// The same outbreaks without the guard and with it.
fn outbreaks(
    mails: &[Mail],
    kind: worm::Kind,
    runs: u64,
    seed: u64,
    settings: Settings,
) -> [Vec<outbreak::Outbreak>; 2] {
    let worms: Vec<outbreak::Worm> = FINAL
        .iter()
        .map(|payload| outbreak::Worm {
            payload: (*payload).to_owned(),
            kind,
            changes: 0,
        })
        .collect();
    [outbreak::Guard::None, outbreak::Guard::Watched(settings)].map(|guard| {
        let each = (seed..seed + runs).zip(worms.iter().cycle());
        each.map(|(seed, worm)| outbreak::run(mails, worm, guard, seed))
            .collect()
    })
}

/// All mails of both halves.
fn both(mails: &Mails) -> impl Iterator<Item = &Mail> {
    mails.looked_at.iter().chain(&mails.kept)
}

/// A row of what this memory did.
fn row(what: &str, source: String) -> BenchRow {
    BenchRow {
        engine: "immune".to_owned(),
        what: what.to_owned(),
        source,
        ..BenchRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published figures are those that this code gives, where the data is: the few, which are
    /// made in the same way as the rest.
    #[test]
    fn the_few_are_those_that_are_kept() {
        let Some(data) = crate::test_data() else {
            return;
        };
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/results/mesh.json");
        let kept = fs_err::read_to_string(path).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        let options = MeshOptions {
            mail: data.join("enron"),
            seed: 5,
            part: MeshPart::Few,
        };
        let found = mesh(&options, &mut |_| {}).unwrap();
        let kept = kept["rows"].as_array().unwrap();
        assert!(found.rows.len() > 30);
        for row in &found.rows {
            let row = serde_json::to_value(row).unwrap();
            assert!(kept.contains(&row), "{row} is not kept");
        }
    }
}
