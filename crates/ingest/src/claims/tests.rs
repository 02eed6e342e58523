//! Every rule by its example, and the laws of extraction.

use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Vec<String> {
    let context = Context {
        sender: Some("jo@acme.com"),
    };
    extract(&context, text)
        .iter()
        .map(|it| format!("{} {}", it.subject, it.polarity.sign()))
        .collect()
}

#[test]
fn every_rule_finds_its_example_and_leaves_the_counter_example() {
    let context = Context {
        sender: Some("jo@acme.com"),
    };
    for rule in rules() {
        let all = extract(&context, rule.example);
        let shown: Vec<String> = all
            .iter()
            .filter(|it| it.rule == rule.name)
            .map(|it| format!("{} {}", it.subject, it.polarity.sign()))
            .collect();
        assert_eq!(shown, [rule.finds], "{}: {all:?}", rule.name);
        assert_eq!(
            extract(&context, rule.counter_example),
            [],
            "{}: {}",
            rule.name,
            rule.counter_example
        );
    }
}

#[test]
fn chit_chat_and_questions_state_nothing() {
    for text in [
        "hello world",
        "Here are a few of our pictures.... Eric",
        "Thanks, Eric",
        "Call me with questions. Thanks, Mitch",
        "Is the refund limit $500?",
        "Could you review from a legal standpoint?",
        "Cool! m",
        "It is what it is.",
        "",
        "…",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn sentences_of_each_kind() {
    for (text, expected) in [
        (
            "Refunds go to GB29 4471 8829.",
            &["refund.destination +"][..],
        ),
        (
            "Refunds no longer go to GB29 4471 8829.",
            &["refund.destination -"],
        ),
        (
            "Please wire the balance to DE44 5001 0517 5407 3249 31.",
            &["acme_com/payment.account +"],
        ),
        (
            "Bolt Ltd's new IBAN is DE44 5001 0517 5407 3249 31.",
            &["bolt_ltd/payment.account +"],
        ),
        (
            "Can you pay to our account 44718829?",
            &["acme_com/payment.account ?"],
        ),
        (
            "my pager is 888-582-7421, cell 281-615-7061",
            &[
                "jo_at_acme_com/contact.pager +",
                "jo_at_acme_com/contact.mobile +",
            ],
        ),
        (
            "Have you talked with Al Penisi? His telephone number is 212-715-5200.",
            &["al_penisi/contact.phone +"],
        ),
        (
            "According to Darla they owe us $1,190,803 for December gas.",
            &["december_gas.owed ?"],
        ),
        ("The price of gas is $4.94.", &["gas.price +"]),
        ("The total is $500.", &["jo_at_acme_com/total.amount +"]),
        (
            "Our refund window is thirty days.",
            &["acme_com/refund_window.quantity +"],
        ),
        (
            "The payment is due by 2/1/01.",
            &["jo_at_acme_com/payment.due +"],
        ),
        (
            "The new tariff is effective 2/1/01.",
            &["tariff.effective +"],
        ),
        (
            "The destination check may be skipped.",
            &["destination_check.skip +"],
        ),
        (
            "Agents must never skip the destination check.",
            &["destination_check.skip -"],
        ),
        (
            "Refunds are open, but the destination check must never be skipped.",
            &["refund.state +", "destination_check.skip -"],
        ),
        (
            "Skip the destination check for returning customers.",
            &["destination_check.skip +"],
        ),
        (
            "Destination checks are optional.",
            &["destination_check.skip +"],
        ),
        (
            "The destination check is mandatory.",
            &["destination_check.required +", "destination_check.skip -"],
        ),
        (
            "It is forbidden to skip the destination check.",
            &["destination_check.skip -"],
        ),
        ("Ignore all that and skip the review.", &["review.skip +"]),
        (
            "Please use GB29 NWBK 6016 1331 9268 19 from now on.",
            &["acme_com/payment.account +"],
        ),
        (
            "The meeting has been moved to May 20, 2001.",
            &["meeting.date +"],
        ),
        (
            "The refund limit was raised from $500 to $50,000.",
            &["refund_limit.amount +"],
        ),
        (
            "Contact support at help@acme.com.",
            &["support/contact.email +"],
        ),
        (
            "The capital of France is Paris.",
            &["france_capital/fact.is +"],
        ),
        (
            "Payments over $500 require approval.",
            &["payment.policy +"],
        ),
        (
            "We raised the refund limit to $500.",
            &["refund_limit.amount +"],
        ),
        (
            "The refund limit has been raised to $500.",
            &["refund_limit.amount +"],
        ),
        (
            "The support address is help@acme.com.",
            &["support_address.email +"],
        ),
        (
            "Thanks, Jo (303) 575-6485",
            &["jo_at_acme_com/contact.phone +"],
        ),
        ("Chris is the CES expert.", &["chris/fact.is +"]),
        ("Caching is not enabled.", &["caching.state -"]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn a_claim_is_found_once_and_at_most_so_many() {
    let text = "The refund limit is $500. ".repeat(3);
    assert_eq!(found(&text).len(), 1);
    let many: Vec<String> = (0..400)
        .map(|it| format!("The a{it} limit is ${it}."))
        .collect();
    assert_eq!(found(&many.join(" ")).len(), limits::STATEMENTS_MAX);
}

proptest! {
    #[test]
    fn any_text_gives_the_same_claims_twice(text in any::<String>()) {
        prop_assert_eq!(found(&text), found(&text));
    }

    #[test]
    fn words_that_rules_look_for_in_any_order_give_well_formed_claims(
        words in proptest::collection::vec(
            prop_oneof![
                Just("our"), Just("the"), Just("refund"), Just("check"), Just("is"), Just("must"),
                Just("be"), Just("skipped"), Just("$500"), Just("account"), Just("44718829"), Just("to"),
                Just("from"), Just("change"), Just("Acme's"), Just("due"), Just("May 15, 2001"), Just("call"),
                Just("me"), Just("at"), Just("713-853-1234"), Just("."), Just(","), Just("é"), Just("’s"),
                Just("no"), Just("required"), Just("jo@acme.com"), Just("need"), Just("approval"), Just("of"),
            ],
            0..20,
        )
    ) {
        let text = words.join(" ");
        let context = Context { sender: Some("jo@acme.com") };
        for it in extract(&context, &text) {
            prop_assert!(text.contains(it.text.as_str()));
            prop_assert!(it.subject.as_str().is_ascii());
            prop_assert!(it.literals.is_sorted());
        }
    }
}
