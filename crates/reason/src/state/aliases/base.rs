//! The aliases of a state that was unpacked: looked up in its bytes, so that a memory with millions
//! of them opens at once.

use std::io;

use immune_model::{BeliefId, Handle, Item};
use rustc_hash::FxHashMap;

use super::{Aliases, KINDS, N_KINDS, kind_place};
use crate::pack::{Bytes, Packer, Rows, Unpacker, u32_at, u64_at};
use crate::words::digest;

/// The digest of a word, and its number.
const PLACE: usize = 12;
/// The kind of an item, its number, and the digest of what was said of it.
const NAMED: usize = 13;
/// The number of an item, and that of a word.
const PAIR: usize = 8;

/// Aliases that do not change any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Base {
    /// All words, one after the other.
    text: Bytes,
    /// Where each ends.
    ends: Rows<8>,
    /// Each word by its digest.
    places: Rows<PLACE>,
    /// For each word, what it names.
    named: Rows<NAMED>,
    /// The words of the items of each kind, by number.
    kinds: [Rows<PAIR>; N_KINDS],
    /// For beliefs, the place of the name of who concluded them.
    agents: Rows<PAIR>,
    agent_names: Vec<Handle>,
}

impl Base {
    pub(super) fn alias_of(&self, kind: usize, number: u32) -> Option<&str> {
        let row = self.kinds.get(kind)?.find(&number, |row| u32_at(row, 0))?;
        self.word(u32_at(row, 4) as usize)
    }

    pub(super) fn agent_of(&self, belief: BeliefId) -> Option<&Handle> {
        let row = self.agents.find(&belief.number(), |row| u32_at(row, 0))?;
        self.agent_names.get(u32_at(row, 4) as usize)
    }

    /// What an alias names, with the digest of what was said of it.
    pub(super) fn find(&self, alias: &str) -> Option<(Item, u64)> {
        let (places, wanted) = (self.places.as_rows(), digest(alias.as_bytes()));
        let first = places.partition_point(|row| u64_at(row, 0) < wanted);
        let alike = places.get(first..)?.iter();
        let mut alike = alike.take_while(|row| u64_at(*row, 0) == wanted);
        let row = alike.find(|row| self.word(u32_at(*row, 8) as usize) == Some(alias))?;
        let named = self.named.get(u32_at(row, 8) as usize)?;
        let (kind, rest) = named.split_first()?;
        let item = Item::from_parts(KINDS.get(usize::from(*kind))?, u32_at(rest, 0))?;
        Some((item, u64_at(rest, 4)))
    }

    fn word(&self, number: usize) -> Option<&str> {
        let end = |place: usize| {
            let row = self.ends.get(place)?;
            usize::try_from(u64_at(row, 0)).ok()
        };
        let start = number.checked_sub(1).map_or(Some(0), end)?;
        let word = self.text.as_slice().get(start..end(number)?)?;
        std::str::from_utf8(word).ok()
    }
}

impl Aliases {
    pub(in crate::state) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let base = &self.base;
        let n_before = base.ends.len();
        let number = |it: usize| u32::try_from(it).expect("fewer than u32::MAX words");
        let (mut text, mut ends, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let before = (0..n_before).filter_map(|it| base.word(it));
        let since = (0..self.words.len()).map(|it| self.words.get(number(it)));
        for (place, word) in before.chain(since).enumerate() {
            text.extend_from_slice(word.as_bytes());
            ends.extend_from_slice(&(text.len() as u64).to_le_bytes());
            places.push((digest(word.as_bytes()), number(place)));
        }
        places.sort_unstable();
        let places = places.into_iter().flat_map(|(digest, word)| {
            let digest = digest.to_le_bytes().into_iter();
            digest.chain(word.to_le_bytes())
        });
        to.body(&text)?;
        to.body(&ends)?;
        to.body(&places.collect::<Vec<u8>>())?;
        let mut named = base.named.as_rows().as_flattened().to_vec();
        for (item, print) in &self.named {
            let kind = kind_place(*item).expect("graphs name items of these kinds only");
            named.push(kind.to_le_bytes()[0]);
            named.extend_from_slice(&item.number().to_le_bytes());
            named.extend_from_slice(&print.to_le_bytes());
        }
        to.body(&named)?;
        for (before, since) in base.kinds.iter().zip(self.kinds()) {
            let mut pairs = before.as_rows().as_flattened().to_vec();
            for (item, word) in since {
                pairs.extend_from_slice(&item.to_le_bytes());
                pairs.extend_from_slice(&(word + number(n_before)).to_le_bytes());
            }
            to.body(&pairs)?;
        }
        self.pack_agents(to)
    }

    fn pack_agents(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let mut names = self.base.agent_names.clone();
        let mut known: FxHashMap<Handle, usize> = names.iter().cloned().zip(0..).collect();
        let mut pairs = self.base.agents.as_rows().as_flattened().to_vec();
        for (belief, name) in &self.agents {
            let place = *known.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                names.len() - 1
            });
            let place = u32::try_from(place).expect("fewer than u32::MAX names");
            pairs.extend_from_slice(&belief.number().to_le_bytes());
            pairs.extend_from_slice(&place.to_le_bytes());
        }
        to.body(&pairs)?;
        to.note(&names);
        Ok(())
    }

    pub(in crate::state) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let base = Base {
            text: from.body()?,
            ends: Rows::of(from.body()?)?,
            places: Rows::of(from.body()?)?,
            named: Rows::of(from.body()?)?,
            kinds: {
                let mut kinds: [Rows<PAIR>; N_KINDS] = Default::default();
                for rows in &mut kinds {
                    *rows = Rows::of(from.body()?)?;
                }
                kinds
            },
            agents: Rows::of(from.body()?)?,
            agent_names: from.noted()?,
        };
        Some(Self {
            base,
            ..Self::default()
        })
    }
}
