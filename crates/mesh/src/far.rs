//! How far a span went from agent to agent. For `observe`.
//!
//! What came along goes a way wherever an output has it; what the agent was to work on only where it
//! was taken out of it and put beside other words: to forward a text is no way of it.

use immune_model::limits::MESH_USUAL_TEXTS_MAX;

use crate::conclude::Finding;
use crate::fact::{Agent, Exchange, Ground, Judgement, Message, Origin, Place, Purpose, Span};
use crate::mesh::Mesh;
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
/// Senders of whom several use a print for it to be nobody's in particular: a disclaimer, a
/// signature of a firm.
const USUAL_SENDERS: usize = 3;

/// What of an untrusted text is in the output.
pub(crate) struct Carried {
    pub(crate) stretch: Stretch,
    span: Span,
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
                    is_found: !is_task,
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
            // Where agents take nothing of what came along, a short span says as much.
            let is_strange = it.is_found && self.takes_nothing();
            let least = if is_strange {
                self.settings.found_letters
            } else {
                self.settings.span_letters
            };
            if letters < least {
                continue;
            }
            let enough = (it.stretch.hashes.len() * TOLD_PERCENT / 100).max(TOLD_LEAST);
            let way = self.spread.way(agent.name, &it.stretch.hashes, enough);
            if way.hops < HOPS && way.reached.len() < AGENTS || self.is_usual(&it.stretch.hashes) {
                continue;
            }
            let is_far = way.hops >= HOPS;
            // A line of agents is how work is handed on; what branches grows.
            let grows = way.descent > way.path.len();
            let has_whole = way.descent >= self.settings.agents_whole
                || is_strange && way.descent >= self.settings.agents_far;
            let is_outbreak = has_whole || way.family >= self.settings.agents_far;
            // What agents work on goes far in honest work too.
            let stops = it.is_found && is_far && grows && is_outbreak;
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

    /// Whether most of these prints are used by several senders.
    fn is_usual(&self, hashes: &[u64]) -> bool {
        let usual = hashes.iter().filter(|it| self.is_usual_print(**it));
        usual.count() * 2 > hashes.len()
    }

    pub(crate) fn is_usual_print(&self, hash: u64) -> bool {
        let mut senders: Vec<&str> = Vec::new();
        for (sender, hashes) in &self.usual {
            if hashes.binary_search(&hash).is_ok() && !senders.contains(&sender.as_str()) {
                senders.push(sender);
            }
        }
        senders.len() >= USUAL_SENDERS
    }

    pub(crate) fn remember_usual(&mut self, messages: &[Message<'_>], read: &Input) {
        for text in &read.untrusted {
            if let Some((view, _)) = text.views.first() {
                self.common.learn(&view.letters);
            }
            let Place::Input(number) = text.place else {
                continue;
            };
            let Some(message) = messages.get(number) else {
                continue;
            };
            let sender = match message.origin {
                Origin::Agent(name) => name,
                _ => message.label,
            };
            if self.usual.len() >= MESH_USUAL_TEXTS_MAX {
                self.usual.pop_front();
            }
            let kept = (sender.to_owned(), text.hashes.clone());
            self.usual.push_back(kept);
            self.since.usual += 1;
        }
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
