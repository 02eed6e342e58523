//! What is no store is refused by name, and left as it was.

use std::path::Path;
use std::time::Duration;

use crate::common::{ap, append_one, open, open_existing, try_open, whole, with_timeout};
use immune_store::{Store, StoreError};
use immune_store_sqlite::{SqliteOptions, SqliteStore};
use rusqlite::Connection;

/// Both ways of opening refuse the file for this reason, and do not change it.
fn check(path: &Path, reason: &str) {
    let before = fs_err::read(path).ok();
    for refused in [try_open(path), open_existing(path)] {
        match refused {
            Err(StoreError::NotAStore {
                path: named,
                reason: found,
            }) => {
                assert_eq!(found, reason);
                assert_eq!(named, path.display().to_string());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs_err::read(path).ok(), before, "it is left as it was");
}

#[test]
fn what_is_no_sqlite_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("one.txt", b"x".to_vec()),
        ("short.txt", b"Dear diary\n".to_vec()),
        ("long.txt", b"Dear diary\n".repeat(5_000)),
        ("zeros", vec![0; 20_000]),
        ("almost", b"SQLite format 4\0".repeat(1_000)),
    ] {
        let path = folder.path().join(name);
        fs_err::write(&path, bytes).unwrap();
        check(&path, "it is no SQLite file");
    }
    check(folder.path(), "it is a folder");
    check(
        &folder.path().join("absent/a.immune"),
        "there is no such folder",
    );
    check(
        &folder.path().join("one.txt/a.immune"),
        "there is no such folder",
    );
    assert!(matches!(
        try_open(Path::new("")),
        Err(StoreError::NotAStore { .. })
    ));
    #[cfg(unix)]
    check(Path::new("/dev/null"), "it is no regular file");
}

#[test]
fn the_file_of_another_application_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in [
        ("tables", "CREATE TABLE log (line TEXT)"),
        ("named", "PRAGMA application_id = 7"),
        ("numbered", "PRAGMA user_version = 1"),
    ] {
        let path = folder.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        check(&path, "it is an SQLite file of another application");
    }
}

#[test]
fn another_layout_is_refused_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer.immune");
    append_one(&open(&path), "text", 1);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    drop(connection);
    let error = try_open(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the store has format 99, this version reads format 3"
    );
    assert_eq!(
        error.hint().unwrap(),
        "open it with the version that wrote it"
    );
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA user_version = 3").unwrap();
    drop(connection);
    assert_eq!(whole(&open(&path)).len(), 1, "refusing changed nothing");
}

#[test]
fn nothing_becomes_a_store_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.immune");
    let error = open_existing(&absent).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("is no memory store: there is no such file"),
        "{error}"
    );
    assert!(!absent.exists());

    let empty = folder.path().join("empty.immune");
    fs_err::write(&empty, b"").unwrap();
    let error = open_existing(&empty).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("is no memory store: it is an empty file"),
        "{error}"
    );
    let bare = folder.path().join("bare.immune");
    Connection::open(&bare)
        .unwrap()
        .execute_batch("PRAGMA page_size = 512; VACUUM")
        .unwrap();
    let error = open_existing(&bare).unwrap_err();
    assert!(
        error.to_string().ends_with("it is an empty SQLite file"),
        "{error}"
    );

    for path in [absent, empty, bare] {
        append_one(&open(&path), "text", 1);
        assert_eq!(whole(&open_existing(&path).unwrap()).len(), 1);
    }
}

#[test]
fn a_path_is_plain_data() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "a?mode=memory",
        "b%20#c.immune",
        "file:d",
        ":memory:",
        "é 日本'\".immune",
    ] {
        let path = folder.path().join(name);
        append_one(&open(&path), "text", 1);
        assert!(path.is_file(), "{name}");
        assert_eq!(whole(&open_existing(&path).unwrap()).len(), 1);
    }
}

#[test]
fn a_new_file_has_the_form_that_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.immune");
    let store = open(&path);
    append_one(&store, "text", 1);
    assert_eq!(store.describe(), format!("sqlite {}", path.display()));
    let connection = Connection::open(&path).unwrap();
    let ask = |name: &str| -> String {
        let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(ask("page_size"), "8192");
    assert_eq!(ask("journal_mode"), "wal");
    assert_eq!(
        ask("application_id"),
        u32::from_be_bytes(*b"immu").to_string()
    );
    assert_eq!(ask("user_version"), "3");
}

#[test]
fn a_busy_file_is_waited_for_and_then_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("busy.immune");
    let options = SqliteOptions {
        timeout: Duration::from_millis(60),
        create: true,
    };
    let store = SqliteStore::open(&path, options).unwrap();
    append_one(&store, "text", 1);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = store
        .append(&ap(), immune_store::Head::default(), &mut |_| None)
        .unwrap_err();
    assert_eq!(busy.to_string(), "the store was busy for 1 s");
    assert_eq!(whole(&store).len(), 1, "readers do not wait");
    let second = SqliteStore::open(&path, options).unwrap();
    assert_eq!(
        whole(&second).len(),
        1,
        "opening does not wait for a writer"
    );
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(append_one(&store, "text", 2), 2);
}

#[test]
fn a_thread_waits_no_longer_than_its_deadline_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_timeout(&folder.path().join("a.immune"), Duration::from_millis(60));
    append_one(&store, "text", 1);
    let (planning, is_planning) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let store = &store;
        scope.spawn(move || {
            let appended = store.append(&ap(), immune_store::Head::default(), &mut |_| {
                planning.send(()).unwrap();
                may_go_on.recv().unwrap();
                None
            });
            appended.unwrap();
        });
        is_planning.recv().unwrap();
        let busy = store.append(&ap(), immune_store::Head::default(), &mut |_| None);
        assert!(matches!(busy, Err(StoreError::Busy { seconds: 1 })));
        go_on.send(()).unwrap();
    });
    assert_eq!(append_one(&store, "text", 2), 2);
}

#[cfg(unix)]
#[test]
fn a_new_store_is_for_its_owner_alone_and_so_is_its_log() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("private.immune");
    let store = open(&path);
    append_one(&store, "a secret", 1);
    for name in ["private.immune", "private.immune-wal"] {
        let mode = fs_err::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
