//! Maildir folders: one message a file, in `cur` and `new`, in the order of their names.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::mail::{self, MESSAGE_BYTES_MAX};
use crate::message::{Broken, Message};

/// The messages of one folder and of its `.Subfolders`.
pub(crate) struct Maildir {
    root: PathBuf,
    /// Paths below the root and sizes, the next one last.
    files: Vec<(PathBuf, u64)>,
    total_bytes: u64,
    position_bytes: u64,
}

/// Whether the directory is a Maildir.
pub(crate) fn is_maildir(path: &Path) -> bool {
    path.join("cur").is_dir() || path.join("new").is_dir()
}

impl Maildir {
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        list(path, Path::new(""), &mut files)?;
        for entry in fs_err::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_string_lossy().starts_with('.') && is_maildir(&entry.path()) {
                list(path, Path::new(&name), &mut files)?;
            }
        }
        // The directory is in no order; the same mail is to be read in the same order again.
        files.sort();
        files.reverse();
        Ok(Self {
            root: path.to_owned(),
            total_bytes: files.iter().map(|(_, bytes)| bytes).sum(),
            files,
            position_bytes: 0,
        })
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub(crate) fn position_bytes(&self) -> u64 {
        self.position_bytes
    }

    pub(crate) fn next(&mut self) -> Option<Result<Message, Broken>> {
        let (file, bytes) = self.files.pop()?;
        self.position_bytes += bytes;
        let position = file.to_string_lossy().replace('\\', "/");
        Some(read_file(&self.root.join(&file), &position))
    }
}

fn list(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    for part in ["cur", "new"] {
        let below = folder.join(part);
        if !root.join(&below).is_dir() {
            continue;
        }
        for entry in fs_err::read_dir(root.join(&below))? {
            let entry = entry?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let kind = entry.metadata()?;
            if kind.is_file() && !hidden {
                files.push((below.join(entry.file_name()), kind.len()));
            }
        }
    }
    Ok(())
}

/// Reads a file that is one message.
pub(crate) fn read_file(path: &Path, position: &str) -> Result<Message, Broken> {
    let broken = |error: io::Error| Broken::new(position, error.to_string());
    let mut raw = Vec::new();
    // One byte more than the limit tells a file at the limit from one past it.
    fs_err::File::open(path)
        .map_err(broken)?
        .take(MESSAGE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut raw)
        .map_err(broken)?;
    mail::read(&raw, position)
}
