//! mbox files: one message after another, each after a line that starts with `From `.
//!
//! Only the separators are read here; the messages are parsed by `mail-parser`. Its own mbox
//! iterator is not used because it holds a message of any size in memory and takes every line that
//! starts with `From ` for a separator, in the middle of a paragraph too.

use std::io::{BufRead, BufReader};
use std::sync::LazyLock;

use fs_err::File;
use regex::bytes::Regex;

use crate::lines::Lines;
use crate::mail::{self, MESSAGE_BYTES_MAX};
use crate::message::{Broken, Message};

/// Bytes of a piece of a line; a separator is shorter.
const PIECE_BYTES: usize = 8 << 10;

/// `From sender Tue Nov  5 12:00:00 2024`, with a zone or without.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)^From .{0,998}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .{0,20}[0-9]{1,2}:[0-9]{2}.{0,40}\r?\n?$",
    )
    .expect("a tested pattern")
});

/// The messages of one mbox file.
pub(crate) struct Mbox<R = BufReader<File>> {
    lines: Lines<R>,
    n_messages: usize,
    is_done: bool,
    /// Whether the separator of the next message was read.
    is_open: bool,
}

impl<R: BufRead> Mbox<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            lines: Lines::new(reader),
            n_messages: 0,
            is_done: false,
            is_open: false,
        }
    }

    pub(crate) fn position_bytes(&self) -> u64 {
        self.lines.position_bytes()
    }

    pub(crate) fn next(&mut self) -> Option<Result<Message, Broken>> {
        if self.is_done {
            return None;
        }
        let (mut raw, mut piece) = (Vec::new(), Vec::new());
        let mut is_too_large = false;
        let mut is_first = !self.is_open;
        loop {
            let position = format!("message {}", self.n_messages + 1);
            let read = match self.lines.read(&mut piece, PIECE_BYTES) {
                Ok(read) => read,
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(Broken::new(&position, error.to_string())));
                }
            };
            let Some(read) = read else {
                self.is_done = true;
                if !self.is_open {
                    return None;
                }
                self.n_messages += 1;
                return Some(finish(&raw, is_too_large, &position));
            };
            // The first line only has to start like a separator: nothing stands before it.
            let separates = read.starts_line
                && (SEPARATOR.is_match(&piece) || (is_first && piece.starts_with(b"From ")));
            is_first = false;
            if separates {
                if !self.is_open {
                    self.is_open = true;
                    continue;
                }
                self.n_messages += 1;
                return Some(finish(&raw, is_too_large, &position));
            }
            // What stands before the first separator is no message; `open` saw that one is there.
            if !self.is_open {
                continue;
            }
            is_too_large |= raw.len() + piece.len() > MESSAGE_BYTES_MAX;
            if !is_too_large {
                raw.extend_from_slice(unescaped(&piece, read.starts_line));
            }
        }
    }
}

fn finish(raw: &[u8], is_too_large: bool, position: &str) -> Result<Message, Broken> {
    if is_too_large {
        return Err(mail::too_large(position));
    }
    mail::read(raw, position)
}

/// The line as it was before a writer escaped it: `>From ` stands for `From `.
fn unescaped(piece: &[u8], starts_line: bool) -> &[u8] {
    let quotes = piece.iter().take_while(|it| **it == b'>').count();
    let rest = piece.get(quotes..).unwrap_or(b"");
    if starts_line && quotes > 0 && rest.starts_with(b"From ") {
        piece.get(1..).unwrap_or(piece)
    } else {
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_separator_starts_a_message() {
        let text = b"From a@b.example Tue Nov  5 12:00:00 2024\n\
            From: a@b.example\n\nFrom the start\n>From here\n>>From there\n\n\
            From - Sat, 09 Nov 2024 12:00:00 +0100\nFrom: c@d.example\n\nfine\n\n";
        let mut mbox = Mbox::new(&text[..]);
        let mut next = || mbox.next();
        let first = next().unwrap().unwrap();
        assert_eq!(first.position, "message 1");
        assert_eq!(first.body, "From the start\nFrom here");
        assert_eq!(first.quoted, [">From there"], "escaped once, quoted once");
        assert_eq!(
            next().unwrap().unwrap().sender.as_deref(),
            Some("c@d.example")
        );
        assert!(next().is_none());
        assert!(next().is_none());
    }
}
