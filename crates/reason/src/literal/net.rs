//! Where somebody is reached: URLs and hosts, mail addresses, telephone numbers.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::Regex;
use unicode_normalization::UnicodeNormalization;
use url::{Host, Url};

use super::scan::Scan;

/// The ends of names that count as hosts without a scheme. Those that are English words (`it`,
/// `me`, `so`) are left out: where sentences are joined without a space they would be found.
const TOP_LEVEL: &str = "com|org|net|edu|gov|mil|int|info|biz|io|dev|app|ai|cloud|xyz|online|site|shop|bank|co|uk|de|fr|nl|eu|ch|se|dk|fi|pl|cz|es|pt|jp|cn|ru|br|ca|au|nz|mx|kr|tv|example|test|invalid|localhost";

/// Bytes of the longest URL that is read.
const URL_BYTES_MAX: usize = 2048;
/// Bytes of the longest name of a host.
const HOST_BYTES_MAX: usize = 253;

// What may continue a URL is unbounded here, because it always matches and is never read twice.
static URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)(?-u:\b)(?:(?:https?|ftp|wss?)://|www\.)[^\s<>"'`]+"#)
        .expect("a tested pattern")
});
/// Around an `@`; what of it is the address, the code below says.
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?<local>[A-Za-z0-9.%'+_\x{80}-\x{10ffff}-]{1,64})@
        (?<domain>[A-Za-z0-9.\x{80}-\x{10ffff}-]{1,253})",
    )
    .expect("a tested pattern")
});
/// The end of the name of a host and what follows it; the start is found backwards.
static HOST_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r#"(?ix)\.(?:{TOP_LEVEL}|xn--[a-z0-9-]{{1,59}})(?:\.(?:{TOP_LEVEL})){{0,3}}
        (?-u:\b)(?::[0-9]{{1,5}}(?-u:\b))?(?:[/?\#][^\s<>"'`]*)?"#
    ))
    .expect("a tested pattern")
});
static IPV4: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)(?-u:\b)(?:[0-9]{1,3}\.){3}[0-9]{1,3}
        (?-u:\b)(?::[0-9]{1,5}(?-u:\b))?(?:/[^\s<>"'`]*)?"#,
    )
    .expect("a tested pattern")
});
static INTERNATIONAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?:\+[0-9]{1,4}|(?-u:\b)00[1-9][0-9]{0,2}[ .-])(?:[ .-]{0,2}\(?[0-9]{1,11}\)?){1,7}",
    )
    .expect("a tested pattern")
});
/// `0049301234567` after a word that says that it is dialled, or alone.
static DIALLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix) (?: (?-u:\b)(?:call|phone|telephone|tel|mobile|cell|fax|dial|ring|text|sms|whatsapp)
            (?:\ (?:number|no\.?|us|me))?(?:\ (?:is|at|on))?[\ :.]{1,3} | ^\s{0,8} )
        (?<place>00(?<digits>[1-9][0-9]{9,13}))(?:[^0-9A-Za-z]|$)",
    )
    .expect("a tested pattern")
});
static NORTH_AMERICAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) (?:1[-.\ ]{1,2})?
        (?: \((?<area>[0-9]{3})\)[-.\ /]{0,2}[0-9]{3}[-.\ ][0-9]{4}
          | [0-9]{3}[-./][0-9]{3}[-.][0-9]{4}
          | [2-9][0-9]{2}[\ ][2-9][0-9]{2}[-.\ ][0-9]{4} )",
    )
    .expect("a tested pattern")
});

/// Finds URLs with a scheme, and hosts that start with `www.`.
pub(super) fn urls(scan: &mut Scan<'_>) {
    for shape in URL.find_iter(scan.text()) {
        let written = trim_end(shape.as_str());
        if let Some(value) = canonical_host(written) {
            let place = shape.start()..shape.start() + written.len();
            scan.keep(LiteralKind::Host, place, &value);
        }
    }
}

/// Finds hosts without a scheme. They come before mail addresses because of what a path may hold.
pub(super) fn hosts(scan: &mut Scan<'_>) {
    let text = scan.text();
    for shape in HOST_END.find_iter(text) {
        let start = host_start(text, shape.start());
        if start < shape.start() {
            keep_host(scan, start, shape.end());
        }
    }
}

/// Finds IPv4 addresses. They come after packages, whose versions may have four parts.
pub(super) fn ipv4_addresses(scan: &mut Scan<'_>) {
    for shape in IPV4.find_iter(scan.text()) {
        keep_host(scan, shape.start(), shape.end());
    }
}

fn keep_host(scan: &mut Scan<'_>, start: usize, end: usize) {
    let written = trim_end(scan.text().get(start..end).unwrap_or(""));
    let end = start + written.len();
    let mut rest = scan.text().get(end..).unwrap_or("").chars();
    let before = scan.before(start);
    let joined_before =
        before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '@' | '.' | '-' | '_' | '/'));
    let joined_after = match rest.next() {
        Some('.') => rest.next().is_some_and(char::is_alphanumeric),
        Some(it) => it.is_alphanumeric() || matches!(it, '@' | '-' | '_' | '='),
        None => false,
    };
    if joined_before || joined_after {
        return;
    }
    // `b.example%a@c.example` is an address, whatever stands before its `@`.
    let name = scan.text().get(end..).unwrap_or("");
    let address = name
        .find(|it: char| !it.is_alphanumeric() && !"%+'_-.".contains(it))
        .is_some_and(|at| at > 0 && name.get(at..).is_some_and(|it| it.starts_with('@')));
    if let Some(value) = canonical_host(written).filter(|_| !address) {
        scan.keep(LiteralKind::Host, start..end, &value);
    }
}

/// The value of a URL, or of a host without a scheme.
pub(super) fn canonical_host(written: &str) -> Option<String> {
    if written.contains("://") && !written.starts_with(char::is_numeric) {
        let scheme = written.split("://").next().unwrap_or("");
        if scheme.bytes().all(|it| it.is_ascii_alphabetic()) {
            return canonical_url(written);
        }
    }
    canonical_url(&format!("http://{written}"))
}

/// The value of a mail address.
pub(super) fn canonical_email(written: &str) -> Option<String> {
    let (name, host) = written.rsplit_once('@')?;
    match Host::parse(host).ok()? {
        Host::Domain(domain) => {
            let name: String = name.nfkc().collect();
            Some(format!("{}@{domain}", name.to_lowercase()))
        }
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

/// Where the name of a host starts that has a dot at `dot`.
fn host_start(text: &str, dot: usize) -> usize {
    text.get(..dot)
        .unwrap_or("")
        .char_indices()
        .rev()
        .take(HOST_BYTES_MAX)
        .take_while(|(_, it)| it.is_alphanumeric() || matches!(it, '-' | '_' | '.'))
        .last()
        .map_or(dot, |(at, _)| at)
}

/// What a sentence puts after a URL: stops, quotes, and a bracket that was opened before it.
fn trim_end(written: &str) -> &str {
    let mut written = written;
    loop {
        let cut = written.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '|', ']', '}']);
        let cut = match cut.strip_suffix(')') {
            Some(inner) if cut.matches(')').count() > cut.matches('(').count() => inner,
            _ => cut,
        };
        if cut.len() == written.len() {
            return cut;
        }
        written = cut;
    }
}

/// Host, port and path without what does not change where it leads. `https://a` and `http://a` are
/// the same place to a reader; who is named before `@` is not where the link leads.
fn canonical_url(full: &str) -> Option<String> {
    if full.len() > URL_BYTES_MAX {
        return None;
    }
    let mut url = Url::parse(full).ok()?;
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    if host.is_empty() {
        return None;
    }
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    // Both schemes are one place to a reader, so both of their ports are left out.
    let web = matches!(url.scheme(), "http" | "https");
    let port = url.port().filter(|it| !(web && matches!(it, 80 | 443)));
    let port = port.map(|it| format!(":{it}")).unwrap_or_default();
    let path = match (url.path().trim_end_matches('/'), web) {
        (path, true) => path,
        (_, false) => url.path(),
    };
    let query = url.query().map(|it| format!("?{it}")).unwrap_or_default();
    let fragment = url
        .fragment()
        .map(|it| format!("#{it}"))
        .unwrap_or_default();
    let scheme = match url.scheme() {
        "http" | "https" => String::new(),
        other => format!("{other}://"),
    };
    Some(format!("{scheme}{host}{port}{path}{query}{fragment}"))
}

/// Finds mail addresses. The local part is compared in lower case, as every provider does.
pub(super) fn emails(scan: &mut Scan<'_>) {
    for caught in EMAIL.captures_iter(scan.text()) {
        let (Some(local), Some(domain)) = (caught.name("local"), caught.name("domain")) else {
            continue;
        };
        let in_name =
            |it: char| it.is_alphanumeric() || matches!(it, '.' | '%' | '\'' | '+' | '_' | '-');
        let in_host = |it: char| it.is_alphanumeric() || matches!(it, '.' | '-');
        // Quotes and brackets around an address are no part of it.
        let name = local
            .as_str()
            .rsplit(|it| !in_name(it))
            .next()
            .unwrap_or("")
            .trim_start_matches(['.', '\'', '-']);
        let host = domain
            .as_str()
            .split(|it| !in_host(it))
            .next()
            .unwrap_or("")
            .trim_end_matches(['-', '.']);
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        let named = top.chars().count() >= 2 && top.starts_with(char::is_alphabetic);
        let Ok(Host::Domain(canonical)) = Host::parse(host) else {
            continue;
        };
        if !named || name.is_empty() || name.ends_with('.') {
            continue;
        }
        scan.keep(
            LiteralKind::Email,
            local.end() - name.len()..domain.start() + host.len(),
            &format!("{}@{canonical}", name.to_lowercase()),
        );
    }
}

/// Finds telephone numbers in shapes that mean nothing else.
pub(super) fn phones(scan: &mut Scan<'_>) {
    for shape in INTERNATIONAL.find_iter(scan.text()) {
        let written = shape.as_str().replace("(0)", "");
        let digits: String = written.chars().filter(char::is_ascii_digit).collect();
        // `0044 20 …` dials the same.
        let digits = digits.strip_prefix("00").unwrap_or(&digits).to_owned();
        let separated = shape.as_str().contains([' ', '-', '.', '(']);
        let joined = scan
            .before(shape.start())
            .is_some_and(char::is_alphanumeric);
        if (8..=15).contains(&digits.len())
            && !digits.starts_with('0')
            && !joined
            && (separated || digits.len() >= 10)
        {
            scan.keep(LiteralKind::Phone, shape.range(), &format!("+{digits}"));
        }
    }
    for caught in DIALLED.captures_iter(scan.text()) {
        if let (Some(place), Some(digits)) = (caught.name("place"), caught.name("digits")) {
            let value = format!("+{}", digits.as_str());
            scan.keep(LiteralKind::Phone, place.range(), &value);
        }
    }
    for shape in NORTH_AMERICAN.find_iter(scan.text()) {
        let joined = |it: Option<char>| {
            it.is_some_and(|it| it.is_alphanumeric() || matches!(it, '-' | '/' | '_' | '+' | '$'))
        };
        if joined(scan.before(shape.start())) || joined(scan.after(shape.end())) {
            continue;
        }
        let digits: String = shape
            .as_str()
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        // `(030) 123 4567` is the number without its country, wherever that is.
        if digits.len() == 10 && digits.starts_with('0') {
            let parts = (digits.get(..3), digits.get(3..6), digits.get(6..));
            if let (Some(area), Some(office), Some(line)) = parts
                && scan.is_whole_number(&shape.range())
            {
                let value = format!("{area}-{office}-{line}");
                scan.keep(LiteralKind::Phone, shape.range(), &value);
            }
            continue;
        }
        let national = digits.get(digits.len().saturating_sub(10)..).unwrap_or("");
        if scan.is_whole_number(&shape.range()) {
            scan.keep(LiteralKind::Phone, shape.range(), &format!("+1{national}"));
        }
    }
}

/// What two sets of telephone numbers say of each other. A number without its country may be the
/// end of one that has it.
pub(super) fn phones_disagree(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<bool> {
    if ours == theirs {
        return Some(false);
    }
    let digits = |it: &str| -> String { it.chars().filter(char::is_ascii_digit).collect() };
    let may_be = |national: &str, other: &str| {
        !national.starts_with('+')
            && other.starts_with('+')
            && digits(other).ends_with(digits(national).trim_start_matches('0'))
    };
    let known = |it: &str, others: &BTreeSet<&str>| {
        let mut others = others.iter();
        others.any(|other| *other == it || may_be(it, other) || may_be(other, it))
    };
    let all = ours.iter().all(|it| known(it, theirs)) && theirs.iter().all(|it| known(it, ours));
    (!all).then_some(true)
}
