//! Which of two values that disagree leads (semantics.md 6).
//!
//! The weight of a value is its corroboration with weights: the least total weight of origins
//! whose loss silences it. An origin weighs the log-odds of its strongest statement behind the
//! value, and nothing at or below one half, so that volume from one origin counts once and what is
//! not trusted moves nothing. Two values are compared alone: what others there are changes nothing
//! between them. Where the area of the subject has a half-life, what a statement gives its origin
//! fades with its age, as of the time asked: a weight, never a status or a strength.

use std::cmp::Ordering;
use std::rc::Rc;

use immune_model::{BeliefId, Instant, JustificationId, SourceId, Status, Trust};

use super::hitting::{Set, lightest};
use super::proofs::{Alone, Known, Proofs};
use super::shown::Voice;
use super::{Origin, STEPS_MAX};
use crate::context::ContextId;
use crate::half_life::Fading;
use crate::state::State;
use crate::support::justification_cap;

/// The most that an origin's trust counts for, in thousandths: its log-odds stay below 4.6.
const TRUST_MAX: u16 = 990;

/// How much speaks for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// The least weight that has to be lost before nothing speaks for it, in millionths of a nat.
    pub millionths: u64,
    /// Whether it is that much, or at least.
    pub exact: bool,
    /// Who speaks for it.
    pub origins: Vec<Vote>,
}

/// What one origin gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote {
    /// Which origin.
    pub origin: Origin,
    /// The strength of its strongest statement behind the value.
    pub strength: Trust,
    /// What it weighs as of the time asked, in millionths of a nat: the most that one of its
    /// statements has left.
    pub millionths: u64,
}

impl Weight {
    /// Whether whoever spoke for it once weighed something, and all of that has faded.
    pub fn is_faded(&self) -> bool {
        let faded = |it: &Vote| it.millionths == 0;
        let weighed = |it: &Vote| log_odds(it.strength) > 0;
        self.origins.iter().all(faded) && self.origins.iter().any(weighed)
    }
}

/// How two values that disagree stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// The first one leads.
    First,
    /// The second one does.
    Second,
    /// Neither leads.
    Contested,
}

impl Lead {
    /// The same with the values in the other order.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Contested => Self::Contested,
        }
    }
}

/// What an origin of this strength weighs, in millionths of a nat: `ln(s/(1-s))`, 0 at or below one
/// half, never more than at 0.99.
pub fn log_odds(strength: Trust) -> u64 {
    let strength = f64::from(strength.thousandths().min(TRUST_MAX)) / 1000.0;
    let nats = (strength / (1.0 - strength)).ln().max(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 4.6 million; rounded, so that machines agree"
    )]
    let millionths = (nats * 1e6).round() as u64;
    millionths
}

/// One value, as far as another is compared with it.
struct Value {
    weight: Weight,
    is_recorded: bool,
}

impl State {
    /// How much speaks for a belief's value, as of a time, or as of the last event if none is given;
    /// nothing for what does not stand.
    pub fn weight_of(&self, id: BeliefId, asked: Option<Instant>) -> Weight {
        self.weight_without(id, &[], asked)
    }

    /// The same, as if these origins were lost.
    fn weight_without(&self, id: BeliefId, lost: &[Origin], asked: Option<Instant>) -> Weight {
        let mut weight = Weight {
            millionths: 0,
            exact: true,
            origins: Vec::new(),
        };
        let now = self.now.get(id);
        if now.status != Status::Active || now.strength < Trust::FLOOR {
            return weight;
        }
        let fading = self.fading(&self.beliefs.get(id).subject, asked);
        let mut weighed = Weighed::of(self, now.strength, fading);
        let mut proofs = Proofs::of(self, id, &mut weighed);
        if weighed.is_word {
            // What vouches for something else lends a conclusion none of its strength.
            weighed = Weighed::of(self, self.strength_by_word(id), fading);
            proofs = Proofs::of(self, id, &mut weighed);
        }
        let is_lost = |it: &u32| weighed.alone.name(*it).is_some_and(|it| lost.contains(&it));
        let numbers = 0..u32::try_from(weighed.strongest.len()).unwrap_or(u32::MAX);
        let base: Set = numbers.filter(is_lost).collect();
        (weight.millionths, weight.exact) = least_weight(&proofs, &weighed.weights, &base);
        if proofs.surviving(&base, &mut 0).is_some() {
            let given = weighed.strongest.iter().zip(&weighed.weights);
            let votes = weighed.alone.origins.iter().zip(given);
            let votes = votes.map(|(origin, (strength, millionths))| Vote {
                origin: *origin,
                strength: *strength,
                millionths: *millionths,
            });
            weight.origins = votes.filter(|it| !lost.contains(&it.origin)).collect();
            weight.origins.sort_unstable_by_key(|it| it.origin);
        }
        weight
    }

    /// Which of two beliefs leads whose values disagree: the one that a system of record states,
    /// else the one with more weight. Contested where records disagree, weights are equal or not
    /// found out, or where the other side has an origin as strong as the strongest of this one that
    /// weighs more than the margin. As of a time, or as of the last event if none is given.
    pub fn lead(&self, first: BeliefId, second: BeliefId, asked: Option<Instant>) -> Lead {
        let value = |id| Value {
            weight: self.weight_of(id, asked),
            is_recorded: self.stated_by_record(id),
        };
        compare(&value(first), &value(second))
    }

    /// Whether a belief's value leads another one, uncontested, without what this source and all
    /// that it copies say for it (semantics.md 8).
    pub(crate) fn leads_without(
        &self,
        id: BeliefId,
        other: BeliefId,
        without: SourceId,
        is_recorded: bool,
        asked: Instant,
    ) -> bool {
        let ours = Value {
            weight: self.weight_without(id, &self.origins_of(without), Some(asked)),
            is_recorded,
        };
        let theirs = Value {
            weight: self.weight_of(other, Some(asked)),
            is_recorded: self.stated_by_record(other),
        };
        !ours.weight.origins.is_empty() && compare(&ours, &theirs) == Lead::First
    }

    /// Whether a belief's value does not lead everything that stands and disagrees with it, as of a
    /// time, or as of the last event if none is given.
    pub fn is_contested(&self, id: BeliefId, asked: Option<Instant>) -> bool {
        let rivals = self.rivals_of(id);
        let leads = |rival: &BeliefId| self.lead(id, *rival, asked) == Lead::First;
        !rivals.iter().all(leads)
    }
}

fn compare(first: &Value, second: &Value) -> Lead {
    match (first.is_recorded, second.is_recorded) {
        (true, true) => return Lead::Contested,
        (true, false) => return Lead::First,
        (false, true) => return Lead::Second,
        (false, false) => {}
    }
    if !first.weight.exact || !second.weight.exact {
        return Lead::Contested;
    }
    let (leader, rival, lead) = match first.weight.millionths.cmp(&second.weight.millionths) {
        Ordering::Greater => (&first.weight, &second.weight, Lead::First),
        Ordering::Less => (&second.weight, &first.weight, Lead::Second),
        Ordering::Equal => return Lead::Contested,
    };
    let margin = leader.millionths - rival.millionths;
    let strongest = leader.origins.iter().map(|it| it.strength).max();
    let disputes =
        |it: &Vote| strongest.is_none_or(|most| it.strength >= most) && margin < it.millionths;
    if rival.origins.iter().any(disputes) {
        Lead::Contested
    } else {
        lead
    }
}

/// The least weight beside `base` whose loss takes a belief down, and whether that is exact.
pub(super) fn least_weight(proofs: &Proofs, weights: &[u64], base: &Set) -> (u64, bool) {
    let Some(mut derivations) = proofs.derivations() else {
        return least_weight_one_by_one(proofs, weights, base);
    };
    derivations.retain(|it| it.is_disjoint(base));
    let found = lightest(&derivations, weights, STEPS_MAX, &mut 0);
    found.map_or((0, false), |(_, weight)| (weight, true))
}

pub(super) fn least_weight_one_by_one(proofs: &Proofs, weights: &[u64], base: &Set) -> (u64, bool) {
    let mut steps = 0;
    let mut derivations: Vec<Set> = Vec::new();
    let (mut lost, mut weight) = (base.clone(), 0);
    while let Some(derivation) = proofs.surviving(&lost, &mut steps) {
        derivations.push(derivation);
        match lightest(&derivations, weights, STEPS_MAX, &mut steps) {
            Some((set, found)) => {
                lost = set.union(base).copied().collect();
                weight = found;
            }
            None => return (weight, false),
        }
    }
    (weight, true)
}

/// Finds out about one belief, and how strongly each origin speaks for it.
struct Weighed<'a> {
    alone: Alone<'a>,
    /// The strongest statement of each origin, by number.
    strongest: Vec<Trust>,
    /// The most that one of its statements has left of its weight, in millionths of a nat.
    weights: Vec<u64>,
    /// The strength of the value: nothing behind it counts for more.
    most: Trust,
    /// Whether an agent's own word is behind it.
    is_word: bool,
    fading: Fading,
}

impl Known for Weighed<'_> {
    fn takes_part(&mut self, id: JustificationId) -> bool {
        self.alone.takes_part(id)
    }

    fn origins(&mut self, voice: Voice, by: JustificationId) -> Rc<[u32]> {
        let origins = self.alone.origins(voice, by);
        let state = self.alone.state;
        // What its words are not sure of weighs no more than they are sure.
        let most = justification_cap(state, by).min(self.most);
        let (strength, right) = match voice {
            Voice::Observation(id) => {
                let strength = state.observation_strength(id).min(most);
                (strength, state.accuracy_beside(id, by, strength))
            }
            Voice::Conclusion(_) => (voice.open_cap(state).min(most), Trust::ONE),
        };
        self.is_word |= matches!(voice, Voice::Conclusion(_));
        self.speak(&origins, strength, right, voice);
        origins
    }

    fn shown(&mut self, id: ContextId) -> Rc<[Voice]> {
        let shown = self.alone.shown(id);
        // What was shown and is closed by now speaks as it did.
        for voice in shown.iter() {
            let origins = self.alone.origins_of(*voice);
            let strength = voice.open_cap(self.alone.state).min(self.most);
            self.speak(&origins, strength, Trust::ONE, *voice);
        }
        shown
    }

    fn stands_anyway(&mut self, id: BeliefId) -> bool {
        self.alone.stands_anyway(id)
    }
}

impl<'a> Weighed<'a> {
    fn of(state: &'a State, most: Trust, fading: Fading) -> Self {
        Self {
            alone: Alone::of(state),
            strongest: Vec::new(),
            weights: Vec::new(),
            most,
            is_word: false,
            fading,
        }
    }

    /// Notes how strongly origins speak, and that this weighs no more than they are right as far as
    /// is known.
    fn speak(&mut self, origins: &[u32], strength: Trust, right: Trust, by: Voice) {
        let n_origins = self.alone.origins.len();
        self.strongest.resize(n_origins, Trust::ZERO);
        self.weights.resize(n_origins, 0);
        let said_at = by.at(self.alone.state);
        let left = self.fading.left(log_odds(strength.min(right)), said_at);
        for number in origins.iter().map(|it| *it as usize) {
            if let Some(known) = self.strongest.get_mut(number) {
                *known = strength.max(*known);
            }
            if let Some(known) = self.weights.get_mut(number) {
                *known = left.max(*known);
            }
        }
    }
}
