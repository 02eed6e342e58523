//! Two moments of a memory compared.

use immune_engine::reason::State;
use immune_engine::{BeliefMoved, BeliefThen, Diff as Inner, Moment as InnerMoment};
use serde::Serialize;

use crate::value::{SourceName, Trust, ids, time};

/// What is different between two moments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// The first moment.
    pub at: Moment,
    /// The other one.
    pub vs: Moment,
    /// Believed at the other and not at the first.
    pub gained: Vec<Belief>,
    /// Believed at the first and not at the other.
    pub dropped: Vec<Belief>,
    /// Believed at both, with another strength.
    pub strength: Vec<Belief>,
    /// Believed at neither, with another status.
    pub status: Vec<Belief>,
    /// Believed at both; what it says holds at one and not at the other.
    pub validity: Vec<Belief>,
    /// Sources with another reputation, and new ones.
    pub sources: Vec<Source>,
    /// Actions in another condition, and new ones.
    pub actions: Vec<Action>,
    /// Observations, decisions, rules, incidents, reviews and tasks that only one moment has.
    pub items: Vec<String>,
}

/// One moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// The last event of the log then.
    pub seq: u64,
    /// The time by which what claims say of themselves is measured.
    pub time: Option<String>,
}

/// A belief at both moments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Belief {
    /// Which belief.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// The claim in words.
    pub claim: String,
    /// When its newest statement that stands says that it starts to hold.
    pub valid_from: Option<String>,
    /// When that one says that it ceases to.
    pub valid_until: Option<String>,
    /// At the first; nothing if it was not there.
    pub at: Option<Then>,
    /// At the other.
    pub vs: Option<Then>,
}

/// A belief at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Then {
    /// What it was.
    pub status: &'static str,
    /// How far it was trusted.
    pub strength: Trust,
    /// Whether what it says held then.
    pub valid: bool,
}

/// A source at both moments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// Its names.
    #[serde(flatten)]
    pub name: SourceName,
    /// Its reputation at the first; nothing if it was not known.
    pub at: Option<Trust>,
    /// At the other.
    pub vs: Option<Trust>,
}

/// An action at both moments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    /// Which action.
    pub action: String,
    /// What kind of action.
    pub kind: String,
    /// Its condition at the first; nothing if it was not there.
    pub at: Option<&'static str>,
    /// At the other.
    pub vs: Option<&'static str>,
}

impl From<&Inner> for Diff {
    fn from(diff: &Inner) -> Self {
        let (one, other) = (diff.at.snapshot.state(), diff.vs.snapshot.state());
        let later = if one.seq() > other.seq() { one } else { other };
        let beliefs = |moved: &[BeliefMoved]| -> Vec<Belief> {
            let each = moved.iter();
            each.filter_map(|it| Belief::of(one, other, it)).collect()
        };
        let sources = diff.sources.iter().map(|(id, at, vs)| Source {
            name: SourceName::of(later, *id),
            at: at.map(Trust::from),
            vs: vs.map(Trust::from),
        });
        let actions = diff.actions.iter().map(|(id, at, vs)| Action {
            action: id.to_string(),
            kind: later
                .action(*id)
                .map_or_else(String::new, |it| it.kind.to_string()),
            at: at.map(immune_model::ActionStatus::name),
            vs: vs.map(immune_model::ActionStatus::name),
        });
        Self {
            at: Moment::from(&diff.at),
            vs: Moment::from(&diff.vs),
            gained: beliefs(&diff.gained),
            dropped: beliefs(&diff.dropped),
            strength: beliefs(&diff.strength),
            status: beliefs(&diff.status),
            validity: beliefs(&diff.validity),
            sources: sources.collect(),
            actions: actions.collect(),
            items: ids(&diff.items),
        }
    }
}

impl From<&InnerMoment> for Moment {
    fn from(moment: &InnerMoment) -> Self {
        Self {
            seq: moment.snapshot.state().seq(),
            time: time(moment.time),
        }
    }
}

impl Belief {
    /// In the words of the moment at which it stood; of the other one if it stood at both.
    fn of(one: &State, other: &State, moved: &BeliefMoved) -> Option<Self> {
        let stood =
            |it: Option<BeliefThen>| it.is_some_and(|it| it.status == immune_model::Status::Active);
        let state = if stood(moved.vs) || !stood(moved.at) && moved.vs.is_some() {
            other
        } else {
            one
        };
        let belief = state.belief(moved.belief)?;
        let standing = state
            .justifications_of(moved.belief)
            .find(|it| state.counts(*it));
        let newest = standing.and_then(|it| state.justification(it));
        Some(Self {
            belief: moved.belief.to_string(),
            subject: belief.subject.to_string(),
            claim: state.words_of(moved.belief)?.to_string(),
            valid_from: time(newest.and_then(|it| it.valid_from)),
            valid_until: time(newest.and_then(|it| it.valid_until)),
            at: moved.at.map(Then::from),
            vs: moved.vs.map(Then::from),
        })
    }
}

impl From<BeliefThen> for Then {
    fn from(then: BeliefThen) -> Self {
        Self {
            status: then.status.name(),
            strength: then.strength.into(),
            valid: then.valid,
        }
    }
}
