//! The packed form of the network: its columns, each as one body.
//!
//! A change to what a column holds, or to what its values mean, needs another number in
//! `state::pack::VERSION`.

use std::io;
use std::sync::Arc;

use immune_model::Status;

use super::{
    Allowed, Base, Column, Dependent, Ground, Label, Link, Lists, Network, Node, Runs, StatusByte,
};
use crate::pack::{Input, Packed, Packer, Unpacker, records};

records! {
    Node { support rank label status marks }
    Lists { justifications dependents uses }
    Ground { head previous premises }
    Allowed { cap marks }
    Dependent { justification head }
    Link { dependent next }
}

impl Packed for Label {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    #[inline]
    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        // 0 is OUT, the strongest is one more than a thousand thousandths.
        u16::unpack(input).filter(|it| *it <= 1001).map(Self)
    }
}

impl Packed for StatusByte {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Status::unpack(input).map(Self)
    }
}

impl Network {
    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            nodes,
            lists,
            grounds,
            allowed,
            premises,
            base,
            links,
            n_closed,
            open_is_in,
            n_many_words,
        } = self;
        nodes.pack(to)?;
        lists.pack(to)?;
        grounds.pack(to)?;
        allowed.pack(to)?;
        premises.pack(to)?;
        to.values(base.starts.iter())?;
        to.values(base.dependents.iter())?;
        links.pack(to)?;
        to.note(n_closed);
        to.note(open_is_in);
        to.note(n_many_words);
        Ok(())
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self {
            nodes: Column::unpack(from)?,
            lists: Column::unpack(from)?,
            grounds: Column::unpack(from)?,
            allowed: Column::unpack(from)?,
            premises: Runs::unpack(from)?,
            base: Arc::new(Base {
                starts: from.values()?,
                dependents: from.values()?,
            }),
            links: Column::unpack(from)?,
            n_closed: from.noted()?,
            open_is_in: from.noted()?,
            n_many_words: from.noted()?,
        })
    }
}
