//! The suite that every store passes: the contract of [`Store`], one behaviour a function.
//!
//! For the tests of stores only (feature `conformance`). A store proves itself by calling [`run`]
//! and, if it outlives its process, [`run_reopen`]. The suite knows nothing of how a store works:
//! whatever holds for one store holds for all.

pub mod given;
mod isolation;
mod log;
mod parts;
mod race;
mod reopen;
mod rows;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::Store;

/// A behaviour: its name as a sentence, and what it does with an empty store.
pub type Spec = (&'static str, fn(&dyn Store));

/// A behaviour over time: what it does with a way to open the store at one place.
pub type ReopenSpec = (&'static str, fn(&dyn Fn() -> Box<dyn Store>));

macro_rules! specs {
    ($($module:ident: $($name:ident)*;)*) => {
        &[$($((stringify!($name), $module::$name),)*)*]
    };
}

/// Every behaviour of every store.
pub const SPECS: &[Spec] = specs! {
    log:
        an_empty_store_reads_empty
        append_follows_the_head_and_creates_the_memory
        entries_come_back_as_they_were_with_their_keys
        a_log_is_read_in_pages
        extreme_times_and_long_texts_are_kept
        a_planner_sees_what_others_appended
        a_planner_that_declines_writes_nothing
        a_head_that_the_log_never_had_is_refused
        a_batch_that_does_not_follow_the_head_is_not_written
        a_planner_that_panics_changes_nothing;
    parts:
        parts_are_one_append
        of_parts_that_are_given_up_nothing_is_written
        a_part_that_does_not_follow_takes_those_before_with_it;
    rows:
        a_row_replaces_the_one_of_its_key
        rows_are_read_in_pages_in_the_order_of_their_keys
        every_table_keeps_every_kind_of_cell
        projections_are_replaced_at_the_known_head_only
        rows_without_entries_are_not_written;
    isolation:
        memories_of_similar_names_share_nothing
        names_are_plain_data
        memories_are_listed_in_the_order_of_their_names;
    race:
        eight_writers_make_a_log_without_gaps
        a_reader_always_sees_a_whole_prefix;
};

/// Every behaviour of a store that outlives its process.
pub const REOPEN_SPECS: &[ReopenSpec] = specs! {
    reopen:
        a_reopened_store_holds_everything
        two_stores_at_one_place_see_each_other
        two_stores_at_one_place_append_without_gaps;
};

/// Runs [`SPECS`], each on a store that `make` makes: a new and empty one at every call.
///
/// # Panics
/// When the store does not keep the contract; the message lists every behaviour that failed.
pub fn run(make: &dyn Fn() -> Box<dyn Store>) {
    report(SPECS.iter().map(|(name, spec)| {
        let spec = || spec(&*make());
        (*name, catch_unwind(AssertUnwindSafe(spec)).is_ok())
    }));
}

/// Runs [`REOPEN_SPECS`], each at a path of its own in `directory`, which starts out empty.
///
/// # Panics
/// As [`run`] does.
pub fn run_reopen(directory: &Path, make_at: &dyn Fn(&Path) -> Box<dyn Store>) {
    report(REOPEN_SPECS.iter().map(|(name, spec)| {
        let path = directory.join(name);
        let spec = || spec(&|| make_at(&path));
        (*name, catch_unwind(AssertUnwindSafe(spec)).is_ok())
    }));
}

fn report(results: impl Iterator<Item = (&'static str, bool)>) {
    let failed: Vec<_> = results
        .filter(|(_, kept)| !kept)
        .map(|(name, _)| name)
        .collect();
    assert!(
        failed.is_empty(),
        "the store does not keep its contract: {failed:#?}"
    );
}
