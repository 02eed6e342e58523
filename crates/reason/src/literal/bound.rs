//! Bounds: `at least 5 days`, `no more than $30`, `before May 15, 2026`. A bound is a part of the
//! value: `>=5 day`, `<=USD 30`, `<2026-05-15`.
//!
//! Two claims with different bounds never say the same. They cannot both hold where no number
//! satisfies both, and where both bound the same side at different numbers: `up to $500` and `up
//! to $5,000` are two limits. Bounds that leave room for both decide nothing.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use immune_model::{Literal, LiteralKind};
use regex::{Captures, Regex};
use rust_decimal::Decimal;

use super::scan::Scan;
use super::{money, quantity};

/// Bytes before and after a literal in which its bound is looked for.
const REACH_BYTES: usize = 32;

/// What stands before a value that is bounded.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?: (?<least> >=\ ? | ≥\ ? | (?-u:\b)(?:at\ (?:the\ )?least|no[t]?\ (?:less|fewer|lower|shorter|sooner|earlier)\ than|minimum\ of|not\ (?:below|under))\ )
        | (?<most> <=\ ? | ≤\ ? | (?-u:\b)(?:at\ (?:the\ )?most|no[t]?\ (?:more|greater|higher|longer|later)\ than|up\ to|maximum\ of|not\ (?:exceeding|over|above))\ )
        | (?<above> >\ ? | (?-u:\b)(?:(?:more|greater|higher|longer|later)\ than|exceeding|over|above)\ )
        | (?<below> <\ ? | (?-u:\b)(?:(?:less|fewer|lower|shorter|sooner|earlier)\ than|under|below)\ ) )$",
    )
});
/// What stands before a day or a time besides.
static BEFORE_DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-u:\b)(?: (?<least>not\ before) | (?<most>not\ after) | (?<above>after) | (?<below>before) )\ $",
    )
});
/// What stands after it.
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\ (?: (?<least>or\ (?:more|longer|higher|later|greater|above)|and\ (?:up|above)|at\ (?:the\ )?least|minimum)
        | (?<most>or\ (?:less|fewer|lower|shorter|earlier|below)|at\ (?:the\ )?most|maximum) )(?-u:\b)",
    )
});

fn pattern(source: &str) -> Regex {
    Regex::new(&format!("(?ix) {source}")).expect("a tested pattern")
}

/// How a value is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    AtLeast,
    Above,
    AtMost,
    Below,
    Exact,
}

impl Bound {
    const SIGNS: [(&'static str, Self); 4] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        (">", Self::Above),
        ("<", Self::Below),
    ];

    fn caught(caught: &Captures<'_>) -> Option<Self> {
        let names = [
            ("least", Self::AtLeast),
            ("most", Self::AtMost),
            ("above", Self::Above),
            ("below", Self::Below),
        ];
        let found = names.iter().find(|(name, _)| caught.name(name).is_some());
        found.map(|(_, bound)| *bound)
    }

    fn sign(self) -> &'static str {
        let signs = Self::SIGNS.iter();
        signs
            .clone()
            .find(|(_, it)| *it == self)
            .map_or("", |(sign, _)| sign)
    }

    fn is_lower(self) -> bool {
        matches!(self, Self::AtLeast | Self::Above)
    }

    fn is_upper(self) -> bool {
        matches!(self, Self::AtMost | Self::Below)
    }
}

/// Gives the literals that are found their bounds. Runs last.
pub(super) fn bounds(scan: &mut Scan<'_>) {
    for nth in 0..scan.found().len() {
        let Some(found) = scan.found().get(nth).cloned() else {
            return;
        };
        let kind = found.literal.kind;
        if !is_bounded(kind) {
            continue;
        }
        let text = scan.text();
        let mut from = found.span.start.saturating_sub(REACH_BYTES);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let before = text.get(from..found.span.start).unwrap_or("");
        let date = (kind == LiteralKind::Date)
            .then(|| BEFORE_DATE.captures(before))
            .flatten();
        let lead = date.or_else(|| BEFORE.captures(before));
        let (bound, place) = if let Some(caught) = lead {
            let start = caught.get(0).map_or(before.len(), |it| it.start());
            // An arrow is no sign.
            let arrow = before
                .get(..start)
                .unwrap_or("")
                .ends_with(['-', '=', '<', '>']);
            if arrow && before.get(start..).unwrap_or("").starts_with(['<', '>']) {
                continue;
            }
            (Bound::caught(&caught), from + start..found.span.end)
        } else {
            let mut to = (found.span.end + REACH_BYTES).min(text.len());
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let after = text.get(found.span.end..to).unwrap_or("");
            let Some(caught) = AFTER.captures(after) else {
                continue;
            };
            let end = caught.get(0).map_or(0, |it| it.end());
            // `5 days at most 3 times`: it bounds what follows.
            let rest = after.get(end..).unwrap_or("").trim_start();
            if rest.starts_with(|it: char| it.is_ascii_digit() || "$£€".contains(it)) {
                continue;
            }
            (
                Bound::caught(&caught),
                found.span.start..found.span.end + end,
            )
        };
        if let Some(bound) = bound {
            let value = format!("{}{}", bound.sign(), found.literal.value);
            scan.widen(nth, place, Literal::new(kind, &value));
        }
    }
}

fn is_bounded(kind: LiteralKind) -> bool {
    matches!(
        kind,
        LiteralKind::Amount | LiteralKind::Quantity | LiteralKind::Percentage | LiteralKind::Date
    )
}

fn split(value: &str) -> (Bound, &str) {
    let signs = Bound::SIGNS.iter();
    let found = signs
        .clone()
        .find_map(|(sign, bound)| Some((*bound, value.strip_prefix(sign)?)));
    found.unwrap_or((Bound::Exact, value))
}

/// Whether any value of a set is bounded.
pub(super) fn any(kind: LiteralKind, values: &BTreeSet<&str>) -> bool {
    is_bounded(kind) && values.iter().any(|it| it.starts_with(['<', '>']))
}

/// What two sets of values, some of them bounded, say of each other; `exact` compares those that
/// are not.
pub(super) fn disagree(
    kind: LiteralKind,
    (ours, theirs): (&BTreeSet<&str>, &BTreeSet<&str>),
    exact: impl Fn(&BTreeSet<&str>, &BTreeSet<&str>) -> Option<bool>,
) -> Option<bool> {
    if ours == theirs {
        return Some(false);
    }
    let left: BTreeSet<&str> = ours.difference(theirs).copied().collect();
    let right: BTreeSet<&str> = theirs.difference(ours).copied().collect();
    let (a, b) = (plain(&left), plain(&right));
    let differ = !a.is_empty() && !b.is_empty() && exact(&a, &b) == Some(true);
    let excluded = || {
        let mut pairs = left
            .iter()
            .flat_map(|it| right.iter().map(move |other| (it, other)));
        pairs.any(|(it, other)| excludes(kind, it, other))
    };
    (differ || excluded()).then_some(true)
}

/// The values without a bound.
fn plain<'v>(values: &BTreeSet<&'v str>) -> BTreeSet<&'v str> {
    let plain = values.iter().filter(|it| split(it).0 == Bound::Exact);
    plain.copied().collect()
}

/// Whether two values, at least one of them bounded, cannot both be meant.
fn excludes(kind: LiteralKind, left: &str, right: &str) -> bool {
    let ((a, left), (b, right)) = (split(left), split(right));
    if a == Bound::Exact && b == Bound::Exact {
        return false;
    }
    let one_side = (a.is_lower() && b.is_lower()) || (a.is_upper() && b.is_upper());
    let (Some((left_unit, left)), Some((right_unit, right))) =
        (measured(kind, left), measured(kind, right))
    else {
        return false;
    };
    if left_unit != right_unit {
        return one_side && kind == LiteralKind::Amount;
    }
    let order = left.cmp(&right);
    if one_side {
        return order != Ordering::Equal;
    }
    let touches = |it: Bound| !matches!(it, Bound::Above | Bound::Below);
    let apart = |order: Ordering, upper: Bound, lower: Bound| match order {
        // The upper one lies below the lower one.
        Ordering::Less => true,
        Ordering::Equal => !(touches(upper) && touches(lower)),
        Ordering::Greater => false,
    };
    if a.is_upper() || b.is_lower() {
        apart(order, a, b)
    } else {
        apart(order.reverse(), b, a)
    }
}

/// What a value measures, and its number in that.
fn measured(kind: LiteralKind, value: &str) -> Option<(String, Decimal)> {
    match kind {
        LiteralKind::Quantity => quantity::measured(value),
        LiteralKind::Amount if money::is_ambiguous(value) => None,
        LiteralKind::Amount => {
            let (currency, number) = value.split_once(' ')?;
            Some((currency.to_owned(), number.parse().ok()?))
        }
        LiteralKind::Percentage => {
            let number = value.strip_suffix('%')?;
            Some((String::new(), number.parse().ok()?))
        }
        LiteralKind::Date => {
            // Days of one form stand in the order of their digits.
            let shape: String = value.chars().filter(|it| !it.is_ascii_digit()).collect();
            let digits: String = value.chars().filter(char::is_ascii_digit).collect();
            let ordered = matches!(shape.as_str(), "--" | "-" | "---" | "T:");
            ordered.then_some((shape, digits.parse().ok()?))
        }
        _ => None,
    }
}
