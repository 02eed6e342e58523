//! How the engine behaves at size, on the embedded store: `cargo run --release -p immune-engine
//! --example size -- 100000`. Prints wall times; nothing here is a test.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant as Stopwatch};

use immune_engine::reason::plan::{
    Challenge, Derivation, NameRecord, NewClaim, Remember, SetChannel, SourceRef,
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
    })
}

fn derived(from: BeliefId, about: &str, claim: &str) -> Result<Derivation> {
    Ok(Derivation {
        agent: Handle::new("agent")?,
        namespace: Namespace::ROOT,
        premises: vec![Item::Belief(from)],
        claim: NewClaim::read(Subject::new(about)?, SubjectFrom::Caller, Text::new(claim)?),
        run: None,
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
    let lap = |what: &str, since: Stopwatch, per: usize| {
        let micros = since.elapsed().as_micros() / per.max(1) as u128;
        println!(
            "{what:<44} {:>9.3} s  {micros:>7} us each",
            since.elapsed().as_secs_f64()
        );
    };

    let start = Stopwatch::now();
    let mut pending = VecDeque::new();
    for k in 0..n / 2 {
        let command = said(
            "inbox",
            &format!("sender{}@x.example", k % 997),
            &format!("fact.f{k}"),
            &format!("fact number {k} is so"),
        )?;
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
    lap("remember, pipelined", start, n / 2);

    let lie = me.remember(said(
        "inbox",
        "liar@x.example",
        "refund.destination",
        "pay to GB29 NWBK 6016 1331 9268 19",
    )?)?;
    let root = lie.statements.first().ok_or("no statement")?.belief;
    let start = Stopwatch::now();
    let mut last = vec![root];
    let mut made = 0;
    while made < n / 2 {
        let mut next = Vec::new();
        let mut waiting = Vec::new();
        for (place, from) in last.iter().enumerate() {
            for child in 0..8 {
                let about = format!("built.l{made}x{place}x{child}");
                waiting.push(me.submit_derive(derived(
                    *from,
                    &about,
                    &format!("conclusion {made} {place} {child}"),
                )?));
                made += 1;
            }
        }
        for it in waiting {
            next.push(it.wait()?.belief);
        }
        next.truncate(2_000);
        last = next;
    }
    lap("derive, pipelined", start, made);

    let start = Stopwatch::now();
    for k in 0..200 {
        me.remember(said(
            "inbox",
            "one@x.example",
            &format!("single.s{k}"),
            &format!("single fact {k}"),
        )?)?;
    }
    lap("remember, one at a time", start, 200);

    let start = Stopwatch::now();
    me.recall(&Recall::query("fact number 4711"))?;
    lap("first recall (builds the index)", start, 1);
    let start = Stopwatch::now();
    for k in 0..20 {
        me.recall(&Recall::query(&format!("fact number {k}")))?;
    }
    lap("recall", start, 20);

    let start = Stopwatch::now();
    let statement = said(
        "records",
        "ledger",
        "refund.destination",
        "pay to DE89 3704 0044 0532 0130 00",
    )?;
    let challenged = me.challenge(Challenge {
        statement,
        against: Vec::new(),
    })?;
    let fell = challenged.incident.map_or(0, |(_, it)| it.revoked.len());
    lap(&format!("challenge, {fell} fall"), start, 1);

    drop((me, memory));
    let start = Stopwatch::now();
    let memory = open(&path)?;
    lap("open", start, 1);
    let start = Stopwatch::now();
    let verified = memory.verify(&mut |_| {})?;
    lap(
        &format!(
            "verify, {} events, sound: {}",
            verified.events,
            verified.is_sound()
        ),
        start,
        1,
    );
    println!(
        "{} events, {} bytes",
        verified.events,
        fs_err::metadata(&path)?.len()
    );
    fs_err::remove_dir_all(&folder)?;
    Ok(())
}
