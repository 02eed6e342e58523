//! What has to be done, may be done and may be left out.
//!
//! | attribute | what it says, affirmed |
//! |---|---|
//! | `.skip` | the check or step may be left out; `must never be skipped` denies it |
//! | `.required` | it is needed; of a check this also says that `.skip` is denied |
//! | `.allowed` | it is permitted; `is prohibited` denies it |
//! | `.policy` | any other rule about it |

use super::phrase::{self, Phrase};
use super::{Clause, Out, Rule, sorted};
use immune_model::Polarity;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "skip",
        subject: "[entity/]topic.skip",
        example: "The destination check must never be skipped.",
        finds: "destination_check.skip -",
        counter_example: "I skipped lunch.",
    },
    Rule {
        name: "required",
        subject: "[entity/]topic.required",
        example: "No e-dash is required.",
        finds: "e-dash.required -",
        counter_example: "It is required.",
    },
    Rule {
        name: "allowed",
        subject: "[entity/]topic.allowed",
        example: "Refunds to new accounts are prohibited.",
        finds: "new_accounts_refund.allowed -",
        counter_example: "We are not allowed to.",
    },
    Rule {
        name: "needs",
        subject: "[entity/]topic.policy",
        example: "Refunds over $500 need a second approval.",
        finds: "refund.policy +",
        counter_example: "The lawyers need a few more items.",
    },
    Rule {
        name: "must",
        subject: "[entity/]topic.policy",
        example: "The registration must be canceled by March 5, 2001.",
        finds: "registration.policy +",
        counter_example: "We must look at our options.",
    },
    Rule {
        name: "order",
        subject: "[entity/]topic.policy",
        example: "Never pay invoices without a purchase order.",
        finds: "invoice.policy -",
        counter_example: "Do not hesitate to call.",
    },
];

const SKIPS: &str = "\
    skip skips skipped skipping bypass bypassed waive waived omit omitted ignore ignored";
const CHECKS: &str = "\
    check review approval verification confirmation validation audit test screening control \
    step limit policy procedure signature inspection e-dash dash rule authorization sign-off \
    reconciliation requirement";
const NEEDED: &str = "\
    approval approvals authorization sign-off signoff signature signatures review \
    verification confirmation check consent permission receipt po order notice password \
    credential";
const REQUIRED: &str = "required needed necessary mandatory compulsory optional";
const ALLOWED: &str = "allowed permitted prohibited forbidden banned disallowed";
const ADVERBS: &str = "\
    not never always no longer also only now still therefore be strictly ever currently \
    generally normally absolutely typically";
const ORDERED: &str = "\
    pay wire send ship sell run use release accept approve process share trust change \
    transfer refund buy sign verify check require confirm escalate reject";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    if clause.polarity == Polarity::Open {
        return;
    }
    skip(clause, out);
    adjective(clause, out);
    needs(clause, out);
    must(clause, out);
    order(clause, out);
}

fn push(rule: &'static str, clause: &Clause<'_>, phrase: &Phrase, attribute: &str, out: &mut Out) {
    if clause.is_conditional(phrase) {
        return;
    }
    let topic = match attribute {
        // For whom or when a check is skipped is a condition on it, not another check.
        "policy" | "skip" => phrase.kind(),
        _ => phrase.topic(),
    };
    // `Payments over $500` are all of them; `this deal` is one that only its sender can tell.
    let all = phrase.noun().ends_with('s') && phrase.owner == phrase::Owner::Nobody;
    let subject = topic.and_then(|topic| {
        if all {
            phrase::subject(None, &topic, attribute)
        } else {
            clause.subject(phrase, &topic, attribute)
        }
    });
    out.push(rule, subject, clause);
}

/// The place of the first word after `at` that is no adverb.
fn after_adverbs(clause: &Clause<'_>, at: usize) -> usize {
    let mut at = at + 1;
    while clause.is_at(at, ADVERBS) {
        at += 1;
    }
    at
}

/// The phrase of what follows the verb.
fn object(clause: &Clause<'_>, verb: usize) -> Option<Phrase> {
    let words: Vec<_> = clause
        .words
        .iter()
        .skip(verb + 1)
        .take_while(|it| {
            it.text.chars().any(char::is_alphanumeric)
                && !it.is("\
    and or if when that which is are unless until before after so without because then as it \
    them me us this")
        })
        .take(8)
        .cloned()
        .collect();
    phrase::phrase(&words)
}

/// `The destination check may be skipped`, `Agents may skip the check`, `Never skip the check`.
fn skip(clause: &Clause<'_>, out: &mut Out) {
    for (at, verb) in clause
        .words
        .iter()
        .enumerate()
        .filter(|(_, it)| it.is(SKIPS))
    {
        let modal = clause.words.iter().take(at).rposition(|it| {
            it.is("may must can shall should cannot can't mustn't is are need needn't")
        });
        let passive = modal.is_some_and(|modal| after_adverbs(clause, modal) == at)
            && clause.words.iter().take(at).any(|it| it.is("be is are"));
        let phrase = if passive {
            modal.and_then(|modal| phrase::before(&clause.words, modal))
        } else {
            let ordered = clause.words.iter().take(at).all(|it| {
                it.is("\
    please never always do not don't and so to you we agents they may must can should cannot \
    shall ,")
            });
            let permitted = modal.is_some_and(|modal| after_adverbs(clause, modal) == at);
            let joined = at > 0 && clause.is_at(at - 1, "and then please");
            let allowed = at > 0
                && clause.is_at(at - 1, "to")
                && clause.has("forbidden prohibited allowed permitted ok okay fine acceptable");
            object(clause, at)
                .filter(|_| ordered || permitted || joined || allowed || verb.is("skipping"))
                .filter(|it| phrase::listed(CHECKS, &phrase::singular(it.noun())))
        };
        if let Some(phrase) = phrase {
            push("skip", clause, &phrase, "skip", out);
            return;
        }
    }
}

/// `X is required`, `X is not allowed`, and `No X necessary` without a verb.
fn adjective(clause: &Clause<'_>, out: &mut Out) {
    for (at, word) in clause.words.iter().enumerate() {
        let (rule, attribute) = if word.is(REQUIRED) {
            ("required", "required")
        } else if word.is(ALLOWED) {
            ("allowed", "allowed")
        } else {
            continue;
        };
        let verb = clause
            .words
            .iter()
            .take(at)
            .rposition(|it| it.is("is are was were be being"))
            .filter(|verb| after_adverbs(clause, *verb) == at);
        let phrase = match verb {
            Some(mut verb) => {
                let bare = clause.is_at(verb, "be being");
                while verb > 0 && clause.is_at(verb - 1, "will may should shall must not") {
                    verb -= 1;
                }
                // `We ask that it be allowed` asks.
                if bare && !clause.is_at(verb, "will may should shall must") {
                    continue;
                }
                phrase::before(&clause.words, verb)
            }
            None if clause.is_at(0, "no") && (2..=5).contains(&at) => {
                phrase::before(&clause.words, at)
            }
            None => None,
        };
        if let Some(phrase) = phrase {
            if !word.is("optional") {
                push(rule, clause, &phrase, attribute, out);
            }
            let is_check = phrase::listed(CHECKS, &phrase::singular(phrase.noun()));
            if attribute == "required" && is_check && clause.polarity != Polarity::Open {
                may_be_skipped(clause, &phrase, word.is("optional"), out);
            }
            return;
        }
    }
}

/// A check that is required may not be left out, and one that is not may: the same subject as
/// `may be skipped`, so that the two contradict each other.
fn may_be_skipped(clause: &Clause<'_>, phrase: &Phrase, is_optional: bool, out: &mut Out) {
    let affirmed = (clause.polarity == Polarity::Affirmed) == is_optional;
    let polarity = if affirmed {
        Polarity::Affirmed
    } else {
        Polarity::Denied
    };
    if clause.is_conditional(phrase) {
        return;
    }
    let subject = phrase
        .kind()
        .and_then(|kind| clause.subject(phrase, &kind, "skip"));
    let literals = clause.found.iter().map(|it| it.literal.clone()).collect();
    out.push_with("skip", subject, clause.text, polarity, sorted(literals));
}

/// `Refunds over $500 need a second approval`.
fn needs(clause: &Clause<'_>, out: &mut Out) {
    let verb = clause.position("need needs require requires").or_else(|| {
        let at = clause.position("subject")?;
        let bound = at > 0 && clause.is_at(at - 1, "is are") && clause.is_at(at + 1, "to");
        bound.then_some(at - 1)
    });
    let Some(verb) = verb else { return };
    let from = if clause.is_at(verb + 1, "subject") {
        verb + 3
    } else {
        verb + 1
    };
    let needed = clause
        .words
        .iter()
        .skip(from)
        .take(7)
        .take_while(|it| !it.is("that which and so for if to you me us"))
        .any(|it| it.is(NEEDED));
    let mut end = verb;
    while end > 0 && clause.is_at(end - 1, "not do does don't doesn't always will also") {
        end -= 1;
    }
    let Some(phrase) = phrase::before(&clause.words, end).filter(|_| needed) else {
        return;
    };
    // A person who needs something asks; a kind of thing that needs it is a rule.
    let is_person = phrase.is_proper && !phrase.is_definite && phrase.rest.is_empty() && end < 4;
    let at_start = end <= 4 && clause.words.first().is_some_and(phrase::Word::is_proper);
    if !is_person || (at_start && phrase.head.len() == 1 && phrase.noun().ends_with('s')) {
        push("needs", clause, &phrase, "policy", out);
    }
}

/// `The registration must be canceled`, `Invoices should be addressed to …`.
fn must(clause: &Clause<'_>, out: &mut Out) {
    let Some(at) = clause.position("must shall mustn't should may cannot") else {
        return;
    };
    let verb = after_adverbs(clause, at);
    let passive = clause
        .words
        .get(at + 1..verb)
        .is_some_and(|it| it.iter().any(|it| it.is("be")));
    let Some(next) = clause.word(verb) else {
        return;
    };
    let participle = next.lower.ends_with("ed")
        || next.is("sent paid made put kept held shown given taken done sold built run");
    let strong = clause.is_at(at, "must shall mustn't");
    if next.is(SKIPS) || next.is(REQUIRED) || next.is(ALLOWED) || next.is("have") {
        return;
    }
    if next.lower.ends_with("ing") || (passive != participle && passive) || (!strong && !passive) {
        return;
    }
    let Some(phrase) = phrase::before(&clause.words, at) else {
        return;
    };
    push("must", clause, &phrase, "policy", out);
}

/// `Never pay invoices without a purchase order`, `Do not sell any power off the units`.
fn order(clause: &Clause<'_>, out: &mut Out) {
    // At the start, or after what it depends on: `Given the sale, don't sell any power`.
    let at = clause
        .words
        .iter()
        .position(|it| it.is("never always don't do"))
        .filter(|at| {
            at.checked_sub(1)
                .is_none_or(|before| clause.is_at(before, "please so and , kindly"))
        });
    let Some(at) = at else { return };
    let verb = if clause.is_at(at, "never always don't") {
        at + 1
    } else if clause.is_at(at, "do") && clause.is_at(at + 1, "not") {
        at + 2
    } else {
        return;
    };
    if !clause.is_at(verb, ORDERED) {
        return;
    }
    if let Some(phrase) = object(clause, verb).filter(|it| !it.head.is_empty()) {
        push("order", clause, &phrase, "policy", out);
    }
}
