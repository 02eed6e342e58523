//! Every statement that reads or writes memories; no SQL of that kind stands elsewhere.
//!
//! For `log` and `projection`. Invariants, tested below: each names `memory`, so that none can
//! touch another memory or, on a cluster, another shard; values are parameters, never text; no
//! `INSERT` has a subquery, no function is volatile.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use immune_store::Table;

use crate::schema::push;

/// More statements than there are: each stays prepared.
pub(crate) const COUNT_MAX: usize = 128;

pub(crate) const MEMORIES: &str = r#"SELECT "name" FROM "memory" ORDER BY "name""#;
pub(crate) const MEMORY_ID: &str = r#"SELECT "id" FROM "memory" WHERE "name" = ?1"#;
pub(crate) const CREATE_MEMORY: &str = r#"INSERT INTO "memory" ("name") VALUES (?1)"#;

pub(crate) const HEAD: &str = r#"SELECT "seq", "hash" FROM "head" WHERE "memory" = ?1"#;
pub(crate) const SET_HEAD: &str = r#"INSERT INTO "head" ("memory", "seq", "hash")
    VALUES (?1, ?2, ?3)
    ON CONFLICT ("memory") DO UPDATE SET "seq" = excluded."seq", "hash" = excluded."hash""#;

pub(crate) const ENTRY_HASH: &str =
    r#"SELECT "hash" FROM "log" WHERE "memory" = ?1 AND "seq" = ?2"#;
pub(crate) const ENTRIES: &str = r#"SELECT "seq", "at", "hash", "body" FROM "log"
    WHERE "memory" = ?1 AND "seq" > ?2 ORDER BY "seq" LIMIT ?3"#;
pub(crate) const ADD_ENTRY: &str = r#"INSERT INTO "log" ("memory", "seq", "at", "hash", "body")
    VALUES (?1, ?2, ?3, ?4, ?5)"#;

pub(crate) const KEYS: &str = r#"SELECT "seq", "item", "key" FROM "content_key"
    WHERE "memory" = ?1 AND "seq" > ?2 AND "seq" <= ?3 ORDER BY "seq""#;
pub(crate) const ADD_KEY: &str = r#"INSERT INTO "content_key" ("memory", "seq", "item", "key")
    VALUES (?1, ?2, ?3, ?4)"#;

/// The statements about one projection.
#[derive(Debug)]
pub(crate) struct Projection {
    /// Writes one row, or replaces the one of its key.
    pub(crate) put: String,
    /// Reads rows from the first on.
    pub(crate) first: String,
    /// Reads the rows that follow a key.
    pub(crate) after: String,
    /// Removes the rows of a memory.
    pub(crate) clear: String,
}

/// The statements about a projection.
pub(crate) fn of(table: Table) -> &'static Projection {
    static ALL: LazyLock<BTreeMap<Table, Projection>> = LazyLock::new(|| {
        Table::ALL
            .iter()
            .map(|table| (*table, projection(*table)))
            .collect()
    });
    ALL.get(&table).expect("every table has its statements")
}

fn projection(table: Table) -> Projection {
    let name = table.name();
    let columns: Vec<String> = table
        .columns()
        .iter()
        .map(|(column, _)| format!("\"{column}\""))
        .collect();
    let (keys, others) = columns.split_at(table.key_columns());
    let places: Vec<String> = (2..columns.len() + 2)
        .map(|place| format!("?{place}"))
        .collect();
    let changes: Vec<String> = others
        .iter()
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let (columns, keys, places) = (columns.join(", "), keys.join(", "), places.join(", "));

    let mut put = format!("INSERT INTO \"{name}\" (\"memory\", {columns})");
    push(&mut put, format_args!(" VALUES (?1, {places})"));
    push(&mut put, format_args!(" ON CONFLICT (\"memory\", {keys})"));
    push(
        &mut put,
        format_args!(" DO UPDATE SET {}", changes.join(", ")),
    );

    let select = format!("SELECT {columns} FROM \"{name}\" WHERE \"memory\" = ?1");
    let first = format!("{select} ORDER BY {keys} LIMIT ?2");
    let bounds = if table.key_columns() == 1 {
        "?3"
    } else {
        "?3, ?4"
    };
    let after = format!("{select} AND ({keys}) > ({bounds}) ORDER BY {keys} LIMIT ?2");
    Projection {
        put,
        first,
        after,
        clear: format!("DELETE FROM \"{name}\" WHERE \"memory\" = ?1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<&'static str> {
        let mut all = vec![
            MEMORIES,
            MEMORY_ID,
            CREATE_MEMORY,
            HEAD,
            SET_HEAD,
            ENTRY_HASH,
            ENTRIES,
            ADD_ENTRY,
            KEYS,
            ADD_KEY,
        ];
        for table in Table::ALL {
            let Projection {
                put,
                first,
                after,
                clear,
            } = of(*table);
            all.extend([put, first, after, clear].map(String::as_str));
        }
        all
    }

    #[test]
    fn every_statement_names_the_memory_and_fits_the_cache() {
        for statement in all() {
            assert!(statement.contains("\"memory\""), "{statement}");
        }
        assert!(all().len() <= COUNT_MAX, "{}", all().len());
    }

    #[test]
    fn no_statement_holds_a_value_a_subquery_or_a_volatile_function() {
        for statement in all() {
            for refused in ["'", "(SELECT", "random(", "now(", "datetime(", "MERGE"] {
                assert!(!statement.contains(refused), "{refused} in {statement}");
            }
        }
    }

    #[test]
    fn a_projection_is_written_and_read_like_this() {
        let of = of(Table::Premise);
        expect_test::expect![[r#"
            INSERT INTO "premise" ("memory", "justification", "position", "kind", "item") VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT ("memory", "justification", "position") DO UPDATE SET "kind" = excluded."kind", "item" = excluded."item"
            SELECT "justification", "position", "kind", "item" FROM "premise" WHERE "memory" = ?1 AND ("justification", "position") > (?3, ?4) ORDER BY "justification", "position" LIMIT ?2
        "#]]
        .assert_eq(&format!("{}\n{}\n", of.put, of.after));
    }
}
