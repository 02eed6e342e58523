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
mod nearness;
mod outbreak;
mod payloads;
mod published;
mod repeat;
mod retold;
mod rows;
mod worm;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use immune_api::bench::{Bench, BenchRow};
use immune_mesh::{Mesh, Purpose, Settings};
use immune_recall::Embedder;

use crate::BenchError;
use crate::machine::processor;
use honest::Work;
use mail::{Half, Mail, Mails};
use payloads::{FINAL, LOOKED_AT};
use rows::Tables;

/// What to measure.
#[derive(Debug, Clone)]
pub struct MeshOptions {
    /// What `bench/peers/immunemesh_cases.py` printed; without it, those cases are left out.
    pub cases: Option<PathBuf>,
    /// The model that ImmuneMesh compares texts with; without it, only the one in the program is
    /// asked.
    pub model: Option<Arc<dyn Embedder>>,
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
    /// Times that honest agents find what others said.
    peace: u64,
    /// Mails, and worms that are told anew, of which a model of meaning is asked.
    meant: usize,
    retold: usize,
}

/// What the figures are of.
const ALL: Amount = Amount {
    name: "",
    mails: usize::MAX,
    worms: 240,
    outbreaks: 12,
    peace: 40,
    meant: 20,
    retold: 60,
};
/// What a test runs again.
const FEW: Amount = Amount {
    name: ", a few",
    mails: 24,
    worms: 12,
    outbreaks: 1,
    peace: 1,
    meant: 4,
    retold: 12,
};

/// Meshes as they are before a worm comes.
struct Warm {
    /// It saw nothing.
    none: Mesh,
    /// It saw the six honest behaviours of the half that was looked at.
    six: Mesh,
    /// It saw agents that cite now and then, besides.
    citing: Mesh,
}

impl Warm {
    fn of(mails: &Mails, seed: u64) -> Self {
        Self {
            none: Mesh::default(),
            six: honest::warmed(mails.looked_at(), seed, Work::Six),
            citing: honest::warmed(mails.looked_at(), seed, Work::Citing),
        }
    }
}

/// Runs it.
pub fn mesh(options: &MeshOptions, tell: &mut dyn FnMut(&str)) -> Result<Bench, BenchError> {
    let mails = mail::read(&options.mail).map_err(|what| BenchError::Absent { what })?;
    let settings = Settings::default();
    tell("honest traffic of the other half, so that something is usual");
    let warm = Warm::of(&mails, options.seed);
    let few = measured(mails.kept(), &FEW, options.seed, &warm, tell);
    let mut rows = few.rows();
    let told = |amount: &Amount| nearness::Told {
        half: mails.kept().first(amount.meant),
        payloads: &retold::FINAL,
        worms: amount.retold,
        seed: options.seed,
        suffix: amount.name,
        warm: &warm.six,
    };
    let bundled = nearness::Model::bundled(mails.looked_at());
    let in_program: Vec<&nearness::Model> = bundled.iter().collect();
    rows.extend(meant(told(&FEW), &in_program));
    let mut targets = Vec::new();
    if options.part == MeshPart::All {
        let all = measured(mails.kept(), &ALL, options.seed, &warm, tell);
        tell("an attacker who knows the detector");
        let attack = attacker::run(&mails, options.seed, &warm.six);
        tell("100,000 honest texts, twice");
        let repeated = repeat::run(&mails, options.seed, settings);
        let timed = repeat::timed(mails.kept(), settings);
        targets = all.targets(&repeated, &timed);
        let published = match &options.cases {
            Some(file) => published::run(file, options.model.as_ref(), &warm.six)?,
            None => published::Published::default(),
        };
        targets.extend(published.targets);
        let mut of_all = vec![rows::counted("mails that differ", mails.len())];
        of_all.extend(all.rows());
        of_all.extend(looked_at(&mails, options.seed, &warm));
        of_all.extend(attack.rows());
        of_all.extend(repeated.rows());
        of_all.extend(timed.rows());
        of_all.extend(published.rows);
        tell("payloads that are told anew at each hop");
        let minilm = options.model.as_ref();
        let minilm = minilm.and_then(|it| nearness::Model::minilm(it, mails.looked_at()));
        let models: Vec<&nearness::Model> = bundled.iter().chain(&minilm).collect();
        let looked_at = nearness::Told {
            half: mails.looked_at(),
            payloads: &retold::LOOKED_AT,
            suffix: ", looked at",
            ..told(&ALL)
        };
        of_all.extend(told_anew(looked_at, &models));
        of_all.extend(meant(told(&ALL), &models));
        of_all.extend(models.iter().map(|it| told(&ALL).timed(it)));
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

/// Payloads that are told anew, by words alone and by each of these models too.
fn told_anew(told: nearness::Told<'_>, models: &[&nearness::Model]) -> Vec<BenchRow> {
    let by = models.iter().map(|it| Some(*it));
    let each = std::iter::once(None).chain(by);
    each.map(|it| told.worms(it)).collect()
}

/// The same, and honest exchanges.
fn meant(told: nearness::Told<'_>, models: &[&nearness::Model]) -> Vec<BenchRow> {
    let mut rows = told_anew(told, models);
    rows.extend(models.iter().flat_map(|it| told.honest(it)));
    rows
}

fn versions() -> BTreeMap<String, String> {
    let immune = env!("CARGO_PKG_VERSION").to_owned();
    BTreeMap::from([
        ("immune".to_owned(), immune),
        ("machine".to_owned(), processor()),
    ])
}

fn measured(
    half: Half<'_>,
    amount: &Amount,
    seed: u64,
    warm: &Warm,
    tell: &mut dyn FnMut(&str),
) -> Tables {
    tell("honest traffic");
    let honest = honest::run(half.first(amount.mails), seed, Work::Six);
    let citing = honest::run(half.first(amount.mails), seed, Work::Citing);
    tell("worms, hop by hop");
    let scene = |purpose, mesh| lineage::Scene {
        half,
        payloads: &FINAL[..],
        purpose,
        mesh,
        model: None,
    };
    let found = scene(Purpose::Found, &warm.six);
    let lineages = worm::Kind::ALL.map(|kind| {
        let found = lineage::run(found, kind, amount.worms, seed);
        (kind, found)
    });
    let elsewhere = [
        (
            "all kinds, in the mail that is answered",
            scene(Purpose::Task, &warm.six),
        ),
        (
            "all kinds, in the first calls of a mesh",
            scene(Purpose::Found, &warm.none),
        ),
        (
            "all kinds, where one in seven cites what was found",
            scene(Purpose::Found, &warm.citing),
        ),
    ];
    let elsewhere = elsewhere.map(|(name, scene)| {
        let worms = worm::Kind::ALL.iter();
        let worms = worms.map(|it| lineage::run(scene, *it, amount.worms, seed));
        (
            name,
            worms.fold(lineage::Found::default(), lineage::Found::plus),
        )
    });
    tell("outbreaks among fifty agents");
    let outbreaks = worm::Kind::ALL.map(|kind| {
        let runs = outbreaks(half, kind, amount.outbreaks, seed, warm);
        (kind, runs)
    });
    tell("honest agents that find what others said");
    let peace = outbreak::peace(half, amount.peace, &warm.six, seed);
    Tables {
        name: amount.name,
        peace,
        honest,
        citing,
        lineages,
        elsewhere: elsewhere.to_vec(),
        outbreaks,
    }
}

/// What thresholds were looked at on: worms of all kinds, and honest traffic at all hops.
fn looked_at(mails: &Mails, seed: u64, warm: &Warm) -> Vec<BenchRow> {
    let scene = lineage::Scene {
        half: mails.looked_at(),
        payloads: &LOOKED_AT[..],
        purpose: Purpose::Found,
        mesh: &warm.six,
        model: None,
    };
    let worms = worm::Kind::ALL.iter();
    let worms = worms.map(|it| lineage::run(scene, *it, LOOKED_AT.len(), seed));
    let worms = worms.fold(lineage::Found::default(), lineage::Found::plus);
    let honest = honest::run(mails.looked_at(), seed, Work::Six);
    let honest = honest.all();
    let source = || "all kinds, looked at".to_owned();
    let peace = outbreak::peace(mails.looked_at(), ALL.peace, &warm.six, seed);
    let mut rows = vec![
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
    ];
    rows.extend(rows::peace_rows(", looked at", peace));
    rows
}

/// The same outbreaks without the guard and with it.
fn outbreaks(
    half: Half<'_>,
    kind: worm::Kind,
    runs: u64,
    seed: u64,
    warm: &Warm,
) -> [Vec<outbreak::Outbreak>; 2] {
    let worms: Vec<outbreak::Worm> = FINAL
        .iter()
        .map(|payload| outbreak::Worm {
            payload: (*payload).to_owned(),
            kind,
            changes: 0,
        })
        .collect();
    [outbreak::Guard::None, outbreak::Guard::Watched(&warm.six)].map(|guard| {
        let each = (seed..seed + runs).zip(worms.iter().cycle());
        each.map(|(seed, worm)| outbreak::run(half, worm, guard, seed))
            .collect()
    })
}

/// All mails, each with its half.
fn both(mails: &Mails) -> impl Iterator<Item = (Half<'_>, &Mail)> {
    let halves = [mails.looked_at(), mails.kept()].into_iter();
    halves.flat_map(|half| half.mails.iter().map(move |it| (half, it)))
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
            cases: None,
            model: None,
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
