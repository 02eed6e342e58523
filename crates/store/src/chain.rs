//! The hash chain over the log: whoever changes, drops or reorders an entry is found out.

/// The place and hash of the last entry; position 0 and a hash of zeros before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// Its position; 0 before the first.
    pub seq: u64,
    /// Its hash.
    pub hash: [u8; 32],
}
