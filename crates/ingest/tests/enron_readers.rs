//! Every row of the real mail is read, and what was only passed on is told apart.

mod common;

use std::collections::BTreeSet;

use immune_ingest::{Format, Options, open};

#[test]
fn every_row_of_twelve_people_is_a_message() {
    let Some(folder) = common::data("enron") else {
        println!("{}", common::SKIPPED);
        return;
    };
    let (mut rows, mut broken, mut own_only, mut empty) = (0, 0, 0, 0);
    let (mut texts, mut sent, mut passed_on) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for person in 1..=12 {
        let path = folder.join(format!("Person{person}_emails.csv"));
        let mut messages = open(&path, &Options::default()).unwrap();
        assert_eq!(messages.format(), Format::Csv);
        let mut rows_of_person = 0;
        for (idx, message) in messages.by_ref().enumerate() {
            rows += 1;
            rows_of_person += 1;
            let Ok(message) = message else {
                broken += 1;
                continue;
            };
            assert_eq!(message.position, format!("row {}", idx + 1));
            assert!(message.sender.as_ref().unwrap().contains('@'));
            assert_eq!(message.sent_at, None, "the rows have no date");
            own_only += usize::from(message.quoted.is_empty());
            empty += usize::from(message.body.is_empty());
            let text = format!("{}\n{}", message.body, message.quoted.join("\n"));
            if !message.quoted.is_empty() {
                passed_on.insert(text.clone());
            }
            for own in ["Forwarded by", "Original Message"] {
                assert!(!message.body.contains(own), "{path:?} {}", message.position);
            }
            sent.insert((message.recipients.clone(), text.clone()));
            texts.insert(text);
        }
        assert_eq!(rows_of_person, 100, "{path:?}");
        assert_eq!(messages.position_bytes(), messages.total_bytes());
    }
    println!(
        "{rows} rows, {broken} broken; {} distinct texts, {} distinct with their recipients; \
         {} distinct texts pass something on; {own_only} rows do not, {empty} rows only do",
        texts.len(),
        sent.len(),
        passed_on.len(),
    );
    assert_eq!((rows, broken), (1200, 0));
    // 853 different bodies; one of them was sent to two different people.
    assert_eq!((texts.len(), sent.len()), (853, 854));
    // 400 hold "Forwarded by" or "Original Message"; the others only the header of the quoted mail.
    assert!(passed_on.len() >= 400);
}
