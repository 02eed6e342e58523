//! The layout of the file: tables, indexes and views, made once when the file is new.
//!
//! It keeps to what the same tables need on a cluster that is split by memory: `memory` leads
//! every key and every index, there is no trigger, and no order comes from the engine.
//! Projections are laid out from [`Table::columns`], so they cannot differ from the contract.
//!
//! Tables with content of any length are ordinary ones, most others are kept in their key
//! (`WITHOUT ROWID`). Measured: 30,000 bodies of 3 kB take 244 MB as a log kept in its key and
//! 115 MB as an ordinary one, because a row of more than a quarter of a page spills; at 600 bytes
//! both take 71 MB and read alike. Runs and blocks ([`pack`]) are short enough for their key.
//!
//! Views show what lies in blocks and runs as one row each. Those of tasks and transitions call
//! functions for JSON, which SQLite has built in from version 3.38 on.

use std::fmt::Write;

use immune_model::{Status, Trust};
use immune_store::{ColumnType, Table, pack};

/// `PRAGMA application_id` of a store: `immu`.
pub(crate) const APPLICATION: i64 = 0x696d_6d75;

/// `PRAGMA user_version` of a store: the layout that this version reads and writes.
pub(crate) const LAYOUT: u32 = 3;

/// Before the first page of a file is written.
pub(crate) const NEW_FILE_PRAGMAS: &str = "PRAGMA page_size = 8192;";

/// On the connection that writes: a commit is on disk when it returns.
pub(crate) const WRITER_PRAGMAS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA cell_size_check = ON;
    PRAGMA cache_size = -32768;
";

/// Rows of one append from which on it is a large one: an import of a graph, not a cascade.
pub(crate) const LARGE_APPEND_ROWS: usize = 1 << 20;

/// While a large append goes on: indexes are written out of order, and a page that does not stay is
/// read and written again and again.
pub(crate) const LARGE_APPEND_PRAGMAS: &str = "PRAGMA cache_size = -262144;";

/// After a large append.
pub(crate) const WRITER_PRAGMAS_IN_USE: &str = "PRAGMA cache_size = -32768;";

/// On connections that read.
pub(crate) const READER_PRAGMAS: &str = "
    PRAGMA query_only = ON;
    PRAGMA cell_size_check = ON;
    PRAGMA cache_size = -8192;
";

/// The log and what belongs to it.
const LOG: &str = r#"
    CREATE TABLE "memory" ("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL UNIQUE);
    CREATE TABLE "head" (
        "memory" INTEGER NOT NULL PRIMARY KEY, "seq" INTEGER NOT NULL, "hash" BLOB NOT NULL
    );
    CREATE TABLE "log" (
        "memory" INTEGER NOT NULL, "seq" INTEGER NOT NULL, "at" INTEGER NOT NULL,
        "hash" BLOB NOT NULL, "body" BLOB NOT NULL,
        PRIMARY KEY ("memory", "seq")
    );
    CREATE TABLE "content_key" (
        "memory" INTEGER NOT NULL, "seq" INTEGER NOT NULL, "item" TEXT NOT NULL,
        "key" BLOB NOT NULL,
        PRIMARY KEY ("memory", "seq", "item")
    ) WITHOUT ROWID;
"#;

/// What people ask: what is believed about a subject, why, what rests on this, who said it.
/// Runs of transitions are found by their event.
const INDEXES: &[(Table, &str, &[&str])] = &[
    (Table::Belief, "belief_by_subject", &["subject"]),
    (Table::Justification, "justification_by_belief", &["belief"]),
    (Table::Premise, "premise_by_item", &["kind", "item"]),
    (Table::Observation, "observation_by_source", &["source"]),
    (Table::ReliedOn, "relied_on_by_belief", &["belief"]),
    (Table::Blamed, "blamed_by_item", &["kind", "item"]),
];

/// Whether a projection is an ordinary table: its rows have content of any length, or are asked for
/// by an index that does not hold them whole. Of a table kept in its key, SQLite would rather walk
/// all of a memory than use such an index.
fn is_ordinary(table: Table) -> bool {
    matches!(
        table,
        Table::Observation
            | Table::Belief
            | Table::Action
            | Table::Justification
            | Table::ReliedOn
            | Table::Attribution
            | Table::Blamed
    )
}

/// Every statement that lays out a new file, in order, as one script.
pub(crate) fn layout() -> String {
    let mut script = LOG.to_owned();
    for table in Table::ALL {
        script.push_str(&create(*table));
    }
    for (table, name, columns) in INDEXES {
        let columns = columns.join("\", \"");
        let table = table.name();
        push(
            &mut script,
            format_args!("CREATE INDEX \"{name}\" ON \"{table}\" (\"memory\", \"{columns}\");\n"),
        );
    }
    script.push_str(&views());
    push(
        &mut script,
        format_args!("PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {LAYOUT};\n"),
    );
    script
}

fn create(table: Table) -> String {
    let mut sql = format!(
        "CREATE TABLE \"{}\" (\"memory\" INTEGER NOT NULL",
        table.name()
    );
    for (place, (column, kind)) in table.columns().iter().enumerate() {
        let kind = match kind {
            ColumnType::Int => "INTEGER",
            ColumnType::Text => "TEXT",
        };
        let null = if place < table.key_columns() {
            " NOT NULL"
        } else {
            ""
        };
        push(&mut sql, format_args!(", \"{column}\" {kind}{null}"));
    }
    sql.push_str(", PRIMARY KEY (\"memory\"");
    for (column, _) in table.columns().iter().take(table.key_columns()) {
        push(&mut sql, format_args!(", \"{column}\""));
    }
    sql.push_str(if is_ordinary(table) {
        "));\n"
    } else {
        ")) WITHOUT ROWID;\n"
    });
    sql
}

/// The views, in the order in which they rest on each other.
fn views() -> String {
    [
        belief_state(),
        task(),
        transition(),
        active_beliefs(),
        attributions(),
    ]
    .concat()
}

/// What the mark of the item at `place` of its block counts to.
fn mark(place: &str) -> String {
    let first = pack::FIRST_MARK;
    format!(r#"(unicode(substr("block"."marks", {place} + 1, 1)) - {first})"#)
}

/// The state of each belief, out of its block.
fn belief_state() -> String {
    let ids = pack::BLOCK_IDS;
    let place = format!(r#"("belief"."id" - 1) % {ids}"#);
    let (mark, width) = (mark(&place), pack::STATE_WIDTH);
    let mut first = 1;
    let [status, strength, ended_at] = pack::STATE_COLUMNS.map(|(_, n_chars)| {
        let cut =
            format!(r#"rtrim(substr("block"."states", {mark} * {width} + {first}, {n_chars}))"#);
        first += n_chars;
        cut
    });
    format!(
        r#"CREATE VIEW "belief_state" AS
    SELECT "belief"."memory" AS "memory", "belief"."id" AS "id", {status} AS "status",
        CAST({strength} AS INTEGER) AS "strength",
        CAST(nullif({ended_at}, '') AS INTEGER) AS "ended_at"
    FROM "belief"
    JOIN "belief_state_block" AS "block" ON "block"."memory" = "belief"."memory"
        AND "block"."block" = ("belief"."id" - 1) / {ids};
"#
    )
}

/// Each task, out of its block.
fn task() -> String {
    let ids = pack::BLOCK_IDS;
    let mark = mark(r#""belief"."key""#);
    let [incident, opened_at] = [0, 1].map(|column| {
        format!(r#"json_extract("block"."opened", '$[' || {mark} || '][{column}]')"#)
    });
    format!(
        r#"CREATE VIEW "task" AS
    SELECT "block"."memory" AS "memory", "block"."block" * {ids} + "belief"."key" + 1 AS "id",
        "belief"."value" AS "belief", {incident} AS "incident", {opened_at} AS "opened_at"
    FROM "task_block" AS "block", json_each("block"."beliefs") AS "belief";
"#
    )
}

/// Each transition, out of its run.
fn transition() -> String {
    r#"CREATE VIEW "transition" AS
    SELECT "run"."memory" AS "memory", "run"."seq" AS "seq",
        "run"."first" + "number"."key" AS "position", "run"."at" AS "at",
        "run"."kind" || '_' || "number"."value" AS "item", "run"."change" AS "change",
        "run"."before" AS "before", "run"."after" AS "after", "run"."cause" AS "cause"
    FROM "transition_run" AS "run", json_each("run"."items") AS "number";
"#
    .to_owned()
}

/// The beliefs that may be read: those that stand, and strongly enough. Nothing of what fell, was
/// closed or is too weak is in it, in any column.
fn active_beliefs() -> String {
    format!(
        r#"CREATE VIEW "active_beliefs" AS
    SELECT "memory"."name" AS "memory", 'bel_' || "belief"."id" AS "id",
        "belief"."subject" AS "subject", "belief"."claim" AS "claim",
        "belief_state"."strength" / 1000.0 AS "strength"
    FROM "memory"
    JOIN "belief" ON "belief"."memory" = "memory"."id"
    JOIN "belief_state" ON "belief_state"."memory" = "belief"."memory"
        AND "belief_state"."id" = "belief"."id"
    WHERE "belief_state"."status" = '{}' AND "belief_state"."strength" >= {};
"#,
        Status::Active.name(),
        Trust::FLOOR.thousandths(),
    )
}

/// Each attribution with what to quarantine, by ids. No words of what is blamed are in it, nor the
/// value that is wrong.
fn attributions() -> String {
    r#"CREATE VIEW "attributions" AS
    SELECT "memory"."name" AS "memory", 'att_' || "attribution"."id" AS "id",
        "attribution"."at" AS "at", "attribution"."by" AS "by",
        "attribution"."outcome" AS "outcome", "attribution"."question" AS "question",
        "attribution"."expected" AS "expected", "attribution"."oracle" AS "oracle",
        "attribution"."calls" AS "calls",
        "attribution"."confidence" / 1000.0 AS "confidence",
        (SELECT group_concat("named"."item", ' ') FROM (
            SELECT CASE "blamed"."kind" WHEN 'belief' THEN 'bel_' ELSE 'obs_' END
                || "blamed"."item" AS "item"
            FROM "blamed"
            WHERE "blamed"."memory" = "attribution"."memory"
                AND "blamed"."attribution" = "attribution"."id" AND "blamed"."part" = 'correction'
            ORDER BY "blamed"."position"
        ) AS "named") AS "to_quarantine",
        "attribution"."evidence_for" AS "evidence_for"
    FROM "memory"
    JOIN "attribution" ON "attribution"."memory" = "memory"."id";
"#
    .to_owned()
}

/// Appends to a statement.
pub(crate) fn push(sql: &mut String, part: std::fmt::Arguments<'_>) {
    sql.write_fmt(part).expect("a string takes every character");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_leads_every_key_and_every_index() {
        for statement in layout().split(';') {
            let created = statement.trim_start();
            if created.starts_with("CREATE TABLE \"memory\"") || !created.starts_with("CREATE") {
                continue;
            }
            assert!(created.contains("\"memory\""), "{created}");
            if created.starts_with("CREATE TABLE") {
                let key = created.contains("PRIMARY KEY (\"memory\"")
                    || created.contains("\"memory\" INTEGER NOT NULL PRIMARY KEY");
                assert!(key, "{created}");
            }
            if created.starts_with("CREATE INDEX") {
                assert!(created.contains("(\"memory\", "), "{created}");
            }
        }
    }

    #[test]
    fn the_layout_has_nothing_that_a_cluster_refuses() {
        let layout = layout().to_uppercase();
        for refused in [
            "TRIGGER \"",
            "AUTOINCREMENT",
            "RANDOM(",
            "DATETIME(",
            "'NOW'",
            "CURRENT_",
        ] {
            assert!(!layout.contains(refused), "{refused}");
        }
        assert_eq!(
            layout.matches("UNIQUE").count(),
            1,
            "the name of a memory only"
        );
    }
}
