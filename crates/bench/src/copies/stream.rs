//! Claims go into a memory one by one, through a session; what it believes is read from it at the
//! end, and whom it counts as one origin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use immune_engine::{Engine, Parts, Session};
use immune_model::{
    BeliefId, Carriage, ChannelName, Handle, Literal, LiteralKind, MemoryName, Namespace, Polarity,
    Principal, Role, Screening, Status, Subject, SubjectFrom, Text, Trust,
};
use immune_reason::plan::{DeclareSource, NewClaim, Remember, SetChannel, SourceRef};
use immune_reason::{Evidence, State};
use immune_store::MemoryStore;

use super::{Answers, Claim, Pair, pairs_of};
use crate::BenchError;

/// How far every source is trusted, in thousandths: all alike.
const TIER: u16 = 950;

/// What a memory believes that was told these claims in this order.
pub(super) fn told(claims: &[Claim]) -> Result<Answers, BenchError> {
    let engine = Engine::new(Parts::new(Arc::new(MemoryStore::new())));
    let name = MemoryName::new("copies").expect("a constant that is a name");
    let memory = engine.memory(&name)?;
    let operator = Principal {
        role: Role::Operator,
        name: Handle::new("bench").expect("a constant that is a name"),
    };
    let session = memory.session(operator);
    let channel = ChannelName::new("web").expect("a constant that is a name");
    let refused = BenchError::refused::<String>;
    let set = SetChannel {
        name: channel.clone(),
        tier: Trust::from_thousandths(TIER).expect("a tier is at most 1000"),
        carriage: Some(Carriage::Relays),
        create_only: false,
    };
    session
        .set_channel(set)
        .map_err(|it| refused("set a channel")(it.to_string()))?;
    let sources: BTreeSet<&str> = claims.iter().map(|it| it.source.as_str()).collect();
    for source in sources {
        let declare = DeclareSource {
            channel: channel.clone(),
            handle: handle(source),
            kind: None,
        };
        session
            .declare_source(declare)
            .map_err(|it| refused("declare a source")(it.to_string()))?;
    }
    tell(&session, &channel, claims)?;
    let snapshot = session.snapshot()?;
    Ok(answers(snapshot.state(), claims))
}

fn tell(session: &Session, channel: &ChannelName, claims: &[Claim]) -> Result<(), BenchError> {
    let pending: Vec<_> = claims
        .iter()
        .map(|claim| {
            session.submit_remember(Remember {
                from: SourceRef {
                    channel: Some(channel.clone()),
                    handle: handle(&claim.source),
                    kind: None,
                },
                namespace: Namespace::ROOT,
                text: text(claim),
                sent_at: None,
                external_id: None,
                run: None,
                screening: Screening::Explicit,
                claims: vec![NewClaim {
                    subject: subject(claim),
                    subject_from: SubjectFrom::Caller,
                    text: text(claim),
                    polarity: Polarity::Affirmed,
                    literals: vec![Literal::new(LiteralKind::Date, &claim.value)],
                    confidence: None,
                    valid_from: None,
                    valid_until: None,
                    expires_at: None,
                }],
                metadata: immune_model::Metadata::default(),
            })
        })
        .collect();
    for it in pending {
        it.wait()
            .map_err(|it| BenchError::refused("remember")(it.to_string()))?;
    }
    Ok(())
}

fn handle(source: &str) -> Handle {
    Handle::new(source).expect("the names of the data are names")
}

fn subject(claim: &Claim) -> Subject {
    let key = claim.item.to_lowercase().replace(' ', "-");
    Subject::new(&key).expect("the items of the data are subjects")
}

fn text(claim: &Claim) -> Text {
    Text::new(&format!("It is {}", claim.value)).expect("a text")
}

fn answers(state: &State, claims: &[Claim]) -> Answers {
    let items: BTreeMap<&str, &Claim> = claims.iter().map(|it| (it.item.as_str(), it)).collect();
    let values = items.into_iter().filter_map(|(item, claim)| {
        let value = believed(state, &subject(claim))?;
        Some((item.to_owned(), value))
    });
    let mut groups: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for source in state.source_ids() {
        let first = state.inferred_group(source);
        let known = state.source(source).map(|it| it.handle.as_str());
        groups.entry(first.number()).or_default().extend(known);
    }
    let pairs = groups.into_values().flat_map(pairs_of);
    Answers {
        values: values.collect(),
        pairs: pairs.collect(),
        evidence: evidence(state),
    }
}

fn evidence(state: &State) -> BTreeMap<Pair, Evidence> {
    let sources = state.source_ids();
    let named = sources.filter_map(|it| Some((state.source(it)?.handle.as_str().to_owned(), it)));
    let mut named: Vec<_> = named.collect();
    named.sort_unstable();
    let mut evidence = BTreeMap::new();
    for (place, (one, one_id)) in named.iter().enumerate() {
        for (other, other_id) in named.iter().skip(place + 1) {
            let found = state.mirror_evidence(*one_id, *other_id);
            evidence.insert((one.clone(), other.clone()), found);
        }
    }
    evidence
}

/// The value that weighs most about a subject, if one does.
fn believed(state: &State, subject: &Subject) -> Option<String> {
    let about = state.beliefs_about(&Namespace::ROOT, subject);
    let standing = about.filter(|it| {
        let now = state.belief_now(*it);
        now.is_some_and(|it| it.status == Status::Active && it.strength >= Trust::FLOOR)
    });
    let weight = |it: &BeliefId| state.weight_of(*it, None).millionths;
    let mut weighed: Vec<(u64, BeliefId)> = standing.map(|it| (weight(&it), it)).collect();
    weighed.sort_unstable();
    let (most, best) = weighed.pop()?;
    let tied = weighed.last().is_some_and(|(it, _)| *it == most);
    let literal = state.belief(best)?.literals.first()?;
    (!tied).then(|| literal.value.to_string())
}
