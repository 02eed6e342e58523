//! Projections: plain tables that people query with SQL, written in the transaction of the log.
//!
//! A row's key is one or two numbers after the memory (`id`; or `id` and a position). The columns
//! are listed here once; each store lays its tables out from this list and its own types.

use std::sync::Arc;

/// One value of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number: an id, a count, thousandths of trust, microseconds of UTC.
    Int(i64),
    /// A text without NUL.
    Text(Arc<str>),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of a projection: the key cells first, then the others, in the order of
/// [`Table::columns`]. Writing a row whose key exists replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Which projection.
    pub table: Table,
    /// As many cells as the table has columns.
    pub cells: Vec<Cell>,
}

impl Row {
    /// The row with these cells.
    ///
    /// # Panics
    /// When the cells do not fit the table's columns: another number of them, another type, or a
    /// key without a value. Stores would disagree on what they keep.
    pub fn new(table: Table, cells: Vec<Cell>) -> Self {
        let columns = table.columns();
        assert_eq!(
            cells.len(),
            columns.len(),
            "a row of `{}` fits it",
            table.name()
        );
        for (place, (cell, (column, kind))) in cells.iter().zip(columns).enumerate() {
            let fits = match cell {
                Cell::Null => place >= table.key_columns(),
                Cell::Int(_) => *kind == ColumnType::Int,
                Cell::Text(_) => *kind == ColumnType::Text,
            };
            assert!(fits, "{cell:?} does not fit `{}.{column}`", table.name());
        }
        Self { table, cells }
    }

    /// The key: one or two numbers; the second is 0 where the table has one key column.
    pub fn key(&self) -> [i64; 2] {
        let at = |place: usize| match self.cells.get(place) {
            Some(Cell::Int(value)) if place < self.table.key_columns() => *value,
            _ => 0,
        };
        [at(0), at(1)]
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $variant:ident $name:literal keys $keys:literal [$($column:literal $kind:ident)*];)*) => {
        /// The projections.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[$doc])* $variant,)*
        }

        impl Table {
            /// Every projection.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name of its table.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its columns after `memory`, with the type of each.
            pub fn columns(self) -> &'static [(&'static str, ColumnType)] {
                match self { $(Self::$variant => &[$(($column, ColumnType::$kind),)*],)* }
            }

            /// How many of the first columns make its key, after `memory`: 1 or 2.
            pub fn key_columns(self) -> usize {
                match self { $(Self::$variant => $keys,)* }
            }
        }
    };
}

/// The type of a column; every column but a key may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A 64-bit number.
    Int,
    /// A text.
    Text,
}

tables! {
    /// Channels.
    Channel "channel" keys 1 ["id" Int "name" Text "tier" Int "carriage" Text];
    /// Sources, with the reputation over all areas.
    Source "source" keys 1
        ["id" Int "channel" Int "handle" Text "kind" Text "standing" Text "reputation" Int];
    /// The areas for which sources are systems of record; the key's second part is a position.
    Record "record" keys 2 ["source" Int "position" Int "area" Text];
    /// Observations: what never changes.
    Observation "observation" keys 1 ["id" Int "source" Int "namespace" Text "content" Text
        "sent_at" Int "received_at" Int "external_id" Text "run" Text "screening" Text];
    /// Observations: what changes, in a narrow table of its own.
    ObservationState "observation_state" keys 1 ["id" Int "status" Text];
    /// Beliefs: what hardly ever changes; the claim is in the words of the strongest justification.
    Belief "belief" keys 1 ["id" Int "namespace" Text "subject" Text "claim" Text "polarity" Text
        "literals" Text "believed_at" Int];
    /// Beliefs: what changes, by blocks of ids (see [`crate::pack`]).
    BeliefStateBlock "belief_state_block" keys 1 ["block" Int "marks" Text "states" Text];
    /// Justifications. `statement_of` is the observation, where one states the claim.
    Justification "justification" keys 1
        ["id" Int "belief" Int "statement_of" Int "agent" Int "closed_by" Text "expires_at" Int];
    /// The premises of justifications, by position.
    Premise "premise" keys 2 ["justification" Int "position" Int "kind" Text "item" Int];
    /// Decisions.
    Decision "decision" keys 1 ["id" Int "agent" Int "run" Text "used_by" Text "status" Text];
    /// What decisions relied on, by position.
    ReliedOn "relied_on" keys 2 ["decision" Int "position" Int "belief" Int "waiver" Int];
    /// Actions.
    Action "action" keys 1 ["id" Int "decision" Int "kind" Text "class" Text "payload" Text
        "status" Text "detail" Text "incident" Int "proposed_at" Int "ended_at" Int];
    /// Rules.
    Rule "rule" keys 1 ["id" Int "kind" Text "class" Text "unknown" Text "waiver_subject" Text
        "waiver_bar" Int "compensation" Text "min_origins" Int];
    /// Incidents: of a challenge, or of a flag, whose target is the id of a source, an observation or
    /// a belief.
    Incident "incident" keys 1
        ["id" Int "trigger" Int "challenger" Int "subject" Text "flagged" Text "received_from" Int
        "reason" Text "opened_at" Int "reinstated_at" Int];
    /// Reviews.
    Review "review" keys 1
        ["id" Int "trigger" Int "challenger" Int "subject" Text "opened_at" Int];
    /// Attributions: an answer that was wrong, how the search ended and what it took. `bound` is in
    /// thousandths of a call, `confidence` and `flips` are thousandths; `evidence_for` lists incidents
    /// and reviews.
    Attribution "attribution" keys 1
        ["id" Int "seq" Int "at" Int "by" Text "namespace" Text "run" Text "decision" Int
        "outcome" Text "question" Text "wrong" Text "expected" Text "judge" Text "oracle" Text
        "candidates" Int "calls" Int "guard_calls" Int "replays" Int "replays_right" Int "bound" Int
        "confidence" Int "flips" Int "evidence_for" Text];
    /// What attributions blame, by position. `part` is `cause`, `hidden`, `correction` or `fallen`,
    /// and `number` tells the causes of a part from 1; `kind` and `item` are those of a premise.
    Blamed "blamed" keys 2 ["attribution" Int "position" Int "part" Text "number" Int "kind" Text
        "item" Int "turn" Int];
    /// Tasks, by blocks of ids (see [`crate::pack`]).
    TaskBlock "task_block" keys 1 ["block" Int "beliefs" Text "marks" Text "opened" Text];
    /// Reversals that are due or were tried: one row an action.
    Outbox "outbox" keys 1
        ["action" Int "incident" Int "attempts" Int "next_at" Int "state" Text "last_error" Text];
    /// The change stream: each transition once, in runs of items of one kind that passed alike. The
    /// key is the event and the last position in it; `items` are their numbers, from `first` on.
    TransitionRun "transition_run" keys 2 ["seq" Int "last" Int "first" Int "at" Int "kind" Text
        "items" Text "change" Text "before" Text "after" Text "cause" Text];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_name_of_its_own_and_number_keys() {
        let mut names: Vec<_> = Table::ALL.iter().map(|table| table.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Table::ALL.len());
        for table in Table::ALL {
            let keys = &table.columns()[..table.key_columns()];
            assert!(
                keys.iter().all(|(_, kind)| *kind == ColumnType::Int),
                "{}",
                table.name()
            );
        }
    }

    #[test]
    fn a_row_that_does_not_fit_its_table_is_a_bug() {
        let fits = |cells: &[Cell]| {
            std::panic::catch_unwind(|| Row::new(Table::Incident, cells.to_vec())).is_ok()
        };
        let [int, text] = [Cell::Int(1), Cell::from("acme")];
        let row = [
            int.clone(),
            int.clone(),
            Cell::Null,
            text.clone(),
            Cell::Null,
            Cell::Null,
            Cell::Null,
            int.clone(),
            Cell::Null,
        ];
        assert!(fits(&row));
        assert!(!fits(&row[1..]), "a cell is missing");
        let with = |place: usize, cell: &Cell| {
            let mut row = row.clone();
            row[place] = cell.clone();
            row
        };
        assert!(!fits(&with(0, &Cell::Null)), "a key has a value");
        assert!(!fits(&with(1, &text)), "a number is no text");
        assert!(!fits(&with(3, &int)), "a text is no number");
    }
}
