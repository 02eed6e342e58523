//! When something is, is due, starts and ends.

use std::ops::Range;
use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::Regex;

use super::phrase::{self, Phrase};
use super::value::{only, push};
use super::{Clause, Out, Rule};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "date",
    subject: "[entity/]topic.date, .due, .expiry, .start, .end, .effective",
    example: "The meeting is on May 15, 2001.",
    finds: "meeting.date +",
    counter_example: "I will see you on May 15, 2001.",
}];

const DATE_FILLERS: &str = "\
    now set for on scheduled planned held moved to be been postponed rescheduled due by is \
    are was no later than not effective as of until the : , ( monday tuesday wednesday \
    thursday friday saturday sunday still also in from starting at";
/// `May 15`, for a date whose year goes without saying; it is no literal.
static DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?\s[0-9]{1,2}(?:st|nd|rd|th)?(?-u:\b)")
        .expect("a tested pattern")
});

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    date(clause, out);
}

/// Where the clause names a day: a date, or a month and a day.
fn days(clause: &Clause<'_>) -> Vec<Range<usize>> {
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
    const VERBS: &[(&str, &str)] = &[
        ("due", "due"),
        ("expiry", "expires expire expired"),
        ("end", "ends end terminates closes close"),
        ("start", "begins begin starts start commences opens open"),
        ("departure", "leaves leave departs depart"),
        ("arrival", "arrives arrive lands"),
        ("effective", "effective"),
        (
            "date",
            "is are was were been be moved rescheduled postponed",
        ),
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
                .filter(|it| only(clause, verb.span.end, it.start, DATE_FILLERS));
            let Some(near) = near else { continue };
            let day = clause.found.iter().find(|it| it.span == *near);
            // `is due`: the phrase stands before the whole verb.
            let mut end = at;
            while end > 0
                && clause.is_at(
                    end - 1,
                    "is are was were be been will has have had ( , not now",
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
            let Some(phrase) = phrase
                .filter(|it| !is_person(it) && !clause.is_conditional(it) && clause.opens(it))
            else {
                continue;
            };
            push("date", clause, (&phrase, attribute), day, out);
            return;
        }
    }
}

/// The phrase before the first verb of the clause.
fn subject_phrase(clause: &Clause<'_>) -> Option<Phrase> {
    let verb = clause.position(
        "\
    is are was were has have had will shall must may can changed changes moves becomes \
    applies goes",
    )?;
    phrase::before(&clause.words, verb)
}

/// Whether the phrase is a person: two names and nothing else.
fn is_person(phrase: &Phrase) -> bool {
    phrase.is_proper && !phrase.is_definite && phrase.head.len() == 2 && phrase.rest.is_empty()
}
