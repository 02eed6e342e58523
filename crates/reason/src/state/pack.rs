//! A state as bytes, and back: so that a memory opens without a replay of its log.
//!
//! The bytes are a cache of the fold, never the truth: whoever keeps them checks that they are
//! those that were written, by [`VERSION`], for the same log. Items are unpacked when they are
//! first looked at, and what is found by a key is found in the bytes.

use std::io::{self, Write};
use std::sync::Arc;

use immune_model::{ActionId, Instant, JustificationId};
use rpds::{HashTrieMapSync, RedBlackTreeSetSync};

use super::aliases::Aliases;
use super::mesh::MeshState;
use super::{Changes, EndedAt, Now, State};
use crate::arena::Arena;
use crate::context::Contexts;
use crate::copying::Copying;
use crate::network::{Column, Network};
use crate::pack::{Bytes, Input, Keys, Packed, Packer, Unpacker, pairs};

/// The version of the fold and of its packed form. Another one whenever an event of the log gives
/// another state than before, or a state other bytes: what was packed by another version is never
/// unpacked.
pub const VERSION: u32 = 6;

impl State {
    /// Writes the state. Changes that were not taken are left out.
    pub fn pack(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self {
            name,
            seq,
            at,
            channels,
            sources,
            observations,
            beliefs,
            now,
            justifications,
            edges,
            uses,
            decisions,
            actions,
            rules,
            incidents,
            reviews,
            tasks,
            attributions: _,    // of `pack_maps`
            channel_by_name: _, // of `channels`
            source_by_handle,
            belief_by_key,
            last_by_subject,
            observation_by_replay,
            superseded_by: _,       // of `pack_maps`
            review_by_key: _,       // of `pack_maps`
            flags: _,               // of `pack_maps`
            also_refuted: _,        // of `pack_maps`
            rule_by_kind: _,        // of `pack_maps`
            corroboration_asked: _, // of `pack_maps`
            half_lives: _,          // of `pack_maps`
            confidences: _,         // of `pack_maps`
            metadata: _,            // of `pack_maps`
            embedder,
            expiries: _, // of `pack_maps`
            pending: _,  // of `pack_maps`
            aliases,
            contexts: _, // of `pack_maps`
            copying: _,  // of `pack_maps`
            mesh: _,     // of `pack_maps`
            n_timed,
            passed: _, // empty between events
            changes: _,
        } = self;
        let mut packer = Packer::new(out);
        let to = &mut packer;
        to.note(&((name.clone(), *n_timed, embedder.clone()), *seq, *at));
        channels.pack(to)?;
        sources.pack(to)?;
        observations.pack(to)?;
        beliefs.pack(to)?;
        justifications.pack(to)?;
        edges.pack(to)?;
        uses.pack(to)?;
        decisions.pack(to)?;
        actions.pack(to)?;
        rules.pack(to)?;
        incidents.pack(to)?;
        reviews.pack(to)?;
        tasks.pack(to)?;
        now.pack(to)?;
        source_by_handle.pack(to)?;
        belief_by_key.pack(to)?;
        last_by_subject.pack(to)?;
        observation_by_replay.pack(to)?;
        aliases.pack(to)?;
        self.pack_maps(to)?;
        packer.finish()
    }

    fn pack_maps(&self, to: &mut Packer<'_>) -> io::Result<()> {
        self.copying.pack(to)?;
        self.attributions.pack(to)?;
        pairs(to, self.superseded_by.iter())?;
        pairs(to, self.review_by_key.iter())?;
        pairs(to, self.flags.iter())?;
        pairs(to, self.also_refuted.iter())?;
        pairs(to, self.rule_by_kind.iter())?;
        pairs(to, self.corroboration_asked.iter())?;
        pairs(to, self.half_lives.iter())?;
        pairs(to, self.confidences.iter())?;
        pairs(to, self.metadata.iter())?;
        self.contexts.pack(to)?;
        pack_due(to, &self.expiries, &self.pending)?;
        self.mesh.pack(to)
    }

    /// The state that these bytes are; nothing if they are none.
    ///
    /// The caller vouches that they are what [`Self::pack`] wrote in this [`VERSION`], by a digest
    /// of them: items are read when they are first asked for, and bytes that are none by then stop
    /// the process.
    pub fn unpack(bytes: &Bytes) -> Option<Self> {
        let from = &mut Unpacker::new(bytes)?;
        let ((name, n_timed, embedder), seq, at) = from.noted()?;
        let mut state = Self {
            name,
            n_timed,
            embedder,
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
            now: Now::unpack(from)?,
            source_by_handle: Keys::unpack(from)?,
            belief_by_key: Keys::unpack(from)?,
            last_by_subject: Keys::unpack(from)?,
            observation_by_replay: Keys::unpack(from)?,
            aliases: Arc::new(Aliases::unpack(from)?),
            copying: Copying::unpack(from)?,
            attributions: Arena::unpack(from)?,
            superseded_by: from.values()?,
            review_by_key: from.values()?,
            flags: from.values()?,
            also_refuted: from.values()?,
            rule_by_kind: from.values()?,
            corroboration_asked: from.values()?,
            half_lives: from.values()?,
            confidences: from.values()?,
            metadata: from.values()?,
            contexts: Contexts::unpack(from)?,
            expiries: from.values()?,
            pending: from.values()?,
            mesh: MeshState::unpack(from)?,
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

/// What is due at some time: expiries and reversals.
fn pack_due(
    to: &mut Packer<'_>,
    expiries: &RedBlackTreeSetSync<(Instant, JustificationId)>,
    pending: &RedBlackTreeSetSync<ActionId>,
) -> io::Result<()> {
    to.values(expiries.iter())?;
    to.values(pending.iter())
}

impl MeshState {
    fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            incidents,
            antibodies,
            quarantined,
            blocked,
            cites,
            seq,
        } = self;
        incidents.pack(to)?;
        antibodies.pack(to)?;
        pairs(to, quarantined.iter())?;
        pairs(to, blocked.iter())?;
        to.values(std::iter::once(&(*cites, *seq)))
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let (incidents, antibodies) = (Arena::unpack(from)?, Arena::unpack(from)?);
        let (quarantined, blocked) = (from.values()?, from.values()?);
        let last: Vec<(Option<bool>, u64)> = from.values()?;
        let (cites, seq) = *last.first()?;
        Some(Self {
            incidents,
            antibodies,
            quarantined,
            blocked,
            cites,
            seq,
        })
    }
}

impl Now {
    fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self { network, ended_at } = self;
        network.pack(to)?;
        ended_at.pack(to)
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self {
            network: Network::unpack(from)?,
            ended_at: Column::unpack(from)?,
        })
    }
}

impl Packed for EndedAt {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        i64::unpack(input).map(Self)
    }
}
