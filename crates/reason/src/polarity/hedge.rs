//! How sure the words of a claim are: the bands in which nous-state read its channel of plain text,
//! each by its middle (seeds.md 5.1). What is said plainly or with emphasis caps nothing.
//!
//! | band | confidence | examples |
//! |---|---|---|
//! | rumour | 0.15 | `a rumour says`, `reportedly`, `I heard`, `it is said that` |
//! | guess | 0.35 | `I guess`, `not sure`, `I suspect`, `it is unclear` |
//! | mild hedge | 0.55 | `I think`, `Bob thinks`, `maybe`, `may be`, `as far as I know` |
//!
//! The weakest sentence counts, and a word counts only where it hedges: "do not guess", "I heard
//! you" and "may be skipped" take nothing back. A question or a condition is no hedge: it is open, and claims nothing.

use immune_model::Trust;

use super::words::{self, Token, is};

/// Words that pass on what nobody answers for.
const RUMOUR: &str = "rumored rumoured allegedly supposedly reportedly unconfirmed";
/// The same as things, which can be denied: "this is not a rumour".
const RUMOURS: &str = "rumor rumour rumors rumours hearsay gossip";
/// Who is heard, or says, when nobody is named.
const NOBODY_IN_PARTICULAR: &str = "they people some someone somebody everybody everyone folks";
/// What is said without saying that something is so.
const GREETINGS: &str = "hello hi hey goodbye bye thanks thank please sorry yes no cheese";
/// Words of whoever does not know.
const GUESS: &str = "unsure wondering doubtful unclear uncertain unlikely";
/// What stands before a guess that is made: "my guess", "I would guess".
const GUESSED_BY: &str = "i we would could only just my our a best rough wild educated";
const GUESSING_IS: &str = "am are is was were just only";
/// Words that leave a way out.
const MILD: &str = "\
    maybe perhaps possibly probably presumably apparently hopefully likely seems seem seemed afaik \
    iirc";
const APPEARING: &str = "appears appear appeared";
/// Ways to say that one may be wrong, word by word.
const RESERVED: [&[&str]; 7] = [
    &["if", "memory", "serves"],
    &["as", "far", "as", "i"],
    &["as", "far", "as", "we"],
    &["to", "my", "knowledge"],
    &["to", "our", "knowledge"],
    &["best", "of", "my", "knowledge"],
    &["best", "of", "our", "knowledge"],
];
const REMEMBERING: &str = "remember recall";
const SELF: &str = "i we";
const SUSPECTING: &str = "suspect imagine suppose assume";
const THINKING: &str = "think believe expect hope thought";
/// The same of somebody else, who is named.
const OTHERS_THINK: &str = "thinks believes reckons";
/// After these, a thought is about a thing and says nothing of it: "think of everything".
const OF_A_THING: &str = "of about in on at under with twice";
const IS: &str = "is are was were been be";
/// After these, `might` is power and no doubt.
const OWNED_BY: &str = "the a his her its their our my your all with of";

/// How sure a text is of what it says; nothing if it says so plainly.
///
/// ```
/// use immune_reason::polarity::confidence;
///
/// assert_eq!(confidence("The shop opens at nine"), None);
/// assert_eq!(confidence("I think the shop opens at nine").unwrap().to_string(), "0.55");
/// ```
pub fn confidence(text: &str) -> Option<Trust> {
    let sentences = words::sentences(text);
    sentences.iter().filter_map(|it| of(&it.tokens)).min()
}

/// Whether a word so far into a sentence tells of a sound: "I heard the bell".
pub(super) fn hears_a_thing(tokens: &[Token], at: usize) -> bool {
    let word = At { tokens, at };
    word.is("heard hear") && word.hears_a_thing()
}

pub(super) fn of(tokens: &[Token]) -> Option<Trust> {
    let found = (0..tokens.len()).filter_map(|at| {
        let word = At { tokens, at };
        if word.is_hearsay() {
            Some(Trust::RUMOUR)
        } else if word.is_guess() {
            Some(Trust::GUESS)
        } else if word.is_mild() || word.is_reserved() {
            Some(Trust::HEDGED)
        } else {
            None
        }
    });
    found.min()
}

/// A word in its sentence.
#[derive(Clone, Copy)]
struct At<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl<'a> At<'a> {
    fn is(self, words: &str) -> bool {
        self.next_is(0, words)
    }

    fn before(self, places: usize) -> Option<&'a Token> {
        self.tokens.get(self.at.checked_sub(places)?)
    }

    fn next(self, places: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + places)
    }

    /// Whether the word so many places earlier is one of these.
    fn before_is(self, places: usize, words: &str) -> bool {
        self.before(places).is_some_and(|it| is(it, words))
    }

    /// Whether the word so many places later is one of these.
    fn next_is(self, places: usize, words: &str) -> bool {
        self.next(places).is_some_and(|it| is(it, words))
    }

    /// Whether a clause ends so many places later.
    fn ends(self, places: usize) -> bool {
        self.next(places).is_none_or(Token::is_comma)
    }

    fn starts(self) -> bool {
        self.before(1).is_none_or(Token::is_comma)
    }

    /// Whether the thing is said not to be: "no rumour", "not a rumour", "without any doubt".
    fn is_denied(self) -> bool {
        const DENYING: &str = "no not never without beyond";
        self.before_is(1, DENYING) || self.before_is(2, DENYING)
    }

    /// What is passed on of others: "I heard you" answers them, "people say hello" greets.
    fn is_hearsay(self) -> bool {
        let by_self =
            self.before_is(1, SELF) || (self.before_is(1, "have") && self.before_is(2, SELF));
        let heard = self.is("heard hear") && by_self && !self.hears_a_thing();
        let they_say = self.is("say said says claim claims")
            && self.before_is(1, NOBODY_IN_PARTICULAR)
            && !self.next_is(1, GREETINGS)
            && !self.ends(1);
        let is_said = self.is("said claimed reported alleged")
            && self.before_is(1, IS)
            && (self.before_is(2, "it") || self.next_is(1, "to"));
        self.is(RUMOUR) || (self.is(RUMOURS) && !self.is_denied()) || heard || they_say || is_said
    }

    /// "I heard you", "I heard the bell at noon": a sound and no words.
    fn hears_a_thing(self) -> bool {
        const ONE: &str = "the a an my your his her its our their this that some no";
        const AFTER: &str = "at in on from and but twice again yesterday today outside through";
        // One word, or one thing, makes no statement.
        self.ends(2)
            || (self.next_is(1, ONE) && (self.ends(3) || self.next_is(3, AFTER)))
            || (self.next_is(1, "you him her them it") && self.next_is(2, AFTER))
    }

    fn is_guess(self) -> bool {
        let guess = self.is("guess")
            && (self.starts() || self.before_is(1, GUESSED_BY))
            && !self.is_denied()
            && !self.next_is(1, "what who where again");
        let guessing = self.is("guessing")
            && (self.starts() || self.before_is(1, GUESSING_IS))
            && !self.is_denied();
        // "No doubt" is none, and "not unlikely" is one still.
        let doubt = self.is("doubt") && !self.is_denied();
        let wonder = self.is("wonder") && self.before_is(1, SELF);
        let suspect = self.is(SUSPECTING) && self.before_is(1, SELF);
        let suspects = self.is("suspects") && self.next_is(1, "that");
        let not_sure = self.is("not") && self.next_is(1, "sure certain");
        let unsure = self.is(GUESS) && !self.before_is(1, "no without");
        guess || guessing || doubt || wonder || suspect || suspects || not_sure || unsure
    }

    fn is_mild(self) -> bool {
        let thinker = self.before_is(1, "i we not") || self.before_is(1, NOBODY_IN_PARTICULAR);
        let thinks = (self.is(THINKING) && thinker) || self.is(OTHERS_THINK);
        let is_thought = self.is("thought believed")
            && self.before_is(1, IS)
            && (self.before_is(2, "it") || self.next_is(1, "to"));
        let appears = self.is(APPEARING) && !self.next_is(1, OF_A_THING);
        let not_always = self.is("not") && self.next_is(1, "necessarily");
        (thinks && !self.next_is(1, OF_A_THING))
            || is_thought
            || appears
            || not_always
            || self.is(MILD)
            || self.is_might()
            || self.is_epistemic_may()
    }

    /// "Might be late", and neither "the might of the army" nor "Might and Magic".
    fn is_might(self) -> bool {
        self.is("might")
            && !self.before_is(1, OWNED_BY)
            && !self.next_is(1, "and or of is was")
            && !self.ends(1)
    }

    /// "May be late" doubts, "may be skipped" permits.
    fn is_epistemic_may(self) -> bool {
        let be = if self.next_is(1, "not") { 2 } else { 1 };
        let state = self.next(be + 1);
        self.is("may")
            && (self.next_is(be, "have well")
                || (self.next_is(be, "be") && !state.is_none_or(words::is_participle)))
    }

    /// "If I remember correctly", "as far as I know".
    fn is_reserved(self) -> bool {
        let remembering = self.is("if") && self.next_is(1, SELF) && self.next_is(2, REMEMBERING);
        let said = RESERVED.iter().any(|words| {
            let mut words = words.iter().enumerate();
            words.all(|(at, word)| self.next(at).is_some_and(|it| it.is_word(word)))
        });
        remembering || said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_band_has_its_words_and_the_weakest_counts() {
        for (text, band) in [
            ("The account is DE89370400440532013000", None),
            ("The account is definitely DE89370400440532013000", None),
            ("You think of everything", None),
            ("There is no doubt that the shop opens at nine", None),
            ("Does the shop open at nine?", None),
            ("Maybe the account is closed", Some(Trust::HEDGED)),
            ("I believe we pay on Friday", Some(Trust::HEDGED)),
            ("The parcel might be late", Some(Trust::HEDGED)),
            ("I guess it is the west lane", Some(Trust::GUESS)),
            ("I'm not sure, it may be 5", Some(Trust::GUESS)),
            ("A rumour says the plant closes", Some(Trust::RUMOUR)),
            ("People say the plant closes", Some(Trust::RUMOUR)),
            ("I heard the plant closes", Some(Trust::RUMOUR)),
            ("The gate code may be 4411", Some(Trust::HEDGED)),
            ("The order may have been lost", Some(Trust::HEDGED)),
            (
                "The code is 4411, if I remember correctly",
                Some(Trust::HEDGED),
            ),
            ("As far as I know the code is 4411", Some(Trust::HEDGED)),
            ("Bob thinks the code is 4411", Some(Trust::HEDGED)),
            ("Bob thinks that it is 4411", Some(Trust::HEDGED)),
            ("My guess is 4411", Some(Trust::GUESS)),
            ("Guess it is the west lane", Some(Trust::GUESS)),
            ("It is said that the code is 4411", Some(Trust::RUMOUR)),
            ("The code is reportedly 4411", Some(Trust::RUMOUR)),
            ("I have heard that it is 4411", Some(Trust::RUMOUR)),
            (
                "I think it is Friday. I heard it is Monday.",
                Some(Trust::RUMOUR),
            ),
        ] {
            assert_eq!(confidence(text), band, "{text}");
        }
    }

    #[test]
    fn a_word_that_hedges_nothing_is_no_hedge() {
        for text in [
            "Guess what, the gate code is 4411",
            "Do not guess: the gate code is 4411",
            "Without guessing: the gate code is 4411",
            "I heard you, the gate code is 4411",
            "I heard the bell",
            "I heard a noise at night, the gate code is 4411",
            "We heard music",
            "People say hello at the gate",
            "The gate code is 4411; this is not a rumour",
            "We met at the Might and Magic fair",
            "The might of the army is known",
            "The destination check may be skipped",
            "The refund may not be approved by agents",
            "You may call me at 713-853-1234",
            "Bob thinks of everything",
            "The name appears on the invoice",
            "Stevie Wonder is in room 3",
            "The code is 4411 beyond any doubt",
            "He said the code is 4411",
        ] {
            assert_eq!(confidence(text), None, "{text}");
        }
    }
}
