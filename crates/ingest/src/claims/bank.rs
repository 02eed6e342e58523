//! Where money goes: bank details and the destination of refunds.

use super::phrase::{self, Owner};
use super::{Clause, Out, Rule, is_destination, sorted};
use immune_model::LiteralKind;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "refund-destination",
        subject: "[entity/]refund.destination",
        example: "Refunds go to GB29 NWBK 6016 1331 9268 19.",
        finds: "refund.destination +",
        counter_example: "Refunds go out on Fridays.",
    },
    Rule {
        name: "payment-account",
        subject: "[entity/]payment.account",
        example: "Our new bank account is 44718829.",
        finds: "acme_com/payment.account +",
        counter_example: "Our new bank is across the street.",
    },
];

const REFUND: &str = "\
    refund refunds refunded reimbursement reimbursements rebate rebates chargeback \
    chargebacks";
const MONEY: &str = "\
    bank banking wire wires wired transfer transfers remit remittance deposit pay paid \
    payment payments payable routing aba iban swift beneficiary funds money payout payouts \
    invoice invoices";
const ORDERS: &str = "wire pay remit send transfer deposit use make route direct";
const ACCOUNT: &str = "account acct iban details wallet address";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    let Some(literal) = clause.found.iter().find(|it| is_destination(it)) else {
        return;
    };
    let owner = owner(clause);
    let Some(entity) = clause.entity(&owner) else {
        return;
    };
    // Every account that is named belongs to the claim: one with the true and a false account
    // contradicts the true one.
    let named_accounts = clause.found.iter().filter(|it| is_destination(it));
    let literals = sorted(named_accounts.map(|it| it.literal.clone()).collect());
    if clause.has(REFUND) {
        let subject = phrase::subject(named(&owner, entity).as_deref(), "refund", "destination");
        out.push_with(
            "refund-destination",
            subject,
            clause.text,
            clause.polarity,
            literals,
        );
        return;
    }
    // An account number may be that of a customer or a login; an IBAN is not.
    let is_payment = clause.has(MONEY)
        || owner != Owner::Nobody
        || (literal.literal.kind != LiteralKind::Account
            && (clause.has(ACCOUNT) || orders(clause)));
    if is_payment {
        let entity = entity.or_else(|| orders(clause).then(|| clause.sender_domain()).flatten());
        let subject = phrase::subject(entity.as_deref(), "payment", "account");
        out.push_with(
            "payment-account",
            subject,
            clause.text,
            clause.polarity,
            literals,
        );
    }
}

/// Refunds are one topic whoever speaks of them; only a named party has its own.
fn named(owner: &Owner, entity: Option<String>) -> Option<String> {
    entity.filter(|_| matches!(owner, Owner::Named(_) | Owner::Before))
}

/// Whose account it is.
fn owner(clause: &Clause<'_>) -> Owner {
    for (at, word) in clause.words.iter().enumerate() {
        if !word.is(ACCOUNT) && !word.is("bank") {
            continue;
        }
        let Some(phrase) = phrase::before(&clause.words, at + 1) else {
            continue;
        };
        if phrase.owner != Owner::Nobody {
            return phrase.owner;
        }
        // `the account of Acme is`: it is named after the noun.
        if clause.is_at(at + 1, "of for") {
            let name: Vec<&str> = clause
                .words
                .iter()
                .skip(at + 2)
                .take_while(|it| it.is_proper())
                .map(|it| it.text)
                .collect();
            if let Some(name) = phrase::name_of(&name.join(" ")) {
                return Owner::Named(name);
            }
        }
    }
    if clause.has("us our") {
        Owner::Ours
    } else if clause.has("me my") {
        Owner::Sender
    } else {
        Owner::Nobody
    }
}

/// Whether the clause tells the reader where to pay.
fn orders(clause: &Clause<'_>) -> bool {
    let first = clause
        .words
        .iter()
        .find(|it| !it.is("please kindly and so then do not don't never"));
    first.is_some_and(|it| it.is(ORDERS))
}
