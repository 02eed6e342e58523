//! For tests only: a fixed clock, a store that fails on purpose.
