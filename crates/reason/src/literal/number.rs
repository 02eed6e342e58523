//! Numbers in digits and in English words.

use rust_decimal::Decimal;

/// A number in digits: `5,000`, `1,190,803.50`, `1.234,56`, `1,00,000`, `5'000`, `4.94`, `.05`.
pub(super) const DIGITS: &str = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,6}(?:\.[0-9]{1,9})?|[0-9]{1,2}(?:,[0-9]{2}){1,4},[0-9]{3}(?:\.[0-9]{1,9})?|[0-9]{1,3}(?:'[0-9]{3}){1,6}(?:\.[0-9]{1,9})?|[0-9]{1,3}(?:\.[0-9]{3}){1,6},[0-9]{1,2}|[0-9]{1,18}(?:[.,][0-9]{1,9})?|\.[0-9]{1,9})";

/// Groups of digits parted by spaces; only where a currency says that they are one number.
pub(super) const SPACED: &str = r"(?:[0-9]{1,3}(?:\ [0-9]{3}){1,6}(?:[.,][0-9]{1,2})?)";

/// The factor after a number; only the long forms may stand apart from it.
pub(super) const FACTOR: &str =
    r"(?:(?:[\ -]?(?:thousand|million|billion|trillion|mm|mn|mln|bn)|[kmb])(?-u:\b))";

const ATOM: &str = "(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|dozen)";

/// A number in words: `thirty`, `twenty-five`, `a hundred and five`, `half a million`, `two and a
/// half`.
pub(super) fn words_pattern() -> String {
    format!(
        r"(?-u:\b)(?:half\ a\ |a\ )?{ATOM}(?:(?:[\ -]|\ and\ ){ATOM}){{0,9}}(?:\ and\ a\ half(?:[\ -]{ATOM})?)?(?-u:\b)"
    )
}

/// The value of a number in digits, or nothing if it can be read in two ways.
pub(super) fn from_digits(text: &str) -> Option<Decimal> {
    let text = text.replace([' ', '\''], "");
    let plain = match (text.rfind(','), text.rfind('.')) {
        // The last separator is the decimal one; a single comma before three digits groups.
        (Some(comma), Some(point)) if comma > point => text.replace('.', "").replace(',', "."),
        (Some(_), Some(_)) => text.replace(',', ""),
        (Some(comma), None) => {
            let decimals = text.len() - comma - 1;
            match decimals {
                3 => text.replace(',', ""),
                1 | 2 if text.matches(',').count() == 1 => text.replace(',', "."),
                _ => return None,
            }
        }
        (None, _) => text,
    };
    let plain = if plain.starts_with('.') {
        format!("0{plain}")
    } else {
        plain
    };
    plain.parse().ok()
}

/// The factor that a word after a number stands for.
pub(super) fn factor(word: &str) -> Option<Decimal> {
    let power = match word.trim_matches([' ', '-']).to_ascii_lowercase().as_str() {
        "k" | "thousand" => 1_000_i64,
        "m" | "mm" | "mn" | "mln" | "million" => 1_000_000,
        "b" | "bn" | "billion" => 1_000_000_000,
        "trillion" => 1_000_000_000_000,
        _ => return None,
    };
    Some(Decimal::from(power))
}

/// The value of a number in words, or nothing if the words make no number: `one two`.
pub(super) fn from_words(text: &str) -> Option<Decimal> {
    let text = text.to_ascii_lowercase();
    let half = Decimal::new(5, 1);
    if let Some(scale) = text.strip_prefix("half a ") {
        return whole_words(scale)?.checked_mul(half);
    }
    match text.split_once(" and a half") {
        // `two and a half million`; `twenty million and a half` is two things.
        Some((number, "")) => Some(whole_words(number)? + half),
        Some((number, scale)) => {
            let times = factor(scale).or_else(|| (scale.trim() == "hundred").then(|| 100.into()));
            (whole_words(number)? + half).checked_mul(times?)
        }
        None => whole_words(&text),
    }
}

fn whole_words(text: &str) -> Option<Decimal> {
    let (mut total, mut group, mut scale_before) = (0_i64, None::<i64>, i64::MAX);
    for word in text
        .split([' ', '-'])
        .filter(|word| !matches!(*word, "and" | "a" | ""))
    {
        let value = atom(word)?;
        match value {
            0 => {
                return (text == "zero").then_some(Decimal::ZERO);
            }
            1..=9 => {
                let tens = group.unwrap_or(0) % 100;
                if tens % 10 != 0 || tens == 10 {
                    return None;
                }
                group = Some(group.unwrap_or(0) + value);
            }
            10..=99 if value != 12 || word == "twelve" => {
                if group.unwrap_or(0) % 100 != 0 {
                    return None;
                }
                group = Some(group.unwrap_or(0) + value);
            }
            12 => group = Some(group.unwrap_or(1).checked_mul(12)?),
            100 => {
                let hundreds = group.unwrap_or(1);
                if !(1..=99).contains(&hundreds) {
                    return None;
                }
                group = Some(hundreds * 100);
            }
            scale => {
                if scale >= scale_before {
                    return None;
                }
                total += group.unwrap_or(1).checked_mul(scale)?;
                group = None;
                scale_before = scale;
            }
        }
    }
    Some(Decimal::from(total + group.unwrap_or(0)))
}

fn atom(word: &str) -> Option<i64> {
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
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    if let Some(value) = SMALL.iter().position(|it| *it == word) {
        return i64::try_from(value).ok();
    }
    if let Some(idx) = TENS.iter().position(|it| *it == word) {
        return i64::try_from((idx + 2) * 10).ok();
    }
    match word {
        "fourty" => Some(40),
        "dozen" => Some(12),
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        "billion" => Some(1_000_000_000),
        "trillion" => Some(1_000_000_000_000),
        _ => None,
    }
}

/// The number that a pattern caught in digits or in words, times its factor.
pub(super) fn value(
    digits: Option<&str>,
    words: Option<&str>,
    times: Option<&str>,
) -> Option<Decimal> {
    let number = match (digits, words) {
        (Some(digits), _) => from_digits(digits)?,
        (None, Some(words)) => from_words(words)?,
        (None, None) => return None,
    };
    let times = match times {
        Some(word) => factor(word)?,
        None => Decimal::ONE,
    };
    Some(number.checked_mul(times)?.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_once_or_not_at_all() {
        for (text, value) in [
            ("5,000", Some("5000")),
            ("50,000", Some("50000")),
            ("1,190,803.50", Some("1190803.50")),
            ("1.234,56", Some("1234.56")),
            ("5,5", Some("5.5")),
            (".05", Some("0.05")),
            ("5,0000", None),
            ("1,00,000", Some("100000")),
            ("5'000.50", Some("5000.50")),
            ("1 190 803", Some("1190803")),
        ] {
            assert_eq!(
                from_digits(text),
                value.map(|it| it.parse().unwrap()),
                "{text}"
            );
        }
    }

    #[test]
    fn words_make_a_number_or_none() {
        for (text, value) in [
            ("thirty", Some(30)),
            ("twenty-five", Some(25)),
            ("a hundred and five", Some(105)),
            ("two thousand one hundred", Some(2100)),
            ("twelve hundred", Some(1200)),
            ("sixty-six million", Some(66_000_000)),
            ("two dozen", Some(24)),
            ("zero", Some(0)),
            ("two hundred and fifty", Some(250)),
            ("half a million", Some(500_000)),
            ("two and a half million", Some(2_500_000)),
            ("two and a half two", None),
            ("one two", None),
            ("nineteen ninety", None),
            ("ten five", None),
            ("thousand million", None),
        ] {
            assert_eq!(from_words(text), value.map(Decimal::from), "{text}");
        }
    }
}
