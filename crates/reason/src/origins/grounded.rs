//! Who is behind an item, in words: its origins, who speaks for each, and which have to be lost.

use std::rc::Rc;

use immune_model::{BeliefId, Item, JustificationId, SourceId, Status};

use super::hitting::Set;
use super::proofs::{Alone, Proofs};
use super::{Corroboration, Origin, fewest};
use crate::state::State;

/// What is behind a belief, or behind one of its justifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounded {
    /// How many origins have to be lost before it falls.
    pub corroboration: Corroboration,
    /// Origins whose loss takes it down: as few as that where the corroboration is exact, else
    /// some of which none can be left out. None if nothing above the floor is behind it.
    pub lose: Vec<Origin>,
    /// Every origin that takes part.
    pub origins: Vec<Origin>,
    /// Who speaks, and with which origins.
    pub spoken: Vec<Spoken>,
}

/// A source behind something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// Which source.
    pub source: SourceId,
    /// Its own origin and those of all that it copies.
    pub origins: Vec<Origin>,
}

/// Who is behind an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    /// The item as a whole: of a decision, the belief with the smallest corroboration.
    pub whole: Grounded,
    /// Of a belief its justifications, oldest first; of a decision the beliefs it relied on.
    pub parts: Vec<(Item, Grounded)>,
}

impl State {
    /// Who is behind a belief, a justification, a decision or an action; nothing for another kind
    /// of item, or one that is not here.
    pub fn origins(&self, item: Item) -> Option<Origins> {
        match item {
            Item::Belief(id) => {
                self.beliefs.find(id)?;
                let justifications = self.justifications_of(id);
                let parts = justifications.map(|it| (it.into(), self.grounded_justification(it)));
                let mut parts: Vec<_> = parts.collect();
                parts.reverse();
                let whole = self.grounded_belief(id);
                Some(Origins { whole, parts })
            }
            Item::Justification(id) => {
                self.justifications.find(id)?;
                let whole = self.grounded_justification(id);
                Some(Origins {
                    whole,
                    parts: Vec::new(),
                })
            }
            Item::Decision(id) => {
                let relied_on = &self.decisions.find(id)?.relied_on;
                let parts = relied_on.iter().copied();
                let parts = parts.map(|it| (it.into(), self.grounded_belief(it)));
                let parts: Vec<(Item, Grounded)> = parts.collect();
                let weakest = parts.iter().min_by_key(|(_, it)| {
                    let Corroboration { count, exact } = it.corroboration;
                    (count, !exact)
                });
                let whole = weakest.map_or_else(Grounded::none, |(_, it)| it.clone());
                Some(Origins { whole, parts })
            }
            Item::Action(id) => self.origins(self.actions.find(id)?.decision.into()),
            _ => None,
        }
    }

    fn grounded_belief(&self, id: BeliefId) -> Grounded {
        if self.now.get(id).status != Status::Active {
            return Grounded::none();
        }
        let mut alone = Alone::of(self);
        Grounded::of(&Proofs::of(self, id, &mut alone), &alone)
    }

    fn grounded_justification(&self, id: JustificationId) -> Grounded {
        if !self.holds(id) {
            return Grounded::none();
        }
        let mut alone = Alone::of(self);
        let proofs = Proofs::of_justification(self, id, &mut alone);
        Grounded::of(&proofs, &alone)
    }
}

impl Grounded {
    fn none() -> Self {
        Self {
            corroboration: Corroboration::NONE,
            lose: Vec::new(),
            origins: Vec::new(),
            spoken: Vec::new(),
        }
    }

    fn of(proofs: &Proofs, named: &Alone<'_>) -> Self {
        let (corroboration, mut lose) = fewest(proofs, 0, None, &mut 0);
        if !corroboration.exact {
            lose = minimal(proofs, lose);
        }
        let name = |it: &u32| named.name(*it);
        let mut origins = named.origins.clone();
        origins.sort_unstable();
        let mut lose: Vec<Origin> = lose.iter().filter_map(name).collect();
        lose.sort_unstable();
        let mut speaking = named.spoken.clone();
        for (observation, set) in &named.repeated {
            let source = named.state.observations.get(*observation).source;
            speaking.entry(source).or_insert_with(|| Rc::clone(set));
        }
        let spoken = speaking.iter().map(|(source, set)| Spoken {
            source: *source,
            origins: set.iter().filter_map(name).collect(),
        });
        Self {
            corroboration,
            lose,
            origins,
            spoken: spoken.collect(),
        }
    }
}

/// A set that takes it down and of which none can be left out, grown from one that does not.
fn minimal(proofs: &Proofs, mut lost: Set) -> Set {
    while let Some(derivation) = proofs.surviving(&lost, &mut 0) {
        lost.extend(derivation.first());
    }
    for origin in lost.clone() {
        lost.remove(&origin);
        if proofs.surviving(&lost, &mut 0).is_some() {
            lost.insert(origin);
        }
    }
    lost
}
