//! Several processes, and several stores in one process, at one file.

use std::sync::Barrier;

use crate::common::{Writer, append_one, open, whole};

#[test]
fn three_processes_create_and_write_one_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.immune");
    let names = ["here", "there", "elsewhere"];
    let writers = names.map(|name| Writer::start(&path, name, 40));
    let mut acked: Vec<_> = writers.into_iter().flat_map(Writer::rest).collect();
    acked.sort_unstable();
    let log = whole(&open(&path));
    assert_eq!(log.len(), 3 * 40);
    assert!(acked.iter().map(|(seq, _)| *seq).eq(1..=120));
    assert!(
        log.iter()
            .map(|text| &**text)
            .eq(acked.iter().map(|(_, text)| text.as_str()))
    );
}

#[test]
fn eight_threads_create_one_file_at_once() {
    for _ in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.immune");
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (path, start) = (&path, &start);
                scope.spawn(move || {
                    start.wait();
                    append_one(&open(path), "text", number);
                });
            }
        });
        assert_eq!(whole(&open(&path)).len(), 8);
    }
}
