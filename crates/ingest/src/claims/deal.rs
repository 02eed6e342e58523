//! What is owed, offered, paid and charged, and values that are changed.

use immune_model::{Literal, LiteralKind};

use super::phrase::{self, Phrase};
use super::value::{attribute, literals, only, topic};
use super::{Clause, Out, Rule, sorted};

pub(super) const RULES: &[Rule] = &[
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
        name: "change",
        subject: "[entity/]topic.amount, .price, .number",
        example: "Please change the demand fee from $33,239.39 to $22,159.22.",
        finds: "demand_fee.amount +",
        counter_example: "Please change the meeting from Monday to Friday.",
    },
];

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    change(clause, out);
    owed(clause, out);
    paid(clause, out);
}

/// The phrase after `for`, with the month or the kind that tells it apart.
fn for_what(clause: &Clause<'_>, from: usize) -> Option<Phrase> {
    let at = clause
        .words
        .iter()
        .position(|it| it.span.start >= from && it.is("for"))?;
    let first = clause.words.iter().position(|it| it.span.start >= from)?;
    if at > first + 4 {
        return None;
    }
    let what: Vec<_> = clause
        .words
        .iter()
        .skip(at + 1)
        .take_while(|it| {
            it.text.chars().any(char::is_alphanumeric)
                && !it.is("on in at by and that which from with as to but")
        })
        .take(6)
        .cloned()
        .collect();
    phrase::phrase(&what).filter(|it| !it.is_period())
}

/// `They owe us $1,190,803 for December gas`.
fn owed(clause: &Clause<'_>, out: &mut Out) {
    let Some(at) = clause.position("owe owes owed owing") else {
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
        "us you them him her me only about approximately still now",
    ) {
        return;
    }
    let topic = for_what(clause, amount.span.end)
        .and_then(|it| it.topic())
        .or_else(|| {
            phrase::before(&clause.words, at)
                .filter(|it| it.is_proper)
                .and_then(|it| it.topic())
        });
    let subject = topic.and_then(|topic| phrase::subject(None, &topic, "owed"));
    let literals = literals(clause, amount);
    out.push_with("owed", subject, clause.text, clause.polarity, literals);
}

/// `Pioneer has offered $2mm for the Gomez lateral`.
fn paid(clause: &Clause<'_>, out: &mut Out) {
    const VERBS: &[(&str, &str)] = &[
        ("offer", "offered offers offer"),
        ("paid", "paid pays"),
        ("charge", "charged charges invoiced billed"),
        ("cost", "costs cost"),
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
            "us you them only about approximately roughly up to $",
        );
        if !near {
            continue;
        }
        let what = if *attribute == "cost" {
            phrase::before(&clause.words, at)
        } else {
            for_what(clause, amount.span.end)
        };
        let Some(what) = what else {
            continue;
        };
        let subject = what
            .topic()
            .filter(|topic| !phrase::is_generic(topic))
            .and_then(|topic| clause.subject(&what, &topic, attribute));
        let literals = literals(clause, amount);
        out.push_with("paid", subject, clause.text, clause.polarity, literals);
        return;
    }
}

/// `change the demand fee from $33,239.39 to $22,159.22`: the claim is the new value.
fn change(clause: &Clause<'_>, out: &mut Out) {
    const VERBS: &str = "change changed raise raised lower lowered increase increased reduce \
        reduced amend amended set extend extended";
    let Some(verb) = clause.position(VERBS) else {
        return;
    };
    let Some(start) = clause.word(verb).map(|it| it.span.end) else {
        return;
    };
    let supposed = clause.words.iter().take(verb).rev().take(4);
    if supposed.into_iter().any(|it| it.is("would could might if")) {
        return;
    }
    // The value after the last `to` is the new one; one after `from` is the old one.
    let new = clause.found.iter().find(|it| {
        let before = clause.slice(start, it.span.start).trim_end();
        it.span.start >= start && before.ends_with(" to")
    });
    let Some(new) = new else { return };
    let old = clause.found.iter().find(|it| {
        it.literal.kind == new.literal.kind
            && it.span.end <= new.span.start
            && clause
                .slice(start, it.span.start)
                .trim_end()
                .ends_with("from")
    });
    let to = clause
        .words
        .iter()
        .position(|it| it.is("from to") && it.span.start >= start);
    let Some(to) = to else { return };
    let phrase = changed(clause, verb, to);
    let Some(phrase) = phrase else { return };
    let Some(attribute) = attribute(&phrase, new) else {
        return;
    };
    // `Deal 529856 - change the fee`: what stands before the dash tells which fee.
    let of = clause
        .found
        .iter()
        .find(|it| it.literal.kind == LiteralKind::Identifier && it.span.end < start)
        .filter(|it| {
            clause
                .slice(it.span.end, start)
                .trim_start()
                .starts_with(['-', ':'])
        })
        .and_then(|it| phrase::name_of(clause.slice(0, it.span.end)));
    let subject = topic(&phrase, attribute)
        .and_then(|topic| match of {
            Some(of) => phrase::name_of(&format!("{of}_{topic}")),
            None => Some(topic),
        })
        .and_then(|topic| clause.subject(&phrase, &topic, attribute));
    // Which one is meant (`on deal 157278`) belongs to the claim, the old value does not.
    let literals: Vec<Literal> = clause
        .found
        .iter()
        .filter(|it| old.is_none_or(|old| it.span != old.span) && it.span.start <= new.span.start)
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

/// What a change is of: the words between the verb and `from` or `to`, or the subject of a verb
/// in the passive.
fn changed(clause: &Clause<'_>, verb: usize, to: usize) -> Option<phrase::Phrase> {
    let object = clause.words.get(verb + 1..to).unwrap_or(&[]);
    if object.is_empty() {
        let mut end = verb;
        while end > 0 && clause.is_at(end - 1, "is are was were been has have had being") {
            end -= 1;
        }
        phrase::before(&clause.words, end)
    } else {
        phrase::phrase(object)
    }
}
