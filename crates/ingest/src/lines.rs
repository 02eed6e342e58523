//! Lines of a file of any size: a line is never held whole unless it is short enough.

use std::io::{self, BufRead};

/// A reader that hands out lines in pieces and counts the bytes.
pub(crate) struct Lines<R> {
    reader: R,
    position_bytes: u64,
    at_line_start: bool,
}

/// A piece of a line.
pub(crate) struct Piece {
    /// Whether the piece starts a line.
    pub(crate) starts_line: bool,
    /// Whether the piece ends its line (or the file).
    pub(crate) ends_line: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            position_bytes: 0,
            at_line_start: true,
        }
    }

    /// How many bytes were handed out.
    pub(crate) fn position_bytes(&self) -> u64 {
        self.position_bytes
    }

    /// Reads the next piece, of at most about `bytes_max`, into `piece`; nothing at the end.
    pub(crate) fn read(
        &mut self,
        piece: &mut Vec<u8>,
        bytes_max: usize,
    ) -> io::Result<Option<Piece>> {
        piece.clear();
        let starts_line = self.at_line_start;
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                self.at_line_start = true;
                let ends_line = true;
                return Ok((!piece.is_empty()).then_some(Piece {
                    starts_line,
                    ends_line,
                }));
            }
            let room = bytes_max.saturating_sub(piece.len()).max(1);
            let window = buffer.get(..room.min(buffer.len())).unwrap_or(buffer);
            let newline = window.iter().position(|it| *it == b'\n');
            let taken = newline.map_or(window, |at| window.get(..=at).unwrap_or(window));
            piece.extend_from_slice(taken);
            let n_taken = taken.len();
            self.reader.consume(n_taken);
            self.position_bytes += n_taken as u64;
            if newline.is_some() || piece.len() >= bytes_max {
                self.at_line_start = newline.is_some();
                return Ok(Some(Piece {
                    starts_line,
                    ends_line: newline.is_some(),
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_come_in_pieces_and_every_byte_once() {
        let mut lines = Lines::new(&b"ab\ncdefghij\n\nk"[..]);
        let (mut piece, mut shown) = (Vec::new(), Vec::new());
        while let Some(it) = lines.read(&mut piece, 4).unwrap() {
            let text = String::from_utf8(piece.clone()).unwrap();
            shown.push((text, it.starts_line, it.ends_line));
        }
        let shown: Vec<_> = shown
            .iter()
            .map(|(text, a, b)| (text.as_str(), *a, *b))
            .collect();
        assert_eq!(
            shown,
            [
                ("ab\n", true, true),
                ("cdef", true, false),
                ("ghij", false, false),
                ("\n", false, true),
                ("\n", true, true),
                ("k", true, true),
            ]
        );
        assert_eq!(lines.position_bytes(), 14);
    }
}
