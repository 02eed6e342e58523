//! The packed form of what is known of copies. For `state::pack`.

use std::io;

use immune_model::{InferredCopy, RepeatedContent, SharedDomain, SharedValues};

use rpds::RedBlackTreeSetSync;

use super::{Copying, Groups, Inferred};
use crate::copying::ledger::Ledger;
use crate::pack::pairs;
use crate::pack::{Input, Keys, Packed, Packer, Unpacker, records};

records! {
    Inferred { copy at seq }
    RepeatedContent { observation of percent }
    SharedDomain { source of domain }
    SharedValues { source of shared unbelieved differing evidence settled }
}

impl Packed for InferredCopy {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Content(it) => {
                0_u8.pack(out);
                it.pack(out);
            }
            Self::Domain(it) => {
                1_u8.pack(out);
                it.pack(out);
            }
            Self::Values(it) => {
                2_u8.pack(out);
                it.pack(out);
            }
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => Packed::unpack(input).map(Self::Content),
            1 => Packed::unpack(input).map(Self::Domain),
            2 => Packed::unpack(input).map(Self::Values),
            _ => None,
        }
    }
}

impl Copying {
    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            ledger,
            mirrors,
            independent,
            content,
            repeated: _, // of `content`
            runs,
            domains,
            groups: _,  // of `mirrors`
            settled: _, // of `mirrors`
        } = self;
        ledger.pack(to)?;
        runs.pack(to)?;
        domains.pack(to)?;
        pairs(to, mirrors.iter())?;
        to.values(independent.iter())?;
        pairs(to, content.iter())
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let ledger = Ledger::unpack(from)?;
        let runs = Keys::unpack(from)?;
        let domains = Keys::unpack(from)?;
        let mut copying = Self {
            ledger,
            runs,
            domains,
            mirrors: from.values()?,
            independent: from.values()?,
            content: from.values()?,
            repeated: RedBlackTreeSetSync::default(),
            groups: Groups::default(),
            settled: Groups::default(),
        };
        let content = copying.content.values().map(|it| it.copy.clone());
        for it in content.collect::<Vec<_>>() {
            copying.note_repeated(&it);
        }
        copying.groups = Groups::of(copying.pairs());
        copying.settled = Groups::of(copying.settled_pairs());
        Some(copying)
    }
}
