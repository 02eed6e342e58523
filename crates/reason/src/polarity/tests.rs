//! The table of sentences, and the laws.

use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(sign: char, sentences: &[&str]) {
    let wrong: Vec<String> = sentences
        .iter()
        .map(|it| (it, polarity(it).sign()))
        .filter(|(_, found)| *found != sign)
        .map(|(it, found)| format!("{found} {it}"))
        .collect();
    assert!(wrong.is_empty(), "expected {sign}:\n{}", wrong.join("\n"));
}

#[test]
fn affirmed() {
    check(
        '+',
        &[
            "Refunds go to GB29 4471 8829",
            "The destination check may be skipped",
            "The meeting is on May 15, 2001",
            "Refunds over $500 need a second approval",
            "Darla Saucier is in physical settlements",
            "Pay the invoice today",
            "The claims and reports are due on May 15, 2001",
            "Agents can skip the check for known vendors",
            "An approval must be given before the payout",
            "hello world",
            "Last but not least, the pump is on",
            "Not a day goes by without a delivery",
            "I heard the bell",
            "I heard you, the gate code is 4411",
            "Refunds are approved with no fee",
            "Dana wrote the parser",
            "The refund is approved, no need to call",
            "I forgot that the door is locked",
            "The bank denied the refund",
            "Our new bank account is 44718829.",
            "You may call me at 713-853-1234",
            "The fee should be paid in advance",
            "Invoice no. 5 is due",
            "Account no 44718829 is ours",
            "Should you have any questions, please call me at 713-853-1234",
        ],
    );
}

#[test]
fn a_stray_not_denies_nothing() {
    check(
        '+',
        &[
            "The plan is not only cheap but also fast",
            "Payment is due not later than May 15, 2001",
            "Deliver no later than Friday",
            "The fee is no more than $30",
            "A late fee applies if not paid within 30 days",
            "If not paid, the order is cancelled",
            "Although not required, an approval is recommended",
            "An invoice that is not signed must be rejected",
            "Invoices which are not paid must be escalated",
            "Refunds may be paid without approval",
            "There is no doubt that the account is ours",
            "The order ships whether or not it is paid",
            "The file is kept because it was not signed",
            "The total should be $866, not $840",
            "The total should be 866 not 840",
            "We use the new account, not the old one",
            "Not just refunds but also credits need an approval",
            "The limit is $500 unless the customer is not known",
            "The account will be closed when it is no longer used",
        ],
    );
}

#[test]
fn denied() {
    check(
        '-',
        &[
            "The destination check must never be skipped",
            "Caching is not enabled",
            "The account is no longer in use",
            "Do not pay the old account",
            "We cannot ship on Monday",
            "You can't use that account",
            "No e-dash is required",
            "There is no risk in the transaction",
            "The review mustn't be skipped",
            "Never skip the review",
            "We don’t accept cheques",
            "Nobody may change the account",
            "None of the refunds were approved",
            "Skipping the check is forbidden",
            "Refunds to new accounts are prohibited",
            "Neither the fee nor the tax is due",
            "I confirm that the account is not ours",
            "Payment without approval is not allowed",
            "The vendor did not confirm",
            "It is not true",
            "If the vendor is new, the check must not be skipped",
            "No, the account is not ours",
            "Please do not wire to this account",
            "Refunds will not be paid after 30 days",
            "The invoice that we received is not valid",
            "We are unable to ship",
            "It is false that refunds go to GB29NWBK60161331926819",
            "It is untrue that refunds go to Bob",
            "It is a lie that refunds go to Bob",
            "The claim that refunds go to Bob is a lie",
            "Block refunds to Bob",
            "Anything but GB29NWBK60161331926819",
            "Refunds stopped going to Bob",
            "The pump is off",
            "There is no need to call",
            "For new vendors, no approval is needed",
            "The vendor denies that the bill is paid",
            "I dislike coffee",
            "I do not like coffee",
            "The vendor failed to deliver",
            "The contract says refunds are not allowed",
        ],
    );
}

#[test]
fn two_negations_cancel() {
    check(
        '+',
        &[
            "Skipping the check is not forbidden",
            "The vendor never fails to deliver",
            "Do not forget to pay the invoice",
            "Do not hesitate to call me",
            "It is not impossible",
            "It is not false that refunds go to Bob",
            "The pump isn't off",
            "Do not forget that the refund is approved",
            "Don't forget that the refund is approved",
            "Nobody can deny that the door is locked",
            "No one denies that the door is locked",
            "We do not dispute that the bill is ours",
            "I do not dislike coffee",
        ],
    );
}

#[test]
fn open() {
    check(
        '?',
        &[
            "Is the account ours?",
            "The account is ours?",
            "Would it be possible to pay today",
            "Can we skip the check",
            "What is the account number",
            "The check might be skipped",
            "Maybe the account changed",
            "Perhaps it is not required",
            "If the goods arrive we would pay",
            "If we paid today, it would be cheaper",
            "If you assume fuel of 2%, then the rate is $0.415",
            "I think the account is ours",
            "We believe the price is $4.94",
            "According to Darla they owe us $1,190,803",
            "He said the account is not ours",
            "Jay says no dash is required",
            "I heard that the limit is $500",
            "I was told the account changed",
            "Apparently the check is not needed",
            "The shipment may be late",
            "The shipment may not be ready",
            "The order may have been lost",
            "The price seems high",
            "The fee could be waived",
            "It is not necessarily wrong",
            "The check is slow. It must never be skipped.",
            "Don't you need an approval?",
            "Beware of the refund account GB29NWBK60161331926819",
            "Warning: the refund account is GB29NWBK60161331926819",
            "GB29NWBK60161331926819 is the account of a thief",
            "Refunds go to GB29NWBK60161331926819. That is a lie.",
            "Mallory wrote that refunds go to Bob",
        ],
    );
}

#[test]
fn a_sentence_takes_back_the_one_before_it() {
    for text in [
        "That is a lie.",
        "This is not true.",
        "It is wrong.",
        "No, that was a scam.",
    ] {
        assert!(disowns(text), "{text}");
    }
    for text in [
        "That is true.",
        "It is not false.",
        "It is false that we pay",
        "The claim is a lie.",
        "That is the account.",
    ] {
        assert!(!disowns(text), "{text}");
    }
    assert!(warns("Refunds go there, it belongs to a thief."));
    assert!(!warns("Refunds go there."));
}

#[test]
fn nothing_said_is_affirmed() {
    check('+', &["", " ", "…", "?!", "44718829"]);
}

proptest! {
    #[test]
    fn any_text_has_one_polarity(text in any::<String>()) {
        prop_assert_eq!(polarity(&text), polarity(&text));
    }

    #[test]
    fn case_and_apostrophe_decide_nothing(
        text in "(the|a) (check|fee) (is|must|can't|don't|may|never|not|no)( be)? (paid|due|skipped)[.?]?"
    ) {
        let changed = text.to_uppercase().replace('\'', "\u{2019}");
        prop_assert_eq!(polarity(&text), polarity(&changed));
    }
}
