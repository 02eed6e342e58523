//! What BERT's normaliser asks of a character: is it a control, a mark, punctuation, an ideograph.
//!
//! Called by `wordpiece` only. The tables of Unicode are those of `regex-syntax`.

use std::sync::LazyLock;

use regex_syntax::hir::HirKind;

/// Ranges of characters, sorted.
struct Class(Vec<(char, char)>);

impl Class {
    fn of(pattern: &str) -> Self {
        let hir = regex_syntax::parse(pattern).expect("the pattern is one of a general category");
        let HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = hir.into_kind() else {
            unreachable!("a category is a class of characters");
        };
        let ranges = class.ranges().iter();
        Self(ranges.map(|it| (it.start(), it.end())).collect())
    }

    fn has(&self, character: char) -> bool {
        let after = self.0.partition_point(|it| it.1 < character);
        self.0.get(after).is_some_and(|it| it.0 <= character)
    }
}

static CONTROL: LazyLock<Class> = LazyLock::new(|| Class::of(r"[\p{Cc}\p{Cf}\p{Co}]"));
static MARK: LazyLock<Class> = LazyLock::new(|| Class::of(r"\p{Mn}"));
static PUNCTUATION: LazyLock<Class> = LazyLock::new(|| Class::of(r"\p{P}"));

/// Without a shape: left out before anything else.
pub(crate) fn is_control(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !character.is_ascii_whitespace();
    }
    character == '\u{fffd}' || CONTROL.has(character)
}

/// An accent or another mark on the letter before it.
pub(crate) fn is_mark(character: char) -> bool {
    !character.is_ascii() && MARK.has(character)
}

/// A word by itself.
pub(crate) fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || (!character.is_ascii() && PUNCTUATION.has(character))
}

/// An ideograph, which is a word by itself; the ranges are those of BERT.
pub(crate) fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}
