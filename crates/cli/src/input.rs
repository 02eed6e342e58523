//! Texts that come in: from an argument, a file, or standard input, which is read up to the limit
//! of a text and no further.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::Path;

use immune_api::Code;
use immune_model::{Text, limits};

use crate::commands::Context;
use crate::escape;
use crate::failure::Failure;

/// The text of an argument; `-` reads standard input.
pub(crate) fn text(context: &mut Context, word: &str) -> Result<Text, Failure> {
    if word == "-" {
        let words = standard_input(context)?;
        return Text::new(&words).map_err(|it| refused("standard input", &it));
    }
    Ok(Text::new(word)?)
}

/// The words of an argument; `-` reads standard input, `@FILE` that file.
pub(crate) fn words(context: &mut Context, word: &str) -> Result<String, Failure> {
    match word.strip_prefix('@') {
        Some(path) => file(Path::new(path)),
        None if word == "-" => standard_input(context),
        None => Ok(word.to_owned()),
    }
}

/// The text of an argument; `-` reads standard input, `@FILE` that file.
pub(crate) fn payload(context: &mut Context, word: &str) -> Result<Text, Failure> {
    let found = words(context, word)?;
    Text::new(&found).map_err(|it| refused("the payload", &it))
}

fn refused(what: &str, error: &immune_model::TextError) -> Failure {
    Failure::new(Code::InvalidText, format!("{what}: {error}"))
}

fn standard_input(context: &mut Context) -> Result<String, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        context
            .printer
            .note("reading from the terminal; Ctrl-D ends the text");
    }
    bounded("standard input", stdin.lock())
}

/// The words of a file.
pub(crate) fn file(path: &Path) -> Result<String, Failure> {
    let shown = escape::line(&path.to_string_lossy());
    let file = fs_err::File::open(path).map_err(|it| Failure::new(Code::Unreadable, it))?;
    bounded(&format!("`{shown}`"), file)
}

/// Reads at most a text, and names the position of what is no UTF-8.
fn bounded(what: &str, from: impl Read) -> Result<String, Failure> {
    let limit = limits::TEXT_BYTES_MAX;
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most)
        .read_to_end(&mut bytes)
        .map_err(|it| Failure::new(Code::Unreadable, format!("{what}: {it}")))?;
    if bytes.len() > limit {
        let message = format!("{what} has more than {limit} bytes, the limit of a text");
        return Err(Failure::new(Code::InvalidText, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(
            Code::InvalidText,
            format!("{what} is no UTF-8 at byte {at}"),
        )
    })
}

/// The first argument that is no UTF-8, with the position in it.
pub(crate) fn no_utf8(arguments: &[OsString]) -> Option<Failure> {
    let mut numbered = arguments.iter().enumerate();
    numbered.find_map(|(number, argument)| {
        let at = std::str::from_utf8(argument.as_encoded_bytes())
            .err()?
            .valid_up_to();
        let message = format!("argument {number} is no UTF-8 at byte {at}");
        Some(Failure::new(Code::InvalidText, message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(bytes: &[u8]) -> String {
        match bounded("standard input", bytes) {
            Err(Failure::Problem(problem)) => problem.message,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_is_read_is_bounded_and_refused_with_the_position() {
        assert_eq!(bounded("x", &b"h\xc3\xa9"[..]).unwrap(), "hé");
        assert_eq!(problem(b"ab\xff"), "standard input is no UTF-8 at byte 2");
        let most = vec![b'x'; limits::TEXT_BYTES_MAX + 1];
        assert_eq!(
            problem(&most),
            "standard input has more than 1048576 bytes, the limit of a text"
        );
    }
}
