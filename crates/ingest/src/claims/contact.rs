//! How somebody is reached.

use std::sync::LazyLock;

use immune_model::{LiteralKind, Polarity};
use immune_reason::literal::{self, Found};
use regex::Regex;

use super::phrase::{self, Owner};
use super::{Clause, Context, Out, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "contact-phone",
        subject: "entity/contact.phone, .mobile, .home, .fax, .pager",
        example: "You can call me at 713-853-1234.",
        finds: "jo_at_acme_com/contact.phone +",
        counter_example: "Call me with questions.",
    },
    Rule {
        name: "contact-email",
        subject: "entity/contact.email",
        example: "My new e-mail address is jo@home.example.",
        finds: "jo_at_acme_com/contact.email +",
        counter_example: "I got a mail from bo@home.example.",
    },
    Rule {
        name: "signature",
        subject: "entity/contact.phone, .mobile, .home, .fax, .pager",
        example: "Jo Doe Acme Corp. Tel: (713) 853-7986 E-mail: jo@acme.com",
        finds: "jo_at_acme_com/contact.phone +",
        counter_example: "Jo Doe Acme Corp. E-mail: jo@acme.com",
    },
];

/// A Houston extension, as people at one company write it: `x3-6145`.
static EXTENSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u:\b)(?:x|ext\.?\s?)[0-9](?:-?[0-9]{4}|[0-9]{2,4})(?-u:\b)")
        .expect("a tested pattern")
});
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:(?:tel|telephone|phone|ph|office|direct|work|wk|home|fax|cell|mobile|pager)\.?\s?(?:no\.?|number|#)?\s?[:.]?|[tfpmc]:)\s{0,2}$")
        .expect("a tested pattern")
});

const REACH: &str = "call reach phone dial page contact fax telephone text ring";
const NUMBER: &str = "\
    number numbers phone telephone cell mobile pager fax extension line information # tel";
const MAIL: &str = "email e-mail mail mailbox address inbox";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    phones(clause, out);
    emails(clause, out);
}

fn phones(clause: &Clause<'_>, out: &mut Out) {
    let mut places: Vec<(std::ops::Range<usize>, Option<_>)> = clause
        .found
        .iter()
        .filter(|it| it.literal.kind == LiteralKind::Phone)
        .map(|it| (it.span.clone(), Some(it.literal.clone())))
        .collect();
    if places.is_empty() {
        places.extend(
            EXTENSION
                .find_iter(clause.text)
                .map(|it| (it.range(), None)),
        );
    }
    if places.is_empty() {
        return;
    }
    let first = places.first().map_or(0, |(place, _)| place.start);
    let Some(entity) = reached(clause, first) else {
        return;
    };
    let sender = clause.sender_name();
    // `call Jo at … or Bo at …`: the second number is somebody else's.
    let n_own = if Some(&entity) == sender.as_ref() {
        places.len()
    } else {
        1
    };
    for (place, literal) in places.into_iter().take(n_own) {
        let attribute = attribute(clause.text, &place);
        let subject = phrase::subject(Some(&entity), "contact", attribute);
        let literals = literal.into_iter().collect();
        // One clause may give several numbers: each claim carries its own.
        out.push_with(
            "contact-phone",
            subject,
            clause.text,
            clause.polarity,
            literals,
        );
    }
}

/// Who is reached by the numbers of the clause, of which the first starts at `first`.
fn reached(clause: &Clause<'_>, first: usize) -> Option<String> {
    for (at, verb) in clause.words.iter().enumerate() {
        if verb.is(REACH) && verb.span.end <= first {
            match called(clause, at) {
                Called::Known(entity) => return entity,
                Called::Nobody => {}
            }
        }
    }
    let noun = clause
        .words
        .iter()
        .position(|it| it.is(NUMBER) && it.span.end <= first)?;
    let phrase = phrase::before(&clause.words, noun + 1)?;
    match phrase.owner {
        Owner::Nobody => {
            let own = clause.has("my me") && !clause.has("his her their");
            own.then(|| clause.sender_name()).flatten()
        }
        owner => clause.entity(&owner).flatten(),
    }
}

/// Whom a verb of calling is followed by.
enum Called {
    /// Somebody, whose name is known or not.
    Known(Option<String>),
    /// Nobody: the word is no verb here.
    Nobody,
}

fn called(clause: &Clause<'_>, at: usize) -> Called {
    if clause.is_at(at + 1, "me") {
        return Called::Known(clause.sender_name());
    }
    if clause.is_at(at + 1, "us") {
        return Called::Known(clause.sender_domain());
    }
    if clause.is_at(at + 1, "him her them") {
        return Called::Known(clause.person.clone());
    }
    // `A contact would be Lori Leyda at …`.
    let at = if clause.is_at(at + 1, "would") && clause.is_at(at + 2, "be") {
        at + 2
    } else {
        at
    };
    let end = clause
        .words
        .iter()
        .skip(at + 1)
        .position(|it| it.is("at on @ ( , :"))
        .map(|it| at + 1 + it);
    // `call the Development Center at …`, `call Gerri Irvine at …`.
    let name = end
        .and_then(|end| clause.words.get(at + 1..end))
        .filter(|name| (1..=6).contains(&name.len()))
        .filter(|name| !name.iter().any(phrase::Word::starts_phrase_after))
        .filter(|name| !name.iter().any(|it| it.is("info information list")))
        .filter(|name| !name.iter().any(|it| it.text.chars().any(char::is_numeric)))
        .and_then(phrase::phrase)
        .filter(|it| matches!(it.owner, Owner::Nobody | Owner::Named(_)))
        .and_then(|it| phrase::name_of(&it.head.join(" ")));
    match name {
        Some(name) => Called::Known(Some(name)),
        None => Called::Nobody,
    }
}

/// Words beside a number, and the attribute that they make it.
const KINDS: [(&str, &str); 8] = [
    ("work", "phone"),
    ("office", "phone"),
    ("fax", "fax"),
    ("pager", "pager"),
    ("page me", "pager"),
    ("cell", "mobile"),
    ("mobile", "mobile"),
    ("home", "home"),
];

/// Which kind of number stands here: by the nearest word before it, or in brackets after it.
fn attribute(text: &str, place: &std::ops::Range<usize>) -> &'static str {
    let mut start = place.start.saturating_sub(30);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let before = text.get(start..place.start).unwrap_or("").to_lowercase();
    let after = text
        .get(place.end..)
        .unwrap_or("")
        .trim_start()
        .to_lowercase();
    // `(cell)` or `Home` right after the number; `Fax:` is the label of the next one.
    let word: String = after
        .trim_start_matches('(')
        .chars()
        .take_while(|it| it.is_alphabetic())
        .collect();
    let labels_next = after
        .get(word.len()..)
        .is_some_and(|it| it.starts_with(':'));
    if !labels_next && let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == word) {
        return kind;
    }
    KINDS
        .iter()
        .filter_map(|(word, kind)| {
            let at = before.rfind(word)?;
            let starts = !before.get(..at)?.ends_with(char::is_alphanumeric);
            starts.then_some((at, *kind))
        })
        .max_by_key(|(at, _)| *at)
        .map_or("phone", |(_, kind)| kind)
}

fn emails(clause: &Clause<'_>, out: &mut Out) {
    let Some(found) = clause
        .found
        .iter()
        .find(|it| it.literal.kind == LiteralKind::Email)
    else {
        return;
    };
    let words = phrase::words(clause.slice(0, found.span.start));
    let noun = words
        .iter()
        .rposition(|it| it.is(MAIL) || it.is("information info"));
    let owner = noun
        .and_then(|at| phrase::before(&words, at + 1))
        .map_or(Owner::Nobody, |it| it.owner);
    let called = words.windows(2).find_map(|pair| match pair {
        [verb, whom] if verb.is("email e-mail reach contact write mail call") => {
            whom.is("me us").then_some(whom)
        }
        _ => None,
    });
    let entity = match (owner, called) {
        (Owner::Nobody, Some(whom)) if whom.is("us") => clause.sender_domain(),
        (Owner::Nobody, Some(_)) => clause.sender_name(),
        // `send it to my home jo@home.example`.
        (Owner::Nobody, None) if words.iter().rev().take(3).any(|it| it.is("my")) => {
            clause.sender_name()
        }
        (Owner::Nobody, None) => {
            beside_number(clause, found).or_else(|| called_at(clause, found.span.start))
        }
        (owner, _) => clause.entity(&owner).flatten(),
    };
    if let Some(entity) = entity {
        let subject = phrase::subject(Some(&entity), "contact", "email");
        let literals = vec![found.literal.clone()];
        let (text, polarity) = (clause.text, clause.polarity);
        out.push_with("contact-email", subject, text, polarity, literals);
    }
}

/// Who is called right before an address: `contact support at help@acme.com`.
fn called_at(clause: &Clause<'_>, start: usize) -> Option<String> {
    let at = clause
        .words
        .iter()
        .position(|it| it.span.end + 1 == start && it.is("at on :"))?;
    let verb = clause
        .words
        .iter()
        .take(at)
        .rposition(|it| it.is("contact email e-mail mail write reach"))?;
    match called(clause, verb) {
        Called::Known(entity) if at - verb <= 5 => entity,
        _ => None,
    }
}

/// Whose number stands right before the address: `contact Jo at 713-853-6253 or jo@acme.com`.
fn beside_number(clause: &Clause<'_>, email: &Found) -> Option<String> {
    let number = clause
        .found
        .iter()
        .rfind(|it| it.literal.kind == LiteralKind::Phone && it.span.end <= email.span.start)?;
    let between = phrase::words(clause.slice(number.span.end, email.span.start));
    let beside = between
        .iter()
        .all(|it| it.is("or and at , ( ) : email e-mail by"));
    beside.then(|| reached(clause, number.span.start)).flatten()
}

/// Whether the parts of an address stand in the text as a name: `jo.doe@` as `Jo P. Doe`.
fn is_named(text: &str, address: &str) -> bool {
    let parts = own_parts(address);
    let words = phrase::words(text);
    parts.len() > 1
        && parts
            .iter()
            .all(|part| words.iter().any(|it| it.lower == *part && it.is_proper()))
}

/// The names in an address: `jo` and `doe` of `jo.doe@`.
fn own_parts(address: &str) -> Vec<&str> {
    let local = address.split('@').next().unwrap_or("");
    local
        .split(['.', '_', '-'])
        .filter(|it| it.chars().count() > 1)
        .collect()
}

/// The word before a number and the number: what a signature without labels says.
fn clause_of<'t>(text: &'t str, place: &std::ops::Range<usize>) -> &'t str {
    let before = text.get(..place.start).unwrap_or("").trim_end();
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    text.get(start..place.end).unwrap_or("").trim()
}

/// The kind of a label at the end of a text, with the word before it: `cell phone`.
fn labelled(text: &str, start: usize) -> &'static str {
    let mut from = start.saturating_sub(8);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let label = text.get(start..).unwrap_or("").to_lowercase();
    let before = text.get(from..start).unwrap_or("").to_lowercase();
    if label.starts_with("fax") || label.starts_with("f:") {
        "fax"
    } else if label.starts_with("pager") {
        "pager"
    } else if label.starts_with("home") {
        "home"
    } else if ["cell", "mobile", "m:", "c:"]
        .iter()
        .any(|it| label.starts_with(it))
        || ["cell ", "mobile "].iter().any(|it| before.ends_with(it))
    {
        "mobile"
    } else {
        "phone"
    }
}

/// The numbers in the signature: after a label, near the sender's own address or name at the end.
pub(super) fn signature(context: &Context<'_>, text: &str, out: &mut Out) {
    const SIGNATURE_BYTES: usize = 400;
    let Some(sender) = context.sender.map(str::to_lowercase) else {
        return;
    };
    let mut start = text.len().saturating_sub(SIGNATURE_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..).unwrap_or("");
    let found = literal::find(tail);
    let own_name = own_parts(&sender);
    let own = found
        .iter()
        .any(|it| it.literal.kind == LiteralKind::Email && *it.literal.value == *sender)
        || is_named(tail, &sender);
    let Some(entity) = phrase::name_of(&sender) else {
        return;
    };
    for it in found
        .iter()
        .filter(|it| it.literal.kind == LiteralKind::Phone)
    {
        let before = tail.get(..it.span.start).unwrap_or("");
        // `Theresa (303) 575-6485` at the end: the sender's name is the label.
        let signed = own_name.iter().any(|part| {
            before
                .trim_end()
                .rsplit(char::is_whitespace)
                .next()
                .is_some_and(|word| word.to_lowercase() == *part && word != *part)
        });
        let ends = tail.get(it.span.end..).unwrap_or("").chars().count() < 40;
        if signed && ends && LABEL.find(before).is_none() {
            let subject = phrase::subject(Some(&entity), "contact", "phone");
            let literals = vec![it.literal.clone()];
            let text = clause_of(tail, &it.span);
            out.push_with("signature", subject, text, Polarity::Affirmed, literals);
        }
        if let Some(label) = LABEL.find(before).filter(|_| own) {
            let subject =
                phrase::subject(Some(&entity), "contact", labelled(before, label.start()));
            let text = tail.get(label.start()..it.span.end).unwrap_or("");
            let literals = vec![it.literal.clone()];
            out.push_with("signature", subject, text, Polarity::Affirmed, literals);
        }
    }
}
