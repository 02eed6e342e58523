//! SQLite as a peer: the closure by a recursive common table expression, in this process.

use std::path::Path;

use immune_api::bench::BenchRow;
use rusqlite::Connection;

use crate::machine::{self, Lap, Took};
use crate::shape::{Shape, Suspect};
use crate::{BenchError, Options};

const CLOSURE: &str = "with recursive closure(id) as (
  select e.conclusion from suspect s join edge e on e.premise = s.node where s.name = ?1
  union
  select e.conclusion from closure c join edge e on e.premise = c.id
) select count(*) from closure";

/// The rows of all suspects.
pub(crate) fn rows(
    options: &Options,
    folder: &Path,
    shape: &Shape,
    suspects: &[Suspect],
) -> Result<Vec<BenchRow>, BenchError> {
    let connection = Connection::open(folder.join("peer.sqlite"))?;
    load(&connection, shape, suspects)?;
    let mut statement = connection.prepare(CLOSURE)?;
    let mut rows = Vec::new();
    for suspect in suspects {
        let mut ask = || statement.query_row([suspect.name], |row| row.get::<_, i64>(0));
        let mut answer = ask()?;
        let mut laps: Vec<Took> = Vec::new();
        for _ in 0..options.runs {
            let lap = Lap::start();
            answer = ask()?;
            laps.push(lap.took());
        }
        let took = machine::median(&laps);
        rows.push(BenchRow {
            engine: format!("SQLite {}", rusqlite::version()),
            what: "recursive CTE".to_owned(),
            source: suspect.name.to_owned(),
            answer: u64::try_from(answer).ok(),
            cpu_ms: Some(took.cpu_ms),
            wall_ms: Some(took.wall_ms),
            ..BenchRow::default()
        });
    }
    Ok(rows)
}

fn load(connection: &Connection, shape: &Shape, suspects: &[Suspect]) -> Result<(), BenchError> {
    connection.execute_batch(
        "pragma journal_mode = wal; pragma cache_size = -262144;
         create table edge (premise integer, conclusion integer,
                            primary key (premise, conclusion)) without rowid;
         create table suspect (name text, node integer);
         begin",
    )?;
    let mut edge = connection.prepare("insert or ignore into edge values (?1, ?2)")?;
    let mut edges: Vec<(usize, usize)> = shape.edges().collect();
    edges.sort_unstable();
    for (premise, conclusion) in edges {
        edge.execute([id(premise), id(conclusion)])?;
    }
    let mut sent = connection.prepare("insert into suspect values (?1, ?2)")?;
    for suspect in suspects {
        for it in &suspect.sent {
            sent.execute(rusqlite::params![suspect.name, id(shape.observation(*it))])?;
        }
    }
    connection.execute_batch("commit; analyze")?;
    Ok(())
}

fn id(node: usize) -> i64 {
    i64::try_from(node).expect("graphs have fewer than 2^63 nodes")
}
