//! What people read with SQL: `active_beliefs` has what may be read, and nothing else.

use crate::common::{ap, open};
use expect_test::expect;
use immune_model::{BeliefId, IncidentId, Instant, Status, Trust};
use immune_store::conformance::given::{append, memory};
use immune_store::pack::{self, BeliefState};
use immune_store::{Cell, Row, Store, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// A belief of this id.
fn belief(id: u32) -> Row {
    let cells = [
        Cell::from(id),
        Cell::from(""),
        Cell::from("acme/refund.destination"),
        Cell::from(&*format!("claim {id}")),
        Cell::from("+"),
        Cell::from(""),
        Cell::Int(0),
    ];
    Row::new(Table::Belief, cells.to_vec())
}

fn state(status: Status, strength: u16) -> BeliefState {
    BeliefState {
        status,
        strength: Trust::from_thousandths(strength).expect("thousandths"),
        ended_at: (status != Status::Active).then(|| Instant::from_micros(7).expect("a time")),
    }
}

/// The names of the columns, then a line for each row.
fn lines(connection: &Connection, sql: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(sql)?;
    let names: Vec<_> = statement.column_names().map(str::to_owned).collect();
    let mut lines = vec![names.join(" | ")];
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = (0..names.len()).map(|place| {
            Ok(match row.get_ref(place)? {
                ValueRef::Integer(value) => value.to_string(),
                ValueRef::Real(value) => value.to_string(),
                ValueRef::Null => "-".to_owned(),
                other => other.as_str()?.to_owned(),
            })
        });
        lines.push(cells.collect::<rusqlite::Result<Vec<_>>>()?.join(" | "));
    }
    Ok(lines.join("\n") + "\n")
}

#[test]
fn active_beliefs_leaves_out_what_must_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.immune");
    let store = open(&path);
    let mut states: Vec<BeliefState> = Status::ALL.map(|it| state(it, 900)).to_vec();
    states.extend([0, 499, 500, 1000].map(|it| state(Status::Active, it)));
    // The last has no state.
    let mut rows: Vec<Row> = (1..=14).map(belief).collect();
    rows.push(pack::belief_states(0, states.iter().copied()));
    append(&store, &ap(), &["text"], rows);
    let of_other = pack::belief_states(0, [state(Status::Active, 725)]);
    append(
        &store,
        &memory("other's"),
        &["text"],
        vec![belief(1), of_other],
    );

    let connection = Connection::open(&path).unwrap();
    expect![[r"
        memory | id | subject | claim | strength
        ap | bel_5 | acme/refund.destination | claim 5 | 0.9
        ap | bel_12 | acme/refund.destination | claim 12 | 0.5
        ap | bel_13 | acme/refund.destination | claim 13 | 1
        other's | bel_1 | acme/refund.destination | claim 1 | 0.725
    "]]
    .assert_eq(&lines(&connection, "SELECT * FROM active_beliefs").unwrap());

    states[4] = state(Status::Quarantined, 0);
    append(
        &store,
        &ap(),
        &["more"],
        vec![pack::belief_states(0, states)],
    );
    let sql = "SELECT count(*) FROM active_beliefs WHERE id = 'bel_5'";
    assert_eq!(
        lines(&connection, sql).unwrap(),
        "count(*)\n0\n",
        "with its transaction"
    );
    assert_eq!(store.check().unwrap(), [""; 0]);
}

#[test]
fn what_lies_in_blocks_and_runs_is_one_row_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks.immune");
    let store = open(&path);
    let task = |belief, incident| pack::OpenedTask {
        belief: BeliefId::new(belief),
        incident: IncidentId::new(incident),
        opened_at: Instant::from_micros(9).unwrap(),
    };
    let run = [
        Cell::Int(4),
        Cell::Int(2),
        Cell::Int(1),
        Cell::Int(9),
        Cell::from("bel"),
        Cell::from(&*pack::numbers([64, 65])),
        Cell::from("status"),
        Cell::Null,
        Cell::from("active"),
        Cell::from("obs_3"),
    ];
    let rows = vec![
        belief(64),
        belief(65),
        belief(66),
        pack::belief_states(0, [state(Status::Stale, 0); 64]),
        pack::belief_states(1, [state(Status::Active, 700), state(Status::Revoked, 0)]),
        pack::tasks(1, [task(65, 1), task(64, 2)]),
        Row::new(Table::TransitionRun, run.to_vec()),
    ];
    append(&store, &ap(), &["text"], rows);
    let connection = Connection::open(&path).unwrap();
    let all = ["belief_state", "task", "transition"].map(|it| {
        let sql = format!("SELECT * FROM {it} ORDER BY 1, 2, 3");
        lines(&connection, &sql).unwrap()
    });
    expect![[r"
        memory | id | status | strength | ended_at
        1 | 64 | stale | 0 | 7
        1 | 65 | active | 700 | -
        1 | 66 | revoked | 0 | 7
        memory | id | belief | incident | opened_at
        1 | 65 | 65 | 1 | 9
        1 | 66 | 64 | 2 | 9
        memory | seq | position | at | item | change | before | after | cause
        1 | 4 | 1 | 9 | bel_64 | status | - | active | obs_3
        1 | 4 | 2 | 9 | bel_65 | status | - | active | obs_3
    "]]
    .assert_eq(&all.concat());
}

#[test]
fn the_obvious_questions_are_answered_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.immune");
    drop(open(&path));
    let connection = Connection::open(&path).unwrap();
    let mut plans = String::new();
    for question in [
        "SELECT * FROM belief WHERE memory = 1 AND subject = 'acme/refund.destination'",
        "SELECT * FROM justification WHERE memory = 1 AND belief = 7",
        "SELECT * FROM premise WHERE memory = 1 AND kind = 'belief' AND item = 7",
        "SELECT * FROM observation WHERE memory = 1 AND source = 7",
        "SELECT * FROM relied_on WHERE memory = 1 AND belief = 7",
        "SELECT * FROM belief_state WHERE memory = 1 AND id = 7",
        "SELECT * FROM transition WHERE memory = 1 AND seq > 7",
        "SELECT * FROM premise WHERE memory = 1 AND (justification, position) > (7, 1)",
        "SELECT * FROM log WHERE memory = 1 AND seq > 7 ORDER BY seq LIMIT 5",
    ] {
        let plan = format!("EXPLAIN QUERY PLAN {question}");
        let mut statement = connection.prepare(&plan).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            plans += &(row.get::<_, String>(3).unwrap() + "\n");
        }
    }
    expect![[r"
        SEARCH belief USING INDEX belief_by_subject (memory=? AND subject=?)
        SEARCH justification USING INDEX justification_by_belief (memory=? AND belief=?)
        SEARCH premise USING COVERING INDEX premise_by_item (memory=? AND kind=? AND item=?)
        SEARCH observation USING INDEX observation_by_source (memory=? AND source=?)
        SEARCH relied_on USING INDEX relied_on_by_belief (memory=? AND belief=?)
        SEARCH block USING PRIMARY KEY (memory=? AND block=?)
        SEARCH belief USING COVERING INDEX sqlite_autoindex_belief_1 (memory=? AND id=?)
        SEARCH run USING PRIMARY KEY (memory=? AND seq>?)
        SCAN number VIRTUAL TABLE INDEX 1:
        SEARCH premise USING PRIMARY KEY (memory=? AND (justification,position)>(?,?))
        SEARCH log USING INDEX sqlite_autoindex_log_1 (memory=? AND seq>?)
    "]]
    .assert_eq(&plans);
}
