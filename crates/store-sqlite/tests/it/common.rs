//! What the tests of the file share: opening it, copying it, and a child process that writes.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use immune_model::MemoryName;
use immune_store::conformance::given::{all_rows, append, entries, head_after, memory, row, texts};
use immune_store::{Batch, Cell, Head, Row, Store, StoreError, Table};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

/// Tells the test binary that it is a child, and which file to write.
const CHILD: &str = "IMMUNE_TEST_CHILD";

pub(crate) fn ap() -> MemoryName {
    memory("ap")
}

pub(crate) fn open(path: &Path) -> SqliteStore {
    try_open(path).expect("the file opens")
}

pub(crate) fn try_open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, SqliteOptions::default())
}

pub(crate) fn open_existing(path: &Path) -> Result<SqliteStore, StoreError> {
    let options = SqliteOptions {
        create: false,
        ..SqliteOptions::default()
    };
    SqliteStore::open(path, options)
}

pub(crate) fn with_timeout(path: &Path, timeout: Duration) -> SqliteStore {
    let options = SqliteOptions {
        timeout,
        create: true,
    };
    SqliteStore::open(path, options).expect("the file opens")
}

/// The file that belongs to a store's file: its write-ahead log.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Appends an entry of this text, and a row of this key.
pub(crate) fn append_one(store: &dyn Store, text: &str, key: i64) -> u64 {
    let rows = vec![row(Table::Review, [key, 0], &Cell::Int(key))];
    append(store, &ap(), &[text], rows).seq
}

/// Appends this many entries with their rows.
pub(crate) fn fill(store: &dyn Store, n_entries: i64) {
    for number in 0..n_entries {
        append_one(store, &format!("number {number}"), number);
    }
}

/// The texts of the log, whose chain, head and rows agree.
pub(crate) fn whole(store: &dyn Store) -> Vec<Arc<str>> {
    let log = texts(store, &ap());
    let head = store.head(&ap()).expect("the head is read");
    assert_eq!(head.seq, log.len() as u64);
    let keys: Vec<_> = all_rows(store, &ap(), Table::Review)
        .iter()
        .map(Row::key)
        .collect();
    assert_eq!(keys.len(), log.len(), "a row came with each entry");
    assert_eq!(store.check().expect("the file is checked"), [""; 0]);
    log
}

/// Another process that appends to a file and tells what was acknowledged.
pub(crate) struct Writer {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    killed: bool,
}

impl Writer {
    /// Starts the test `child` in a process of its own.
    pub(crate) fn start(path: &Path, name: &str, n_appends: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("the test is a file"))
            .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
            .env(CHILD, format!("{name} {n_appends} {}", path.display()))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test starts itself");
        let lines = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        Self {
            child,
            lines,
            killed: false,
        }
    }

    /// The next acknowledged append, until the child ends.
    pub(crate) fn next(&mut self) -> Option<(u64, String)> {
        let mut line = String::new();
        while self.lines.read_line(&mut line).expect("the pipe is read") > 0 {
            // A line that was cut off by the end of the process tells nothing.
            if let Some(told) = line
                .strip_prefix("ack ")
                .filter(|told| told.ends_with('\n'))
            {
                let (seq, text) = told
                    .trim_end()
                    .split_once(' ')
                    .expect("a position and a text");
                return Some((seq.parse().expect("a position"), text.to_owned()));
            }
            line.clear();
        }
        None
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it is our child");
        self.killed = true;
    }

    /// The acknowledged appends that are not yet read, once the child ended.
    pub(crate) fn rest(mut self) -> Vec<(u64, String)> {
        let rest = std::iter::from_fn(|| self.next()).collect();
        let status = self.child.wait().expect("it is our child");
        assert!(self.killed || status.success(), "{status}");
        rest
    }
}

/// What the test `child` does: nothing, unless it was started by [`Writer::start`].
pub(crate) fn be_a_child(print: &dyn Fn(&str)) {
    let Ok(asked) = std::env::var(CHILD) else {
        return;
    };
    let mut words = asked.splitn(3, ' ');
    let mut word = || words.next().expect("three words");
    let (name, n_appends, path) = (word(), word(), word());
    let n_appends: u64 = n_appends.parse().expect("a number");
    let store = open(Path::new(path));
    for number in 0..n_appends {
        let text = format!("{name} number {number}");
        let known = Head::default();
        let appended = store.append(&ap(), known, &mut |tail| {
            let head = head_after(known, tail);
            let key = i64::try_from(head.seq).expect("a short log");
            Some(Batch {
                entries: entries(head, &[&text]),
                rows: vec![row(Table::Review, [key, 0], &Cell::Int(key))],
            })
        });
        let seq = appended.expect("the child appends").seq;
        print(&format!("\nack {seq} {text}"));
    }
}
