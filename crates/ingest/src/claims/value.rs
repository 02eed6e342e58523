//! Values of things: amounts, quantities, percentages, numbers, terms.

use immune_model::{Literal, LiteralKind};
use immune_reason::literal::Found;

use super::phrase::{self, Owner, Phrase};
use super::{Clause, Out, Rule, sorted};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "value",
        subject: "[entity/]topic.price, .amount, .quantity, .percentage, .number, .version, .address",
        example: "The refund limit is $500.",
        finds: "refund_limit.amount +",
        counter_example: "It is $500.",
    },
    Rule {
        name: "term",
        subject: "[entity/]topic.term",
        example: "Refunds are paid within thirty days.",
        finds: "refund.term +",
        counter_example: "We are talking within thirty days.",
    },
    Rule {
        name: "price-of",
        subject: "[entity/]topic.price, .amount",
        example: "We agreed on a settlement offer of $4.2 million.",
        finds: "settlement_offer.amount +",
        counter_example: "We talked about a couple of $4 lunches.",
    },
];

const COPULAS: &str = "is are was were equals = totals remains";
/// Words that may stand between the verb and the value.
const FILLERS: &str = "\
    now only exactly approximately about roughly around currently still at set up to be been \
    a an total of the approx approx. $ ~ = : - again just also less more than most least \
    over under nearly almost raised increased lowered reduced changed updated extended no not fixed capped limited #";
const PRICES: &str = "price prices rate rates";
const SUMS: &str = "\
    price rate fee cost charge offer bid value settlement balance exposure payment limit \
    budget deposit total amount discount refund";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    value(clause, out);
    term(clause, out);
    price_of(clause, out);
}

/// Whether all between two places are filler words.
pub(super) fn only(clause: &Clause<'_>, from: usize, to: usize, fillers: &str) -> bool {
    from <= to
        && clause
            .words
            .iter()
            .filter(|it| it.span.start >= from && it.span.end <= to)
            .all(|it| it.is(fillers))
}

/// The attribute that a literal is a value of.
pub(super) fn attribute(phrase: &Phrase, found: &Found) -> Option<&'static str> {
    Some(match found.literal.kind {
        LiteralKind::Amount if phrase::listed(PRICES, phrase.noun()) => "price",
        LiteralKind::Amount => "amount",
        LiteralKind::Quantity => "quantity",
        LiteralKind::Percentage => "percentage",
        LiteralKind::Identifier => "number",
        LiteralKind::Package => "version",
        LiteralKind::Host => "address",
        LiteralKind::Hash => "hash",
        LiteralKind::Email if phrase.owner == Owner::Nobody => "email",
        LiteralKind::Phone if phrase.owner == Owner::Nobody => "phone",
        // Accounts and dates have rules of their own, and so has how somebody is reached.
        _ => return None,
    })
}

/// The topic of a value: the noun is left out where the attribute says it again.
pub(super) fn topic(phrase: &Phrase, attribute: &str) -> Option<String> {
    let repeated = match attribute {
        "price" => phrase::listed(PRICES, phrase.noun()),
        "date" => phrase.noun() == "date" || phrase.noun() == "dates",
        "percentage" => phrase.noun() == "percentage",
        "number" => phrase.noun() == "number" || phrase.noun() == "numbers",
        _ => false,
    };
    repeated
        .then(|| phrase.without_noun())
        .flatten()
        .or_else(|| phrase.topic())
}

pub(super) fn push(
    rule: &'static str,
    clause: &Clause<'_>,
    (phrase, attribute): (&Phrase, &str),
    value: Option<&Found>,
    out: &mut Out,
) {
    let subject =
        topic(phrase, attribute).and_then(|topic| clause.subject(phrase, &topic, attribute));
    match value {
        Some(value) => {
            let literals = literals(clause, value);
            out.push_with(rule, subject, clause.text, clause.polarity, literals);
        }
        None => out.push(rule, subject, clause),
    }
}

/// `The refund limit is $500`.
fn value(clause: &Clause<'_>, out: &mut Out) {
    for (at, verb) in clause.words.iter().enumerate() {
        // `The two amounts total $500`; in `the total $500` it is a noun.
        let totals = verb.is("total")
            && at
                .checked_sub(1)
                .and_then(|at| clause.word(at))
                .is_some_and(|it| it.lower.ends_with('s'));
        let is_verb = verb.is(COPULAS)
            || totals
            || (verb.is("be been")
                && at > 0
                && clause.is_at(at - 1, "will has have should must shall would"));
        if !is_verb {
            continue;
        }
        let Some(found) = clause
            .found
            .iter()
            .find(|it| it.span.start >= verb.span.end)
        else {
            return;
        };
        if !only(clause, verb.span.end, found.span.start, FILLERS) {
            continue;
        }
        let end = if verb.is("be been") { at - 1 } else { at };
        let Some(phrase) = phrase::before(&clause.words, end) else {
            continue;
        };
        // A bare number is the value of what the clause is about, not of what stands near it.
        let bare = found.literal.kind == LiteralKind::Quantity
            && found
                .literal
                .value
                .bytes()
                .all(|it| it.is_ascii_digit() || it == b'.');
        if clause.is_conditional(&phrase) || !clause.opens(&phrase) || (bare && phrase.start > 0) {
            continue;
        }
        if let Some(attribute) = attribute(&phrase, found) {
            push("value", clause, (&phrase, attribute), Some(found), out);
            return;
        }
    }
}

/// `Refunds are paid within thirty days`.
fn term(clause: &Clause<'_>, out: &mut Out) {
    let Some(at) = clause.position("within") else {
        return;
    };
    let Some(word) = clause.word(at) else { return };
    let length = clause.found.iter().find(|it| {
        it.literal.kind == LiteralKind::Quantity
            && it.span.start >= word.span.end
            && only(
                clause,
                word.span.end,
                it.span.start,
                "about at most the next",
            )
    });
    let verb = clause.position("is are will must shall should may can");
    let (Some(_), Some(verb)) = (length, verb.filter(|verb| *verb < at)) else {
        return;
    };
    let Some(phrase) = phrase::before(&clause.words, verb) else {
        return;
    };
    if clause.is_conditional(&phrase) || !clause.opens(&phrase) {
        return;
    }
    let subject = phrase
        .kind()
        .and_then(|kind| clause.subject(&phrase, &kind, "term"));
    out.push("term", subject, clause);
}

/// The literals that a claim of this value carries: the value, others of its kind in the same list
/// (`557869 and 514056`), and those of other kinds up to where something else is said. An amount
/// that another half of the sentence speaks of is not its value.
pub(super) fn literals(clause: &Clause<'_>, value: &Found) -> Vec<Literal> {
    let mut listed = vec![value.span.clone()];
    let mut end = value.span.end;
    for it in clause
        .found
        .iter()
        .filter(|it| it.span.start >= value.span.end)
    {
        let joined = only(
            clause,
            end,
            it.span.start,
            "and or , / & to - through until plus",
        );
        if it.literal.kind != value.literal.kind || !joined {
            break;
        }
        listed.push(it.span.clone());
        end = it.span.end;
    }
    let other = clause.words.iter().find(|it| {
        it.span.start >= end && it.is("and but , ; : ( instead versus vs rather not which")
    });
    let end = other.map_or(clause.text.len(), |it| it.span.start);
    let kept = clause.found.iter().filter(|it| {
        listed.contains(&it.span) || (it.literal.kind != value.literal.kind && it.span.end <= end)
    });
    sorted(kept.map(|it| it.literal.clone()).collect())
}

/// `a settlement offer of $4.2 million`; the noun alone says too little.
fn price_of(clause: &Clause<'_>, out: &mut Out) {
    for (at, noun) in clause.words.iter().enumerate() {
        if !noun.is(SUMS) || !clause.is_at(at + 1, "of") {
            continue;
        }
        let from = clause.word(at + 1).map_or(0, |it| it.span.end);
        let amount = clause
            .found
            .iter()
            .find(|it| it.span.start >= from && it.literal.kind == LiteralKind::Amount);
        let Some(amount) = amount.filter(|it| only(clause, from, it.span.start, FILLERS)) else {
            continue;
        };
        let Some(phrase) = phrase::compound(&clause.words, at) else {
            continue;
        };
        let phrase = phrase.without_estimates();
        if phrase.head.len() < 2 {
            continue;
        }
        if let Some(attribute) = attribute(&phrase, amount) {
            push("price-of", clause, (&phrase, attribute), Some(amount), out);
        }
    }
}
