//! Plain facts: who or what something is, and which state it is in.

use immune_model::{Literal, LiteralKind, Polarity};

use super::phrase::{self, Owner, Phrase};
use super::{Clause, Out, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "fact",
        subject: "entity/fact.is",
        example: "Darla Saucier is in physical settlements.",
        finds: "darla_saucier/fact.is +",
        counter_example: "Tony is out of the office this morning.",
    },
    Rule {
        name: "state",
        subject: "[entity/]topic.state",
        example: "The Gomez lateral is currently not in service.",
        finds: "gomez_lateral.state -",
        counter_example: "It is closed.",
    },
    Rule {
        name: "slot",
        subject: "entity/topic.value",
        example: "My favourite colour is blue.",
        finds: "jo_at_acme_com/favourite_colour.value +",
        counter_example: "My car is blue.",
    },
    Rule {
        name: "own",
        subject: "entity/fact.topic",
        example: "My user ID is jodoe2.",
        finds: "jo_at_acme_com/fact.user_id +",
        counter_example: "My guess is as good as yours.",
    },
];

const STATES: &str = "\
    enabled disabled closed open available unavailable active inactive valid invalid expired \
    approved complete completed correct incorrect confirmed signed unsigned cancelled \
    canceled terminated suspended obsolete deprecated executed rejected unpaid";
/// What passes by the next day is no fact to remember.
pub(super) const PASSING: &str = "\
    today tomorrow tonight yesterday morning afternoon evening week town vacation meeting \
    office moment trouble touch progress way middle mood order now soon later monday tuesday \
    wednesday thursday friday";
/// Single words that start a sentence with a capital and are no names.
pub(super) const COMMON: &str = "\
    time money location attached below dress cost price everyone everybody somebody someone \
    nobody life work speech access capacity market marketing gas power lunch dinner dealing \
    purpose background objective overview please thanks subject none most many another both \
    neither either such all god enclosed interest exposure monday tuesday wednesday \
    thursday friday saturday sunday january february march april may june july august \
    september october november december";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    if clause.polarity == Polarity::Open {
        return;
    }
    own(clause, out);
    slot(clause, out);
    let Some(verb) = clause.position("is are") else {
        return;
    };
    let Some(phrase) = phrase::before(&clause.words, verb) else {
        return;
    };
    if clause.is_conditional(&phrase) {
        return;
    }
    state(clause, &phrase, verb, out);
    fact(clause, &phrase, verb, out);
    named(clause, &phrase, verb, out);
}

/// `The capital of France is Paris`: a definite thing and a name to the end of the clause.
fn named(clause: &Clause<'_>, phrase: &Phrase, verb: usize, out: &mut Out) {
    let opens = clause
        .words
        .iter()
        .take(phrase.start)
        .all(|it| it.is("and also so , ."));
    if !phrase.is_definite || phrase.owner != Owner::Nobody || !opens {
        return;
    }
    let names: Vec<_> = clause
        .words
        .iter()
        .skip(verb + 1)
        .take_while(|it| !it.is(". ! ;"))
        .collect();
    let is_name = (1..=5).contains(&names.len())
        && names
            .iter()
            .all(|it| it.is_proper() || it.is("of the de van and &"))
        && names
            .iter()
            .any(|it| it.is_proper() && !it.is(PASSING) && !it.is("i"));
    if is_name && !names.iter().any(|it| it.is(PASSING)) {
        let subject = phrase
            .topic()
            .and_then(|topic| phrase::subject(Some(&topic), "fact", "is"));
        // The name is the value: another one disagrees.
        let name = super::person::named(clause, verb + 1).into_iter().collect();
        out.push_with("fact", subject, clause.text, clause.polarity, name);
    }
}

/// What kind of a thing it is, told by a name before an acronym: `a Synology NAS`.
fn make(clause: &Clause<'_>, verb: usize) -> Vec<Literal> {
    let complement: Vec<_> = clause
        .words
        .iter()
        .skip(verb + 2)
        .take_while(|it| it.text.chars().any(char::is_alphanumeric))
        .collect();
    let acronym = |it: &phrase::Word<'_>| {
        it.text.chars().count() > 1
            && it
                .text
                .chars()
                .all(|it| it.is_uppercase() || it.is_numeric())
    };
    let value = match complement[..] {
        [make, what] if acronym(what) => phrase::name_of(make.text),
        _ => None,
    };
    let literal = |it: String| Literal::new(LiteralKind::Identifier, &it.to_uppercase());
    value.map(literal).into_iter().collect()
}

/// `The Gomez lateral is currently not in service`.
fn state(clause: &Clause<'_>, phrase: &Phrase, verb: usize, out: &mut Out) {
    let mut at = verb + 1;
    while clause.is_at(
        at,
        "not no longer currently now still already fully never yet",
    ) {
        at += 1;
    }
    let in_use =
        clause.is_at(at, "in") && clause.is_at(at + 1, "service use effect force place default");
    let known = clause.is_at(at, STATES) || in_use;
    let ends = !clause
        .word(at + 1)
        .is_some_and(|it| it.is("to that for about"));
    if known && (ends || in_use) {
        let subject = phrase
            .topic()
            .and_then(|topic| clause.subject(phrase, &topic, "state"));
        out.push("state", subject, clause);
    }
}

/// `Darla Saucier is in physical settlements`, `The GRI is a voluntary surcharge`.
fn fact(clause: &Clause<'_>, phrase: &Phrase, verb: usize, out: &mut Out) {
    // The phrase has to be the whole start of the clause.
    let start = clause
        .words
        .iter()
        .take(verb)
        .filter(|it| !it.is("the and also ,"))
        .count();
    if phrase.owner != Owner::Nobody || !phrase.rest.is_empty() || start != phrase.head.len() {
        return;
    }
    if !phrase.is_proper || phrase.head.len() > 4 || !is_name(clause, phrase) {
        return;
    }
    let article = clause.is_at(verb + 1, "a an the");
    let placed = clause.is_at(verb + 1, "in at with from located part owned based");
    // Where somebody is today: `Clay is in Australia`.
    let place = clause.is_at(verb + 1, "in at")
        && clause.word(verb + 2).is_some_and(phrase::Word::is_proper);
    let passing = place || clause.words.iter().skip(verb).any(|it| it.is(PASSING));
    let of_talk = clause.words.iter().skip(verb + 2).take(4).any(|it| {
        it.is("\
    problem reason question best only same first last one mess good great bad shame pain")
    });
    let long_enough = clause.words.len() > verb + 2;
    if (article || placed) && !passing && !of_talk && long_enough {
        let entity = phrase::name_of(&phrase.head.join(" "));
        let subject = entity.and_then(|entity| phrase::subject(Some(&entity), "fact", "is"));
        let make = if article {
            make(clause, verb)
        } else {
            Vec::new()
        };
        if make.is_empty() {
            out.push("fact", subject, clause);
        } else {
            out.push_with("fact", subject, clause.text, clause.polarity, make);
        }
    }
}

/// Whether a phrase in capitals at the start of a sentence is a name.
fn is_name(clause: &Clause<'_>, phrase: &Phrase) -> bool {
    if phrase.head.len() > 1 {
        return true;
    }
    let noun = phrase.noun();
    let written = clause.words.iter().find(|it| it.lower == noun);
    let acronym = written.is_some_and(|it| {
        it.text.chars().count() > 1
            && it
                .text
                .chars()
                .all(|it| it.is_uppercase() || it.is_numeric())
    });
    let common = phrase::listed(COMMON, noun)
        || [
            "tion", "ment", "ness", "ity", "ing", "ance", "ence", "ics", "ship", "s",
        ]
        .iter()
        .any(|ending| noun.len() > 5 && noun.ends_with(ending));
    acronym || (!common && !phrase.is_definite)
}

/// `My favourite colour is blue`, `My manager is Dana`: what can be one thing only.
fn slot(clause: &Clause<'_>, out: &mut Out) {
    let Some(verb) = clause.position("is") else {
        return;
    };
    let Some(phrase) = phrase::before(&clause.words, verb) else {
        return;
    };
    let owned = matches!(phrase.owner, Owner::Sender | Owner::Ours | Owner::Named(_));
    let from = verb + 1 + usize::from(clause.is_at(verb + 1, "now still"));
    let value: Vec<_> = clause
        .words
        .iter()
        .skip(from)
        .take_while(|it| !it.is(". ! ; ,"))
        .collect();
    let short = (1..=3).contains(&value.len())
        && value
            .iter()
            .all(|it| it.text.chars().any(char::is_alphanumeric))
        && !value
            .iter()
            .any(|it| it.is(PASSING) || it.starts_phrase_after());
    let favourite = phrase
        .head
        .first()
        .is_some_and(|it| phrase::listed("favourite favorite", it));
    let proper = value.iter().all(|it| it.is_proper());
    if !owned
        || !short
        || !(favourite || proper)
        || !clause.found.is_empty()
        || clause.is_conditional(&phrase)
    {
        return;
    }
    let text: Vec<&str> = value.iter().map(|it| it.text).collect();
    let Some(name) = phrase::name_of(&text.join(" ")) else {
        return;
    };
    let entity = clause.entity(&phrase.owner).flatten();
    let subject = phrase
        .topic()
        .and_then(|topic| phrase::subject(entity.as_deref(), &topic, "value"));
    let literal = Literal::new(LiteralKind::Identifier, &name.to_uppercase());
    out.push_with("slot", subject, clause.text, clause.polarity, vec![literal]);
}

/// `My user ID is jodoe2`: a value that is no typed literal.
fn own(clause: &Clause<'_>, out: &mut Out) {
    let Some(verb) = clause.position("is are") else {
        return;
    };
    let Some(phrase) = phrase::before(&clause.words, verb) else {
        return;
    };
    if !matches!(phrase.owner, Owner::Sender | Owner::Ours | Owner::Named(_))
        || !clause.found.is_empty()
    {
        return;
    }
    let Some(value) = clause.word(verb + 1) else {
        return;
    };
    let coded = value.text.chars().any(|it| it.is_ascii_digit())
        && value.text.chars().any(char::is_alphabetic)
        && value.text.chars().count() >= 4;
    let last = clause
        .word(verb + 2)
        .is_none_or(|it| !it.text.chars().any(char::is_alphanumeric));
    if coded && last {
        let entity = clause.entity(&phrase.owner).flatten();
        let subject = phrase
            .topic()
            .and_then(|topic| phrase::subject(entity.as_deref(), "fact", &topic));
        out.push("own", subject, clause);
    }
}
