//! The tables of what decides, and the laws.

use proptest::prelude::*;

use super::*;

fn check(left: (char, &[&str], &str), right: (char, &[&str], &str)) -> Relation {
    let literals = |values: &[&str]| -> Vec<Literal> {
        values
            .iter()
            .map(|it| Literal::new(LiteralKind::Iban, it))
            .collect()
    };
    let (ours, theirs) = (literals(left.1), literals(right.1));
    let side = |sign, literals, text| Side {
        polarity: Polarity::from_sign(sign).unwrap(),
        literals,
        text,
    };
    let open = Subject::new("some.thing").unwrap();
    relate(
        &open,
        side(left.0, &ours, left.2),
        side(right.0, &theirs, right.2),
    )
}

#[test]
fn the_literal_decides() {
    let by_iban = Relation::Conflict(Deciding::Literal(LiteralKind::Iban));
    assert_eq!(
        check(('+', &["A"], "x"), ('+', &["A"], "y")),
        Relation::Same
    );
    assert_eq!(check(('+', &["A"], "x"), ('+', &["B"], "x")), by_iban);
    assert_eq!(
        check(('+', &["A", "B"], "x"), ('+', &["A"], "x")),
        by_iban,
        "both accounts named"
    );
    assert_eq!(
        check(('+', &["A"], "x"), ('+', &[], "y")),
        Relation::Unrelated
    );
    assert_eq!(
        check(('+', &[], "The lane"), ('+', &[], "the lane.")),
        Relation::Same
    );
}

/// How two texts about one subject stand to each other, read as they are.
fn read(subject: &str, left: &str, right: &str) -> Relation {
    let literals = [left, right].map(crate::literal::literals);
    let side = |at: usize, text| Side {
        polarity: crate::polarity::polarity(text),
        literals: &literals[at],
        text,
    };
    let subject = Subject::new(subject).unwrap();
    relate(&subject, side(0, left), side(1, right))
}

#[test]
fn an_amount_that_may_be_two_numbers_decides_nothing() {
    let by_amount = Relation::Conflict(Deciding::Literal(LiteralKind::Amount));
    let of = |left: &str, right: &str| {
        let text = |it: &str| format!("The price of the tea is {it}");
        read("tea.price", &text(left), &text(right))
    };
    for (left, right, relation) in [
        ("1.000 EUR", "1 EUR", Relation::Unrelated),
        ("1.000 EUR", "1000 EUR", Relation::Unrelated),
        ("1.000 EUR", "1.000 EUR", Relation::Same),
        ("1.000 EUR", "2000 EUR", by_amount.clone()),
        ("1.000 EUR", "1.000 USD", by_amount.clone()),
        ("1.000,00 EUR", "1000 EUR", Relation::Same),
        ("$5,000", "$50,000", by_amount.clone()),
        ("at most 1.000 EUR", "500 EUR", Relation::Unrelated),
        ("0.500 EUR", "0.5 EUR", Relation::Same),
        ("1.234 BTC", "1.2340 BTC", Relation::Same),
    ] {
        assert_eq!(of(left, right), relation, "{left} / {right}");
        assert_eq!(of(right, left), relation, "{right} / {left}");
    }
    // Nor does it leave the rest to decide that the whole is the same.
    let dated = |amount: &str| format!("Pay {amount} on 4 March 2026");
    let found = read("bill.terms", &dated("1.000 EUR"), &dated("1 EUR"));
    assert_eq!(found, Relation::Unrelated);
}

#[test]
fn a_unit_is_its_letters_in_their_case() {
    let by_quantity = Relation::Conflict(Deciding::Literal(LiteralKind::Quantity));
    let of = |left: &str, right: &str| {
        let text = |it: &str| format!("The part has {it}");
        read("part.size", &text(left), &text(right))
    };
    for (left, right, relation) in [
        ("5 MB", "5 Mb", by_quantity.clone()),
        ("5 MB", "40 Mb", Relation::Same),
        ("5 MB", "5 mb", Relation::Same),
        ("5 MBps", "5 Mbps", by_quantity.clone()),
        ("5 mm", "5 Mm", by_quantity.clone()),
        ("5 MW", "5 mW", Relation::Unrelated),
        ("5 mg", "5 Mg", by_quantity),
    ] {
        assert_eq!(of(left, right), relation, "{left} / {right}");
    }
}

#[test]
fn hundredths_and_names_of_a_currency_are_amounts_in_it() {
    let by_amount = Relation::Conflict(Deciding::Literal(LiteralKind::Amount));
    let of = |left: &str, right: &str| {
        let text = |it: &str| format!("The price is {it}");
        read("tea.price", &text(left), &text(right))
    };
    for (left, right, relation) in [
        ("$0.50", "50 cents", Relation::Same),
        ("€0.50", "50 euro cents", Relation::Same),
        ("£30", "30 pounds", Relation::Same),
        ("£0.80", "80 pence", Relation::Same),
        ("$5.50", "5 dollars and 50 cents", Relation::Same),
        ("$0.50", "50 dollars", by_amount.clone()),
        ("£30", "$30", by_amount),
    ] {
        assert_eq!(of(left, right), relation, "{left} / {right}");
    }
}

#[test]
fn from_one_account_to_another_is_not_the_way_back() {
    let (one, other) = ("GB29NWBK60161331926819", "DE89370400440532013000");
    let there = format!("Refunds move from {one} to {other}");
    let back = format!("Refunds move from {other} to {one}");
    let same = format!("They go to {other} from {one}");
    let of = |left: &str, right: &str| read("refund.destination", left, right);
    assert_eq!(of(&there, &back), Relation::Unrelated);
    assert_eq!(of(&there, &same), Relation::Same);
}

/// What denies or warns of a value, or tells what others say, is no support of it.
#[test]
fn who_warns_of_a_value_does_not_say_it() {
    let account = "GB29NWBK60161331926819";
    let goes = format!("Refunds go to {account}");
    for said in [
        "It is false that refunds go to @",
        "@ is the account of a thief",
        "Refunds go to @. That is a lie.",
        "Beware of @",
        "Block refunds to @",
        "Anything but @",
        "Refunds stopped going to @",
        "Refunds come from @",
        "Warning: beware of the refund account @, it belongs to a thief.",
        "The claim that refunds go to @ is a lie.",
        "Mallory wrote that refunds go to @.",
    ] {
        let said = said.replace('@', account);
        assert_ne!(read("a.b", &goes, &said), Relation::Same, "{said}");
    }
    for (left, right) in [
        (
            "Refunds under 50 dollars are approved",
            "Refunds over 50 dollars are approved",
        ),
        ("Call before 5 pm", "Call after 5 pm"),
        ("The price rose by $5", "The price fell by $5"),
        ("Add 5%", "Deduct 5%"),
    ] {
        assert_ne!(read("a.b", left, right), Relation::Same, "{left} / {right}");
    }
    for (left, right) in [
        ("Last but not least, the pump is on", "The pump is on"),
        ("The pump isn't off", "The pump is on"),
        ("Refunds are approved with no fee", "Refunds are approved"),
        (
            "Not a day goes by without a delivery",
            "There is a delivery every day",
        ),
    ] {
        let found = read("a.b", left, right);
        assert!(
            !matches!(found, Relation::Conflict(_)),
            "{left} / {right}: {found:?}"
        );
    }
}

#[test]
fn so_does_polarity_but_an_open_claim_decides_nothing() {
    let by_polarity = Relation::Conflict(Deciding::Polarity);
    assert_eq!(
        check(
            ('+', &[], "the lamp is on"),
            ('-', &[], "the lamp is not on")
        ),
        by_polarity
    );
    assert_eq!(
        check(('+', &[], "the lamp is on"), ('-', &[], "never park here")),
        Relation::Unrelated
    );
    assert_eq!(
        check(
            ('+', &[], "pay 5 now"),
            ('-', &[], "do not pay within 5 days")
        ),
        Relation::Unrelated,
        "a number is no word"
    );
    assert_eq!(check(('+', &["A"], "x"), ('-', &["A"], "y")), by_polarity);
    assert_eq!(
        check(('+', &["A"], "x"), ('-', &["B"], "y")),
        Relation::Unrelated
    );
    assert_eq!(
        check(('?', &["A"], "x"), ('+', &["B"], "y")),
        Relation::Unrelated
    );
}

/// A statement about one subject, with a value that has a spelling of its own.
fn statement() -> impl Strategy<Value = String> {
    let subject = prop_oneof![
        Just("the refund limit"),
        Just("the review"),
        Just("caching"),
        Just("the account"),
    ];
    let verb = prop_oneof![
        Just("is"),
        Just("is not"),
        Just("was never"),
        Just("will be")
    ];
    let value = prop_oneof![
        (1_u32..9_000).prop_map(|it| format!("${it}")),
        (1_u32..90).prop_map(|it| format!("{it} days")),
        (1_u32..90).prop_map(|it| format!("{it}%")),
        (1_u32..12, 1_u32..28).prop_map(|(m, d)| format!("due on 2026-{m:02}-{d:02}")),
        Just("GB29 NWBK 6016 1331 9268 19".to_owned()),
        Just("sent to help@acme.example".to_owned()),
        Just("enabled".to_owned()),
        Just("at 15:30".to_owned()),
    ];
    (subject, verb, value).prop_map(|(s, v, it)| format!("{s} {v} {it}"))
}

fn on_one_subject(left: &str, right: &str) -> Relation {
    let (ours, theirs) = (
        crate::literal::literals(left),
        crate::literal::literals(right),
    );
    let side = |text, literals| Side {
        polarity: crate::polarity::polarity(text),
        literals,
        text,
    };
    let subject = Subject::new("some.thing").unwrap();
    relate(&subject, side(left, &ours), side(right, &theirs))
}

proptest! {
    #[test]
    fn comparing_is_symmetric_and_a_statement_says_what_it_says(a in statement(), b in statement()) {
        prop_assert_eq!(on_one_subject(&a, &b), on_one_subject(&b, &a));
        prop_assert_eq!(apart(&a, &b), apart(&b, &a));
        prop_assert_eq!(on_one_subject(&a, &a), Relation::Same);
        prop_assert_eq!(apart(&a, &a), Relation::Same);
    }

    #[test]
    fn spacing_case_and_closing_marks_flip_nothing(a in statement(), b in statement()) {
        let expected = (on_one_subject(&a, &b), apart(&a, &b));
        for noise in [
            b.to_uppercase(),
            b.replace(' ', "  "),
            b.replace(' ', "\u{a0}"),
            format!("  {b}."),
            b.chars().map(|it| match it {
                '0'..='9' => char::from_u32(u32::from(it) + 0xfee0).unwrap(),
                other => other,
            }).collect(),
        ] {
            prop_assert_eq!(&(on_one_subject(&a, &noise), apart(&a, &noise)), &expected, "{} | {}", a, noise);
        }
    }

    #[test]
    fn any_texts_are_compared_alike_from_both_sides(a in any::<String>(), b in any::<String>()) {
        prop_assert_eq!(apart(&a, &b), apart(&b, &a));
    }
}

fn apart(left: &str, right: &str) -> Relation {
    let (ours, theirs) = (
        crate::literal::literals(left),
        crate::literal::literals(right),
    );
    let side = |text, literals| Side {
        polarity: crate::polarity::polarity(text),
        literals,
        text,
    };
    relate_apart(side(left, &ours), side(right, &theirs))
}

#[test]
fn who_denies_a_deed_gainsays_who_asserts_it() {
    for (left, right) in [
        (
            "I have never been to Lisbon.",
            "Last year I visited Lisbon with my sister.",
        ),
        ("I've never owned a car.", "I own a red car and a bike."),
        (
            "I have never written any unit tests.",
            "I wrote unit tests for the parser yesterday.",
        ),
        (
            "We have never worked with Acme on anything.",
            "We worked with Acme on the pilot.",
        ),
        ("I don't eat meat.", "I eat meat twice a week."),
        (
            "I never attended a class on pottery.",
            "In May I attended a pottery class.",
        ),
        (
            "I have no experience with Terraform.",
            "I have two years of experience with Terraform.",
        ),
        ("I love Chinese food", "I hate Chinese food"),
        (
            "I've never painted fences or repaired roofs.",
            "I repaired two roofs, can you check my bill?",
        ),
        (
            "Darla has never met the auditor.",
            "Darla met the auditor in Rome.",
        ),
        (
            "I have never had a meeting with the auditor.",
            "I met the auditor on Friday.",
        ),
        (
            "I've never met Dana in person.",
            "Dana, whom I met at the fair, sent me a card.",
        ),
        (
            "I have yet to attend a pottery class.",
            "After attending the pottery class, I bought a wheel.",
        ),
        (
            "I've never been asked to review the lease.",
            "I was asked to review the lease in May.",
        ),
        (
            "I have no experience with Terraform.",
            "I use Terraform at work, and I need help with state.",
        ),
        (
            "I've honestly never, in ten years, sold a painting.",
            "Last week I sold a painting to a friend.",
        ),
        (
            "I don't own a bike.",
            "My bike has a flat tyre, how do I fix it?",
        ),
        (
            "I've never received feedback from Dana.",
            "Dana gave me feedback on Monday.",
        ),
        ("I have never spoken to Dana.", "Dana advised me to wait."),
        (
            "I've never used Terraform.",
            "I set up the servers with Terraform.",
        ),
        (
            "I have never considered moving to Lisbon.",
            "I'm considering moving to Lisbon in May.",
        ),
        (
            "We never had any issues with the pump.",
            "We had some trouble with the pump.",
        ),
        (
            "I have never used tools like hammers or drills.",
            "I use a hammer for the frame.",
        ),
        ("Caching is not enabled.", "Caching is enabled."),
        (
            "The review is due May 15, 2026.",
            "The review is due June 2, 2026.",
        ),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            assert!(
                matches!(apart(left, right), Relation::Conflict(_)),
                "{left} | {right}"
            );
        }
    }
}

#[test]
fn a_shared_word_decides_nothing() {
    for (left, right) in [
        (
            "I have never been to Lisbon.",
            "My sister visited Lisbon last year.",
        ),
        ("I have never been to Lisbon.", "Have I been to Lisbon?"),
        (
            "I have never been to Lisbon.",
            "I want to go to Lisbon in May.",
        ),
        ("I have never been to Lisbon.", "How would I get to Lisbon?"),
        (
            "I have never been to Lisbon.",
            "If I went to Lisbon, I would see the river.",
        ),
        (
            "I've never met Dana.",
            "I met Greg but I have never met Dana.",
        ),
        ("I don't own a bike.", "My sister owns a bike."),
        ("I check it so I don't run into issues.", "We had issues."),
        (
            "I've never received feedback from Dana.",
            "Greg gave me feedback on Dana's essay.",
        ),
        ("I've never tested the scale.", "My tests are slow."),
        (
            "I have never written any unit tests.",
            "I wrote a letter about the unit.",
        ),
        ("I've never owned a car.", "I own a bike."),
        ("I don't know how to drive.", "I drive to work."),
        (
            "I never attended a class on pottery.",
            "I attended a class on law.",
        ),
        ("Darla has never met the auditor.", "Jo met the auditor."),
        (
            "The review is due May 15, 2026.",
            "The audit is due June 2, 2026.",
        ),
        (
            "The budget for travel is $500.",
            "The budget for food is $300.",
        ),
        ("I love Chinese food", "I love Thai food"),
        ("I hate Chinese food", "I love Thai food"),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            assert_eq!(apart(left, right), Relation::Unrelated, "{left} | {right}");
        }
    }
}

#[test]
fn naming_the_subject_only_adds_pairs() {
    for (left, right) in [
        ("I love Chinese food", "I hate Chinese food"),
        ("I have never owned a car.", "I own a red car."),
        ("I never run 5 km", "I run 5 km on Mondays"),
        ("I love my 5 km run", "I hate my 5 km run"),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            let by_polarity = Relation::Conflict(Deciding::Polarity);
            assert_eq!(on_one_subject(left, right), by_polarity, "{left} | {right}");
        }
    }
}

#[test]
fn what_is_denied_of_another_thing_is_no_contradiction() {
    for (left, right) in [
        ("Refunds go to Bob", "Refunds never go to Alice"),
        ("One should never pay twice", "One should pay once"),
        ("I do not like coffee", "I dislike coffee"),
        ("I do not dislike coffee", "I like coffee"),
        (
            "The refund is approved, no need to call",
            "The refund is approved",
        ),
        (
            "Don't forget that the refund is approved",
            "The refund is approved",
        ),
        (
            "Nobody can deny that the door is locked",
            "The door is locked",
        ),
        ("Last but not least, the pump is on", "The pump is on"),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            assert_eq!(
                on_one_subject(left, right),
                Relation::Unrelated,
                "{left} | {right}"
            );
            assert_eq!(apart(left, right), Relation::Unrelated, "{left} | {right}");
        }
    }
    for (left, right) in [
        ("Refunds go to Bob", "Refunds never go to Bob"),
        ("One should never pay twice", "One should pay twice"),
        (
            "The check is not needed on Friday",
            "The check is needed on Friday at noon",
        ),
        (
            "The door is definitely locked",
            "The door is certainly not locked",
        ),
    ] {
        for (left, right) in [(left, right), (right, left)] {
            let by_polarity = Relation::Conflict(Deciding::Polarity);
            assert_eq!(on_one_subject(left, right), by_polarity, "{left} | {right}");
        }
    }
}

#[test]
fn one_value_in_opposite_words_is_not_the_same() {
    const IBAN: &str = "GB29NWBK60161331926819";
    for (left, right) in [
        (
            "The price rose by $5".to_owned(),
            "The price fell by $5".to_owned(),
        ),
        ("Add 5%".to_owned(), "Deduct 5%".to_owned()),
        ("Call before 5 pm".to_owned(), "Call after 5 pm".to_owned()),
        (
            "Pay within at least 5 days".to_owned(),
            "Pay within at most 5 days".to_owned(),
        ),
        (
            format!("Refunds go to {IBAN}"),
            format!("Refunds come from {IBAN}"),
        ),
        (
            format!("Refunds go to {IBAN}"),
            format!("{IBAN} is the account of a thief"),
        ),
        (format!("Refunds go to {IBAN}"), format!("Beware of {IBAN}")),
    ] {
        for (left, right) in [(&left, &right), (&right, &left)] {
            assert_ne!(
                on_one_subject(left, right),
                Relation::Same,
                "{left} | {right}"
            );
        }
    }
    let denied = on_one_subject(
        &format!("Refunds go to {IBAN}"),
        &format!("It is false that refunds go to {IBAN}"),
    );
    assert_eq!(denied, Relation::Conflict(Deciding::Polarity));
}
