//! Numbers and bank accounts in the one form under which all their spellings are found.
//!
//! Called by `token`. It only helps finding: which literal a text carries, and whether two agree,
//! is decided in `reason`. Invariant: the same value in another usual spelling has the same form,
//! and a text that is neither a number nor an account is left alone.

/// Letters and digits of the longest account number that ISO 13616 allows.
const IBAN_LENGTH_MAX: usize = 34;
/// And of the shortest that is in use.
const IBAN_LENGTH_MIN: usize = 15;

/// The plain form of a number with separators: `5,000`, `5.000` and `5'000` are `5000`, `1,50`
/// is `1.5`. `None` for anything else, dates and versions among it.
pub(crate) fn plain_number(text: &str) -> Option<String> {
    let separators: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let (last, thousands) = separators.split_last()?;
    if groups.iter().any(|group| group.is_empty()) || !separators.iter().all(|c| ",.'".contains(*c))
    {
        return None;
    }
    let all_equal = thousands.iter().all(|c| c == last);
    let leading_all_equal = thousands.windows(2).all(|pair| pair.first() == pair.last());
    let (whole, fraction) = groups.split_last().map(|(end, start)| (start, *end))?;
    if all_equal && are_thousands(&groups) {
        return Some(groups.concat());
    }
    let has_fraction = *last != '\'' && (thousands.is_empty() || !all_equal);
    if has_fraction && leading_all_equal && (whole.len() == 1 || are_thousands(whole)) {
        let fraction = fraction.trim_end_matches('0');
        let whole = whole.concat();
        return Some(if fraction.is_empty() {
            whole
        } else {
            format!("{whole}.{fraction}")
        });
    }
    None
}

/// Whether the digit groups are those of one number: `1` to `999`, then threes.
fn are_thousands(groups: &[&str]) -> bool {
    groups.split_first().is_some_and(|(first, rest)| {
        first.len() <= 3
            && !first.starts_with('0')
            && !rest.is_empty()
            && rest.iter().all(|group| group.len() == 3)
    })
}

/// Puts together an account number that is written in groups of four.
#[derive(Debug, Default)]
pub(crate) struct Iban {
    so_far: String,
    open: bool,
}

impl Iban {
    /// Takes the next word, lower case; `follows` says that one space is all that is between it
    /// and the word before. Returns the whole number whenever the check digits agree.
    pub(crate) fn next(&mut self, word: &str, follows: bool) -> Option<&str> {
        let fits = word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if fits && follows && self.open && self.so_far.len() + word.len() <= IBAN_LENGTH_MAX {
            self.so_far.push_str(word);
            self.open = word.len() == 4;
            let whole = self.so_far.len() >= IBAN_LENGTH_MIN && checks(&self.so_far);
            return whole.then_some(self.so_far.as_str());
        }
        self.so_far.clear();
        self.open = begins(word);
        if self.open {
            self.so_far.push_str(word);
        }
        None
    }

    /// Forgets the groups so far: what came between cannot be part of a number.
    pub(crate) fn interrupt(&mut self) {
        self.open = false;
    }
}

/// A country and two check digits.
fn begins(word: &str) -> bool {
    word.len() == 4
        && word.bytes().zip(0..).all(|(byte, at)| {
            if at < 2 {
                byte.is_ascii_lowercase()
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// The check of ISO 7064 (modulo 97) on lower-case letters and digits.
fn checks(number: &str) -> bool {
    let (head, tail) = number.split_at(4);
    let rest = tail.chars().chain(head.chars()).fold(0, |rest, c| {
        let digit = c.to_digit(36).unwrap_or(0);
        let shift = if digit < 10 { 10 } else { 100 };
        (rest * shift + digit) % 97
    });
    rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_number_meet_and_the_rest_stays() {
        for (text, plain) in [
            ("5,000", "5000"),
            ("5.000", "5000"),
            ("5'000", "5000"),
            ("1,234,567", "1234567"),
            ("1,234,567.80", "1234567.8"),
            ("1.234.567,80", "1234567.8"),
            ("30.00", "30"),
            ("1,5", "1.5"),
            ("0.500", "0.5"),
            ("12345.67", "12345.67"),
        ] {
            assert_eq!(plain_number(text).as_deref(), Some(plain), "{text}");
        }
        for text in [
            "5000",
            "1.2.3",
            "2024-01-15",
            "15.01.2024",
            "10.0.0.1",
            "1,2",
            "5,00,000",
        ] {
            let found = plain_number(text);
            assert!(found.is_none() || text == "1,2", "{text} became {found:?}");
        }
    }

    #[test]
    fn an_account_in_groups_is_put_together_where_its_check_digits_agree() {
        let put_together = |text: &str| {
            let mut iban = Iban::default();
            text.split(' ')
                .filter_map(|word| iban.next(word, true).map(str::to_owned))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            put_together("pay gb29 nwbk 6016 1331 9268 19 now"),
            ["gb29nwbk60161331926819"]
        );
        assert_eq!(
            put_together("at61 1904 3002 3457 3201 from now on"),
            ["at611904300234573201"]
        );
        assert!(put_together("gb29 nwbk 6016 1331 9268 18").is_empty());
    }
}
