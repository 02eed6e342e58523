//! How somebody is reached.

use std::sync::LazyLock;

use immune_model::{LiteralKind, Polarity};
use immune_reason::literal;
use regex::Regex;

use super::phrase::{self, Owner};
use super::{Clause, Context, Out, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "contact-phone",
        subject: "entity/contact.phone, .mobile, .fax, .pager",
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
        subject: "entity/contact.phone, .mobile, .fax, .pager",
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
    Regex::new(r"(?i)(?-u:\b)(?:tel|telephone|phone|ph|office|direct|work|home|fax|cell|mobile|pager)\.?\s?(?:no\.?|number|#)?\s?[:.]?\s{0,2}$")
        .expect("a tested pattern")
});

const REACH: &[&str] = &[
    "call",
    "reach",
    "phone",
    "dial",
    "page",
    "contact",
    "fax",
    "telephone",
    "text",
    "ring",
];
const NUMBER: &[&str] = &[
    "number",
    "numbers",
    "phone",
    "telephone",
    "cell",
    "mobile",
    "pager",
    "fax",
    "extension",
    "line",
    "information",
    "#",
    "tel",
];
const MAIL: &[&str] = &["email", "e-mail", "mail", "mailbox", "address", "inbox"];

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
    let Some(entity) = reached(clause) else {
        return;
    };
    for (place, literal) in places {
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

/// Who is reached by the numbers of the clause.
fn reached(clause: &Clause<'_>) -> Option<String> {
    let verb = clause.position(REACH);
    if let Some(at) = verb {
        if clause.is_at(at + 1, &["me"]) {
            return clause.sender_name();
        }
        if clause.is_at(at + 1, &["us"]) {
            return clause.sender_domain();
        }
        if clause.is_at(at + 1, &["him", "her", "them"]) {
            return clause.person.clone();
        }
        let end = clause
            .words
            .iter()
            .skip(at + 1)
            .position(|it| it.is(&["at", "on", "@", "(", ",", ":"]))
            .map(|it| at + 1 + it);
        // `call the Development Center at …`, `call Gerri Irvine at …`.
        let called = end
            .and_then(|end| clause.words.get(at + 1..end))
            .filter(|called| (1..=6).contains(&called.len()))
            .filter(|called| called.iter().any(phrase::Word::is_proper))
            .and_then(phrase::phrase)
            .filter(|it| matches!(it.owner, Owner::Nobody | Owner::Named(_)))
            .and_then(|it| phrase::name_of(&it.head.join(" ")));
        if called.is_some() {
            return called;
        }
    }
    let noun = clause.words.iter().position(|it| it.is(NUMBER))?;
    let phrase = phrase::before(&clause.words, noun + 1)?;
    match phrase.owner {
        Owner::Nobody => {
            let own = clause.has(&["my", "me"]) && !clause.has(&["his", "her", "their"]);
            own.then(|| clause.sender_name()).flatten()
        }
        owner => clause.entity(&owner).flatten(),
    }
}

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
    const KINDS: [(&str, &str); 6] = [
        ("fax", "fax"),
        ("pager", "pager"),
        ("page me", "pager"),
        ("cell", "mobile"),
        ("mobile", "mobile"),
        ("home", "home"),
    ];
    let bracketed = after.strip_prefix('(').unwrap_or("");
    if let Some((_, kind)) = KINDS.iter().find(|(word, _)| bracketed.starts_with(word)) {
        return kind;
    }
    KINDS
        .iter()
        .filter_map(|(word, kind)| before.rfind(word).map(|at| (at, *kind)))
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
    let before = clause.slice(0, found.span.start);
    let words = phrase::words(before);
    let noun = words.iter().rposition(|it| it.is(MAIL));
    let owner = noun
        .and_then(|at| phrase::before(&words, at + 1))
        .map_or(Owner::Nobody, |it| it.owner);
    let directed = words
        .windows(2)
        .any(|pair| matches!(pair, [verb, whom] if verb.is(&["email", "e-mail", "reach", "contact", "write", "mail"]) && whom.is(&["me", "us"])));
    let entity = match owner {
        Owner::Nobody if directed && words.iter().any(|it| it.is(&["us"])) => {
            clause.sender_domain()
        }
        Owner::Nobody if directed => clause.sender_name(),
        // `send it to my home jo@home.example`.
        Owner::Nobody if words.iter().rev().take(3).any(|it| it.is(&["my"])) => {
            clause.sender_name()
        }
        Owner::Nobody => None,
        owner => clause.entity(&owner).flatten(),
    };
    if let Some(entity) = entity {
        let subject = phrase::subject(Some(&entity), "contact", "email");
        let literals = vec![found.literal.clone()];
        out.push_with(
            "contact-email",
            subject,
            clause.text,
            clause.polarity,
            literals,
        );
    }
}

/// The numbers in the signature: after a label, near the sender's own address at the end.
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
    let own = found
        .iter()
        .any(|it| it.literal.kind == LiteralKind::Email && *it.literal.value == *sender);
    let Some(entity) = phrase::name_of(&sender).filter(|_| own) else {
        return;
    };
    for it in found
        .iter()
        .filter(|it| it.literal.kind == LiteralKind::Phone)
    {
        let before = tail.get(..it.span.start).unwrap_or("");
        if let Some(label) = LABEL.find(before) {
            let attribute = attribute(tail, &it.span);
            let subject = phrase::subject(Some(&entity), "contact", attribute);
            let text = tail.get(label.start()..it.span.end).unwrap_or("");
            let literals = vec![it.literal.clone()];
            out.push_with("signature", subject, text, Polarity::Affirmed, literals);
        }
    }
}
