//! References: digests, packages, and the numbers of orders, invoices, deals and tickets.

use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::Regex;

use super::bank;
use super::scan::Scan;

static HASH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40}|[0-9a-fA-F]{32})(?-u:\b)")
        .expect("a tested pattern")
});
static UUID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?-u:\b)")
        .expect("a tested pattern")
});
static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?<name>(?:@[A-Za-z0-9][A-Za-z0-9._-]{0,80}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,80})
        (?:\[[A-Za-z0-9,._-]{1,80}\])?
        (?<sign>\ ?==\ ?|@)
        v?(?<version>[0-9]{1,9}(?:\.[0-9]{1,9}){1,4}
            (?:[-+][A-Za-z0-9][A-Za-z0-9.+-]{0,40}
              |\.?(?:a|b|c|rc|alpha|beta|pre|post|dev|final)\.?[0-9]{1,4})?)",
    )
    .expect("a tested pattern")
});
/// `Flask-Login v0.6.2`, `Python 3.11.4`, `version 2.1 of pandas`, `v2.1.0` alone.
static VERSIONED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?:(?<name>[A-Za-z](?:[A-Za-z0-9._-]{0,39}[A-Za-z0-9])?)\ )?
        (?:(?<mark>(?i:version\ |release\ |ver\.?\ )v?|v\.?\ ?)(?<marked>[0-9]{1,5}(?:\.[0-9]{1,5}){1,4})
          |(?<plain>[0-9]{1,5}(?:\.[0-9]{1,5}){2,4}))
        (?<pre>-(?:a|b|rc|alpha|beta|pre|dev)(?:\.?[0-9]{1,4})?(?-u:\b)|(?:a|b|rc|alpha|beta|pre|dev)[0-9]{1,4}(?-u:\b))?
        (?:\ of\ (?<of>[A-Za-z](?:[A-Za-z0-9._-]{0,39}[A-Za-z0-9])?))?",
    )
    .expect("a tested pattern")
});
/// Words before a number with points that is no version: `section 2.3.1`.
const NO_PACKAGES: &str = "\
    section sections chapter figure fig table page step item article clause paragraph part appendix \
    the a an is are was were be to from at of in on and or with by for version release ver now than \
    v ip address host server date day amount price rate using use upgrade upgraded latest new old \
    it this that our my your running runs using before after since until via";

/// A word that announces a reference, how it may go on, and the reference.
static WORDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)(?-u:\b)(?:purchase\ order|order|invoice|deal|ticket|case|po|contract|confirmation
            |tracking|reference|ref|meter|customer|client|claim|incident|job|docket|trade
            |transaction|serial|sku|issue|bug|booking|shipment|asset|project|id)s?
        (?<mark>\.?\ ?(?:no\.?|nos\.?|numbers?|num\.?|id|code)(?-u:\b)\.?)?
        (?:\ is|\ ?:|\ ?=)?\ ?(?<hash>\#)?\ ?
        (?<value>(?:[A-Z]{1,8}[-_/]?)?[0-9][A-Z0-9]{0,24}(?:[-_/.][A-Z0-9]{1,16}){0,5})",
    )
    .expect("a tested pattern")
});
/// References that need no word: `INV-1042`, `#1042`, `us-east-1`.
static SHAPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) (?<key>[A-Z]{2,8}-[0-9]{2,12})
        | \#(?<number>[0-9]{2,12})
        | (?<region>(?:us|eu|ap|sa|ca|me|af|il|cn)-(?:gov-)?(?:north|south|east|west|central){1,2}-[0-9])",
    )
    .expect("a tested pattern")
});

fn joins(character: Option<char>) -> bool {
    character.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '-'))
}

/// Finds digests in hexadecimal: 32, 40 or 64 digits with at least one letter.
pub(super) fn hashes(scan: &mut Scan<'_>) {
    for shape in HASH.find_iter(scan.text()) {
        if shape.as_str().bytes().any(|it| it.is_ascii_alphabetic()) {
            let value = shape.as_str().to_ascii_lowercase();
            scan.keep(LiteralKind::Hash, shape.range(), &value);
        }
    }
    for shape in UUID.find_iter(scan.text()) {
        let value = shape.as_str().to_ascii_uppercase();
        scan.keep(LiteralKind::Identifier, shape.range(), &value);
    }
}

/// Finds packages with a version. `==` is Python's, whose names do not tell `-`, `_` and `.` apart.
pub(super) fn packages(scan: &mut Scan<'_>) {
    for caught in PACKAGE.captures_iter(scan.text()) {
        let (Some(whole), Some(name), Some(version)) =
            (caught.get(0), caught.name("name"), caught.name("version"))
        else {
            continue;
        };
        let before = scan.before(whole.start());
        let joined = joins(before)
            || matches!(before, Some('.' | '/' | '@'))
            || joins(scan.after(whole.end()))
            || scan.continues(whole.end());
        let named = name.as_str().bytes().any(|it| it.is_ascii_alphabetic());
        if joined || !named {
            continue;
        }
        let mut folded = name.as_str().to_lowercase();
        if caught
            .name("sign")
            .is_some_and(|it| it.as_str().contains('='))
        {
            folded = folded.replace(['_', '.'], "-");
        }
        // A stop at the end belongs to the sentence.
        let written = version.as_str().trim_end_matches(['.', '-', '+']);
        let mut number = written.to_ascii_lowercase();
        if number.bytes().all(|it| it.is_ascii_digit() || it == b'.') {
            while number.matches('.').count() < 2 {
                number.push_str(".0");
            }
        }
        scan.keep(
            LiteralKind::Package,
            whole.start()..version.start() + written.len(),
            &format!("{folded}@{number}"),
        );
    }
}

/// Finds versions that are told in words. Runs after the addresses, which have four parts too.
pub(super) fn versions(scan: &mut Scan<'_>) {
    for caught in VERSIONED.captures_iter(scan.text()) {
        let Some(number) = caught.name("marked").or_else(|| caught.name("plain")) else {
            continue;
        };
        let end = caught.name("pre").map_or(number.end(), |it| it.end());
        let is_name = |it: &regex::Match<'_>| {
            let lower = it.as_str().to_lowercase();
            !NO_PACKAGES
                .split_ascii_whitespace()
                .any(|word| word == lower)
        };
        let before = caught.name("name");
        let named = before.filter(is_name);
        // A plain number with points belongs to the word before it or to nothing known.
        if (caught.name("plain").is_some() && named.is_none())
            || joins(scan.after(end))
            || scan.continues(end)
        {
            continue;
        }
        let start = named
            .or_else(|| caught.name("mark"))
            .map_or(number.start(), |it| it.start());
        if joins(scan.before(start)) {
            continue;
        }
        let of = caught
            .name("of")
            .filter(|it| is_name(it) && named.is_none());
        let end = of.map_or(end, |it| it.end());
        let pre = caught.name("pre").map_or("", |it| it.as_str());
        let mut version = number.as_str().to_owned();
        while pre.is_empty() && version.matches('.').count() < 2 {
            version.push_str(".0");
        }
        let pre = pre.to_ascii_lowercase();
        let value = match named.or(of) {
            Some(name) => format!("{}@{version}{pre}", name.as_str().to_lowercase()),
            None => format!("v{version}{pre}"),
        };
        scan.keep(LiteralKind::Package, start..end, &value);
    }
}

/// Finds references: by the word before them, then by their shape.
pub(super) fn identifiers(scan: &mut Scan<'_>) {
    for caught in WORDED.captures_iter(scan.text()) {
        let Some(value) = caught.name("value") else {
            continue;
        };
        let written = value.as_str();
        let digits = written.bytes().filter(u8::is_ascii_digit).count();
        let letters = written.bytes().any(|it| it.is_ascii_alphabetic());
        let marked = caught.name("mark").is_some() || caught.name("hash").is_some();
        // Without a mark a short number is a count, a decimal is a value, four digits are a year.
        let plain_number = written.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let enough = if marked {
            digits >= 1
        } else {
            digits >= 4
                && !(plain_number && written.contains('.'))
                && !(written.len() == 4 && (written.starts_with("19") || written.starts_with("20")))
        };
        let unit = letters && written.starts_with(|it: char| it.is_ascii_digit()) && digits < 3;
        let next = scan.after(value.end());
        if !enough
            || unit
            || joins(next)
            || matches!(next, Some('%' | '/' | ':'))
            || !scan.is_whole_number(&value.range()) && plain_number
        {
            continue;
        }
        scan.keep(
            LiteralKind::Identifier,
            value.range(),
            &written.to_ascii_uppercase(),
        );
    }
    for caught in SHAPED.captures_iter(scan.text()) {
        let value = ["key", "number", "region"]
            .into_iter()
            .find_map(|name| caught.name(name));
        let (Some(whole), Some(value)) = (caught.get(0), value) else {
            continue;
        };
        let account = caught.name("number").is_some() && bank::is_announced(scan, whole.start());
        if !account && !joins(scan.before(whole.start())) && !joins(scan.after(whole.end())) {
            scan.keep(
                LiteralKind::Identifier,
                whole.range(),
                &value.as_str().to_ascii_uppercase(),
            );
        }
    }
}
