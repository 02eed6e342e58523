//! Worms in a mesh that does not stop them: at which hop is each found?
//!
//! A worm is a payload of some kind in a mail that an agent finds beside the mail that it answers, or
//! in the mail that it answers; the model obeys, and what it says goes to the next agent. The mesh looks and stops nothing, so
//! that the second hop is reached; no antibody is made, so that none helps. Each worm has a mesh of
//! its own, which saw honest traffic before.

use immune_mesh::{Agent, Exchange, Ground, Judgement, Mesh, Message, Origin, Purpose};
use immune_testkit::random::Random;

use super::honest::{at, name};
use super::mail::Half;
use super::nearness::{self, Model};
use super::retold::TOLD;
use super::worm::Kind;

/// At which hops worms of one kind were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) all: usize,
    /// Exchanges in which something was said or shown.
    pub(super) exchanges: usize,
    pub(super) first: usize,
    /// At the first or the second one.
    pub(super) by_second: usize,
    /// Before the model of the first agent was called, as an advice.
    pub(super) advised: usize,
    /// At the first hop, told of or stopped.
    pub(super) told: usize,
    /// At the first hop, by words that ask; by the second one, by the way of a span.
    pub(super) by_words: usize,
    pub(super) by_way: usize,
}

impl Found {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            exchanges: self.exchanges + other.exchanges,
            first: self.first + other.first,
            by_second: self.by_second + other.by_second,
            advised: self.advised + other.advised,
            told: self.told + other.told,
            by_words: self.by_words + other.by_words,
            by_way: self.by_way + other.by_way,
        }
    }
}

/// Where worms come to whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    /// The mails, and what worms say.
    pub(super) half: Half<'a>,
    pub(super) payloads: &'a [&'a str],
    /// Whether a worm is in what the agent works on, or came along.
    pub(super) purpose: Purpose,
    /// The mesh that sees them, as it was before.
    pub(super) mesh: &'a Mesh,
    /// The model of meaning that it asks.
    pub(super) model: Option<&'a Model>,
}

/// Runs so many worms of a kind.
pub(super) fn run(scene: Scene<'_>, kind: Kind, worms: usize, seed: u64) -> Found {
    let mut random = Random::new(seed ^ (kind as u64 + 1));
    let mut found = Found::default();
    for number in 0..worms {
        let payload = scene.payloads.get(number % scene.payloads.len().max(1));
        let payload = payload.copied().unwrap_or_default();
        found = found.plus(of_one(scene, &[payload], kind, &mut random));
    }
    found
}

/// Runs so many worms, in a mail, each of which is told in these other words at each hop.
pub(super) fn retold(
    scene: Scene<'_>,
    payloads: &[[&str; TOLD]],
    worms: usize,
    seed: u64,
) -> Found {
    let mut random = Random::new(seed ^ u64::MAX);
    let payloads = payloads.iter().cycle().take(worms);
    let each = payloads.map(|it| of_one(scene, it, Kind::Embedded, &mut random));
    each.fold(Found::default(), Found::plus)
}

/// A worm that says this; with several, each of them in its turn.
fn of_one(scene: Scene<'_>, told: &[&str], kind: Kind, random: &mut Random) -> Found {
    let mut mesh = scene.mesh.clone();
    if let Some(model) = scene.model {
        model.begin();
    }
    let half = scene.half;
    let mut found = Found {
        all: 1,
        ..Found::default()
    };
    let telling = |hop: usize| {
        told.get(hop % told.len().max(1))
            .copied()
            .unwrap_or_default()
    };
    let mut payload = telling(0).to_owned();
    let body = |random: &mut Random| {
        let mail = half.any(random);
        mail.map_or("", |it| it.text.as_str())
    };
    let mut shown = kind.shown(&payload, body(random), random);
    for hop in 0..2 {
        if told.len() > 1 {
            telling(hop + 1).clone_into(&mut payload);
        }
        payload = kind.rewritten(&payload, random);
        let own = format!("{} {}", half.own_words(random), half.own_words(random));
        let said = kind.shown(&payload, &own, random);
        let by = (hop > 0).then(|| name(hop - 1));
        let hop_found = exchanges(
            (&mut mesh, scene.model),
            hop,
            by.as_deref(),
            (&shown, scene.purpose),
            (kind, &said),
            body(random),
        );
        found.exchanges += said.len();
        found.advised += usize::from(hop == 0 && hop_found.advised);
        found.told += usize::from(hop == 0 && hop_found.told);
        let is_new = found.by_second == 0;
        if let (Some(ground), true) = (hop_found.ground, is_new) {
            found.by_second = 1;
            found.first = usize::from(hop == 0);
            found.by_words = usize::from(ground == Ground::Directive);
            found.by_way = usize::from(ground == Ground::Hops);
        }
        shown = said;
    }
    found
}

/// What was found in the exchanges of one hop.
#[derive(Debug, Default)]
struct HopFound {
    advised: bool,
    told: bool,
    ground: Option<Ground>,
}

/// One call for each output; all of what the worm showed is found at each of them.
fn exchanges(
    (mesh, model): (&mut Mesh, Option<&Model>),
    hop: usize,
    by: Option<&str>,
    (shown, purpose): (&[String], Purpose),
    (kind, said): (Kind, &[String]),
    task: &str,
) -> HopFound {
    let name = name(hop);
    let agent = Agent {
        name: &name,
        identity: &name,
    };
    let origin = by.map_or(Origin::Outside, Origin::Agent);
    let message = |origin, purpose, label, text| Message {
        origin,
        purpose,
        label,
        text,
    };
    let other = match purpose {
        Purpose::Task => Purpose::Found,
        Purpose::Found => Purpose::Task,
    };
    let trusted = |label, text| message(Origin::Trusted, Purpose::Task, label, text);
    let mut input = vec![
        trusted("system", "You are a mail assistant."),
        trusted("user", "Answer this mail."),
        message(Origin::Outside, other, "mail", task),
    ];
    let shown = shown.iter();
    input.extend(shown.map(|it| message(origin, purpose, "mail", it)));
    let mut found = HopFound::default();
    for (number, said) in said.iter().enumerate() {
        let at = at(10 * hop + number);
        let screened = mesh.screen(at, agent, &input);
        let screened = screened.expect("mails are short").verdict.judgement;
        found.advised |= screened == Judgement::Advisory;
        let argument = [message(
            Origin::Unknown,
            Purpose::Found,
            "send_mail.body",
            said.as_str(),
        )];
        let (output, tool_calls): (&[&str], &[Message<'_>]) = match kind {
            Kind::Tool => (&["Done."], &argument),
            _ => (&[said.as_str()], &[]),
        };
        let exchange = Exchange {
            at,
            agent,
            canaries: &[],
            input: &input,
            output,
            tool_calls,
        };
        let outcome = nearness::observe(mesh, &exchange, model);
        let verdict = outcome.expect("mails are short").verdict;
        found.told |= verdict.judgement != Judgement::Clean;
        if verdict.judgement.stops() && found.ground.is_none() {
            found.ground = Some(verdict.ground);
        }
    }
    found
}
