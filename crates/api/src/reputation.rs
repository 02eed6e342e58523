//! Why a source is trusted as it is, what a newcomer of a channel is worth, and how fast what is
//! stated in an area loses weight.

use immune_engine::reason::state::ReputationKind;
use immune_engine::reason::{EarnedReputation, NewcomerValue, State};
use immune_model::{ChannelId, SourceId, Subject};
use serde::Serialize;

use crate::value::Trust;

/// What a source has earned in an area, or over all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Earned {
    /// Which area; nothing for all of them.
    pub area: Option<String>,
    /// How far it is trusted there.
    pub reputation: Trust,
    /// Where it began: the tier of its channel, or what a newcomer starts with at most.
    pub start: Trust,
    /// The events that counted, in order.
    pub events: Vec<EarnedStep>,
    /// What it is worth at most as a newcomer without a survived check, if it is one.
    pub newcomer: Option<Newcomer>,
    /// How many survived checks bring it back to the floor; nothing if its tier does not allow it.
    pub checks_to_floor: Option<u32>,
    /// Seconds after which what it states in the area weighs half, if the area has a half-life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life_seconds: Option<u32>,
}

/// Something that moved a reputation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EarnedStep {
    /// The event of the log.
    pub seq: u64,
    /// The area of what it was about.
    pub area: String,
    /// `refuted` or `survived`.
    pub kind: &'static str,
    /// The observation that was refuted, or the belief that survived.
    pub item: String,
    /// The incident that refuted it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
    /// The reputation after it, newcomers' worth apart.
    pub after: Trust,
}

/// What a newcomer is worth at most in an area, or over all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Newcomer {
    /// Which area; nothing for all of them.
    pub area: Option<String>,
    /// At most so much, the tier of the channel apart.
    pub value: Trust,
    /// Newcomers of the channel that had survived a check before.
    pub survived: u64,
    /// Newcomers of the channel that had been refuted before.
    pub refuted: u64,
}

impl Earned {
    /// What a source has earned: over all areas first, then in each that differs or has events.
    pub fn of_all(state: &State, id: SourceId) -> Vec<Self> {
        let overall = Self::of(None, &state.explain_reputation(id, None));
        let areas = state.areas_of(id);
        let areas = areas.iter().map(|area| {
            // Any subject of the area; one that has a half-life of its own is shown by `areas`.
            let subject = Subject::new(&format!("{area}.any")).ok();
            let half_life = subject.and_then(|it| state.half_life_of(&it).map(|(_, it)| it));
            Self {
                half_life_seconds: half_life,
                ..Self::of(Some(area), &state.explain_reputation(id, Some(area)))
            }
        });
        std::iter::once(overall).chain(areas).collect()
    }

    fn of(area: Option<&str>, earned: &EarnedReputation) -> Self {
        let events = earned.steps.iter().map(|(event, after)| {
            let (kind, item, incident) = match event.kind {
                ReputationKind::Refuted {
                    incident,
                    observation,
                } => (
                    "refuted",
                    observation.to_string(),
                    Some(incident.to_string()),
                ),
                ReputationKind::Survived { belief } => ("survived", belief.to_string(), None),
            };
            EarnedStep {
                seq: event.seq,
                area: event.area.to_string(),
                kind,
                item,
                incident,
                after: (*after).into(),
            }
        });
        Self {
            area: area.map(str::to_owned),
            reputation: earned.reputation.into(),
            start: earned.start.into(),
            events: events.collect(),
            newcomer: earned.newcomer.map(|it| Newcomer::of(area, it)),
            checks_to_floor: earned.checks_to_floor,
            half_life_seconds: None,
        }
    }
}

impl Newcomer {
    /// What whoever appears in a channel now is worth: over all areas first, then in each in which
    /// newcomers survived or were refuted.
    pub fn of_all(state: &State, id: ChannelId) -> Vec<Self> {
        let overall = Self::of(None, state.next_newcomer(id, None));
        let areas = state.newcomer_areas(id);
        let areas = areas
            .iter()
            .map(|it| Self::of(Some(it), state.next_newcomer(id, Some(it))));
        std::iter::once(overall).chain(areas).collect()
    }

    fn of(area: Option<&str>, worth: NewcomerValue) -> Self {
        Self {
            area: area.map(str::to_owned),
            value: worth.value.into(),
            survived: worth.survived,
            refuted: worth.refuted,
        }
    }
}

/// How many strengths a change moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Beliefs whose strength is another.
    pub strengths: u64,
    /// Of these, those that fell below the floor.
    pub below_floor: u64,
    /// Those that came up to it.
    pub to_floor: u64,
}

impl Moved {
    /// What moved from one state to a later one of the same memory.
    pub fn between(before: &State, after: &State) -> Self {
        let mut moved = Self {
            strengths: 0,
            below_floor: 0,
            to_floor: 0,
        };
        let floor = immune_model::Trust::FLOOR;
        for id in before.belief_ids() {
            let strength = |state: &State| state.belief_now(id).map(|it| it.strength);
            let (Some(one), Some(other)) = (strength(before), strength(after)) else {
                continue;
            };
            moved.strengths += u64::from(one != other);
            moved.below_floor += u64::from(one >= floor && other < floor);
            moved.to_floor += u64::from(one < floor && other >= floor);
        }
        moved
    }
}

/// The areas with a half-life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Areas {
    /// Each, in the order of their names; of several that cover a subject the narrowest decides.
    pub areas: Vec<Area>,
}

/// An area with its half-life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Area {
    /// The subjects: `price.*`.
    pub area: String,
    /// Seconds after which a statement weighs half.
    pub half_life_seconds: u32,
}

/// An area that was set, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AreaSet {
    /// The subjects: `price.*`.
    pub area: String,
    /// Whether anything was written; nothing is when it was so already.
    pub changed: bool,
    /// Seconds after which a statement weighs half; nothing if it keeps its weight.
    pub half_life_seconds: Option<u32>,
    /// The same before.
    pub before_seconds: Option<u32>,
}

impl Areas {
    /// Every area of a state.
    pub fn of(state: &State) -> Self {
        let areas = state.half_lives().into_iter();
        let areas = areas.map(|(area, half_life_seconds)| Area {
            area: area.to_string(),
            half_life_seconds,
        });
        Self {
            areas: areas.collect(),
        }
    }
}
