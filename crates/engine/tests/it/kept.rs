//! The kept state: a memory opens from it as from its log, and from its log whenever anything is
//! wrong with it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use immune_engine::reason::plan::Remember;
use immune_engine::{ExportedLine, GraphExport, Memory, Opened, OpenedFrom, PassedOver};
use immune_model::{Item, Screening, limits};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

use crate::child::{asked, memory, operator, start};
use crate::common::{said, set_up_record, text};

/// A note that is so long that the state is kept after it.
fn long_note(n: usize) -> Remember {
    let mut words = format!("note {n} ");
    let length = usize::try_from(limits::KEPT_STATE_TAIL_BYTES).unwrap();
    words.extend(std::iter::repeat_n('x', length - words.len()));
    Remember {
        text: text(&words),
        claims: Vec::new(),
        screening: Screening::Unscreened,
        ..said("inbox", "writer", "x", "x")
    }
}

/// The side file of the first memory of a store.
fn side_file(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-state-1");
    name.into()
}

/// A store whose state is kept after its last event but for a few.
fn with_kept_state(path: &Path) -> u64 {
    let memory = memory(path);
    let me = operator(&memory);
    set_up_record(&me);
    me.remember(said(
        "inbox",
        "liar",
        "refund.to",
        "pay to GB29NWBK60161331926819",
    ))
    .unwrap();
    me.remember(long_note(1)).unwrap();
    let seq = memory.snapshot().unwrap().head().seq;
    drop((me, memory));
    assert!(side_file(path).exists());
    seq
}

fn opened_from(memory: &Memory) -> OpenedFrom {
    memory.opened().from
}

/// The state of an open memory as bytes.
fn state_of(memory: &Memory) -> Vec<u8> {
    let mut bytes = Vec::new();
    let snapshot = memory.snapshot().unwrap();
    snapshot.state().pack(&mut bytes).unwrap();
    bytes
}

/// That a memory opens from its log, as it would without any side file, and verifies.
fn check_replays(path: &Path, why: Option<PassedOver>) {
    let with = memory(path);
    assert_eq!(opened_from(&with), OpenedFrom::Log { passed_over: why });
    let state = state_of(&with);
    assert!(with.verify(&mut |_| {}).unwrap().is_sound());
    drop(with);
    fs_err::remove_file(side_file(path)).unwrap();
    let without = memory(path);
    assert!(state == state_of(&without));
}

#[test]
fn a_memory_opens_from_its_kept_state_and_the_log_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let kept = with_kept_state(&path);
    let from = OpenedFrom::KeptState { seq: kept };
    let again = memory(&path);
    assert_eq!(again.opened(), Opened { from, replayed: 0 });
    let me = operator(&again);
    me.remember(said(
        "records",
        "ledger",
        "refund.to",
        "pay to DE89370400440532013000",
    ))
    .unwrap();
    me.remember(said("inbox", "friend", "x.y", "so it is"))
        .unwrap();
    let challenge = said(
        "records",
        "ledger",
        "refund.to",
        "pay to DE89370400440532013000",
    );
    me.challenge(immune_engine::reason::plan::Challenge {
        statement: challenge,
        against: Vec::new(),
    })
    .unwrap();
    let head = again.snapshot().unwrap().head().seq;
    drop((me, again));
    let again = memory(&path);
    let replayed = head - kept;
    assert_eq!(again.opened(), Opened { from, replayed });
    let state = state_of(&again);
    assert!(again.verify(&mut |_| {}).unwrap().is_sound());
    drop(again);
    fs_err::remove_file(side_file(&path)).unwrap();
    let replayed = memory(&path);
    assert_eq!(
        opened_from(&replayed),
        OpenedFrom::Log { passed_over: None }
    );
    assert!(state == state_of(&replayed), "both are the same state");
    drop(replayed);
    assert!(side_file(&path).exists(), "it is kept again after a replay");
}

#[test]
fn a_state_is_kept_once_enough_lies_on_top_of_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let first = with_kept_state(&path);
    let again = memory(&path);
    let me = operator(&again);
    me.remember(said("inbox", "friend", "x.y", "so it is"))
        .unwrap();
    drop((me, again));
    let again = memory(&path);
    assert_eq!(opened_from(&again), OpenedFrom::KeptState { seq: first });
    let me = operator(&again);
    me.remember(long_note(2)).unwrap();
    let head = again.snapshot().unwrap().head().seq;
    drop((me, again));
    let again = memory(&path);
    assert_eq!(opened_from(&again), OpenedFrom::KeptState { seq: head });
}

#[test]
fn a_damaged_file_is_passed_over_and_never_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    with_kept_state(&path);
    let side = side_file(&path);
    let whole = fs_err::read(&side).unwrap();
    let n = whole.len();
    let state = state_of(&memory(&path));
    let damage = |bytes: &[u8], why| {
        fs_err::write(&side, bytes).unwrap();
        let again = memory(&path);
        let passed_over = Some(why);
        assert_eq!(opened_from(&again), OpenedFrom::Log { passed_over });
        assert!(state == state_of(&again));
    };
    // The version stands after the first 24 bytes, then position and hash of the last event.
    for (at, why) in [
        (0, PassedOver::Damaged),
        (24, PassedOver::Version),
        (30, PassedOver::Damaged),
        (40, PassedOver::Damaged),
        (n / 2, PassedOver::Damaged),
        (n - 1, PassedOver::Damaged),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        damage(&bytes, why);
    }
    for len in [0, 10, 72, n - 1] {
        damage(&whole[..len], PassedOver::Damaged);
    }
    damage(&[whole.as_slice(), b"x"].concat(), PassedOver::Damaged);
    damage(b"another file of the user", PassedOver::Damaged);
}

#[test]
fn the_state_of_another_log_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other, early] = ["m", "o", "e"].map(|it| folder.path().join(it));
    with_kept_state(&path);
    // The same events, and other keys: another log.
    with_kept_state(&other);
    fs_err::copy(side_file(&other), side_file(&path)).unwrap();
    check_replays(&path, Some(PassedOver::OtherLog));
    // A copy of the store from before the state was kept: the file is from its future.
    let store = SqliteStore::open(&other, SqliteOptions::default()).unwrap();
    store.back_up(&early, &mut |_, _| {}).unwrap();
    drop(store);
    let later = memory(&other);
    operator(&later).remember(long_note(2)).unwrap();
    drop(later);
    fs_err::copy(side_file(&other), side_file(&early)).unwrap();
    check_replays(&early, Some(PassedOver::OtherLog));
}

#[test]
fn where_nothing_can_be_kept_every_write_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    // A folder stands where the file would.
    fs_err::create_dir(side_file(&path)).unwrap();
    let first = memory(&path);
    let me = operator(&first);
    set_up_record(&me);
    for n in 0..3 {
        me.remember(long_note(n)).unwrap();
    }
    let state = state_of(&first);
    drop((me, first));
    let again = memory(&path);
    assert_eq!(opened_from(&again), OpenedFrom::Log { passed_over: None });
    assert!(state == state_of(&again));
}

#[test]
fn an_imported_graph_is_known_by_its_aliases_after_opening_from_the_kept_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let read = |lines: &str| {
        let read = immune_ingest::graph::read(lines.as_bytes(), &mut |_, _| true);
        read.unwrap().unwrap()
    };
    let graph = immune_testkit::graph::layered(1_000, 1);
    let graph: String = graph.lines().map(|line| line + "\n").collect();
    let first = memory(&path);
    let me = operator(&first);
    me.import_graph(read(&graph)).unwrap();
    me.set_channel(immune_engine::reason::plan::SetChannel {
        name: immune_model::ChannelName::new("inbox").unwrap(),
        tier: "0.7".parse().unwrap(),
        carriage: None,
        create_only: true,
    })
    .unwrap();
    me.remember(long_note(1)).unwrap();
    let exported = lines_of(&first);
    drop((me, first));
    let again = memory(&path);
    assert!(matches!(opened_from(&again), OpenedFrom::KeptState { .. }));
    assert_eq!(lines_of(&again), exported);
    let snapshot = again.snapshot().unwrap();
    let state = snapshot.state();
    for id in state.belief_ids() {
        let alias = state.alias_of(Item::Belief(id)).unwrap();
        assert_eq!(state.find_item(alias), Some(Item::Belief(id)));
    }
    assert_eq!(state.find_alias("no such alias"), None);
    let known = operator(&again).import_graph(read(&graph)).unwrap();
    assert_eq!(
        (known.beliefs, known.justifications),
        (0, 0),
        "all of it is known"
    );
    // What comes on top is found as what was there, before and after it is kept again.
    let more = r#"{"belief":"on top"}
{"justification":"jt","belief":"on top","premises":["b1"]}
"#;
    operator(&again).import_graph(read(more)).unwrap();
    let exported = lines_of(&again);
    operator(&again).remember(long_note(2)).unwrap();
    let noted = lines_of(&again);
    assert!(noted.len() > exported.len());
    drop((snapshot, again));
    let again = memory(&path);
    assert!(matches!(again.opened(), Opened { replayed: 0, .. }));
    assert_eq!(lines_of(&again), noted);
    assert!(again.verify(&mut |_| {}).unwrap().is_sound());
}

#[test]
fn a_question_is_answered_from_the_kept_index_as_from_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let graph = immune_testkit::graph::layered(limits::KEPT_INDEX_DOCUMENTS + 1_000, 1);
    let graph: String = graph.lines().map(|line| line + "\n").collect();
    let read = immune_ingest::graph::read(graph.as_bytes(), &mut |_, _| true);
    let index = PathBuf::from(format!("{}-index-1", path.display()));
    let ask = |memory: &Memory, words: &str| {
        let question = immune_engine::Recall::query(words);
        let answer = operator(memory).recall(&question).unwrap();
        // A page knows when it was asked for.
        immune_engine::Recalled {
            next: None,
            ..answer
        }
    };
    let first = memory(&path);
    operator(&first)
        .import_graph(read.unwrap().unwrap())
        .unwrap();
    drop(first);
    assert!(!index.exists(), "nobody asked yet");
    let asking = memory(&path);
    let answer = ask(&asking, "belief number 4711");
    assert!(!answer.facts.is_empty());
    drop(asking);
    let kept = fs_err::read(&index).unwrap();
    let again = memory(&path);
    assert_eq!(ask(&again, "belief number 4711"), answer);
    let me = operator(&again);
    set_up_record(&me);
    me.remember(said(
        "inbox",
        "writer",
        "tea.time",
        "tea at noon in belief 4711",
    ))
    .unwrap();
    let on_top = ask(&again, "tea in belief number 4711");
    assert_eq!(on_top.facts[0].text.as_str(), "tea at noon in belief 4711");
    drop((me, again));
    assert!(kept == fs_err::read(&index).unwrap(), "little came on top");
    // What came on top is added to the kept index at the next first question.
    assert_eq!(ask(&memory(&path), "tea in belief number 4711"), on_top);
    // Without it, with half of it, and with that of another form.
    for bytes in [
        None,
        Some(&kept[..kept.len() / 2]),
        Some(&b"another form"[..]),
    ] {
        match bytes {
            None => fs_err::remove_file(&index).unwrap(),
            Some(bytes) => fs_err::write(&index, bytes).unwrap(),
        }
        assert_eq!(ask(&memory(&path), "tea in belief number 4711"), on_top);
        assert!(
            fs_err::metadata(&index).unwrap().len() >= kept.len() as u64,
            "kept anew"
        );
    }
}

fn lines_of(memory: &Memory) -> Vec<String> {
    let snapshot = memory.snapshot().unwrap();
    let export = GraphExport::of(snapshot.state());
    let lines = export.lines();
    lines.map(|it: ExportedLine| format!("{it:?}")).collect()
}

/// Does the work of a child process; passes at once where there is none to do.
#[test]
fn child() {
    let Some((path, name)) = asked() else { return };
    let memory = memory(&path);
    let rounds = if name == "killed" { usize::MAX } else { 6 };
    for n in 0..rounds {
        operator(&memory).remember(long_note(n)).unwrap();
    }
}

#[test]
fn two_processes_keep_the_state_of_one_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    with_kept_state(&path);
    let children = ["p", "q"].map(|name| start("kept::child", &path, name));
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let again = memory(&path);
    assert!(matches!(opened_from(&again), OpenedFrom::KeptState { .. }));
    assert!(again.verify(&mut |_| {}).unwrap().is_sound());
}

#[test]
fn a_process_that_is_killed_while_it_keeps_the_state_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    with_kept_state(&path);
    for round in 0..4 {
        let mut child = start("kept::child", &path, "killed");
        let (_alive, never) = std::sync::mpsc::channel::<()>();
        let wait = Duration::from_millis(120 + 90 * round);
        assert!(never.recv_timeout(wait).is_err());
        child.kill().unwrap();
        child.wait().unwrap();
        let again = memory(&path);
        assert!(again.verify(&mut |_| {}).unwrap().is_sound());
        operator(&again).remember(long_note(0)).unwrap();
        operator(&again)
            .remember(said("inbox", "w", "x.y", "so it is"))
            .unwrap();
    }
    let names = fs_err::read_dir(folder.path()).unwrap();
    let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
    let parts: Vec<_> = names.filter(|it| it.contains("-state-1.")).collect();
    assert_eq!(parts, [] as [&str; 0], "what was cut off is cleared away");
}
