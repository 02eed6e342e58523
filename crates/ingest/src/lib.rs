//! What comes in: mail, CSV and JSON lines become messages; rules find the claims in text.
//!
//! The CLI opens a path with [`open`] and hands each [`Message`] to the engine, with the claims
//! that [`claims::extract`] finds in the sender's own words. Nothing here writes, takes the time or
//! knows of a store. What cannot be read is [`Broken`], with its position and the reason; the
//! iteration goes on.

mod address;
pub mod claims;
mod columns;
mod csv;
pub mod graph;
mod html;
mod jsonl;
mod lines;
mod mail;
mod maildir;
mod mbox;
mod message;
mod open;
mod quote;
mod time;

pub use columns::{Column, ColumnError, ColumnMap};
pub use jsonl::json_lines;
pub use message::{Attachment, Broken, Message, StatedClaim};
pub use open::{Format, Messages, OpenError, Options, open};
pub use quote::{Parts, split};
