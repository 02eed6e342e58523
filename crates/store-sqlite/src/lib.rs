//! The embedded default: one SQLite file, any number of memories in it.
