//! What a write shows about copies: called by `remember` once the content is written, and for the
//! rulings of operators. It reads the ledger and a bounded number of pairs and texts, and pushes
//! what it finds with what shows it.

use std::collections::{BTreeMap, BTreeSet};

use immune_model::{
    ActionStatus, BeliefId, Event, InferredCopy, MirrorRuling, Namespace, ObservationId,
    RepeatedContent, SharedDomain, SourceId, Text, limits,
};

use super::Draft;
use crate::State;
use crate::arena::Slot;
use crate::copying::ledger::{Item, Said};
use crate::copying::{Runs, domain_key, pair, registrable_domain};

/// How many of a hundred runs of words an observation shares with the one that it repeats.
const REPEATS_PERCENT: u32 = 80;
/// Mirrors that one write looks at again.
const LOOKED_AT_AGAIN: usize = 2;

impl Draft {
    /// Infers what an observation that was just written shows about copies; `repeats` if its words
    /// were found to be those of an earlier one.
    pub(super) fn infer_copies(
        &mut self,
        source: SourceId,
        observation: ObservationId,
        repeats: Option<ObservationId>,
    ) {
        let from = self.events.len();
        self.look_at_mirrors_again(observation);
        if !self.state.is_any_record(source) {
            self.infer_domain(source);
            self.infer_values(source, observation);
        }
        if self.events.len() > from || repeats.is_some() {
            self.review_uncorroborated(source, observation);
        }
    }

    /// Takes back mirrors that nothing shows any more: a few in each write, so that all are looked
    /// at in turn.
    fn look_at_mirrors_again(&mut self, observation: ObservationId) {
        let mirrors = &self.state.copying.mirrors;
        if mirrors.is_empty() {
            return;
        }
        let first = observation.index() * LOOKED_AT_AGAIN % mirrors.size();
        let pairs = mirrors.iter().skip(first).take(LOOKED_AT_AGAIN);
        let by_values = pairs.filter_map(|(pair, it)| match &it.copy {
            InferredCopy::Values(it) => Some((*pair, it.settled)),
            InferredCopy::Content(_) | InferredCopy::Domain(_) => None,
        });
        let pairs: Vec<_> = by_values.collect();
        for ((source, of), settled) in pairs {
            let evidence = self.state.mirror_evidence(source, of);
            if evidence.speaks_against(settled) {
                let ruling = MirrorRuling::Lapsed;
                self.push(Event::MirrorRuled { source, of, ruling });
            } else if evidence.settles() && !settled {
                let copy = InferredCopy::Values(evidence.logged(source, of));
                self.push(Event::CopyInferred { copy });
            }
        }
    }

    /// The observations with which a text is compared that is written next, those first that are
    /// likely to say the same.
    pub(super) fn said_before(&self, namespace: &Namespace, text: &Text) -> Vec<ObservationId> {
        let copying = &self.state.copying;
        let runs = Runs::of(text.as_str());
        let with_runs = runs.sketch(namespace).into_iter();
        let mut earlier: Vec<ObservationId> =
            with_runs.flat_map(|it| copying.with_run(it)).collect();
        earlier.sort_unstable();
        let mut by_hits: Vec<(usize, ObservationId)> = earlier
            .chunk_by(|one, other| one == other)
            .filter_map(|it| it.first().map(|first| (usize::MAX - it.len(), *first)))
            .collect();
        by_hits.sort_unstable();
        // Whoever said the very same words comes before those who said most of them.
        let whole = runs.whole(namespace);
        let whole = whole.and_then(|it| copying.with_run(it).next());
        let others = by_hits.into_iter().map(|(_, it)| it);
        let others = others.filter(|it| Some(*it) != whole);
        let all = whole.into_iter().chain(others);
        all.take(limits::COPY_TEXTS_MAX).collect()
    }

    /// Infers whether an observation that was just written repeats one of these, and which.
    pub(super) fn infer_content(
        &mut self,
        source: SourceId,
        observation: ObservationId,
        earlier: &[ObservationId],
    ) -> Option<ObservationId> {
        let state = &self.state;
        if state.is_any_record(source) || earlier.is_empty() {
            return None;
        }
        let runs = Runs::of(state.observations.get(observation).text.as_str());
        let of_source = state.origins_of(source);
        let relays = state.context_counts(source);
        let repeated = earlier.iter().copied().filter_map(|of| {
            if !self.may_repeat(source, of) {
                return None;
            }
            let earlier = Runs::of(state.observations.get(of).text.as_str());
            let percent = runs.percent_in(&earlier);
            let adds = || {
                let theirs = state.origins_of_observation(of);
                theirs.iter().any(|it| !of_source.contains(it))
            };
            (percent >= REPEATS_PERCENT && (relays || adds())).then_some(RepeatedContent {
                observation,
                of,
                percent,
            })
        });
        let best = repeated.max_by_key(|it| (it.percent, std::cmp::Reverse(it.of)))?;
        let copy = InferredCopy::Content(best);
        self.push(Event::CopyInferred { copy });
        Some(best.of)
    }

    /// Whether what a source says may be taken for the words of an earlier observation. Its own
    /// words are its own, but where they were trusted no further than those of others.
    fn may_repeat(&self, source: SourceId, of: ObservationId) -> bool {
        let state = &self.state;
        let theirs = state.observations.get(of).source;
        if theirs == source {
            return state.context_of_observation(of).is_some() || state.hop_of(of).is_some();
        }
        !state.copying.is_kept_apart(source, theirs)
    }

    fn infer_domain(&mut self, source: SourceId) {
        let handle = self.state.sources.get(source).handle.as_str();
        let Some(domain) = registrable_domain(handle) else {
            return;
        };
        let first = self.state.copying.domains.get(&domain_key(&domain));
        let Some(of) = first.filter(|it| *it != source) else {
            return;
        };
        if self.may_be_mirrors(source, of)
            && let Ok(domain) = Text::new(&domain)
        {
            let shared = SharedDomain { source, of, domain };
            let copy = InferredCopy::Domain(shared);
            self.push(Event::CopyInferred { copy });
        }
    }

    /// Compares the source with a few of those that state the same values, where these are not
    /// believed: in turn, so that none is left out for long.
    /// Compares the source with a few of those that state the same values, where these are not
    /// believed: in turn, so that none is left out for long. Then one source whose turn it is with
    /// those that share most with it: what is believed may have changed since it spoke.
    fn infer_values(&mut self, source: SourceId, observation: ObservationId) {
        let turn = observation.index();
        let sharing = self.state.sharing_unbelieved(source, observation);
        let first = turn * limits::COPY_PAIRS_MAX % sharing.len().max(1);
        let in_turn = sharing.iter().cycle().skip(first).take(sharing.len());
        let some: Vec<SourceId> = in_turn.copied().take(limits::COPY_PAIRS_MAX).collect();
        self.compare(source, &some);
        if let Some((source, most)) = self.state.sharing_most(turn) {
            self.compare(source, &most);
        }
    }

    fn compare(&mut self, source: SourceId, with: &[SourceId]) {
        for of in with.iter().copied() {
            if !self.may_be_mirrors(source, of) {
                continue;
            }
            let evidence = self.state.mirror_evidence(source, of);
            if evidence.shows_mirror() && !self.is_contradicted(source, of) {
                let copy = InferredCopy::Values(evidence.logged(source, of));
                self.push(Event::CopyInferred { copy });
            }
        }
    }

    /// Whether two of those that would be one origin differ so often that they are none: a mirror
    /// of a mirror says the same as both. Looks at a few pairs.
    fn is_contradicted(&self, source: SourceId, of: SourceId) -> bool {
        let groups = &self.state.copying.groups;
        let (ours, theirs) = (groups.all_with(source), groups.all_with(of));
        let pairs = ours.iter();
        let pairs = pairs.flat_map(|one| theirs.iter().map(move |other| (*one, *other)));
        let mut others = pairs
            .filter(|it| *it != (source, of))
            .take(limits::COPY_PAIRS_MAX);
        others.any(|(one, other)| self.state.mirror_evidence(one, other).contradicts())
    }

    fn may_be_mirrors(&self, source: SourceId, of: SourceId) -> bool {
        let copying = &self.state.copying;
        !copying.settled.is_one(source, of)
            && !copying.mirrors.contains_key(&pair(source, of))
            && !self.state.is_any_record(of)
            && !copying.is_kept_apart(source, of)
    }

    /// Opens a review where an action ran whose rule would refuse it now, since those that it
    /// relied on are one origin.
    fn review_uncorroborated(&mut self, source: SourceId, observation: ObservationId) {
        if self.state.n_actions() == 0 {
            return;
        }
        let groups = &self.state.copying.groups;
        let touched = groups.all_with(source).into_iter();
        let touched = touched.flat_map(|it| self.state.stated_by(it));
        let touched: BTreeSet<BeliefId> = touched.collect();
        let short: Vec<BeliefId> = touched
            .into_iter()
            .filter(|it| self.is_too_little_now(*it))
            .collect();
        for belief in short {
            self.ensure_review(observation, source, belief, &[belief]);
        }
    }

    /// Whether an action that ran relied on this belief, and its rule asks for more origins.
    fn is_too_little_now(&self, belief: BeliefId) -> bool {
        let state = &self.state;
        let actions = state.decisions_on(belief);
        let actions = actions.flat_map(|it| state.decisions.get(it).actions.iter().copied());
        let ran = actions.filter(|it| {
            let status = state.actions.get(*it).status;
            matches!(status, ActionStatus::Executing | ActionStatus::Executed)
        });
        let rules = ran.filter_map(|it| state.find_rule(&state.actions.get(it).kind));
        let asked = rules.map(|it| state.corroboration_asked(it.rule)).max();
        asked.is_some_and(|asked| {
            asked > 0 && state.corroboration_up_to(belief, Some(asked)).count < asked
        })
    }
}

impl State {
    /// Whether a source is the system of record for anything.
    pub(crate) fn is_any_record(&self, source: SourceId) -> bool {
        !self.sources.get(source).records.is_empty()
    }

    /// The sources that state what this observation does, where it is not believed; in order.
    fn sharing_unbelieved(&self, source: SourceId, observation: ObservationId) -> Vec<SourceId> {
        let statements = self.observations.get(observation).statements.iter();
        let mut sharing = BTreeSet::new();
        for statement in statements {
            let belief = self.justifications.get(*statement).belief;
            let Some(item) = self.compared_on(belief) else {
                continue;
            };
            let Some(ours) = item.said_by(source) else {
                continue;
            };
            sharing.extend(self.sharing_on(item, ours));
        }
        sharing.into_iter().collect()
    }

    /// The other sources that state what this one does about a subject, where it is not believed.
    fn sharing_on<'a>(
        &'a self,
        item: &'a Item,
        ours: &'a Said,
    ) -> impl Iterator<Item = SourceId> + 'a {
        let settled = &self.copying.settled;
        let all = if self.may_be_unbelieved(item, ours) {
            &item.said[..]
        } else {
            &[]
        };
        let theirs = all.iter().filter(move |it| {
            it.value == ours.value
                && it.source != ours.source
                && !settled.is_one(it.source, ours.source)
                && self.is_unbelieved(item, ours, it)
        });
        theirs.map(|it| it.source)
    }

    /// The source whose turn it is, and some of those that share most with it that is not believed.
    fn sharing_most(&self, turn: usize) -> Option<(SourceId, Vec<SourceId>)> {
        let source = SourceId::at(turn.checked_rem(self.sources.len())?);
        if self.is_any_record(source) {
            return None;
        }
        let ledger = &self.copying.ledger;
        let mut left = limits::COPY_STATEMENTS_MAX;
        let mut shared: BTreeMap<SourceId, usize> = BTreeMap::new();
        for number in ledger.recent(source).iter().rev() {
            let item = ledger.item(*number);
            let Some(after) = left.checked_sub(item.said.len()) else {
                break;
            };
            left = after;
            let ours = item.said_by(source).into_iter();
            for it in ours.flat_map(|ours| self.sharing_on(item, ours)) {
                *shared.entry(it).or_default() += 1;
            }
        }
        let mirrors = &self.copying.mirrors;
        let open = shared
            .into_iter()
            .filter(|it| !mirrors.contains_key(&pair(source, it.0)));
        let mut open: Vec<(usize, SourceId)> = open.map(|(it, n)| (n, it)).collect();
        open.sort_unstable_by(|one, other| other.cmp(one));
        open.truncate(limits::COPY_PAIRS_AGAIN);
        Some((source, open.into_iter().map(|it| it.1).collect()))
    }

    /// The beliefs that a source states, of those about which it spoke last.
    fn stated_by(&self, source: SourceId) -> Vec<BeliefId> {
        let observations = self.observations_of(source).take(limits::COPY_SUBJECTS_MAX);
        let statements = observations.flat_map(|it| self.observations.get(it).statements.iter());
        statements
            .map(|it| self.justifications.get(*it).belief)
            .collect()
    }
}
