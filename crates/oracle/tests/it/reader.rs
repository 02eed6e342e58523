//! The extractive reader on memories that agree, disagree, and say nothing of it.

use immune_attribution::{Answerer, Shown};
use immune_oracle::Reader;

use crate::memories;

fn answer(question: &str, texts: &[&str]) -> Option<String> {
    let memories = memories(texts);
    let shown: Vec<&Shown> = memories.iter().collect();
    Reader::new().answer(question, &shown).unwrap().text
}

#[test]
fn each_kind_of_question_is_answered_in_its_kind() {
    for (question, text, right) in [
        (
            "Who wrote the report on churn?",
            "The report on churn was written by Ada Lovelace.",
            "Ada Lovelace",
        ),
        (
            "How many days do customers have for a return?",
            "Customers have thirty days for a return.",
            "thirty days",
        ),
        (
            "How many seats are there?",
            "There are 24 seats. They are red.",
            "24 seats",
        ),
        (
            "When does the contract end?",
            "The contract with Acme ends on March 3, 2027.",
            "March 3, 2027",
        ),
        (
            "In which year was Acme founded?",
            "Acme was founded in 1998 by two brothers.",
            "1998",
        ),
        (
            "To which account do refunds go?",
            "Refunds go to account 44718829, as agreed.",
            "account 44718829",
        ),
        (
            "What is the e-mail of support?",
            "Write to the support: e-mail help@example.com.",
            "help@example.com",
        ),
        (
            "What percentage of users left?",
            "In May, 12% of the users left.",
            "12%",
        ),
        (
            "Is the export enabled for guests?",
            "The export is not enabled for guests.",
            "no",
        ),
        (
            "Is the export enabled for guests?",
            "The export is enabled for guests.",
            "yes",
        ),
        (
            "Which is older, Acme Corp or Best Ltd?",
            "Best Ltd is much older.",
            "Best Ltd",
        ),
        (
            "where is the key kept",
            "where is the key kept: under the mat.",
            "under the mat",
        ),
        (
            "Where is the key kept?",
            "Where is the key kept? Under the mat.",
            "Under the mat",
        ),
        (
            "where is the key kept",
            "The key is kept under the mat.",
            "The key is kept under the mat",
        ),
    ] {
        assert_eq!(
            answer(question, &[text]).as_deref(),
            Some(right),
            "{question} {text}"
        );
    }
}

#[test]
fn where_nothing_bears_on_the_question_there_is_no_answer() {
    let question = "To which account do refunds of deposits go?";
    assert_eq!(answer(question, &[]), None);
    assert_eq!(
        answer(
            question,
            &["The office opens at nine.", "", "…", "Account."]
        ),
        None
    );
    assert_eq!(answer("", &["Anything."]), None);
    assert_eq!(answer("?!", &["Anything."]), None);
    // A question is no answer, and neither are its own words.
    assert_eq!(
        answer(
            question,
            &[question, "To which account do refunds of deposits go"]
        ),
        None
    );
}

#[test]
fn those_who_agree_reinforce_each_other_and_the_first_of_equals_wins() {
    let question = "Who approves invoices?";
    let (one, other) = ("Jane Roe approves invoices.", "Max Moe approves invoices.");
    assert_eq!(answer(question, &[one, other]).as_deref(), Some("Jane Roe"));
    assert_eq!(answer(question, &[other, one]).as_deref(), Some("Max Moe"));
    assert_eq!(
        answer(question, &[one, other, other]).as_deref(),
        Some("Max Moe")
    );
    let words = "Invoices are approved by Max Moe.";
    assert_eq!(
        answer(question, &[one, other, words]).as_deref(),
        Some("Max Moe")
    );
    // Any number of those that say less of it do not outweigh the one that says all.
    let all = "Who approves invoices: Jane Roe.";
    let weak = vec!["Invoices: Max Moe."; 40];
    let texts = [vec![all], weak].concat();
    assert_eq!(answer(question, &texts).as_deref(), Some("Jane Roe"));
}

#[test]
fn what_is_asked_again_is_answered_alike_and_texts_of_any_kind_are_read() {
    let texts = [
        "Refunds go to A\u{301}77 – 東京 🦀.\u{200b}",
        "退款去哪里？ 账户 77。",
        "\u{0}\u{ffff}",
        "''''",
        "a.b.c.d.",
    ];
    let memories = memories(&texts);
    let shown: Vec<&Shown> = memories.iter().collect();
    let reader = Reader::new();
    for question in [
        "where do refunds go",
        "退款去哪里？",
        "\u{0}",
        "who or what",
        "or",
        "is or",
    ] {
        let first = reader.answer(question, &shown).unwrap();
        assert_eq!(reader.answer(question, &shown).unwrap(), first);
        assert_eq!(
            Reader::new().answer(question, &shown).unwrap(),
            first,
            "{question}"
        );
    }
}
