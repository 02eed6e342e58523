//! A hundred thousand honest texts that are screened twice, and how long a text takes.
//!
//! Between the two times every one of them goes through a model, and the mesh takes up whatever it
//! concludes from that: the verdicts have to be the same all the same.

use immune_api::bench::BenchRow;
use immune_mesh::{
    Agent, Antibody, Exchange, Fact, Mesh, Message, Origin, Purpose, Scope, Settings, Verdict,
};
use immune_testkit::random::Random;

use super::behaviour::Behaviour;
use super::honest::{AGENTS, at, name};
use super::mail::{Half, Mail, Mails};
use super::rows::counted;
use super::{both, row};
use crate::machine::Lap;

/// How often each behaviour is had with each mail.
const TIMES: usize = 20;
/// Bytes of a text that is timed.
const TIMED_BYTES: usize = 2000;

/// What came of it.
pub(super) struct Repeated {
    pub(super) texts: usize,
    pub(super) differ: usize,
    pub(super) stopped: usize,
    pub(super) told: usize,
    pub(super) antibodies: usize,
}

impl Repeated {
    pub(super) fn rows(&self) -> Vec<BenchRow> {
        vec![
            counted("honest texts screened twice", self.texts),
            counted("of those, another verdict the second time", self.differ),
            counted("of those, stopped", self.stopped),
            counted("of those, told of", self.told),
            counted("antibodies made between the two times", self.antibodies),
        ]
    }
}

/// Screens, lets all of it through models, and screens again.
pub(super) fn run(mails: &Mails, seed: u64, settings: Settings) -> Repeated {
    let mut mesh = Mesh::new(settings);
    let first = verdicts(&mesh, mails, seed);
    let mut random = Random::new(seed);
    let mut minute = 0;
    let mut texts = Vec::new();
    for (half, mail) in both(mails) {
        honest_texts(half, mail, &mut random, &mut texts);
        for said in &texts {
            minute += 1;
            let who = name(minute % AGENTS);
            let input = [message(&mail.text)];
            let outcome = mesh.observe(&Exchange {
                at: at(minute),
                agent: agent(&who),
                canaries: &[],
                input: &input,
                output: &[said],
                tool_calls: &[],
            });
            for fact in &outcome.expect("mails are short").facts {
                mesh.apply(fact);
            }
        }
    }
    let second = verdicts(&mesh, mails, seed);
    let is = |it: &&Verdict| it.judgement.stops();
    Repeated {
        texts: first.len(),
        differ: first.iter().zip(&second).filter(|(a, b)| a != b).count(),
        stopped: first.iter().filter(is).count(),
        told: first.iter().filter(|it| !it.spans.is_empty()).count(),
        antibodies: mesh.antibodies().count(),
    }
}

/// The verdicts on every mail and on everything that is made of it.
fn verdicts(mesh: &Mesh, mails: &Mails, seed: u64) -> Vec<Verdict> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    let mut texts = Vec::new();
    for (half, mail) in both(mails) {
        honest_texts(half, mail, &mut random, &mut texts);
        for text in texts.iter().chain([&mail.text]) {
            let who = name(found.len() % AGENTS);
            let outcome = mesh.screen(at(0), agent(&who), &[message(text)]);
            found.push(outcome.expect("mails are short").verdict);
        }
    }
    found
}

fn honest_texts(half: Half<'_>, mail: &Mail, random: &mut Random, texts: &mut Vec<String>) {
    texts.clear();
    for behaviour in (0..TIMES).flat_map(|_| Behaviour::ALL) {
        let own = half.own_words(random);
        texts.push(behaviour.output((mail, ""), &own, random));
    }
}

fn message(text: &str) -> Message<'_> {
    Message {
        origin: Origin::Outside,
        purpose: Purpose::Task,
        label: "mail",
        text,
    }
}

fn agent(who: &str) -> Agent<'_> {
    Agent {
        name: who,
        identity: who,
    }
}

/// Microseconds of CPU.
pub(super) struct Timed {
    pub(super) screen_us: f64,
    /// The same where there are antibodies.
    among_us: f64,
    observe_us: f64,
    /// The same beside two messages that came along.
    beside_us: f64,
}

impl Timed {
    pub(super) fn rows(&self) -> Vec<BenchRow> {
        let timed = |what: &str, us: f64| BenchRow {
            cpu_ms: Some(us / 1000.0),
            note: Some(format!("{us:.1} us")),
            ..row(what, "2 kB".to_owned())
        };
        vec![
            timed("screening a message", self.screen_us),
            timed("screening a message, with an antibody", self.among_us),
            timed("observing an answer of 2 kB to a message", self.observe_us),
            timed(
                "observing an answer of 2 kB to a message, two others beside it",
                self.beside_us,
            ),
        ]
    }
}

/// Screens and observes texts of two kilobytes of real mail.
pub(super) fn timed(half: Half<'_>, settings: Settings) -> Timed {
    let all: Vec<&str> = half.mails.iter().map(|it| it.text.as_str()).collect();
    let all = all.join("\n");
    let mut texts = Vec::new();
    let mut rest = all.as_str();
    while rest.len() > TIMED_BYTES {
        let (text, after) = rest.split_at(rest.floor_char_boundary(TIMED_BYTES));
        texts.push(text);
        rest = after;
    }
    let each = |take: &mut dyn FnMut(usize, &str)| {
        let n = 10 * texts.len();
        let lap = Lap::start();
        for (number, text) in texts.iter().cycle().take(n).enumerate() {
            take(number, text);
        }
        1000.0 * lap.took().cpu_ms / crate::machine::float(n.max(1))
    };
    let mut mesh = Mesh::new(settings);
    let screened = |mesh: &Mesh, text: &str| {
        let outcome = mesh.screen(at(0), agent("a"), &[message(text)]);
        assert!(outcome.is_ok());
    };
    let screen_us = each(&mut |_, text| screened(&mesh, text));
    let other = |number: usize| texts.get(number % texts.len()).copied().unwrap_or_default();
    let mut observed = |number: usize, text: &str, beside: bool| {
        let found = [7, 11].map(|it| Message {
            purpose: Purpose::Found,
            ..message(other(number + it))
        });
        let [one, two] = found;
        let input = [message(text), one, two];
        let outcome = mesh.observe(&Exchange {
            at: at(number),
            agent: agent("a"),
            canaries: &[],
            input: input.get(..if beside { 3 } else { 1 }).unwrap_or_default(),
            output: &[other(number)],
            tool_calls: &[],
        });
        assert!(outcome.is_ok());
    };
    let observe_us = each(&mut |number, text| observed(number, text, false));
    let beside_us = each(&mut |number, text| observed(number, text, true));
    mesh.apply(&Fact::AntibodyMade(Antibody {
        id: 1,
        incident: 1,
        prints: (0..64).collect(),
        scope: Scope::Mesh,
        confidence: 1000,
        hits: 0,
        made: at(0),
        expires: at(1),
    }));
    Timed {
        screen_us,
        among_us: each(&mut |_, text| screened(&mesh, text)),
        observe_us,
        beside_us,
    }
}
