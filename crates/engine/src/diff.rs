//! `diff`: two moments of a memory compared. What was believed then and not now, and the reverse;
//! what moved besides.
//!
//! System time is what is compared: the log up to one moment, and up to the other. Valid time is
//! kept beside it: what a claim says of itself may have begun or ended to hold in between.

use immune_model::{ActionId, ActionStatus, BeliefId, Instant, Item, SourceId, Status, Trust};
use immune_reason::{Scope, State};

use crate::memory::Snapshot;
use crate::past::{PastError, When};
use crate::session::Session;

/// One of the two moments.
#[derive(Debug, Clone)]
pub struct Moment {
    /// The state then.
    pub snapshot: Snapshot,
    /// The time that valid times are measured by; nothing before the first event.
    pub time: Option<Instant>,
}

/// What is different between two moments.
#[derive(Debug, Clone)]
pub struct Diff {
    /// The first one.
    pub at: Moment,
    /// The other one.
    pub vs: Moment,
    /// Active at the other and not at the first.
    pub gained: Vec<BeliefMoved>,
    /// Active at the first and not at the other.
    pub dropped: Vec<BeliefMoved>,
    /// Active at both, with another strength.
    pub strength: Vec<BeliefMoved>,
    /// Active at neither, with another status.
    pub status: Vec<BeliefMoved>,
    /// Active at both; what it says holds at one and not at the other.
    pub validity: Vec<BeliefMoved>,
    /// Sources whose reputation over all areas is another one, or that are new.
    pub sources: Vec<(SourceId, Option<Trust>, Option<Trust>)>,
    /// Actions in another condition, or new.
    pub actions: Vec<(ActionId, Option<ActionStatus>, Option<ActionStatus>)>,
    /// Observations, decisions, rules, incidents, reviews and tasks that only one moment has.
    pub items: Vec<Item>,
}

/// A belief at both moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeliefMoved {
    /// Which belief.
    pub belief: BeliefId,
    /// At the first; nothing if it was not there.
    pub at: Option<BeliefThen>,
    /// At the other.
    pub vs: Option<BeliefThen>,
}

/// A belief at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeliefThen {
    /// What it was.
    pub status: Status,
    /// How far it was trusted.
    pub strength: Trust,
    /// Whether what it says held then, as far as it says when.
    pub valid: bool,
}

impl Session {
    /// What is different between two moments; now, if no other is named.
    pub fn diff(&self, at: When, vs: Option<When>) -> Result<Diff, PastError> {
        let at = self.moment(at)?;
        let vs = if let Some(vs) = vs {
            self.moment(vs)?
        } else {
            let snapshot = self.snapshot()?;
            let time = self.present(snapshot.state());
            Moment { snapshot, time }
        };
        Ok(Diff::of(at, vs))
    }

    fn moment(&self, when: When) -> Result<Moment, PastError> {
        let snapshot = self.memory.snapshot_at(when)?;
        let time = match when {
            When::Time(time) => Some(time),
            When::Seq(_) => snapshot.state().at(),
        };
        Ok(Moment { snapshot, time })
    }
}

impl Diff {
    fn of(at: Moment, vs: Moment) -> Self {
        let mut diff = Self {
            gained: Vec::new(),
            dropped: Vec::new(),
            strength: Vec::new(),
            status: Vec::new(),
            validity: Vec::new(),
            sources: Vec::new(),
            actions: Vec::new(),
            items: Vec::new(),
            at,
            vs,
        };
        diff.add_beliefs();
        let (one, other) = (diff.at.snapshot.state(), diff.vs.snapshot.state());
        let later = if one.seq() > other.seq() { one } else { other };
        let worth = |state: &State, id| {
            let known = state.source(id).is_some();
            known.then(|| state.reputation(id, Scope::Overall))
        };
        let sources = later
            .source_ids()
            .map(|it| (it, worth(one, it), worth(other, it)));
        let status = |state: &State, id| state.action(id).map(|it| it.status);
        let actions = later
            .action_ids()
            .map(|it| (it, status(one, it), status(other, it)));
        let sources = sources.filter(|(_, at, vs)| at != vs).collect();
        let actions = actions.filter(|(_, at, vs)| at != vs).collect();
        let items = items(later).filter(|it| one.contains(*it) != other.contains(*it));
        let items = items.collect();
        (diff.sources, diff.actions, diff.items) = (sources, actions, items);
        diff
    }

    fn add_beliefs(&mut self) {
        let n = |it: &Moment| it.snapshot.state().n_beliefs();
        for belief in (0..n(&self.at).max(n(&self.vs))).map(BeliefId::from_index) {
            let moved = BeliefMoved {
                belief,
                at: self.at.belief(belief),
                vs: self.vs.belief(belief),
            };
            let active = |it: Option<BeliefThen>| it.filter(|it| it.status == Status::Active);
            let group = match (active(moved.at), active(moved.vs)) {
                (None, Some(_)) => &mut self.gained,
                (Some(_), None) => &mut self.dropped,
                (Some(at), Some(vs)) if at.valid != vs.valid => &mut self.validity,
                (Some(at), Some(vs)) if at.strength != vs.strength => &mut self.strength,
                (None, None) if moved.at != moved.vs => &mut self.status,
                _ => continue,
            };
            group.push(moved);
        }
    }
}

impl Moment {
    fn belief(&self, id: BeliefId) -> Option<BeliefThen> {
        let state = self.snapshot.state();
        let now = state.belief_now(id)?;
        let standing = state
            .justifications_of(id)
            .filter(|it| state.counts(*it))
            .filter_map(|it| state.justification(it));
        let holds = |from: Option<Instant>, until: Option<Instant>| {
            self.time.is_none_or(|at| {
                from.is_none_or(|from| from <= at) && until.is_none_or(|until| at < until)
            })
        };
        let mut standing = standing.map(|it| holds(it.valid_from, it.valid_until));
        Some(BeliefThen {
            status: now.status,
            strength: now.strength,
            valid: now.status == Status::Active && standing.any(|it| it),
        })
    }
}

fn items(state: &State) -> impl Iterator<Item = Item> {
    let observations = state.observation_ids().map(Item::from);
    let decisions = state.decision_ids().map(Item::from);
    let rules = state.rule_ids().map(Item::from);
    let incidents = state.incident_ids().map(Item::from);
    let reviews = state.review_ids().map(Item::from);
    let tasks = state.task_ids().map(Item::from);
    let content = observations.chain(decisions).chain(rules);
    content.chain(incidents).chain(reviews).chain(tasks)
}
