//! Values of things: amounts, quantities, dates, what is owed, offered and changed.

use std::sync::LazyLock;

use immune_model::{Literal, LiteralKind};
use immune_reason::literal::Found;
use regex::Regex;

use super::phrase::{self, Phrase};
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
        name: "price-of",
        subject: "[entity/]topic.price, .amount",
        example: "We agreed on a settlement offer of $4.2 million.",
        finds: "settlement_offer.amount +",
        counter_example: "We talked about a couple of $4 lunches.",
    },
    Rule {
        name: "owed",
        subject: "topic.owed",
        example: "They owe us $1,190,803 for December gas.",
        finds: "december_gas.owed +",
        counter_example: "They owe us an answer.",
    },
    Rule {
        name: "paid",
        subject: "topic.offer, .paid, .charge, .cost",
        example: "Pioneer has offered $2mm for the Gomez lateral.",
        finds: "gomez_lateral.offer +",
        counter_example: "Pioneer has offered to help for $2.",
    },
    Rule {
        name: "date",
        subject: "[entity/]topic.date, .due, .expiry, .start, .end, .effective",
        example: "The meeting is on May 15, 2001.",
        finds: "meeting.date +",
        counter_example: "I will see you on May 15, 2001.",
    },
    Rule {
        name: "change",
        subject: "[entity/]topic.amount, .price, .number",
        example: "Please change the demand fee from $33,239.39 to $22,159.22.",
        finds: "demand_fee.amount +",
        counter_example: "Please change the meeting from Monday to Friday.",
    },
];

const COPULAS: &[&str] = &[
    "is", "are", "was", "were", "equals", "=", "totals", "remains",
];
/// Words that may stand between the verb and the value.
const FILLERS: &[&str] = &[
    "now",
    "only",
    "exactly",
    "approximately",
    "about",
    "roughly",
    "around",
    "currently",
    "still",
    "at",
    "set",
    "up",
    "to",
    "be",
    "been",
    "a",
    "an",
    "total",
    "of",
    "the",
    "approx",
    "approx.",
    "$",
    "~",
    "=",
    ":",
    "-",
    "again",
    "just",
    "also",
    "less",
    "more",
    "than",
    "most",
    "least",
    "over",
    "under",
    "nearly",
    "almost",
    "no",
    "not",
    "fixed",
    "capped",
    "limited",
    "#",
];
const DATE_FILLERS: &[&str] = &[
    "now",
    "set",
    "for",
    "on",
    "scheduled",
    "planned",
    "held",
    "moved",
    "to",
    "be",
    "been",
    "postponed",
    "rescheduled",
    "due",
    "by",
    "is",
    "are",
    "was",
    "no",
    "later",
    "than",
    "not",
    "effective",
    "as",
    "of",
    "until",
    "the",
    ":",
    ",",
    "(",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "still",
    "also",
    "in",
    "from",
    "starting",
];
const PRICES: &[&str] = &["price", "prices", "rate", "rates"];
const SUMS: &[&str] = &[
    "price",
    "rate",
    "fee",
    "cost",
    "charge",
    "offer",
    "bid",
    "value",
    "settlement",
    "balance",
    "exposure",
    "payment",
    "limit",
    "budget",
    "deposit",
    "total",
    "amount",
    "discount",
    "refund",
];
/// `May 15`, for a date whose year goes without saying; it is no literal.
static DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?\s[0-9]{1,2}(?:st|nd|rd|th)?(?-u:\b)")
        .expect("a tested pattern")
});

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    change(clause, out);
    owed(clause, out);
    paid(clause, out);
    value(clause, out);
    price_of(clause, out);
    date(clause, out);
}

/// Whether all between two places are filler words.
fn only(clause: &Clause<'_>, from: usize, to: usize, fillers: &[&str]) -> bool {
    from <= to
        && clause
            .words
            .iter()
            .filter(|it| it.span.start >= from && it.span.end <= to)
            .all(|it| it.is(fillers))
}

/// The attribute that a literal is a value of.
fn attribute(phrase: &Phrase, found: &Found) -> Option<&'static str> {
    Some(match found.literal.kind {
        LiteralKind::Amount if PRICES.contains(&phrase.noun()) => "price",
        LiteralKind::Amount => "amount",
        LiteralKind::Quantity => "quantity",
        LiteralKind::Percentage => "percentage",
        LiteralKind::Identifier => "number",
        LiteralKind::Package => "version",
        LiteralKind::Host => "address",
        LiteralKind::Hash => "hash",
        // Accounts, numbers to call and dates have rules of their own.
        _ => return None,
    })
}

/// The topic of a value: a price is that of the thing, the rest keep their noun.
fn topic(phrase: &Phrase, attribute: &str) -> Option<String> {
    if attribute == "price" {
        return phrase.without_noun().or_else(|| phrase.topic());
    }
    phrase.topic()
}

fn push(rule: &'static str, clause: &Clause<'_>, phrase: &Phrase, attribute: &str, out: &mut Out) {
    let subject =
        topic(phrase, attribute).and_then(|topic| clause.subject(phrase, &topic, attribute));
    out.push(rule, subject, clause);
}

/// `The refund limit is $500`.
fn value(clause: &Clause<'_>, out: &mut Out) {
    for (at, verb) in clause.words.iter().enumerate() {
        let is_verb = verb.is(COPULAS)
            || (verb.is(&["be", "been"])
                && at > 0
                && clause.is_at(at - 1, &["will", "has", "have"]));
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
        let end = if verb.is(&["be", "been"]) { at - 1 } else { at };
        let Some(phrase) = phrase::before(&clause.words, end) else {
            continue;
        };
        if let Some(attribute) = attribute(&phrase, found) {
            push("value", clause, &phrase, attribute, out);
            return;
        }
    }
}

/// `a settlement offer of $4.2 million`; the noun alone says too little.
fn price_of(clause: &Clause<'_>, out: &mut Out) {
    for (at, noun) in clause.words.iter().enumerate() {
        if !noun.is(SUMS) || !clause.is_at(at + 1, &["of"]) {
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
        let Some(mut phrase) = phrase::before(&clause.words, at + 1) else {
            continue;
        };
        // Only the noun and what is before it in its own phrase: `gas at a fixed price`.
        if !phrase.rest.is_empty() {
            phrase.head = std::mem::take(&mut phrase.rest);
        }
        phrase
            .head
            .retain(|it| !matches!(it.as_str(), "fixed" | "net" | "average" | "final" | "nice"));
        if phrase.noun() != noun.lower || phrase.is_generic() || phrase.head.len() < 2 {
            continue;
        }
        if let Some(attribute) = attribute(&phrase, amount) {
            push("price-of", clause, &phrase, attribute, out);
        }
    }
}

/// The phrase after `for`, with the month or the kind that tells it apart.
fn for_what(clause: &Clause<'_>, from: usize) -> Option<Phrase> {
    let at = clause
        .words
        .iter()
        .position(|it| it.span.start >= from && it.is(&["for"]))?;
    let what: Vec<_> = clause
        .words
        .iter()
        .skip(at + 1)
        .take_while(|it| {
            it.text.chars().any(char::is_alphanumeric)
                && !it.is(&[
                    "on", "in", "at", "by", "and", "that", "which", "from", "with", "as", "to",
                    "but",
                ])
        })
        .take(6)
        .cloned()
        .collect();
    phrase::phrase(&what)
}

/// `They owe us $1,190,803 for December gas`.
fn owed(clause: &Clause<'_>, out: &mut Out) {
    let Some(at) = clause.position(&["owe", "owes", "owed", "owing"]) else {
        return;
    };
    let Some(verb) = clause.word(at) else { return };
    let amount = clause
        .found
        .iter()
        .find(|it| it.literal.kind == LiteralKind::Amount && it.span.start >= verb.span.end);
    let Some(amount) = amount else { return };
    if !only(
        clause,
        verb.span.end,
        amount.span.start,
        &[
            "us",
            "you",
            "them",
            "him",
            "her",
            "me",
            "only",
            "about",
            "approximately",
            "still",
            "now",
        ],
    ) {
        return;
    }
    let topic = for_what(clause, amount.span.end)
        .and_then(|it| it.topic())
        .or_else(|| phrase::before(&clause.words, at).and_then(|it| it.topic()));
    let subject = topic.and_then(|topic| phrase::subject(None, &topic, "owed"));
    out.push("owed", subject, clause);
}

/// `Pioneer has offered $2mm for the Gomez lateral`.
fn paid(clause: &Clause<'_>, out: &mut Out) {
    const VERBS: &[(&str, &[&str])] = &[
        ("offer", &["offered", "offers", "offer"]),
        ("paid", &["paid", "pays"]),
        ("charge", &["charged", "charges", "invoiced", "billed"]),
        ("cost", &["costs", "cost"]),
    ];
    for (at, verb) in clause.words.iter().enumerate() {
        let Some((attribute, _)) = VERBS.iter().find(|(_, forms)| verb.is(forms)) else {
            continue;
        };
        let amount = clause
            .found
            .iter()
            .find(|it| it.literal.kind == LiteralKind::Amount && it.span.start >= verb.span.end);
        let Some(amount) = amount else { continue };
        let near = only(
            clause,
            verb.span.end,
            amount.span.start,
            &[
                "us",
                "you",
                "them",
                "only",
                "about",
                "approximately",
                "roughly",
                "up",
                "to",
                "$",
            ],
        );
        if !near {
            continue;
        }
        let what = if *attribute == "cost" {
            phrase::before(&clause.words, at)
        } else {
            for_what(clause, amount.span.end)
        };
        let Some(what) = what.filter(|it| !it.is_generic()) else {
            continue;
        };
        let subject = what
            .topic()
            .and_then(|topic| clause.subject(&what, &topic, attribute));
        out.push("paid", subject, clause);
        return;
    }
}

/// Where the clause names a day: a date, or a month and a day.
fn days(clause: &Clause<'_>) -> Vec<std::ops::Range<usize>> {
    let mut days: Vec<_> = clause
        .found
        .iter()
        .filter(|it| it.literal.kind == LiteralKind::Date)
        .map(|it| it.span.clone())
        .collect();
    days.extend(DAY.find_iter(clause.text).map(|it| it.range()));
    days.sort_by_key(|it| it.start);
    days
}

/// `The meeting is on May 15, 2001`, `Comments are due by …`, `effective …`.
fn date(clause: &Clause<'_>, out: &mut Out) {
    const VERBS: &[(&str, &[&str])] = &[
        ("due", &["due"]),
        ("expiry", &["expires", "expire", "expired"]),
        ("end", &["ends", "end", "terminates", "closes"]),
        (
            "start",
            &["begins", "begin", "starts", "start", "commences", "opens"],
        ),
        ("effective", &["effective"]),
        ("date", &["is", "are", "was", "were"]),
    ];
    let days = days(clause);
    if days.is_empty() {
        return;
    }
    for (attribute, forms) in VERBS {
        for (at, verb) in clause.words.iter().enumerate() {
            if !verb.is(forms) {
                continue;
            }
            let near = days
                .iter()
                .find(|it| it.start >= verb.span.end)
                .is_some_and(|it| only(clause, verb.span.end, it.start, DATE_FILLERS));
            if !near {
                continue;
            }
            // `is due`: the phrase stands before the whole verb.
            let mut end = at;
            while end > 0
                && clause.is_at(
                    end - 1,
                    &[
                        "is", "are", "was", "were", "be", "will", "(", ",", "not", "now",
                    ],
                )
            {
                end -= 1;
            }
            let phrase = phrase::before(&clause.words, end).or_else(|| {
                // `It changed to 33323001 effective October 1`: what the clause is about.
                (*attribute == "effective")
                    .then(|| subject_phrase(clause))
                    .flatten()
            });
            let Some(phrase) = phrase.filter(|it| !is_person(it)) else {
                continue;
            };
            push("date", clause, &phrase, attribute, out);
            return;
        }
    }
}

/// The phrase before the first verb of the clause.
fn subject_phrase(clause: &Clause<'_>) -> Option<Phrase> {
    let verb = clause.position(&[
        "is", "are", "was", "were", "has", "have", "had", "will", "shall", "must", "may", "can",
        "changed", "changes", "moves", "becomes", "applies", "goes",
    ])?;
    phrase::before(&clause.words, verb)
}

/// Whether the phrase is a person: two names and nothing else.
fn is_person(phrase: &Phrase) -> bool {
    phrase.is_proper && !phrase.is_definite && phrase.head.len() == 2 && phrase.rest.is_empty()
}

/// `change the demand fee from $33,239.39 to $22,159.22`: the claim is the new value.
fn change(clause: &Clause<'_>, out: &mut Out) {
    let Some(from) = clause.position(&["from"]) else {
        return;
    };
    let Some(word) = clause.word(from) else {
        return;
    };
    let mut after = clause
        .found
        .iter()
        .filter(|it| it.span.start >= word.span.end);
    let (Some(old), Some(new)) = (after.next(), after.next()) else {
        return;
    };
    let changes = clause.words.iter().take(from).position(|it| {
        it.is(&[
            "change",
            "changed",
            "raise",
            "raised",
            "lower",
            "lowered",
            "increase",
            "increased",
            "reduce",
            "reduced",
            "amend",
            "amended",
        ])
    });
    let Some(verb) = changes else { return };
    let joined = clause.slice(old.span.end, new.span.start).trim() == "to";
    if !joined || old.literal.kind != new.literal.kind {
        return;
    }
    // What is changed stands after the verb, or before a verb that has no object.
    let object = clause.words.get(verb + 1..from).unwrap_or(&[]);
    let phrase = if object.is_empty() {
        phrase::before(&clause.words, verb)
    } else {
        phrase::phrase(object)
    };
    let Some(phrase) = phrase else { return };
    let Some(attribute) = attribute(&phrase, new) else {
        return;
    };
    let subject =
        topic(&phrase, attribute).and_then(|topic| clause.subject(&phrase, &topic, attribute));
    // Which one is meant (`on deal 157278`) belongs to the claim, the old value does not.
    let literals: Vec<Literal> = clause
        .found
        .iter()
        .filter(|it| it.span != old.span)
        .map(|it| it.literal.clone())
        .collect();
    out.push_with(
        "change",
        subject,
        clause.text,
        clause.polarity,
        sorted(literals),
    );
}
