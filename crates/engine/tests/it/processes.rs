//! Several processes and many threads on one file: every acknowledged write is there, nobody is
//! told "locked" (cases D27 and D29 of the peers' users).

use std::path::Path;

use crate::child::{asked, memory, operator, start, store};
use crate::common::{said, trust};
use immune_engine::Recall;
use immune_engine::reason::plan::SetChannel;
use immune_model::{Carriage, ChannelName};

const EACH: usize = 1_000;

fn set_up(path: &Path) {
    let memory = memory(path);
    let (name, tier) = (ChannelName::new("inbox").unwrap(), trust("0.7"));
    let carriage = Some(Carriage::Relays);
    let command = SetChannel {
        name,
        tier,
        carriage,
        create_only: false,
    };
    operator(&memory).set_channel(command).unwrap();
}

/// Does the work of a child process; passes at once where there is none to do.
#[test]
fn child() {
    let Some((path, name)) = asked() else { return };
    let me = operator(&memory(&path));
    for n in 0..EACH {
        let words = format!("fact {n} of process {name}");
        me.remember(said("inbox", &name, &format!("facts.{name}x{n}"), &words))
            .unwrap();
    }
}

#[test]
fn two_processes_write_a_thousand_beliefs_each_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.immune");
    set_up(&path);
    let children = ["p", "q"].map(|name| start("processes::child", &path, name));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let memory = memory(&path);
    assert_eq!(memory.snapshot().unwrap().state().n_beliefs(), 2 * EACH);
    assert!(memory.verify(&mut |_| {}).unwrap().is_sound());
}

#[test]
fn a_backup_while_another_process_writes_is_a_prefix_that_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.immune");
    set_up(&path);
    let mut child = start("processes::child", &path, "p");
    let store = store(&path);
    let own = memory(&path);
    let mut n_backups = 0;
    let last = loop {
        let is_done = child.try_wait().unwrap().is_some();
        let before = own.snapshot().unwrap().state().n_beliefs();
        let copy = folder.path().join(format!("copy-{n_backups}.immune"));
        store.back_up(&copy, &mut |_, _| {}).unwrap();
        let copied = memory(&copy);
        assert!(copied.verify(&mut |_| {}).unwrap().is_sound());
        let last = copied.snapshot().unwrap().state().n_beliefs();
        assert!(last >= before, "what was acknowledged before is in it");
        n_backups += 1;
        if is_done {
            break last;
        }
    };
    assert!(child.wait().unwrap().success());
    assert!(n_backups > 1, "the other process was writing");
    assert_eq!(last, EACH);
    assert!(own.verify(&mut |_| {}).unwrap().is_sound());
}

#[test]
fn twenty_writers_and_readers_in_two_engines_share_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.immune");
    set_up(&path);
    let (first, second) = (memory(&path), memory(&path));
    std::thread::scope(|scope| {
        for n in 0..20 {
            let (me, other) = if n % 2 == 0 {
                (&first, &second)
            } else {
                (&second, &first)
            };
            scope.spawn(move || {
                let words = format!("parallel fact number {n}");
                operator(me)
                    .remember(said("inbox", "w", &format!("facts.f{n}"), &words))
                    .unwrap();
                let question = Recall::query(&format!("parallel fact number {n}"));
                for memory in [me, other] {
                    let recalled = operator(memory).recall(&question).unwrap();
                    let found = recalled.facts.iter().any(|it| it.text.as_str() == words);
                    assert!(
                        found,
                        "a write is seen by every process in the call after it"
                    );
                }
            });
        }
    });
    assert_eq!(first.snapshot().unwrap().state().n_beliefs(), 20);
    assert!(first.verify(&mut |_| {}).unwrap().is_sound());
}
