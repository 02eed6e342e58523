//! The mesh: what is known of its agents, and the check before a model is called.
//!
//! [`Mesh::screen`] looks and changes nothing; `observe` (in its own file) also learns what is usual
//! and who carried what. Invariant: what is blocked changes through [`Mesh::apply`] alone, so a
//! mesh that is given the same facts blocks the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::Instant;
use immune_model::limits::{MESH_MESSAGES_MAX, TEXT_BYTES_MAX};

use crate::baseline::Baseline;
use crate::common::Common;
use crate::fact::{
    Agent, Antibody, Fact, Ground, Incident, Judgement, Message, Outcome, Place, Verdict,
};
use crate::memory::{BLOCKS, Memory};
use crate::merge::Since;
use crate::prints::sorted;
use crate::read::{Asked, Input, Read};
use crate::spread::Spread;
use crate::usual::Usual;

/// What is asked of a text before something is said of it. The defaults are what `immune bench mesh`
/// measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The score of words that ask to be carried on, of 11.
    pub asks: u16,
    /// The score of words of an output that carry it on, of 11, where what was shown asks for it.
    pub carries: u16,
    /// The share of the words that ask which an output repeats for it to carry them, in thousandths.
    pub repeated: u16,
    /// The agents that have a span of one another, took it out of what they read and put it beside
    /// other words, for it to be stopped whatever it says; with fewer it is an incident that
    /// somebody has to look at.
    pub agents_far: usize,
    /// The agents that have a span of one another, whatever they do with it, for it to be stopped.
    pub agents_whole: usize,
    /// The letters of a span for its way to count.
    pub span_letters: u32,
    /// The same for what came along, where agents are known to take nothing of it.
    pub found_letters: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            asks: 8,
            agents_whole: 10,
            carries: 6,
            repeated: 200,
            agents_far: 5,
            span_letters: 140,
            found_letters: 40,
        }
    }
}

/// Why nothing was judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A text is too long to be looked at whole, and is not looked at in part.
    #[error("`{label}` has {found} bytes, the limit is {limit}")]
    TooLong {
        /// Its label.
        label: String,
        /// Its bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// There are too many messages.
    #[error("there are {found} messages, the limit is {limit}")]
    TooMany {
        /// How many there are.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

/// What an agent repeated of what it read, once.
#[derive(Debug, Clone, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Lately {
    #[cbor(n(0), with = "crate::kept::instant")]
    pub(crate) at: Instant,
    /// The prints, sorted.
    #[n(1)]
    pub(crate) hashes: Vec<u64>,
    /// The letters of what came along.
    #[n(2)]
    pub(crate) letters: u32,
}

/// A mesh of agents.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub(crate) settings: Settings,
    pub(crate) memory: Memory,
    /// What is usual for each identity, and for any of them.
    pub(crate) baselines: BTreeMap<String, Baseline>,
    pub(crate) of_all: Baseline,
    /// The first calls of the mesh, and those that took unusually much of what came along.
    pub(crate) calls: usize,
    pub(crate) cited: usize,
    /// The words of untrusted texts of clean exchanges.
    pub(crate) common: Common,
    pub(crate) spread: Spread,
    /// What each identity repeated lately.
    pub(crate) lately: BTreeMap<String, VecDeque<Lately>>,
    /// The untrusted texts of clean exchanges, the last ones.
    pub(crate) usual: VecDeque<Usual>,
    /// The agents that repeated what each antibody knows.
    pub(crate) seen: BTreeMap<u32, BTreeSet<String>>,
    /// The prints of spans that somebody was told to look at.
    pub(crate) told: BTreeSet<u64>,
    /// What of all this is not kept yet.
    pub(crate) since: Since,
}

impl Mesh {
    /// A mesh in which nothing happened.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Takes up what happened, here or in another process.
    pub fn apply(&mut self, fact: &Fact) {
        self.memory.apply(fact);
    }

    /// Forgets every fact, to take up others; what was learned stays. So many incidents and
    /// antibodies there were: the next ones have the next numbers.
    pub fn forget_facts(&mut self, incidents: u32, antibodies: u32) {
        self.memory = Memory::after(incidents, antibodies);
    }

    /// The antibodies that there are, by number.
    pub fn antibodies(&self) -> impl Iterator<Item = &Antibody> {
        self.memory.antibodies.values()
    }

    /// The incidents that there are, by number.
    pub fn incidents(&self) -> impl Iterator<Item = &Incident> {
        self.memory.incidents.values()
    }

    /// Whether an identity is quarantined.
    pub fn is_quarantined(&self, identity: &str) -> bool {
        self.memory.is_quarantined(identity)
    }

    /// What is usual for an identity, if it was heard.
    pub fn baseline(&self, identity: &str) -> Option<&Baseline> {
        self.baselines.get(identity)
    }

    /// Looks at what a model is about to be shown.
    pub fn screen(
        &self,
        at: Instant,
        agent: Agent<'_>,
        messages: &[Message<'_>],
    ) -> Result<Outcome, MeshError> {
        check(messages.iter().map(|it| (it.label, it.text)))?;
        if self.memory.is_quarantined(agent.identity) {
            return Ok(outcome(quarantined(), Vec::new()));
        }
        let input = Input::of(messages, agent.name);
        if let Some(found) = self.known(at, agent, messages, &input) {
            return Ok(found);
        }
        let strongest = input.asked.into_iter().max_by_key(Asked::score);
        let strongest = strongest.unwrap_or_default();
        if strongest.score() < self.settings.asks {
            return Ok(outcome(Verdict::clean(), Vec::new()));
        }
        let verdict = Verdict {
            judgement: Judgement::Advisory,
            ground: Ground::Asked,
            score: of_most(strongest.score()),
            spans: strongest.span.into_iter().collect(),
            antibody: None,
        };
        Ok(outcome(verdict, Vec::new()))
    }

    /// What antibodies know of an input: in one text, or in all of them together.
    fn known(
        &self,
        at: Instant,
        agent: Agent<'_>,
        messages: &[Message<'_>],
        input: &Input,
    ) -> Option<Outcome> {
        if self.memory.has_blocked() {
            for read in &input.untrusted {
                let digest = digest(text_of(read, messages));
                if let Some(antibody) = self.memory.blocked_by(&digest) {
                    let verdict = Verdict {
                        judgement: Judgement::BlockedAntibody,
                        ground: Ground::Blocked,
                        score: 1000,
                        spans: Vec::new(),
                        antibody: Some(antibody),
                    };
                    return Some(outcome(verdict, Vec::new()));
                }
            }
        }
        if !self.memory.has_antibodies() {
            return None;
        }
        let all = input.untrusted.iter().flat_map(|it| self.memory.marks(it));
        let all = sorted(all);
        let (id, score) = self.memory.matched(&all, agent.name, at, BLOCKS)?;
        let prints = &self.memory.antibodies.get(&id)?.prints;
        let mut spans = Vec::new();
        let mut facts = Vec::new();
        for read in &input.untrusted {
            let shared = read.spans_of(prints);
            if shared.is_empty() {
                continue;
            }
            spans.extend(shared);
            facts.push(Fact::TextBlocked {
                antibody: id,
                digest: digest(text_of(read, messages)),
            });
        }
        let verdict = Verdict {
            judgement: Judgement::BlockedAntibody,
            ground: Ground::Antibody,
            score,
            spans,
            antibody: Some(id),
        };
        Some(outcome(verdict, facts))
    }

    /// The antibody that knows these prints, which are sorted.
    pub(crate) fn antibody_of(
        &self,
        hashes: &[u64],
        agent: &str,
        at: Instant,
    ) -> Option<(u32, u16)> {
        self.memory.matched(hashes, agent, at, BLOCKS)
    }
}

pub(crate) fn outcome(verdict: Verdict, facts: Vec<Fact>) -> Outcome {
    Outcome {
        verdict,
        facts,
        notice: None,
    }
}

pub(crate) fn quarantined() -> Verdict {
    Verdict {
        judgement: Judgement::BlockedQuarantined,
        ground: Ground::Quarantined,
        score: 1000,
        ..Verdict::clean()
    }
}

/// A score of a directive in thousandths.
pub(crate) fn of_most(score: u16) -> u16 {
    score * 1000 / crate::directive::Directive::MOST
}

fn text_of<'a>(read: &Read, messages: &[Message<'a>]) -> &'a str {
    match read.place {
        Place::Input(number) => messages.get(number).map_or("", |it| it.text),
        Place::Output(_) => "",
    }
}

/// What a text is known by once it was blocked.
pub(crate) fn digest(text: &str) -> [u8; 16] {
    let hash = blake3::hash(text.as_bytes());
    let (digest, _) = hash
        .as_bytes()
        .split_first_chunk()
        .expect("a hash has 32 bytes");
    *digest
}

/// Refuses what is not looked at whole.
pub(crate) fn check<'a>(
    texts: impl ExactSizeIterator<Item = (&'a str, &'a str)>,
) -> Result<(), MeshError> {
    let found = texts.len();
    if found > MESH_MESSAGES_MAX {
        return Err(MeshError::TooMany {
            found,
            limit: MESH_MESSAGES_MAX,
        });
    }
    for (label, text) in texts {
        if text.len() > TEXT_BYTES_MAX {
            return Err(MeshError::TooLong {
                label: label.to_owned(),
                found: text.len(),
                limit: TEXT_BYTES_MAX,
            });
        }
    }
    Ok(())
}
