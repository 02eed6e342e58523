//! `verify`: the whole log is read, checked and replayed, and compared with what is stored.

use immune_model::MemoryName;
use immune_reason::State;
use immune_store::{Cell, Head, Row, SideFile, Store, Table, open_entry, pack};

use crate::kept;
use crate::memory::{Engine, Memory};
use crate::projection;

/// Entries or rows read at a time.
const PAGE: usize = 4096;
/// Findings that are listed; the rest is counted.
const FINDINGS_MAX: usize = 100;

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// Events whose hash and content are right, from the first on.
    pub events: u64,
    /// Rows of projections that are as a replay gives them.
    pub rows: u64,
    /// What is wrong, one line each; at most a hundred.
    pub findings: Vec<String>,
    /// How many more there are.
    pub findings_left_out: u64,
    /// The head of the log as hexadecimal digits: what a witness elsewhere would compare.
    pub head: String,
}

/// Why a verification did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct VerifyError(#[from] immune_store::StoreError);

impl VerifyError {
    /// What the store said.
    pub fn store(&self) -> &immune_store::StoreError {
        &self.0
    }
}

impl Verified {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    fn find(&mut self, what: String) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(what);
        } else {
            self.findings_left_out += 1;
        }
    }
}

impl Engine {
    /// Verifies a memory without opening it: one whose log is damaged cannot be opened.
    /// `progress` is told the events read so far.
    pub fn verify(
        &self,
        name: &MemoryName,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Verified, VerifyError> {
        verify(&*self.parts.store, name, progress)
    }
}

impl Memory {
    /// Verifies the memory as it is stored. `progress` is told the events read so far.
    pub fn verify(&self, progress: &mut dyn FnMut(u64)) -> Result<Verified, VerifyError> {
        verify(&*self.shared.parts.store, &self.shared.name, progress)
    }
}

/// Verifies one memory of a store, without opening it: a log that cannot be opened is what this
/// is for.
fn verify(
    store: &dyn Store,
    name: &MemoryName,
    progress: &mut dyn FnMut(u64),
) -> Result<Verified, VerifyError> {
    let mut verified = Verified::default();
    for finding in store.check()? {
        verified.find(finding);
    }
    let Some((state, transitions, head)) = replay(store, name, &mut verified, progress)? else {
        return Ok(verified);
    };
    verified.head = head.hash.iter().fold(String::new(), |digits, byte| {
        digits + &format!("{byte:02x}")
    });
    let stored = store.head(name)?;
    if stored != head {
        verified.find(format!(
            "the head is at event {}, the log ends at {}",
            stored.seq, head.seq
        ));
    }
    let mut expected = projection::rows(&state, &projection::everything(&state));
    expected.extend(transitions);
    expected.sort_by_key(|row| (row.table, row.key()));
    for table in Table::ALL {
        let first = expected.partition_point(|row| row.table < *table);
        let last = expected.partition_point(|row| row.table <= *table);
        let wanted = expected.get(first..last).unwrap_or_default();
        compare(store, name, *table, wanted, &mut verified)?;
    }
    Ok(verified)
}

/// Replays the log as far as it is right.
fn replay(
    store: &dyn Store,
    name: &MemoryName,
    verified: &mut Verified,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<(State, Vec<Row>, Head)>, VerifyError> {
    let mut state = State::new();
    let mut head = Head::default();
    let mut transitions = Vec::new();
    // What is damaged or of another version is never used, and needs no finding.
    let kept = kept::read(store, name, SideFile::State).and_then(Result::ok);
    loop {
        let entries = store.read(name, head.seq, PAGE)?;
        for entry in &entries {
            match open_entry(head, entry) {
                Ok(recorded) => {
                    state.apply(&recorded);
                    let changes = state.take_changes();
                    transitions.extend(projection::runs(&changes.transitions));
                    head = head.after(entry);
                    verified.events += 1;
                    let kept = kept.as_ref().filter(|it| it.head == head);
                    if kept.is_some_and(|it| !it.is_of(&state)) {
                        verified.find(format!(
                            "the kept state at event {} is not what a replay gives",
                            head.seq
                        ));
                    }
                }
                Err(error) => {
                    verified.find(format!("{error}; nothing after it was checked"));
                    return Ok(None);
                }
            }
        }
        progress(verified.events);
        if entries.len() < PAGE {
            return Ok(Some((state, transitions, head)));
        }
    }
}

/// Compares the rows of one projection with those that a replay gives.
fn compare(
    store: &dyn Store,
    name: &MemoryName,
    table: Table,
    wanted: &[Row],
    verified: &mut Verified,
) -> Result<(), VerifyError> {
    let mut wanted = wanted.iter().peekable();
    let mut after = None;
    loop {
        let stored = store.rows(name, table, after, PAGE)?;
        for row in &stored {
            while let Some(missing) = wanted.next_if(|it| it.key() < row.key()) {
                verified.find(format!("{} has no row {}", table.name(), key(missing)));
            }
            match wanted.next_if(|it| it.key() == row.key()) {
                None => verified.find(format!("{} has a row {} too many", table.name(), key(row))),
                Some(it) if it != row => {
                    for finding in differing(it, row) {
                        verified.find(finding);
                    }
                }
                Some(_) => verified.rows += 1,
            }
        }
        after = stored.last().map(Row::key);
        if stored.len() < PAGE {
            break;
        }
    }
    for missing in wanted {
        verified.find(format!("{} has no row {}", table.name(), key(missing)));
    }
    Ok(())
}

fn key(row: &Row) -> String {
    let [first, second] = row.key();
    if row.table.key_columns() == 1 {
        first.to_string()
    } else {
        format!("{first}.{second}")
    }
}

/// Names the columns that differ, for each belief of a block. Content is not shown: a finding may
/// be pasted anywhere.
fn differing(wanted: &Row, stored: &Row) -> Vec<String> {
    let of_beliefs = pack::states_in(wanted).zip(pack::states_in(stored));
    match of_beliefs {
        Some((wanted_states, stored_states)) if wanted_states.len() == stored_states.len() => {
            differing_states(wanted, &wanted_states, &stored_states)
        }
        _ => vec![differing_cells(wanted, stored)],
    }
}

/// Names what differs of each belief of a block. A block that says the same in other words is
/// named whole.
fn differing_states(block: &Row, wanted: &[[&str; 3]], stored: &[[&str; 3]]) -> Vec<String> {
    let block_ids = i64::try_from(pack::BLOCK_IDS).expect("a block is small");
    let first = block.key()[0] * block_ids + 1;
    let pairs = (first..).zip(wanted.iter().zip(stored));
    let findings: Vec<String> = pairs
        .filter(|(_, (wanted, stored))| wanted != stored)
        .map(|(id, (wanted, stored))| {
            let columns = pack::STATE_COLUMNS.iter();
            let cells = columns.zip(wanted.iter().zip(stored));
            let shown: Vec<String> = cells
                .filter(|(_, (wanted, stored))| wanted != stored)
                .map(|((name, _), (wanted, stored))| match (*wanted, *stored) {
                    ("", _) | (_, "") => format!("{name} differs"),
                    _ => format!("{name} is {stored}, not {wanted}"),
                })
                .collect();
            format!("belief_state row {id}: {}", shown.join(", "))
        })
        .collect();
    if findings.is_empty() {
        return vec![format!("{} row {} differs", block.table.name(), key(block))];
    }
    findings
}

fn differing_cells(wanted: &Row, stored: &Row) -> String {
    let columns = wanted.table.columns().iter();
    let pairs = columns.zip(wanted.cells.iter().zip(&stored.cells));
    let different = pairs
        .filter(|(_, (wanted, stored))| wanted != stored)
        .map(|((name, _), pair)| (name, pair));
    let shown: Vec<String> = different
        .map(|(name, (wanted, stored))| match (wanted, stored) {
            (Cell::Int(wanted), Cell::Int(stored)) => format!("{name} is {stored}, not {wanted}"),
            _ => format!("{name} differs"),
        })
        .collect();
    format!(
        "{} row {}: {}",
        wanted.table.name(),
        key(wanted),
        shown.join(", ")
    )
}
