//! What people read with SQL: `active_beliefs` has what may be read, and nothing else.

use crate::common::{ap, open};
use expect_test::expect;
use immune_model::Status;
use immune_store::conformance::given::{append, memory};
use immune_store::{Cell, Row, Store, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

fn belief(id: i64, status: Status, strength: i64) -> [Row; 2] {
    let claim = format!("claim {id}, {} at {strength}", status.name());
    let fat = [
        Cell::Int(id),
        Cell::from(""),
        Cell::from("acme/refund.destination"),
        Cell::from(&*claim),
        Cell::from("+"),
        Cell::from(""),
        Cell::Int(0),
    ];
    let state = [
        Cell::Int(id),
        Cell::from(status.name()),
        Cell::Int(strength),
        Cell::Null,
    ];
    [
        Row::new(Table::Belief, fat.to_vec()),
        Row::new(Table::BeliefState, state.to_vec()),
    ]
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
    let mut rows: Vec<Row> = Vec::new();
    for (id, status) in (1..).zip(Status::ALL) {
        rows.extend(belief(id, status, 900));
    }
    for (id, strength) in [(10, 0), (11, 499), (12, 500), (13, 1000)] {
        rows.extend(belief(id, Status::Active, strength));
    }
    let [without_state, _] = belief(14, Status::Active, 900);
    rows.push(without_state);
    append(&store, &ap(), &["text"], rows);
    append(
        &store,
        &memory("other's"),
        &["text"],
        belief(1, Status::Active, 725).to_vec(),
    );

    let connection = Connection::open(&path).unwrap();
    expect![[r"
        memory | id | subject | claim | strength
        ap | bel_5 | acme/refund.destination | claim 5, active at 900 | 0.9
        ap | bel_12 | acme/refund.destination | claim 12, active at 500 | 0.5
        ap | bel_13 | acme/refund.destination | claim 13, active at 1000 | 1
        other's | bel_1 | acme/refund.destination | claim 1, active at 725 | 0.725
    "]]
    .assert_eq(&lines(&connection, "SELECT * FROM active_beliefs").unwrap());

    append(
        &store,
        &ap(),
        &["more"],
        belief(5, Status::Quarantined, 0)[1..].to_vec(),
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
        SEARCH transition USING PRIMARY KEY (memory=? AND seq>?)
        SEARCH premise USING PRIMARY KEY (memory=? AND (justification,position)>(?,?))
        SEARCH log USING INDEX sqlite_autoindex_log_1 (memory=? AND seq>?)
    "]]
    .assert_eq(&plans);
}
