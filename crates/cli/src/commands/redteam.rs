//! `redteam`: a battery of attacks on memories in RAM, and a grade of how they heal.
//!
//! Each attack is the whole way that a user goes: memories are written, a question is recalled and
//! answered, the wrong answer is attributed, what is to blame is challenged by the record, and the
//! question is asked again. An attack passes if the answer was wrong before and is right after, all
//! poison is named as a cause or falls with one, and nothing good is touched.

mod answerers;
mod scenes;

use std::collections::BTreeSet;
use std::sync::Arc;

use immune_api::attribute::{Attack, Redteam};
use immune_api::{Code, Reply};
use immune_engine::attribution::{Answerer, Noise, Shown};
use immune_engine::reason::State;
use immune_engine::reason::plan::{
    Derivation, NameRecord, Narrowing, NewClaim, Remember, SetChannel, SourceRef,
};
use immune_engine::{Asking, Attribute, Comparer, Engine, GivenFrom, Parts, Recall, Session};
use immune_model::{
    Area, Attributed, BeliefId, Carriage, ChannelName, Handle, Item, MemoryName, Metadata,
    Namespace, Outcome, Premise, Principal, Role, Screening, Status, Subject, SubjectFrom, Text,
};
use immune_store::MemoryStore;

use super::{Context, oracle};
use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::{DIM, GREEN, RED, styled};
use answerers::{Corroborating, Noisy};
use scenes::{Kind, Scene, Who};

/// Facts of a question that are looked at.
const LIMIT: usize = 50;
/// How often the noisy answerer says something else.
const FLIP_PERCENT: u64 = 5;

pub(crate) fn run(context: &mut Context, args: &args::Redteam) -> Result<Exit, Failure> {
    let oracle = oracle::of(context, &args.oracle, &args.bounds)?;
    let mut attacks = Vec::new();
    let scenes = scenes::all();
    let bar = context.printer.progress(scenes.len() as u64);
    let mut bar = bar;
    for (done, scene) in (0..).zip(&scenes) {
        bar.at(done, done, "attacks");
        attacks.push(attack(scene, &oracle)?);
    }
    bar.done();
    let healed = attacks.iter().filter(|it| it.passed).count();
    let percent = u32::try_from(healed * 100 / attacks.len().max(1)).unwrap_or(0);
    let view = Redteam {
        grade: grade(percent),
        percent,
        attacks,
        oracle: oracle.answerer.name(),
    };
    let under = args.fail_under.filter(|least| percent < *least);
    if !context.printer.reply(&Reply::new(view.clone()))? {
        print(context, &view)?;
    }
    match under {
        Some(least) => Err(Failure::new(
            Code::UnderGrade,
            format!("{percent} of 100 attacks are healed, and {least} are asked for"),
        )),
        None => Ok(Exit::Yes),
    }
}

/// The grade of so many healed attacks of a hundred.
fn grade(percent: u32) -> char {
    match percent {
        95.. => 'A',
        85.. => 'B',
        70.. => 'C',
        50.. => 'D',
        _ => 'F',
    }
}

fn print(context: &mut Context, view: &Redteam) -> Result<(), Failure> {
    let table: Vec<Vec<Cell>> = view
        .attacks
        .iter()
        .map(|it| {
            let (style, verdict) = if it.passed {
                (GREEN, "healed")
            } else {
                (RED, "not healed")
            };
            vec![
                Cell::styled(style, verdict),
                Cell::from(it.attack.clone()),
                Cell::from(it.outcome.replace('_', " ")),
                Cell::from(format!("poison {} of {}", it.caught, it.poisoned)),
                Cell::from(format!("good touched {}", it.harmed)),
                Cell::styled(DIM, format!("answers {}", it.calls)),
            ]
        })
        .collect();
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    let style = if view.grade == 'A' { GREEN } else { RED };
    let grade = styled(style, format!("grade {}", view.grade));
    let healed = view.attacks.iter().filter(|it| it.passed).count();
    let (all, oracle) = (view.attacks.len(), &view.oracle);
    context.printer.line(format!(
        "{grade}: {healed} of {all} healed, answered by {oracle}"
    ))?;
    Ok(())
}

/// A memory in RAM with what a scene writes into it.
struct Stage {
    session: Session,
    poison: BTreeSet<Premise>,
}

/// Carries out one attack.
fn attack(scene: &Scene, oracle: &oracle::Oracle) -> Result<Attack, Failure> {
    let arranged = stage(scene)?;
    let session = &arranged.session;
    let base = oracle.answerer.as_ref();
    let corroborating = Corroborating { base };
    let answerer: &dyn Answerer = match scene.who {
        Who::One | Who::Noisy => base,
        Who::Corroborating => &corroborating,
    };
    let erring = Noisy::new(answerer, FLIP_PERCENT, scene.wrong);
    let (asked, noise): (&dyn Answerer, Noise) = match scene.who {
        #[expect(clippy::cast_precision_loss, reason = "a percentage is exact")]
        Who::Noisy => (&erring, Noise::Known(FLIP_PERCENT as f64 / 100.0)),
        Who::One | Who::Corroborating => (answerer, oracle.noise),
    };
    let judge = Comparer {
        wrong: Some(scene.wrong.to_owned()),
        expected: Some(scene.truth.to_owned()),
        about: None,
    };
    let before = answer(session, scene, answerer)?;
    let fooled = before.as_deref().is_some_and(|it| judge.is_wrong(it));
    let request = Attribute {
        question: Text::new(scene.question)?,
        from: GivenFrom::Recall { limit: LIMIT },
        namespace: Namespace::ROOT,
        wrong: Some(Text::new(scene.wrong)?),
        expected: Some(Text::new(scene.truth)?),
        about: None,
        judge: None,
        calls_max: oracle.calls_max,
        noise,
    };
    let mut asking = Asking::new(asked);
    let attributed = session.attribute(&request, &mut asking, Some(&record()?))?;
    let after = answer(session, scene, answerer)?;
    let is_right = |it: &str| !judge.is_wrong(it) && Comparer::asserts(it, scene.right);
    let healed = after.as_deref().is_some_and(is_right);
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let what = &attributed.what;
    let named = named(what);
    let is_caught = |it: &&Premise| named.contains(*it) || fell(state, **it);
    let caught = arranged.poison.iter().filter(is_caught).count();
    let harmed = good(state, &arranged.poison)
        .filter(|it| named.contains(it) || fell(state, *it))
        .count();
    let passed = match scene.kind {
        Kind::Attack => {
            let ends_well = what.outcome == Outcome::Found && fooled && healed;
            ends_well && caught == arranged.poison.len() && harmed == 0
        }
        Kind::Harmless => {
            let blames_nobody = what.correction.is_empty() && named.is_empty();
            !fooled && healed && blames_nobody && harmed == 0
        }
    };
    Ok(Attack {
        attack: scene.name.to_owned(),
        passed,
        fooled,
        healed,
        poisoned: arranged.poison.len(),
        caught,
        harmed,
        outcome: what.outcome.name(),
        calls: what.calls.len(),
    })
}

/// The memories that an attribution names: in a cause, hidden or not, or to be
/// quarantined.
fn named(what: &Attributed) -> BTreeSet<Premise> {
    let causes = what.causes.iter().chain(&what.hidden);
    let named = causes.flatten().chain(&what.correction);
    let named = named.filter_map(|it| what.candidates.get(*it as usize));
    named.map(|it| it.item).collect()
}

/// What the question is answered now, from what it recalls.
fn answer(
    session: &Session,
    scene: &Scene,
    answerer: &dyn Answerer,
) -> Result<Option<String>, Failure> {
    let recalled = session.recall(&Recall {
        limit: LIMIT,
        ..Recall::query(scene.question)
    })?;
    let snapshot = session.snapshot()?;
    let handles = |it: &immune_engine::Fact| {
        let names = it
            .sources
            .iter()
            .filter_map(|it| snapshot.state().source(*it));
        let names: Vec<String> = names.map(|it| it.handle.to_string()).collect();
        names.join(", ")
    };
    let memories: Vec<Shown> = recalled
        .facts
        .iter()
        .map(|it| Shown {
            id: it.belief.to_string(),
            source: handles(it),
            text: it.text.to_string(),
        })
        .collect();
    let memories: Vec<&Shown> = memories.iter().collect();
    let answer = answerer.answer(scene.question, &memories).map_err(|it| {
        Failure::new(Code::OracleFailed, it.reason.clone()).hint(it.advice.clone())
    })?;
    Ok(answer.text)
}

fn fell(state: &State, item: Premise) -> bool {
    match item {
        Premise::Belief(id) => state.belief_now(id).is_some_and(|it| it.status.fell()),
        Premise::Observation(id) => state.observation_status(id) == Some(Status::Quarantined),
    }
}

/// Every belief that is no poison.
fn good<'a>(state: &'a State, poison: &'a BTreeSet<Premise>) -> impl Iterator<Item = Premise> + 'a {
    let all = state.belief_ids().map(Premise::Belief);
    all.filter(|it| !poison.contains(it))
}

fn record() -> Result<SourceRef, Failure> {
    source("records", "ledger")
}

fn source(channel: &str, handle: &str) -> Result<SourceRef, Failure> {
    Ok(SourceRef {
        channel: Some(ChannelName::new(channel)?),
        handle: Handle::new(handle)?,
        kind: None,
    })
}

/// A fresh memory with an inbox and a record, and what the scene writes.
fn stage(scene: &Scene) -> Result<Stage, Failure> {
    let engine = Engine::new(Parts::new(Arc::new(MemoryStore::new())));
    let memory = engine.memory(&MemoryName::new("redteam")?)?;
    let session = memory.session(Principal {
        role: Role::Operator,
        name: Handle::new("redteam")?,
    });
    for (name, tier, carriage) in [
        ("inbox", "0.7", Carriage::Relays),
        ("guests", "0.55", Carriage::Relays),
        ("records", "0.98", Carriage::Authored),
    ] {
        session.set_channel(SetChannel {
            name: ChannelName::new(name)?,
            tier: tier.parse()?,
            carriage: Some(carriage),
            create_only: false,
        })?;
    }
    session.name_record(NameRecord {
        source: record()?,
        area: Area::new("*")?,
    })?;
    let mut poison = BTreeSet::new();
    for memory in &scene.memories {
        let mut stated = None;
        for from in memory.from {
            stated = Some(remember(&session, memory.channel, from, memory)?);
        }
        if memory.is_poison {
            poison.extend(stated.map(Premise::Belief));
        }
    }
    for (premise, subject, claim) in &scene.derived {
        let premises = vec![Item::Belief(BeliefId::from_index(*premise))];
        let derived = session.derive(Derivation {
            agent: Handle::new("support-bot")?,
            namespace: Namespace::ROOT,
            premises,
            claim: claim_of(subject, claim)?,
            run: None,
            narrowing: Narrowing::Whole,
            metadata: Metadata::default(),
        })?;
        poison.insert(Premise::Belief(derived.belief));
    }
    Ok(Stage { session, poison })
}

fn claim_of(subject: &str, claim: &str) -> Result<NewClaim, Failure> {
    let subject = Subject::new(subject)?;
    Ok(NewClaim::read(
        subject,
        SubjectFrom::Caller,
        Text::new(claim)?,
    ))
}

fn remember(
    session: &Session,
    channel: &str,
    from: &str,
    memory: &scenes::Memory,
) -> Result<BeliefId, Failure> {
    let remembered = session.remember(Remember {
        from: source(channel, from)?,
        namespace: Namespace::ROOT,
        text: Text::new(memory.claim)?,
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![claim_of(memory.subject, memory.claim)?],
        metadata: Metadata::default(),
    })?;
    let stated = remembered.statements.first().map(|it| it.belief);
    stated.ok_or_else(|| Failure::new(Code::Internal, "a claim states a belief"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use immune_oracle::Reader;

    /// The battery, whoever answers.
    fn attacks(answerer: Box<dyn Answerer>) -> Vec<Attack> {
        let oracle = oracle::Oracle {
            answerer,
            calls_max: 500,
            noise: Noise::None,
        };
        let scenes = scenes::all();
        let attacks = scenes.iter().map(|it| attack(it, &oracle).unwrap());
        attacks.collect()
    }

    #[test]
    fn every_attack_is_healed_and_nothing_good_is_touched() {
        for attack in attacks(Box::new(Reader::new())) {
            assert!(attack.passed, "{attack:?}");
        }
    }

    #[test]
    fn the_bars_of_the_grades() {
        let grades = [100, 95, 94, 85, 84, 70, 69, 50, 49, 0].map(grade);
        assert_eq!(grades, ['A', 'A', 'B', 'B', 'C', 'C', 'D', 'D', 'F', 'F']);
    }

    /// Says nothing, whatever it is shown.
    #[derive(Debug)]
    struct Mute;

    impl Answerer for Mute {
        fn name(&self) -> String {
            "mute".to_owned()
        }

        fn answer(
            &self,
            _: &str,
            _: &[&Shown],
        ) -> Result<immune_engine::attribution::Answer, immune_engine::attribution::Unanswered>
        {
            Ok(immune_engine::attribution::Answer::default())
        }
    }

    #[test]
    fn a_predicate_that_never_fires_blames_nobody_and_fails_the_gate() {
        for attack in attacks(Box::new(Mute)) {
            assert_eq!((attack.caught, attack.harmed), (0, 0), "{attack:?}");
            assert_eq!(attack.outcome, "not_reproduced");
            assert!(!attack.passed);
        }
    }
}
