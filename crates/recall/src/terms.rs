//! The terms of a text for those who read it word by word, as the index knows them.

use crate::fold;
use crate::token::{self, Side};

/// The terms of a text in its order: normal form, English endings folded, see `token`.
///
/// ```
/// assert_eq!(immune_recall::terms("Paid invoices: 5,000"), ["paid", "invoic", "5000"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    token::each(text, Side::Query, &mut |it| terms.push(it.term.to_owned()));
    terms
}

/// Whether a term says little in an English question; negations are none of those.
pub fn is_stop_word(term: &str) -> bool {
    fold::is_stop(term)
}
