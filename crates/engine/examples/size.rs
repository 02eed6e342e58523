//! How the engine behaves at size, on the embedded store: `cargo run --release -p immune-engine
//! --example size -- 100000`. Prints JSON with wall times;
//! nothing here is a test.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant as Stopwatch};

use immune_engine::reason::plan::{
    Challenge, Derivation, NameRecord, Narrowing, NewClaim, Remember, SetChannel, SourceRef,
};
use immune_engine::{Engine, Memory, Parts, Recall, Session};
use immune_model::{
    Area, BeliefId, Carriage, ChannelName, Handle, Item, MemoryName, Namespace, Principal, Role,
    Screening, Subject, SubjectFrom, Text,
};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn open(path: &std::path::Path) -> Result<Memory> {
    let options = SqliteOptions {
        timeout: Duration::from_mins(1),
        create: true,
    };
    let store = Arc::new(SqliteStore::open(path, options)?);
    Ok(Engine::new(Parts::new(store)).memory(&MemoryName::new("size")?)?)
}

fn said(channel: &str, name: &str, about: &str, claim: &str) -> Result<Remember> {
    let text = Text::new(claim)?;
    Ok(Remember {
        from: SourceRef {
            channel: Some(ChannelName::new(channel)?),
            handle: Handle::new(name)?,
            kind: None,
        },
        namespace: Namespace::ROOT,
        text: text.clone(),
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![NewClaim::read(
            Subject::new(about)?,
            SubjectFrom::Caller,
            text,
        )],
        metadata: immune_model::Metadata::default(),
    })
}

fn derived(from: BeliefId, about: &str, claim: &str) -> Result<Derivation> {
    Ok(Derivation {
        agent: Handle::new("agent")?,
        namespace: Namespace::ROOT,
        premises: vec![Item::Belief(from)],
        claim: NewClaim::read(Subject::new(about)?, SubjectFrom::Caller, Text::new(claim)?),
        run: None,
        narrowing: Narrowing::Whole,
        metadata: immune_model::Metadata::default(),
    })
}

fn set_up(me: &Session) -> Result<()> {
    for (name, tier, carriage) in [
        ("inbox", "0.7", Carriage::Relays),
        ("records", "0.98", Carriage::Authored),
    ] {
        let (name, tier, carriage) = (ChannelName::new(name)?, tier.parse()?, Some(carriage));
        me.set_channel(SetChannel {
            name,
            tier,
            carriage,
            create_only: false,
        })?;
    }
    let from = said("records", "ledger", "x", "x")?.from;
    me.name_record(NameRecord {
        source: from,
        area: Area::new("*")?,
    })?;
    Ok(())
}

/// One measured step.
struct Row {
    step: String,
    n: usize,
    seconds: f64,
}

/// The steps measured so far.
#[derive(Default)]
struct Laps(Vec<Row>);

impl Laps {
    fn time<T>(&mut self, step: &str, work: impl FnOnce() -> Result<(usize, T)>) -> Result<T> {
        let start = Stopwatch::now();
        let (n, kept) = work()?;
        let seconds = start.elapsed().as_secs_f64();
        self.0.push(Row {
            step: step.to_owned(),
            n,
            seconds,
        });
        Ok(kept)
    }

    /// The rows as JSON, as `bench/results` keeps them.
    fn json(&self, beliefs: usize) -> String {
        let row = |it: &Row| {
            let (step, n, seconds) = (&it.step, it.n, it.seconds);
            format!("    {{\"step\": \"{step}\", \"n\": {n}, \"seconds\": {seconds:.3}}}")
        };
        let rows: Vec<String> = self.0.iter().map(row).collect();
        let version = env!("CARGO_PKG_VERSION");
        let command = format!("cargo run --release -p immune-engine --example size -- {beliefs}");
        let rows = rows.join(",\n");
        format!(
            "{{\n  \"bench\": \"size\",\n  \"command\": \"{command}\",\n  \"beliefs\": {beliefs},\n  \
             \"versions\": {{\"immune\": \"{version}\"}},\n  \"rows\": [\n{rows}\n  ]\n}}"
        )
    }
}

/// Half of the beliefs are stated, by a thousand sources.
fn remember_many(me: &Session, n: usize) -> Result<(usize, ())> {
    let mut pending = VecDeque::new();
    for k in 0..n {
        let (name, about) = (format!("sender{}@x.example", k % 997), format!("fact.f{k}"));
        let command = said("inbox", &name, &about, &format!("fact number {k} is so"))?;
        pending.push_back(me.submit_remember(command));
        if pending.len() > 512
            && let Some(first) = pending.pop_front()
        {
            first.wait()?;
        }
    }
    for it in pending {
        it.wait()?;
    }
    Ok((n, ()))
}

/// The other half are derived, in levels, from one lie.
fn derive_many(me: &Session, root: BeliefId, n: usize) -> Result<(usize, ())> {
    let mut last = vec![root];
    let mut made = 0;
    while made < n {
        let mut waiting = Vec::new();
        for (place, from) in last.iter().enumerate() {
            for child in 0..8 {
                let about = format!("built.l{made}x{place}x{child}");
                let claim = format!("conclusion {made} {place} {child}");
                waiting.push(me.submit_derive(derived(*from, &about, &claim)?));
                made += 1;
            }
        }
        let mut next = Vec::new();
        for it in waiting {
            next.push(it.wait()?.belief);
        }
        next.truncate(2_000);
        last = next;
    }
    Ok((made, ()))
}

fn remember_singly(me: &Session) -> Result<(usize, ())> {
    for k in 0..200 {
        let (about, claim) = (format!("single.s{k}"), format!("single fact {k}"));
        me.remember(said("inbox", "one@x.example", &about, &claim)?)?;
    }
    Ok((200, ()))
}

fn recall_many(me: &Session) -> Result<(usize, ())> {
    for k in 0..20 {
        me.recall(&Recall::query(&format!("fact number {k}")))?;
    }
    Ok((20, ()))
}

fn challenge(me: &Session) -> Result<(usize, ())> {
    let truth = "pay to DE89 3704 0044 0532 0130 00";
    let statement = said("records", "ledger", "refund.destination", truth)?;
    let challenged = me.challenge(Challenge {
        statement,
        against: Vec::new(),
    })?;
    Ok((
        challenged
            .incident
            .map_or(0, |(_, it)| it.revoked.len() + 1),
        (),
    ))
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<()> {
    let n: usize = std::env::args()
        .nth(1)
        .map_or(Ok(100_000), |it| it.parse())?;
    let folder = std::env::temp_dir().join(format!("immune-size-{}", std::process::id()));
    fs_err::create_dir_all(&folder)?;
    let path = folder.join("size.immune");
    let memory = open(&path)?;
    let me = memory.session(Principal {
        role: Role::Operator,
        name: Handle::new("me")?,
    });
    set_up(&me)?;
    let mut laps = Laps::default();
    laps.time("remember, many at once", || remember_many(&me, n / 2))?;
    let lie = "pay to GB29 NWBK 6016 1331 9268 19";
    let lie = me.remember(said("inbox", "liar@x.example", "refund.destination", lie)?)?;
    let root = lie.statements.first().ok_or("no statement")?.belief;
    laps.time("derive, many at once", || derive_many(&me, root, n / 2))?;
    laps.time("remember, one after the other", || remember_singly(&me))?;
    laps.time("first recall, which builds the index", || {
        Ok((1, me.recall(&Recall::query("fact number 4711"))?))
    })?;
    laps.time("recall", || recall_many(&me))?;
    laps.time("challenge; n beliefs fall, durable", || challenge(&me))?;
    drop((me, memory));
    let memory = laps.time("open from the kept state; n events", || {
        let memory = open(&path)?;
        let events = memory.snapshot()?.head().seq;
        Ok((usize::try_from(events)?, memory))
    })?;
    laps.time("verify; n events", || {
        let verified = memory.verify(&mut |_| {})?;
        assert!(verified.is_sound(), "{:?}", verified.findings);
        Ok((usize::try_from(verified.events)?, ()))
    })?;
    println!("{}", laps.json(n));
    fs_err::remove_dir_all(&folder)?;
    Ok(())
}
