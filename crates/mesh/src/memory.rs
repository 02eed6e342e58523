//! What a mesh blocks: incidents, antibodies, quarantined agents, texts that were blocked. For the
//! mesh alone.
//!
//! Invariant: it is a fold of facts. Whether an antibody has ended is asked with the time; nothing
//! changes by itself.

use std::collections::{BTreeMap, BTreeSet};

use immune_model::Instant;
use immune_model::limits::{MESH_ANTIBODIES_MAX, MESH_BLOCKED_TEXTS_MAX, MESH_INCIDENTS_MAX};

use crate::fact::{Antibody, Fact, Incident, Scope};
use crate::pairs::PAIRS_LEAST;
use crate::read::Read;

/// How sure an antibody has to be to block, in thousandths.
pub const BLOCKS: u16 = 500;

/// The share of an antibody's prints that a text has for it to be known, in thousandths.
const MATCHES: u16 = 500;
/// Those below which it has few, and the share of them: few are in honest texts too.
const FEW_MARKS: usize = 24;
const FEW_MATCHES: u16 = 700;

/// Low bits of hashes that were put in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Ever(Vec<u64>);

impl Ever {
    /// Words of 64 bits: 8 kB.
    const WORDS: usize = 1024;

    fn place(hash: u64) -> (usize, u64) {
        let bit = hash as usize % (Self::WORDS * 64);
        (bit / 64, 1 << (bit % 64))
    }

    fn put(&mut self, hash: u64) {
        self.0.resize(Self::WORDS, 0);
        let (word, bit) = Self::place(hash);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = Self::place(hash);
        self.0.get(word).is_some_and(|it| it & bit != 0)
    }
}

/// The fold of facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) incidents: BTreeMap<u32, Incident>,
    pub(crate) antibodies: BTreeMap<u32, Antibody>,
    /// Identities with the incidents over which they are quarantined.
    quarantined: BTreeMap<String, BTreeSet<u32>>,
    /// Texts by digest, with the antibodies that blocked them.
    blocked: BTreeMap<[u8; 16], BTreeSet<u32>>,
    /// Prints with the antibodies that have them.
    index: BTreeMap<u64, Vec<u32>>,
    /// A bit for the low bits of each print that was ever there: most of what is asked for is not.
    ever: Ever,
    /// Whether the agents cite what came along, once it is known.
    pub(crate) cites: Option<bool>,
    incidents_so_far: u32,
    antibodies_so_far: u32,
}

impl Memory {
    /// Nothing but so many numbers that were given.
    pub(crate) fn after(incidents: u32, antibodies: u32) -> Self {
        Self {
            incidents_so_far: incidents,
            antibodies_so_far: antibodies,
            ..Self::default()
        }
    }

    /// The number of the next incident.
    pub(crate) fn next_incident(&self) -> u32 {
        self.incidents_so_far + 1
    }

    /// The number of the next antibody.
    pub(crate) fn next_antibody(&self) -> u32 {
        self.antibodies_so_far + 1
    }

    pub(crate) fn is_quarantined(&self, identity: &str) -> bool {
        self.quarantined.contains_key(identity)
    }

    /// The antibody that blocked a text before.
    pub(crate) fn blocked_by(&self, digest: &[u8; 16]) -> Option<u32> {
        self.blocked.get(digest)?.first().copied()
    }

    /// Whether any text was blocked.
    pub(crate) fn has_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// Whether any antibody could match.
    pub(crate) fn has_antibodies(&self) -> bool {
        !self.index.is_empty()
    }

    /// The hashes of the prints of a text, and of its pairs of words that antibodies have, where
    /// enough of those are near each other.
    pub(crate) fn marks(&self, text: &Read) -> Vec<u64> {
        let pairs = text.shared_pairs(|it| {
            self.ever.has(it.mark.hash) && self.index.contains_key(&it.mark.hash)
        });
        let pairs = pairs.into_iter().flat_map(|it| it.stretch.hashes);
        text.hashes.iter().copied().chain(pairs).collect()
    }

    /// The antibody for an agent that most of whose prints are among these, which are sorted, with
    /// their share in thousandths; none that is less sure than `least`.
    pub(crate) fn matched(
        &self,
        hashes: &[u64],
        agent: &str,
        at: Instant,
        least: u16,
    ) -> Option<(u32, u16)> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for hash in hashes {
            for id in self.index.get(hash).into_iter().flatten() {
                *counts.entry(*id).or_default() += 1;
            }
        }
        let shares = counts.into_iter().filter_map(|(id, n)| {
            let antibody = self.antibodies.get(&id)?;
            let is_for = match &antibody.scope {
                Scope::Mesh => true,
                Scope::Agents(names) => names.contains(agent),
            };
            let works = is_for && antibody.expires > at && antibody.confidence >= least;
            let all = antibody.prints.len();
            let share = if all < FEW_MARKS {
                FEW_MATCHES
            } else {
                MATCHES
            };
            let enough = (all * usize::from(share)).div_ceil(1000).max(PAIRS_LEAST);
            let works = works && n >= enough;
            works.then(|| (id, (1000 * n / all.max(1)) as u16))
        });
        shares.max_by_key(|(id, share)| (*share, std::cmp::Reverse(*id)))
    }

    pub(crate) fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::IncidentOpened(incident) => {
                self.incidents_so_far = self.incidents_so_far.max(incident.id);
                if self.incidents.len() >= MESH_INCIDENTS_MAX {
                    self.incidents.pop_first();
                }
                self.incidents.insert(incident.id, incident.clone());
            }
            Fact::AntibodyMade(antibody) => self.make(antibody),
            Fact::AgentQuarantined { identity, incident } => {
                let over = self.quarantined.entry(identity.clone()).or_default();
                over.insert(*incident);
            }
            Fact::TextBlocked { antibody, digest } => self.block(*antibody, *digest),
            Fact::AntibodyReviewed {
                antibody,
                confidence,
            } => {
                if let Some(antibody) = self.antibodies.get_mut(antibody) {
                    antibody.confidence = *confidence;
                }
            }
            Fact::AntibodyRetracted { antibody } => self.retract(*antibody),
            Fact::IncidentRetracted { incident } => {
                self.incidents.remove(incident);
                let made = self.antibodies.values();
                let made = made.filter(|it| it.incident == *incident);
                let made: Vec<u32> = made.map(|it| it.id).collect();
                for antibody in made {
                    self.retract(antibody);
                }
                self.quarantined.retain(|_, over| {
                    over.remove(incident);
                    !over.is_empty()
                });
            }
            Fact::HabitLearned { cites } => self.cites = Some(*cites),
            Fact::AgentReleased { identity } => {
                self.quarantined.remove(identity);
            }
        }
    }

    fn make(&mut self, antibody: &Antibody) {
        self.antibodies_so_far = self.antibodies_so_far.max(antibody.id);
        if self.antibodies.len() >= MESH_ANTIBODIES_MAX {
            let oldest = self.antibodies.values().min_by_key(|it| it.expires);
            if let Some(oldest) = oldest.map(|it| it.id) {
                self.forget(oldest);
            }
        }
        for print in &antibody.prints {
            self.ever.put(*print);
            self.index.entry(*print).or_default().push(antibody.id);
        }
        self.antibodies.insert(antibody.id, antibody.clone());
    }

    fn block(&mut self, antibody: u32, digest: [u8; 16]) {
        if let Some(antibody) = self.antibodies.get_mut(&antibody) {
            antibody.hits = antibody.hits.saturating_add(1);
        }
        if self.blocked.len() >= MESH_BLOCKED_TEXTS_MAX && !self.blocked.contains_key(&digest) {
            self.blocked.pop_first();
        }
        self.blocked.entry(digest).or_default().insert(antibody);
    }

    /// Takes an antibody away and releases what it blocked.
    fn retract(&mut self, id: u32) {
        self.forget(id);
        self.blocked.retain(|_, by| {
            by.remove(&id);
            !by.is_empty()
        });
    }

    fn forget(&mut self, id: u32) {
        let Some(antibody) = self.antibodies.remove(&id) else {
            return;
        };
        for print in &antibody.prints {
            if let Some(ids) = self.index.get_mut(print) {
                ids.retain(|it| *it != id);
                if ids.is_empty() {
                    self.index.remove(print);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of ten marks seven are enough, of twenty-four half, and of none fewer than four.
    #[test]
    fn an_antibody_of_few_marks_is_known_by_more_of_them() {
        let at = |seconds: i64| Instant::from_seconds(seconds).unwrap();
        for (all, enough) in [(4, 4), (5, 4), (10, 7), (23, 17), (24, 12), (40, 20)] {
            let mut memory = Memory::default();
            memory.apply(&Fact::AntibodyMade(Antibody {
                id: 1,
                incident: 1,
                prints: (0..all).collect(),
                scope: Scope::Mesh,
                confidence: BLOCKS,
                hits: 0,
                made: at(0),
                expires: at(9),
            }));
            let matched = |n: u64| {
                let hashes: Vec<u64> = (0..n).collect();
                memory.matched(&hashes, "ann", at(1), BLOCKS).is_some()
            };
            assert!(matched(enough) && !matched(enough - 1), "{all}");
        }
    }
}
