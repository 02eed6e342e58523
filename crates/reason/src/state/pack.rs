//! A state as bytes, and back: so that a memory opens without a replay of its log.
//!
//! The bytes are a cache of the fold, never the truth: whoever keeps them checks that they are
//! those that were written, by [`VERSION`], for the same log. Items are unpacked when they are
//! first looked at, and what is found by a key is found in the bytes.

use std::io::{self, Write};
use std::sync::Arc;

use rpds::HashTrieMapSync;

use super::aliases::Aliases;
use super::{Changes, EndedAt, Now, State};
use crate::arena::Arena;
use crate::copying::Copying;
use crate::network::{Column, Network};
use crate::pack::{Bytes, Input, Keys, Packed, Packer, Unpacker};

/// The version of the fold and of its packed form. Another one whenever an event of the log gives
/// another state than before, or a state other bytes: what was packed by another version is never
/// unpacked.
pub const VERSION: u32 = 3;

impl State {
    /// Writes the state. Changes that were not taken are left out.
    pub fn pack(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self {
            name,
            seq,
            at,
            channels: _,
            sources: _,
            observations: _,
            beliefs: _,
            now,
            justifications: _,
            edges: _,
            uses: _,
            decisions: _,
            actions: _,
            rules: _,
            incidents: _,
            reviews: _,
            tasks: _,
            channel_by_name: _, // of `channels`
            source_by_handle,
            belief_by_key,
            last_by_subject,
            observation_by_replay,
            superseded_by,
            review_by_key,
            flags,
            also_refuted,
            rule_by_kind,
            corroboration_asked,
            half_lives,
            confidences,
            expiries,
            pending,
            aliases,
            copying,
            n_timed,
            passed: _, // empty between events
            changes: _,
        } = self;
        let mut packer = Packer::new(out);
        let to = &mut packer;
        to.note(&((name.clone(), *n_timed), *seq, *at));
        self.pack_arenas(to)?;
        now.network.pack(to)?;
        now.ended_at.pack(to)?;
        source_by_handle.pack(to)?;
        belief_by_key.pack(to)?;
        last_by_subject.pack(to)?;
        observation_by_replay.pack(to)?;
        aliases.pack(to)?;
        copying.pack(to)?;
        pairs(to, superseded_by.iter())?;
        pairs(to, review_by_key.iter())?;
        pairs(to, flags.iter())?;
        pairs(to, also_refuted.iter())?;
        pairs(to, rule_by_kind.iter())?;
        pairs(to, corroboration_asked.iter())?;
        pairs(to, half_lives.iter())?;
        pairs(to, confidences.iter())?;
        to.values(expiries.iter())?;
        to.values(pending.iter())?;
        packer.finish()
    }

    fn pack_arenas(&self, to: &mut Packer<'_>) -> io::Result<()> {
        self.channels.pack(to)?;
        self.sources.pack(to)?;
        self.observations.pack(to)?;
        self.beliefs.pack(to)?;
        self.justifications.pack(to)?;
        self.edges.pack(to)?;
        self.uses.pack(to)?;
        self.decisions.pack(to)?;
        self.actions.pack(to)?;
        self.rules.pack(to)?;
        self.incidents.pack(to)?;
        self.reviews.pack(to)?;
        self.tasks.pack(to)
    }

    /// The state that these bytes are; nothing if they are none.
    ///
    /// The caller vouches that they are what [`Self::pack`] wrote in this [`VERSION`], by a digest
    /// of them: items are read when they are first asked for, and bytes that are none by then stop
    /// the process.
    pub fn unpack(bytes: &Bytes) -> Option<Self> {
        let from = &mut Unpacker::new(bytes)?;
        let ((name, n_timed), seq, at) = from.noted()?;
        let mut state = Self {
            name,
            n_timed,
            seq,
            at,
            channels: Arena::unpack(from)?,
            sources: Arena::unpack(from)?,
            observations: Arena::unpack(from)?,
            beliefs: Arena::unpack(from)?,
            justifications: Arena::unpack(from)?,
            edges: Arena::unpack(from)?,
            uses: Arena::unpack(from)?,
            decisions: Arena::unpack(from)?,
            actions: Arena::unpack(from)?,
            rules: Arena::unpack(from)?,
            incidents: Arena::unpack(from)?,
            reviews: Arena::unpack(from)?,
            tasks: Arena::unpack(from)?,
            now: Now {
                network: Network::unpack(from)?,
                ended_at: Column::unpack(from)?,
            },
            source_by_handle: Keys::unpack(from)?,
            belief_by_key: Keys::unpack(from)?,
            last_by_subject: Keys::unpack(from)?,
            observation_by_replay: Keys::unpack(from)?,
            aliases: Arc::new(Aliases::unpack(from)?),
            copying: Copying::unpack(from)?,
            superseded_by: from.values()?,
            review_by_key: from.values()?,
            flags: from.values()?,
            also_refuted: from.values()?,
            rule_by_kind: from.values()?,
            corroboration_asked: from.values()?,
            half_lives: from.values()?,
            confidences: from.values()?,
            expiries: from.values()?,
            pending: from.values()?,
            channel_by_name: HashTrieMapSync::default(),
            passed: Vec::new(),
            changes: Changes::default(),
        };
        for (id, channel) in state.channels.iter() {
            let name = channel.name.as_str().into();
            state.channel_by_name.insert_mut(name, id);
        }
        from.is_done().then_some(state)
    }
}

/// The pairs of a map, in an order that does not depend on the map's.
pub(crate) fn pairs<'m, K: Packed + 'm, V: Packed + 'm>(
    to: &mut Packer<'_>,
    pairs: impl Iterator<Item = (&'m K, &'m V)>,
) -> io::Result<()> {
    let packed = pairs.map(|(key, value)| {
        let mut pair = Vec::new();
        key.pack(&mut pair);
        value.pack(&mut pair);
        pair
    });
    let mut packed: Vec<Vec<u8>> = packed.collect();
    packed.sort_unstable();
    to.body(&packed.concat())
}

impl Packed for EndedAt {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        i64::unpack(input).map(Self)
    }
}
