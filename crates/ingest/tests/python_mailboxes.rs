//! Mailboxes that another program wrote: Python's `mailbox` and `email`. Skipped, and said so,
//! where there is no `python3`.

use std::path::Path;
use std::process::{Command, Output};

use immune_ingest::{Broken, Format, Message, Options, open};
use tempfile::TempDir;

/// The mailboxes, or nothing where there is no Python.
fn mailboxes() -> Option<TempDir> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/write_mailboxes.py");
    let ran: Option<Output> = Command::new("python3")
        .arg(script)
        .arg(directory.path())
        .output()
        .ok();
    let ran = ran?;
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    Some(directory)
}

const SKIPPED: &str = "skipped: there is no `python3` to write the mailboxes";

fn read(path: &Path) -> Vec<Result<Message, Broken>> {
    open(path, &Options::default())
        .expect("a file that opens")
        .collect()
}

#[test]
fn an_mbox_that_python_wrote_is_read_whole() {
    let Some(directory) = mailboxes() else {
        println!("{SKIPPED}");
        return;
    };
    let path = directory.path().join("all.mbox");
    let mut messages = open(&path, &Options::default()).unwrap();
    assert_eq!(messages.format(), Format::Mbox);
    let all: Vec<_> = messages.by_ref().collect();
    assert_eq!(messages.position_bytes(), messages.total_bytes());
    assert_eq!(all.len(), 19);
    let at = |idx: usize| all[idx].as_ref().unwrap();

    let alternative = at(0);
    assert_eq!(alternative.position, "message 1");
    assert_eq!(alternative.external_id.as_deref(), Some("one@example.com"));
    assert_eq!(alternative.sender.as_deref(), Some("jo@example.com"));
    assert_eq!(alternative.sender_domain(), Some("example.com"));
    assert_eq!(alternative.sender_name.as_deref(), Some("Jo Doe"));
    assert_eq!(alternative.recipients, ["bo@example.org", "cy@example.org"]);
    assert_eq!(alternative.subject.as_deref(), Some("Accounts"));
    assert_eq!(
        alternative.sent_at.unwrap().to_string(),
        "2001-05-15T08:27:00Z"
    );
    assert_eq!(alternative.body, "Our new bank account is 44718829.");
    assert!(alternative.quoted.is_empty());
    assert!(alternative.attachments.is_empty());

    let html = at(1);
    assert_eq!(
        html.body,
        "Our new bank\u{a0}account is 44718829.\n\nPay [here][1] & soon.\n\n\n[1]: https://pay.example/now"
    );
    assert_eq!(html.quoted, ["> The old one is closed."]);

    let attached = at(2);
    let listed: Vec<_> = attached
        .attachments
        .iter()
        .map(|it| (it.name.as_str(), it.content_type.as_str(), it.bytes))
        .collect();
    assert_eq!(
        listed,
        [
            ("règlement.pdf", "application/pdf", 8),
            ("rows.csv", "text/csv", 10)
        ]
    );
    assert_eq!(
        attached.content(),
        "Accounts\n\nOur new bank account is 44718829.\n\n\
         [attachment] règlement.pdf, application/pdf, 8 bytes\n\n\
         [attachment] rows.csv, text/csv, 10 bytes\n\n\
         [to] bo@example.org, cy@example.org"
    );

    let nested = at(3);
    assert_eq!(nested.body, "See the attached mail.");
    assert_eq!(nested.attachments.len(), 1);
    assert_eq!(nested.attachments[0].name, "Fee");
    assert_eq!(nested.attachments[0].content_type, "message/rfc822");
    assert!(nested.quoted[0].starts_with("From: cy@example.org\nDate: "));
    assert!(nested.quoted[0].ends_with("Subject: Fee\nThe fee is $30."));

    let reply = at(4);
    assert_eq!(reply.body, "I disagree.\n\n\nThanks, Jo");
    assert_eq!(
        reply.quoted,
        ["On Tue, 15 May 2001, Bo wrote:\n> The fee is $30.\n> Pay it."]
    );
    assert_eq!(reply.in_reply_to.as_deref(), Some("bo@example.org"));
    assert_eq!(reply.references, ["root@example.org", "bo@example.org"]);

    let forward = at(5);
    assert_eq!(forward.body, "FYI");
    assert_eq!(forward.quoted.len(), 1);
    assert!(forward.quoted[0].ends_with("The fee is $30."));

    assert_eq!(
        at(6).body,
        "From the start:\n\nFrom here on\nwe pay in advance."
    );
    assert_eq!(at(7).sent_at, None, "no date is invented");
    assert_eq!(at(8).sent_at, None, "a date without a zone is no moment");
    assert_eq!(at(9).external_id, None);
    assert_eq!(at(10).external_id.as_deref(), Some("one@example.com"));
    assert_eq!(at(11).body, format!("Ünïcode: {}", "é".repeat(120)));
    assert_eq!(at(12).body, "Ключ: 44718829");
    assert_eq!(at(13).body, "Grüße: 5 €");
    assert_eq!(at(14).body, "Grüße");
    assert_eq!(at(14).subject.as_deref(), Some("Grüße"));
    assert_eq!(at(15).body, "Счёт закрыт");
    assert_eq!(at(15).subject.as_deref(), Some("Счёт"));
    assert_eq!(at(16).body, "Konto größer");
    assert_eq!(
        all[17].as_ref().unwrap_err().to_string(),
        "message 18: it has no sender: no `From` or `Sender` with an address"
    );
    assert_eq!(
        all[18].as_ref().unwrap_err().to_string(),
        "message 19: the text is empty"
    );
}

#[test]
fn a_maildir_that_python_wrote_is_read_with_its_subfolders() {
    let Some(directory) = mailboxes() else {
        println!("{SKIPPED}");
        return;
    };
    let mut messages = open(&directory.path().join("maildir"), &Options::default()).unwrap();
    assert_eq!(messages.format(), Format::Maildir);
    let all: Vec<Message> = messages.by_ref().map(Result::unwrap).collect();
    assert_eq!(messages.position_bytes(), messages.total_bytes());
    let mut shown: Vec<(&str, &str)> = all
        .iter()
        .map(|it| {
            let (folder, _) = it.position.rsplit_once('/').unwrap();
            (folder, it.external_id.as_deref().unwrap())
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            (".Sent/new", "forward@example.com"),
            ("cur", "one@example.com"),
            ("new", "reply@example.com"),
        ]
    );
    let seen = all
        .iter()
        .find(|it| it.position.starts_with("cur/"))
        .unwrap();
    assert!(seen.position.ends_with(":2,S"), "{}", seen.position);
}

#[test]
fn single_messages_whole_cut_off_and_too_deep() {
    let Some(directory) = mailboxes() else {
        println!("{SKIPPED}");
        return;
    };
    let one = read(&directory.path().join("one.eml"));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].as_ref().unwrap().body, "See the attached mail.");
    let cut = read(&directory.path().join("cut.eml"));
    assert_eq!(
        cut[0].as_ref().unwrap_err().to_string(),
        "message 1: it is cut off: the last MIME boundary is missing"
    );
    let deep = read(&directory.path().join("deep.eml"));
    let deep = deep[0].as_ref().unwrap();
    assert_eq!(deep.body, "depth 39");
    assert!(deep.attachments.len() <= 6, "{}", deep.attachments.len());
}
