//! The ledger file of the demo: payments and their reversals really happen, here.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use immune_model::{ActionId, Text};

/// A file with one entry a line: `act_1 payout GBP 4200.00 to GB29…`.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    path: PathBuf,
}

impl Ledger {
    pub(super) fn at(folder: &Path) -> Self {
        Self {
            path: folder.join("ledger.txt"),
        }
    }

    /// Appends an entry for an action, once: the action's id is the idempotency key.
    pub(super) fn post(&self, action: ActionId, what: &str, payload: &Text) -> std::io::Result<()> {
        let entry = format!("{action} {what} {payload}");
        if self.entries()?.contains(&entry) {
            return Ok(());
        }
        let mut file = fs_err::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        writeln!(file, "{entry}")?;
        file.sync_all()
    }

    /// The entries so far, oldest first.
    pub(super) fn entries(&self) -> std::io::Result<Vec<String>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        Ok(fs_err::read_to_string(&self.path)?
            .lines()
            .map(str::to_owned)
            .collect())
    }

    /// How many entries of this kind an action has.
    pub(super) fn count(&self, action: ActionId, what: &str) -> std::io::Result<usize> {
        let start = format!("{action} {what} ");
        Ok(self
            .entries()?
            .iter()
            .filter(|it| it.starts_with(&start))
            .count())
    }
}
