//! The wire types and the one table of error codes. The only crate with `serde` on its types.
