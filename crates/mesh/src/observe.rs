//! The check after a model was called: does what it said carry what it read?
//!
//! In this order: the agent is quarantined; a canary was said; an antibody knows the output; what
//! was shown asks to be carried on and the output does; a span went along two hops; a span is in
//! the outputs of three agents; the agent repeats unusually much. All but the last two stop the
//! output. Invariant: what is trusted, and what the agent wrote itself, is never a payload.

use immune_model::Instant;
use immune_model::limits::{
    MESH_ANTIBODY_DAYS, MESH_ANTIBODY_PRINTS_MAX, MESH_CANARIES_MAX, MESH_IDENTITIES_MAX,
    MESH_LATELY_MAX, MESH_USUAL_TEXTS_MAX, MESH_WINDOW_PRINTS_MAX, MESH_WINDOW_SECONDS,
};

use crate::fact::{
    Agent, Antibody, Exchange, Fact, Ground, Incident, Judgement, Message, Origin, Outcome, Place,
    Scope, Span, Verdict,
};
use crate::mesh::{Mesh, MeshError, check, of_most, outcome, quarantined};
use crate::prints::{Stretch, sorted};
use crate::read::{Asked, Input, Read, share, without};
use crate::spread::{Beside, From, Hop, Way};

/// Agents in whose outputs a span makes an incident (semantics.md 12).
const AGENTS: usize = 3;
/// Hops of a span that make one.
const HOPS: u32 = 2;
/// Of the prints of a span, how many have to have gone a way for the span to have gone it.
const TOLD_PERCENT: usize = 30;
const TOLD_LEAST: usize = 4;
/// How much of a text a part of it is at most.
const PART_PERCENT: usize = 75;
/// How much of a text stands in an output that quotes all of it, in thousandths.
const QUOTED_WHOLE: u16 = 800;
/// Bytes before a quotation within which it says that it is one.
const QUOTE_MARK_BYTES: usize = 400;
/// Senders of whom several use a print for it to be nobody's in particular: a disclaimer, a
/// signature of a firm.
const USUAL_SENDERS: usize = 3;
/// What two pieces that ask together have to score more than one that asks alone.
const PIECES_MORE: u16 = 2;
/// The share of each of two pieces that is carried, in thousandths.
const PIECE_REPEATED: u16 = 500;
/// Prints below which nothing is remembered as an antibody.
const ANTIBODY_PRINTS_LEAST: usize = 6;

/// What was found: enough to write a verdict and an incident.
struct Finding {
    judgement: Judgement,
    ground: Ground,
    score: u16,
    spans: Vec<Span>,
    way: Way,
    /// The prints of the payload.
    payload: Vec<u64>,
}

/// What of an untrusted text is in the output.
struct Carried {
    stretch: Stretch,
    span: Span,
}

impl Mesh {
    /// Looks at what a model said, and learns from it.
    pub fn observe(&mut self, exchange: &Exchange<'_>) -> Result<Outcome, MeshError> {
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
        let quoted: Vec<bool> = read.untrusted.iter().map(|it| said.quotes(it)).collect();
        let carried = self.carry(exchange, &read, &said, &quoted);
        let found = said
            .leak(exchange)
            .or_else(|| self.spoken(at, agent, &said))
            .or_else(|| self.asked(exchange, &read, &said))
            .or_else(|| self.spread_far(agent, &carried));
        let is_stopped = matches!(&found, Some(it) if it.judgement.stops());
        let unusual = self.mirrored(agent, (&read, &quoted), &said, is_stopped);
        self.remember_lately(exchange, &carried);
        let Some(found) = found.or(unusual) else {
            self.remember_usual(input, &read);
            return Ok(outcome(Verdict::clean(), Vec::new()));
        };
        Ok(self.conclude(exchange, &read, found))
    }

    /// An output that carries what an antibody knows.
    fn spoken(&self, at: Instant, agent: Agent<'_>, said: &Said) -> Option<Finding> {
        if !self.memory.has_antibodies() {
            return None;
        }
        let (_, score) = self.antibody_of(&said.joined.hashes, agent.name, at)?;
        Some(Finding {
            judgement: Judgement::Confirmed,
            ground: Ground::Antibody,
            score,
            spans: Vec::new(),
            way: Way::default(),
            payload: Vec::new(),
        })
    }

    /// What was shown asks to be carried on, and the output, or the last ones together, carry it:
    /// its words, or other words that ask for the same.
    fn asked(&self, exchange: &Exchange<'_>, read: &Input, said: &Said) -> Option<Finding> {
        let spoken = self.spoken_lately(exchange, said);
        let asked = &read.asked;
        let strongest = asked.iter().max_by_key(|it| it.score())?;
        let says = said.joined.directive();
        // What a principal has an agent write under each mail is not carried.
        let is_own = share(&says.hashes, &read.trusted) >= PIECE_REPEATED;
        let repeats = |it: &Asked| share(&without(&it.hashes, &read.trusted), &spoken);
        let now = |it: &Asked| share(&it.hashes, &said.joined.hashes) > 0;
        let is_said = repeats(strongest) >= self.settings.repeated && now(strongest)
            || says.score() >= self.settings.carries && !is_own;
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
        let shown = read.untrusted.iter().flat_map(|it| it.hashes.iter());
        let shown = without(&sorted(shown.copied()), &read.trusted);
        let is_joined =
            says.score() >= self.settings.asks && share(&says.hashes, &shown) >= PIECE_REPEATED;
        is_joined.then(|| finding(says.score(), says.span.into_iter().collect(), &says.hashes))
    }

    /// The prints of an output and of what the agent repeated lately, sorted.
    fn spoken_lately(&self, exchange: &Exchange<'_>, said: &Said) -> Vec<u64> {
        let lately = self.lately.get(exchange.agent.identity);
        let lately = lately.into_iter().flatten();
        let lately = lately
            .filter(|(then, _)| then.plus_seconds(MESH_WINDOW_SECONDS) >= exchange.at)
            .flat_map(|(_, hashes)| hashes.iter().copied());
        sorted(said.joined.hashes.iter().copied().chain(lately))
    }

    /// Notes what of the untrusted texts the output says in the agent's own words.
    fn carry(
        &mut self,
        exchange: &Exchange<'_>,
        read: &Input,
        said: &Said,
        quoted: &[bool],
    ) -> Vec<Carried> {
        let mut carried = Vec::new();
        let texts = read.untrusted.iter().zip(quoted);
        for (text, _) in texts.filter(|(_, it)| !**it) {
            let from = origin_of(text, exchange.input);
            for (mut stretch, span) in text.shared(&said.joined.hashes) {
                stretch.hashes = without(&sorted(stretch.hashes), &read.trusted);
                if stretch.hashes.len() < TOLD_LEAST {
                    continue;
                }
                let name = exchange.agent.name;
                let beside = said.says_beside(&stretch, text);
                let how = Hop { from, beside };
                self.spread.carry(name, how, &stretch.hashes, exchange.at);
                carried.push(Carried { stretch, span });
            }
        }
        carried
    }

    /// A span that went along two hops, or is in the outputs of three agents.
    fn spread_far(&self, agent: Agent<'_>, carried: &[Carried]) -> Option<Finding> {
        let mut found: Option<Finding> = None;
        for it in carried {
            let letters = it.stretch.end - it.stretch.start;
            if letters < self.settings.span_letters {
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
            let is_outbreak =
                way.family >= self.settings.agents_far || way.descent >= self.settings.agents_whole;
            let stops = is_far && grows && is_outbreak;
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
            });
        }
        found
    }

    /// Whether most of these prints are used by several senders.
    fn is_usual(&self, hashes: &[u64]) -> bool {
        let usual = hashes.iter().filter(|it| self.is_usual_print(**it));
        usual.count() * 2 > hashes.len()
    }

    fn is_usual_print(&self, hash: u64) -> bool {
        let mut senders: Vec<&str> = Vec::new();
        for (sender, hashes) in &self.usual {
            if hashes.binary_search(&hash).is_ok() && !senders.contains(&sender.as_str()) {
                senders.push(sender);
            }
        }
        senders.len() >= USUAL_SENDERS
    }

    /// Judges how much is repeated, then learns it.
    fn mirrored(
        &mut self,
        agent: Agent<'_>,
        (read, quoted): (&Input, &[bool]),
        said: &Said,
        is_stopped: bool,
    ) -> Option<Finding> {
        if quoted.iter().any(|it| *it) {
            return None;
        }
        let shares = read.untrusted.iter().enumerate();
        let shares = shares.map(|(number, it)| (it.share(&said.joined.hashes), number));
        let (score, number) = shares.max()?;
        let is_new = !self.baselines.contains_key(agent.identity);
        if is_new && self.baselines.len() >= MESH_IDENTITIES_MAX {
            self.baselines.pop_first();
        }
        let baseline = self.baselines.entry(agent.identity.to_owned()).or_default();
        let judged = baseline.judge(score);
        if !is_stopped {
            baseline.learn(score);
        }
        if !judged.is_unusual {
            return None;
        }
        let text = read.untrusted.get(number)?;
        let spans = text.shared(&said.joined.hashes);
        Some(Finding {
            judgement: Judgement::Advisory,
            ground: Ground::Mirroring,
            score,
            spans: spans.into_iter().map(|(_, span)| span).collect(),
            way: Way::default(),
            payload: Vec::new(),
        })
    }

    fn remember_lately(&mut self, exchange: &Exchange<'_>, carried: &[Carried]) {
        if carried.is_empty() {
            return;
        }
        let identity = exchange.agent.identity.to_owned();
        let is_new = !self.lately.contains_key(&identity);
        if is_new && self.lately.len() >= MESH_IDENTITIES_MAX {
            self.lately.pop_first();
        }
        let lately = self.lately.entry(identity).or_default();
        if lately.len() >= MESH_LATELY_MAX {
            lately.pop_front();
        }
        let hashes = carried.iter().flat_map(|it| it.stretch.hashes.iter());
        lately.push_back((exchange.at, sorted(hashes.copied())));
    }

    fn remember_usual(&mut self, messages: &[Message<'_>], read: &Input) {
        for text in &read.untrusted {
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
        }
    }

    /// The verdict, and what should be written down.
    fn conclude(&mut self, exchange: &Exchange<'_>, read: &Input, found: Finding) -> Outcome {
        let verdict = Verdict {
            judgement: found.judgement,
            ground: found.ground,
            score: found.score,
            spans: found.spans,
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
        let path = match found.way.path {
            path if path.is_empty() => vec![name.clone()],
            path => path,
        };
        let (reached, since) = match found.way.reached {
            reached if reached.is_empty() => (vec![name], vec![exchange.at]),
            reached => (reached, found.way.since),
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
        facts.extend(self.antibody(exchange, read, number, found.ground, &found.payload));
        // Where the way alone tells, it is the span that is wrong, and perhaps no agent.
        if found.ground != Ground::Hops {
            facts.push(Fact::AgentQuarantined {
                identity: exchange.agent.identity.to_owned(),
                incident: number,
            });
        }
        withheld(verdict, facts)
    }

    /// The antibody of a payload: its prints but those of trusted texts and of many senders.
    fn antibody(
        &self,
        exchange: &Exchange<'_>,
        read: &Input,
        incident: u32,
        ground: Ground,
        payload: &[u64],
    ) -> Option<Fact> {
        let own = without(payload, &read.trusted);
        let own = own.into_iter().filter(|it| !self.is_usual_print(*it));
        let prints: Vec<u64> = own.take(MESH_ANTIBODY_PRINTS_MAX).collect();
        if prints.len() < ANTIBODY_PRINTS_LEAST {
            return None;
        }
        let confidence = match ground {
            Ground::Canary => 1000,
            Ground::Directive => 900,
            _ => 800,
        };
        Some(Fact::AntibodyMade(Antibody {
            id: self.memory.next_antibody(),
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

/// What a model said: its parts, then the arguments of tools, then all of it joined.
struct Said {
    text: String,
    parts: Vec<Read>,
    joined: Read,
}

impl Said {
    fn of(exchange: &Exchange<'_>) -> Self {
        let arguments = exchange.tool_calls.iter().map(|it| it.text);
        let texts: Vec<&str> = exchange.output.iter().copied().chain(arguments).collect();
        let text = texts.join("\n");
        let joined = Read::of(Place::Output(0), &text);
        let parts = match texts.as_slice() {
            [_] | [] => Vec::new(),
            texts => {
                let texts = texts.iter().enumerate();
                texts
                    .map(|(it, text)| Read::of(Place::Output(it), text))
                    .collect()
            }
        };
        let mut said = Self {
            text,
            parts,
            joined,
        };
        if said.parts.is_empty() {
            said.parts.push(Read::of(Place::Output(0), &said.text));
        }
        said
    }

    /// A canary that was said, in a part or in all of it.
    fn leak(&self, exchange: &Exchange<'_>) -> Option<Finding> {
        let skipped = exchange.canaries.len().saturating_sub(MESH_CANARIES_MAX);
        let recent = || exchange.canaries.iter().skip(skipped);
        for read in self.parts.iter().chain([&self.joined]) {
            for (view, _) in &read.views {
                let leak = recent().find_map(|it| it.leak(&view.letters));
                let Some(letters) = leak else {
                    continue;
                };
                return Some(Finding {
                    judgement: Judgement::Confirmed,
                    ground: Ground::Canary,
                    score: 1000,
                    spans: vec![read.span(view, letters)],
                    way: Way::default(),
                    payload: Vec::new(),
                });
            }
        }
        None
    }

    /// Whether a stretch was taken out of a text and put beside other words.
    fn says_beside(&self, stretch: &Stretch, text: &Read) -> Beside {
        let letters = |it: &Read| {
            it.views
                .first()
                .map_or(0, |(view, _)| view.letters.bytes.len())
        };
        let is_part =
            |it: &Read| (stretch.end - stretch.start) as usize * 100 <= letters(it) * PART_PERCENT;
        if is_part(text) && is_part(&self.joined) {
            Beside::OtherWords
        } else {
            Beside::Nothing
        }
    }

    /// Whether it quotes all of a text, and says so.
    fn quotes(&self, text: &Read) -> bool {
        if text.share(&self.joined.hashes) < QUOTED_WHOLE {
            return false;
        }
        let shared = self.joined.shared(&text.hashes);
        let Some((_, span)) = shared.iter().max_by_key(|(it, _)| it.hashes.len()) else {
            return false;
        };
        let first = shared.iter().map(|(_, it)| it.start).min();
        let start = first.unwrap_or(span.start) as usize;
        let from = self
            .text
            .floor_char_boundary(start.saturating_sub(QUOTE_MARK_BYTES));
        let until = self.text.floor_char_boundary(start + 2);
        let before = self.text.get(from..until).unwrap_or_default();
        let marks = ["Original Message", "Forwarded", "wrote:", "From:", "\n>"];
        before.starts_with('>') || marks.iter().any(|it| before.contains(it))
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

/// The output is replaced.
fn withheld(verdict: Verdict, facts: Vec<Fact>) -> Outcome {
    let incident = facts.iter().find_map(|it| match it {
        Fact::IncidentOpened(it) => Some(format!(" (incident {})", it.id)),
        _ => None,
    });
    let notice = format!(
        "This message was withheld{}: {}.",
        incident.unwrap_or_default(),
        verdict.ground.reason()
    );
    Outcome {
        verdict,
        facts,
        notice: Some(notice),
    }
}
