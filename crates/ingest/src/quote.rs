//! What the sender wrote, and what the sender only passed on.
//!
//! A quoted reply or a forwarded part is no new statement of the sender, so it is cut from the own
//! words before claims are looked for. Bodies come with line breaks (`>` lines, attribution lines)
//! and without them (exports that flatten a mail to one line), so the markers that start a passed-on
//! part are found anywhere, not only at the start of a line. What follows such a marker belongs to
//! the part, up to the next one: an own word below a forwarded part is rather lost to the claims
//! than somebody else's word taken for the sender's.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A body, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    /// The sender's own words.
    pub own: String,
    /// What was quoted or forwarded, in order.
    pub quoted: Vec<String>,
}

/// The most parts that are told apart; what follows stays in the last.
const PARTS_MAX: usize = 256;
/// How far after a line of dashes the header of the part may start.
const HEADER_DISTANCE_BYTES: usize = 250;
/// How far the fields of a header may lie apart: recipients take room.
const HEADER_BYTES_MAX: usize = 4000;

/// `-----Original Message-----`, `---- Forwarded by …`, `Begin forwarded message:`.
static RULE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        -{2,}\s{0,3}(?:original\ (?:message|appointment)|urspr(?:ü|ue)ngliche\ nachricht
            |message\ d'origine|mensaje\ original|messaggio\ originale)\s{0,3}-{2,}
        | -{3,}\s{0,3}(?:forwarded|weitergeleitete|message\ transf)
        | begin\ forwarded\ message\s?:",
    )
    .expect("a tested pattern")
});
/// The date in the header that Notes puts above a quoted mail: `01/22/2001 10:58 AM To:`.
static NOTES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?:on\s)?[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}\s{1,3}[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AaPp][Mm])?
        (?:\s{1,3}(?:Please\ respond\ to|Sent\ by:?)\s[^\n]{1,150}?)?
        (?:\s|=[0-9]{2}){1,20}To(?::|$)",
    )
    .expect("a tested pattern")
});
/// Who stands before that date.
static NOTES_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)(?:
            (?:"[^"]{1,80}"|[A-Z][^\s<>"@,;:/]{0,30}(?:\s[A-Z]\.?)?\s[A-Z][^\s<>"@,;:/]{1,30})?\s{0,2}<[^<>\s]{3,90}>
          | [A-Za-z0-9_.+'-]{1,64}@[A-Za-z0-9.-]{3,90}
          | [A-Z][^\s<>"@,;:/]{0,30}(?:\s[A-Z]\.?)?\s[A-Z][^\s<>"@,;:/]{1,30}
            (?:\s?@\s?[A-Za-z0-9_&\ ]{2,40}|(?:/[A-Za-z0-9_&]{1,30}){1,5}(?:@[A-Za-z0-9_]{1,30})?)?
        )\s{0,3}$"#,
    )
    .expect("a tested pattern")
});
/// `From:` in a header; the residue of an encoding that was not undone may stand before it.
static FROM: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|\s|>|=09|=20)(?<field>From:\s)").expect("a tested pattern"));
/// `From: Jo Doe on 06/20/2002 10:09 AM`: who wrote it and when, without recipients.
static FROM_DATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"From:\s[^\n:]{1,80}?\s(?:on\s)?[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}\s{1,3}[0-9]{1,2}:[0-9]{2}")
        .expect("a tested pattern")
});
/// A body that starts with the subject line of another mail.
static SUBJECT_FIRST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s{0,100}Subject:\s").expect("a tested pattern"));
/// `On Tue, 5 Nov 2024 at 10:00, Jo <jo@example.com> wrote:`.
static ATTRIBUTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)(?:^|\s)(?<line>(?:On|Am|Le|El)\s[^:]{0,60}[0-9].{2,160}?\s(?:wrote|schrieb|a écrit|escribió)[^\n:]{0,60}:)")
        .expect("a tested pattern")
});
static ATTRIBUTION_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:wrote|writes|schrieb|a écrit|escribió)[^:]{0,60}:\s*$")
        .expect("a tested pattern")
});

/// Takes a body apart into the sender's own words and what was passed on.
///
/// ```
/// let parts = immune_ingest::split("I agree.\n\nOn 5 Nov 2024, Bo wrote:\n> The fee is $30.\n");
/// assert_eq!(parts.own, "I agree.");
/// assert_eq!(parts.quoted, ["On 5 Nov 2024, Bo wrote:\n> The fee is $30."]);
/// ```
pub fn split(body: &str) -> Parts {
    let body = body.replace("\r\n", "\n");
    let starts = starts(&body);
    let first = starts.first().copied().unwrap_or(body.len());
    let before = body.get(..first).unwrap_or("");
    let mut parts = split_lines(if starts.is_empty() {
        before
    } else {
        without_rule(before)
    });
    for (idx, start) in starts.iter().enumerate() {
        let end = starts.get(idx + 1).copied().unwrap_or(body.len());
        let part = body.get(*start..end).unwrap_or("").trim();
        if !part.is_empty() {
            parts.quoted.push(part.to_owned());
        }
    }
    parts
}

/// The text without the dashes and `>` at its end, which belong to the marker after it.
fn without_rule(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let word = text.rsplit(char::is_whitespace).next().unwrap_or("");
        if word.is_empty() || !word.chars().all(|it| matches!(it, '>' | '_' | '-' | '*')) {
            return text;
        }
        text = text.strip_suffix(word).unwrap_or("").trim_end();
    }
}

/// A marker: its text, and whether the header of the same part may follow it.
struct Marker {
    span: Range<usize>,
    announces: bool,
}

/// Where the passed-on parts start, in order.
fn starts(body: &str) -> Vec<usize> {
    let mut markers: Vec<Marker> = RULE
        .find_iter(body)
        .map(|it| Marker {
            span: it.range(),
            announces: true,
        })
        .collect();
    markers.extend(NOTES.find_iter(body).map(|it| Marker {
        span: name_before(body, it.start())..it.end(),
        announces: false,
    }));
    markers.extend(FROM.captures_iter(body).filter_map(|it| {
        let start = it.name("field")?.start();
        let end = header_end(body, start)?;
        Some(Marker {
            span: start..end,
            announces: false,
        })
    }));
    markers.extend(ATTRIBUTION.captures_iter(body).filter_map(|it| {
        let line = it.name("line")?;
        let rest = body.get(line.end()..)?.trim_start();
        // Before `>` lines an answer may stand between the quoted ones: see `split_lines`.
        let by_line = rest.starts_with('>') && rest.contains('\n');
        (!by_line).then(|| Marker {
            span: line.range(),
            announces: false,
        })
    }));
    for pattern in [&*FROM_DATED, &*SUBJECT_FIRST] {
        markers.extend(pattern.find_iter(body).map(|it| Marker {
            span: it.range(),
            announces: false,
        }));
    }
    if let Some(at) = flattened_quote(body) {
        markers.push(Marker {
            span: at..at + 1,
            announces: false,
        });
    }
    markers.sort_by_key(|it| (it.span.start, it.span.end));
    let mut starts: Vec<usize> = Vec::new();
    let (mut covered, mut announced) = (0, false);
    for marker in &markers {
        let room = if announced && !marker.announces {
            HEADER_DISTANCE_BYTES
        } else {
            0
        };
        let same_part = starts.last().is_some_and(|start| {
            let between = body.get(*start..marker.span.start).unwrap_or("");
            marker.span.start < covered + room || without_rule(between).is_empty()
        });
        covered = covered.max(marker.span.end);
        announced = marker.announces;
        if !same_part && starts.len() < PARTS_MAX {
            starts.push(marker.span.start);
        }
    }
    starts
}

/// Where the header starts that has its date at `at`: the sender's name stands before it.
fn name_before(body: &str, at: usize) -> usize {
    let mut from = at.saturating_sub(200);
    while !body.is_char_boundary(from) {
        from += 1;
    }
    let before = body.get(from..at).unwrap_or("");
    let start = before
        .rfind("From: ")
        // One with its own recipients belongs to an earlier header.
        .filter(|start| !before.get(*start..).is_some_and(|it| it.contains("To:")))
        .or_else(|| NOTES_NAME.find(before).map(|it| it.start()));
    start.map_or(at, |start| from + start)
}

/// The end of a header that starts with `From:` here, if `To:` or `Sent:` and then `Subject:` follow.
fn header_end(body: &str, start: usize) -> Option<usize> {
    let mut end = (start + HEADER_BYTES_MAX).min(body.len());
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    let window = body.get(start..end)?;
    let mut near = window.len().min(250);
    while !window.is_char_boundary(near) {
        near -= 1;
    }
    let next = ["Sent:", "To:", "Date:", "Reply-To:"]
        .into_iter()
        .filter_map(|field| window.get(..near)?.find(field))
        .min()?;
    let subject = window.get(next..)?.find("Subject:")?;
    Some(start + next + subject + "Subject:".len())
}

/// Where `>` quoting starts in a body whose lines were joined: several lone `>` in one line.
fn flattened_quote(body: &str) -> Option<usize> {
    if body.trim().contains('\n') {
        return None;
    }
    let lone = |(at, _): &(usize, &str)| {
        let before = body.get(..*at).and_then(|it| it.chars().next_back());
        let after = body.get(at + 1..).and_then(|it| it.chars().next());
        before.is_none_or(char::is_whitespace)
            && after.is_none_or(|it| it.is_whitespace() || it == '>')
    };
    let mut quotes = body.match_indices('>').filter(lone);
    let (first, _) = quotes.next()?;
    quotes.nth(1).map(|_| first)
}

/// Takes `>` lines and the line that attributes them out of the text before the first marker.
fn split_lines(text: &str) -> Parts {
    let mut own: Vec<&str> = Vec::new();
    let mut quoted: Vec<String> = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with('>') {
            if block.is_empty() {
                block.extend(take_attribution(&mut own));
            }
            block.push(line);
            continue;
        }
        if !block.is_empty() {
            quoted.push(block.join("\n").trim().to_owned());
            block.clear();
        }
        own.push(line);
    }
    if !block.is_empty() {
        quoted.push(block.join("\n").trim().to_owned());
    }
    let own = own.join("\n");
    Parts {
        own: own.trim().to_owned(),
        quoted,
    }
}

/// The attribution at the end of the own words: one line, or two if the mail program broke it.
fn take_attribution<'t>(own: &mut Vec<&'t str>) -> Vec<&'t str> {
    let filled = own.iter().rposition(|line| !line.trim().is_empty());
    let Some(last) =
        filled.filter(|at| own.get(*at).is_some_and(|it| ATTRIBUTION_END.is_match(it)))
    else {
        return Vec::new();
    };
    let opens = |at: usize| {
        own.get(at)
            .is_some_and(|it| it.trim_start().starts_with("On "))
    };
    let first = if opens(last) {
        last
    } else {
        (last.saturating_sub(2)..last)
            .rev()
            .find(|at| opens(*at))
            .unwrap_or(last)
    };
    own.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, own: &str, quoted: &[&str]) {
        let parts = split(body);
        assert_eq!(parts.own, own, "own words of {body:?}");
        assert_eq!(parts.quoted, quoted, "quoted parts of {body:?}");
    }

    #[test]
    fn a_body_without_quotes_is_all_own() {
        check("Fine.\r\n\r\nJo", "Fine.\n\nJo", &[]);
        check("Is 3 > 2 and a -> b?", "Is 3 > 2 and a -> b?", &[]);
        check(
            "From: here to there. To: be fair",
            "From: here to there. To: be fair",
            &[],
        );
        check("", "", &[]);
    }

    #[test]
    fn answers_between_quoted_lines_are_own() {
        check(
            "On Tue, 5 Nov 2024 at 10:00, Jo\n<jo@example.com> wrote:\n> The fee is $30.\n\nNo, $40.\n\n> Pay now.\nYes.\n",
            "No, $40.\n\nYes.",
            &[
                "On Tue, 5 Nov 2024 at 10:00, Jo\n<jo@example.com> wrote:\n> The fee is $30.",
                "> Pay now.",
            ],
        );
    }

    #[test]
    fn everything_after_a_marker_is_passed_on() {
        check(
            "See below.\n\n-----Original Message-----\nFrom: Jo\nSent: Monday\nTo: Bo\nSubject: fee\n\nIt is $30.",
            "See below.",
            &[
                "-----Original Message-----\nFrom: Jo\nSent: Monday\nTo: Bo\nSubject: fee\n\nIt is $30.",
            ],
        );
        check(
            "FYI\n\nBegin forwarded message:\n\nFrom: Jo <jo@example.com>\nSubject: fee\n\nIt is $30.",
            "FYI",
            &["Begin forwarded message:\n\nFrom: Jo <jo@example.com>\nSubject: fee\n\nIt is $30."],
        );
        check(
            "Ok.\n________________________________\nFrom: Jo\nSent: Monday\nTo: Bo\nSubject: fee\n\nIt is $30.",
            "Ok.",
            &["From: Jo\nSent: Monday\nTo: Bo\nSubject: fee\n\nIt is $30."],
        );
        check(
            "On 5 Nov 2024 Jo wrote:\n\nIt is $30.",
            "",
            &["On 5 Nov 2024 Jo wrote:\n\nIt is $30."],
        );
    }

    #[test]
    fn flattened_bodies_are_taken_apart_too() {
        check(
            "See below. Eric ---------------------- Forwarded by Eric Boyt/Corp/Enron on 01/09/2001 10:27 AM \
             --------------------------- From: Tanya Rohauer@ECT on 01/09/2001 10:19 AM To: eric@enron.example \
             cc: Jo/HOU/ECT Subject: form Eric, I spoke.",
            "See below. Eric",
            &[
                "---------------------- Forwarded by Eric Boyt/Corp/Enron on 01/09/2001 10:27 AM \
             --------------------------- From: Tanya Rohauer@ECT on 01/09/2001 10:19 AM To: eric@enron.example \
             cc: Jo/HOU/ECT Subject: form Eric, I spoke.",
            ],
        );
        check(
            "No concerns. Thanks. DF From: Mary Kay Miller 01/18/2001 06:14 PM To: Drew/ET&S cc: Subject: trip For \
             your info MK ------- Forwarded by Mary/ET&S on 01/18/2001 06:10 PM ---- Nancy Bagot 01/18/2001 \
             02:47 PM To: Lisa cc: Jo Subject: trip Lisa, I will",
            "No concerns. Thanks. DF",
            &[
                "From: Mary Kay Miller 01/18/2001 06:14 PM To: Drew/ET&S cc: Subject: trip For your info MK",
                "------- Forwarded by Mary/ET&S on 01/18/2001 06:10 PM ---- Nancy Bagot 01/18/2001 02:47 PM To: \
                 Lisa cc: Jo Subject: trip Lisa, I will",
            ],
        );
        check(
            "I heard back. Eric Boyt 01/22/2001 10:58 AM To: Dave Fuller/PDX cc: Jo Subject: x The price",
            "I heard back.",
            &["Eric Boyt 01/22/2001 10:58 AM To: Dave Fuller/PDX cc: Jo Subject: x The price"],
        );
        check(
            "Regards, Michael <<m.xls>> > -----Original Message----- > From: Dasovich, Jeff > Sent: Friday > To: s \
             > Subject: C > > Michael and I",
            "Regards, Michael <<m.xls>>",
            &[
                "> -----Original Message----- > From: Dasovich, Jeff > Sent: Friday > To: s > Subject: C > > Michael and I",
            ],
        );
        check(
            "me too -----Original Message----- From: A, B Sent: Tuesday To: C Subject: RE: x I can. \
             -----Original Message----- From: C Sent: Monday To: D Subject: x FT",
            "me too",
            &[
                "-----Original Message----- From: A, B Sent: Tuesday To: C Subject: RE: x I can.",
                "-----Original Message----- From: C Sent: Monday To: D Subject: x FT",
            ],
        );
    }
}
