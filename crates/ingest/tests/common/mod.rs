//! Where the test data is: never in the repository, so a test that needs it skips without it.

use std::path::{Path, PathBuf};

/// The folder of the test data set: in `IMMUNE_TEST_DATA`, or in `shared/data` beside the checkout.
pub(crate) fn data(set: &str) -> Option<PathBuf> {
    let named = std::env::var_os("IMMUNE_TEST_DATA").map(PathBuf::from);
    let root = named.or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|it| it.join("shared/data"))
            .find(|it| it.is_dir())
    })?;
    Some(root.join(set)).filter(|it| it.is_dir())
}

/// What a test prints that found no data.
pub(crate) const SKIPPED: &str =
    "skipped: no test data; set `IMMUNE_TEST_DATA` to the folder that holds it";
