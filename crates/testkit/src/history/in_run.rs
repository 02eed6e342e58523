//! The steps that happen in runs: reads, and what is written with them before the eyes.

use immune_model::{
    BeliefId, Carriage, ChannelName, Item, ObservationId, RunId, Subject, SubjectFrom, Text,
};
use immune_reason::plan::{HandOver, Narrowing, NewClaim, SetChannel, Show, SourceRef};
use proptest::prelude::*;

use super::{History, Step, claim, source};

/// A step of one of three runs.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let (run, subject, value) = (0..3u8, 0..4u8, 0..3u8);
    prop_oneof![
        5 => (run.clone(), prop::collection::vec(any::<u8>(), 1..3))
            .prop_map(|(run, beliefs)| Step::Read { run, beliefs }),
        2 => (run.clone(), any::<u8>()).prop_map(|(run, pick)| Step::ReadObservation { run, pick }),
        5 => (run.clone(), 0..7u8, subject.clone(), value.clone())
            .prop_map(|(run, source, subject, value)| Step::Say { run, source, subject, value }),
        5 => (run.clone(), prop::collection::vec(any::<u8>(), 1..3), subject, value, prop::bool::weighted(0.2))
            .prop_map(|(run, premises, subject, value, narrowed)| {
                Step::Conclude { run, premises, subject, value, narrowed }
            }),
        1 => (run.clone(), 0..5u8).prop_map(|(run, source)| Step::Note { run, source }),
        1 => (run.clone(), run).prop_map(|(run, parent)| Step::HandOver { run, parent }),
        1 => any::<bool>().prop_map(|authored| Step::Carriage { authored }),
    ]
}

impl History {
    pub(super) fn take_in_run(&mut self, step: &Step) {
        match step {
            Step::Read { run, beliefs } => {
                let n = self.state.n_beliefs();
                if n > 0 {
                    let pick = |it: &u8| Item::Belief(BeliefId::from_index(usize::from(*it) % n));
                    self.show(*run, beliefs.iter().map(pick).collect());
                }
            }
            Step::ReadObservation { run, pick } => {
                if let Some(at) = usize::from(*pick).checked_rem(self.state.n_observations()) {
                    self.show(*run, vec![ObservationId::from_index(at).into()]);
                }
            }
            Step::Say {
                run,
                source: from,
                subject,
                value,
            } => {
                let claim = claim(*subject, *value);
                let text = claim.text.clone();
                self.say(speaker(*from), text, Some(named_run(*run)), vec![claim]);
            }
            Step::Note { run, source: from } => {
                let text = Text::new(&format!("nothing to claim {}", self.times)).unwrap();
                self.say(speaker(*from), text, Some(named_run(*run)), Vec::new());
            }
            Step::Conclude {
                run,
                premises,
                subject,
                value,
                narrowed,
            } => {
                if let Some(mut command) = self.derivation(premises, *subject, *value) {
                    command.run = Some(named_run(*run));
                    if *narrowed {
                        command.narrowing = Narrowing::Narrowed;
                    }
                    self.plan(|draft| draft.derive(&command).map(drop).unwrap());
                }
            }
            Step::HandOver { run, parent } => {
                let command = HandOver {
                    run: named_run(*run),
                    parent: named_run(*parent),
                    items: None,
                };
                // Refused where it was shown something before; that is a step too.
                self.plan(|draft| drop(draft.hand_over(&command)));
            }
            Step::Carriage { authored } => self.set_carriage(*authored),
            _ => unreachable!("`take` hands over what happens in a run, and nothing else"),
        }
    }

    /// So many notes without a literal, each read by run 0, which then writes one of its own.
    pub fn long_run(&mut self, reads: u32) {
        let claim = |who: &str, n: u32| {
            let subject = Subject::new(&format!("{who}/{n}.note")).unwrap();
            let text = Text::new(&format!("{who} noted number {n}")).unwrap();
            NewClaim::read(subject, SubjectFrom::Caller, text)
        };
        for n in 0..reads {
            self.times += 1;
            let claim = claim("somebody", n);
            self.say(speaker(0), claim.text.clone(), None, vec![claim]);
        }
        for n in 0..reads {
            self.times += 1;
            self.show(0, vec![BeliefId::from_index(n as usize).into()]);
            let claim = claim("agent", n);
            self.say(
                speaker(6),
                claim.text.clone(),
                Some(named_run(0)),
                vec![claim],
            );
        }
    }

    fn show(&mut self, run: u8, items: Vec<Item>) {
        let run = named_run(run);
        let run = Some(run);
        let command = Show { run, items };
        self.plan(|draft| draft.show(&command).map(drop).unwrap());
    }

    fn set_carriage(&mut self, authored: bool) {
        let tier = self
            .state
            .channel(immune_model::ChannelId::new(1))
            .unwrap()
            .tier;
        let carriage = if authored {
            Carriage::Authored
        } else {
            Carriage::Relays
        };
        let command = SetChannel {
            name: ChannelName::new("inbox").unwrap(),
            tier,
            carriage: Some(carriage),
            create_only: false,
        };
        self.plan(|draft| draft.set_channel(&command).map(drop).unwrap());
    }
}

pub(super) fn named_run(run: u8) -> RunId {
    RunId::new(&format!("run {run}")).unwrap()
}

/// Five newcomers, the record, and the agent.
pub(super) fn speaker(n: u8) -> SourceRef {
    match n {
        5 => source("records", "ledger"),
        6 => source("agents", "agent"),
        _ => source("inbox", &format!("s{n}")),
    }
}
