//! The brain, pure: what stands, how far to trust it, what conflicts, what a refutation changes.

pub mod literal;
pub mod polarity;
