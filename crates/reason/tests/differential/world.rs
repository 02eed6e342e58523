//! A state beside its base facts: each change is applied to both, to the state as the event that
//! a plan would write.
//!
//! Events are applied as a replay applies them, because plans refuse most graphs: a premise has to
//! stand when a derivation is planned. The beliefs come into being with a statement that an
//! incident undoes, so that each starts without any justification.

use std::sync::Arc;

use immune_model::*;
use immune_reason::State;

use crate::facts::{Facts, Flagged, Giver, Link, Note, Refutation, Why};

/// Channels, each with one source that states there and derives there.
pub(crate) const N_SOURCES: usize = 4;

/// A change of base facts; numbers pick among what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Derive {
        head: usize,
        beliefs: u32,
        notes: u32,
        agent: usize,
    },
    State {
        heads: u32,
        source: usize,
    },
    Note {
        source: usize,
    },
    Refute {
        beliefs: u32,
    },
    FlagBelief {
        belief: usize,
    },
    FlagObservation {
        nth: usize,
    },
    /// What it sent since so many minutes ago, or all.
    FlagSource {
        source: usize,
        minutes: Option<u32>,
    },
    Reinstate {
        nth: usize,
    },
    Forget {
        belief: usize,
    },
    Expire {
        nth: usize,
    },
    Supersede {
        nth: usize,
        by: usize,
    },
    CloseNote {
        nth: usize,
    },
    Tier {
        source: usize,
        tier: u16,
    },
    Mirror {
        source: usize,
        of: usize,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) state: State,
    pub(crate) facts: Facts,
    names: Arc<Names>,
    /// The number of each note and incident in the log.
    notes: Vec<ObservationId>,
    incidents: Vec<IncidentId>,
    n_observations: usize,
    /// One change, one minute.
    minute: u32,
}

/// What is said in every event, made once.
#[derive(Debug)]
struct Names {
    actor: Principal,
    start: Instant,
    text: Text,
    subjects: Vec<Subject>,
    channels: Vec<ChannelName>,
}

impl World {
    /// So many beliefs without a justification.
    pub(crate) fn new(n_beliefs: usize) -> Self {
        let names = Names {
            actor: Principal {
                role: Role::Operator,
                name: Handle::new("me").unwrap(),
            },
            start: "2026-08-13T13:30:00Z".parse().unwrap(),
            text: Text::new("so it is").unwrap(),
            subjects: each(n_beliefs, |it| {
                Subject::new(&format!("area.about_{it}")).unwrap()
            }),
            channels: each(N_SOURCES, |it| ChannelName::new(&format!("c{it}")).unwrap()),
        };
        let mut world = Self {
            state: State::new(),
            facts: Facts {
                n_beliefs,
                tiers: vec![1000; N_SOURCES],
                ..Facts::default()
            },
            names: Arc::new(names),
            notes: Vec::new(),
            incidents: Vec::new(),
            n_observations: 0,
            minute: 0,
        };
        let name = MemoryName::new("random").unwrap();
        world.push(Event::MemoryCreated { name });
        for source in 0..N_SOURCES {
            world.set_tier(source, 1000);
            world.push(Event::SourceAdded {
                source: SourceId::from_index(source),
                channel: ChannelId::from_index(source),
                handle: Handle::new(&format!("s{source}")).unwrap(),
                kind: SourceKind::Other,
                standing: Standing::Declared,
            });
        }
        // The first observation gives the beliefs, and is undone; the second is where refutations
        // are spoken.
        let heads: Vec<usize> = (0..n_beliefs).collect();
        world.observe(0, &heads);
        world.open_incident(ObservationId::new(1), &[]);
        world.push(Event::Reinstated {
            incident: IncidentId::new(1),
        });
        world.observe(0, &[]);
        world.state.take_changes();
        world
    }

    /// Carries out a change; one that is not possible now does nothing.
    pub(crate) fn take(&mut self, change: &Change) {
        self.minute += 1;
        let n_links = self.facts.links.len();
        match *change {
            Change::Derive {
                head,
                beliefs,
                notes,
                agent,
            } => self.derive(head, beliefs, notes, agent),
            Change::State { heads, source } => {
                let heads = self.chosen(heads);
                let observation = self.n_observations;
                self.observe(source, &heads);
                let stated = heads.into_iter().map(|head| Link {
                    head,
                    beliefs: Vec::new(),
                    notes: Vec::new(),
                    giver: Giver::Source(source, observation),
                    at: self.minute,
                    closings: Vec::new(),
                });
                self.facts.links.extend(stated);
            }
            Change::Note { source } => {
                self.notes.push(self.next_observation());
                self.observe(source, &[]);
                self.facts.notes.push(Note {
                    source,
                    observation: self.n_observations - 1,
                    at: self.minute,
                    closed: false,
                });
            }
            Change::Refute { beliefs } => self.refute(beliefs),
            Change::FlagBelief { belief } => {
                let belief = belief % self.facts.n_beliefs;
                if self.facts.has_link(belief) {
                    let target = FlagTarget::Belief(BeliefId::from_index(belief));
                    self.flag(target, None, vec![belief], None);
                }
            }
            Change::FlagObservation { nth } => {
                // The first observation was undone.
                let nth = 1 + nth % (self.n_observations - 1);
                let target = FlagTarget::Observation(ObservationId::from_index(nth));
                self.flag(target, None, Vec::new(), Some(Flagged::Observation(nth)));
            }
            Change::FlagSource { source, minutes } => {
                let since = minutes.map_or(0, |it| self.minute.saturating_sub(it));
                let target = FlagTarget::Source(SourceId::from_index(source));
                let flagged = Some(Flagged::Source(source, since));
                let from = minutes.map(|_| self.at(since));
                self.flag(target, from, Vec::new(), flagged);
            }
            Change::Reinstate { nth } => self.reinstate(nth),
            Change::Forget { belief } => {
                let closing = Closing::Forgotten;
                let belief = belief % self.facts.n_beliefs;
                self.push(Event::BeliefClosed {
                    belief: BeliefId::from_index(belief),
                    closing,
                });
                let own = |(_, it): &(usize, &Link)| it.head == belief;
                let links = self.facts.links.iter().enumerate().filter(own);
                let links: Vec<usize> = links.map(|(place, _)| place).collect();
                self.note_closing(&links, Why::Forgotten);
            }
            Change::Expire { nth } if n_links > 0 => self.close(nth % n_links, Why::Expired),
            Change::Supersede { nth, by } => self.supersede(nth, by),
            Change::CloseNote { nth } if !self.notes.is_empty() => {
                let nth = nth % self.notes.len();
                self.facts.notes[nth].closed = true;
                self.push(Event::ObservationClosed {
                    observation: self.notes[nth],
                    closing: Closing::Forgotten,
                });
            }
            Change::Expire { .. } | Change::CloseNote { .. } => {}
            Change::Tier { source, tier } => self.set_tier(source, tier),
            Change::Mirror { source, of } => self.mirror(source, of),
        }
    }

    fn derive(&mut self, head: usize, beliefs: u32, notes: u32, agent: usize) {
        let head = head % self.facts.n_beliefs;
        let beliefs = self.chosen(beliefs);
        let mut chosen_notes: Vec<usize> = (0..self.notes.len()).collect();
        chosen_notes.retain(|it| notes & (1 << it) != 0);
        if beliefs.is_empty() && chosen_notes.is_empty() {
            return;
        }
        let notes = chosen_notes.iter().map(|it| self.notes[*it]);
        let mut premises: Vec<Premise> = notes.map(Premise::Observation).collect();
        premises.extend(
            beliefs
                .iter()
                .map(|it| Premise::Belief(BeliefId::from_index(*it))),
        );
        premises.sort_unstable();
        self.push(Event::Derived(Derived {
            belief: BeliefId::from_index(head),
            justification: self.next_justification(),
            agent: SourceId::from_index(agent),
            namespace: Namespace::ROOT,
            subject: self.names.subjects[head].clone(),
            text: self.names.text.clone(),
            polarity: Polarity::Affirmed,
            literals: Vec::new(),
            premises,
            run: None,
            expires_at: None,
        }));
        self.facts.links.push(Link {
            head,
            beliefs,
            notes: chosen_notes,
            giver: Giver::Agent(agent),
            at: self.minute,
            closings: Vec::new(),
        });
    }

    fn flag(
        &mut self,
        target: FlagTarget,
        received_from: Option<Instant>,
        beliefs: Vec<usize>,
        flagged: Option<Flagged>,
    ) {
        let incident = self.next_incident();
        self.incidents.push(incident);
        self.push(Event::Flagged {
            incident,
            since: self.state.seq() + 1,
            target,
            received_from,
            reason: None,
        });
        self.facts.refutations.push(Refutation {
            beliefs,
            stated: Vec::new(),
            flagged,
            undone: false,
        });
    }

    /// Refutes those of the beliefs that have a justification.
    fn refute(&mut self, beliefs: u32) {
        let mut beliefs = self.chosen(beliefs);
        beliefs.retain(|it| self.facts.has_link(*it));
        if beliefs.is_empty() {
            return;
        }
        let of_refuted = |it: &&Link| beliefs.contains(&it.head);
        let stated = self.facts.links.iter().filter(of_refuted);
        let mut stated: Vec<(usize, usize)> = stated
            .filter_map(|it| match it.giver {
                Giver::Source(source, observation) => Some((source, observation)),
                Giver::Agent(_) => None,
            })
            .collect();
        stated.sort_unstable_by_key(|(_, observation)| *observation);
        self.incidents.push(self.next_incident());
        self.open_incident(ObservationId::new(2), &beliefs);
        self.facts.refutations.push(Refutation {
            beliefs,
            stated,
            flagged: None,
            undone: false,
        });
    }

    fn reinstate(&mut self, nth: usize) {
        if self.incidents.is_empty() {
            return;
        }
        let nth = nth % self.incidents.len();
        if !std::mem::replace(&mut self.facts.refutations[nth].undone, true) {
            let incident = self.incidents[nth];
            self.push(Event::Reinstated { incident });
        }
    }

    /// What was stated is replaced by what was stated later: plans write no other supersession.
    fn supersede(&mut self, nth: usize, by: usize) {
        let links = self.facts.links.iter().enumerate();
        let stated = links.filter(|(_, it)| matches!(it.giver, Giver::Source(..)));
        let stated: Vec<usize> = stated.map(|(place, _)| place).collect();
        let n = stated.len().max(1);
        let (nth, by) = (nth % n, by % n);
        if nth != by {
            self.close(stated[nth.min(by)], Why::Superseded(stated[nth.max(by)]));
        }
    }

    fn close(&mut self, link: usize, why: Why) {
        let closing = match why {
            Why::Expired => Closing::Expired,
            Why::Forgotten => Closing::Forgotten,
            Why::Superseded(by) => Closing::Superseded {
                by: self.justification(by),
            },
        };
        self.push(Event::StatementsClosed {
            justifications: vec![self.justification(link)],
            closing,
        });
        self.note_closing(&[link], why);
    }

    fn note_closing(&mut self, links: &[usize], why: Why) {
        let seq = self.state.seq();
        for link in links {
            self.facts.links[*link].closings.push((seq, why));
        }
    }

    fn set_tier(&mut self, source: usize, tier: u16) {
        self.facts.tiers[source] = tier;
        self.push(Event::ChannelSet {
            channel: ChannelId::from_index(source),
            name: self.names.channels[source].clone(),
            tier: Trust::from_thousandths(tier).unwrap(),
            carriage: Carriage::Authored,
        });
    }

    /// Declares that a source copies another, or takes it back.
    fn mirror(&mut self, from: usize, of: usize) {
        if from == of {
            return;
        }
        let known = self.facts.mirrors.iter().position(|it| *it == (from, of));
        let (source, copied) = (SourceId::from_index(from), SourceId::from_index(of));
        if let Some(known) = known {
            self.facts.mirrors.remove(known);
            self.push(Event::MirrorWithdrawn { source, of: copied });
        } else {
            self.facts.mirrors.push((from, of));
            self.push(Event::MirrorDeclared { source, of: copied });
        }
    }

    fn observe(&mut self, source: usize, heads: &[usize]) {
        let first = self.next_justification().index();
        let statement = |(place, head): (usize, &usize)| Statement {
            belief: BeliefId::from_index(*head),
            justification: JustificationId::from_index(first + place),
            subject: self.names.subjects[*head].clone(),
            subject_from: SubjectFrom::Rules,
            text: self.names.text.clone(),
            polarity: Polarity::Affirmed,
            literals: Vec::new(),
            valid_from: None,
            valid_until: None,
            expires_at: None,
        };
        self.push(Event::Observed(Observed {
            observation: self.next_observation(),
            source: SourceId::from_index(source),
            namespace: Namespace::ROOT,
            text: self.names.text.clone(),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Explicit,
            statements: heads.iter().enumerate().map(statement).collect(),
        }));
        self.n_observations += 1;
    }

    fn open_incident(&mut self, trigger: ObservationId, refuted: &[usize]) {
        // Undoing the first one undoes its observation too.
        let since = if trigger == ObservationId::new(1) {
            self.state.seq()
        } else {
            self.state.seq() + 1
        };
        self.push(Event::IncidentOpened(Incident {
            incident: self.next_incident(),
            since,
            trigger,
            challenger: SourceId::new(1),
            subject: self.names.subjects[0].clone(),
            refuted: refuted.iter().map(|it| BeliefId::from_index(*it)).collect(),
        }));
    }

    fn push(&mut self, event: Event) {
        self.state.apply(&Recorded {
            seq: self.state.seq() + 1,
            at: self.at(self.minute),
            actor: self.names.actor.clone(),
            event,
        });
    }

    fn at(&self, minute: u32) -> Instant {
        self.names.start.plus_seconds(60 * minute)
    }

    /// The beliefs of the bits that are set.
    fn chosen(&self, bits: u32) -> Vec<usize> {
        (0..self.facts.n_beliefs)
            .filter(|it| bits & (1 << it) != 0)
            .collect()
    }

    /// The justification of a link: the first ones were undone.
    fn justification(&self, link: usize) -> JustificationId {
        JustificationId::from_index(self.facts.n_beliefs + link)
    }

    fn next_justification(&self) -> JustificationId {
        JustificationId::from_index(self.state.n_justifications())
    }

    fn next_observation(&self) -> ObservationId {
        ObservationId::from_index(self.n_observations)
    }

    fn next_incident(&self) -> IncidentId {
        IncidentId::from_index(self.state.n_incidents())
    }

    /// What the state says of every belief.
    pub(crate) fn answers(&self) -> Vec<(Status, Trust)> {
        let now = |id| self.state.belief_now(id).unwrap();
        let ids = self.state.belief_ids();
        ids.map(|id| (now(id).status, now(id).strength)).collect()
    }
}

fn each<T>(n: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..n).map(make).collect()
}
