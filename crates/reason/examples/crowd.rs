//! What a write takes when many sources speak about one subject: `cargo run --release -p
//! immune-reason --example crowd -- 1000`. Plans and folds each write, without a store. Prints JSON
//! with wall times, as `bench/results/crowd.json` keeps it; nothing here is a test.

#![expect(clippy::print_stdout, reason = "its output is the point of it")]

use std::time::Instant as Stopwatch;

use immune_model::{
    Carriage, ChannelName, Handle, Instant, Literal, LiteralKind, MemoryName, Namespace, Polarity,
    Principal, Role, Screening, Subject, SubjectFrom, Text,
};
use immune_reason::plan::{DeclareSource, NewClaim, Remember, SetChannel, SourceRef};
use immune_reason::{Draft, State};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const CHANNEL: &str = "web";
/// Subjects about which all of them speak, one after the other.
const SUBJECTS: usize = 3;

/// The state after this plan.
fn planned(state: &State, plan: impl FnOnce(&mut Draft) -> Result<()>) -> Result<State> {
    let operator = Principal {
        role: Role::Operator,
        name: Handle::new("operator")?,
    };
    let at: Instant = "2026-08-13T13:30:00Z".parse()?;
    let mut draft = Draft::new(state.clone(), operator, at);
    draft.name(&MemoryName::new("crowd")?);
    plan(&mut draft)?;
    Ok(draft.finish().0)
}

fn source(number: usize) -> Result<SourceRef> {
    Ok(SourceRef {
        channel: Some(ChannelName::new(CHANNEL)?),
        handle: Handle::new(&format!("site {number}"))?,
        kind: None,
    })
}

fn said(number: usize, subject: usize, value: usize) -> Result<Remember> {
    let text = Text::new(&format!("It is V-{value}"))?;
    Ok(Remember {
        from: source(number)?,
        namespace: Namespace::ROOT,
        text: text.clone(),
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![NewClaim {
            literals: vec![Literal::new(LiteralKind::Identifier, &format!("V-{value}"))],
            polarity: Polarity::Affirmed,
            ..NewClaim::read(
                Subject::new(&format!("thing-{subject}/fact.value"))?,
                SubjectFrom::Caller,
                text,
            )
        }],
        metadata: immune_model::Metadata::default(),
    })
}

/// A row: the last tenth of the writes about each subject, when most of the others have spoken.
fn measured(n_sources: usize, n_values: usize) -> Result<String> {
    let mut state = planned(&State::new(), |draft| {
        draft.set_channel(&SetChannel {
            name: ChannelName::new(CHANNEL)?,
            tier: "0.9".parse()?,
            carriage: Some(Carriage::Relays),
            create_only: false,
        })?;
        Ok(())
    })?;
    for number in 0..n_sources {
        let source = source(number)?;
        let command = DeclareSource {
            channel: ChannelName::new(CHANNEL)?,
            handle: source.handle,
            kind: None,
        };
        state = planned(&state, |draft| {
            Ok(draft.declare_source(&command).map(drop)?)
        })?;
    }
    let mut took = Vec::new();
    for subject in 0..SUBJECTS {
        for number in 0..n_sources {
            let command = said(number, subject, number * 7919 % n_values)?;
            let start = Stopwatch::now();
            state = planned(&state, |draft| Ok(draft.remember(&command).map(drop)?))?;
            if number >= n_sources - n_sources / 10 {
                took.push(start.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    took.sort_by(f64::total_cmp);
    let at = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or(0.0);
    let n = took.len();
    let step = format!("a write where {n_sources} sources state {n_values} values, median");
    Ok(format!(
        "    {{\"step\": \"{step}\", \"n\": 1, \"seconds\": {:.6}, \"writes\": {n}, \
         \"ms_p95\": {:.3}}}",
        at(50) / 1e3,
        at(95)
    ))
}

fn main() -> Result<()> {
    let asked = std::env::args().nth(1);
    let n_sources = asked.map_or(Ok(1000), |it| it.parse())?;
    let values = [3, 30, n_sources].into_iter();
    let rows: Vec<String> = values
        .map(|it| measured(n_sources, it))
        .collect::<Result<_>>()?;
    let command = format!("cargo run --release -p immune-reason --example crowd -- {n_sources}");
    let version = env!("CARGO_PKG_VERSION");
    let rows = rows.join(",\n");
    println!(
        "{{\n  \"bench\": \"crowd\",\n  \"command\": \"{command}\",\n  \"sources\": {n_sources},\n  \
         \"versions\": {{\"immune\": \"{version}\"}},\n  \"rows\": [\n{rows}\n  ]\n}}"
    );
    Ok(())
}
