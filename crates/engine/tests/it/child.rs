//! The part of a test that runs in a process of its own, which may be killed.
//!
//! A test starts its own binary again with `STORE` set; the test named `child` of the module then does
//! the work instead of passing at once. What was acknowledged is noted in files beside the store:
//! one write each, which a SIGKILL of the process does not take back.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use immune_engine::{Engine, Memory, Parts};
use immune_model::{Handle, MemoryName, Principal, Role};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

/// The environment variable that makes a test binary do a child's work: the store's path.
const STORE: &str = "IMMUNE_TEST_CHILD_STORE";
/// Which child it is.
const NAME: &str = "IMMUNE_TEST_CHILD_NAME";

/// The work asked of this process, if it is a child.
pub(crate) fn asked() -> Option<(PathBuf, String)> {
    Some((std::env::var_os(STORE)?.into(), std::env::var(NAME).ok()?))
}

/// Starts this test binary again, as a child that runs one test.
pub(crate) fn start(test: &str, store: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(STORE, store)
        .env(NAME, name)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn store(path: &Path) -> SqliteStore {
    let options = SqliteOptions {
        timeout: Duration::from_mins(1),
        create: true,
    };
    SqliteStore::open(path, options).unwrap()
}

pub(crate) fn memory(path: &Path) -> Memory {
    let engine = Engine::new(Parts::new(Arc::new(store(path))));
    engine.memory(&MemoryName::new("default").unwrap()).unwrap()
}

pub(crate) fn operator(memory: &Memory) -> immune_engine::Session {
    memory.session(Principal {
        role: Role::Operator,
        name: Handle::new("me").unwrap(),
    })
}

/// Notes what was acknowledged.
pub(crate) struct Notes(std::fs::File);

impl Notes {
    pub(crate) fn of(store: &Path, name: &str) -> Self {
        let path = store.with_file_name(format!("acknowledged-{name}"));
        Self(
            fs_err::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .unwrap()
                .into(),
        )
    }

    pub(crate) fn note(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// The lines that were noted whole, of every child.
pub(crate) fn noted(store: &Path) -> Vec<String> {
    let folder = store.parent().unwrap();
    let mut lines = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("acknowledged-")
        {
            let text = fs_err::read_to_string(&path).unwrap();
            let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
            lines.extend(whole.lines().map(str::to_owned));
        }
    }
    lines
}
