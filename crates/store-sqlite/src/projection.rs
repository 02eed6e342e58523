//! Reading and writing projections.
//!
//! Called with a transaction open. Rows are written in the order of their keys, each through a
//! statement that stays prepared: a cascade that changes 100,000 states walks the table once.

use immune_store::{Cell, Row, Table};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::failure::{Failure, engine};
use crate::statements;

/// Writes rows; of two with one key, the later.
pub(crate) fn put(connection: &Connection, memory: i64, rows: &[Row]) -> Result<(), Failure> {
    let mut sorted: Vec<(Table, [i64; 2], &Row)> =
        rows.iter().map(|row| (row.table, row.key(), row)).collect();
    sorted.sort_by_key(|(table, key, _)| (*table, *key));
    for of_table in sorted.chunk_by(|one, next| one.0 == next.0) {
        let Some((table, ..)) = of_table.first() else {
            continue;
        };
        let mut statement = connection.prepare_cached(&statements::of(*table).put)?;
        for of_key in of_table.chunk_by(|one, next| one.1 == next.1) {
            let Some((.., row)) = of_key.last() else {
                continue;
            };
            statement.raw_bind_parameter(1, memory)?;
            for (place, cell) in (2..).zip(&row.cells) {
                statement.raw_bind_parameter(place, Bound(cell))?;
            }
            statement.raw_execute()?;
        }
    }
    Ok(())
}

/// Removes every row of a memory.
pub(crate) fn clear(connection: &Connection, memory: i64) -> Result<(), Failure> {
    for table in Table::ALL {
        connection
            .prepare_cached(&statements::of(*table).clear)?
            .execute([memory])?;
    }
    Ok(())
}

/// At most `limit` rows whose key follows `after`, in the order of keys.
pub(crate) fn page(
    connection: &Connection,
    memory: i64,
    table: Table,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<Row>, Failure> {
    let sql = statements::of(table);
    let mut statement = connection.prepare_cached(match after {
        Some(_) => &sql.after,
        None => &sql.first,
    })?;
    statement.raw_bind_parameter(1, memory)?;
    statement.raw_bind_parameter(2, i64::try_from(limit).unwrap_or(i64::MAX))?;
    let bounds = after.iter().flatten().take(table.key_columns());
    for (place, bound) in (3..).zip(bounds) {
        statement.raw_bind_parameter(place, bound)?;
    }
    let mut found = statement.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let cells: Result<Vec<Cell>, Failure> = (0..table.columns().len())
            .map(|place| cell(table, row.get_ref(place)?))
            .collect();
        rows.push(Row {
            table,
            cells: cells?,
        });
    }
    Ok(rows)
}

/// A cell as SQLite takes it, without a copy.
struct Bound<'c>(&'c Cell);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(value) => ValueRef::Integer(*value),
            Cell::Text(value) => ValueRef::Text(value.as_bytes()),
        }))
    }
}

fn cell(table: Table, found: ValueRef<'_>) -> Result<Cell, Failure> {
    let damaged = || {
        engine(
            "read a projection",
            format!("a cell of `{}` is damaged", table.name()),
        )
        .into()
    };
    match found {
        ValueRef::Null => Ok(Cell::Null),
        ValueRef::Integer(value) => Ok(Cell::Int(value)),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes)
            .map(Cell::from)
            .map_err(|_| damaged()),
        ValueRef::Real(_) | ValueRef::Blob(_) => Err(damaged()),
    }
}
