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

/// What people say in passing, and what the rules find in it; nothing is a miss that is known.
const CHATTER: &[(&str, &str)] = &[
    (
        "I love Chinese food",
        "jo_at_acme_com/chinese_food.preference +",
    ),
    (
        "I hate Chinese food",
        "jo_at_acme_com/chinese_food.preference -",
    ),
    ("Device A is a Synology NAS", "device_a/fact.is +"),
    ("Device A is a fnos NAS", "device_a/fact.is +"),
    (
        "I don't like cilantro.",
        "jo_at_acme_com/cilantro.preference -",
    ),
    (
        "My favourite colour is blue.",
        "jo_at_acme_com/favourite_colour.value +",
    ),
    (
        "My favorite editor is Neovim.",
        "jo_at_acme_com/favorite_editor.value +",
    ),
    ("I'm vegetarian.", "jo_at_acme_com/fact.is +"),
    ("I'm a nurse.", "jo_at_acme_com/fact.is +"),
    ("I work as a nurse at Mercy Hospital.", ""),
    (
        "I live in Berlin with my two kids.",
        "jo_at_acme_com/home.location +",
    ),
    ("We moved the office to Munich.", "office.location +"),
    ("The office is at 12 Elm Street.", ""),
    ("Our standup is at 9:30 am.", "acme_com/standup.date +"),
    ("The standup moved to 10 am.", "standup.date +"),
    ("The demo is on Friday at 3 pm.", "demo.date +"),
    (
        "The deadline for the report is March 15.",
        "report_deadline.date +",
    ),
    ("The report is due next Friday.", ""),
    (
        "The report deadline was moved to April 2.",
        "report_deadline.date +",
    ),
    (
        "Dana owns the billing service.",
        "billing_service.owner +, dana/billing_service.have +",
    ),
    (
        "Dana is in charge of onboarding.",
        "dana/fact.is +, onboarding.owner +",
    ),
    (
        "The billing service is owned by Dana.",
        "billing_service.owner +",
    ),
    (
        "The on-call engineer is Priya.",
        "on-call_engineer/fact.is +",
    ),
    ("Priya is on call this week.", ""),
    (
        "The staging server is in Frankfurt.",
        "staging_server.location +",
    ),
    ("The wifi password is hunter2.", ""),
    (
        "We use PostgreSQL for the ledger.",
        "acme_com/postgresql.use +",
    ),
    ("We switched from Jira to Linear.", ""),
    ("The plan costs $30 a month.", ""),
    (
        "The subscription is $30 per month.",
        "subscription.amount +",
    ),
    ("Parking is free for guests.", ""),
    ("Refunds take 5 business days.", ""),
    ("Returns are accepted within 30 days.", "return.term +"),
    ("The gym closes at 10 pm.", "gym.end +"),
    ("The shop opens at 8 on Sundays.", ""),
    ("Jo's birthday is May 5.", "jo/birthday.date +"),
    ("My sister lives in Lisbon.", ""),
    ("My manager is Dana.", "jo_at_acme_com/manager.value +"),
    ("Our CTO left the company.", ""),
    ("I have two dogs and a cat.", "jo_at_acme_com/dog.have +"),
    ("I'm allergic to peanuts.", ""),
    ("I can't eat gluten.", "jo_at_acme_com/gluten.eat -"),
    ("I'm learning Spanish.", "jo_at_acme_com/spanish.learn +"),
    (
        "I have never been to Japan.",
        "jo_at_acme_com/japan.visit -",
    ),
    (
        "I've finished the marathon in 4 hours.",
        "jo_at_acme_com/marathon.complete +",
    ),
    ("We don't ship to Canada.", "acme_com/canada.ship -"),
    ("No refunds on sale items.", ""),
    (
        "The API limit is 100 requests per minute.",
        "api_limit.quantity +",
    ),
    (
        "The max upload size is 50 MB.",
        "max_upload_size.quantity +",
    ),
    (
        "Two-factor authentication is not enabled.",
        "two-factor_authentication.state -",
    ),
    ("The build is broken.", ""),
    ("The invoice was paid on May 3.", ""),
    (
        "Sarah's phone number is 713-853-1234.",
        "sarah/contact.phone +",
    ),
    ("The meeting room is Atlas.", "meeting_room/fact.is +"),
    ("The new vendor is Bolt Ltd.", "vendor/fact.is +"),
    (
        "Flight LH 454 leaves at 7:45 am.",
        "flight_lh_454.departure +",
    ),
    ("The budget for travel is $5,000.", "travel_budget.amount +"),
    (
        "Our headcount is 25 people.",
        "acme_com/headcount.quantity +",
    ),
    ("The team has 12 engineers.", ""),
    ("The database runs on port 5432.", ""),
    (
        "The contract ends on December 31, 2026.",
        "jo_at_acme_com/contract.end +",
    ),
    ("Python 3.11 is required.", "python_3_11.required +"),
    ("The repo uses Flask 2.3.1.", ""),
    ("We pay invoices on the 15th.", ""),
    ("Lunch is from 12 to 1.", ""),
    ("My flight was cancelled.", ""),
    (
        "The password must be at least 12 characters.",
        "password.quantity +",
    ),
    ("Dana prefers tea over coffee.", "dana/tea.preference +"),
    ("Dana and Bo got married.", ""),
    ("Support is available 24/7.", "support.state +"),
];

#[test]
fn most_of_what_people_say_in_passing_has_a_claim() {
    let mut claimed = 0;
    for (text, expected) in CHATTER {
        let found = found(text).join(", ");
        assert_eq!(found, *expected, "{text}");
        claimed += usize::from(!found.is_empty());
    }
    let share = claimed * 100 / CHATTER.len();
    println!("{claimed} of {} sentences, {share} percent", CHATTER.len());
    assert!(share >= 60, "{share}");
}

#[test]
fn no_subject_is_made_of_what_is_no_name() {
    for text in [
        "I'll use the checklist.",
        "I'd like to add a column.",
        "He's got a new car.",
        "Tried using the cache option.",
        "It is what it is, and I used it.",
        "I reduced it to 300 ms.",
        "I have to go now.",
        "Thanks, I love it!",
        "If I visited Lisbon, I would stay.",
        "Would you say that I like tea?",
        "Left the company in May",
        "Pranav left Sarvam AI and joined Bolt",
    ] {
        let found = found(text);
        let wrong = |it: &&String| {
            ["ill/", "id/", "hes/", "it.", "what", "/it."]
                .iter()
                .any(|junk| it.contains(junk))
        };
        assert_eq!(found.iter().find(wrong), None, "{text}");
    }
    assert!(found("I have to go now.").is_empty());
    assert!(found("If I visited Lisbon, I would stay.").is_empty());
    assert!(found("I want to visit Lisbon, I think.").is_empty());
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

#[test]
fn what_is_taken_back_or_warned_of_is_not_stated() {
    for text in [
        "Refunds go to GB29NWBK60161331926819. That is a lie.",
        "Warning: beware of the refund account GB29NWBK60161331926819, it belongs to a thief.",
    ] {
        let claims = extract(&Context { sender: None }, text);
        let affirmed = claims.iter().any(|it| it.polarity == Polarity::Affirmed);
        assert!(!affirmed, "{text}: {claims:?}");
    }
}
