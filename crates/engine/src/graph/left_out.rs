//! What a graph cannot say: counted by kind and named by id, so that an export drops nothing in
//! silence.

use std::collections::BTreeMap;

use immune_model::{Carriage, Item, Standing, UsedBy};
use immune_reason::State;
use immune_reason::state::{Cause, Grounds};

use super::export::{AGENTS, GraphExport, is_of_flagged_agent, is_written};

/// Something that a memory holds and a graph cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What, in words.
    pub what: &'static str,
    /// Of which items.
    pub items: Vec<Item>,
}

/// All that an export leaves out, or says otherwise.
pub fn left_out(state: &State, export: &GraphExport<'_>) -> Vec<LeftOut> {
    let mut found = Found {
        state,
        by_kind: BTreeMap::new(),
    };
    found.in_setup(export);
    found.in_observations();
    found.in_beliefs();
    found.in_justifications(export);
    found.in_actions(export);
    found.in_response();
    let by_kind = found.by_kind.into_iter();
    by_kind
        .map(|(what, items)| LeftOut { what, items })
        .collect()
}

struct Found<'a> {
    state: &'a State,
    by_kind: BTreeMap<&'static str, Vec<Item>>,
}

impl Found<'_> {
    fn add(&mut self, what: &'static str, item: impl Into<Item>) {
        self.by_kind.entry(what).or_default().push(item.into());
    }

    fn add_if(&mut self, is_there: bool, what: &'static str, item: impl Into<Item>) {
        if is_there {
            self.add(what, item);
        }
    }

    fn in_setup(&mut self, export: &GraphExport<'_>) {
        let state = self.state;
        for id in state.channel_ids() {
            let Some(channel) = state.channel(id) else {
                continue;
            };
            self.add_if(
                channel.carriage == Carriage::Authored,
                "authored channels",
                id,
            );
            let exported = |it: &immune_model::SourceId| {
                state.source(*it).is_some_and(|it| it.channel == id)
                    && !export.held().sources.contains_key(it)
                    && !export.only_agents().contains(it)
            };
            let spoken_in = state.source_ids().any(|it| exported(&it));
            // The channel of agents opens by itself, with this tier.
            let opens_by_itself =
                channel.name.as_str() == AGENTS && channel.tier == immune_model::Trust::AGENT;
            let unsaid = !spoken_in && !opens_by_itself;
            self.add_if(unsaid, "channels without a source", id);
        }
        for id in state.source_ids() {
            let Some(source) = state.source(id) else {
                continue;
            };
            if export.only_agents().contains(&id) {
                continue;
            }
            self.add_if(
                source.standing == Standing::Newcomer,
                "newcomers, now declared",
                id,
            );
            self.add_if(!source.events.is_empty(), "reputations", id);
            self.add_if(!source.records.is_empty(), "areas of records", id);
            let held = export.held().sources.contains_key(&id);
            self.add_if(held, "sources, now in a channel of the tier they have", id);
            let renamed = export.name(id.into()) != source.handle.as_str();
            self.add_if(renamed, "handles", id);
        }
        for id in state.rule_ids() {
            self.add("rules", id);
        }
    }

    fn in_observations(&mut self) {
        for id in self.state.observation_ids() {
            let Some(observation) = self.state.observation(id) else {
                continue;
            };
            if !is_written(self.state, id) {
                self.add("what was undone", id);
                continue;
            }
            self.add_if(observation.closing.is_some(), "closings", id);
            self.add_if(observation.external_id.is_some(), "external ids", id);
            self.add_if(!observation.namespace.as_str().is_empty(), "namespaces", id);
            self.add_if(observation.run.is_some(), "runs", id);
        }
    }

    fn in_beliefs(&mut self) {
        let state = self.state;
        for id in state.belief_ids() {
            let Some(belief) = state.belief(id) else {
                continue;
            };
            let imported = state.alias_of(id.into()).is_some();
            let named = !belief.namespace.as_str().is_empty();
            self.add_if(named, "namespaces", id);
            self.add_if(belief.refuted_in.is_some(), "refutations, now flags", id);
            if !imported {
                let mut agents: Vec<_> = state
                    .justifications_of(id)
                    .filter_map(|it| match state.justification(it)?.grounds {
                        Grounds::Derivation { agent, .. } => agent,
                        Grounds::Statement { .. } => None,
                    })
                    .collect();
                agents.sort_unstable();
                agents.dedup();
                self.add_if(agents.len() > 1, "all agents of a belief but the first", id);
                let mut read = immune_reason::literal::literals(belief.text.as_str());
                read.sort_unstable();
                read.dedup();
                let polarity = immune_reason::polarity::polarity(belief.text.as_str());
                let other = read != belief.literals || polarity != belief.polarity;
                self.add_if(other, "literals and polarities that were stated", id);
            }
        }
    }

    fn in_justifications(&mut self, export: &GraphExport<'_>) {
        let state = self.state;
        for id in state.justification_ids() {
            let Some(justification) = state.justification(id) else {
                continue;
            };
            if justification.retracted {
                self.add("what was undone", id);
                continue;
            }
            self.add_if(state.closing_of(id).is_some(), "closings", id);
            self.add_if(justification.expires_at.is_some(), "expiries", id);
            let valid = justification.valid_from.is_some() || justification.valid_until.is_some();
            self.add_if(valid, "times of validity", id);
            self.add_if(state.confidence_of(id).is_some(), "hedges", id);
            self.add_if(justification.run.is_some(), "runs", id);
            let held = export.held().justifications.contains_key(&id);
            self.add_if(held, "strengths, now held by a premise", id);
            match justification.grounds {
                Grounds::Statement { .. } => {
                    self.add("statements, now premises that are observations", id);
                }
                Grounds::Derivation { agent, .. } => {
                    self.add_if(agent.is_some(), "caps of agents", id);
                    let flagged = is_of_flagged_agent(state, id);
                    self.add_if(flagged, "derivations of flagged agents", id);
                }
            }
        }
    }

    fn in_actions(&mut self, export: &GraphExport<'_>) {
        let state = self.state;
        for id in state.decision_ids() {
            let Some(decision) = state.decision(id) else {
                continue;
            };
            self.add_if(!decision.waivers.is_empty(), "waivers", id);
            self.add_if(
                decision.used_by == UsedBy::Inferred,
                "beliefs that were inferred",
                id,
            );
            self.add_if(decision.run.is_some(), "runs", id);
        }
        for id in state.action_ids() {
            let Some(action) = state.action(id) else {
                continue;
            };
            let own = state.alias_of(id.into()) == Some(action.payload.as_str());
            self.add_if(!own, "payloads", id);
            let said = action.result.is_some() || action.detail.is_some();
            self.add_if(
                said || !action.warnings.is_empty(),
                "results and reasons",
                id,
            );
            self.add_if(action.reversal.is_some(), "reversals", id);
            let reversed = export.reversed().contains(&id);
            self.add_if(
                reversed,
                "actions that stand by what is closed, now reversing",
                id,
            );
        }
    }

    fn in_response(&mut self) {
        let state = self.state;
        for id in state.incident_ids() {
            let Some(incident) = state.incident(id) else {
                continue;
            };
            let plain = matches!(
                incident.cause,
                Cause::Flag {
                    received_from: None,
                    ..
                }
            );
            let undone = incident.reinstated_at.is_some();
            self.add_if(!plain || undone, "incidents", id);
        }
        for id in state.review_ids() {
            self.add("reviews", id);
        }
        for id in state.task_ids() {
            self.add("tasks", id);
        }
        for id in state.attribution_ids() {
            self.add("attributions", id);
        }
    }
}
