//! An agent that lives with a memory: what the attacks on it come to, through the public verbs.
//!
//! Obex names four benches whose code was never published: its taint engine, its policy, its
//! framework wrapper and its episodic store. These are ours, under the same words: the cases are
//! of our design, and their figures are comparable with nothing that was published. A file for
//! each; here is the memory that they run on. Nothing is timed.

pub(crate) mod episodic;
pub(crate) mod policy;
pub(crate) mod taint;
pub(crate) mod wrapper;

use std::sync::Arc;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_engine::reason::plan::{
    DeclareSource, Derivation, NameRecord, Narrowing, NewClaim, Remember, SetChannel, SourceRef,
};
use immune_engine::{Clock, Engine, Label, Parts, Recall, Session};
use immune_model::{
    Area, BeliefId, Carriage, ChannelName, Handle, Instant, Item, MemoryName, Namespace, Principal,
    Role, RunId, Screening, Subject, SubjectFrom, Text, Trust,
};
use immune_store::MemoryStore;

use crate::machine::{epoch, float};

/// What every row of ours is called.
const OURS: &str = "immune";
const NAMES: &str = "the names of a bench are constants that are legal";
const WRITES: &str = "an operator may write what a bench writes";

/// A clock that stands still.
struct Still;

impl Clock for Still {
    fn now(&self) -> Instant {
        epoch()
    }
}

/// A memory of its own, in RAM.
struct Stage {
    operator: Session,
}

impl Stage {
    /// An inbox, a scraper, and records.
    fn new() -> Self {
        let parts = Parts {
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(Still),
            fill_random: |bytes| bytes.fill(7),
        };
        let name = MemoryName::new("bench").expect(NAMES);
        let memory = Engine::new(parts).memory(&name).expect("it is in RAM");
        let stage = Self {
            operator: memory.session(Principal {
                role: Role::Operator,
                name: handle("bench"),
            }),
        };
        stage.channel("inbox", 700, Carriage::Relays);
        stage.channel("scraper", 200, Carriage::Relays);
        stage.channel("records", 980, Carriage::Authored);
        stage
    }

    fn channel(&self, name: &str, tier: u16, carriage: Carriage) {
        let command = SetChannel {
            name: channel(name),
            tier: trust(tier),
            carriage: Some(carriage),
            create_only: false,
        };
        self.operator.set_channel(command).expect(WRITES);
    }

    /// A system of record for everything.
    fn record(&self, name: &str) {
        let command = NameRecord {
            source: source("records", name),
            area: Area::new("*").expect(NAMES),
        };
        self.operator.name_record(command).expect(WRITES);
    }

    fn declare(&self, channel_name: &str, name: &str) {
        let command = DeclareSource {
            channel: channel(channel_name),
            handle: handle(name),
            kind: None,
        };
        self.operator.declare_source(command).expect(WRITES);
    }

    /// Somebody states a claim; the belief that it gives.
    fn says(&self, channel: &str, name: &str, about: &str, claim: &str) -> BeliefId {
        let claims = vec![new_claim(about, claim)];
        let beliefs = self.writes(channel, name, claim, claims, Screening::Explicit);
        *beliefs.first().expect("a claim that is stated is kept")
    }

    /// Somebody writes a text, in which rules look for claims.
    fn hears(&self, channel: &str, name: &str, text: &str) -> Vec<BeliefId> {
        self.writes(channel, name, text, Vec::new(), Screening::Rules)
    }

    fn writes(
        &self,
        channel: &str,
        name: &str,
        words: &str,
        claims: Vec<NewClaim>,
        screening: Screening,
    ) -> Vec<BeliefId> {
        let command = Remember {
            from: source(channel, name),
            namespace: Namespace::ROOT,
            text: text(words),
            sent_at: None,
            external_id: None,
            run: None,
            screening,
            claims,
            metadata: immune_model::Metadata::default(),
        };
        let remembered = self.operator.remember(command).expect(WRITES);
        remembered.statements.iter().map(|it| it.belief).collect()
    }

    /// An agent concludes something, and names what it rests on; nothing if that does not stand.
    fn concludes(
        &self,
        agent: &str,
        from: &[BeliefId],
        about: &str,
        claim: &str,
    ) -> Option<BeliefId> {
        self.concludes_in(None, agent, from, (about, claim))
    }

    /// The same in a run.
    fn concludes_in(
        &self,
        run: Option<RunId>,
        agent: &str,
        from: &[BeliefId],
        (about, claim): (&str, &str),
    ) -> Option<BeliefId> {
        let command = Derivation {
            agent: handle(agent),
            namespace: Namespace::ROOT,
            premises: from.iter().map(|it| Item::Belief(*it)).collect(),
            claim: new_claim(about, claim),
            run,
            narrowing: Narrowing::Whole,
            metadata: immune_model::Metadata::default(),
        };
        self.operator.derive(command).ok().map(|it| it.belief)
    }

    /// What a question puts before a model: facts, and notes.
    fn shown(&self, question: &str) -> Vec<Shown> {
        let recalled = self.operator.recall(&Recall::query(question));
        let recalled = recalled.expect("a question in words is legal");
        let facts = recalled.facts.iter().map(|it| Shown {
            text: it.text.to_string(),
            is_disputed: it.label == Label::Contested,
        });
        let notes = recalled.notes.iter().map(|it| Shown {
            text: it.text.to_string(),
            is_disputed: false,
        });
        facts.chain(notes).collect()
    }

    /// How far a belief is trusted now; 0 if it does not stand.
    fn strength(&self, belief: BeliefId) -> Trust {
        let snapshot = self.operator.snapshot().expect("it is in RAM");
        let now = snapshot.state().belief_now(belief);
        now.map_or(Trust::ZERO, |it| it.strength)
    }
}

/// A text that is put before a model.
struct Shown {
    text: String,
    /// It is labelled as one that something that stands disagrees with.
    is_disputed: bool,
}

/// A memory that keeps every text and gives back those that share most words with a question: what
/// agents have today, without an embedding.
#[derive(Default)]
struct AppendOnly {
    texts: Vec<String>,
}

impl AppendOnly {
    fn keep(&mut self, text: &str) {
        self.texts.push(text.to_owned());
    }

    /// The best `n`, the newest first among equals.
    fn shown(&self, question: &str, n: usize) -> Vec<Shown> {
        let asked = words(question);
        let score = |text: &String| {
            let words = words(text);
            asked.iter().filter(|it| words.contains(it)).count()
        };
        let mut ranked: Vec<&String> = self.texts.iter().rev().collect();
        ranked.sort_by_key(|it| std::cmp::Reverse(score(it)));
        let hits = ranked.into_iter().filter(|it| score(it) > 0);
        let shown = |text: &String| Shown {
            text: text.clone(),
            is_disputed: false,
        };
        hits.take(n).map(shown).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|it: char| !it.is_alphanumeric());
    words
        .filter(|it| it.len() > 2)
        .map(str::to_lowercase)
        .collect()
}

fn channel(name: &str) -> ChannelName {
    ChannelName::new(name).expect(NAMES)
}

fn handle(name: &str) -> Handle {
    Handle::new(name).expect(NAMES)
}

fn text(words: &str) -> Text {
    Text::new(words).expect(NAMES)
}

fn trust(thousandths: u16) -> Trust {
    Trust::from_thousandths(thousandths).expect(NAMES)
}

fn source(channel_name: &str, name: &str) -> SourceRef {
    SourceRef {
        channel: Some(channel(channel_name)),
        handle: handle(name),
        kind: None,
    }
}

fn new_claim(about: &str, claim: &str) -> NewClaim {
    let about = Subject::new(about).expect(NAMES);
    NewClaim::read(about, SubjectFrom::Caller, text(claim))
}

/// How many of so many, as a row in percent.
fn share(engine: &str, what: &str, n: usize, of: usize) -> BenchRow {
    BenchRow {
        engine: engine.to_owned(),
        what: what.to_owned(),
        source: format!("of {of}"),
        percent: Some((float(n) * 10_000.0 / float(of)).round() / 100.0),
        ..BenchRow::default()
    }
}

/// What our row of this name has to be: at most, or at least.
fn target(rows: &[BenchRow], what: &str, bound: Bound) -> BenchTarget {
    let row = rows.iter().find(|it| it.engine == OURS && it.what == what);
    let value = row.and_then(|it| it.percent).unwrap_or(f64::NAN);
    let (target, holds) = match bound {
        Bound::AtMost(most) => (format!("<= {most}"), value <= most),
        Bound::AtLeast(least) => (format!(">= {least}"), value >= least),
    };
    BenchTarget {
        name: format!("{what}, %"),
        value,
        target,
        holds,
    }
}

/// What is asked of a figure.
#[derive(Debug, Clone, Copy)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}
