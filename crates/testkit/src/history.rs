//! Random histories: commands over few sources, subjects and values, so that they meet. For laws
//! that hold after every step of every history.

#![expect(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the parts of a step are named by their words, and a test panics when it is wrong"
)]

mod copied;
mod in_run;
mod meshed;
mod tested;

use immune_model::{
    ActionClass, Area, BeliefId, Carriage, ChannelName, Handle, IncidentId, Instant, Item, Kind,
    Literal, LiteralKind, MemoryName, Namespace, ObservationId, Polarity, Principal, Recorded,
    Role, Rule, RuleId, RunId, Screening, SourceId, Status, Subject, SubjectFrom, Text, Trust,
    UnknownPolicy,
};
use immune_reason::plan::{
    Challenge, Copying, Derivation, EffectOutcome, FinishAction, Flag, FlagWhat, Forget, Guard,
    GuardVerdict, NameRecord, Narrowing, NewClaim, Rederivation, Reinstate, Remember, SetChannel,
    SetHalfLife, SetMirror, SetRule, SourceRef, Unflag,
};
use immune_reason::state::Cause;
use immune_reason::{Draft, State};
use proptest::prelude::*;

/// One command; numbers pick among what is there.
#[derive(Debug, Clone)]
pub enum Step {
    Remember {
        source: u8,
        subject: u8,
        value: u8,
        ttl: bool,
    },
    Derive {
        premises: Vec<u8>,
        subject: u8,
        value: u8,
    },
    Challenge {
        subject: u8,
        value: u8,
        record: bool,
    },
    Forget {
        belief: u8,
    },
    Act {
        beliefs: Vec<u8>,
    },
    Tier {
        tier: u16,
    },
    Reinstate {
        incident: u8,
    },
    Mirror {
        source: u8,
        of: u8,
    },
    Flag {
        of: FlagOf,
        pick: u8,
    },
    Unflag {
        pick: u8,
    },
    /// An answer is attributed to beliefs, and the first of them is released if it may be.
    Parole {
        beliefs: Vec<u8>,
    },
    /// The mesh finds something of an agent, or an operator takes something of it back.
    Mesh {
        what: u8,
        pick: u8,
    },
    Rederive {
        premises: Vec<u8>,
        task: u8,
    },
    Fade {
        area: u8,
        days: u8,
    },
    Wait,
    /// As `Remember`, in one of several long texts, in a run or in none: each is almost the same as
    /// the next, and not as the one after that.
    Repeat {
        source: u8,
        subject: u8,
        value: u8,
        drift: u8,
        run: Option<u8>,
    },
    /// An operator rules that two copy nothing from one another, or no more.
    Rule {
        source: u8,
        of: u8,
        independent: bool,
    },
    /// A run is shown beliefs, whether they stand or not.
    Read {
        run: u8,
        beliefs: Vec<u8>,
    },
    /// A run is shown an observation.
    ReadObservation {
        run: u8,
        pick: u8,
    },
    /// As `Remember`, in a run; some sources are the agent and the record.
    Say {
        run: u8,
        source: u8,
        subject: u8,
        value: u8,
    },
    /// As `Derive`, in a run.
    Conclude {
        run: u8,
        premises: Vec<u8>,
        subject: u8,
        value: u8,
        narrowed: bool,
    },
    /// Content without a claim, in a run.
    Note {
        run: u8,
        source: u8,
    },
    /// A run starts another one.
    HandOver {
        run: u8,
        parent: u8,
    },
    /// An operator vouches for the inbox, or no more.
    Carriage {
        authored: bool,
    },
}

/// What is flagged.
#[derive(Debug, Clone, Copy)]
pub enum FlagOf {
    Source,
    SourceSince,
    Observation,
    Belief,
}

/// Histories of fewer than so many steps.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let (subject, value) = (0..4u8, 0..3u8);
    let step = prop_oneof![
        6 => (0..5u8, subject.clone(), value.clone(), prop::bool::weighted(0.2))
            .prop_map(|(source, subject, value, ttl)| Step::Remember { source, subject, value, ttl }),
        8 => (prop::collection::vec(any::<u8>(), 1..4), subject.clone(), value.clone())
            .prop_map(|(premises, subject, value)| Step::Derive { premises, subject, value }),
        2 => (subject, value, any::<bool>())
            .prop_map(|(subject, value, record)| Step::Challenge { subject, value, record }),
        1 => any::<u8>().prop_map(|belief| Step::Forget { belief }),
        2 => prop::collection::vec(any::<u8>(), 1..3).prop_map(|beliefs| Step::Act { beliefs }),
        1 => (0..1000u16).prop_map(|tier| Step::Tier { tier }),
        1 => any::<u8>().prop_map(|incident| Step::Reinstate { incident }),
        1 => (0..5u8, 0..5u8).prop_map(|(source, of)| Step::Mirror { source, of }),
        2 => (flag_of(), any::<u8>()).prop_map(|(of, pick)| Step::Flag { of, pick }),
        1 => any::<u8>().prop_map(|pick| Step::Unflag { pick }),
        1 => prop::collection::vec(any::<u8>(), 1..3).prop_map(|beliefs| Step::Parole { beliefs }),
        2 => (0..8u8, any::<u8>()).prop_map(|(what, pick)| Step::Mesh { what, pick }),
        1 => (prop::collection::vec(any::<u8>(), 1..3), any::<u8>())
            .prop_map(|(premises, task)| Step::Rederive { premises, task }),
        1 => (0..3u8, any::<u8>()).prop_map(|(area, days)| Step::Fade { area, days }),
        1 => Just(Step::Wait),
        4 => in_run::steps(),
        4 => copied::steps(),
    ];
    prop::collection::vec(step, 1..most)
}

/// Anything that can be flagged.
pub fn flag_of() -> impl Strategy<Value = FlagOf> {
    prop_oneof![
        Just(FlagOf::Source),
        Just(FlagOf::SourceSince),
        Just(FlagOf::Observation),
        Just(FlagOf::Belief),
    ]
}

/// A state with the log that made it.
pub struct History {
    pub state: State,
    pub log: Vec<Recorded>,
    now: Instant,
    times: u64,
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// An inbox, a record for everything, a rule for payments.
    pub fn new() -> Self {
        let mut history = Self {
            state: State::new(),
            log: Vec::new(),
            now: "2026-08-13T13:30:00Z".parse().unwrap(),
            times: 0,
        };
        for (name, tier, carriage) in [
            ("inbox", "0.7", Carriage::Relays),
            ("records", "0.98", Carriage::Authored),
            ("agents", "0.85", Carriage::Relays),
        ] {
            history.plan(|draft| {
                let (name, tier) = (ChannelName::new(name).unwrap(), tier.parse().unwrap());
                let carriage = Some(carriage);
                draft
                    .set_channel(&SetChannel {
                        name,
                        tier,
                        carriage,
                        create_only: false,
                    })
                    .unwrap();
            });
        }
        history.plan(|draft| {
            let area = Area::new("*").unwrap();
            draft
                .name_record(&NameRecord {
                    source: source("records", "ledger"),
                    area,
                })
                .unwrap();
            let rule = Rule {
                rule: RuleId::new(1),
                kind: Kind::new("pay").unwrap(),
                class: ActionClass::Compensable,
                unknown: UnknownPolicy::Warn,
                waiver: None,
                compensation: None,
            };
            let corroboration = 0;
            draft
                .set_rule(&SetRule {
                    rule,
                    corroboration,
                })
                .unwrap();
        });
        history
    }

    /// Carries out a step; one that is not possible now does nothing.
    pub fn take(&mut self, step: &Step) {
        self.times += 1;
        match step {
            Step::Remember {
                source,
                subject,
                value,
                ttl,
            } => {
                self.remember(*source, *subject, *value, *ttl);
            }
            Step::Derive {
                premises,
                subject,
                value,
            } => self.derive(premises, *subject, *value),
            Step::Challenge {
                subject,
                value,
                record,
            } => {
                let from = if *record {
                    source("records", "ledger")
                } else {
                    source("inbox", "s0")
                };
                let command = Challenge::new(from, claim(*subject, *value));
                self.plan(|draft| draft.challenge(&command).map(drop).unwrap());
            }
            Step::Forget { belief } => {
                let n = self.state.n_beliefs();
                if n > 0 {
                    let item = Item::Belief(BeliefId::from_index(usize::from(*belief) % n));
                    self.plan(|draft| draft.forget(&Forget { item }).map(drop).unwrap());
                }
            }
            Step::Act { beliefs } => self.act(beliefs),
            Step::Tier { tier } => {
                let name = ChannelName::new("inbox").unwrap();
                let tier = Trust::from_thousandths(*tier).unwrap();
                let command = SetChannel {
                    name,
                    tier,
                    carriage: None,
                    create_only: false,
                };
                self.plan(|draft| draft.set_channel(&command).map(|_| ()).unwrap());
            }
            Step::Reinstate { incident } => {
                let n = self.state.n_incidents();
                if n > 0 {
                    self.reinstate(IncidentId::from_index(usize::from(*incident) % n));
                }
            }
            Step::Mirror { source, of } => self.mirror(*source, *of),
            Step::Flag { of, pick } => drop(self.flag(*of, *pick)),
            Step::Unflag { pick } => self.unflag(*pick),
            Step::Parole { beliefs } => self.attribute_and_parole(beliefs),
            Step::Mesh { what, pick } => self.mesh(*what, *pick),
            Step::Rederive { premises, task } => self.rederive(premises, *task),
            Step::Fade { area, days } => self.fade(*area, *days),
            Step::Wait => {
                self.now = self.now.plus_seconds(3600);
                self.plan(Draft::expire);
            }
            Step::Repeat { .. } | Step::Rule { .. } => self.take_copied(step),
            _ => self.take_in_run(step),
        }
    }

    fn fade(&mut self, area: u8, days: u8) {
        let area = ["*", "area_1.*", "area_2.destination"][usize::from(area)];
        let command = SetHalfLife {
            area: Area::new(area).unwrap(),
            seconds: std::num::NonZeroU32::new(u32::from(days) * 86_400),
        };
        self.plan(|draft| draft.set_half_life(&command).map(drop).unwrap());
    }

    /// A system of record speaks, as a message of its own; the incident, if it opened one.
    pub fn refute(&mut self, subject: u8, value: u8) -> Option<IncidentId> {
        self.times += 1;
        let mut command = Challenge::new(source("records", "ledger"), claim(subject, value));
        command.statement.external_id =
            Some(Text::new(&format!("message {}", self.times)).unwrap());
        let before = self.state.n_incidents();
        self.plan(|draft| draft.challenge(&command).map(drop).unwrap());
        (self.state.n_incidents() > before).then(|| IncidentId::from_index(before))
    }

    /// An operator flags something; the incident, if it opened one.
    pub fn flag(&mut self, of: FlagOf, pick: u8) -> Option<IncidentId> {
        let pick = usize::from(pick);
        let count = match of {
            FlagOf::Source | FlagOf::SourceSince => self.state.n_sources(),
            FlagOf::Observation => self.state.n_observations(),
            FlagOf::Belief => self.state.n_beliefs(),
        };
        let at = pick.checked_rem(count)?;
        let item = match of {
            FlagOf::Source | FlagOf::SourceSince => Item::Source(SourceId::from_index(at)),
            FlagOf::Observation => Item::Observation(ObservationId::from_index(at)),
            FlagOf::Belief => Item::Belief(BeliefId::from_index(at)),
        };
        let received_from = matches!(of, FlagOf::SourceSince).then_some(self.now);
        let command = Flag {
            what: FlagWhat::Item(item),
            received_from,
            reason: None,
        };
        let before = self.state.n_incidents();
        self.plan(|draft| draft.flag(&command).map(drop).unwrap());
        (self.state.n_incidents() > before).then(|| IncidentId::from_index(before))
    }

    fn unflag(&mut self, pick: u8) {
        let flagged = self.state.incident_ids().filter_map(|id| {
            match self.state.incident(id).unwrap().cause {
                Cause::Flag { target, .. } => Some(Item::from(target)),
                Cause::Challenge { .. } => None,
            }
        });
        let flagged: Vec<Item> = flagged.collect();
        if let Some(at) = usize::from(pick).checked_rem(flagged.len()) {
            let what = FlagWhat::Item(flagged[at]);
            self.plan(|draft| draft.unflag(&Unflag { what }).map(drop).unwrap());
        }
    }

    /// Undoes an incident.
    pub fn reinstate(&mut self, incident: IncidentId) {
        self.plan(|draft| draft.reinstate(&Reinstate { incident }).map(drop).unwrap());
    }

    /// The same statement once more, as a message of its own.
    pub fn say_again(&mut self, step: &Step) {
        if let Step::Remember {
            source,
            subject,
            value,
            ..
        } = step
        {
            self.times += 1;
            self.remember(*source, *subject, *value, false);
        }
    }

    fn derive(&mut self, premises: &[u8], subject: u8, value: u8) {
        if let Some(command) = self.derivation(premises, subject, value) {
            self.plan(|draft| draft.derive(&command).map(drop).unwrap());
        }
    }

    /// Something else about the subject takes the place of what fell.
    fn rederive(&mut self, premises: &[u8], task: u8) {
        let open = self.state.task_ids().filter_map(|id| {
            let task = self.state.task(id).unwrap();
            task.is_open().then_some(task.belief)
        });
        let open: Vec<BeliefId> = open.collect();
        let Some(at) = usize::from(task).checked_rem(open.len()) else {
            return;
        };
        if let Some(derivation) = self.derivation(premises, task % 4, task % 3) {
            let command = Rederivation {
                derivation,
                replaces: open[at],
            };
            self.plan(|draft| draft.rederive(&command).map(drop).unwrap());
        }
    }

    fn derivation(&self, premises: &[u8], subject: u8, value: u8) -> Option<Derivation> {
        let standing: Vec<BeliefId> = self.standing();
        if standing.is_empty() {
            return None;
        }
        let pick = |it: &u8| Item::Belief(standing[usize::from(*it) % standing.len()]);
        let mut claim = claim(subject, value);
        claim.confidence = (subject == 3 && value == 1).then(|| "0.4".parse().unwrap());
        Some(Derivation {
            agent: Handle::new("agent").unwrap(),
            namespace: Namespace::ROOT,
            premises: premises.iter().map(pick).collect(),
            claim,
            run: None,
            narrowing: Narrowing::Whole,
            metadata: immune_model::Metadata::default(),
        })
    }

    fn mirror(&mut self, copies: u8, of: u8) {
        let named = |n: u8| source("inbox", &format!("s{n}"));
        let copying = if self.times.is_multiple_of(3) {
            Copying::Withdrawn
        } else {
            Copying::Declared
        };
        let command = SetMirror {
            source: named(copies),
            of: named(of),
            copying,
        };
        // Unknown and own ones are refused; that is a step too.
        self.plan(|draft| drop(draft.set_mirror(&command)));
    }

    fn standing(&self) -> Vec<BeliefId> {
        let active = |id: &BeliefId| self.state.belief_now(*id).unwrap().status == Status::Active;
        self.state.belief_ids().filter(active).collect()
    }

    fn remember(&mut self, from: u8, subject: u8, value: u8, ttl: bool) {
        let mut claim = claim(subject, value);
        // Some are not sure of some things: one of them less than recall asks for.
        let hedged = |it: &str| Some(it.parse().unwrap());
        claim.confidence = match (from, value) {
            (3, 1) => hedged("0.6"),
            (4, 2) => hedged("0.3"),
            _ => None,
        };
        claim.expires_at = ttl.then(|| self.now.plus_seconds(1800));
        let text = claim.text.clone();
        self.say(in_run::speaker(from), text, None, vec![claim]);
    }

    fn say(&mut self, from: SourceRef, text: Text, run: Option<RunId>, claims: Vec<NewClaim>) {
        let command = Remember {
            from,
            namespace: Namespace::ROOT,
            text,
            sent_at: None,
            external_id: Some(Text::new(&format!("message {}", self.times)).unwrap()),
            run,
            screening: Screening::Explicit,
            claims,
            metadata: immune_model::Metadata::default(),
        };
        self.plan(|draft| drop(draft.remember(&command).unwrap()));
    }

    fn act(&mut self, beliefs: &[u8]) {
        let standing = self.standing();
        if standing.is_empty() {
            return;
        }
        let used = beliefs
            .iter()
            .map(|it| standing[usize::from(*it) % standing.len()])
            .collect();
        let command = Guard {
            agent: Handle::new("agent").unwrap(),
            namespace: Namespace::ROOT,
            kind: Kind::new("pay").unwrap(),
            payload: Text::new("payload").unwrap(),
            literals: Vec::new(),
            used: Some(used),
            run: None,
            narrowing: Narrowing::Whole,
        };
        self.plan(|draft| {
            let guarded = draft.guard(&command).unwrap();
            if guarded.verdict == GuardVerdict::Proceed {
                let outcome = EffectOutcome::Executed(None);
                draft
                    .finish_action(&FinishAction {
                        action: guarded.action,
                        outcome,
                    })
                    .unwrap();
            }
        });
    }

    fn plan(&mut self, plan: impl FnOnce(&mut Draft)) {
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("me").unwrap(),
        };
        let mut draft = Draft::new(self.state.clone(), operator, self.now);
        draft.name(&MemoryName::new("random").unwrap());
        plan(&mut draft);
        let (state, mut events) = draft.finish();
        self.state = state;
        self.log.append(&mut events);
    }
}

fn source(channel: &str, name: &str) -> SourceRef {
    SourceRef {
        channel: Some(ChannelName::new(channel).unwrap()),
        handle: Handle::new(name).unwrap(),
        kind: None,
    }
}

/// Values of one subject disagree: they carry different accounts.
fn claim(subject: u8, value: u8) -> NewClaim {
    let account = [
        "GB29NWBK60161331926819",
        "DE89370400440532013000",
        "FR1420041010050500013M02606",
    ];
    NewClaim {
        subject: Subject::new(&format!("area_{subject}.destination")).unwrap(),
        subject_from: if subject.is_multiple_of(2) {
            SubjectFrom::Caller
        } else {
            SubjectFrom::Rules
        },
        text: Text::new(&format!("pay to {}", account[usize::from(value)])).unwrap(),
        polarity: Polarity::Affirmed,
        literals: vec![Literal::new(LiteralKind::Iban, account[usize::from(value)])],
        confidence: None,
        valid_from: None,
        valid_until: None,
        expires_at: None,
    }
}
