//! CSV files: one message a row, in columns with the usual names or those of a map.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use ::csv::{ByteRecord, ReaderBuilder};
use fs_err::File;

use crate::columns::{Column, ColumnMap};
use crate::mail::MESSAGE_BYTES_MAX;
use crate::message::{Broken, Message};
use crate::open::OpenError;
use crate::{address, html, quote, time};

/// The rows of one file.
pub(crate) struct Csv {
    reader: ::csv::Reader<Limited>,
    columns: [Option<usize>; Column::ALL.len()],
    n_columns: usize,
    n_rows: usize,
    is_done: bool,
    record: ByteRecord,
}

/// A reader that fails when one row takes more than its budget: a quote that is never closed would
/// otherwise swallow the rest of the file, however large.
struct Limited {
    inner: BufReader<File>,
    budget_bytes: usize,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.inner.read(buffer)?;
        match self.budget_bytes.checked_sub(n_read) {
            Some(left) => self.budget_bytes = left,
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("the row has more than {MESSAGE_BYTES_MAX} bytes; is a quote open"),
                ));
            }
        }
        Ok(n_read)
    }
}

impl Csv {
    pub(crate) fn new(mut file: File, map: &ColumnMap) -> Result<Self, OpenError> {
        let mut start = Vec::new();
        (&mut file).take(64 << 10).read_to_end(&mut start)?;
        file.seek(SeekFrom::Start(0))?;
        let mut inner = BufReader::new(file);
        // A byte order mark is no part of the first name.
        if start.starts_with(b"\xef\xbb\xbf") {
            inner.fill_buf()?;
            inner.consume(3);
        }
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter(&start))
            .flexible(true)
            .from_reader(Limited {
                inner,
                budget_bytes: MESSAGE_BYTES_MAX,
            });
        let header = reader.byte_headers().map_err(io::Error::from)?;
        let names: Vec<String> = header
            .iter()
            .map(|it| String::from_utf8_lossy(it).trim().to_owned())
            .collect();
        let columns = Column::ALL.map(|column| map.find(column, &names));
        for (column, place) in Column::ALL.into_iter().zip(columns) {
            let needed = matches!(column, Column::Body | Column::Sender);
            if place.is_none() && (needed || map.name(column).is_some()) && !names.is_empty() {
                return Err(OpenError::Column {
                    column,
                    found: names,
                });
            }
        }
        Ok(Self {
            reader,
            columns,
            n_columns: names.len(),
            n_rows: 0,
            is_done: false,
            record: ByteRecord::new(),
        })
    }

    pub(crate) fn position_bytes(&self) -> u64 {
        self.reader.position().byte()
    }

    pub(crate) fn next(&mut self) -> Option<Result<Message, Broken>> {
        if self.is_done {
            return None;
        }
        self.reader.get_mut().budget_bytes = MESSAGE_BYTES_MAX;
        let read = self.reader.read_byte_record(&mut self.record);
        let position = format!("row {}", self.n_rows + 1);
        match read {
            Ok(true) => {
                self.n_rows += 1;
                Some(self.message(&position))
            }
            Ok(false) => {
                self.is_done = true;
                None
            }
            Err(error) => {
                // Where the next row starts is not known any more.
                self.is_done = true;
                Some(Err(Broken::new(&position, error.to_string())))
            }
        }
    }

    fn message(&self, position: &str) -> Result<Message, Broken> {
        let broken = |reason: String| Broken::new(position, reason);
        if self.record.len() != self.n_columns {
            let (found, expected) = (self.record.len(), self.n_columns);
            return Err(broken(format!(
                "the row has {found} columns, the header has {expected}"
            )));
        }
        let mut fields: [&str; Column::ALL.len()] = [""; Column::ALL.len()];
        for ((field, place), column) in fields.iter_mut().zip(self.columns).zip(Column::ALL) {
            let bytes = place.and_then(|at| self.record.get(at)).unwrap_or(b"");
            *field = std::str::from_utf8(bytes).map_err(|error| {
                let at = error.valid_up_to();
                broken(format!("`{column}` is no UTF-8 at byte {at} of its field"))
            })?;
        }
        let [body, sender, recipients, subject, date, id] = fields;
        let filled = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let sender = address::parse(sender)
            .into_iter()
            .next()
            .ok_or_else(|| broken("it has no sender".to_owned()))?;
        let parts = quote::split(&html::text_of_field(body));
        Message {
            position: position.to_owned(),
            external_id: filled(id.trim().trim_start_matches('<').trim_end_matches('>')),
            sender: Some(sender.address),
            sender_name: sender.name,
            recipients: address::parse(recipients)
                .into_iter()
                .map(|it| it.address)
                .collect(),
            subject: filled(subject),
            sent_at: time::parse(date),
            body: parts.own,
            quoted: parts.quoted,
            ..Message::default()
        }
        .checked()
    }
}

/// The delimiter: what stands most often in the first line, outside quotes.
pub(crate) fn delimiter(start: &[u8]) -> u8 {
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for byte in start {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            _ => {
                for (delimiter, count) in &mut counts {
                    *count += usize::from(byte == delimiter);
                }
            }
        }
    }
    // Of equals the comma, which stands first.
    let mut best = (b',', 0);
    for (delimiter, count) in counts {
        if count > best.1 {
            best = (delimiter, count);
        }
    }
    best.0
}
