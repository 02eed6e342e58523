//! Input that nobody meant to send, or that somebody did: no panic, no lost neighbour, and an
//! error that says where and why.

use std::path::PathBuf;

use immune_ingest::{Broken, Column, ColumnMap, Format, Message, OpenError, Options, open, split};
use proptest::prelude::*;
use tempfile::TempDir;

/// A file of this name and content, and the directory that keeps it.
fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(name);
    fs_err::write(&path, content).expect("a file in it");
    (directory, path)
}

fn read(name: &str, content: &[u8]) -> Vec<Result<Message, Broken>> {
    let (_directory, path) = file(name, content);
    open(&path, &Options::default())
        .expect("a file that opens")
        .collect()
}

/// Each message as its content, each broken one as its error.
fn shown(name: &str, content: &[u8]) -> Vec<String> {
    read(name, content)
        .into_iter()
        .map(|it| match it {
            Ok(message) => message.content(),
            Err(broken) => broken.to_string(),
        })
        .collect()
}

fn error(name: &str, content: &[u8], options: &Options) -> String {
    let (directory, path) = file(name, content);
    match open(&path, options) {
        Ok(_) => panic!("`{name}` opens"),
        Err(error) => error
            .to_string()
            .replace(&directory.path().display().to_string(), "DIR"),
    }
}

#[test]
fn an_empty_file_holds_nothing() {
    for name in ["a.mbox", "a.csv", "a.jsonl", "a.eml", "a"] {
        assert_eq!(shown(name, b""), [""; 0], "{name}");
    }
    assert_eq!(shown("a.csv", b"from,body\n"), [""; 0]);
    assert_eq!(shown("a.jsonl", b"\n \n"), [""; 0]);
}

#[test]
fn what_a_file_holds_is_found_out() {
    for (name, content, format) in [
        (
            "a",
            "From a@b.example Tue Nov  5 12:00:00 2024\nFrom: a@b.example\n\nx",
            Format::Mbox,
        ),
        ("a", "From: a@b.example\nSubject: x\n\nx", Format::Eml),
        ("a", "Received: by x\nFrom: a@b.example\n\nx", Format::Eml),
        ("a", "{\"text\":\"x\"}", Format::Jsonl),
        ("a", "\u{feff}Sender;Text\na;b", Format::Csv),
        ("a.txt", "\"from\",\"payload\"\na,b", Format::Csv),
        ("a.csv", "x,y,body,from\n1,2,3,4", Format::Csv),
    ] {
        let (_directory, path) = file(name, content.as_bytes());
        let messages = open(&path, &Options::default()).unwrap();
        assert_eq!(messages.format(), format, "{content}");
    }
    let unknown = error("a", b"just some text\n", &Options::default());
    assert_eq!(
        unknown,
        "`DIR/a` is no mbox, Maildir, eml, CSV with a header, or JSON lines; name its format"
    );
    let maildir = Options {
        format: Some(Format::Maildir),
        ..Options::default()
    };
    assert_eq!(error("a", b"x", &maildir), "`DIR/a` is no directory");
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(
        open(directory.path(), &Options::default()),
        Err(OpenError::NotA { .. })
    ));
    assert!(open(&directory.path().join("absent"), &Options::default()).is_err());
}

#[test]
fn a_table_in_any_dialect_is_read() {
    let rows = shown(
        "a.csv",
        "\u{feff}From;Message-ID;Subject;Body;Date\r\n\
         \"Jo <Jo@Example.com>\";<7@x>;Fee;\"The \"\"fee\"\"\r\nis $30; always.\";2026-01-01T00:00:00Z\r\n\
         bo;;;plain;2026-01-01\r\n"
            .as_bytes(),
    );
    assert_eq!(rows, ["Fee\n\nThe \"fee\"\nis $30; always.", "plain"]);
    let first = read(
        "a.csv",
        b"from,message_id,text,sent_at\nJo <Jo@Example.com>,<7@x>,x,2026-01-01T00:00:00Z\n",
    );
    let first = first[0].as_ref().unwrap();
    assert_eq!(first.sender.as_deref(), Some("jo@example.com"));
    assert_eq!(first.sender_name.as_deref(), Some("Jo"));
    assert_eq!(first.external_id.as_deref(), Some("7@x"));
    assert_eq!(first.sent_at.unwrap().to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(shown("a.tsv", b"from\tbody\na\tb\n"), ["b"]);
    assert_eq!(
        shown(
            "a.csv",
            b"from,body\na,<html><body><p>One</p><p>Two</p></body></html>\n"
        ),
        ["One\n\nTwo"]
    );
}

#[test]
fn a_broken_row_is_named_and_the_next_one_read() {
    let rows = shown(
        "a.csv",
        b"from,body\na,one\nonly\na,b,c\na,\xff\xfe\na,b\0c\n,nobody\na,\nz,last\n",
    );
    assert_eq!(
        rows,
        [
            "one",
            "row 2: the row has 1 columns, the header has 2",
            "row 3: the row has 3 columns, the header has 2",
            "row 4: `body` is no UTF-8 at byte 0 of its field",
            "row 5: the text holds a NUL character at byte 1",
            "row 6: it has no sender",
            "row 7: the text is empty",
            "last",
        ]
    );
}

#[test]
fn a_missing_column_is_named_with_those_that_there_are() {
    assert_eq!(
        error("a.csv", b"who,what\na,b\n", &Options::default()),
        "no column holds the body; the file has `who`, `what`; map one with `--column body=NAME`"
    );
    let mapped = Options {
        columns: ColumnMap::parse(&["body=what", "sender=WHO"]).unwrap(),
        ..Options::default()
    };
    let (_directory, path) = file("a.csv", b"who,what\na,b\n");
    let all: Vec<_> = open(&path, &mapped).unwrap().collect();
    assert_eq!(all[0].as_ref().unwrap().body, "b");
    let absent = Options {
        columns: ColumnMap::parse(&["date=when"]).unwrap(),
        ..Options::default()
    };
    let (_directory, path) = file("a.csv", b"from,body\na,b\n");
    assert!(matches!(
        open(&path, &absent),
        Err(OpenError::Column {
            column: Column::Date,
            ..
        })
    ));
}

#[test]
fn a_quote_that_is_never_closed_takes_no_more_than_its_limit() {
    let mut content = b"from,body\na,b\na,\"".to_vec();
    content.resize(70 << 20, b'x');
    let rows = shown("a.csv", &content);
    assert_eq!(rows.len(), 2);
    assert!(rows[1].starts_with("row 2: "), "{}", rows[1]);
    assert!(rows[1].contains("is a quote open"), "{}", rows[1]);
}

#[test]
fn long_lines_are_broken_and_their_neighbours_are_not() {
    let long = "x".repeat(10 << 20);
    let reason = "the text has 10485760 bytes, the limit is 1048576";
    assert_eq!(
        shown("a.csv", format!("from,body\na,{long}\na,b\n").as_bytes()),
        [format!("row 1: {reason}"), "b".to_owned()]
    );
    let lines = format!("{{\"text\":\"{long}\"}}\n{{\"text\":\"b\"}}\n");
    assert_eq!(
        shown("a.jsonl", lines.as_bytes()),
        [format!("line 1: {reason}"), "b".to_owned()]
    );
    let separator = "From a@b.example Tue Nov  5 12:00:00 2024";
    let head = "From: a@b.example\n\n";
    let mbox = format!("{separator}\n{head}{long}\n\n{separator}\n{head}b\n");
    assert_eq!(
        shown("a.mbox", mbox.as_bytes()),
        [format!("message 1: {reason}"), "b".to_owned()]
    );
}

#[test]
fn a_message_past_the_limit_is_dropped_as_it_is_read() {
    let separator = "From a@b.example Tue Nov  5 12:00:00 2024\n";
    let mut mbox = format!("{separator}From: a@b.example\n\n").into_bytes();
    let line = [b"A".repeat(76), b"\n".to_vec()].concat();
    while mbox.len() < 65 << 20 {
        mbox.extend_from_slice(&line);
    }
    mbox.extend_from_slice(format!("\n{separator}From: a@b.example\n\nb\n").as_bytes());
    let all = shown("a.mbox", &mbox);
    assert_eq!(all, ["message 1: it has more than 67108864 bytes", "b"]);
}

#[test]
fn mail_without_sense_is_broken() {
    assert_eq!(
        shown("a.eml", b"\x00\x01\x02garbage\xff"),
        ["message 1: it has no sender: no `From` or `Sender` with an address"]
    );
    assert_eq!(
        shown("a.eml", b"From: a@b.example\n\na\0b"),
        ["message 1: the text holds a NUL character at byte 1"]
    );
    assert_eq!(
        shown(
            "a.eml",
            b"From: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhalf"
        ),
        ["message 1: it is cut off: the last MIME boundary is missing"]
    );
    assert_eq!(
        shown("a.eml", b"From: a@b.example\nSubject: only\n\n"),
        ["only"]
    );
    let long = format!("From: {}@b.example\n\nx", "a".repeat(600));
    assert_eq!(
        shown("a.eml", long.as_bytes()),
        ["message 1: the source handle has 610 bytes, the limit is 512"]
    );
    let crowd = format!(
        "From: a@b.example\nMessage-ID: <{}@x>\nTo: {}\nReferences: {}\n\nx",
        "i".repeat(600),
        "c@d.example, ".repeat(5000),
        "<r@x> ".repeat(5000),
    );
    let crowd = read("a.eml", crowd.as_bytes());
    let crowd = crowd[0].as_ref().unwrap();
    assert_eq!(crowd.external_id, None);
    assert_eq!(
        (crowd.recipients.len(), crowd.references.len()),
        (1000, 100)
    );
    // A mailbox in which nothing is a message still has one separator.
    assert_eq!(shown("a.mbox", b"From nowhere\n").len(), 1);
}

#[test]
fn html_of_any_depth_and_shape_is_read_or_refused() {
    let mail =
        |html: &str| format!("From: a@b.example\nContent-Type: text/html; charset=utf-8\n\n{html}");
    // A tree of a million elements would take hours to build.
    for n_elements in [100, 1000, 1_000_000] {
        let deep = format!("{}deep", "<div>".repeat(n_elements));
        assert_eq!(shown("a.eml", mail(&deep).as_bytes()), ["deep"]);
    }
    let quotes = format!("{}deep", "<blockquote>".repeat(300));
    assert_eq!(shown("a.eml", mail(&quotes).as_bytes()).len(), 1);
    let tables = format!("{}cell", "<table><tr><td>".repeat(200));
    assert_eq!(shown("a.eml", mail(&tables).as_bytes()).len(), 1);
    let unclosed = "<p>one<p>two<b>three<script>alert(1)";
    assert_eq!(
        shown("a.eml", mail(unclosed).as_bytes()),
        ["one\n\ntwothree"]
    );
}

fn letters(text: &str) -> usize {
    text.chars().filter(|it| it.is_alphanumeric()).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_in_any_format_end_without_a_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        format in proptest::sample::select(vec![Format::Mbox, Format::Eml, Format::Csv, Format::Jsonl]),
    ) {
        let head: &[u8] = match format {
            Format::Mbox => b"From a@b.example Tue Nov  5 12:00:00 2024\nFrom: a@b.example\n",
            Format::Eml => b"From: a@b.example\nContent-Type: multipart/mixed; boundary=\"",
            Format::Csv => b"from,body\n",
            _ => b"{\"text\":\"",
        };
        let (_directory, path) = file("a", &[head, &bytes].concat());
        let options = Options { format: Some(format), ..Options::default() };
        let mut messages = open(&path, &options).unwrap();
        let n_messages = messages.by_ref().take(1000).count();
        prop_assert!(n_messages < 1000);
        prop_assert!(messages.position_bytes() <= messages.total_bytes());
    }

    #[test]
    fn splitting_loses_no_word(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "> ", "\n", "\n\n", "-----Original Message-----", "From: Jo", "To: Bo", "Subject: x", "Sent: y",
                "On 5 Nov 2024 Jo wrote:", "---- Forwarded by Jo on", "01/22/2001 10:58 AM To:", "Jo Doe", "é", " ",
                "the fee is $30.", "_____", "=20", "<jo@x.example>",
            ]),
            0..30,
        )
    ) {
        let body = words.join(" ");
        let parts = split(&body);
        let kept: usize = letters(&parts.own) + parts.quoted.iter().map(|it| letters(it)).sum::<usize>();
        prop_assert_eq!(kept, letters(&body), "{:?}", parts);
    }

    #[test]
    fn any_body_is_split_the_same_twice(body in any::<String>()) {
        prop_assert_eq!(split(&body), split(&body));
    }
}
