//! `compare`: two claims side by side, with the facts that values are compared by.

use expect_test::expect;

use crate::common::World;

/// The relation, what decided, and the exit code.
fn compared(world: &World, a: &str, b: &str) -> (String, Option<String>, i32) {
    let ran = world.run(&format!("--json compare '{a}' '{b}'"));
    let view: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let relation = view["relation"].as_str().unwrap().to_owned();
    let by = view["decided_by"].as_str().map(str::to_owned);
    (relation, by, ran.code)
}

#[test]
fn values_are_compared_not_spellings() {
    let world = World::new();
    for (a, b) in [
        ("Refunds take 30 days", "Refunds take thirty days"),
        ("It costs $30", "It costs $30.00"),
        (
            "Pay to GB29 NWBK 6016 1331 9268 19",
            "Pay to GB29NWBK60161331926819",
        ),
        (
            "Pay to GB29NWBK60161331926819",
            "pay to gb29 nwbk60161331926819",
        ),
        ("The limit is 5,000 EUR", "the limit is EUR 5000.00"),
        ("Due on 15 May 2001", "Due on 2001-05-15"),
    ] {
        assert_eq!(
            compared(&world, a, b),
            ("same".into(), None, 0),
            "{a} | {b}"
        );
        assert_eq!(
            compared(&world, b, a),
            ("same".into(), None, 0),
            "{b} | {a}"
        );
    }
    for (a, b, by) in [
        ("The limit is 50 MB", "The limit is 500 MB", "quantity"),
        ("It costs $30", "It costs $300", "amount"),
        ("Wait 5 days", "Wait 15 days", "quantity"),
        ("The limit is 5,000", "The limit is 50,000", "quantity"),
        ("It is not enabled", "It is enabled", "polarity"),
        ("It runs in us-east-1", "It runs in eu-west-1", "identifier"),
        (
            "Pay to GB29NWBK60161331926819",
            "Pay to DE89370400440532013000",
            "iban",
        ),
        (
            "Pay to GB29NWBK60161331926819",
            "Pay to GB29NWBK60161331926819 or DE89370400440532013000",
            "iban",
        ),
    ] {
        let conflict = ("conflict".into(), Some(by.into()), 1);
        assert_eq!(compared(&world, a, b), conflict, "{a} | {b}");
        assert_eq!(compared(&world, b, a), conflict, "{b} | {a}");
    }
    let unrelated = ("unrelated".into(), None, 0);
    let (a, b) = ("The lane is closed", "Dogs may be brought along");
    assert_eq!(compared(&world, a, b), unrelated);
    assert_eq!(
        compared(&world, "Is it 5 days?", "It is 15 days"),
        unrelated
    );
}

#[test]
fn both_readings_are_shown() {
    let world = World::new();
    let ran = world.run("compare 'Pay 5 EUR in 3 days' 'Do not pay five EUR'");
    expect![[r"
        conflict: polarity
          A  affirms   Pay 5 EUR in 3 days
             amount    EUR 5
             quantity  3 day
          B  denies    Do not pay five EUR
             amount    EUR 5
    "]]
    .assert_eq(&ran.out);
    assert!(
        !world.store().exists(),
        "no store is needed, and none is made"
    );
}

#[test]
fn what_is_no_claim_is_refused_by_its_name() {
    let world = World::new();
    for (line, says) in [
        ("compare x ''", "claim B: the text is empty"),
        ("compare x", "<B>"),
        ("compare x y --about 'a b'", "subject"),
        ("--as-of 3 compare x y", "no `--as-of`"),
    ] {
        let ran = world.run(line);
        assert_eq!(ran.code, 2, "{line}");
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
}

#[test]
fn claims_that_the_rules_find_are_compared_by_their_subject() {
    let world = World::new();
    for (a, b, by, subject) in [
        (
            "I love Chinese food",
            "I hate Chinese food",
            "polarity",
            Some("speaker/chinese_food.preference"),
        ),
        (
            "Device A is a Synology NAS",
            "Device A is a fnos NAS",
            "identifier",
            Some("device_a/fact.is"),
        ),
        (
            "I have never sold a painting.",
            "Last week I sold a painting to a friend.",
            "polarity",
            None,
        ),
    ] {
        let ran = world.run(&format!("--json compare '{a}' '{b}'"));
        let view: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (view["relation"].as_str(), ran.code),
            (Some("conflict"), 1),
            "{a}"
        );
        assert_eq!(view["decided_by"].as_str(), Some(by), "{a}");
        if subject.is_some() {
            assert_eq!(view["subject"].as_str(), subject, "{a}");
        }
    }
    let unrelated = compared(&world, "I love Chinese food", "I hate Thai food");
    assert_eq!(unrelated, ("unrelated".into(), None, 0));
}

#[test]
fn a_value_that_imitates_another_one_is_told() {
    let world = World::new();
    for (a, b) in [
        ("see paypal.example", "see p\u{430}ypal.example"),
        (
            "Pay to GB29NWBK60161331926819",
            "Pay to GB29NWB\u{41a}60161331926819",
        ),
        (
            "Pay to GB29NWBK60161331926819",
            "Pay to GB29NWBK6O161331926819",
        ),
    ] {
        let ran = world.run(&format!("--json compare '{a}' '{b}'"));
        let view: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(view["relation"], "conflict", "{a} | {b}");
        assert_eq!(view["look_alike"], true, "{a} | {b}");
        let shown = world.run(&format!("compare '{a}' '{b}'"));
        assert!(shown.out.contains("looks like"), "{}", shown.out);
    }
}
