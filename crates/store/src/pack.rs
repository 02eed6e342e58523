//! Rows that hold many: states and tasks in blocks of ids, transitions in runs.
//!
//! For whoever makes rows, reads them back or lays out the views that show one row for each. A
//! cascade moves a large part of a memory at once, and a row costs far more than what is in it.
//!
//! A block holds the ids from `64 * block + 1` on, in order. Most of them are alike, so that it
//! lists each state once, and marks each id with the place of its own in that list: a character
//! from [`FIRST_MARK`] on. Invariant: what a block or a run holds follows from the log alone.

use immune_model::{BeliefId, IncidentId, Instant, Status, Trust};

use crate::{Cell, Row, Table};

/// Ids in a block.
pub const BLOCK_IDS: usize = 64;
/// The mark of the first state of a block, as a code point; 64 marks from it on are ASCII.
pub const FIRST_MARK: u8 = b'0';
/// The columns of a belief's state, with the characters that each takes in a block, filled up with
/// spaces: SQL cuts them out faster than it reads JSON.
pub const STATE_COLUMNS: [(&str, usize); 3] = [("status", 12), ("strength", 5), ("ended_at", 20)];
/// The characters of a belief's state in a block.
pub const STATE_WIDTH: usize = STATE_COLUMNS[0].1 + STATE_COLUMNS[1].1 + STATE_COLUMNS[2].1;
/// Items in a run, at most: with more, a row would not fit in a quarter of a page and spill.
pub const RUN_ITEMS_MAX: usize = 240;

/// What changes of a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeliefState {
    /// Its status.
    pub status: Status,
    /// How far it is trusted.
    pub strength: Trust,
    /// When it last ceased to be active, if it is not.
    pub ended_at: Option<Instant>,
}

/// A task, as it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenedTask {
    /// What is to be derived again.
    pub belief: BeliefId,
    /// The incident in which that fell.
    pub incident: IncidentId,
    /// When.
    pub opened_at: Instant,
}

/// The states of the beliefs of a block, in the order of their ids.
///
/// # Panics
/// When there are more than a block holds.
pub fn belief_states(block: usize, states: impl IntoIterator<Item = BeliefState>) -> Row {
    let (marks, distinct) = marked(states);
    let mut text = String::with_capacity(distinct.len() * STATE_WIDTH);
    for state in &distinct {
        let first = text.len();
        let [of_status, of_strength, of_ended_at] = STATE_COLUMNS.map(|(_, width)| width);
        text.push_str(state.status.name());
        fill_up(&mut text, first + of_status);
        push(&mut text, state.strength.thousandths().into());
        fill_up(&mut text, first + of_status + of_strength);
        if let Some(at) = state.ended_at {
            push(&mut text, at.micros());
        }
        fill_up(&mut text, first + of_status + of_strength + of_ended_at);
    }
    let cells = vec![number(block), marks.as_str().into(), text.as_str().into()];
    Row::new(Table::BeliefStateBlock, cells)
}

/// The tasks of a block, in the order of their ids.
///
/// # Panics
/// When there are more than a block holds.
pub fn tasks(block: usize, tasks: impl IntoIterator<Item = OpenedTask>) -> Row {
    let tasks: Vec<OpenedTask> = tasks.into_iter().collect();
    let (marks, distinct) = marked(tasks.iter().map(|it| (it.incident, it.opened_at)));
    let mut opened = String::from("[");
    for (incident, at) in distinct {
        opened.push_str(if opened.len() > 1 { ",[" } else { "[" });
        push(&mut opened, incident.number().into());
        opened.push(',');
        push(&mut opened, at.micros());
        opened.push(']');
    }
    opened.push(']');
    let cells = vec![
        number(block),
        numbers(tasks.iter().map(|it| it.belief.number()))
            .as_str()
            .into(),
        marks.as_str().into(),
        opened.as_str().into(),
    ];
    Row::new(Table::TaskBlock, cells)
}

/// Numbers as a list in JSON.
pub fn numbers(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut text = String::from("[");
    for number in numbers {
        if text.len() > 1 {
            text.push(',');
        }
        push(&mut text, number.into());
    }
    text.push(']');
    text
}

/// The numbers in such a list; nothing where it is no such list.
pub fn numbers_in(text: &str) -> Option<Vec<u32>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.is_empty() {
        return Some(Vec::new());
    }
    inner.split(',').map(|it| it.parse().ok()).collect()
}

/// The states in a row of a block, column by column, in the order of the ids; an absent value is
/// empty. Nothing where it is no such row.
pub fn states_in(row: &Row) -> Option<Vec<[&str; 3]>> {
    let [Cell::Int(_), Cell::Text(marks), Cell::Text(states)] = row.cells.as_slice() else {
        return None;
    };
    let state_at = |mark: u8| {
        let first = usize::from(mark.checked_sub(FIRST_MARK)?) * STATE_WIDTH;
        let mut rest = states.get(first..first + STATE_WIDTH)?;
        let mut columns = [""; 3];
        for (column, (_, width)) in columns.iter_mut().zip(STATE_COLUMNS) {
            let (cell, after) = rest.split_at_checked(width)?;
            (*column, rest) = (cell.trim_end(), after);
        }
        Some(columns)
    };
    marks.bytes().map(state_at).collect()
}

/// The mark of each, and what the marks stand for, in the order in which it comes first.
fn marked<T: PartialEq>(all: impl IntoIterator<Item = T>) -> (String, Vec<T>) {
    let mut marks = String::with_capacity(BLOCK_IDS);
    let mut distinct: Vec<T> = Vec::new();
    for it in all {
        let place = distinct.iter().position(|known| *known == it);
        let place = place.unwrap_or_else(|| {
            distinct.push(it);
            distinct.len() - 1
        });
        assert!(marks.len() < BLOCK_IDS, "a block is full");
        let place = u8::try_from(place).expect("a block has fewer states than there are marks");
        marks.push(char::from(FIRST_MARK + place));
    }
    (marks, distinct)
}

fn number(block: usize) -> Cell {
    let block = i64::try_from(block);
    block.expect("ids have 32 bits").into()
}

/// Appends a number in decimal digits. A cascade writes a hundred thousand of them, for which the
/// formatter takes several times as long.
fn push(text: &mut String, number: i64) {
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    let mut rest = number.unsigned_abs();
    for (place, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        first = place;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        text.push('-');
    }
    let digits = digits.get(first..).unwrap_or_default();
    text.push_str(std::str::from_utf8(digits).expect("digits are ASCII"));
}

/// Appends spaces up to a length; what is too long stays so, and its row is not read.
fn fill_up(text: &mut String, len: usize) {
    const SPACES: &str = "                    ";
    let missing = len.saturating_sub(text.len());
    text.push_str(SPACES.get(..missing).unwrap_or(SPACES));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(status: Status, strength: u16, ended_at: Option<i64>) -> BeliefState {
        BeliefState {
            status,
            strength: Trust::from_thousandths(strength).unwrap(),
            ended_at: ended_at.map(|it| Instant::from_micros(it).unwrap()),
        }
    }

    #[test]
    fn a_block_lists_each_state_once_and_is_read_back() {
        let stands = state(Status::Active, 700, None);
        let fell = state(Status::Revoked, 0, Some(12));
        let row = belief_states(3, [stands, fell, stands, stands]);
        let cells = [
            Cell::Int(3),
            Cell::from("0100"),
            Cell::from(concat!(
                "active      700                      ",
                "revoked     0    12                  ",
            )),
        ];
        assert_eq!(row.cells, cells);
        let (stands, fell) = (["active", "700", ""], ["revoked", "0", "12"]);
        assert_eq!(states_in(&row), Some(vec![stands, fell, stands, stands]));
    }

    #[test]
    fn a_full_block_of_states_that_all_differ_has_a_mark_for_each() {
        let states = (0..64).map(|it| state(Status::Active, it, None));
        let row = belief_states(0, states);
        let states = states_in(&row).unwrap();
        assert_eq!(states.len(), BLOCK_IDS);
        assert_eq!(states.last().unwrap()[1], "63");
        assert!(matches!(&row.cells[1], Cell::Text(marks) if marks.is_ascii()));
    }

    #[test]
    fn a_block_that_was_tampered_with_is_not_read() {
        let row = |marks: &str, states: &str| {
            let cells = vec![Cell::Int(0), Cell::from(marks), Cell::from(states)];
            Row::new(Table::BeliefStateBlock, cells)
        };
        let whole = "active      700                      ";
        assert!(states_in(&row("00", whole)).is_some());
        for (marks, states) in [("1", whole), ("/", whole), ("0", &whole[1..]), ("0", "")] {
            assert_eq!(states_in(&row(marks, states)), None, "{marks} {states}");
        }
    }

    #[test]
    fn the_widest_state_fits_its_columns() {
        for name in Status::ALL.map(Status::name) {
            assert!(name.len() < STATE_COLUMNS[0].1, "{name}");
        }
        assert!(i64::MIN.to_string().len() <= STATE_COLUMNS[2].1);
    }

    #[test]
    fn tasks_that_were_opened_together_share_what_is_the_same() {
        let task = |belief, at| OpenedTask {
            belief: BeliefId::new(belief),
            incident: IncidentId::new(1),
            opened_at: Instant::from_micros(at).unwrap(),
        };
        let row = tasks(0, [task(7, 5), task(9, 5), task(2, 6)]);
        let cells = [
            Cell::Int(0),
            Cell::from("[7,9,2]"),
            Cell::from("001"),
            Cell::from("[[1,5],[1,6]]"),
        ];
        assert_eq!(row.cells, cells);
    }

    #[test]
    fn digits_are_those_of_the_formatter() {
        for number in [0, 7, 10, -1, 1_796_029_671_025_843, i64::MAX, i64::MIN] {
            let mut text = String::new();
            push(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }

    #[test]
    fn numbers_are_read_back() {
        for list in [vec![], vec![7], vec![1, 22, u32::MAX]] {
            assert_eq!(numbers_in(&numbers(list.iter().copied())), Some(list));
        }
        for text in ["", "[", "[1,]", "[-1]", "[4294967296]", "[1][2]"] {
            assert_eq!(numbers_in(text), None, "{text}");
        }
    }
}
