//! From what was found to a verdict, and to what is written down. For `observe`.
//!
//! A canary, and words that ask to be carried on, are sure: what carried them is remembered and its
//! agent quarantined. What went from one agent to another is blocked everywhere too. What one agent
//! repeats unusually much is withheld and remembered, but blocks others only once three repeated the
//! same: an honest text that is taken for a payload costs one output.

use std::collections::BTreeSet;

use immune_model::limits::{MESH_ANTIBODY_DAYS, MESH_ANTIBODY_PRINTS_MAX, MESH_WINDOW_PRINTS_MAX};

use crate::fact::{
    Antibody, Exchange, Fact, Ground, Incident, Judgement, Outcome, Scope, Span, Verdict,
};
use crate::far::AGENTS;
use crate::memory::BLOCKS;
use crate::mesh::{Mesh, outcome};
use crate::read::{Input, without};
use crate::spread::Way;

/// Prints below which nothing is remembered as an antibody.
const ANTIBODY_PRINTS_LEAST: usize = 4;
/// The same, where nothing but its being repeated speaks against it.
const UNSURE_PRINTS_LEAST: usize = 16;
/// How sure what few agents repeated is, and what three did or one had from another, in thousandths.
const UNSURE: u16 = BLOCKS - 100;
const SURE: u16 = BLOCKS + 300;

/// What was found: enough to write a verdict and an incident.
pub(crate) struct Finding {
    pub(crate) judgement: Judgement,
    pub(crate) ground: Ground,
    pub(crate) score: u16,
    pub(crate) spans: Vec<Span>,
    pub(crate) way: Way,
    /// The prints of the payload.
    pub(crate) payload: Vec<u64>,
    /// Whether it is wrong whoever says it, once.
    pub(crate) is_sure: bool,
}

impl Mesh {
    /// The verdict, and what should be written down.
    pub(crate) fn conclude(
        &mut self,
        exchange: &Exchange<'_>,
        read: &Input,
        found: &Finding,
    ) -> Outcome {
        let verdict = Verdict {
            judgement: found.judgement,
            ground: found.ground,
            score: found.score,
            spans: found.spans.clone(),
            antibody: None,
        };
        // One incident tells of a span, not one for each output that has it.
        let told = found.payload.iter().filter(|it| self.told.contains(it));
        let is_new = told.count() * 2 <= found.payload.len();
        let is_far = is_new && matches!(found.ground, Ground::Agents | Ground::Hops);
        let is_incident = found.judgement.stops() || is_far;
        if !is_incident {
            return outcome(verdict, Vec::new());
        }
        let name = exchange.agent.name.to_owned();
        let path = match found.way.path.clone() {
            path if path.is_empty() => vec![name.clone()],
            path => path,
        };
        let (reached, since) = match found.way.reached.clone() {
            reached if reached.is_empty() => (vec![name], vec![exchange.at]),
            reached => (reached, found.way.since.clone()),
        };
        let incident = Incident {
            id: self.memory.next_incident(),
            at: exchange.at,
            ground: found.ground,
            is_confirmed: found.judgement.stops(),
            score: found.score,
            path,
            reached,
            since,
        };
        let number = incident.id;
        let mut facts = vec![Fact::IncidentOpened(incident)];
        if !found.judgement.stops() {
            if self.told.len() > MESH_WINDOW_PRINTS_MAX {
                self.told.clear();
            }
            self.told.extend(&found.payload);
            return outcome(verdict, facts);
        }
        facts.extend(self.antibody(exchange, read, number, found));
        if found.is_sure {
            facts.push(Fact::AgentQuarantined {
                identity: exchange.agent.identity.to_owned(),
                incident: number,
            });
        }
        withheld(verdict, facts)
    }

    /// The antibody of a payload: its prints but those of trusted texts and of many senders. Where
    /// an unsure one knows it already, of other agents, that one becomes sure.
    fn antibody(
        &mut self,
        exchange: &Exchange<'_>,
        read: &Input,
        incident: u32,
        found: &Finding,
    ) -> Option<Fact> {
        let name = exchange.agent.name;
        let known = self.memory.matched(&found.payload, name, exchange.at, 0);
        if let Some((known, _)) = known {
            let agents = self.seen.entry(known).or_default();
            agents.insert(name.to_owned());
            let enough = found.is_sure || agents.len() >= AGENTS;
            let confidence = self.memory.antibodies.get(&known)?.confidence;
            let rises = confidence < BLOCKS && enough;
            return rises.then_some(Fact::AntibodyReviewed {
                antibody: known,
                confidence: SURE,
            });
        }
        let own = without(&found.payload, &read.trusted);
        let own = own.into_iter().filter(|it| !self.is_usual_print(*it));
        let prints: Vec<u64> = own.take(MESH_ANTIBODY_PRINTS_MAX).collect();
        let least = if found.is_sure || found.ground == Ground::Hops {
            ANTIBODY_PRINTS_LEAST
        } else {
            UNSURE_PRINTS_LEAST
        };
        if prints.len() < least {
            return None;
        }
        let confidence = match found.ground {
            Ground::Canary => 1000,
            Ground::Hops => SURE,
            _ if found.is_sure => 900,
            _ => UNSURE,
        };
        let id = self.memory.next_antibody();
        self.seen.insert(id, BTreeSet::from([name.to_owned()]));
        Some(Fact::AntibodyMade(Antibody {
            id,
            incident,
            prints,
            scope: Scope::Mesh,
            confidence,
            hits: 0,
            made: exchange.at,
            expires: exchange.at.plus_seconds(MESH_ANTIBODY_DAYS * 86_400),
        }))
    }
}

/// The output is replaced.
pub(crate) fn withheld(verdict: Verdict, facts: Vec<Fact>) -> Outcome {
    let incident = facts.iter().find_map(|it| match it {
        Fact::IncidentOpened(it) => Some(it.id),
        _ => None,
    });
    let notice = verdict.ground.notice(incident);
    Outcome {
        verdict,
        facts,
        notice: Some(notice),
    }
}
