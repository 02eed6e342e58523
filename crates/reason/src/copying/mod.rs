//! Who copies whom, as far as the memory finds out by itself (semantics.md 5).
//!
//! Three things show a copy: almost the same words after an earlier observation, one registrable
//! domain, and shared values that are not believed. Agreement on what is believed shows nothing:
//! honest sources agree on the truth. A plan infers and logs with what showed it; the fold keeps
//! what was logged, and the ledger that the next plan reads. A system of record never copies.

mod domain;
mod evidence;
mod groups;
mod hops;
mod hypotheses;
pub(crate) mod ledger;
mod pack;
mod runs;

use immune_model::{
    BeliefId, Event, InferredCopy, Instant, JustificationId, MirrorRuling, ObservationId, Observed,
    Polarity, SourceId, Trust,
};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

pub use domain::registrable_domain;
pub use evidence::Evidence;
pub(crate) use groups::Groups;
pub(crate) use runs::Runs;

use crate::pack::{Keys, key};
use crate::state::{ById, State};
use crate::support::justification_cap;
use crate::words::digest;
use ledger::{ItemNumber, Ledger, Once, Said};

/// Two sources, the older one first.
pub(crate) type Pair = (SourceId, SourceId);

/// A copy that was inferred, as it was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferred {
    /// What copies what, and what shows it.
    pub copy: InferredCopy,
    /// When it was inferred.
    pub at: Instant,
    /// The event that says so.
    pub seq: u64,
}

/// What is known of copies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Copying {
    pub(crate) ledger: Ledger,
    /// The mirrors that were inferred and stand.
    pub(crate) mirrors: RedBlackTreeMapSync<Pair, Inferred>,
    /// The pairs that an operator ruled to be independent.
    pub(crate) independent: RedBlackTreeSetSync<Pair>,
    /// What each observation repeats that was inferred to repeat an earlier one.
    pub(crate) content: ById<ObservationId, Inferred>,
    /// The same the other way: what is repeated, and what repeats it.
    repeated: RedBlackTreeSetSync<(ObservationId, ObservationId)>,
    /// The first observation for some runs of words, and the latest of several: with the first
    /// alone, words that change little by little are lost.
    runs: Keys<ObservationId>,
    /// The first source of each registrable domain.
    pub(crate) domains: Keys<SourceId>,
    /// Who counts as one origin.
    pub(crate) groups: Groups,
    /// Who counts once where others are compared.
    pub(crate) settled: Groups,
}

/// Two sources as a pair.
pub(crate) fn pair(one: SourceId, other: SourceId) -> Pair {
    (one.min(other), one.max(other))
}

/// The key of a domain.
pub(crate) fn domain_key(domain: &str) -> [u8; 16] {
    key(&[b"domain", domain.as_bytes()])
}

/// The key of the latest observation of several with one run of words.
fn latest_key(of_first: [u8; 16]) -> [u8; 16] {
    // No two texts have digests that differ in one bit alone.
    (u128::from_le_bytes(of_first) ^ 1).to_le_bytes()
}

impl Copying {
    /// The observations with this run of words that are compared with a new one.
    pub(crate) fn with_run(&self, key: [u8; 16]) -> impl Iterator<Item = ObservationId> {
        let first = self.runs.get(&key);
        let latest = first.and_then(|_| self.runs.get(&latest_key(key)));
        first.into_iter().chain(latest)
    }

    /// Whether an operator ruled a source of one group independent of one of the other.
    pub(crate) fn is_kept_apart(&self, one: SourceId, other: SourceId) -> bool {
        if self.independent.is_empty() {
            return false;
        }
        let (ours, theirs) = (self.groups.all_with(one), self.groups.all_with(other));
        let mut apart = self.independent.iter();
        apart.any(|(a, b)| {
            (ours.contains(a) && theirs.contains(b)) || (ours.contains(b) && theirs.contains(a))
        })
    }

    fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.mirrors.keys().copied()
    }

    fn settled_pairs(&self) -> impl Iterator<Item = Pair> {
        let settled = self.mirrors.iter().filter(|(_, it)| it.is_settled());
        settled.map(|(pair, _)| *pair)
    }

    fn add_mirror(&mut self, one: SourceId, other: SourceId, inferred: Inferred) {
        let settled = inferred.is_settled();
        self.mirrors.insert_mut(pair(one, other), inferred);
        let groups = if settled { &self.settled } else { &self.groups };
        let (ours, theirs) = (groups.all_with(one), groups.all_with(other));
        // Where one of two groups says nothing, nothing changes when they become one.
        let fewer = if ours.len() < theirs.len() {
            ours
        } else {
            theirs
        };
        let subjects = self.ledger.subjects_of(&fewer);
        self.ledger.take_out(&subjects);
        self.groups.join(one, other);
        if settled {
            self.settled.join(one, other);
        }
        self.put_back(&subjects);
    }

    /// Takes a mirror back; if an operator says so, also what else holds the two together.
    fn remove_mirror(&mut self, one: SourceId, other: SourceId, for_good: bool) {
        let subjects = self.ledger.subjects_of(&self.groups.all_with(one));
        self.mirrors.remove_mut(&pair(one, other));
        if for_good && groups::is_reached(one, other, self.pairs()) {
            let of_one = self.pairs().filter(|it| it.0 == one || it.1 == one);
            let of_one: Vec<Pair> = of_one.collect();
            for it in of_one {
                self.mirrors.remove_mut(&it);
            }
        }
        let all: Vec<Pair> = self.pairs().collect();
        let settled: Vec<Pair> = self.settled_pairs().collect();
        self.ledger.take_out(&subjects);
        self.groups.split(one, all.into_iter());
        self.settled.split(one, settled.into_iter());
        self.put_back(&subjects);
    }

    fn put_back(&mut self, subjects: &[ItemNumber]) {
        let once = once(&self.settled, &self.groups, &self.mirrors);
        self.ledger.put_back(subjects, once);
    }
}

/// Who counts once.
fn once<'a>(
    settled: &'a Groups,
    all: &'a Groups,
    mirrors: &RedBlackTreeMapSync<Pair, Inferred>,
) -> Once<'a> {
    Once {
        settled,
        all,
        is_all_settled: mirrors.is_empty(),
    }
}

impl Inferred {
    /// Whether what others are compared by counts the two once.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.copy {
            InferredCopy::Content(_) => false,
            InferredCopy::Domain(_) => true,
            InferredCopy::Values(it) => it.settled,
        }
    }
}

impl State {
    /// Folds what was inferred or ruled about copies.
    pub(crate) fn fold_copying(&mut self, event: &Event, at: Instant) {
        match event {
            Event::CopyInferred { copy } => {
                let inferred = Inferred {
                    copy: copy.clone(),
                    at,
                    seq: self.seq,
                };
                let (one, other) = match copy {
                    InferredCopy::Content(it) => {
                        self.fold_repeated(it.observation, inferred, at);
                        return;
                    }
                    InferredCopy::Domain(it) => (it.source, it.of),
                    InferredCopy::Values(it) => (it.source, it.of),
                };
                self.copying.add_mirror(one, other, inferred);
                self.changes.sources.extend([one, other]);
            }
            Event::MirrorRuled { source, of, ruling } => {
                let (one, other) = (*source, *of);
                match ruling {
                    MirrorRuling::Independent => {
                        self.copying.independent.insert_mut(pair(one, other));
                        self.copying.remove_mirror(one, other, true);
                        self.settle_hops(self.repeated_between(one, other), at);
                    }
                    MirrorRuling::Open => {
                        self.copying.independent.remove_mut(&pair(one, other));
                        self.settle_hops(self.repeated_between(one, other), at);
                    }
                    MirrorRuling::Lapsed => self.copying.remove_mirror(one, other, false),
                }
                self.changes.sources.extend([one, other]);
            }
            _ => unreachable!("`fold` hands over what is about copies, and nothing else"),
        }
    }

    /// Notes what an observation repeats: it is trusted no further than that from now on.
    fn fold_repeated(&mut self, id: ObservationId, inferred: Inferred, at: Instant) {
        self.copying.note_repeated(&inferred.copy);
        self.copying.content.insert_mut(id, inferred);
        let mut taint = std::mem::take(&mut self.contexts.taint);
        taint.note_repeated(self, id);
        self.contexts.taint = taint;
        self.settle_hops(vec![id], at);
    }

    /// Takes up what an observation says into the ledger, and what the next ones are compared with.
    pub(crate) fn note_for_copying(&mut self, observed: &Observed) {
        for it in Runs::of(observed.text.as_str()).sketch(&observed.namespace) {
            let is_known = self.copying.runs.get(&it).is_some();
            let key = if is_known { latest_key(it) } else { it };
            self.copying.runs.insert(key, observed.observation);
        }
        let origin = self.origin(observed.source);
        for statement in &observed.statements {
            let Some((key, value)) = ledger_key(self, statement.belief, statement.polarity) else {
                continue;
            };
            let said = Said {
                source: observed.source,
                belief: statement.belief,
                value,
                strength: justification_cap(self, statement.justification),
                origin,
                recorded: self.is_record(observed.source, &statement.subject),
            };
            let Copying {
                ledger,
                settled,
                groups,
                mirrors,
                ..
            } = &mut self.copying;
            ledger.enter(key, said, once(settled, groups, mirrors));
        }
    }

    /// Forgets what an observation said, which counts as never written.
    pub(crate) fn forget_for_copying(&mut self, id: ObservationId) {
        let observation = self.observations.get(id);
        let source = observation.source;
        let beliefs = observation.statements.iter();
        let beliefs = beliefs.map(|it| self.justifications.get(*it).belief);
        let keys = beliefs.filter_map(|it| {
            let polarity = self.beliefs.get(it).polarity;
            ledger_key(self, it, polarity).map(|(key, _)| (it, key))
        });
        let keys: Vec<_> = keys.collect();
        for (belief, key) in keys {
            let Copying {
                ledger,
                settled,
                groups,
                mirrors,
                ..
            } = &mut self.copying;
            let number = ledger.find(&key);
            let said = number.and_then(|it| ledger.item(it).said_by(source));
            if said.is_some_and(|it| it.belief == belief) {
                ledger.withdraw(&key, source, once(settled, groups, mirrors));
            }
        }
    }

    /// Notes the domain of a source that turns up, if it is the first of it.
    pub(crate) fn note_domain(&mut self, source: SourceId) {
        let handle = self.sources.get(source).handle.clone();
        let Some(domain) = registrable_domain(handle.as_str()) else {
            return;
        };
        let key = domain_key(&domain);
        if self.copying.domains.get(&key).is_none() {
            self.copying.domains.insert(key, source);
        }
    }

    /// The mirrors that were inferred and stand, each with what shows it, in order of the pairs.
    pub fn inferred_mirrors(&self) -> impl Iterator<Item = (SourceId, SourceId, &Inferred)> {
        let mirrors = self.copying.mirrors.iter();
        mirrors.map(|((one, other), it)| (*one, *other, it))
    }

    /// What an observation was inferred to repeat, if that stands.
    pub fn inferred_content(&self, id: ObservationId) -> Option<&Inferred> {
        let inferred = self.copying.content.get(&id)?;
        let InferredCopy::Content(copy) = &inferred.copy else {
            return None;
        };
        let (one, other) = (
            self.observations.get(copy.observation).source,
            self.observations.get(copy.of).source,
        );
        (!self.copying.independent.contains(&pair(one, other))).then_some(inferred)
    }

    /// The oldest source of the group of inferred mirrors that a source is in; itself without one.
    pub fn inferred_group(&self, id: SourceId) -> SourceId {
        self.copying.groups.first_of(id)
    }

    /// The sources that an operator ruled to be independent of this one.
    pub fn ruled_independent(&self, id: SourceId) -> Vec<SourceId> {
        let pairs = self.copying.independent.iter();
        let others = pairs.filter_map(|(one, other)| match id {
            it if it == *one => Some(*other),
            it if it == *other => Some(*one),
            _ => None,
        });
        others.collect()
    }
}

impl State {
    /// How often the source of an observation is right by what the others say, the subject of this
    /// justification apart: never more than it is trusted.
    pub(crate) fn accuracy_beside(
        &self,
        id: ObservationId,
        by: JustificationId,
        trusted: Trust,
    ) -> Trust {
        let belief = self.justifications.get(by).belief;
        let ledger = &self.copying.ledger;
        let key = ledger_key(self, belief, self.beliefs.get(belief).polarity);
        let number = key.and_then(|(key, _)| ledger.find(&key));
        ledger.accuracy(self.observations.get(id).source, trusted, number)
    }

    /// What is said about the subject of a belief by those whose values compete with it.
    pub(crate) fn compared_on(&self, belief: BeliefId) -> Option<&ledger::Item> {
        let (key, _) = ledger_key(self, belief, self.beliefs.get(belief).polarity)?;
        let ledger = &self.copying.ledger;
        ledger.find(&key).map(|it| ledger.item(it))
    }
}

/// Under which subject and value of the ledger a belief falls: what affirms literals competes with
/// what affirms other literals of the same kinds about the same subject. Nothing for the rest.
fn ledger_key(state: &State, belief: BeliefId, polarity: Polarity) -> Option<([u8; 16], u64)> {
    let belief = state.beliefs.get(belief);
    if polarity != Polarity::Affirmed || belief.literals.is_empty() {
        return None;
    }
    let (mut kinds, mut values) = (Vec::new(), Vec::new());
    for literal in &belief.literals {
        if kinds.last() != Some(&(literal.kind as u8)) {
            kinds.push(literal.kind as u8);
        }
        values.push(literal.kind as u8);
        values.extend((literal.value.len() as u64).to_le_bytes());
        values.extend(literal.value.as_bytes());
    }
    let subject = [
        belief.namespace.as_str().as_bytes(),
        belief.subject.as_str().as_bytes(),
        &kinds,
    ];
    Some((key(&subject), digest(&values)))
}
