//! How many tokens of a language model a text takes, without its tokenizer.
//!
//! For budgets only. Models cut words differently; this counts rather too many than too few.

/// Letters of one token, within a word of ASCII.
const LETTERS: usize = 4;
/// Digits of one token.
const DIGITS: usize = 3;

/// About how many tokens `text` takes: one for each four letters or three digits of a word begun,
/// one for each other sign, one or two for each letter beyond ASCII, none for a space.
pub fn n_tokens(text: &str) -> usize {
    let (mut letters, mut digits, mut tokens) = (0, 0, 0);
    for character in text.chars() {
        letters = if character.is_ascii_alphabetic() {
            letters + 1
        } else {
            0
        };
        digits = if character.is_ascii_digit() {
            digits + 1
        } else {
            0
        };
        tokens += if letters > 0 {
            usize::from(letters % LETTERS == 1)
        } else if digits > 0 {
            usize::from(digits % DIGITS == 1)
        } else if character == ' ' {
            0
        } else {
            character.len_utf8().div_ceil(2)
        };
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::n_tokens;

    #[test]
    fn words_numbers_signs_and_other_scripts_are_counted() {
        for (text, tokens) in [
            ("", 0),
            ("pay", 1),
            ("payment", 2),
            ("pay 100", 2),
            ("pay 1000!", 4),
            ("a\nb", 3),
            ("über", 2),
            ("東京", 4),
            ("🦀", 2),
        ] {
            assert_eq!(n_tokens(text), tokens, "{text}");
        }
    }
}
