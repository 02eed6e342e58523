//! Values in other words, and values that were changed: what the literals are measured on.
//!
//! For [`super::values`]. Everything here is made by plain rules that know nothing of our parsers:
//! a variant is the same value to a reader, a change is another one.

use immune_testkit::random::Random;

/// A value written otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// How it was made: `spacing`, `one digit`.
    pub(super) how: &'static str,
    /// What stands in the text.
    pub(super) text: String,
}

fn written(how: &'static str, text: impl Into<String>) -> Written {
    Written {
        how,
        text: text.into(),
    }
}

/// The same value in other words.
pub(super) fn variants(kind: &str, text: &str) -> Vec<Written> {
    let lower = || written("case", text.to_lowercase());
    let upper = || written("case", text.to_uppercase());
    let mut all = match kind {
        "iban" => vec![
            lower(),
            written("spacing", grouped(text, ' ')),
            written("spacing", grouped(&text.to_lowercase(), '-')),
        ],
        "email" => vec![upper(), written("wrapping", format!("<{text}>"))],
        "host" => host_variants(text),
        "phone" => vec![
            written("spacing", text.replace('-', " ")),
            written("spacing", text.replace('-', ".")),
        ],
        "date" => date_variants(text),
        "time" => time_variants(text),
        "amount" => amount_variants(text),
        "percentage" => {
            let number = text.trim_end_matches('%');
            let mut all = vec![written("words", format!("{number} percent"))];
            all.extend(
                whole(number)
                    .map(|it| written("word numbers", format!("{} percent", in_words(it)))),
            );
            all
        }
        "quantity" => {
            let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
            let mut all = vec![upper()];
            all.extend(
                whole(number).map(|it| written("word numbers", format!("{} {unit}", in_words(it)))),
            );
            all
        }
        _ => Vec::new(),
    };
    all.push(written("width", full_width(text)));
    all.retain(|it| it.text != text);
    all
}

/// Values that are not the one that is given.
pub(super) fn changes(kind: &str, text: &str, random: &mut Random) -> Vec<Written> {
    let mut all = Vec::new();
    all.extend(one_digit(text, random).map(|it| written("one digit", it)));
    match kind {
        "iban" => {
            let other = "DE44500105175407324931";
            all.push(written("both accounts", format!("{text} and {other}")));
            all.extend(swapped(text).map(|it| written("two digits swapped", it)));
            all.extend(imitated(text).map(|it| written("homoglyph", it)));
        }
        "email" | "host" => {
            all.extend(imitated(text).map(|it| written("homoglyph", it)));
            all.extend(one_letter(text, random).map(|it| written("one letter", it)));
        }
        "amount" => {
            all.push(written("currency", text.replace('$', "€")));
            all.push(written(
                "ten times",
                format!("{}0", text.split('.').next().unwrap_or(text)),
            ));
            if let Some(number) = whole(&text.replace(['$', ','], "")) {
                let words = in_words(number + 1);
                all.push(written("word numbers", format!("{words} dollars")));
            }
        }
        "percentage" => all.push(written("ten times", format!("1{text}"))),
        "quantity" => {
            if let Some((number, unit)) = text.split_once(' ')
                && let Some(number) = whole(number)
            {
                let words = in_words(number + 3);
                all.push(written("word numbers", format!("{words} {unit}")));
            }
        }
        "time" => {
            let other = if text.contains("AM") {
                text.replace("AM", "PM")
            } else {
                text.replace("PM", "AM")
            };
            all.push(written("half of the day", other));
        }
        _ => {}
    }
    all.retain(|it| it.text != text);
    all
}

/// Groups of four.
fn grouped(text: &str, mark: char) -> String {
    let mut all = String::new();
    for (at, character) in text.chars().enumerate() {
        if at > 0 && at % 4 == 0 {
            all.push(mark);
        }
        all.push(character);
    }
    all
}

/// The digits of East Asian type, which mean the same.
fn full_width(text: &str) -> String {
    let wide = |it: char| match it {
        '0'..='9' => char::from_u32(u32::from(it) + 0xfee0).unwrap_or(it),
        other => other,
    };
    text.chars().map(wide).collect()
}

fn host_variants(text: &str) -> Vec<Written> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let scheme = if scheme.is_empty() {
        String::new()
    } else {
        format!("{scheme}://")
    };
    let mut all = vec![
        written("case", format!("{scheme}{}{path}", host.to_uppercase())),
        written("wrapping", format!("<{text}>")),
        written("scheme", format!("https://{rest}")),
    ];
    if path.is_empty() {
        all.push(written("slash", format!("{text}/")));
    }
    all
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn date_variants(text: &str) -> Vec<Written> {
    let parts: Vec<usize> = text.split('-').filter_map(|it| it.parse().ok()).collect();
    let [year, month, day] = parts[..] else {
        return Vec::new();
    };
    let Some(name) = month.checked_sub(1).and_then(|it| MONTHS.get(it)) else {
        return Vec::new();
    };
    vec![
        written("words", format!("{name} {day}, {year}")),
        written("words", format!("{day} {name} {year}")),
        written(
            "words",
            format!("the {day}{} of {name}, {year}", ordinal(day)),
        ),
        written("order", format!("{month:02}/{day:02}/{year}")),
        written("without the year", format!("{name} {day}")),
    ]
}

fn ordinal(day: usize) -> &'static str {
    match (day % 10, day) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

fn time_variants(text: &str) -> Vec<Written> {
    let compact = text.replace(' ', "");
    let (clock, half) = compact.split_at(compact.len().saturating_sub(2));
    let (hour, minute) = clock.split_once(':').unwrap_or((clock, "00"));
    let hour: usize = hour.parse().unwrap_or(0);
    let later = if half.eq_ignore_ascii_case("pm") {
        12
    } else {
        0
    };
    vec![
        written("spacing", compact.clone()),
        written("case", format!("{clock} {}", half.to_lowercase())),
        written("clock", format!("{:02}:{minute}", hour % 12 + later)),
    ]
}

fn amount_variants(text: &str) -> Vec<Written> {
    let number = text.replace(['$', ','], "");
    let plain = number.trim_end_matches(".00").trim_end_matches(".0");
    let mut all = vec![
        written("currency code", format!("USD {plain}")),
        written("currency code", format!("{plain} USD")),
        written("currency name", format!("{plain} dollars")),
        written("spacing", format!("$ {plain}")),
    ];
    if let Some(number) = whole(plain) {
        all.push(written("cents", format!("${number}.00")));
        all.push(written(
            "word numbers",
            format!("{} dollars", in_words(number)),
        ));
        if number >= 1_000 {
            let (thousands, rest) = (number / 1_000, number % 1_000);
            all.push(written("grouping", format!("${thousands},{rest:03}")));
        }
    }
    all
}

fn whole(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(".00").trim_end_matches(".0");
    text.parse().ok()
}

/// A number below a million in English words.
fn in_words(number: u64) -> String {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] = [
        "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let at = |words: &[&'static str], idx: u64| -> &'static str {
        let idx = usize::try_from(idx).unwrap_or(0);
        words.get(idx).copied().unwrap_or("")
    };
    match number {
        0..=19 => at(&SMALL, number).to_owned(),
        20..=99 if number.is_multiple_of(10) => at(&TENS, number / 10).to_owned(),
        20..=99 => format!("{}-{}", at(&TENS, number / 10), at(&SMALL, number % 10)),
        100..=999 if number.is_multiple_of(100) => format!("{} hundred", at(&SMALL, number / 100)),
        100..=999 => format!(
            "{} hundred and {}",
            at(&SMALL, number / 100),
            in_words(number % 100)
        ),
        _ if number.is_multiple_of(1_000) => format!("{} thousand", in_words(number / 1_000)),
        _ => format!(
            "{} thousand {}",
            in_words(number / 1_000),
            in_words(number % 1_000)
        ),
    }
}

/// One digit made another one; a first digit never becomes 0.
fn one_digit(text: &str, random: &mut Random) -> Option<String> {
    let digits: Vec<usize> = text
        .char_indices()
        .filter(|(_, it)| it.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    // The decimals of `$50.0` and the first digit of a clock may not change at will.
    let whole = text.find('.').filter(|_| text.starts_with('$'));
    let digits: Vec<usize> = digits
        .into_iter()
        .filter(|it| whole.is_none_or(|end| *it < end))
        .collect();
    if digits.is_empty() || text.contains(':') || text.contains('M') {
        return None;
    }
    // In a date only the last digit of the year may be any other one.
    let at = if text.len() == 10 && text.matches('-').count() == 2 {
        3
    } else {
        *digits.get(random.below(digits.len()))?
    };
    let old = text.get(at..=at)?.parse::<usize>().ok()?;
    let new = (old % 9 + 1 + random.below(8)) % 9 + 1;
    let new = if new == old { new % 9 + 1 } else { new };
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &new.to_string());
    Some(changed)
}

/// The first two neighbours that differ, swapped.
fn swapped(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let at = (4..bytes.len().saturating_sub(1)).find(|at| {
        let pair = bytes.get(*at).zip(bytes.get(at + 1));
        pair.is_some_and(|(a, b)| a != b && a.is_ascii_digit() && b.is_ascii_digit())
    })?;
    let mut changed: Vec<char> = text.chars().collect();
    changed.swap(at, at + 1);
    Some(changed.into_iter().collect())
}

/// The first letter that has a twin in another script, in its place.
fn imitated(text: &str) -> Option<String> {
    const TWINS: [(char, char); 14] = [
        ('a', 'а'),
        ('e', 'е'),
        ('o', 'о'),
        ('c', 'с'),
        ('p', 'р'),
        ('x', 'х'),
        ('i', 'і'),
        ('B', 'В'),
        ('K', 'К'),
        ('H', 'Н'),
        ('E', 'Е'),
        ('S', 'Ѕ'),
        ('C', 'С'),
        ('0', 'O'),
    ];
    // The scheme of a URL is no part of what is imitated.
    let start = text.find("://").map_or(0, |at| at + 3);
    let start = if text.get(start..).is_some_and(|it| it.starts_with("www.")) {
        start + 4
    } else {
        start
    };
    let (at, twin) = text
        .char_indices()
        .filter(|(at, _)| *at >= start)
        .find_map(|(at, it)| Some((at, TWINS.iter().find(|(plain, _)| *plain == it)?.1)))?;
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &twin.to_string());
    Some(changed)
}

/// One letter of the name made another one.
fn one_letter(text: &str, random: &mut Random) -> Option<String> {
    let start = text.find("://").map_or(0, |at| at + 3);
    let start = if text.get(start..).is_some_and(|it| it.starts_with("www.")) {
        start + 4
    } else {
        start
    };
    let end = text.rfind('.').filter(|it| *it > start)?;
    let letters: Vec<usize> = text
        .char_indices()
        .filter(|(at, it)| (start..end).contains(at) && it.is_ascii_lowercase())
        .map(|(at, _)| at)
        .collect();
    let at = *letters.get(random.below(letters.len().max(1)))?;
    let old = text.as_bytes().get(at)? - b'a';
    let new = char::from(b'a' + (old + 1 + u8::try_from(random.below(24)).ok()?) % 26);
    let mut changed = text.to_owned();
    changed.replace_range(at..=at, &new.to_string());
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_never_the_value_and_a_variant_never_its_spelling() {
        let mut random = Random::new(1);
        for (kind, text) in [
            ("iban", "GB29NWBK60161331926819"),
            ("amount", "$1,200.00"),
            ("date", "2024-05-14"),
            ("host", "www.example.com"),
            ("time", "6 PM"),
        ] {
            let (same, other) = (variants(kind, text), changes(kind, text, &mut random));
            assert!(!same.is_empty() && !other.is_empty(), "{kind}");
            assert!(same.iter().chain(&other).all(|it| it.text != text));
        }
        assert_eq!(in_words(1_250), "one thousand two hundred and fifty");
        assert_eq!(grouped("GB29NWBK6", ' '), "GB29 NWBK 6");
    }
}
