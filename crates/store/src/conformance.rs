//! The suite that every store passes.
