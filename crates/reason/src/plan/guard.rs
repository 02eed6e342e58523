//! `guard`: a decision and its action are written before the effect runs, with what they rely on.
//!
//! That is what makes an action reversible later. The guard refuses what rests on nothing, or on
//! something that does not stand, or on fewer origins than the rule asks for; it asks the systems of
//! record, unless a belief waives the check that is allowed to (semantics.md 8 and 9).

use std::collections::BTreeSet;

use immune_model::{
    ActionClass, ActionId, BeliefId, ContextUse, Decided, DecisionId, Event, Handle, IncidentId,
    Kind, Literal, Namespace, Polarity, Premise, Proposal, Role, Rule, RuleId, RunId, SourceId,
    Status, Text, Trust, UnknownPolicy, UsedBy, Verdict, WaiverBar, Write, limits,
};

use super::context::Narrowing;
use super::{Draft, Forbidden, SourceError};
use crate::context::ContextId;
use crate::origins::Origin;
use crate::state::Grounds;
use crate::subject::identifies;

/// An action that is about to be taken.
#[derive(Debug, Clone)]
pub struct Guard {
    /// The agent that decides.
    pub agent: Handle,
    /// The part of the memory it relies on.
    pub namespace: Namespace,
    /// What kind of action.
    pub kind: Kind,
    /// What the effect is given.
    pub payload: Text,
    /// The typed literals of the payload.
    pub literals: Vec<Literal>,
    /// The beliefs it relies on; the carriers of the payload's literals if nothing is said.
    pub used: Option<Vec<BeliefId>>,
    /// The run in which it is decided.
    pub run: Option<RunId>,
    /// Whether the context of the run counts.
    pub narrowing: Narrowing,
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The principal may not act, or not as this agent.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The agent is new, under a handle that no new source may have.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A belief that does not exist.
    #[error("`{belief}` is not in this memory")]
    NotInMemory {
        /// What was named.
        belief: BeliefId,
    },
    /// A belief of another namespace.
    #[error("`{belief}` is in another namespace")]
    OtherNamespace {
        /// What was named.
        belief: BeliefId,
    },
    /// More beliefs than one decision may rely on.
    #[error("the action uses {found} beliefs, the limit is {limit}")]
    TooManyBeliefs {
        /// How many.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

/// Whether the effect may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardVerdict {
    /// It may; the action is `executing` until its outcome is recorded.
    Proceed,
    /// It may not; the action is `blocked`.
    Refused,
}

/// What the guard wrote and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded {
    /// Whether the effect may run.
    pub verdict: GuardVerdict,
    /// The action.
    pub action: ActionId,
    /// The decision.
    pub decision: DecisionId,
    /// The class that its rule gives it; irreversible without a rule.
    pub class: ActionClass,
    /// The beliefs it relies on, waivers included.
    pub used: Vec<BeliefId>,
    /// How they came to be named.
    pub used_by: UsedBy,
    /// Those of them that the caller did not name, and that carry a literal of the payload which
    /// none of the named ones does.
    pub joined: Vec<BeliefId>,
    /// What its run had been shown, if that counts.
    pub context: Option<ContextId>,
    /// Those that waived the check.
    pub waivers: Vec<BeliefId>,
    /// What the records said of each belief that was checked.
    pub checks: Vec<(BeliefId, Verdict)>,
    /// Those of the beliefs used that have less corroboration than the rule asks for.
    pub uncorroborated: Vec<BeliefId>,
    /// The weakest strength among the beliefs used and the context.
    pub weakest: Trust,
    /// Why it was refused; nothing if it was not.
    pub reasons: Vec<String>,
    /// What it let pass but wants seen.
    pub warnings: Vec<String>,
    /// The incident, if a record refuted what the action relies on.
    pub incident: Option<IncidentId>,
}

/// What the guard thinks so far.
#[derive(Debug, Default)]
struct Opinion {
    reasons: Vec<String>,
    warnings: Vec<String>,
}

impl Opinion {
    fn by(&mut self, policy: UnknownPolicy, what: String) {
        match policy {
            UnknownPolicy::Block => self.reasons.push(what),
            UnknownPolicy::Warn => self.warnings.push(what),
            UnknownPolicy::Allow => {}
        }
    }
}

impl Draft {
    /// Plans `guard`.
    pub fn guard(&mut self, command: &Guard) -> Result<Guarded, GuardError> {
        let command = &Guard {
            run: self.run_of_write(command.run.as_ref()),
            ..command.clone()
        };
        self.check_may_act(command)?;
        let (mut named, used_by) = self.used_beliefs(command)?;
        let joined = match used_by {
            UsedBy::Named => self.joined(command, &named),
            UsedBy::Inferred => Vec::new(),
        };
        named.extend(&joined);
        named.sort_unstable();
        let from = self.events.len();
        let agent = self.ensure_agent(&command.agent);
        let found = match used_by {
            UsedBy::Named => &joined,
            UsedBy::Inferred => &named,
        };
        let context = self.context_for(command, found);
        let rule = self.state.find_rule(&command.kind).cloned();
        let rule = rule.unwrap_or_else(|| default_rule(&command.kind));
        let mut opinion = Opinion::default();
        let asked = self.asked_of(&command.kind);
        self.judge_support(&named, &rule, asked, &mut opinion);
        self.judge_context(context, &mut opinion);
        let waivers = self.waivers(command, &rule, &named);
        let used: BTreeSet<BeliefId> = named.iter().chain(&waivers).copied().collect();
        let used: Vec<BeliefId> = used.into_iter().collect();
        let uncorroborated = self.judge_corroboration(&used, &rule, asked, &mut opinion);
        let (checks, incident) = if waivers.is_empty() {
            self.verify(&named, &rule, &mut opinion)
        } else {
            (Vec::new(), None)
        };
        let weakest = used.iter().map(|it| self.state.now.get(*it).strength).min();
        let weakest = weakest.map(|it| it.min(self.state.let_through(context)));
        let (decision, action) =
            self.propose(command, agent, &rule, &opinion, (&used, used_by), &waivers);
        self.respond(from);
        let refused = !opinion.reasons.is_empty();
        Ok(Guarded {
            verdict: if refused {
                GuardVerdict::Refused
            } else {
                GuardVerdict::Proceed
            },
            action,
            decision,
            class: rule.class,
            used,
            used_by,
            joined,
            context,
            waivers,
            checks,
            uncorroborated,
            weakest: weakest.unwrap_or(Trust::ZERO),
            reasons: opinion.reasons,
            warnings: opinion.warnings,
            incident,
        })
    }

    fn check_may_act(&self, command: &Guard) -> Result<(), GuardError> {
        self.require(Role::Agent, "act")?;
        if self.actor.role == Role::Agent && self.actor.name != command.agent {
            let principal = self.actor.clone();
            return Err(Forbidden {
                principal,
                operation: "act for another agent",
            }
            .into());
        }
        self.check_agent(&command.agent)?;
        self.check_may_narrow(command.narrowing)?;
        let run = command.run.as_ref();
        if run.is_some_and(|it| self.other_agent_of(it).is_some()) {
            return Err(Forbidden {
                principal: self.actor.clone(),
                operation: "decide in the run of another agent",
            }
            .into());
        }
        Ok(())
    }

    /// What the run of an action was shown, with what was found for it; nothing where that is
    /// left out.
    fn context_for(&mut self, command: &Guard, found: &[BeliefId]) -> Option<ContextId> {
        let run = command.run.as_ref();
        let run = run.filter(|_| command.narrowing == Narrowing::Whole)?;
        let shown = found.iter().copied().map(Premise::Belief).collect();
        self.push_shown(run, shown);
        self.state.context_of_run(run)
    }

    fn propose(
        &mut self,
        command: &Guard,
        agent: SourceId,
        rule: &Rule,
        opinion: &Opinion,
        (used, used_by): (&[BeliefId], UsedBy),
        waivers: &[BeliefId],
    ) -> (DecisionId, ActionId) {
        let decision = self.state.decisions.next_id();
        if command.narrowing == Narrowing::Narrowed && command.run.is_some() {
            let write = Write::Decision(decision);
            let used = ContextUse::Dropped;
            self.push(Event::ContextUsed { write, used });
        }
        self.push(Event::Decided(Decided {
            decision,
            agent,
            relied_on: used.to_vec(),
            used_by,
            waivers: waivers.to_vec(),
            run: command.run.clone(),
        }));
        let action = self.state.actions.next_id();
        let text = |it: &String| Text::new(it).expect("reasons are short and hold no NUL");
        let refusal = (!opinion.reasons.is_empty()).then(|| text(&opinion.reasons.join("; ")));
        self.push(Event::Proposed(Proposal {
            action,
            decision,
            kind: command.kind.clone(),
            class: rule.class,
            payload: command.payload.clone(),
            refusal,
            warnings: opinion.warnings.iter().map(text).collect(),
        }));
        (decision, action)
    }

    /// The beliefs that the action relies on: those named, or the standing carriers of a literal
    /// of the payload.
    fn used_beliefs(&self, command: &Guard) -> Result<(Vec<BeliefId>, UsedBy), GuardError> {
        let Some(named) = &command.used else {
            return Ok((
                self.carriers(&command.namespace, &command.literals),
                UsedBy::Inferred,
            ));
        };
        for belief in named {
            match self.state.belief(*belief) {
                None => return Err(GuardError::NotInMemory { belief: *belief }),
                Some(found) if found.namespace != command.namespace => {
                    return Err(GuardError::OtherNamespace { belief: *belief });
                }
                Some(_) => {}
            }
        }
        let named: BTreeSet<BeliefId> = named.iter().copied().collect();
        let (found, limit) = (named.len(), limits::PREMISES_MAX);
        if found > limit {
            return Err(GuardError::TooManyBeliefs { found, limit });
        }
        Ok((named.into_iter().collect(), UsedBy::Named))
    }

    /// For each literal of the payload that tells one thing from another and that none of the named
    /// beliefs carries, the strongest belief that does: of what the run was shown, else of what
    /// recall may show.
    fn joined(&self, command: &Guard, named: &[BeliefId]) -> Vec<BeliefId> {
        let run = command.run.as_ref();
        let run = run.filter(|_| command.narrowing == Narrowing::Whole);
        let context = run.and_then(|it| self.state.context_of_run(it));
        let mut joined: BTreeSet<BeliefId> = BTreeSet::new();
        for literal in command.literals.iter().filter(|it| identifies(it.kind)) {
            let mut known = named.iter().chain(&joined);
            let room = limits::PREMISES_MAX - named.len();
            if joined.len() >= room
                || known.any(|it| self.state.carries(Premise::Belief(*it), literal))
            {
                continue;
            }
            let (state, namespace) = (&self.state, &command.namespace);
            let shown =
                context.and_then(|it| state.strongest_carrier(it, namespace, literal, None));
            let strength = |it: &BeliefId| state.now.get(*it).strength;
            let recalled = || {
                let all = self.carriers(namespace, std::slice::from_ref(literal));
                let all = all.into_iter();
                all.max_by_key(|it| (strength(it), std::cmp::Reverse(*it)))
            };
            joined.extend(shown.or_else(recalled));
        }
        joined.into_iter().collect()
    }

    fn carriers(&self, namespace: &Namespace, literals: &[Literal]) -> Vec<BeliefId> {
        let telling: Vec<&Literal> = literals.iter().filter(|it| identifies(it.kind)).collect();
        let carries = |belief: &crate::state::Belief| {
            belief.namespace == *namespace && belief.literals.iter().any(|it| telling.contains(&it))
        };
        let standing = self.state.beliefs.iter().filter(|(id, belief)| {
            let now = self.state.now.get(*id);
            now.status == Status::Active && now.strength >= Trust::FLOOR && carries(belief)
        });
        standing
            .map(|(id, _)| id)
            .take(limits::PREMISES_MAX)
            .collect()
    }

    /// The corroboration that the rule of a kind asks for.
    fn asked_of(&self, kind: &Kind) -> u32 {
        let rule = self.state.find_rule(kind);
        rule.map_or(0, |it| self.state.corroboration_asked(it.rule))
    }

    /// Refuses what rests on nothing, on what does not stand, or on what is contested.
    fn judge_support(&self, used: &[BeliefId], rule: &Rule, asked: u32, opinion: &mut Opinion) {
        if used.is_empty() {
            let policy = match rule.class {
                // What relies on nothing has no corroboration either.
                ActionClass::Reversible if asked == 0 => UnknownPolicy::Warn,
                _ => UnknownPolicy::Block,
            };
            opinion.by(policy, "no trusted belief supports it".to_owned());
        }
        for belief in used {
            let now = self.state.now.get(*belief);
            if now.status != Status::Active {
                opinion
                    .reasons
                    .push(format!("{belief} is {}", now.status.name()));
            } else if now.strength < Trust::FLOOR {
                let (found, floor) = (now.strength, Trust::FLOOR);
                opinion
                    .reasons
                    .push(format!("{belief} has strength {found}, below {floor}"));
            } else if let Some(rival) = self.state.rivals_of(*belief).first()
                && self.state.is_contested(*belief, Some(self.now))
            {
                let policy = match rule.class {
                    ActionClass::Irreversible => UnknownPolicy::Block,
                    ActionClass::Reversible | ActionClass::Compensable => UnknownPolicy::Warn,
                };
                opinion.by(policy, format!("{belief} is contested by {rival}"));
            }
        }
    }

    /// Refuses what is decided in a run that was shown what is not trusted.
    fn judge_context(&self, context: Option<ContextId>, opinion: &mut Opinion) {
        let weakest = context.and_then(|it| self.state.weakest_in(it));
        if let Some((item, strength, run)) = weakest.filter(|(_, it, _)| *it < Trust::FLOOR) {
            opinion.reasons.push(format!(
                "run `{run}` was shown {item}, which counts as {strength}, below {}",
                Trust::FLOOR
            ));
        }
    }

    /// Refuses what relies on a belief that fewer origins carry than its rule asks for.
    fn judge_corroboration(
        &self,
        used: &[BeliefId],
        rule: &Rule,
        asked: u32,
        opinion: &mut Opinion,
    ) -> Vec<BeliefId> {
        let mut uncorroborated = Vec::new();
        if asked == 0 {
            return uncorroborated;
        }
        for belief in used {
            let now = self.state.now.get(*belief);
            if now.status != Status::Active || now.strength < Trust::FLOOR {
                continue;
            }
            let found = self.state.corroboration_up_to(*belief, Some(asked));
            if found.count < asked {
                // Where the step budget is spent, what is proven is all that counts.
                let proven = if found.exact { "" } else { "at least " };
                opinion.reasons.push(format!(
                    "{belief} has corroboration {proven}{}, `{}` asks for {asked}",
                    found.count, rule.kind
                ));
                uncorroborated.push(*belief);
            }
        }
        uncorroborated
    }

    /// The beliefs that waive the check: about the policy itself, for it, and up to its bar.
    fn waivers(&self, command: &Guard, rule: &Rule, used: &[BeliefId]) -> Vec<BeliefId> {
        let Some(waiver) = &rule.waiver else {
            return Vec::new();
        };
        let state = &self.state;
        let about = state.beliefs_about(&command.namespace, &waiver.subject);
        let mut found: Vec<BeliefId> = about
            .filter(|it| {
                let now = state.now.get(*it);
                now.status == Status::Active
                    && state.beliefs.get(*it).polarity == Polarity::Affirmed
                    && !state.is_contested(*it, Some(self.now))
                    && match waiver.bar {
                        WaiverBar::Strength(bar) => now.strength >= bar,
                        WaiverBar::Record => {
                            now.strength >= Trust::FLOOR
                                && state.stated_by_record(*it)
                                && self.shares_no_origin(*it, used)
                        }
                    }
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether no origin of what states the waiver is behind any of the other beliefs.
    fn shares_no_origin(&self, waiver: BeliefId, used: &[BeliefId]) -> bool {
        let state = &self.state;
        let origins = |sources: BTreeSet<SourceId>| -> BTreeSet<Origin> {
            sources
                .into_iter()
                .flat_map(|it| state.origins_of(it))
                .collect()
        };
        let behind = origins(state.sources_stating(waiver).into_iter().collect());
        let others = origins(
            used.iter()
                .flat_map(|it| state.sources_behind(*it))
                .collect(),
        );
        behind.is_disjoint(&others)
    }

    /// Asks the systems of record about each belief that is about to justify a side effect.
    fn verify(
        &mut self,
        used: &[BeliefId],
        rule: &Rule,
        opinion: &mut Opinion,
    ) -> (Vec<(BeliefId, Verdict)>, Option<IncidentId>) {
        let mut checks = Vec::new();
        let mut incident = None;
        for belief in used {
            if self.state.now.get(*belief).status != Status::Active {
                continue;
            }
            let (verdict, witness) = self.ask_records(*belief);
            match (verdict, witness) {
                (Verdict::Confirmed, Some((record, _))) => self.confirm(*belief, record),
                (Verdict::Refuted, Some((record, stated))) => {
                    let trigger = self.statement_by(stated, record);
                    incident = trigger
                        .map(|it| self.open_incident(it, record, &[*belief], self.state.seq() + 1));
                    opinion.reasons.push(format!(
                        "{belief} is refuted by {stated}, which a system of record states"
                    ));
                }
                _ => {
                    opinion.by(
                        rule.unknown,
                        format!("no system of record confirms {belief}"),
                    );
                }
            }
            checks.push((*belief, verdict));
        }
        (checks, incident)
    }

    /// What the records say of a belief, with the one that says it and the belief it states.
    /// Records that disagree with each other say nothing.
    fn ask_records(&self, id: BeliefId) -> (Verdict, Option<(SourceId, BeliefId)>) {
        let state = &self.state;
        let belief = state.beliefs.get(id);
        let record_of = |it: BeliefId| {
            let sources = state.sources_stating(it);
            sources
                .into_iter()
                .find(|source| state.is_record(*source, &belief.subject))
        };
        let others = state.beliefs_about(&belief.namespace, &belief.subject);
        let standing = others.filter(|it| *it != id && state.now.get(*it).status == Status::Active);
        let mut refuting = standing.filter_map(|it| {
            let conflict = state.conflict_between(id, it);
            conflict
                .then(|| record_of(it).map(|record| (record, it)))
                .flatten()
        });
        match (record_of(id), refuting.next()) {
            (Some(record), None) => (Verdict::Confirmed, Some((record, id))),
            (None, Some(witness)) => (Verdict::Refuted, Some(witness)),
            (Some(_), Some(_)) | (None, None) => (Verdict::Unknown, None),
        }
    }

    /// The latest observation in which a source states a belief.
    fn statement_by(
        &self,
        belief: BeliefId,
        source: SourceId,
    ) -> Option<immune_model::ObservationId> {
        let state = &self.state;
        let mut stated = state.justifications_of(belief).filter_map(|it| {
            match state.justifications.get(it).grounds {
                Grounds::Statement { observation, .. } => Some(observation),
                Grounds::Derivation { .. } => None,
            }
        });
        stated.find(|it| state.observations.get(*it).source == source)
    }
}

/// Without a rule of its own, a kind of action is taken to be beyond undoing.
fn default_rule(kind: &Kind) -> Rule {
    Rule {
        rule: RuleId::from_index(0),
        kind: kind.clone(),
        class: ActionClass::Irreversible,
        unknown: UnknownPolicy::Block,
        waiver: None,
        compensation: None,
    }
}
