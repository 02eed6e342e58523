//! The brain, pure: what stands, how far to trust it, what conflicts, what a refutation changes.
//!
//! Anyone above may call it; it knows nothing of disks, clocks, networks or randomness. A
//! [`State`] is a fold over the events of a log; a plan is a function of a state, a command and a
//! time to the events that carry it out.

mod arena;
pub mod compat;
mod context;
mod copying;
pub mod graph;
mod half_life;
pub mod literal;
mod network;
pub mod normal;
mod origins;
pub mod pack;
pub mod plan;
pub mod polarity;
pub mod question;
pub mod relate;
mod replay;
pub mod reputation;
pub mod screen;
pub mod state;
pub mod subject;
mod support;
mod words;

pub use context::{ContextId, ExposedTo, Exposure};
pub use copying::{Evidence, Inferred, registrable_domain};
pub use half_life::left_of;
pub use origins::{
    Corroboration, Grounded, Hardening, Lead, Origin, Origins, Spoken, Vote, Weight, log_odds,
};
pub use plan::Draft;
pub use relate::{Deciding, Relation, Said, Side, relate, relate_apart, relate_read};
pub use reputation::{EarnedReputation, NewcomerValue, Scope};
pub use state::{EmbedderChoice, State};
