//! What is shown of what may be much: one bound for lines, one for words in a line, and one way to
//! say that there is more. `--json` has all of it, unless its page in the docs says otherwise.

use std::borrow::Borrow;

use immune_api::Code;

use super::Context;
use crate::failure::Failure;

/// Lines of one part that are shown.
pub(crate) const LINES_MAX: usize = 50;
/// Words of one list that are shown.
pub(crate) const WORDS_MAX: usize = 20;

/// The first of these, as many as are shown in lines.
pub(crate) fn shown<T>(all: &[T]) -> &[T] {
    all.get(..LINES_MAX).unwrap_or(all)
}

/// The first words of a list, and how many more there are.
pub(crate) fn words<W: Borrow<str>>(all: &[W]) -> String {
    words_by(all, |it| it.borrow().to_owned())
}

/// As [`words`], of what becomes a word.
pub(crate) fn words_by<T>(all: &[T], word: impl FnMut(&T) -> String) -> String {
    let shown: Vec<String> = all.iter().take(WORDS_MAX).map(word).collect();
    let (more, shown) = (all.len() - shown.len(), shown.join(", "));
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// As [`words`], of parts of a sentence.
pub(crate) fn parts(all: &[String]) -> String {
    let shown = all.get(..WORDS_MAX).unwrap_or(all);
    let (more, shown) = (all.len() - shown.len(), shown.join("; "));
    if more > 0 {
        format!("{shown}; and {more} more")
    } else {
        shown
    }
}

/// Says how many more there are, if there are.
pub(crate) fn say_more(context: &mut Context, indent: usize, more: usize) -> Result<(), Failure> {
    if more > 0 {
        let pad = " ".repeat(indent);
        context.printer.line(format!("{pad}and {more} more"))?;
    }
    Ok(())
}

/// Refuses a limit of nothing, and one above the most there can be.
pub(crate) fn check_limit(limit: usize, most: usize) -> Result<(), Failure> {
    if (1..=most).contains(&limit) {
        return Ok(());
    }
    let message = if most == usize::MAX {
        format!("the limit is {limit}; at least 1 is asked for")
    } else {
        format!("the limit is {limit}; 1 to {most} are possible")
    };
    Err(Failure::new(Code::TooMany, message))
}

/// How many are not among those that [`shown`] gives.
pub(crate) fn left<T>(all: &[T]) -> usize {
    all.len().saturating_sub(LINES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_is_counted() {
        let few = ["a", "b"];
        assert_eq!(words(&few), "a, b");
        assert_eq!(words::<String>(&[]), "");
        let many = vec!["x"; LINES_MAX + 3];
        let named = ["x"; WORDS_MAX].join(", ");
        let more = LINES_MAX + 3 - WORDS_MAX;
        assert_eq!(words(&many), format!("{named} and {more} more"));
        assert_eq!((shown(&many).len(), left(&many)), (LINES_MAX, 3));
        assert_eq!((shown(&few).len(), left(&few)), (2, 0));
    }
}
