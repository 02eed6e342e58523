//! The packed form of what runs were shown.
//!
//! A change to it needs another number in `state::pack::VERSION`.

use std::io;

use immune_model::{BeliefId, ObservationId};
use rpds::HashTrieMapSync;

use super::taint::Of;
use super::{Carrying, Context, ContextId, Contexts, Run, RunNumber, Taint, Written};
use crate::arena::{Arena, Slot};
use crate::network::{Column, Network, Seeds};
use crate::pack::{Input, Packed, Packer, Unpacker, pairs, records};

records! {
    Run { name agent latest }
    Context { run previous handed last_handed items seq at first_write }
    Written { write next }
    Carrying { belief since next }
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        impl Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                self.slot().pack(out);
            }

            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                let slot = usize::unpack(input)?;
                (slot < u32::MAX as usize).then(|| Self::at(slot))
            }
        }
    )*};
}

numbers! { RunNumber ContextId }

impl Packed for Of {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Belief(id) => (0_u8, *id).pack(out),
            Self::Observation(id) => (1_u8, *id).pack(out),
            Self::Context(id) => (2_u8, *id).pack(out),
            Self::Hop(id) => (3_u8, *id).pack(out),
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => BeliefId::unpack(input).map(Self::Belief),
            1 => ObservationId::unpack(input).map(Self::Observation),
            2 => ContextId::unpack(input).map(Self::Context),
            3 => ObservationId::unpack(input).map(Self::Hop),
            _ => None,
        }
    }
}

impl Contexts {
    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            runs,
            run_by_name: _, // of `runs`
            contexts,
            shown,
            carriers,
            carrying,
            written,
            taint,
            announced: _, // nothing between commits
        } = self;
        runs.pack(to)?;
        contexts.pack(to)?;
        to.values(shown.iter())?;
        pairs(to, carriers.iter())?;
        carrying.pack(to)?;
        written.pack(to)?;
        taint.pack(to)
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let mut contexts = Self {
            runs: Arena::unpack(from)?,
            contexts: Arena::unpack(from)?,
            shown: from.values()?,
            carriers: from.values()?,
            carrying: Arena::unpack(from)?,
            written: Arena::unpack(from)?,
            taint: Taint::unpack(from)?,
            run_by_name: HashTrieMapSync::default(),
            announced: None,
        };
        for (number, run) in contexts.runs.iter() {
            contexts.run_by_name.insert_mut(run.name.clone(), number);
        }
        Some(contexts)
    }
}

impl Taint {
    fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            network,
            nodes,
            of_belief,
            of_observation,
            of_context,
            of_hop,
            of_justification,
            pending: _, // empty between events
        } = self;
        network.pack(to)?;
        nodes.pack(to)?;
        of_belief.pack(to)?;
        pairs(to, of_observation.iter())?;
        of_context.pack(to)?;
        pairs(to, of_hop.iter())?;
        of_justification.pack(to)
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self {
            network: Network::unpack(from)?,
            nodes: Column::unpack(from)?,
            of_belief: Column::unpack(from)?,
            of_observation: from.values()?,
            of_context: Arena::unpack(from)?,
            of_hop: from.values()?,
            of_justification: Column::unpack(from)?,
            pending: Seeds::default(),
        })
    }
}
