//! What is found, what is left alone, and the laws: no panic, spans on characters, a fixpoint.

use immune_model::LiteralKind;
use proptest::prelude::*;

use super::*;

/// The literals of a text, in order, each as `kind value`.
fn shown(text: &str) -> Vec<String> {
    find(text).iter().map(|it| it.literal.to_string()).collect()
}

fn check(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn an_iban_is_the_same_however_it_is_written() {
    check(&[
        (
            "to GB29 NWBK 6016 1331 9268 19 and thanks",
            &["iban GB29NWBK60161331926819"],
        ),
        (
            "to GB29NWBK60161331926819.",
            &["iban GB29NWBK60161331926819"],
        ),
        (
            "to gb29 nwbk 6016 1331 9268 19",
            &["iban GB29NWBK60161331926819"],
        ),
        (
            "to GB29-NWBK-6016-1331-9268-19!",
            &["iban GB29NWBK60161331926819"],
        ),
        (
            "to ＧＢ２９ NWBK\u{200b}6016 1331\u{a0}9268 19",
            &["iban GB29NWBK60161331926819"],
        ),
        (
            "IBAN:DE44 5001 0517 5407 3249 31",
            &["iban DE44500105175407324931"],
        ),
        ("NO93 8601 1117 947 is ours", &["iban NO9386011117947"]),
        (
            "not GB29 NWBK 6016 1331 9268 19 but DE44500105175407324931",
            &["iban GB29NWBK60161331926819", "iban DE44500105175407324931"],
        ),
    ]);
}

#[test]
fn a_wrong_checksum_is_kept_when_the_shape_and_the_country_are_right() {
    check(&[
        ("Refunds go to GB29 4471 8829", &["iban GB2944718829"]),
        ("Refunds go to GB29-4471-8829 now", &["iban GB2944718829"]),
        ("Refunds go to gb2944718829", &["iban GB2944718829"]),
        (
            "gb29 4471 8829 00 is theirs",
            &["identifier GB294471882900"],
        ),
        ("gb294471882900 is theirs", &["identifier GB294471882900"]),
        (
            "GB29 NWBK 6016 1331 9268 18 is new",
            &["iban GB29NWBK60161331926818"],
        ),
        ("our account is US64 9000 1111", &["account US6490001111"]),
        ("see PO12 in 2001 1234", &[]),
        ("at12 people came", &[]),
    ]);
}

#[test]
fn accounts_need_a_word_and_cards_a_check_digit() {
    check(&[
        ("Our new bank account is 44718829.", &["account 44718829"]),
        ("acct no. 4471 8829 at the bank", &["account 44718829"]),
        (
            "Hilltop National Bank Routing #10230119 Account #021674",
            &["account 10230119", "account 021674"],
        ),
        ("ABA routing 021000021", &["account 021000021"]),
        ("the deal 157278 for July", &["identifier 157278"]),
        ("see 157278", &["identifier 157278"]),
        (
            "card 4111 1111 1111 1111 expires",
            &["card 4111111111111111"],
        ),
        ("card 4111-1111-1111-1112", &[]),
        ("12345", &["quantity 12345"]),
    ]);
}

#[test]
fn addresses_of_every_kind() {
    check(&[
        (
            "0x52908400098527886E0F7030069857D2E4169EE7",
            &["crypto_address 0x52908400098527886e0f7030069857d2e4169ee7"],
        ),
        (
            "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
            &["crypto_address bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
        ),
        (
            "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
            &["crypto_address 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"],
        ),
        (
            "Write to <Jo.Doe@Example.COM>, please",
            &["email jo.doe@example.com"],
        ),
        (
            "mailto:jo@bücher.example.",
            &["email jo@xn--bcher-kva.example"],
        ),
        ("Eric Boyt@ENRON on", &[]),
        (
            "see https://user:pw@Example.com:443/pay?x=1.",
            &["host example.com/pay?x=1"],
        ),
        ("see (http://example.com/)", &["host example.com"]),
        (
            "at WWW.Example.com, or example.com",
            &["host www.example.com", "host example.com"],
        ),
        ("ftp://example.com/a", &["host ftp://example.com/a"]),
        ("bücher.de", &["host xn--bcher-kva.de"]),
        ("It was late.So we left.It is", &[]),
        ("at 10.0.0.1:8080", &["host 10.0.0.1:8080"]),
        ("256.1.1.1", &[]),
    ]);
}

#[test]
fn telephone_numbers_in_plain_shapes() {
    check(&[
        ("call 713-853-1234", &["phone +17138531234"]),
        (
            "call (713) 853-1234 or +1 713 853 1234",
            &["phone +17138531234", "phone +17138531234"],
        ),
        ("1-800-555-0100", &["phone +18005550100"]),
        ("407 736 2823", &["phone +14077362823"]),
        ("+44 (0)20 7946 0958", &["phone +442079460958"]),
        ("888.916.7184.", &["phone +18889167184"]),
        ("ext. 5-8274", &[]),
    ]);
}

#[test]
fn amounts_are_one_value_in_every_spelling() {
    check(&[
        ("$5,000", &["amount USD 5000"]),
        (
            "USD 5000 and 5000.00 dollars",
            &["amount USD 5000", "amount USD 5000"],
        ),
        ("five thousand dollars", &["amount USD 5000"]),
        ("$50,000", &["amount USD 50000"]),
        (
            "$30 or $30.00 or US$30",
            &["amount USD 30", "amount USD 30", "amount USD 30"],
        ),
        ("£4,200", &["amount GBP 4200"]),
        ("€1.234,56", &["amount EUR 1234.56"]),
        ("$66 million", &["amount USD 66000000"]),
        (
            "$30k, $1.5mm and $2bn",
            &[
                "amount USD 30000",
                "amount USD 1500000",
                "amount USD 2000000000",
            ],
        ),
        (
            "they owe us $1,190,803 for December gas",
            &["amount USD 1190803"],
        ),
        ("a price of $4.94.", &["amount USD 4.94"]),
        ("$.05 a unit", &["amount USD 0.05"]),
        (
            "it is $5, was $6 and cost a $7; US $8, S$9",
            &[
                "amount USD 5",
                "amount USD 6",
                "amount USD 7",
                "amount USD 8",
                "amount SGD 9",
            ],
        ),
        ("$5,000 CAD", &["amount CAD 5000"]),
        ("is -$5 today", &["amount USD -5"]),
        ("$106/mwh", &["amount USD 106"]),
        ("$5,0000", &[]),
        ("200 pounds", &["quantity 200 pound"]),
        ("it costs 200 pounds", &["amount GBP 200"]),
        ("pay for 200 pounds of flour", &["quantity 200 pound"]),
        ("50 cents", &["amount USD 0.5"]),
        ("50 euro cents", &["amount EUR 0.5"]),
        ("80 pence", &["amount GBP 0.8"]),
        ("5 dollars and 50 cents", &["amount USD 5.5"]),
    ]);
}

#[test]
fn quantities_percentages_and_plain_values() {
    check(&[
        (
            "30 days = thirty days",
            &["quantity 30 day", "quantity 30 day"],
        ),
        ("thirty (30) days", &["quantity 30 day"]),
        ("a 30-day limit", &["quantity 30 day"]),
        ("one week, 7 days", &["quantity 7 day", "quantity 7 day"]),
        (
            "90 minutes, 24 hours, 12 months",
            &["quantity 90 minute", "quantity 1 day", "quantity 1 year"],
        ),
        (
            "50 MB, 500 mb, 5 GB",
            &["quantity 50 MB", "quantity 500 MB", "quantity 5 GB"],
        ),
        ("342,560 MMBtu", &["quantity 342560 MMBtu"]),
        ("81,605 mmbtu's", &["quantity 81605 MMBtu"]),
        (
            "5%, 5 percent and five percent",
            &["percentage 5%", "percentage 5%", "percentage 5%"],
        ),
        ("a 3.50% fee", &["percentage 3.5%"]),
        ("the limit is 5", &["quantity 5"]),
        ("the limit is 15.", &["quantity 15"]),
        ("a limit of 5,000", &["quantity 5000"]),
        ("a score of 3:2 and verse 3:16", &[]),
        ("it is 7th", &[]),
        ("section 5 of 7", &[]),
    ]);
}

#[test]
fn dates_are_read_and_years_never_invented() {
    check(&[
        (
            "on 01/09/2001 10:27 AM",
            &["date 01/09/2001", "date T10:27"],
        ),
        ("effective 2/1/01", &["date 02/01/2001"]),
        ("25/12/2001", &["date 2001-12-25"]),
        (
            "2001-01-09 and 2001/01/09",
            &["date 2001-01-09", "date 2001-01-09"],
        ),
        ("May 15, 2001", &["date 2001-05-15"]),
        ("15th of May, 2001", &["date 2001-05-15"]),
        ("Sept. 3rd, 2001", &["date 2001-09-03"]),
        ("15-May-01", &["date 2001-05-15"]),
        ("9.1.2001", &["date 2001-01-09"]),
        (
            "at 2001-01-09T10:27:00+02:00",
            &["date 2001-01-09T08:27:00Z"],
        ),
        ("May 15 and 3rd of June", &["date --05-15", "date --06-03"]),
        ("you may 5", &[]),
        ("in May 2001", &["date 2001-05"]),
        (
            "at 3 pm, 3:30 p.m. EST, by 15:30, noon",
            &[
                "date T15:00",
                "date T15:30 EST",
                "date T15:30",
                "date T12:00",
            ],
        ),
        ("5/15", &[]),
        ("31/31/2001", &[]),
        ("February 30, 2001", &[]),
    ]);
}

#[test]
fn references_packages_and_digests() {
    check(&[
        ("order #1042", &["identifier 1042"]),
        ("invoice no. INV-1042", &["identifier INV-1042"]),
        ("inv-1042 is INV-1042", &["identifier INV-1042"]),
        ("deal 452491", &["identifier 452491"]),
        ("order 500 units", &["quantity 500 unit"]),
        ("the contract 2001 was", &[]),
        ("in us-east-1", &["identifier US-EAST-1"]),
        ("pip install Requests==2.31.0", &["package requests@2.31.0"]),
        ("requests@2.31", &["package requests@2.31.0"]),
        (
            "@scope/left-pad@1.3.0-beta.1",
            &["package @scope/left-pad@1.3.0-beta.1"],
        ),
        (
            "d41d8cd98f00b204e9800998ecf8427e",
            &["hash d41d8cd98f00b204e9800998ecf8427e"],
        ),
        (
            "D41D8CD98F00B204E9800998ECF8427E",
            &["hash d41d8cd98f00b204e9800998ecf8427e"],
        ),
        ("hello world", &[]),
        ("", &[]),
    ]);
}

#[test]
fn what_imitates_a_value_is_another_one() {
    check(&[
        (
            "to GB29 NWB\u{41a} 6016 1331 9268 19",
            &["iban GB29NWB\u{41a}60161331926819"],
        ),
        (
            "GB29 NWBK 6O16 1331 9268 19",
            &["iban GB29NWBK6O161331926819"],
        ),
        ("see p\u{430}ypal.example", &["host xn--pypal-4ve.example"]),
        ("j\u{43e}@acme.example", &["email j\u{43e}@acme.example"]),
        ("\u{661}\u{662} days", &["quantity 12 day"]),
        ("b.example%a@b.example", &["email b.example%a@b.example"]),
        ("VAT NL123456789B01", &["identifier NL123456789B01"]),
        ("our tax id IT12345678901", &["identifier IT12345678901"]),
    ]);
    let of = |text: &str| literals(text).remove(0);
    assert!(look_alike(
        &of("see acme.example"),
        &of("see \u{430}cme.example")
    ));
    assert!(!look_alike(
        &of("see acme.example"),
        &of("see bcme.example")
    ));
}

#[test]
fn numbers_units_and_versions_in_many_forms() {
    check(&[
        ("two hundred and fifty users", &["quantity 250 user"]),
        ("half a million dollars", &["amount USD 500000"]),
        (
            "two and a half hours, half an hour",
            &["quantity 150 minute", "quantity 30 minute"],
        ),
        (
            "30 bucks, 30 USD, USD $30, thirty dollars",
            &[
                "amount USD 30",
                "amount USD 30",
                "amount USD 30",
                "amount USD 30",
            ],
        ),
        (
            "5 000 EUR and CHF 5'000",
            &["amount EUR 5000", "amount CHF 5000"],
        ),
        ("Rs. 1,00,000", &["amount INR 100000"]),
        (
            "1 GB = 1000 MB, 1024 KiB",
            &["quantity 1 GB", "quantity 1 GB", "quantity 1 MiB"],
        ),
        (
            "a year, within a week, one quarter",
            &["quantity 7 day", "quantity 3 month"],
        ),
        (
            "Flask-Login v0.6.2, Python 3.11.4",
            &["package flask-login@0.6.2", "package python@3.11.4"],
        ),
        (
            "version 2.1 of pandas and v3.0",
            &["package pandas@2.1.0", "package v3.0.0"],
        ),
        ("see section 2.3.1", &[]),
        ("wait  30  days", &["quantity 30 day"]),
    ]);
    assert_eq!(disagreement("30 days", "one month"), None);
    assert_eq!(disagreement("30 days", "50 MB"), None);
    assert_eq!(disagreement("720 hours", "30 days"), Some(false));
    assert_eq!(disagreement("May 15", "2026-05-15"), Some(false));
    assert_eq!(disagreement("May 15", "2026-05-16"), Some(true));
    assert_eq!(disagreement("at 3 pm EST", "at 15:00"), Some(false));
}

#[test]
fn a_bound_is_a_part_of_the_value() {
    check(&[
        ("at least 5 days", &["quantity >=5 day"]),
        ("no less than 5 days", &["quantity >=5 day"]),
        ("5 days or more", &["quantity >=5 day"]),
        ("at most five days", &["quantity <=5 day"]),
        ("up to $500", &["amount <=USD 500"]),
        ("no more than 5%", &["percentage <=5%"]),
        ("less than -5%", &["percentage <-5%"]),
        ("more than 2 weeks", &["quantity >14 day"]),
        ("before May 15, 2026", &["date <2026-05-15"]),
        ("no later than May 15, 2026", &["date <=2026-05-15"]),
        ("after 15:30", &["date >T15:30"]),
        ("5 days at most 3 times", &["quantity 5 day"]),
        ("within 5 days", &["quantity 5 day"]),
        ("wait -> 5 days", &["quantity 5 day"]),
        ("see ->-> 2,6", &[]),
    ]);
    for (left, right, differ) in [
        ("at least 5 days", "no less than 5 days", Some(false)),
        ("at least 5 days", "at most 5 days", None),
        ("at least 5 days", "more than 5 days", None),
        ("at least 5 days", "5 days", None),
        ("more than 5 days", "6 days", None),
        ("more than 5 days", "5 days", Some(true)),
        ("less than 5 days", "120 hours", Some(true)),
        ("less than 5 days", "100 hours", None),
        ("at least 5 days", "at most 3 days", Some(true)),
        ("at least 5 days", "less than 5 days", Some(true)),
        ("up to $500", "up to $5,000", Some(true)),
        ("up to $500", "up to 500 EUR", Some(true)),
        ("up to $500", "$400", None),
        ("up to $500", "$600", Some(true)),
        ("over $500", "under $500", Some(true)),
        ("over $500", "under $900", None),
        ("before May 15, 2026", "after May 15, 2026", Some(true)),
        ("before May 15, 2026", "May 14, 2026", None),
        (
            "at least 5 days and 3 GB",
            "at least 5 days and 4 GB",
            Some(true),
        ),
    ] {
        assert_eq!(disagreement(left, right), differ, "{left} | {right}");
        assert_eq!(disagreement(right, left), differ, "{right} | {left}");
    }
}

#[test]
fn a_sign_in_words_is_a_sign() {
    check(&[
        ("minus 30 dollars", &["amount USD -30"]),
        ("minus $30", &["amount USD -30"]),
        ("-$30", &["amount USD -30"]),
        ("negative 5 percent", &["percentage -5%"]),
        ("it is -5 degrees", &["quantity -5 degree"]),
        ("the level is minus 7", &["quantity -7"]),
        ("10 minus 5 days", &["quantity 5 day"]),
        ("3 -5 days", &["quantity 5 day"]),
    ]);
    assert_eq!(disagreement("minus 30 dollars", "30 dollars"), Some(true));
}

#[test]
fn what_may_be_the_same_decides_nothing() {
    check(&[
        ("https://acme.com:443/pay/", &["host acme.com/pay"]),
        ("acme.com:80/pay", &["host acme.com/pay"]),
        ("acme.com:8443/", &["host acme.com:8443"]),
        ("call 0049301234567", &["phone +49301234567"]),
        ("the temperature is 68 F", &["quantity 20 °C"]),
        ("the temperature is -40 F", &["quantity -40 °C"]),
        ("section 20 C", &[]),
        ("the limit is 5000 m", &["quantity 5 km"]),
        ("03/03/2026", &["date 2026-03-03"]),
    ]);
    for (left, right, differ) in [
        ("4 March 2026", "04/03/2026", None),
        ("3 April 2026", "04/03/2026", None),
        ("5 March 2026", "04/03/2026", Some(true)),
        ("04/03/2026", "04/03/2026", Some(false)),
        ("04/03/2026", "03/04/2026", None),
        ("04/03/2026", "05/03/2026", Some(true)),
        ("(030) 123 4567", "+49 30 1234567", None),
        ("(030) 123 4567", "+49 30 1234568", Some(true)),
        ("(030) 123 4567", "(030) 123 4568", Some(true)),
        ("temperature is 20 C", "temperature is 68 F", Some(false)),
        ("temperature is 20 C", "temperature is 70 F", Some(true)),
    ] {
        assert_eq!(disagreement(left, right), differ, "{left} | {right}");
        assert_eq!(disagreement(right, left), differ, "{right} | {left}");
    }
}

/// Whether the literals of one kind in two texts differ.
fn disagreement(left: &str, right: &str) -> Option<bool> {
    let (ours, theirs) = (literals(left), literals(right));
    let kind = ours[0].kind;
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.iter().collect(), theirs.iter().collect());
    disagree(kind, &ours, &theirs)
}

#[test]
fn a_claim_carries_at_most_the_limit_sorted_and_without_repeats() {
    let deals: Vec<String> = (1000..1200).map(|it| format!("deal 1000{it}")).collect();
    let text = deals.join(", ");
    let all = literals(&text);
    assert_eq!(all.len(), limits::LITERALS_MAX);
    assert!(all.is_sorted());
    assert_eq!(literals("$30 and $30.00").len(), 1);
}

#[test]
fn a_character_that_stands_for_several_is_read_whole_or_not_at_all() {
    let spans = |text: &str| -> Vec<_> { find(text).into_iter().map(|it| it.span).collect() };
    assert!(spans("£¼%").is_empty());
    assert_eq!(spans("pay £5 in ⑩ days"), [4..7, 11..19]);
    assert_eq!(spans("５ ㎏ or £5"), [0..7, 11..14]);
}

#[test]
fn long_runs_of_anything_are_read() {
    for piece in [
        "1", "a", "1 ", "1,", "$1", "a.", "a@", "GB29 ", "one ", "-", "http://", "(1", "1/1/",
    ] {
        let text = piece.repeat((1 << 17) / piece.len());
        let found = find(&text);
        assert!(found.len() <= text.len());
    }
}

/// Pieces that recognisers care about, so that random texts reach them.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("GB29 NWBK 6016 1331 9268 19".to_owned()),
        Just("gb29 4471 8829".to_owned()),
        Just("account ".to_owned()),
        Just("$5,000".to_owned()),
        Just("thirty ".to_owned()),
        Just(" days".to_owned()),
        Just("May 15, 2001".to_owned()),
        Just("3rd of June".to_owned()),
        Just("at 3:30 pm EST".to_owned()),
        Just("in May 2001".to_owned()),
        Just("at least 5 days".to_owned()),
        Just("up to -$30 or more".to_owned()),
        Just("before 04/03/2026".to_owned()),
        Just("temperature < minus 40 F".to_owned()),
        Just("Flask-Login v0.6.2".to_owned()),
        Just("1.5 GB".to_owned()),
        Just("half a million dollars".to_owned()),
        Just("GB29 NWB\u{41a} 6016 1331 9268 19".to_owned()),
        Just("b.example%a@b.example".to_owned()),
        Just("VAT NL123456789B01".to_owned()),
        Just("713-853-1234".to_owned()),
        Just("a@b.example".to_owned()),
        Just("https://ex.com/é?q=1)".to_owned()),
        Just("==1.2".to_owned()),
        Just("\u{200b}".to_owned()),
        "[0-9,.$%/ -]{1,8}",
        "\\PC{0,6}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn any_text_gives_ordered_disjoint_spans_on_characters(text in prop_oneof![pieces(), any::<String>()]) {
        let found = find(&text);
        prop_assert_eq!(&found, &find(&text), "deterministic");
        let mut end = 0;
        for it in &found {
            prop_assert!(text.get(it.span.clone()).is_some_and(|it| !it.is_empty()));
            prop_assert!(it.span.start >= end);
            prop_assert!(!it.literal.value.is_empty());
            end = it.span.end;
        }
    }

    #[test]
    fn a_canonical_value_is_read_as_itself(text in pieces()) {
        for it in find(&text) {
            // A query may hold a URL of its own, which comes first when no scheme stands before it.
            if it.literal.kind == LiteralKind::Host && it.literal.value.contains("//") {
                continue;
            }
            // An account needs its word, and so does a short reference.
            let alone = match it.literal.kind {
                LiteralKind::Account => format!("account {}", it.literal.value),
                LiteralKind::Identifier => format!("order no. {}", it.literal.value),
                _ => it.literal.value.to_string(),
            };
            let again = find(&alone);
            prop_assert_eq!(again.len(), 1, "{} in {}", it.literal, text);
            prop_assert_eq!(&again[0].literal, &it.literal);
        }
    }
}
