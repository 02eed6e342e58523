//! Ours: the graph in a memory of a SQLite file, written and flagged as anybody would.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use immune_api::bench::BenchRow;
use immune_engine::{Engine, Memory, Parts, Session};
use immune_model::{
    BeliefId, Event, Handle, Item, MemoryName, ObservationId, Premise, Principal, Recorded, Role,
    SourceId, Status,
};
use immune_reason::plan::{Flag, FlagWhat, Unflag};
use immune_reason::question::Fate;
use immune_reason::{Draft, State};
use immune_recall::Embedder;
use immune_store_sqlite::{SqliteOptions, SqliteStore};

use crate::machine::{self, Lap, Took, epoch, float};
use crate::shape::{Shape, Suspect};
use crate::timed::{Append, Timed};
use crate::{BenchError, Options};

/// What a source is called in rows.
pub(crate) const ENGINE: &str = "immune";

/// The memory that is measured.
pub(crate) struct Ours {
    pub(crate) memory: Memory,
    session: Session,
    store: Arc<Timed>,
}

/// What opening a store in a process of its own took.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Milliseconds until the memory answers.
    pub open_ms: f64,
    /// Memory of the process before.
    pub bytes_before: u64,
    /// Memory of the process after.
    pub bytes_after: u64,
    /// What the graph of beliefs and justifications takes of it.
    pub graph_bytes: u64,
    /// What flagging the source with most observations takes beside it, at most.
    pub flag_bytes: u64,
}

fn operator() -> Principal {
    Principal {
        role: Role::Operator,
        name: Handle::new("bench").expect("a constant that is a name"),
    }
}

fn name() -> MemoryName {
    MemoryName::new("bench").expect("a constant that is a name")
}

fn store(path: &Path) -> Result<SqliteStore, BenchError> {
    let options = SqliteOptions {
        timeout: Duration::from_mins(1),
        create: true,
    };
    Ok(SqliteStore::open(path, options)?)
}

/// What was found of a source is what is right.
fn check(suspect: &Suspect, what: &str, found: usize, right: usize) -> Result<(), BenchError> {
    if found == right {
        return Ok(());
    }
    Err(BenchError::Wrong {
        what: format!("{what}, the {} source", suspect.name),
        found,
        right,
    })
}

/// Opens a memory that a bench left, in this process, and tells what that took; then flags the
/// source that said most.
pub fn probe(path: &Path) -> Result<Probe, BenchError> {
    let bytes_before = machine::resident_bytes();
    let lap = Lap::start();
    let ours = Ours::open(path)?;
    let snapshot = ours.memory.snapshot()?;
    let open_ms = lap.took().wall_ms;
    let bytes_after = machine::resident_bytes();
    let state = snapshot.state();
    let giant = state
        .source_ids()
        .max_by_key(|it| state.observations_of(*it).count());
    let flag_bytes = match giant {
        Some(giant) => ours.flag_bytes(giant)?,
        None => 0,
    };
    Ok(Probe {
        open_ms,
        bytes_before,
        bytes_after,
        graph_bytes: state.network_bytes() as u64,
        flag_bytes,
    })
}

impl Ours {
    fn open(path: &Path) -> Result<Self, BenchError> {
        Self::open_with(path, None)
    }

    /// The memory in a store, with somebody who makes vectors.
    pub(crate) fn open_with(
        path: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, BenchError> {
        let store = Arc::new(Timed::new(store(path)?));
        let parts = Parts::new(Arc::clone(&store) as Arc<dyn immune_store::Store>);
        let parts = parts.with_embedder(embedder);
        let memory = Engine::new(parts).memory(&name())?;
        let session = memory.session(operator());
        Ok(Self {
            memory,
            session,
            store,
        })
    }

    /// The session that everything goes through.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The most memory that flagging a source takes, the commit included; it is taken back.
    fn flag_bytes(&self, source: SourceId) -> Result<u64, BenchError> {
        let what = FlagWhat::Item(Item::Source(source));
        let flag = Flag {
            what: what.clone(),
            received_from: None,
            reason: None,
        };
        let mut took = 0;
        // What is measured is the second flag: the first unpacks the items that it is about.
        for _ in 0..2 {
            machine::forget_peak();
            let before = machine::resident_bytes();
            let flagged = self.session.flag(flag.clone());
            flagged.map_err(BenchError::refused("flag"))?;
            took = machine::peak_bytes().saturating_sub(before);
            let unflagged = self.session.unflag(Unflag { what: what.clone() });
            unflagged.map_err(BenchError::refused("unflag"))?;
        }
        Ok(took)
    }

    /// Imports the graph into a new memory; the row says how long that took.
    pub(crate) fn load(path: &Path, shape: &Shape) -> Result<(Self, BenchRow), BenchError> {
        let ours = Self::open(path)?;
        let lines: String = shape.graph.lines().map(|line| line + "\n").collect();
        let lap = Lap::start();
        let read = immune_ingest::graph::read(lines.as_bytes(), &mut |_, _| true);
        let read = read.map_err(BenchError::refused("read the graph"))?;
        let graph = Arc::new(read.expect("nobody stops the reading"));
        drop(lines);
        let imported = ours.session.write(move |draft| draft.import_graph(&graph));
        let imported = imported.map_err(BenchError::refused("import the graph"))?;
        let row = BenchRow {
            wall_ms: Some(lap.took().wall_ms),
            answer: Some(imported.beliefs),
            ..row("import of the graph", "")
        };
        Ok((ours, row))
    }

    /// The cascade of a flag as a fold on a copy of the state: statuses and strengths of all that
    /// it touches. What falls is compared with what is right.
    pub(crate) fn cascade(
        &self,
        options: &Options,
        suspect: &Suspect,
    ) -> Result<BenchRow, BenchError> {
        let flagged = Item::Source(source(suspect.source));
        let (laps, state) = self.folded(flagged, options.runs)?;
        let fell = count_fallen(&state);
        if fell != suspect.fallen {
            return Err(BenchError::Wrong {
                what: format!("the {} source", suspect.name),
                found: fell,
                right: suspect.fallen,
            });
        }
        Ok(timed(
            "cascade: support, strength",
            suspect.name,
            fell,
            &laps,
        ))
    }

    /// The cascade of one observation.
    pub(crate) fn cascade_of(
        &self,
        options: &Options,
        observation: ObservationId,
        reached: usize,
    ) -> Result<BenchRow, BenchError> {
        let (laps, _) = self.folded(observation.into(), options.runs.max(9))?;
        Ok(timed(
            "cascade in a cone of 1,000",
            "observation",
            reached,
            &laps,
        ))
    }

    /// What it takes to fold a flag, each time on a copy of the state, and the state after it.
    fn folded(&self, item: Item, runs: usize) -> Result<(Vec<Took>, State), BenchError> {
        let (flagged, base) = self.flagged(FlagWhat::Item(item))?;
        let mut laps = Vec::new();
        let mut state = base.clone();
        for _ in 0..runs {
            state = base.clone();
            let lap = Lap::start();
            state.apply(&flagged);
            laps.push(lap.took());
        }
        Ok((laps, state))
    }

    /// The event of a flag, and the state that it is folded on.
    fn flagged(&self, what: FlagWhat) -> Result<(Recorded, State), BenchError> {
        let mut base = self.memory.snapshot()?.state().clone();
        base.take_changes();
        let now = base.at().unwrap_or_else(epoch);
        let mut draft = Draft::new(base.clone(), operator(), now);
        let flag = Flag {
            what,
            received_from: None,
            reason: None,
        };
        draft.flag(&flag).map_err(BenchError::refused("flag"))?;
        let event = draft.events().first().cloned();
        let is_flag = |it: &Recorded| matches!(it.event, Event::Flagged { .. });
        let event = event.filter(is_flag).ok_or_else(|| BenchError::Refused {
            operation: "flag",
            reason: "it is flagged already".to_owned(),
        })?;
        Ok((event, base))
    }

    /// Everything that a source reaches, with hops: what the peers compute, and no more.
    pub(crate) fn reach(
        &self,
        options: &Options,
        suspect: &Suspect,
    ) -> Result<BenchRow, BenchError> {
        let snapshot = self.memory.snapshot()?;
        let mut laps = Vec::new();
        let mut reached = 0;
        for _ in 0..options.runs {
            let lap = Lap::start();
            reached = reach(snapshot.state(), source(suspect.source));
            laps.push(lap.took());
        }
        check(suspect, "what it reaches", reached, suspect.reached)?;
        Ok(timed("closure with hops", suspect.name, reached, &laps))
    }

    /// The blast radius of a source, before anything is done: each of the beliefs that it reaches
    /// with its hop, and whether it would fall or stand, and by what.
    pub(crate) fn blast(
        &self,
        options: &Options,
        suspect: &Suspect,
    ) -> Result<BenchRow, BenchError> {
        let snapshot = self.memory.snapshot()?;
        let item = Item::Source(source(suspect.source));
        let mut laps = Vec::new();
        let mut blast = None;
        for _ in 0..options.runs {
            drop(blast.take());
            let lap = Lap::start();
            blast = snapshot.state().blast(item);
            laps.push(lap.took());
        }
        let beliefs = blast.iter().flat_map(|it| &it.reached);
        let beliefs = beliefs.filter(|it| matches!(it.item, Item::Belief(_)));
        let fallen = beliefs.clone().filter(|it| it.fate == Fate::Falls).count();
        let reached = beliefs.count();
        check(suspect, "what its blast reaches", reached, suspect.reached)?;
        check(suspect, "what falls in its blast", fallen, suspect.fallen)?;
        Ok(timed(
            "blast radius: hop and fate",
            suspect.name,
            reached,
            &laps,
        ))
    }

    /// A flag from the call to its durable end, and what its commit cost; each is taken back.
    pub(crate) fn end_to_end(
        &self,
        options: &Options,
        suspect: &Suspect,
    ) -> Result<Vec<BenchRow>, BenchError> {
        let mut laps = Vec::new();
        let mut appends: Vec<Append> = Vec::new();
        for _ in 0..options.runs.min(3) {
            let what = FlagWhat::Item(Item::Source(source(suspect.source)));
            let flag = Flag {
                what: what.clone(),
                received_from: None,
                reason: None,
            };
            let lap = Lap::start();
            let flagged = self.session.flag(flag);
            laps.push(lap.took());
            flagged.map_err(BenchError::refused("flag"))?;
            appends.push(self.store.last());
            let unflagged = self.session.unflag(Unflag { what });
            unflagged.map_err(BenchError::refused("unflag"))?;
        }
        let walls: Vec<Took> = appends
            .iter()
            .map(|it| Took {
                cpu_ms: f64::NAN,
                wall_ms: it.wall_ms,
            })
            .collect();
        let commit = BenchRow {
            answer: Some(suspect.fallen as u64),
            wall_ms: Some(machine::median(&walls).wall_ms),
            ..row("commit of the cascade", suspect.name)
        };
        let whole = BenchRow {
            answer: Some(suspect.fallen as u64),
            wall_ms: Some(machine::median(&laps).wall_ms),
            ..row("flag, end to end, durable", suspect.name)
        };
        Ok(vec![whole, commit])
    }
}

/// What opening took in a process of its own.
pub(crate) fn opened(options: &Options, path: &Path, beliefs: usize) -> Vec<BenchRow> {
    if options.probe.is_empty() {
        return Vec::new();
    }
    let probe = probe_apart(options, path);
    // The kept state is a cache; without it the log is read and folded.
    let replay = delete_kept(path)
        .then(|| probe_apart(options, path))
        .flatten();
    let Some(probe) = probe else {
        return vec![BenchRow {
            note: Some("skipped: the process that opens it did not answer".to_owned()),
            ..row("open", "")
        }];
    };
    let each = |bytes: u64| Some(float(usize::try_from(bytes).unwrap_or(0)) / float(beliefs));
    let all = probe.bytes_after.saturating_sub(probe.bytes_before);
    vec![
        BenchRow {
            wall_ms: Some(probe.open_ms),
            ..row("open", "")
        },
        BenchRow {
            wall_ms: replay.map(|it| it.open_ms),
            note: replay
                .is_none()
                .then(|| "skipped: no state was kept".to_owned()),
            ..row("open without the kept state", "")
        },
        BenchRow {
            bytes_each: each(probe.graph_bytes),
            ..row("memory of the graph", "")
        },
        BenchRow {
            bytes_each: each(all),
            megabytes: Some(machine::megabytes(all)),
            ..row("memory of everything, texts too", "")
        },
        BenchRow {
            megabytes: Some(machine::megabytes(probe.flag_bytes)),
            ..row("extra memory of a flag and its commit", "giant")
        },
    ]
}

/// What a probe tells in a process of its own, if it answers.
fn probe_apart(options: &Options, path: &Path) -> Option<Probe> {
    let (program, arguments) = options.probe.split_first()?;
    let output = std::process::Command::new(program)
        .args(arguments)
        .arg(path)
        .output();
    let text = String::from_utf8_lossy(&output.ok()?.stdout).into_owned();
    Probe::from_line(text.trim())
}

/// Deletes the kept state of the only memory of a store; whether there was one.
fn delete_kept(path: &Path) -> bool {
    let mut kept = path.as_os_str().to_owned();
    kept.push("-state-1");
    fs_err::remove_file(kept).is_ok()
}

impl Probe {
    /// As one line, for the process that asked.
    pub fn line(&self) -> String {
        let Self {
            open_ms,
            bytes_before,
            bytes_after,
            graph_bytes,
            flag_bytes,
        } = self;
        format!("{open_ms} {bytes_before} {bytes_after} {graph_bytes} {flag_bytes}")
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            open_ms: words.next()?.parse().ok()?,
            bytes_before: words.next()?.parse().ok()?,
            bytes_after: words.next()?.parse().ok()?,
            graph_bytes: words.next()?.parse().ok()?,
            flag_bytes: words.next()?.parse().ok()?,
        })
    }
}

pub(crate) fn row(what: &str, source: &str) -> BenchRow {
    BenchRow {
        engine: ENGINE.to_owned(),
        what: what.to_owned(),
        source: source.to_owned(),
        ..BenchRow::default()
    }
}

fn timed(what: &str, source: &str, answer: usize, laps: &[Took]) -> BenchRow {
    let took = machine::median(laps);
    BenchRow {
        answer: Some(answer as u64),
        cpu_ms: Some(took.cpu_ms),
        wall_ms: Some(took.wall_ms),
        ..row(what, source)
    }
}

fn source(place: usize) -> SourceId {
    SourceId::from_index(place)
}

fn count_fallen(state: &State) -> usize {
    let revoked = |id: &BeliefId| {
        let now = state.belief_now(*id);
        now.is_some_and(|it| it.status == Status::Revoked)
    };
    state.belief_ids().filter(revoked).count()
}

/// How many beliefs rest on what a source sent, each with its fewest hops.
fn reach(state: &State, source: SourceId) -> usize {
    let mut hops = vec![0_u32; state.n_beliefs()];
    let mut front: Vec<Premise> = state
        .observations_of(source)
        .map(Premise::Observation)
        .collect();
    let (mut hop, mut reached) = (0, 0);
    while !front.is_empty() {
        hop += 1;
        let mut next = Vec::new();
        for premise in front {
            for justification in state.dependents_of(premise) {
                let Some(belief) = state.justification(justification).map(|it| it.belief) else {
                    continue;
                };
                if let Some(slot @ 0) = hops.get_mut(belief.index()) {
                    *slot = hop;
                    reached += 1;
                    next.push(Premise::Belief(belief));
                }
            }
        }
        front = next;
    }
    reached
}
