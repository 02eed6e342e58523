//! The check after a model was called: does what it said carry what it read?
//!
//! In this order: the agent is quarantined; a canary was said; an antibody knows the output; what
//! was shown asks to be carried on and the output does; the agent takes unusually much of what came
//! along; a span went along two hops, or is in the outputs of three agents; the output is near in meaning to
//! what came along. Invariant: what is
//! trusted, and what the agent wrote itself, is never a payload.

use std::collections::BTreeMap;

use immune_model::Instant;
use immune_model::limits::{
    MESH_BASELINE_SCORES_MAX, MESH_IDENTITIES_MAX, MESH_LATELY_MAX, MESH_WINDOW_SECONDS,
};

use crate::baseline::{Baseline, Unusual};
use crate::conclude::{Finding, withheld};
use crate::fact::{Agent, Exchange, Fact, Ground, Judgement, Outcome, Purpose, Span, Verdict};
use crate::far::{Carried, Marks};
use crate::meaning::Near;
use crate::mesh::{Lately, Mesh, MeshError, check, digest, of_most, outcome, quarantined};
use crate::prints::sorted;
use crate::read::{Asked, Input, share, without};
use crate::said::Said;
use crate::spread::Way;
use crate::taken::Taken;

/// What two pieces that ask together have to score more than one that asks alone.
const PIECES_MORE: u16 = 2;
/// The share of each of two pieces that is carried, in thousandths.
const PIECE_REPEATED: u16 = 500;
/// Of the first calls of a mesh, those that take unusually much of what came along, for it to be
/// what its agents do.
const CITED: usize = 3;
/// Letters of a piece of what came along that is counted together with the last ones.
const PIECE_LETTERS: u32 = 40;

impl Mesh {
    /// Looks at what a model said, and learns from it.
    pub fn observe(&mut self, exchange: &Exchange<'_>) -> Result<Outcome, MeshError> {
        self.observe_near(exchange, None)
    }

    /// The same, of an output of which it is known how near in meaning it is to what came along,
    /// and from which score on that is near, in thousandths: where nothing else speaks against it,
    /// that is told.
    pub fn observe_near(
        &mut self,
        exchange: &Exchange<'_>,
        near: Option<(Near, u16)>,
    ) -> Result<Outcome, MeshError> {
        let Exchange {
            at, agent, input, ..
        } = *exchange;
        check(input.iter().map(|it| (it.label, it.text)))?;
        check(exchange.output.iter().map(|it| ("output", *it)))?;
        check(exchange.tool_calls.iter().map(|it| (it.label, it.text)))?;
        if self.memory.is_quarantined(agent.identity) {
            return Ok(withheld(quarantined(), Vec::new()));
        }
        let said = Said::of(exchange);
        check(std::iter::once(("output", said.text.as_str())))?;
        let read = Input::of(input, agent.name);
        let leak = said.leak(exchange);
        if leak.is_none()
            && let Some(known) = self.spoken(at, agent, &read, &said)
        {
            return Ok(known);
        }
        let taken = Taken::of(&read, &said.joined, &self.common);
        let carried = self.carry(exchange, &read, &said);
        // Whatever made it say a canary came along.
        let leak = leak.map(|it| Finding {
            payload: taken.payload.clone(),
            ..it
        });
        let found = leak
            .or_else(|| self.asked(exchange, &read, &said))
            .or_else(|| self.mirrored(exchange, &read, &said, &taken))
            .or_else(|| self.spread_far(agent, &carried))
            .or_else(|| near.and_then(|(near, from)| self.meant(near, from)));
        let is_stopped = matches!(&found, Some(it) if it.judgement.stops());
        let learned = self.learn(exchange, &taken, is_stopped);
        self.remember_lately(exchange, &carried, &taken);
        self.since.note(!carried.is_empty());
        let mut concluded = if let Some(found) = found {
            self.conclude(exchange, &read, &found)
        } else {
            self.remember_usual(exchange, &read);
            outcome(Verdict::clean(), Vec::new())
        };
        concluded.facts.extend(learned);
        Ok(concluded)
    }

    /// An output that carries what an antibody knows: it is withheld, and nothing new is concluded.
    fn spoken(&self, at: Instant, agent: Agent<'_>, read: &Input, said: &Said) -> Option<Outcome> {
        if !self.memory.has_antibodies() {
            return None;
        }
        let own = without(&sorted(self.memory.marks(&said.joined)), &read.trusted);
        let (id, score) = self.antibody_of(&own, agent.name, at)?;
        let prints = &self.memory.antibodies.get(&id)?.prints;
        let spans = said.parts.iter().flat_map(|it| it.spans_of(prints));
        let verdict = Verdict {
            judgement: Judgement::Confirmed,
            ground: Ground::Antibody,
            score,
            spans: spans.collect(),
            antibody: Some(id),
        };
        let blocked = Fact::TextBlocked {
            antibody: id,
            digest: digest(&said.text),
        };
        Some(withheld(verdict, vec![blocked]))
    }

    /// What was shown asks to be carried on, and the output, or the last ones together, carry it.
    /// Words that came along count for more than those of what the agent was to work on.
    fn asked(&self, exchange: &Exchange<'_>, read: &Input, said: &Said) -> Option<Finding> {
        let shown = read.asked.iter().zip(&read.purposes);
        let came = shown.clone().filter(|(_, it)| **it == Purpose::Found);
        let came: Vec<&Asked> = came.map(|(it, _)| it).collect();
        let of_came = self.carried_on(exchange, read, said, &came);
        of_came.or_else(|| {
            let texts = read.untrusted.iter().zip(shown);
            let taken_out = texts.filter(|(text, (asked, _))| said.takes_out(text, asked));
            let all: Vec<&Asked> = taken_out.map(|(_, (asked, _))| asked).collect();
            let found = self.carried_on(exchange, read, said, &all)?;
            Some(Finding {
                is_sure: false,
                ..found
            })
        })
    }

    /// Whether any of these, its words or other words that ask for the same, is carried; or words that
    /// ask, put together of what was shown: surely where that came along.
    fn carried_on(
        &self,
        exchange: &Exchange<'_>,
        read: &Input,
        said: &Said,
        asked: &[&Asked],
    ) -> Option<Finding> {
        let spoken = self.spoken_lately(exchange, said);
        let strongest = asked.iter().copied().max_by_key(|it| it.score())?;
        let says = said.joined.directive();
        let repeats = |it: &Asked| share(&without(&it.hashes, &read.trusted), &spoken);
        let now = |it: &Asked| share(&it.hashes, &said.joined.hashes) > 0;
        let is_said = repeats(strongest) >= self.settings.repeated && now(strongest)
            || self.says_on(read, &says);
        let finding = |score: u16, spans: Vec<Span>, hashes: &[u64]| {
            let payload = without(hashes, &read.trusted);
            let in_output = said.parts.iter().flat_map(|it| it.shared(&payload));
            let in_output = in_output.map(|(_, span)| span);
            Finding {
                judgement: Judgement::Confirmed,
                ground: Ground::Directive,
                score: of_most(score),
                spans: spans.into_iter().chain(in_output).collect(),
                way: Way::default(),
                payload,
                is_sure: true,
            }
        };
        if strongest.score() >= self.settings.asks && is_said {
            let spans = strongest.span.into_iter().collect();
            return Some(finding(strongest.score(), spans, &strongest.hashes));
        }
        // Shown in pieces: no piece asks, two of them together do, and both are carried.
        for (number, one) in asked.iter().enumerate() {
            for other in asked.iter().skip(number + 1) {
                let score = one.score_with(other);
                let both = [one, other];
                let carried = || both.iter().all(|it| repeats(it) >= PIECE_REPEATED);
                if score >= self.settings.asks + PIECES_MORE
                    && (now(one) || now(other))
                    && carried()
                {
                    let hashes = sorted(both.iter().flat_map(|it| it.hashes.iter().copied()));
                    let spans = both.iter().filter_map(|it| it.span).collect();
                    return Some(finding(score, spans, &hashes));
                }
            }
        }
        // Put together by the agent: its output asks, in words that were shown.
        let put_together = |is_of: fn(Purpose) -> bool| {
            let shown = read.untrusted.iter().zip(&read.purposes);
            let shown = shown.filter(|(_, purpose)| is_of(**purpose));
            let shown = sorted(shown.flat_map(|(it, _)| it.hashes.iter().copied()));
            share(&says.hashes, &without(&shown, &read.trusted)) >= PIECE_REPEATED
        };
        let is_joined = says.score() >= self.settings.asks && put_together(|_| true);
        is_joined.then(|| Finding {
            is_sure: put_together(|it| it == Purpose::Found),
            ..finding(says.score(), says.span.into_iter().collect(), &says.hashes)
        })
    }

    /// Whether words of an output ask that something be carried on. What a principal has an agent
    /// write under each mail does not.
    fn says_on(&self, read: &Input, says: &Asked) -> bool {
        let is_own = share(&says.hashes, &read.trusted) >= PIECE_REPEATED;
        says.score() >= self.settings.carries && !is_own
    }

    /// The prints of an output and of what the agent repeated lately, sorted.
    fn spoken_lately(&self, exchange: &Exchange<'_>, said: &Said) -> Vec<u64> {
        let lately = self.lately_of(exchange);
        let lately = lately.flat_map(|it| it.hashes.iter().copied());
        sorted(said.joined.hashes.iter().copied().chain(lately))
    }

    fn lately_of(&self, exchange: &Exchange<'_>) -> impl Iterator<Item = &Lately> {
        let lately = self.lately.get(exchange.agent.identity);
        let at = exchange.at;
        let lately = lately.into_iter().flatten();
        lately.filter(move |it| it.at.plus_seconds(MESH_WINDOW_SECONDS) >= at)
    }

    /// The letters that an agent took of what came along, the last pieces counted together.
    fn letters(&self, exchange: &Exchange<'_>, taken: &Taken) -> u16 {
        let mut letters = taken.letters;
        if letters >= PIECE_LETTERS {
            let lately = self.lately_of(exchange).map(|it| it.letters);
            letters += lately.filter(|it| *it >= PIECE_LETTERS).sum::<u32>();
        }
        letters.min(1000) as u16
    }

    /// Whether an agent takes more of what came along than is usual for it, or for all of them while
    /// it is new.
    fn mirrored(
        &self,
        exchange: &Exchange<'_>,
        read: &Input,
        said: &Said,
        taken: &Taken,
    ) -> Option<Finding> {
        let score = self.letters(exchange, taken);
        let judged = self.judged(exchange.agent.identity, score);
        if !judged.is_unusual {
            return None;
        }
        // Where agents may cite, words have to ask for it as well.
        let is_told = self.takes_nothing() || self.says_on(read, &said.joined.directive());
        Some(Finding {
            judgement: if is_told {
                Judgement::Confirmed
            } else {
                Judgement::Advisory
            },
            ground: Ground::Mirroring,
            score,
            spans: taken.spans.clone(),
            way: Way::default(),
            payload: taken.payload.clone(),
            is_sure: false,
        })
    }

    fn judged(&self, identity: &str, score: u16) -> Unusual {
        let own = self.baselines.get(identity);
        match own.filter(|it| it.is_warm()) {
            Some(own) => own.judge(score),
            None if !self.of_all.is_warm() && self.takes_nothing() => {
                Baseline::of_nothing().judge(score)
            }
            None => self.of_all.judge(score),
        }
    }

    /// Whether it is known that these agents do not cite what came along.
    pub(crate) fn takes_nothing(&self) -> bool {
        self.memory.cites == Some(false)
    }

    /// Takes up how much was taken, unless it is unusual. The first calls of a mesh say whether its
    /// agents cite what came along: that is told as a fact, until one is applied.
    fn learn(&mut self, exchange: &Exchange<'_>, taken: &Taken, is_stopped: bool) -> Option<Fact> {
        let score = self.letters(exchange, taken);
        let identity = exchange.agent.identity;
        let is_cited = Baseline::of_nothing().judge(score).is_unusual;
        if !is_stopped {
            of(&mut self.baselines, identity).learn(score);
            self.of_all.learn(score);
            self.since.learn(identity, score);
        }
        if self.memory.cites.is_some() {
            return None;
        }
        if self.calls < MESH_BASELINE_SCORES_MAX {
            self.calls += 1;
            self.since.calls += 1;
            let is_citing = usize::from(is_cited && !is_stopped);
            self.cited += is_citing;
            self.since.cited += is_citing;
        }
        let cites = self.cited >= CITED;
        (self.calls >= MESH_BASELINE_SCORES_MAX).then_some(Fact::HabitLearned { cites })
    }

    fn remember_lately(&mut self, exchange: &Exchange<'_>, carried: &[Carried], taken: &Taken) {
        if carried.is_empty() && taken.letters < PIECE_LETTERS {
            return;
        }
        let lately = of(&mut self.lately, exchange.agent.identity);
        if lately.len() >= MESH_LATELY_MAX {
            lately.pop_front();
        }
        let prints = carried.iter().filter(|it| it.of == Marks::Prints);
        let hashes = prints.flat_map(|it| it.stretch.hashes.iter());
        lately.push_back(Lately {
            at: exchange.at,
            hashes: sorted(hashes.chain(&taken.payload).copied()),
            letters: taken.letters,
        });
    }
}

/// What is known of an identity; with too many of them, another one is forgotten.
pub(crate) fn of<'a, V: Default>(all: &'a mut BTreeMap<String, V>, identity: &str) -> &'a mut V {
    if all.len() >= MESH_IDENTITIES_MAX && !all.contains_key(identity) {
        all.pop_first();
    }
    all.entry(identity.to_owned()).or_default()
}
