//! English stems: Porter's second algorithm, as Snowball publishes it. Called by `fold` only.
//!
//! `tests` hold it against what the reference gave. Words have two or more lower-case letters of
//! ASCII and nothing else; an apostrophe ends a word before it comes here, so its rules are not.
//! Names of the steps and of the regions are those of the publication
//! (M. F. Porter, "English (Porter2) stemming algorithm", snowballstem.org).

/// Words whose stem is none that the rules give.
const IRREGULAR: [(&str, &str); 18] = [
    ("andes", "andes"),
    ("atlas", "atlas"),
    ("bias", "bias"),
    ("cosmos", "cosmos"),
    ("dying", "die"),
    ("early", "earli"),
    ("gently", "gentl"),
    ("howe", "howe"),
    ("idly", "idl"),
    ("lying", "lie"),
    ("news", "news"),
    ("only", "onli"),
    ("singly", "singl"),
    ("skies", "sky"),
    ("skis", "ski"),
    ("sky", "sky"),
    ("tying", "tie"),
    ("ugly", "ugli"),
];

/// Words that are stems once a plural is off.
const COMPLETE: [&str; 9] = [
    "inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed",
];

/// Beginnings behind which the first region starts, whatever their vowels.
const BEGINNINGS: [&str; 9] = [
    "arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers",
];

/// Endings with what they become, each in the first region.
const STEP_2: [(&str, &str); 22] = [
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ization", "ize"),
    ("ousness", "ous"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("tional", "tion"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ation", "ate"),
    ("entli", "ent"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ousli", "ous"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
];

/// The same, one step later.
const STEP_3: [(&str, &str); 8] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

/// Endings that go where they lie in the second region, longer ones first.
const STEP_4: [&str; 18] = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ism", "iti", "ion",
    "ive", "ize", "ous", "al", "er", "ic",
];

/// Brings a word to its stem.
pub(crate) fn stem(word: &mut String) {
    if word.len() <= 2 {
        return;
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|it| it.0 == word) {
        word.replace_range(.., stem);
        return;
    }
    let mut bytes = std::mem::take(word).into_bytes();
    mark_consonants(&mut bytes);
    let mut at = Word {
        bytes,
        r1: 0,
        r2: 0,
    };
    at.find_regions();
    at.step_1a();
    if !COMPLETE.iter().any(|it| it.as_bytes() == at.bytes) {
        at.step_1b();
        at.step_1c();
        at.step_2();
        at.step_3();
        at.step_4();
        at.step_5();
    }
    at.bytes.make_ascii_lowercase();
    *word = String::from_utf8(at.bytes).expect("letters of ASCII stay letters of ASCII");
}

/// A `y` that is a consonant becomes `Y`: at the beginning, and after a vowel.
fn mark_consonants(bytes: &mut [u8]) {
    let mut after_vowel = true;
    for byte in bytes {
        if *byte == b'y' && after_vowel {
            *byte = b'Y';
        }
        after_vowel = is_vowel(*byte);
    }
}

fn is_vowel(byte: u8) -> bool {
    b"aeiouy".contains(&byte)
}

/// The word at hand; the regions are where they were in the whole word.
struct Word {
    bytes: Vec<u8>,
    r1: usize,
    r2: usize,
}

impl Word {
    fn find_regions(&mut self) {
        let special = BEGINNINGS
            .iter()
            .find(|it| self.bytes.starts_with(it.as_bytes()));
        self.r1 = special.map_or_else(|| self.region(0), |it| it.len());
        self.r2 = self.region(self.r1);
    }

    /// Behind the first consonant that follows a vowel, from `start` on.
    fn region(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut pairs = rest.windows(2);
        let found = pairs.position(|it| matches!(it, [a, b] if is_vowel(*a) && !is_vowel(*b)));
        found.map_or(self.bytes.len(), |it| start + it + 2)
    }

    fn ends(&self, end: &str) -> bool {
        self.bytes.ends_with(end.as_bytes())
    }

    /// Where an ending of this length begins.
    fn before(&self, end: &str) -> usize {
        self.bytes.len() - end.len()
    }

    /// The byte that is `n` from the end; 0 before the beginning, which is no letter.
    fn back(&self, n: usize) -> u8 {
        let at = self.bytes.len().checked_sub(n);
        at.and_then(|it| self.bytes.get(it)).copied().unwrap_or(0)
    }

    fn replace(&mut self, end: &str, with: &str) {
        self.bytes.truncate(self.before(end));
        self.bytes.extend_from_slice(with.as_bytes());
    }

    fn has_vowel_before(&self, end: usize) -> bool {
        let before = self.bytes.get(..end).unwrap_or_default();
        before.iter().any(|it| is_vowel(*it))
    }

    /// A consonant other than `w`, `x`, `Y` after a vowel after a consonant; or the whole word is
    /// a vowel and a consonant; or it ends with `past`. Of the word without its last `n` bytes.
    fn ends_short(&self, n: usize) -> bool {
        let before = self.bytes.get(..self.bytes.len() - n);
        if before.is_some_and(|it| it.ends_with(b"past")) {
            return true;
        }
        let (third, second, first) = (self.back(n + 3), self.back(n + 2), self.back(n + 1));
        if !is_vowel(second) || is_vowel(first) {
            return false;
        }
        third == 0 || (!is_vowel(third) && !b"wxY".contains(&first))
    }

    fn step_1a(&mut self) {
        if self.ends("sses") {
            self.replace("es", "");
        } else if self.ends("ied") || self.ends("ies") {
            let with = if self.bytes.len() > 4 { "i" } else { "ie" };
            self.replace("ies", with);
        } else if self.ends("s")
            && !self.ends("us")
            && !self.ends("ss")
            && self.has_vowel_before(self.bytes.len().saturating_sub(2))
        {
            self.replace("s", "");
        }
    }

    fn step_1b(&mut self) {
        for end in ["eedly", "eed"] {
            if self.ends(end) {
                if self.before(end) >= self.r1 {
                    self.replace(end, "ee");
                }
                return;
            }
        }
        let ends = ["ingly", "edly", "ing", "ed"];
        let Some(end) = ends.into_iter().find(|it| self.ends(it)) else {
            return;
        };
        if !self.has_vowel_before(self.before(end)) {
            return;
        }
        self.replace(end, "");
        if ["at", "bl", "iz"].iter().any(|it| self.ends(it)) {
            self.bytes.push(b'e');
        } else if self.back(1) == self.back(2) && b"bdfgmnprt".contains(&self.back(1)) {
            // `add`, `egg`, `off` and `err` are whole.
            if self.bytes.len() != 3 || !b"aeo".contains(&self.back(3)) {
                self.bytes.pop();
            }
        } else if self.bytes.len() <= self.r1 && self.ends_short(0) {
            self.bytes.push(b'e');
        }
    }

    fn step_1c(&mut self) {
        let is_y = matches!(self.back(1), b'y' | b'Y');
        if is_y && self.bytes.len() > 2 && !is_vowel(self.back(2)) {
            self.replace("y", "i");
        }
    }

    fn step_2(&mut self) {
        if let Some((end, with)) = STEP_2.iter().find(|it| self.ends(it.0)) {
            if self.before(end) >= self.r1 {
                self.replace(end, with);
            }
        } else if self.ends("ogist") {
            if self.before("ogist") >= self.r1 {
                self.replace("ogist", "og");
            }
        } else if self.ends("ogi") {
            if self.before("ogi") >= self.r1 && self.back(4) == b'l' {
                self.replace("ogi", "og");
            }
        } else if self.ends("li")
            && self.before("li") >= self.r1
            && b"cdeghkmnrt".contains(&self.back(3))
        {
            self.replace("li", "");
        }
    }

    fn step_3(&mut self) {
        if let Some((end, with)) = STEP_3.iter().find(|it| self.ends(it.0)) {
            if self.before(end) >= self.r1 {
                self.replace(end, with);
            }
        } else if self.ends("ative") && self.before("ative") >= self.r2 {
            self.replace("ative", "");
        }
    }

    fn step_4(&mut self) {
        let Some(end) = STEP_4.into_iter().find(|it| self.ends(it)) else {
            return;
        };
        let goes = end != "ion" || matches!(self.back(4), b's' | b't');
        if goes && self.before(end) >= self.r2 {
            self.replace(end, "");
        }
    }

    fn step_5(&mut self) {
        let last = self.bytes.len().saturating_sub(1);
        let goes = match self.back(1) {
            b'e' => last >= self.r2 || (last >= self.r1 && !self.ends_short(1)),
            b'l' => last >= self.r2 && self.back(2) == b'l',
            _ => false,
        };
        if goes {
            self.bytes.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words and what the reference makes of them (Snowball 3.1): every fourteenth of the words of
    /// a vocabulary that change, and those that the rules name.
    const PAIRS: &str = include_str!("stem_pairs.txt");

    #[test]
    fn stems_are_those_of_the_reference() {
        let mut n = 0;
        for pair in PAIRS.lines() {
            let (word, right) = pair.split_once(' ').unwrap();
            let mut found = word.to_owned();
            stem(&mut found);
            assert_eq!(found, right, "`{word}`");
            n += 1;
        }
        assert!(n > 900);
    }

    #[test]
    fn any_letters_have_a_stem_that_is_not_longer_by_more_than_one() {
        let letters = [
            "a", "b", "e", "y", "s", "i", "ed", "ing", "l", "gogi", "past",
        ];
        for first in letters {
            for second in letters {
                for third in letters {
                    let word = [first, second, third].concat();
                    let mut found = word.clone();
                    stem(&mut found);
                    assert!(found.len() <= word.len() + 1, "`{word}` became `{found}`");
                    assert!(!found.is_empty(), "`{word}`");
                }
            }
        }
    }
}
