//! Support: which beliefs stand, and how strongly; for the affected cone only.
//!
//! IN, OPEN and EVER are least fixpoints over AND/OR justifications (semantics.md 3), computed by
//! counting the premises still missing (Dowling and Gallier, 1984): linear in the cone, cycles
//! included, no depth limit. Strength is the max-min value over the same structure (semantics.md
//! 4), by Knuth's generalisation of Dijkstra's algorithm (1977): beliefs are settled from the
//! strongest down. Nothing here writes; `State::apply` takes over what comes out.

use std::collections::BinaryHeap;

use immune_model::{BeliefId, JustificationId, Premise, SourceId, Status, Trust};
use rustc_hash::FxHashMap;

use crate::reputation::Scope;
use crate::state::{Grounds, State};

/// In which of the three least models something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Levels {
    /// With neither refuting nor closing facts.
    pub(crate) ever: bool,
    /// Without closing facts.
    pub(crate) open: bool,
    /// With all facts.
    pub(crate) in_now: bool,
}

/// One of the three models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Ever,
    Open,
    In,
}

impl Levels {
    pub(crate) const ALL: Self = Self {
        ever: true,
        open: true,
        in_now: true,
    };

    /// What rests on a flagged source or observation: it had support, and a refutation took it.
    pub(crate) const FLAGGED: Self = Self {
        ever: true,
        open: false,
        in_now: false,
    };

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            ever: self.ever && other.ever,
            open: self.open && other.open,
            in_now: self.in_now && other.in_now,
        }
    }

    /// The status of what is neither refuted nor closed itself.
    pub(crate) fn status_of_dependent(self) -> Status {
        if !self.ever {
            Status::Unsupported
        } else if !self.open {
            Status::Revoked
        } else if self.in_now {
            Status::Active
        } else {
            Status::Stale
        }
    }

    fn at(self, level: Level) -> bool {
        match level {
            Level::Ever => self.ever,
            Level::Open => self.open,
            Level::In => self.in_now,
        }
    }

    fn set(&mut self, level: Level) {
        match level {
            Level::Ever => self.ever = true,
            Level::Open => self.open = true,
            Level::In => self.in_now = true,
        }
    }
}

/// What the recomputation says of one belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) belief: BeliefId,
    pub(crate) levels: Levels,
    pub(crate) status: Status,
    pub(crate) strength: Trust,
}

/// Recomputes the forward closure of `seeds`: everything whose support they are part of.
pub(crate) fn recompute(state: &State, seeds: &[BeliefId]) -> Vec<Verdict> {
    let mut cone = Cone::of(state, seeds);
    for level in [Level::Ever, Level::Open, Level::In] {
        cone.fixpoint(level);
    }
    cone.settle_strengths();
    cone.verdicts()
}

/// Whether a new justification changes nothing: what it gives its belief, read off its premises
/// as they are, the belief has already. Sound for added support only, which is monotone.
pub(crate) fn adds_nothing(state: &State, id: JustificationId) -> bool {
    let belief = state.justifications.get(id).belief;
    let now = state.now.get(belief);
    let refuted = state.beliefs.get(belief).refuted_in.is_some();
    let own = if state.flag_against(id).is_some() {
        Levels::FLAGGED
    } else {
        Levels::ALL
    };
    let all = premises_of(state, id)
        .map(|it| premise_levels(state, it))
        .fold(own, Levels::and);
    let counts = !refuted && state.closing_of(id).is_none();
    let strength = justification_strength(state, id);
    let stands = all.in_now && counts;
    // A belief that counted as never written is written again, whatever stands.
    now.status != Status::Retracted
        && (now.levels.ever || !all.ever)
        && (now.levels.open || !all.open || refuted)
        && (!stands || (now.levels.in_now && strength <= now.strength))
}

/// The premises of a justification; a statement has none: what it rests on is in its own facts.
fn premises_of(state: &State, id: JustificationId) -> impl Iterator<Item = Premise> + '_ {
    let premises = match &state.justifications.get(id).grounds {
        Grounds::Statement { .. } => &[][..],
        Grounds::Derivation { premises, .. } => premises,
    };
    premises.iter().copied()
}

fn premise_levels(state: &State, premise: Premise) -> Levels {
    match premise {
        Premise::Belief(id) => state.now.get(id).levels,
        Premise::Observation(id) => match state.observation_status(id) {
            Some(Status::Quarantined) => Levels::FLAGGED,
            status => Levels {
                in_now: status == Some(Status::Active),
                ..Levels::ALL
            },
        },
    }
}

fn premise_strength(state: &State, premise: Premise) -> Trust {
    match premise {
        Premise::Belief(id) => state.now.get(id).strength,
        Premise::Observation(id) => state.observation_strength(id),
    }
}

/// The most that a justification can give, whatever its premises: what its source is worth, or
/// the deriving agent's tier.
pub(crate) fn justification_cap(state: &State, id: JustificationId) -> Trust {
    match state.justifications.get(id).grounds {
        Grounds::Statement { .. } => state.statement_strength(id),
        Grounds::Derivation { .. } if state.flag_against(id).is_some() => Trust::ZERO,
        Grounds::Derivation { agent, .. } => {
            state.channels.get(state.sources.get(agent).channel).tier
        }
    }
}

/// What a justification gives its belief now: 0 if a premise does not stand.
pub(crate) fn justification_strength(state: &State, id: JustificationId) -> Trust {
    premises_of(state, id)
        .map(|it| premise_strength(state, it))
        .fold(justification_cap(state, id), Trust::min)
}

/// A justification inside the cone.
struct Local {
    head: usize,
    /// Premises inside the cone that still have to stand.
    missing: u32,
    /// A premise outside the cone does not stand.
    dead: bool,
    /// The weakest of the cap, the premises outside, and those inside settled so far.
    weakest: Trust,
}

/// The forward closure of the change, with working memory for one recomputation.
struct Cone<'a> {
    state: &'a State,
    members: Vec<BeliefId>,
    place: FxHashMap<BeliefId, usize>,
    levels: Vec<Levels>,
    strengths: Vec<Trust>,
}

impl<'a> Cone<'a> {
    fn of(state: &'a State, seeds: &[BeliefId]) -> Self {
        let mut members: Vec<BeliefId> = Vec::with_capacity(seeds.len());
        let mut place = FxHashMap::default();
        let mut enter = |belief: BeliefId, members: &mut Vec<BeliefId>| {
            place.entry(belief).or_insert_with(|| {
                members.push(belief);
                members.len() - 1
            });
        };
        for seed in seeds {
            enter(*seed, &mut members);
        }
        let mut next = 0;
        while let Some(belief) = members.get(next).copied() {
            for justification in state.dependents_of(Premise::Belief(belief)) {
                enter(state.justifications.get(justification).belief, &mut members);
            }
            next += 1;
        }
        let levels = vec![Levels::default(); members.len()];
        let strengths = vec![Trust::ZERO; members.len()];
        Self {
            state,
            members,
            place,
            levels,
            strengths,
        }
    }

    fn inside(&self, premise: Premise) -> Option<usize> {
        match premise {
            Premise::Belief(id) => self.place.get(&id).copied(),
            Premise::Observation(_) => None,
        }
    }

    /// Every justification of the cone that can count at this level.
    fn locals(&self, level: Level) -> FxHashMap<JustificationId, Local> {
        let mut locals = FxHashMap::default();
        for (head, belief) in self.members.iter().enumerate() {
            let refuted = self.state.beliefs.get(*belief).refuted_in.is_some();
            if refuted && level != Level::Ever {
                continue;
            }
            for id in self.state.justifications_of(*belief) {
                if level == Level::In && self.state.closing_of(id).is_some() {
                    continue;
                }
                if level != Level::Ever && self.state.flag_against(id).is_some() {
                    continue;
                }
                locals.insert(id, self.local(head, id, level));
            }
        }
        locals
    }

    fn local(&self, head: usize, id: JustificationId, level: Level) -> Local {
        let mut local = Local {
            head,
            missing: 0,
            dead: false,
            weakest: Trust::ONE,
        };
        for premise in premises_of(self.state, id) {
            if self.inside(premise).is_some() {
                local.missing += 1;
            } else if !premise_levels(self.state, premise).at(level) {
                local.dead = true;
            }
        }
        local
    }

    /// Grows the least model of one level from what needs nothing inside the cone.
    fn fixpoint(&mut self, level: Level) {
        let mut locals = self.locals(level);
        let mut standing: Vec<usize> = Vec::new();
        for local in locals.values() {
            if !local.dead && local.missing == 0 {
                standing.push(local.head);
            }
        }
        while let Some(head) = standing.pop() {
            let Some((levels, belief)) = self.levels.get_mut(head).zip(self.members.get(head))
            else {
                continue;
            };
            if levels.at(level) {
                continue;
            }
            levels.set(level);
            for dependent in self.state.dependents_of(Premise::Belief(*belief)) {
                if let Some(local) = locals.get_mut(&dependent) {
                    local.missing -= 1;
                    if local.missing == 0 && !local.dead {
                        standing.push(local.head);
                    }
                }
            }
        }
    }

    /// Settles the strength of what is IN, from the strongest down.
    fn settle_strengths(&mut self) {
        let mut locals = self.locals(Level::In);
        let mut candidates: BinaryHeap<(Trust, usize)> = BinaryHeap::new();
        // A source speaks in few areas and says much in each.
        let mut known: FxHashMap<(SourceId, Scope<'_>), Trust> = FxHashMap::default();
        let mut cap = |id: JustificationId| match self.state.said_in(id) {
            Some(_) if self.state.copies_what_is_flagged(id) => Trust::ZERO,
            Some((source, scope)) => *known
                .entry((source, scope))
                .or_insert_with(|| self.state.trust_of(source, scope)),
            None => justification_cap(self.state, id),
        };
        for (id, local) in &mut locals {
            let outside = premises_of(self.state, *id).filter(|it| self.inside(*it).is_none());
            local.weakest = outside
                .map(|it| premise_strength(self.state, it))
                .fold(cap(*id), Trust::min);
            if !local.dead && local.missing == 0 {
                candidates.push((local.weakest, local.head));
            }
        }
        let mut settled = vec![false; self.members.len()];
        while let Some((strength, head)) = candidates.pop() {
            let (Some(done), Some(slot), Some(belief)) = (
                settled.get_mut(head),
                self.strengths.get_mut(head),
                self.members.get(head),
            ) else {
                continue;
            };
            if std::mem::replace(done, true) {
                continue;
            }
            *slot = strength;
            for dependent in self.state.dependents_of(Premise::Belief(*belief)) {
                if let Some(local) = locals.get_mut(&dependent) {
                    local.missing -= 1;
                    local.weakest = local.weakest.min(strength);
                    if local.missing == 0 && !local.dead {
                        candidates.push((local.weakest, local.head));
                    }
                }
            }
        }
    }

    fn verdicts(&self) -> Vec<Verdict> {
        let each = self.members.iter().zip(&self.levels).zip(&self.strengths);
        each.map(|((belief, levels), strength)| Verdict {
            belief: *belief,
            levels: *levels,
            status: status_of(self.state, *belief, *levels),
            strength: *strength,
        })
        .collect()
    }
}

/// The first row of semantics.md 3 that applies.
fn status_of(state: &State, id: BeliefId, levels: Levels) -> Status {
    if state.beliefs.get(id).refuted_in.is_some() {
        return Status::Quarantined;
    }
    let derived = levels.status_of_dependent();
    if derived == Status::Unsupported
        && state.justifications_of(id).next().is_none()
        && state.written_for(id).next().is_some()
    {
        return Status::Retracted;
    }
    if derived != Status::Stale {
        return derived;
    }
    let latest = state
        .justifications_of(id)
        .filter_map(|it| state.closing_of(it))
        .max_by_key(|(seq, _)| *seq);
    latest.map_or(Status::Stale, |(_, closing)| {
        crate::state::closing_status(closing)
    })
}
