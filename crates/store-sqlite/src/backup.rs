//! A copy of a store in use: readers and writers go on, the copy is as of one moment.

use std::path::{Path, PathBuf};

use immune_store::StoreError;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::failure::{Failure, engine};
use crate::open;

/// Pages that are copied before progress is told: 8 MiB.
const PAGES_OF_A_STEP: i32 = 1024;
const BACK_UP: &str = "back up the store";

/// Copies what `from` sees to a new file. `progress` is told the pages so far, and how many there
/// are. The file is whole, on disk, and readable by nobody else, or it is not there.
pub(crate) fn back_up(
    from: &Connection,
    path: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Failure> {
    let refused = |reason: String| StoreError::Engine {
        operation: BACK_UP,
        reason,
    };
    let shown = path.display();
    if path.try_exists().unwrap_or(true) {
        return Err(refused(format!("`{shown}` is there already")).into());
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let io = |error: std::io::Error| refused(format!("`{}`: {error}", part.display()));
    if part.try_exists().unwrap_or(false) {
        // Left over from a backup that was cut off.
        std::fs::remove_file(&part).map_err(io)?;
    }
    open::create_private(&part).map_err(io)?;
    let copied = copy(from, &part, progress).and_then(|()| {
        sync(&part).map_err(io)?;
        std::fs::rename(&part, path).map_err(io)?;
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new("."))).map_err(io)?;
        Ok(())
    });
    if copied.is_err() {
        // The first error says more than this one.
        let _ = std::fs::remove_file(&part);
    }
    copied
}

fn copy(from: &Connection, part: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<(), Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut to = Connection::open_with_flags(part, flags)?;
    // Within the caller's transaction `from` sees one moment, so no writer makes this begin anew.
    let backup = Backup::new(from, &mut to)?;
    loop {
        let step = backup.step(PAGES_OF_A_STEP)?;
        let pages = backup.progress();
        let count = |it: i32| u64::try_from(it).unwrap_or(0);
        let total = count(pages.pagecount);
        progress(total - count(pages.remaining).min(total), total);
        match step {
            rusqlite::backup::StepResult::Done => break,
            rusqlite::backup::StepResult::More => {}
            // The copy is nobody else's, and the snapshot is held: there is nothing to wait for.
            _ => std::thread::yield_now(),
        }
    }
    drop(backup);
    let (connection, result) = match to.close() {
        Ok(()) => return Ok(()),
        Err(closed) => closed,
    };
    drop(connection);
    Err(engine(BACK_UP, result.to_string()).into())
}

fn sync(file: &Path) -> std::io::Result<()> {
    std::fs::OpenOptions::new()
        .write(true)
        .open(file)?
        .sync_all()
}

/// The name of a new file is on disk once its folder is; systems that cannot say so need not.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        std::fs::OpenOptions::new()
            .read(true)
            .open(folder)?
            .sync_all()?;
    }
    Ok(())
}
