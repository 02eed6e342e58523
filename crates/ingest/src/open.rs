//! Opening a path: what it is, and the messages in it.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fs_err::File;
use regex::bytes::Regex;

use crate::columns::{Column, ColumnMap};
use crate::csv::Csv;
use crate::jsonl::Jsonl;
use crate::maildir::{self, Maildir};
use crate::mbox::Mbox;
use crate::message::{Broken, Message};

/// What a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Messages one after another in one file.
    Mbox,
    /// A directory with `cur` and `new`.
    Maildir,
    /// One message in one file.
    Eml,
    /// Rows with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Mbox, Self::Maildir, Self::Eml, Self::Csv, Self::Jsonl];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mbox => "mbox",
            Self::Maildir => "maildir",
            Self::Eml => "eml",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How a path is to be read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What it holds; found out from its content and name if nothing is said.
    pub format: Option<Format>,
    /// Which column or field holds what, where the usual names do not say it.
    pub columns: ColumnMap,
}

/// Why a path cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file system says so; its message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nothing is there.
    #[error("there is no `{path}`")]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// Neither its content nor its name says what it is.
    #[error("`{path}` is no mbox, Maildir, eml, CSV with a header, or JSON lines; name its format")]
    Unrecognised {
        /// The path.
        path: PathBuf,
    },
    /// A directory was named as a file or a file as a directory.
    #[error("`{path}` is no {expected}")]
    NotA {
        /// The path.
        path: PathBuf,
        /// What it was said to be.
        expected: &'static str,
    },
    /// The table has no such column.
    #[error(
        "no column holds the {column}; the file has {found}; map one with `--column {column}=NAME`",
        found = quoted(.found)
    )]
    Column {
        /// What is missing.
        column: Column,
        /// The columns that there are.
        found: Vec<String>,
    },
}

fn quoted(names: &[String]) -> String {
    const SHOWN_MAX: usize = 40;
    let mut shown: Vec<String> = names
        .iter()
        .take(SHOWN_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > SHOWN_MAX {
        shown.push(format!("{} more", names.len() - SHOWN_MAX));
    }
    shown.join(", ")
}

/// The messages of a path, one at a time: what is not read yet is not in memory.
pub struct Messages {
    source: Source,
    format: Format,
    total_bytes: u64,
}

enum Source {
    Empty,
    Mbox(Mbox),
    Maildir(Maildir),
    Eml(Option<PathBuf>),
    Csv(Box<Csv>),
    Jsonl(Jsonl),
}

/// Opens a path for reading.
pub fn open(path: &Path, options: &Options) -> Result<Messages, OpenError> {
    let found = fs_err::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => OpenError::Missing {
            path: path.to_owned(),
        },
        _ => error.into(),
    });
    let is_directory = found?.is_dir();
    let not_a = |expected| OpenError::NotA {
        path: path.to_owned(),
        expected,
    };
    if is_directory {
        if !matches!(options.format, None | Some(Format::Maildir)) {
            return Err(not_a("file"));
        }
        if !maildir::is_maildir(path) {
            return Err(not_a("Maildir: it has no `cur` or `new`"));
        }
        let maildir = Maildir::new(path)?;
        return Ok(Messages {
            total_bytes: maildir.total_bytes(),
            source: Source::Maildir(maildir),
            format: Format::Maildir,
        });
    }
    let mut file = File::open(path)?;
    let total_bytes = file.metadata()?.len();
    let mut start = Vec::new();
    (&mut file).take(64 << 10).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let format = options
        .format
        .or_else(|| detect(path, &start))
        .ok_or_else(|| OpenError::Unrecognised {
            path: path.to_owned(),
        })?;
    let source = match format {
        _ if start.is_empty() => Source::Empty,
        Format::Mbox => Source::Mbox(Mbox::new(BufReader::new(file))),
        Format::Maildir => return Err(not_a("directory")),
        Format::Eml => Source::Eml(Some(path.to_owned())),
        Format::Csv => Source::Csv(Box::new(Csv::new(file, &options.columns)?)),
        Format::Jsonl => Source::Jsonl(Jsonl::new(BufReader::new(file), options.columns.clone())),
    };
    Ok(Messages {
        source,
        format,
        total_bytes,
    })
}

/// A header field at the very start, of a name that mail has.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)^(?:return-path|received|delivered-to|from|to|cc|subject|date|message-id|mime-version|content-type|reply-to|sender|x-[a-z0-9-]{1,60}|dkim-signature|authentication-results|arc-[a-z-]{1,40}):",
    )
    .expect("a tested pattern")
});

/// What a file holds, by its content and, where that says little, by its name.
fn detect(path: &Path, start: &[u8]) -> Option<Format> {
    let extension = path
        .extension()
        .map(|it| it.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let by_name = match extension.as_str() {
        "mbox" | "mbx" => Some(Format::Mbox),
        "eml" | "msg" => Some(Format::Eml),
        "csv" | "tsv" => Some(Format::Csv),
        "jsonl" | "ndjson" => Some(Format::Jsonl),
        _ => None,
    };
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let first_line = text.split(|it| *it == b'\n').next().unwrap_or(b"");
    if text.is_empty() {
        return Some(by_name.unwrap_or(Format::Mbox));
    }
    if by_name.is_some() {
        return by_name;
    }
    if text.starts_with(b"From ") {
        return Some(Format::Mbox);
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Some(Format::Jsonl);
    }
    if HEADER.is_match(text) {
        return Some(Format::Eml);
    }
    let names = String::from_utf8_lossy(first_line);
    let delimiter = char::from(crate::csv::delimiter(text));
    let names: Vec<&str> = names
        .split(delimiter)
        .map(|it| it.trim_matches(['"', '\r', ' ']))
        .collect();
    let map = ColumnMap::default();
    let is_header = names.len() > 1 && map.find(Column::Body, &names).is_some();
    is_header.then_some(Format::Csv)
}

impl Messages {
    /// What the path holds.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many bytes there are to read.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How many of them were read.
    pub fn position_bytes(&self) -> u64 {
        match &self.source {
            Source::Empty | Source::Eml(None) => self.total_bytes,
            Source::Eml(Some(_)) => 0,
            Source::Mbox(mbox) => mbox.position_bytes(),
            Source::Maildir(maildir) => maildir.position_bytes(),
            Source::Csv(csv) => csv.position_bytes(),
            Source::Jsonl(jsonl) => jsonl.position_bytes(),
        }
    }
}

impl Iterator for Messages {
    type Item = Result<Message, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Empty => None,
            Source::Mbox(mbox) => mbox.next(),
            Source::Maildir(maildir) => maildir.next(),
            Source::Eml(path) => {
                let path = path.take()?;
                Some(maildir::read_file(&path, "message 1"))
            }
            Source::Csv(csv) => csv.next(),
            Source::Jsonl(jsonl) => jsonl.next(),
        }
    }
}
