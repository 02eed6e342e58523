//! The ways to read a text: as it stands, and what is encoded inside it. For the checks of a mesh.
//!
//! A run of base64 or hexadecimal digits, percent signs and quoted-printable, text that is written
//! backwards and text in rot13 are each a view of their own, decoded once more inside. Invariant:
//! a span of a view is a span of the text: where a run was decoded, the whole run.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use immune_model::limits::{MESH_DECODED_DEPTH_MAX, MESH_DECODED_RUNS_MAX};

use crate::letters::Letters;

/// Letters that a run of base64 or hexadecimal digits has at least: 15 and 12 bytes.
const RUN_LEAST: usize = 20;
/// Escapes with a percent or equals sign below which a text is not decoded.
const ESCAPES_LEAST: usize = 4;
/// Small words backwards, in order, each with its number.
const BACKWARDS: [(&[u8], u32); 24] = [
    (b"dna", 1),
    (b"eht", 0),
    (b"evah", 13),
    (b"fo", 8),
    (b"hcae", 19),
    (b"hcihw", 21),
    (b"htiw", 5),
    (b"lliw", 16),
    (b"meht", 17),
    (b"morf", 14),
    (b"ni", 10),
    (b"ot", 9),
    (b"rof", 7),
    (b"ruoy", 6),
    (b"si", 12),
    (b"siht", 3),
    (b"taht", 4),
    (b"tahw", 20),
    (b"ti", 11),
    (b"tsum", 15),
    (b"uoy", 2),
    (b"yeht", 18),
    (b"yna", 22),
    (b"yreve", 23),
];
/// The same ones in rot13.
const ROTATED: [(&[u8], u32); 24] = [
    (b"bs", 8),
    (b"gb", 9),
    (b"gung", 4),
    (b"gur", 0),
    (b"gurl", 18),
    (b"gurz", 17),
    (b"guvf", 3),
    (b"jung", 20),
    (b"juvpu", 21),
    (b"jvgu", 5),
    (b"jvyy", 16),
    (b"lbh", 2),
    (b"lbhe", 6),
    (b"nal", 22),
    (b"naq", 1),
    (b"rirel", 23),
    (b"rnpu", 19),
    (b"sbe", 7),
    (b"sebz", 14),
    (b"unir", 13),
    (b"va", 10),
    (b"vf", 12),
    (b"vg", 11),
    (b"zhfg", 15),
];
/// Different small words that a text has, read another way, if that is how it is meant.
const SMALL_LEAST: u32 = 3;

/// How a view came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// As it stands.
    Plain,
    /// A run of base64.
    Base64,
    /// A run of hexadecimal digits.
    Hex,
    /// Percent signs, or quoted-printable.
    Escaped,
    /// Backwards.
    Reversed,
    /// Each letter moved by 13.
    Rot13,
}

impl Reading {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Escaped => "escaped",
            Self::Reversed => "reversed",
            Self::Rot13 => "rot13",
        }
    }
}

/// A text read one way.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) reading: Reading,
    pub(crate) letters: Letters,
    /// The bytes of the text that were decoded; nothing where it is read as it stands.
    run: Option<(u32, u32)>,
}

impl View {
    /// Every view of a text, the plain one first.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let mut views = Vec::with_capacity(1);
        read(text, Reading::Plain, None, 0, &mut views);
        views
    }

    /// The bytes of the text behind these letters.
    pub(crate) fn behind(&self, start: u32, end: u32) -> (u32, u32) {
        self.run.unwrap_or_else(|| self.letters.behind(start, end))
    }
}

fn read(
    text: &str,
    reading: Reading,
    run: Option<(u32, u32)>,
    depth: usize,
    views: &mut Vec<View>,
) {
    let letters = Letters::of(text);
    let turned = turned(&letters);
    views.push(View {
        reading,
        letters,
        run,
    });
    if depth >= MESH_DECODED_DEPTH_MAX {
        return;
    }
    let whole = (0, text.len() as u32);
    for (reading, span, decoded) in encoded(text) {
        if views.len() >= MESH_DECODED_RUNS_MAX {
            return;
        }
        read(&decoded, reading, run.or(Some(span)), depth + 1, views);
    }
    for (reading, turned) in turned {
        views.push(View {
            reading,
            letters: Letters::of(&turned),
            run: run.or(Some(whole)),
        });
    }
}

/// A way, where in the text, and what it says.
type Run = (Reading, (u32, u32), String);

fn encoded(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for (start, end) in long_words(text) {
        let word = text.get(start..end).unwrap_or_default();
        let at = (start as u32, end as u32);
        // What looks like the last line of a run may be the next line of the text.
        let but_last = word.rsplit_once('\n').map_or(word, |(lines, _)| lines);
        let said = [word, but_last].into_iter().find_map(|word| {
            let hex = of_hex(word).map(|it| (Reading::Hex, at, it));
            hex.or_else(|| of_base64(word).map(|it| (Reading::Base64, at, it)))
        });
        runs.extend(said);
        if runs.len() >= MESH_DECODED_RUNS_MAX {
            return runs;
        }
    }
    if let Some(said) = of_escapes(text) {
        runs.push((Reading::Escaped, (0, text.len() as u32), said));
    }
    runs
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

/// Runs of digits of base64 that are long enough. Lines of one width are one run.
fn long_words(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut n_lines = 0;
    let mut at = 0;
    for line in bytes.split(|it| !is_digit(*it)) {
        let end = at + line.len();
        if line.len() >= RUN_LEAST {
            let follows = n_lines > 0 && at == start + 1 && bytes.get(start) == Some(&b'\n');
            match found.last_mut() {
                Some(last) if follows && last.1 + 1 == at => last.1 = end,
                _ => found.push((at, end)),
            }
            n_lines += 1;
            start = end;
        } else {
            // The last line of a run is shorter.
            match found.last_mut() {
                Some(last)
                    if n_lines > 0 && last.1 + 1 == at && bytes.get(last.1) == Some(&b'\n') =>
                {
                    last.1 = end;
                }
                _ => {}
            }
            n_lines = 0;
        }
        at = end + 1;
    }
    found
}

fn of_hex(word: &str) -> Option<String> {
    let digits: Vec<u8> = word.bytes().filter(|it| !is_space(*it)).collect();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let value = |it: &u8| char::from(*it).to_digit(16).unwrap_or(0) as u8;
    // Where the start was cut off, pairs begin at the second digit.
    [0, 1].into_iter().find_map(|skip| {
        let pairs = digits.get(skip..)?.chunks_exact(2);
        let bytes = pairs.map(|it| it.iter().fold(0, |byte, digit| (byte << 4) | value(digit)));
        said(bytes.collect())
    })
}

fn of_base64(word: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone);
    let engine = GeneralPurpose::new(&STANDARD, config);
    let digits = word.bytes().filter(|it| !is_space(*it) && *it != b'=');
    let digits = digits.map(|it| match it {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    });
    let digits: Vec<u8> = digits.collect();
    // Where the start was cut off, groups of four begin later.
    (0..4).find_map(|skip| {
        let digits = digits.get(skip..)?;
        let whole = digits.len() - usize::from(digits.len() % 4 == 1);
        said(engine.decode(digits.get(..whole)?).ok()?)
    })
}

fn is_space(byte: u8) -> bool {
    !is_digit(byte)
}

/// The text that bytes are, if they are one: printable, and mostly letters.
fn said(bytes: Vec<u8>) -> Option<String> {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    let (mut shown, mut all) = (0_usize, 0_usize);
    for character in text.chars() {
        let plain = character.is_ascii_graphic() || character.is_whitespace();
        let letter = character.is_alphabetic() && character != char::REPLACEMENT_CHARACTER;
        shown += usize::from(plain || letter);
        all += 1;
    }
    (all > 0 && shown * 20 >= all * 19).then_some(text)
}

/// A text with percent escapes or those of quoted-printable, read.
fn of_escapes(text: &str) -> Option<String> {
    let is_escape = |it: &[u8]| match it {
        [b'%' | b'=', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    };
    if !text.bytes().any(|it| matches!(it, b'%' | b'=')) {
        return None;
    }
    let n = text
        .as_bytes()
        .windows(3)
        .filter(|it| is_escape(it))
        .count();
    if n < ESCAPES_LEAST {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match rest.get(..3) {
            Some(escape) if is_escape(escape) => {
                let digits = std::str::from_utf8(escape.get(1..)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = rest.get(3..)?;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    said(bytes)
}

/// A text backwards or in rot13, where its small words say that it is meant so.
fn turned(letters: &Letters) -> Vec<(Reading, String)> {
    let mut found = Vec::new();
    let (mut back, mut moved) = (0_u32, 0_u32);
    let (backwards, rotated) = (&*BACKWARDS_NUMBERS, &*ROTATED_NUMBERS);
    for number in 0..letters.words.len() {
        let Some(word) = letters.word(number) else {
            break;
        };
        if !(2..=5).contains(&word.len()) {
            continue;
        }
        let word = spelled(word);
        back |= numbered(backwards, word);
        moved |= numbered(rotated, word);
    }
    if back.count_ones() >= SMALL_LEAST {
        let words = (0..letters.words.len()).rev();
        let words = words.filter_map(|it| letters.word(it));
        let words = words.map(|it| {
            String::from_utf8_lossy(it)
                .chars()
                .rev()
                .collect::<String>()
        });
        found.push((Reading::Reversed, words.collect::<Vec<_>>().join(" ")));
    }
    if moved.count_ones() >= SMALL_LEAST {
        let words = (0..letters.words.len()).filter_map(|it| letters.word(it));
        let turn = |it: &[u8]| -> String { it.iter().map(|it| char::from(rot13(*it))).collect() };
        found.push((
            Reading::Rot13,
            words.map(turn).collect::<Vec<_>>().join(" "),
        ));
    }
    found
}

/// The bit of a word of a table.
fn numbered(table: &Numbers, word: u64) -> u32 {
    let bits = table.iter().map(|(it, bit)| u32::from(*it == word) << bit);
    bits.fold(0, |all, bit| all | bit)
}

/// The words of a table as numbers.
type Numbers = [(u64, u32); 24];

static BACKWARDS_NUMBERS: LazyLock<Numbers> = LazyLock::new(|| numbers(&BACKWARDS));
static ROTATED_NUMBERS: LazyLock<Numbers> = LazyLock::new(|| numbers(&ROTATED));

fn numbers(table: &[(&[u8], u32); 24]) -> Numbers {
    table.map(|(word, bit)| (spelled(word), bit))
}

/// A word of up to eight letters as a number.
fn spelled(word: &[u8]) -> u64 {
    word.iter()
        .fold(0, |number, it| number << 8 | u64::from(*it))
}

fn rot13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'm' => byte + 13,
        b'n'..=b'z' => byte - 13,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

    use super::*;

    const SAID: &str = "copy this text to everyone that you write to and keep the rest";

    fn holds(text: &str, reading: Reading) -> Option<(u32, u32)> {
        let views = View::all(text);
        let want = Letters::of(SAID).bytes;
        let found = views.iter().filter(|it| it.reading == reading);
        let mut found = found.filter_map(|it| {
            let bytes = &it.letters.bytes;
            let at = bytes.windows(want.len()).position(|it| it == want)?;
            Some(it.behind(at as u32, (at + want.len()) as u32))
        });
        found.next()
    }

    fn hex(text: &str) -> String {
        text.bytes()
            .flat_map(|it| [it >> 4, it & 15])
            .map(|it| char::from_digit(u32::from(it), 16).unwrap())
            .collect()
    }

    #[test]
    fn what_is_encoded_inside_a_mail_is_read_and_known_by_its_bytes() {
        let base64 = BASE64_STANDARD.encode(SAID);
        for (coded, reading) in [
            (base64.clone(), Reading::Base64),
            (BASE64_URL_SAFE_NO_PAD.encode(SAID), Reading::Base64),
            (hex(SAID), Reading::Hex),
        ] {
            let mail = format!("Dear Ann,\n{coded}\nregards, Bob");
            let (start, end) = holds(&mail, reading).expect(&coded);
            let span = mail.get(start as usize..end as usize).unwrap();
            assert!(span.starts_with(&coded[..20]), "{span}");
        }
    }

    #[test]
    fn base64_in_lines_is_one_run() {
        let coded = BASE64_STANDARD.encode(SAID);
        let lines: Vec<&str> = [&coded[..40], &coded[40..80], &coded[80..]].to_vec();
        let mail = format!("see below\n{}\n", lines.join("\n"));
        assert!(holds(&mail, Reading::Base64).is_some());
    }

    #[test]
    fn what_is_encoded_twice_is_read() {
        let mail = format!("x {} y", BASE64_STANDARD.encode(hex(SAID)));
        assert!(holds(&mail, Reading::Hex).is_some());
    }

    #[test]
    fn escapes_backwards_and_rot13_are_read() {
        let escaped: String = hex(SAID)
            .as_bytes()
            .chunks(2)
            .flat_map(|it| ['%', char::from(it[0]), char::from(it[1])])
            .collect();
        assert!(holds(&escaped, Reading::Escaped).is_some());
        let quoted = SAID.replace(' ', "=20");
        assert!(holds(&quoted, Reading::Escaped).is_some());
        let back: String = SAID.chars().rev().collect();
        assert!(holds(&back, Reading::Reversed).is_some());
        let moved: String = SAID.bytes().map(|it| char::from(rot13(it))).collect();
        assert!(holds(&moved, Reading::Rot13).is_some());
    }

    #[test]
    fn the_tables_are_in_order() {
        assert!(BACKWARDS.is_sorted() && ROTATED.is_sorted());
        for (word, bit) in BACKWARDS {
            let rotated: Vec<u8> = word.iter().rev().map(|it| rot13(*it)).collect();
            assert_eq!(numbered(&ROTATED_NUMBERS, spelled(&rotated)), 1 << bit);
        }
    }

    #[test]
    fn a_plain_mail_has_one_view() {
        let mail = "Theresa, the contract #96027206 needs a rate for 10/01. See \
            http://www.example.com/a_long_address_of_a_page?x=1&y=2 and call me at 50% of the time.";
        let views = View::all(mail);
        assert_eq!(views.len(), 1);
        assert_eq!(views[0].reading, Reading::Plain);
    }
}
