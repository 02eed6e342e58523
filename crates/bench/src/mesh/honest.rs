//! Honest traffic: two hundred agents do six things with real mail, and with what they sent to each
//! other. What is stopped here is wrong.
//!
//! Each mail is read by six agents, which do a thing each; what each of them said is a mail to
//! another one, who does a thing with it. One mesh sees all of it, takes up what it concludes, and
//! goes on with that: a mistake that blocks what comes later counts each time.

use immune_mesh::{Agent, Exchange, Ground, Judgement, Mesh, Message, Origin, Purpose};
use immune_model::Instant;
use immune_testkit::random::Random;

use super::behaviour::Behaviour;
use super::mail::{Half, Mail};
use super::nearness::{self, Model};

/// Agents of the mesh.
pub(super) const AGENTS: usize = 200;

/// How far what was said goes on: a mail, what was made of it, what two others made of that, and
/// what one more made of what each of them said, twice.
pub(super) const HOPS: usize = 4;
/// Mails that a mesh saw before a worm comes.
const WARM_MAILS: usize = 100;

/// What was made of the exchanges of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) all: usize,
    pub(super) stopped: usize,
    pub(super) advised: usize,
    /// Of those, about a span along two hops, a span in the outputs of three agents, mirroring.
    pub(super) hops: usize,
    pub(super) agents: usize,
    pub(super) mirrored: usize,
    /// Of all, those of which nothing tells but meaning.
    pub(super) meant: usize,
}

impl Judged {
    pub(super) fn add(&mut self, judgement: Judgement, ground: Ground) {
        let is_told = judgement == Judgement::Advisory;
        let told = |of: Ground| usize::from(is_told && ground == of);
        self.all += 1;
        self.stopped += usize::from(judgement.stops());
        self.advised += usize::from(is_told);
        self.hops += told(Ground::Hops);
        self.agents += told(Ground::Agents);
        self.mirrored += told(Ground::Mirroring);
        self.meant += told(Ground::Meaning);
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            stopped: self.stopped + other.stopped,
            advised: self.advised + other.advised,
            hops: self.hops + other.hops,
            agents: self.agents + other.agents,
            mirrored: self.mirrored + other.mirrored,
            meant: self.meant + other.meant,
        }
    }
}

/// What was found at one hop, for each behaviour.
pub(super) type ByBehaviour = [Judged; 7];
/// The place of what cites among them.
const CITES: usize = 6;
/// Where agents cite, one exchange of so many does.
const ONE_OF: usize = 7;

/// What honest traffic came to.
#[derive(Debug, Default)]
pub(super) struct Honest {
    pub(super) hops: [ByBehaviour; HOPS],
    /// Inputs that were stopped before the model was called, of all exchanges.
    pub(super) screened: Judged,
    pub(super) antibodies: usize,
}

impl Honest {
    /// All of it, over all hops.
    pub(super) fn all(&self) -> Judged {
        let all = self.hops.iter().flatten().copied();
        all.fold(Judged::default(), Judged::plus)
    }
}

/// A mail in the mesh.
#[derive(Debug, Clone)]
struct Sent {
    mail: Mail,
    /// The agent that wrote it; nothing from outside.
    by: Option<usize>,
}

/// A moment, so many minutes after the first one.
pub(super) fn at(minute: usize) -> Instant {
    let seconds = i64::try_from(60 * minute).expect("a bench is no longer than history");
    Instant::from_seconds(seconds).expect("a bench is no longer than history")
}

/// The name of an agent.
pub(super) fn name(agent: usize) -> String {
    format!("agent-{agent}")
}

/// What agents do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The six behaviours.
    Six,
    /// And now and then they cite what they found.
    Citing,
}

/// A mesh that saw honest traffic over the first of these mails, and nothing else.
pub(super) fn warmed(half: Half<'_>, seed: u64, work: Work) -> Mesh {
    let mut mesh = Mesh::default();
    through((&mut mesh, None), half.first(WARM_MAILS), seed, work);
    mesh
}

/// Runs over the mails.
pub(super) fn run(half: Half<'_>, seed: u64, work: Work) -> Honest {
    through((&mut Mesh::default(), None), half, seed, work)
}

/// Runs over the mails in a mesh as it is, which asks a model of meaning too.
pub(super) fn run_in(mesh: &Mesh, half: Half<'_>, seed: u64, model: &Model) -> Honest {
    model.begin();
    through((&mut mesh.clone(), Some(model)), half, seed, Work::Six)
}

/// A mesh, and the model of meaning that it asks.
type Watch<'a> = (&'a mut Mesh, Option<&'a Model>);

fn through((mesh, model): Watch<'_>, half: Half<'_>, seed: u64, work: Work) -> Honest {
    let mut random = Random::new(seed);
    let mut honest = Honest::default();
    let mut minute = 0;
    for mail in half.mails {
        for first in 0..Behaviour::ALL.len() {
            let from = Sent {
                mail: mail.clone(),
                by: None,
            };
            let mut sent = vec![from];
            for hop in 0..HOPS {
                let (readers, texts) = (if hop == 1 { 2 } else { 1 }, sent);
                sent = Vec::new();
                for text in texts.iter().flat_map(|it| std::iter::repeat_n(it, readers)) {
                    let which = match hop {
                        0 => first,
                        _ => random.below(Behaviour::ALL.len()),
                    };
                    let cites = work == Work::Citing && random.below(ONE_OF) == 0;
                    let which = if cites { CITES } else { which };
                    minute += 1;
                    let call = (random.below(AGENTS), minute);
                    let beside = (half, &mut random);
                    let kind = (hop, which);
                    sent.push(exchange(
                        (mesh, model),
                        &mut honest,
                        kind,
                        text,
                        call,
                        beside,
                    ));
                }
            }
        }
    }
    honest.antibodies = mesh.antibodies().count();
    honest
}

fn exchange(
    (mesh, model): Watch<'_>,
    honest: &mut Honest,
    (hop, which): (usize, usize),
    sent: &Sent,
    (agent, minute): (usize, usize),
    (half, random): (Half<'_>, &mut Random),
) -> Sent {
    let behaviour = Behaviour::ALL.get(which).copied();
    let behaviour = behaviour.unwrap_or(Behaviour::Cite);
    let own = half.own_words(random);
    let (name, by) = (name(agent), sent.by.map(name));
    let who = Agent {
        name: &name,
        identity: &name,
    };
    let first = match behaviour {
        Behaviour::Cite => half.found(&sent.mail, random),
        _ => half.any(random),
    };
    let beside = [first, half.any(random)];
    let beside = beside.map(|it| it.map_or("", |it| it.text.as_str()));
    let said = behaviour.output((&sent.mail, beside[0]), &own, random);
    let message = |origin, purpose, label, text| Message {
        origin,
        purpose,
        label,
        text,
    };
    let from = match &by {
        Some(by) => Origin::Agent(by),
        None => Origin::Outside,
    };
    let trusted = |label, text| message(Origin::Trusted, Purpose::Task, label, text);
    let input = [
        trusted("system", "You are a mail assistant."),
        trusted("user", behaviour.request()),
        message(from, Purpose::Task, &sent.mail.from, &sent.mail.text),
        message(Origin::Outside, Purpose::Found, "found", beside[0]),
        message(Origin::Outside, Purpose::Found, "found", beside[1]),
    ];
    let screened = mesh.screen(at(minute), who, &input);
    let screened = screened.expect("mails are short").verdict;
    honest.screened.add(screened.judgement, screened.ground);
    let exchange = Exchange {
        at: at(minute),
        agent: who,
        canaries: &[],
        input: &input,
        output: &[&said],
        tool_calls: &[],
    };
    let outcome = nearness::observe(mesh, &exchange, model);
    let outcome = outcome.expect("mails are short");
    let verdict = &outcome.verdict;
    if let Some(judged) = honest.hops.get_mut(hop).and_then(|it| it.get_mut(which)) {
        judged.add(verdict.judgement, verdict.ground);
    }
    for fact in &outcome.facts {
        mesh.apply(fact);
    }
    Sent {
        mail: Mail {
            from: format!("{name}@example.com"),
            text: said,
        },
        by: Some(agent),
    }
}
