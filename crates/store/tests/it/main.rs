//! The suite from outside: what passes it, and what does not.

mod memory;
mod suite;
