//! The claims of real messages, judged by reading them, kept by file and row; never their text.
//!
//! `fixtures/enron-claims.tsv` has one line a claim, one line with dashes for a message without a
//! claim, and a comment `# missed:` for a claim that a person sees and no rule does.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use immune_ingest::claims::{Context, Extracted, extract};
use immune_ingest::{Message, Options, open};

const FIXTURE: &str = include_str!("../fixtures/enron-claims.tsv");
const NONE: &str = "-\t-\t-\t-";

/// A claim as a line of the fixture, without file and row.
fn line(claim: &Extracted) -> String {
    let literals: Vec<String> = claim.literals.iter().map(ToString::to_string).collect();
    let literals = if literals.is_empty() {
        "-".to_owned()
    } else {
        literals.join("; ")
    };
    let (rule, subject) = (claim.rule, &claim.subject);
    format!("{rule}\t{subject}\t{}\t{literals}", claim.polarity.sign())
}

fn claims(message: &Message) -> Vec<String> {
    let context = Context {
        sender: message.sender.as_deref(),
    };
    extract(&context, &message.body).iter().map(line).collect()
}

/// The lines expected of each message, by file and row.
fn expected() -> BTreeMap<(String, usize), Vec<String>> {
    let mut expected: BTreeMap<(String, usize), Vec<String>> = BTreeMap::new();
    for line in FIXTURE.lines() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let mut parts = line.splitn(3, '\t');
        let (file, row, rest) = (parts.next(), parts.next(), parts.next());
        let (Some(file), Some(row), Some(rest)) = (file, row, rest) else {
            panic!("`{line}` is no line of the fixture");
        };
        let claims = expected
            .entry((file.to_owned(), row.parse().expect("a row number")))
            .or_default();
        if rest != NONE {
            claims.push(rest.to_owned());
        }
    }
    expected
}

#[test]
fn the_fixture_holds_forty_messages_and_says_what_is_missed() {
    let expected = expected();
    let without = expected.values().filter(|it| it.is_empty()).count();
    assert!(expected.len() >= 40, "{}", expected.len());
    assert!(without >= 12, "{without}");
    assert!(FIXTURE.lines().any(|it| it.starts_with("# missed: ")));
}

#[test]
fn the_claims_of_real_messages_are_those_that_a_reader_finds() {
    let Some(folder) = common::data("enron") else {
        println!("{}", common::SKIPPED);
        return;
    };
    let expected = expected();
    let mut wrong = Vec::new();
    let (mut seen, mut rules) = (BTreeSet::new(), BTreeMap::new());
    let (mut messages, mut with_claims, mut all_claims) = (0, 0, 0);
    for person in 1..=12 {
        let file = format!("Person{person}_emails.csv");
        let rows = open(&folder.join(&file), &Options::default()).unwrap();
        for (idx, message) in rows.enumerate() {
            let message = message.unwrap();
            let found = claims(&message);
            if let Some(expected) = expected.get(&(file.clone(), idx + 1))
                && *expected != found
            {
                wrong.push(format!(
                    "{file} row {}\n  expected {expected:#?}\n  found {found:#?}",
                    idx + 1
                ));
            }
            if !seen.insert((message.recipients, message.body, message.quoted)) {
                continue;
            }
            messages += 1;
            with_claims += usize::from(!found.is_empty());
            all_claims += found.len();
            for claim in &found {
                let rule = claim.split('\t').next().unwrap_or("").to_owned();
                *rules.entry(rule).or_insert(0) += 1;
            }
        }
    }
    let missed = FIXTURE
        .lines()
        .filter(|it| it.starts_with("# missed: "))
        .count();
    println!(
        "{all_claims} claims in {with_claims} of {messages} distinct messages ({} percent), by rule \
         {rules:?}; {} messages judged, {missed} claims missed in them",
        with_claims * 100 / messages,
        expected.len(),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(messages, 854);
}
