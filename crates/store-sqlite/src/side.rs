//! Side files: what the engine keeps beside the file to open a memory without a replay.
//!
//! Called with no transaction open. A side file is replaced whole, or not at all; nobody but its
//! owner may read it. It may be deleted at any time, and nothing here is ever a reason not to open
//! a memory.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use immune_store::SideFile;

use crate::open::private;

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// Ends the name of the file that is locked by who changes a side file and looks at it before.
const LOCK: &str = ".lock";
/// Ends the name of a side file that is being written.
const PART: &str = ".part";

/// Tells apart the writers within this process.
static N_WRITERS: AtomicU64 = AtomicU64::new(0);

/// A side file of the memory with this number.
pub(crate) fn path(store: &Path, which: SideFile, memory: i64) -> PathBuf {
    with(store, &format!("-{}-{memory}", which.name()))
}

/// What a side file holds, if there is one that can be read.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    // Looked at first: reading what is no file may never end.
    let found = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
    open(path).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The last bytes of a side file, if there is one that has so many.
pub(crate) fn read_end(path: &Path) -> Option<[u8; 32]> {
    std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let mut end = [0; 32];
    let mut file = open(path).ok()?;
    file.seek(SeekFrom::End(-32)).ok()?;
    file.read_exact(&mut end).ok()?;
    Some(end)
}

/// The file to lock for a side file. It stays: whoever removed it would have two hold it.
pub(crate) fn lock_of(path: &Path) -> std::io::Result<File> {
    let lock = with(path, LOCK);
    match private().open(&lock) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            std::fs::OpenOptions::new().write(true).open(&lock)
        }
        made => made,
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    std::fs::OpenOptions::new().read(true).open(path)
}

/// Replaces a side file by what `write` writes.
pub(crate) fn replace(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    remove_left_over(path);
    let nth = N_WRITERS.fetch_add(1, Ordering::Relaxed);
    let part = with(path, &format!(".{}-{nth}{PART}", std::process::id()));
    let replaced = write_part(&part, write).and_then(|()| std::fs::rename(&part, path));
    if replaced.is_err() {
        // The first error says more than this one.
        let _ = std::fs::remove_file(&part);
    }
    replaced
}

/// Removes a side file, if there is one.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    remove_left_over(path);
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn write_part(
    part: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let file = private().open(part)?;
    // Held while it is written: what nobody holds was left by a process that ended.
    file.lock()?;
    let mut out = BufWriter::with_capacity(BUFFER, &file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.sync_all()
}

/// Removes what processes left that were cut off while they wrote this side file.
fn remove_left_over(path: &Path) {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    for entry in entries.into_iter().flatten().flatten() {
        let file = entry.file_name();
        let rest = file.as_encoded_bytes().strip_prefix(name);
        let is_part = rest.is_some_and(|it| it.starts_with(b".") && it.ends_with(PART.as_bytes()));
        let is_held = || open(&entry.path()).is_ok_and(|it| it.try_lock().is_err());
        if is_part && !is_held() {
            // Whoever removed it first has done what is wanted.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs_err::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_end_tells_which_one_it_is_and_one_at_a_time_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(&folder.path().join("s.immune"), SideFile::Mesh, 1);
        assert_eq!(read_end(&path), None);
        replace(&path, &mut |out| out.write_all(&[1; 31])).unwrap();
        assert_eq!(read_end(&path), None);
        replace(&path, &mut |out| {
            out.write_all(&[[1; 32], [2; 32]].concat())
        })
        .unwrap();
        assert_eq!(read_end(&path), Some([2; 32]));
        let (first, second) = (lock_of(&path).unwrap(), lock_of(&path).unwrap());
        first.try_lock().unwrap();
        assert!(second.try_lock().is_err());
        drop(first);
        second.try_lock().unwrap();
        assert_eq!(
            names(folder.path()),
            ["s.immune-mesh-1", "s.immune-mesh-1.lock"]
        );
    }

    #[test]
    fn a_side_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(&folder.path().join("s.immune"), SideFile::State, 7);
        assert_eq!(read(&path), None);
        replace(&path, &mut |out| out.write_all(b"one")).unwrap();
        let failed = replace(&path, &mut |out| {
            out.write_all(b"two")?;
            Err(std::io::Error::other("cut off"))
        });
        assert!(failed.is_err());
        assert_eq!(read(&path).as_deref(), Some(&b"one"[..]));
        // One writer is cut off, another is at work: only what the first left is removed.
        let [left, held] = [".1-1.part", ".1-2.part"].map(|end| with(&path, end));
        fs_err::write(&left, "half").unwrap();
        fs_err::write(&held, "half").unwrap();
        let lock = open(&held).unwrap();
        lock.lock().unwrap();
        replace(&path, &mut |out| out.write_all(b"three")).unwrap();
        assert_eq!(read(&path).as_deref(), Some(&b"three"[..]));
        let kept = ["s.immune-state-7", "s.immune-state-7.1-2.part"];
        assert_eq!(names(folder.path()), kept);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs_err::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
