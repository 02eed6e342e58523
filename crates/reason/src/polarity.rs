//! Whether a text affirms, denies or leaves open what it says.
//!
//! Anyone may call it; it is pure, deterministic and linear. It reads English with a small set of
//! closed word lists, not with a grammar: the sentence is cut into clauses, the main clause is
//! chosen, and the negators that reach its verb are counted, an even number cancelling. What it
//! cannot place it leaves affirmed, except where somebody else's words or a doubt are reported.
//!
//! | rule | examples |
//! |---|---|
//! | open | a question; `beware of`, `a thief`; `if`, `might`, `maybe`, `would`; `I think`; `according to`, `she says`, `I heard` |
//! | denied | `must never be skipped`, `is not enabled`, `no longer`, `do not pay`, `cannot`, `no fee is due`, `is forbidden`, `it is false that`, `is a lie`, `stopped going`, `anything but`, `block` |
//! | not a negation | `not only`, `not later than`, `no more than`, `invoice no. 5`, `without approval`, `if not paid`, `…, no need to call`, `with no fee` |
//! | cancels | `not a day goes by without`, `never fails to`, `is not forbidden`, `do not forget to`, `nobody can deny that`, `do not dislike` |
//! | several sentences | their common polarity, open if they differ |

use immune_model::Polarity;

mod beside;
mod hedge;
mod order;
pub(crate) mod words;

pub use beside::{Beside, beside};
pub use hedge::confidence;
pub use order::is_order;

use words::{Token, is};

/// The polarity of a text: of its sentence, or what its sentences agree on.
///
/// ```
/// use immune_model::Polarity;
/// use immune_reason::polarity::polarity;
///
/// assert_eq!(polarity("The check may be skipped"), Polarity::Affirmed);
/// assert_eq!(polarity("The check must never be skipped"), Polarity::Denied);
/// assert_eq!(polarity("Maybe the check can be skipped"), Polarity::Open);
/// ```
pub fn polarity(text: &str) -> Polarity {
    let mut common = None;
    for sentence in words::sentences(text) {
        let found = of_sentence(&sentence);
        match common {
            None => common = Some(found),
            Some(before) if before == found => {}
            Some(_) => return Polarity::Open,
        }
    }
    common.unwrap_or(Polarity::Affirmed)
}

fn of_sentence(sentence: &words::Sentence) -> Polarity {
    let tokens = without_opening(&sentence.tokens);
    let inverted = is_inverted_condition(tokens);
    if sentence.is_question || (!inverted && starts_as_question(tokens)) {
        return Polarity::Open;
    }
    let (main, condition) = main_clause(tokens);
    let supposed = condition && tokens.iter().any(|it| is(it, words::SUPPOSING));
    if is_reported(tokens)
        || is_warning(tokens)
        || is_hedged(main)
        || supposed
        || (condition && !is_rule(main))
    {
        return Polarity::Open;
    }
    // `Not a day goes by without it` denies twice, the second time in a clause of its own.
    let none_without = matches!(tokens, [first, second, ..]
        if first.is_word("not") && is(second, "a an one"))
        && tokens.iter().any(|it| it.is_word("without"));
    if (negators(main) + usize::from(none_without)) % 2 == 1 {
        Polarity::Denied
    } else {
        Polarity::Affirmed
    }
}

/// Greetings and connectives before the sentence: `No, …`, `Well, …`, `Please note that …`.
fn without_opening(tokens: &[Token]) -> &[Token] {
    let mut tokens = tokens;
    loop {
        let rest = match tokens {
            [first, comma, rest @ ..] if is(first, words::OPENERS) && comma.is_comma() => rest,
            [first, rest @ ..] if is(first, words::CONNECTIVES) && !rest.is_empty() => rest,
            [first, rest @ ..] if first.is_comma() => rest,
            _ => return tokens,
        };
        tokens = rest;
    }
}

fn starts_as_question(tokens: &[Token]) -> bool {
    match tokens {
        // `Do not pay` orders, `Do you pay` asks; `May 15 is …` is a date.
        [first, second, ..] => {
            (is(first, words::ASKING_VERBS) && is(second, words::ASKED))
                || (is(first, words::QUESTION_WORDS) && is(second, words::AUXILIARIES))
        }
        _ => false,
    }
}

/// `Should you have questions, call me`: a condition that starts like a question.
fn is_inverted_condition(tokens: &[Token]) -> bool {
    matches!(tokens, [first, second, ..] if (first.is_word("should") || first.is_word("had")) && is(second, words::ASKED))
        && tokens.iter().any(Token::is_comma)
}

/// The first main clause, and whether a condition stands before it.
fn main_clause(tokens: &[Token]) -> (&[Token], bool) {
    let Some(first) = tokens.first() else {
        return (tokens, false);
    };
    let inverted = is_inverted_condition(tokens);
    if inverted || is(first, words::SUBORDINATORS) {
        let condition = inverted || is(first, words::CONDITIONS);
        let comma = tokens.iter().position(Token::is_comma);
        let then = tokens.iter().position(|it| it.is_word("then"));
        let rest = comma
            .or(then)
            .and_then(|at| tokens.get(at + 1..))
            .filter(|rest| !rest.is_empty());
        return match rest {
            Some(rest) => (until_next_clause(without_opening(rest)), condition),
            None => (tokens, condition),
        };
    }
    (until_next_clause(tokens), false)
}

/// The clause that starts here, with its complement (`that`), without what hangs on it.
fn until_next_clause(tokens: &[Token]) -> &[Token] {
    let mut seen_verb = false;
    for (idx, token) in tokens.iter().enumerate() {
        let starts_other = is(token, words::SUBORDINATORS) || is(token, words::COORDINATORS);
        if seen_verb && starts_other {
            return tokens.get(..idx).unwrap_or(tokens);
        }
        seen_verb |= is_verb(token);
    }
    tokens
}

fn is_verb(token: &Token) -> bool {
    is(token, words::AUXILIARIES) || is(token, words::MAIN_VERBS)
}

/// The clause without its relative clauses: `An invoice that is not signed must be rejected`.
fn without_relatives(clause: &[Token]) -> Vec<&Token> {
    let mut kept: Vec<&Token> = Vec::with_capacity(clause.len());
    let mut rest = clause.iter().peekable();
    while let Some(token) = rest.next() {
        let relative = is(token, words::RELATIVES)
            && kept.last().is_some_and(|it| {
                !is_verb(it)
                    && !it.is_comma()
                    && !is(it, words::COMPLEMENT_VERBS)
                    && !is(it, words::PREPOSITIONS)
            });
        if !relative {
            kept.push(token);
            continue;
        }
        // Its verb, all of it, and what follows up to the verb of the sentence.
        while rest.next_if(|it| !is_verb(it) && !it.is_comma()).is_some() {}
        let in_group = |it: &&Token| {
            is(it, words::AUXILIARIES)
                || it.is_word("not")
                || is(it, words::NEVER)
                || words::is_participle(it)
        };
        match rest.peek() {
            Some(it) if is(it, words::AUXILIARIES) => while rest.next_if(in_group).is_some() {},
            _ => {
                rest.next();
            }
        }
        while rest.next_if(|it| !is_verb(it) && !it.is_comma()).is_some() {}
    }
    kept
}

/// Whether a condition still leaves a rule: `If it exceeds $500, two approvals are required`.
fn is_rule(main: &[Token]) -> bool {
    main.iter().any(|it| is(it, words::DEONTIC))
        || main
            .first()
            .is_some_and(|it| is(it, words::IMPERATIVES) || it.is_word("do"))
}

fn is_reported(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(idx, token)| {
        let before = idx.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(idx + 1);
        let that = next.is_some_and(|it| it.is_word("that"));
        let hearsay = is(token, words::HEARSAY) && !hedge::hears_a_thing(tokens, idx);
        if hearsay || (that && is(token, words::WRITING)) {
            return true;
        }
        if token.is_word("according") {
            return next.is_some_and(|it| it.is_word("to"));
        }
        if token.is_word("told") {
            // "I told you" is one's own word, "I was told" and "he told me" are not.
            return before.is_none_or(|it| !is(it, words::OWN));
        }
        // "The reports are late" reports nothing.
        let is_noun =
            is(token, words::SAYING_OR_NOUN) && next.is_none_or(|it| !is(it, words::SAID));
        is(token, words::SAYING)
            && !is_noun
            && before.is_some_and(|it| {
                !is(it, words::OWN) && !is(it, words::AUTHORITIES) && !is(it, words::AUXILIARIES)
            })
    })
}

/// Whether a sentence takes back what stands before it: `That is a lie.`, `This is not true.`
pub fn disowns(text: &str) -> bool {
    words::sentences(text).iter().any(|sentence| {
        let tokens = without_opening(&sentence.tokens);
        let points = tokens
            .first()
            .is_some_and(|it| is(it, "that this it which"))
            && tokens.get(1).is_some_and(|it| is(it, "is was"));
        let said_of = tokens.get(2..).unwrap_or(&[]);
        let denied = said_of.first().is_some_and(|it| it.is_word("not"));
        let about = !tokens.iter().skip(2).any(|it| it.is_word("that"));
        let word = |list: &str| said_of.iter().take(4).any(|it| is(it, list));
        let wrong = word(words::FALSE) || word("wrong");
        points && about && (wrong != denied) && (wrong || word("true right correct"))
    })
}

/// Whether a text warns of what it names: `Beware of the account`, `it belongs to a thief`.
pub fn warns(text: &str) -> bool {
    words::sentences(text)
        .iter()
        .any(|it| is_warning(without_opening(&it.tokens)))
}

/// Whether it warns of what it names: it says neither that it holds nor that it does not.
fn is_warning(tokens: &[Token]) -> bool {
    let starts = tokens
        .first()
        .is_some_and(|it| is(it, "warning caution alert"));
    let watch_out = tokens
        .windows(2)
        .any(|it| matches!(it, [watch, out] if watch.is_word("watch") && out.is_word("out")));
    let comma = tokens.get(1).is_some_and(Token::is_comma);
    (starts && comma) || watch_out || tokens.iter().any(|it| is(it, words::WARNING))
}

fn is_hedged(main: &[Token]) -> bool {
    main.iter().enumerate().any(|(idx, token)| {
        let next = main.get(idx + 1);
        let after = main.get(idx + 2);
        if is(token, words::HEDGES) {
            let before = idx.checked_sub(1).and_then(|at| main.get(at));
            return !before.is_some_and(|it| it.is_word("no"));
        }
        if token.is_word("would") {
            return next.is_none_or(|it| !is(it, words::POLITE));
        }
        if token.is_word("could") {
            return next.is_none_or(|it| !it.is_word("not"));
        }
        if token.is_word("may") {
            // "may be skipped" permits, "may be late" doubts.
            let (be, state) = match next {
                Some(it) if it.is_word("not") => (after, main.get(idx + 3)),
                _ => (next, after),
            };
            return match be {
                Some(it) if it.is_word("be") => !state.is_some_and(words::is_participle),
                Some(it) => it.is_word("have") || it.is_word("well"),
                None => false,
            };
        }
        if token.is_word("not") {
            return next.is_some_and(|it| it.is_word("necessarily") || it.is_word("sure"));
        }
        // "I think" is a doubt of one's own.
        is(token, words::THINKING)
            && idx
                .checked_sub(1)
                .and_then(|at| main.get(at))
                .is_some_and(|it| is(it, words::OWN) || it.is_word("not"))
    })
}

/// How many negators reach the verb of the clause.
fn negators(main: &[Token]) -> usize {
    let clause = without_relatives(main);
    let at = |idx: Option<usize>| idx.and_then(|idx| clause.get(idx)).copied();
    let neither = clause.iter().position(|it| it.is_word("neither"));
    // `Nobody can deny it`, `We do not dispute the bill`.
    let denies_all = |idx: usize| {
        let before = clause.iter().take(idx);
        let mut before = before.rev().take(3);
        before.any(|it| is(it, words::NOBODY) || is(it, "not never one no"))
    };
    let negates = |(idx, token): &(usize, &&Token)| {
        let (before, next) = (at(idx.checked_sub(1)), at(Some(idx + 1)));
        let before_is = |words: &str| before.is_some_and(|it| is(it, words));
        let next_is = |words: &str| next.is_some_and(|it| is(it, words));
        match token {
            _ if token.is_word("not") => {
                !next_is(words::BOUNDS_AND_FOCUS)
                    && !next_is("least")
                    && !next_is(words::COMPARATIVES)
                    && !before_is("or why")
                    // `It is 5, not 6` affirms.
                    && !before.is_some_and(|it| it.is_comma() || it.is_number())
            }
            _ if token.is_word("no") => {
                // `It is approved, no need to call`: what is added after a comma is another thing.
                let added = before.is_some_and(Token::is_comma)
                    && clause.iter().take(*idx).any(|it| is_verb(it));
                !added
                    && next.is_some_and(|it| !it.is_number())
                    && !next_is(words::NO_IDIOMS)
                    // `approved with no fee` is approved.
                    && !before_is("with at")
                    && !next_is(words::COMPARATIVES)
                    && !before_is(words::NUMBERED)
            }
            // `neither … nor` denies once.
            _ if token.is_word("nor") => neither.is_none_or(|at| at > *idx),
            _ if is(token, words::NOBODY) => !next_is("but"),
            // `Do not forget that` affirms, and so does `I forgot that`.
            _ if is(token, words::FORGETTING) && next_is("that") => before_is("not never"),
            _ if is(token, words::FAILING) => next_is("to"),
            // `It is false that`, `The claim is a lie`.
            _ if is(token, words::FALSE) => {
                next_is("that")
                    || before_is("is are was were be been a an not all completely simply")
            }
            // `Block refunds to it`, `Refunds stopped going to it`, `anything but it`.
            _ if *idx == 0 && is(token, words::STOPPING) => true,
            _ if is(token, words::STOPPED) => next.is_some_and(|it| it.text().ends_with("ing")),
            _ if is(token, words::ANYTHING) => next_is("but except"),
            _ if token.is_word("off") => {
                before_is("is are was were be been not turned switched")
                    && next.is_none_or(Token::is_comma)
            }
            // `Nobody denies that` affirms, `The vendor denied the claim` tells a deed.
            _ if is(token, words::DENYING) => next_is("that") || denies_all(*idx),
            _ if is(token, words::DISLIKING) => true,
            // Only in "do not hesitate to"; alone it is a verb like any other.
            _ if is(token, words::HESITATING) => before_is("not never"),
            _ => is(token, words::NEVER) || is(token, words::FORBIDDING),
        }
    };
    clause.iter().enumerate().filter(negates).count()
}

#[cfg(test)]
mod tests;
