//! Registered subjects: which literals decide the value of a claim, and whether one value rules
//! out the others.
//!
//! A subject is registered by its attribute. All others are open: their value is their normal
//! form, and they conflict only where polarity or a literal of a shared kind differs.

use std::borrow::Cow;
use std::collections::BTreeSet;

use immune_model::{Literal, LiteralKind, Namespace, Polarity, Subject};

use crate::normal::normal;
use crate::relate::ways;

/// What is known of the subjects with one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered {
    /// The attributes it is for.
    pub attributes: &'static [&'static str],
    /// The kinds of literal that decide the value; the first kind present in a claim does.
    pub decisive: &'static [LiteralKind],
}

/// The subjects that every memory knows. All are single-valued.
pub const REGISTERED: &[Registered] = &[
    Registered {
        attributes: &["iban", "account", "bank_account", "destination", "payee"],
        decisive: &[
            LiteralKind::Iban,
            LiteralKind::Account,
            LiteralKind::Card,
            LiteralKind::CryptoAddress,
        ],
    },
    Registered {
        attributes: &["email"],
        decisive: &[LiteralKind::Email],
    },
    Registered {
        attributes: &["phone"],
        decisive: &[LiteralKind::Phone],
    },
    Registered {
        attributes: &["url", "host", "endpoint"],
        decisive: &[LiteralKind::Host],
    },
    Registered {
        attributes: &["amount", "price", "total", "owed", "limit"],
        decisive: &[LiteralKind::Amount],
    },
    Registered {
        attributes: &["owner", "location", "employer", "value"],
        decisive: &[LiteralKind::Identifier],
    },
    Registered {
        attributes: &["date", "due", "deadline", "effective"],
        decisive: &[LiteralKind::Date],
    },
];

/// The registration of this subject, if it is no open one.
pub fn registration(subject: &Subject) -> Option<&'static Registered> {
    REGISTERED
        .iter()
        .find(|it| it.attributes.contains(&subject.attribute()))
}

/// The claim's decisive literals: those of the first decisive kind that it carries.
pub fn decisive<'a>(subject: &Subject, literals: &'a [Literal]) -> Vec<&'a Literal> {
    let kinds = registration(subject).map_or(&[][..], |it| it.decisive);
    kinds
        .iter()
        .map(|kind| {
            literals
                .iter()
                .filter(|it| it.kind == *kind)
                .collect::<Vec<_>>()
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Whether a literal of this kind tells one thing from another; an amount or a date does not.
pub(crate) fn identifies(kind: LiteralKind) -> bool {
    !matches!(
        kind,
        LiteralKind::Amount | LiteralKind::Quantity | LiteralKind::Date | LiteralKind::Percentage
    )
}

/// The key of a belief: one per namespace, subject and value (semantics.md 1).
///
/// The value is polarity and decisive literals; without any, or for an open subject or an open
/// polarity, the normal form of the text, in which each amount, quantity, percentage and date
/// stands as its value. A digest, so that a key costs 16 bytes.
pub fn belief_key(
    namespace: &Namespace,
    subject: &Subject,
    polarity: Polarity,
    literals: &[Literal],
    text: &str,
) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(namespace.as_str().as_bytes());
    part(subject.as_str().as_bytes());
    let deciding = decisive(subject, literals);
    if deciding.is_empty() || polarity == Polarity::Open {
        part(b"text");
        part(&[polarity.sign() as u8]);
        part(normal(&with_values(text, literals)).as_bytes());
    } else {
        part(b"literals");
        part(&[polarity.sign() as u8]);
        let sources = started_from(text);
        for literal in deciding {
            part(literal.kind.name().as_bytes());
            part(literal.value.as_bytes());
            if sources.contains(&*literal.value) {
                // Where it comes from is not where it goes.
                part(b"from");
            }
        }
    }
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    key
}

/// The values from which something comes by a text, as in `from X to Y`.
fn started_from(text: &str) -> BTreeSet<String> {
    let holds = text
        .as_bytes()
        .windows(4)
        .any(|it| it.eq_ignore_ascii_case(b"from"));
    if !holds {
        return BTreeSet::new();
    }
    let ways = ways(text).into_iter();
    ways.filter_map(|(value, to)| (!to).then_some(value))
        .collect()
}

/// The text with what it measures as its values: `$30.00` and `30 dollars` are one, and so are `9
/// am` and `9:00`; all other words count.
fn with_values<'a>(text: &'a str, literals: &[Literal]) -> Cow<'a, str> {
    let is_measured = |it: &Literal| {
        matches!(
            it.kind,
            LiteralKind::Amount
                | LiteralKind::Quantity
                | LiteralKind::Percentage
                | LiteralKind::Date
        )
    };
    if !literals.iter().any(is_measured) {
        return Cow::Borrowed(text);
    }
    let mut whole = text.to_owned();
    let found = crate::literal::find(text).into_iter();
    let found = found.filter(|it| is_measured(&it.literal) && literals.contains(&it.literal));
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.span.start));
    for it in found {
        let written = text.get(it.span.clone()).unwrap_or_default();
        let is_amount = it.literal.kind == LiteralKind::Amount;
        if !(is_amount && may_be_thousands(written)) {
            whole.replace_range(it.span, &format!(" {} ", it.literal.value));
        }
    }
    Cow::Owned(whole)
}

/// Whether a point may part thousands, as in `1.000 EUR`: nobody can tell which number it is.
fn may_be_thousands(written: &str) -> bool {
    written.split('.').skip(1).any(|it| {
        let digits = it.bytes().take_while(u8::is_ascii_digit);
        digits.count() == 3
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(subject: &str, polarity: Polarity, literals: &[Literal], text: &str) -> [u8; 16] {
        let subject = Subject::new(subject).unwrap();
        belief_key(&Namespace::ROOT, &subject, polarity, literals, text)
    }

    #[test]
    fn the_literal_is_the_value_of_a_registered_subject() {
        let iban = [Literal::new(LiteralKind::Iban, "GB1")];
        let both = [
            Literal::new(LiteralKind::Iban, "GB1"),
            Literal::new(LiteralKind::Iban, "GB2"),
        ];
        let of = |literals: &[Literal], text| {
            key("refund.destination", Polarity::Affirmed, literals, text)
        };
        assert_eq!(
            of(&iban, "Refunds go to GB1"),
            of(&iban, "Send every refund to gb 1")
        );
        assert_ne!(
            of(&iban, "x"),
            of(&both, "x"),
            "naming a second account is another value"
        );
        assert_ne!(
            of(&iban, "x"),
            key("refund.destination", Polarity::Denied, &iban, "x")
        );
    }

    #[test]
    fn an_amount_is_its_value_and_every_other_word_counts() {
        let of = |text: &str| {
            let literals = crate::literal::literals(text);
            key("price.tea", Polarity::Affirmed, &literals, text)
        };
        for (one, other) in [
            ("The price is $30", "The price is $30.00"),
            ("The price is $30", "the price is 30 dollars."),
            ("From $5 to $1,000", "From $5.00 to $1000"),
            ("The price is $0.50", "The price is 50 cents"),
            ("The price is £30", "The price is 30 pounds."),
            ("It is 5 dollars and 50 cents", "It is $5.50"),
        ] {
            assert_eq!(of(one), of(other), "{one} / {other}");
        }
        for (one, other) in [
            ("The price is $30", "The price is $31"),
            ("The price is $30", "The price is C$30"),
            ("The price fell by $5", "The price rose by $5"),
            ("From $5 to $9", "From $9 to $5"),
            ("The price is 1.000 EUR", "The price is 1 EUR"),
            ("The price is $30", "The price is not $30"),
        ] {
            assert_ne!(of(one), of(other), "{one} / {other}");
        }
    }

    #[test]
    fn a_time_or_a_quantity_is_its_value_in_an_open_subject() {
        let of = |text: &str| {
            let literals = crate::literal::literals(text);
            key("office.start", Polarity::Affirmed, &literals, text)
        };
        for (one, other) in [
            ("The office opens at 9 am.", "The office opens at 9:00."),
            ("It lasts thirty days", "It lasts 30 days"),
            ("It falls by 5%", "It falls by five percent"),
            ("It is due on 4 March 2026", "It is due on March 4, 2026"),
        ] {
            assert_eq!(of(one), of(other), "{one} / {other}");
        }
        for (one, other) in [
            ("The office opens at 9 am", "The office opens at 9 pm"),
            ("The office opens at 9 am", "The office closes at 9 am"),
            ("It lasts 30 days", "It lasts at least 30 days"),
            ("The disk has 5 MB", "The disk has 5 Mb"),
        ] {
            assert_ne!(of(one), of(other), "{one} / {other}");
        }
    }

    #[test]
    fn from_one_to_the_other_is_not_the_way_back() {
        let (one, other) = ("GB29NWBK60161331926819", "DE89370400440532013000");
        let of = |text: &str| {
            let literals = crate::literal::literals(text);
            key("refund.destination", Polarity::Affirmed, &literals, text)
        };
        let there = of(&format!("Refunds move from {one} to {other}"));
        let back = of(&format!("Refunds move from {other} to {one}"));
        assert_ne!(there, back);
        assert_eq!(there, of(&format!("They go to {other} from {one}")));
        let goes = of(&format!("Refunds go to {one}"));
        assert_ne!(goes, of(&format!("Refunds come from {one}")));
    }

    #[test]
    fn the_normal_form_is_the_value_of_an_open_one() {
        let of = |text| key("carrier.lane", Polarity::Affirmed, &[], text);
        assert_eq!(of("West-coast lane."), of(" west-coast  LANE"));
        assert_ne!(of("west"), of("east"));
    }
}
