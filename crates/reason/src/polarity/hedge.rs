//! How sure the words of a claim are: the bands in which nous-state read its channel of plain text,
//! each by its middle (seeds.md 5.1). What is said plainly or with emphasis caps nothing.
//!
//! | band | confidence | examples |
//! |---|---|---|
//! | rumour | 0.15 | `a rumour says`, `allegedly`, `I heard`, `people say` |
//! | guess | 0.35 | `I guess`, `not sure`, `I suspect`, `it is unclear` |
//! | mild hedge | 0.55 | `I think`, `maybe`, `probably`, `it seems`, `might` |
//!
//! The weakest sentence counts. A question or a condition is no hedge: it is open, and claims nothing.

use immune_model::Trust;

use super::words::{self, Token, is};

/// Words that pass on what nobody answers for.
const RUMOUR: &str = "\
    rumor rumour rumors rumours rumored rumoured hearsay gossip allegedly supposedly unconfirmed";
/// Who is heard, or says, when nobody is named.
const NOBODY_IN_PARTICULAR: &str = "they people some someone somebody everybody everyone folks";
/// Words of whoever does not know.
const GUESS: &str = "\
    guess guessing unsure wonder wondering doubt doubtful unclear uncertain unlikely";
/// Words that leave a way out.
const MILD: &str = "\
    might maybe perhaps possibly probably presumably apparently reportedly hopefully likely \
    seems seem seemed appears appear";
const SELF: &str = "i we";
const SUSPECTING: &str = "suspect imagine suppose assume";
const THINKING: &str = "think believe expect hope thought";

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

fn of(tokens: &[Token]) -> Option<Trust> {
    let found = tokens.iter().enumerate().filter_map(|(at, token)| {
        let before = at.checked_sub(1).and_then(|it| tokens.get(it));
        let before_is = |words: &str| before.is_some_and(|it| is(it, words));
        let next_is = |word: &str| tokens.get(at + 1).is_some_and(|it| it.is_word(word));
        let heard = is(token, "heard hear") && before_is(SELF);
        let said = is(token, "say said says claim claims") && before_is(NOBODY_IN_PARTICULAR);
        // "No doubt" is none, and "not unlikely" is one still.
        let is_idiom = before_is("no without");
        if (is(token, RUMOUR) && !is_idiom) || heard || said {
            Some(Trust::RUMOUR)
        } else if (is(token, GUESS) && !is_idiom)
            || (is(token, SUSPECTING) && before_is(SELF))
            || (token.is_word("not") && (next_is("sure") || next_is("certain")))
        {
            Some(Trust::GUESS)
        } else if is(token, MILD)
            || (token.is_word("not") && next_is("necessarily"))
            || (is(token, THINKING) && before_is("i we not"))
        {
            Some(Trust::HEDGED)
        } else {
            None
        }
    });
    found.min()
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
            (
                "I think it is Friday. I heard it is Monday.",
                Some(Trust::RUMOUR),
            ),
        ] {
            assert_eq!(confidence(text), band, "{text}");
        }
    }
}
