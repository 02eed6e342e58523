//! `bench open`: what it takes until a memory answers a question that goes by words and by meaning,
//! with the side files and without.
//!
//! Each opening is in a process of its own, which the command line starts again for it: the state,
//! then the first question, which takes up the index of the words and that of the vectors. Without
//! the side files both are made again: the state from the log, the rest from the texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use immune_api::bench::{Bench, BenchRow};
use immune_embed::StaticModel;
use immune_engine::{Embedder as _, Meaning, Recall};

use crate::BenchError;
use crate::machine::{self, Lap, float, megabytes};
use crate::ours::{Ours, row};
use crate::shape::Shape;
use crate::targets::at_most;

/// The row that has a target, and what is asked of a million beliefs: milliseconds.
const OPENED: &str = "open, and answer the first question";
const MOST_MS: f64 = 2_000.0;
const MILLION: usize = 1_000_000;
/// What is asked, of beliefs that say `Belief number 17`.
const QUESTION: &str = "belief number 17";
/// The side files of the only memory of a store.
const SIDE_FILES: [&str; 3] = ["state", "index", "vectors"];

/// What to measure.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Sizes of the memory in beliefs.
    pub beliefs: Vec<usize>,
    /// What the graphs are made from.
    pub seed: u64,
    /// The command that opens the store that is given to it, and prints [`OpenProbe::line`].
    pub probe: Vec<PathBuf>,
}

/// What one opening took.
#[derive(Debug, Clone, Copy)]
pub struct OpenProbe {
    /// Until the state is there, the first question, and the second one.
    steps: [Step; 3],
    /// Memory of the process at the end.
    bytes: u64,
}

/// Milliseconds of a step: what passed, and what all threads of the process worked.
#[derive(Debug, Clone, Copy)]
struct Step {
    wall: f64,
    cpu: f64,
}

impl Step {
    fn of<T>(work: impl FnOnce() -> Result<T, BenchError>) -> Result<(Self, T), BenchError> {
        let (lap, cpu) = (Lap::start(), machine::process_ms());
        let done = work()?;
        let step = Self {
            wall: lap.took().wall_ms,
            cpu: machine::process_ms() - cpu,
        };
        Ok((step, done))
    }

    fn with(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            cpu: self.cpu + other.cpu,
        }
    }
}

/// Opens a store that the bench left, in this process, and asks it twice. What is worth keeping is
/// kept when it ends.
pub fn open_probe(path: &Path) -> Result<OpenProbe, BenchError> {
    let (opened, ours) = Step::of(|| Ours::open_with(path, Some(StaticModel::bundled())))?;
    let ask = || {
        let recalled = ours.session().recall(&Recall::query(QUESTION));
        let recalled = recalled.map_err(BenchError::refused("recall"))?;
        match recalled.meaning {
            Meaning::On { waiting: 0, .. } => Ok(()),
            other => Err(BenchError::refused("recall by meaning")(format!(
                "{other:?}"
            ))),
        }
    };
    let (first, ()) = Step::of(ask)?;
    let (second, ()) = Step::of(ask)?;
    Ok(OpenProbe {
        steps: [opened, first, second],
        bytes: machine::resident_bytes(),
    })
}

impl OpenProbe {
    /// As one line, for the process that asked.
    pub fn line(&self) -> String {
        let steps = self.steps.map(|it| format!("{} {}", it.wall, it.cpu));
        format!("{} {}", steps.join(" "), self.bytes)
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut step = || {
            Some(Step {
                wall: words.next()?.parse().ok()?,
                cpu: words.next()?.parse().ok()?,
            })
        };
        let steps = [step()?, step()?, step()?];
        let bytes = words.next()?.parse().ok()?;
        Some(Self { steps, bytes })
    }
}

/// Runs it. `say` is told what is going on.
pub fn open(options: &OpenOptions, say: &mut dyn FnMut(&str)) -> Result<Bench, BenchError> {
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    for n in &options.beliefs {
        let of_size = at_size(options, *n, say)?;
        let opened = of_size.iter().find(|it| it.what == OPENED);
        if let Some(wall) = opened.and_then(|it| it.wall_ms)
            && *n <= MILLION
        {
            targets.push(at_most(format!("{OPENED} at {n}, wall ms"), wall, MOST_MS));
        }
        rows.extend(of_size.into_iter().map(|it| BenchRow { beliefs: *n, ..it }));
    }
    Ok(Bench {
        bench: "open".to_owned(),
        seed: options.seed,
        versions: BTreeMap::from([
            ("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("machine".to_owned(), machine::processor()),
            ("static".to_owned(), model()),
        ]),
        rows,
        targets,
    })
}

fn model() -> String {
    StaticModel::bundled().model().to_string()
}

fn at_size(
    options: &OpenOptions,
    n: usize,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<BenchRow>, BenchError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bench.immune");
    say(&format!("{n} beliefs: writing them"));
    let shape = Shape::new(immune_testkit::graph::layered(n, options.seed));
    let (ours, _) = Ours::load(&path, &shape)?;
    drop(ours);
    remove_kept(&path);
    say(&format!("{n} beliefs: opening them without side files"));
    let without = apart(options, &path)?;
    say(&format!("{n} beliefs: opening them"));
    let with = apart(options, &path)?;
    let mut rows = Vec::new();
    for (source, it) in [("", with), ("without side files", without)] {
        let [opened, first, second] = it.steps;
        for (what, step) in [
            ("open the state", opened),
            ("the first question", first),
            (OPENED, opened.with(first)),
            ("the next question", second),
        ] {
            rows.push(BenchRow {
                wall_ms: Some(step.wall),
                cpu_ms: Some(step.cpu),
                ..row(what, source)
            });
        }
        rows.push(BenchRow {
            megabytes: Some(megabytes(it.bytes)),
            bytes_each: Some(float(usize::try_from(it.bytes).unwrap_or(0)) / float(n)),
            ..row("memory of the process", source)
        });
    }
    for name in SIDE_FILES {
        let bytes = fs_err::metadata(kept(&path, name)).map_or(0, |it| it.len());
        rows.push(BenchRow {
            megabytes: Some(megabytes(bytes)),
            ..row("side file", name)
        });
    }
    Ok(rows)
}

/// What a probe tells in a process of its own.
fn apart(options: &OpenOptions, path: &Path) -> Result<OpenProbe, BenchError> {
    let Some((program, arguments)) = options.probe.split_first() else {
        return open_probe(path);
    };
    let mut command = std::process::Command::new(program);
    let output = command.args(arguments).arg(path).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let refused = BenchError::refused("open it in a process of its own");
    OpenProbe::from_line(text.trim())
        .ok_or_else(|| refused(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn kept(path: &Path, name: &str) -> PathBuf {
    let mut kept = path.as_os_str().to_owned();
    kept.push(format!("-{name}-1"));
    PathBuf::from(kept)
}

fn remove_kept(path: &Path) {
    for name in SIDE_FILES {
        // One that is not there is as good as removed.
        drop(fs_err::remove_file(kept(path, name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_without_side_files_is_there_the_next_time() {
        let options = OpenOptions {
            beliefs: vec![6_000],
            seed: 5,
            probe: Vec::new(),
        };
        let bench = open(&options, &mut |_| ()).unwrap();
        let size = |name: &str| {
            let mut rows = bench.rows.iter();
            let row = rows.find(|it| it.what == "side file" && it.source == name);
            row.unwrap().megabytes.unwrap()
        };
        for name in SIDE_FILES {
            assert!(size(name) > 0.1, "{name}: {}", size(name));
        }
        assert_eq!(bench.targets.len(), 1);
        assert_eq!(bench.rows.len(), 13);
    }
}
