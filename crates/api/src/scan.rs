//! The scan: what falls with one origin, ranked by what hangs on it.

use immune_engine::reason::State;
use immune_engine::reason::question::{Disagreement, Disagreements, Scan as Found, Weak as Inner};
use immune_model::shell::Command;
use serde::Serialize;

use crate::compare::decided;
use crate::origins::Origin;
use crate::response::stated_in;
use crate::value::{SourceName, Trust, ids};

/// Beliefs that fall with one origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scan {
    /// What most hangs on first.
    pub weak: Vec<Weak>,
    /// How many were found, listed or not.
    pub found: usize,
    /// Beliefs on which something hangs.
    pub candidates: usize,
    /// How many of them were looked at before the budget was spent.
    pub looked_at: usize,
    /// Beliefs that stand and disagree.
    pub conflicts: Conflicts,
}

/// Beliefs that stand and disagree, and what was not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflicts {
    /// The pairs, those about one subject first.
    pub pairs: Vec<ConflictingPair>,
    /// How many were found, listed or not.
    pub found: usize,
    /// Active beliefs at or above the floor: those that were compared.
    pub compared: usize,
    /// Active beliefs below the floor, which were not.
    pub below_floor: usize,
    /// Texts without a claim, which were not.
    pub unscreened: usize,
    /// Not every pair was looked at: the budget was spent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Two beliefs that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictingPair {
    /// The older one.
    pub a: String,
    /// The newer one.
    pub b: String,
    /// What they are about; nothing where only their words say so.
    pub subject: Option<String>,
    /// What decided: `polarity`, or the kind of the literals that differ.
    pub decided_by: &'static str,
}

impl Conflicts {
    fn of(state: &State, found: &Disagreements) -> Self {
        let pair = |it: &Disagreement| ConflictingPair {
            a: it.a.to_string(),
            b: it.b.to_string(),
            subject: state
                .belief(it.a)
                .filter(|_| it.one_subject)
                .map(|it| it.subject.to_string()),
            decided_by: decided(it.by),
        };
        Self {
            pairs: found.pairs.iter().map(pair).collect(),
            found: found.n_found,
            compared: found.n_compared,
            below_floor: found.n_below_floor,
            unscreened: found.n_unscreened,
            cut: found.cut,
        }
    }
}

/// A belief that falls with one origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weak {
    /// Which belief.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// How far it is trusted.
    pub strength: Trust,
    /// The origin; nothing if all behind it is below the floor.
    pub origin: Option<Origin>,
    /// The gravest class among the actions.
    pub class: Option<&'static str>,
    /// Executed and running actions that rest on it.
    pub actions: Vec<String>,
    /// Decisions that rest on it.
    pub decisions: Vec<String>,
    /// Beliefs that rest on it, through any number of steps.
    pub dependants: usize,
    /// There may be more of them: the budget was spent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The cheapest way to give it a second origin.
    pub harden: Harden,
}

/// The cheapest way to give a belief a second origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Harden {
    /// The belief that an independent source has to confirm: a premise, or the belief itself.
    pub confirm: String,
    /// What that one is about.
    pub subject: String,
    /// The part of the memory in which that one is; empty for the root.
    pub namespace: String,
    /// A system of record that can be asked about it.
    pub ask: Option<SourceName>,
    /// The command that says what the record says, in place of the variable `CLAIM`; nothing
    /// without a record.
    pub command: Option<String>,
}

impl Scan {
    /// The view of what was found.
    pub fn of(state: &State, found: &Found, disagreements: &Disagreements) -> Self {
        Self {
            weak: found.weak.iter().map(|it| Weak::of(state, it)).collect(),
            found: found.n_weak,
            candidates: found.n_candidates,
            looked_at: found.n_looked_at,
            conflicts: Conflicts::of(state, disagreements),
        }
    }
}

impl Weak {
    fn of(state: &State, weak: &Inner) -> Self {
        let subject = |id| {
            state
                .belief(id)
                .map_or_else(String::new, |it| it.subject.to_string())
        };
        let strength = state.belief_now(weak.belief).map(|it| it.strength);
        Self {
            belief: weak.belief.to_string(),
            subject: subject(weak.belief),
            strength: strength.unwrap_or(immune_model::Trust::ZERO).into(),
            origin: weak.origin.map(|it| Origin::of(state, it)),
            class: weak.class.map(immune_model::ActionClass::name),
            actions: ids(&weak.actions),
            decisions: ids(&weak.decisions),
            dependants: weak.n_dependants,
            at_least: weak.at_least,
            harden: Harden::of(state, weak),
        }
    }
}

impl Harden {
    fn of(state: &State, weak: &Inner) -> Self {
        let confirm = weak.harden.confirm;
        let belief = state.belief(confirm);
        let ask = weak.harden.ask.map(|it| SourceName::of(state, it));
        let command = ask.as_ref().map(|record| {
            let command = Command::new("immune challenge")
                .option("--from", &record.handle)
                .option("--channel", &record.channel);
            stated_in(command, state, confirm, None).to_string()
        });
        Self {
            confirm: confirm.to_string(),
            subject: belief.map_or_else(String::new, |it| it.subject.to_string()),
            namespace: belief.map_or_else(String::new, |it| it.namespace.as_str().to_owned()),
            ask,
            command,
        }
    }
}
