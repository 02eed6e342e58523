//! How far a span went from agent to agent. For `observe`.
//!
//! What came along goes a way wherever an output has it; what the agent was to work on only where it
//! was taken out of it and put beside other words: to forward a text is no way of it.

use crate::conclude::Finding;
use crate::fact::{Agent, Exchange, Ground, Judgement, Message, Origin, Place, Purpose, Span};
use crate::mesh::Mesh;
use crate::pairs::{PAIRS_LEAST, Pair};
use crate::prints::{Stretch, sorted};
use crate::read::{Input, Read, without};
use crate::said::Said;
use crate::spread::{Beside, From, Hop};

/// Agents in whose outputs a span makes an incident (semantics.md 12), and makes an antibody sure.
pub(crate) const AGENTS: usize = 3;
/// Hops of a span that make one.
const HOPS: u32 = 2;
/// Of the prints of a span, how many have to have gone a way for the span to have gone it.
const TOLD_PERCENT: usize = 30;
const TOLD_LEAST: usize = 4;

/// What a stretch is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    Prints,
    /// Pairs of words.
    Pairs,
}

/// What of an untrusted text is in the output.
pub(crate) struct Carried {
    pub(crate) stretch: Stretch,
    span: Span,
    pub(crate) of: Marks,
    /// Whether it came along.
    is_found: bool,
}

impl Mesh {
    /// Notes what of the untrusted texts the output says in the agent's own words.
    pub(crate) fn carry(
        &mut self,
        exchange: &Exchange<'_>,
        read: &Input,
        said: &Said,
    ) -> Vec<Carried> {
        let mut carried = Vec::new();
        for (text, purpose) in read.untrusted.iter().zip(&read.purposes) {
            let is_task = *purpose == Purpose::Task;
            if is_task && said.quotes(text) {
                continue;
            }
            let known = if is_task { &read.trusted } else { &read.known };
            let from = origin_of(text, exchange.input);
            for (mut stretch, span) in text.shared(&said.joined.hashes) {
                stretch.hashes = without(&sorted(stretch.hashes), known);
                if stretch.hashes.len() < TOLD_LEAST {
                    continue;
                }
                let name = exchange.agent.name;
                let beside = said.says_beside(&stretch, text);
                if is_task && beside == Beside::Nothing {
                    continue;
                }
                let how = Hop { from, beside };
                self.spread.carry(name, how, &stretch.hashes, exchange.at);
                carried.push(Carried {
                    stretch,
                    span,
                    of: Marks::Prints,
                    is_found: !is_task,
                });
            }
        }
        carried.extend(self.carry_pairs(exchange, read, said));
        carried
    }

    /// The same of pairs of words of what came along, which stay where others of its words are
    /// changed.
    fn carry_pairs(&mut self, exchange: &Exchange<'_>, read: &Input, said: &Said) -> Vec<Carried> {
        if read.found().next().is_none() {
            return Vec::new();
        }
        let (own, known) = (said.joined.pairs(), read.known_pairs());
        let mut carried = Vec::new();
        for text in read.found() {
            let how = Hop {
                from: origin_of(text, exchange.input),
                beside: Beside::OtherWords,
            };
            let is_taken = |it: &Pair| {
                own.binary_search(&it.mark.hash).is_ok()
                    && known.binary_search(&it.mark.hash).is_err()
                    && it.is_rare(&self.common)
            };
            for shared in text.shared_pairs(is_taken) {
                if self.is_usual(&shared.prints) {
                    continue;
                }
                let name = exchange.agent.name;
                self.spread
                    .carry(name, how, &shared.stretch.hashes, exchange.at);
                carried.push(Carried {
                    stretch: shared.stretch,
                    span: shared.span,
                    of: Marks::Pairs,
                    is_found: true,
                });
            }
        }
        carried
    }

    /// A span that went along two hops, or is in the outputs of three agents.
    pub(crate) fn spread_far(&self, agent: Agent<'_>, carried: &[Carried]) -> Option<Finding> {
        let mut found: Option<Finding> = None;
        for it in carried {
            let letters = it.stretch.end - it.stretch.start;
            // Where agents take nothing of what came along, little says as much, and what some words
            // of were changed too.
            let is_strange = it.is_found && self.takes_nothing();
            let (is_enough, told) = match it.of {
                Marks::Prints if is_strange => (letters >= self.settings.found_letters, TOLD_LEAST),
                Marks::Prints => (letters >= self.settings.span_letters, TOLD_LEAST),
                Marks::Pairs => (is_strange, PAIRS_LEAST),
            };
            if !is_enough {
                continue;
            }
            let enough = (it.stretch.hashes.len() * TOLD_PERCENT / 100).max(told);
            let way = self.spread.way(agent.name, &it.stretch.hashes, enough);
            let is_far = way.hops >= HOPS;
            let is_at_many = it.of == Marks::Prints && way.reached.len() >= AGENTS;
            if !is_far && !is_at_many || self.is_usual(&it.stretch.hashes) {
                continue;
            }
            // A line of agents is how work is handed on; what branches grows.
            let grows = way.descent > way.path.len();
            let is_outbreak =
                way.descent >= self.settings.agents_whole || way.family >= self.settings.agents_far;
            // What agents work on goes far in honest work too; where they take nothing of what came
            // along, nothing of it goes two hops.
            let stops = is_far && (is_strange || it.is_found && grows && is_outbreak);
            let judgement = if stops {
                Judgement::Confirmed
            } else {
                Judgement::Advisory
            };
            let ground = if is_far { Ground::Hops } else { Ground::Agents };
            if found.as_ref().is_some_and(|it| it.judgement >= judgement) {
                continue;
            }
            found = Some(Finding {
                judgement,
                ground,
                score: (letters.min(1000)) as u16,
                spans: vec![it.span],
                way,
                payload: it.stretch.hashes.clone(),
                is_sure: false,
            });
        }
        found
    }
}

fn origin_of<'a>(text: &Read, messages: &[Message<'a>]) -> From<'a> {
    let Place::Input(number) = text.place else {
        return From::Unknown;
    };
    match messages.get(number).map(|it| it.origin) {
        Some(Origin::Agent(name)) => From::Agent(name),
        Some(Origin::Outside) => From::Outside,
        _ => From::Unknown,
    }
}
