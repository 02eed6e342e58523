//! Questions to a state that need no reasoning: items by id, name or relation.

use immune_model::{
    ActionId, ActionStatus, Area, AttributionId, BeliefId, Carriage, ChannelId, ChannelName,
    Closing, DecisionId, FlagTarget, Handle, IncidentId, Instant, Item, JustificationId, Kind,
    Metadata, Namespace, ObservationId, Premise, ReviewId, Rule, RuleId, SourceId, Standing,
    Status, Subject, TaskId, Text, Trust, Write,
};

use crate::network::Levels;
use crate::pack;

use super::{
    Action, Attribution, Belief, BeliefNow, Channel, Decision, Grounds, IncidentRecord,
    Justification, Observation, Review, Source, State, Task,
};

/// The key of what is said about a subject in a namespace.
pub(super) fn subject_key(namespace: &Namespace, subject: &Subject) -> [u8; 16] {
    pack::key(&[namespace.as_str().as_bytes(), subject.as_str().as_bytes()])
}

/// The key of a source.
pub(super) fn handle_key(channel: ChannelId, handle: &Handle) -> [u8; 16] {
    pack::key(&[&channel.number().to_le_bytes(), handle.as_str().as_bytes()])
}

macro_rules! finders {
    ($($(#[$doc:meta])* $find:ident $ids:ident $count:ident $arena:ident $id:ty => $item:ty;)*) => {
        impl State {
            $(
                $(#[$doc])*
                pub fn $find(&self, id: $id) -> Option<&$item> {
                    self.$arena.find(id)
                }

                /// The ids of all of them, oldest first.
                pub fn $ids(&self) -> impl DoubleEndedIterator<Item = $id> + use<> {
                    self.$arena.ids()
                }

                /// How many there are.
                pub fn $count(&self) -> usize {
                    self.$arena.len()
                }
            )*
        }
    };
}

finders! {
    /// The channel with this id.
    channel channel_ids n_channels channels ChannelId => Channel;
    /// The source with this id.
    source source_ids n_sources sources SourceId => Source;
    /// The observation with this id.
    observation observation_ids n_observations observations ObservationId => Observation;
    /// The belief with this id.
    belief belief_ids n_beliefs beliefs BeliefId => Belief;
    /// The justification with this id.
    justification justification_ids n_justifications justifications JustificationId => Justification;
    /// The decision with this id.
    decision decision_ids n_decisions decisions DecisionId => Decision;
    /// The action with this id.
    action action_ids n_actions actions ActionId => Action;
    /// The rule with this id.
    rule rule_ids n_rules rules RuleId => Rule;
    /// The incident with this id.
    incident incident_ids n_incidents incidents IncidentId => IncidentRecord;
    /// The review with this id.
    review review_ids n_reviews reviews ReviewId => Review;
    /// The task with this id.
    task task_ids n_tasks tasks TaskId => Task;
    /// The attribution with this id.
    attribution attribution_ids n_attributions attributions AttributionId => Attribution;
}

impl State {
    /// Whether this item exists here.
    pub fn contains(&self, item: Item) -> bool {
        match item {
            Item::Channel(id) => self.channels.find(id).is_some(),
            Item::Source(id) => self.sources.find(id).is_some(),
            Item::Observation(id) => self.observations.find(id).is_some(),
            Item::Belief(id) => self.beliefs.find(id).is_some(),
            Item::Justification(id) => self.justifications.find(id).is_some(),
            Item::Decision(id) => self.decisions.find(id).is_some(),
            Item::Action(id) => self.actions.find(id).is_some(),
            Item::Rule(id) => self.rules.find(id).is_some(),
            Item::Incident(id) => self.incidents.find(id).is_some(),
            Item::Review(id) => self.reviews.find(id).is_some(),
            Item::Task(id) => self.tasks.find(id).is_some(),
            Item::Attribution(id) => self.attributions.find(id).is_some(),
            Item::MeshIncident(id) => self.mesh.incidents.find(id).is_some(),
            Item::Antibody(id) => self.mesh.antibodies.find(id).is_some(),
        }
    }

    /// The channel of this name.
    pub fn find_channel(&self, name: &ChannelName) -> Option<ChannelId> {
        self.channel_by_name.get(name.as_str()).copied()
    }

    /// The source of this handle in a channel.
    pub fn find_source(&self, channel: ChannelId, handle: &Handle) -> Option<SourceId> {
        self.source_by_handle.get(&handle_key(channel, handle))
    }

    /// The sources of this handle in any channel.
    pub fn find_sources(&self, handle: &Handle) -> Vec<SourceId> {
        self.channels
            .ids()
            .filter_map(|channel| self.find_source(channel, handle))
            .collect()
    }

    /// All that a word may mean: the item of this id; else what a graph calls so, and the sources
    /// of this handle. With a channel, the source of this handle in it and nothing else.
    pub fn named(&self, word: &str, channel: Option<ChannelId>) -> Vec<Item> {
        let handle = Handle::new(word).ok();
        if let Some(channel) = channel {
            let source = handle.and_then(|it| self.find_source(channel, &it));
            return source.map(Item::from).into_iter().collect();
        }
        if let Some(id) = word.parse().ok().filter(|id| self.contains(*id)) {
            return vec![id];
        }
        let sources = handle.map(|it| self.find_sources(&it)).unwrap_or_default();
        let mut named: Vec<Item> = self.find_alias(word).into_iter().collect();
        for source in sources.into_iter().map(Item::from) {
            if !named.contains(&source) {
                named.push(source);
            }
        }
        named
    }

    /// The rule for a kind of action, if one was set.
    pub fn find_rule(&self, kind: &Kind) -> Option<&Rule> {
        self.rule_by_kind.get(kind).map(|id| self.rules.get(*id))
    }

    /// The corroboration that a rule asks of each belief that an action relies on; 0 if it asks
    /// for none.
    pub fn corroboration_asked(&self, rule: RuleId) -> u32 {
        self.corroboration_asked.get(&rule).copied().unwrap_or(0)
    }

    /// How sure the claim of a justification is, if it was not made plainly: it is trusted no
    /// further, whoever made it.
    pub fn confidence_of(&self, id: JustificationId) -> Option<Trust> {
        self.confidences.get(&id).copied()
    }

    /// Whether any claim says when it holds, or ever did.
    pub fn has_timed_claims(&self) -> bool {
        self.n_timed > 0
    }

    /// What is derived about a belief now.
    pub fn belief_now(&self, id: BeliefId) -> Option<BeliefNow> {
        self.now.find(id)
    }

    /// The subjects of a namespace about which anything is believed or was, in no order.
    pub fn subjects<'a>(
        &'a self,
        namespace: &'a Namespace,
    ) -> impl Iterator<Item = &'a Subject> + use<'a> {
        let all = self.last_by_subject.items().map(|it| self.beliefs.get(it));
        all.filter(move |it| it.namespace == *namespace)
            .map(|it| &it.subject)
    }

    /// The beliefs about a subject, newest first.
    pub fn beliefs_about<'a>(
        &'a self,
        namespace: &Namespace,
        subject: &Subject,
    ) -> impl Iterator<Item = BeliefId> + use<'a> {
        let last = self.last_by_subject.get(&subject_key(namespace, subject));
        std::iter::successors(last, |id| self.beliefs.get(*id).previous_of_subject)
    }

    /// The justifications of a belief, newest first; those that were undone count as never
    /// written.
    pub fn justifications_of(&self, id: BeliefId) -> impl Iterator<Item = JustificationId> + '_ {
        self.written_for(id)
            .filter(|it| !self.justifications.get(*it).retracted)
    }

    /// Every justification that was ever written for a belief, newest first.
    pub fn written_for(&self, id: BeliefId) -> impl Iterator<Item = JustificationId> + '_ {
        self.now.network.justifications_of(id)
    }

    /// The observations of a source, newest first.
    pub fn observations_of(&self, id: SourceId) -> impl Iterator<Item = ObservationId> + '_ {
        let last = self
            .sources
            .find(id)
            .and_then(|source| source.last_observation);
        std::iter::successors(last, |id| self.observations.get(*id).previous_of_source)
    }

    /// The justifications that an agent derived, newest first.
    pub fn derivations_of(&self, id: SourceId) -> impl Iterator<Item = JustificationId> + '_ {
        let last = self.sources.find(id).and_then(|it| it.last_derivation);
        std::iter::successors(last, |id| self.justifications.get(*id).previous_of_agent)
    }

    /// The justifications that have this node as a premise, newest first. A statement is no
    /// dependent of its observation here; see [`Observation::statements`].
    pub fn dependents_of(&self, premise: Premise) -> impl Iterator<Item = JustificationId> + '_ {
        let (belief, observation) = match premise {
            Premise::Belief(id) => (Some(id), None),
            Premise::Observation(id) => (None, self.observations.find(id)),
        };
        let of_observation = observation.and_then(|it| it.first_dependent);
        let of_observation = std::iter::successors(of_observation, |it| self.edges.get(*it).next)
            .map(|it| self.edges.get(it).justification);
        let of_belief = belief.into_iter();
        of_belief
            .flat_map(|it| self.now.network.dependents_of(it))
            .chain(of_observation)
    }

    /// The decisions that relied on a belief, newest first.
    pub fn decisions_on(&self, id: BeliefId) -> impl Iterator<Item = DecisionId> + '_ {
        let first = self.now.network.uses_of(id);
        std::iter::successors(first, |edge| self.uses.get(*edge).next)
            .map(|edge| self.uses.get(edge).decision)
    }

    /// The actions whose reversal is due at `now`, and those that wait for a later attempt.
    pub fn reversals_due(&self, now: Instant) -> Vec<ActionId> {
        let due = |id: &ActionId| {
            let next = self
                .actions
                .get(*id)
                .reversal
                .as_ref()
                .and_then(|it| it.next_at);
            next.is_some_and(|next| next <= now)
        };
        self.pending.iter().copied().filter(due).collect()
    }

    /// The actions whose reversal is not done yet.
    pub fn reversals_pending(&self) -> impl Iterator<Item = ActionId> + '_ {
        self.pending.iter().copied()
    }

    /// The actions that were written and whose effect has not ended: running, or cut off.
    pub fn actions_executing(&self) -> impl Iterator<Item = ActionId> + '_ {
        let executing = |(id, action): (ActionId, &Action)| {
            (action.status == ActionStatus::Executing).then_some(id)
        };
        self.actions.iter().filter_map(executing)
    }

    /// The closing fact that applies to a justification: the latest that is not void
    /// (semantics.md 3).
    pub fn closing_of(&self, id: JustificationId) -> Option<(u64, Closing)> {
        self.closing_unless(id, |_| false)
    }

    /// As [`Self::closing_of`], if these newer claims were void.
    pub(crate) fn closing_unless(
        &self,
        id: JustificationId,
        void: impl Fn(JustificationId) -> bool,
    ) -> Option<(u64, Closing)> {
        let closings = self.justifications.find(id)?.closings.iter().rev();
        closings.copied().find(|(_, closing)| match *closing {
            Closing::Superseded { by } => self.supersedes(by, &void),
            Closing::Expired | Closing::Forgotten => true,
        })
    }

    /// Whether a newer claim still replaces what it had replaced: it was neither refuted,
    /// flagged nor undone, or it was itself replaced by one that was not.
    fn supersedes(&self, newer: JustificationId, void: impl Fn(JustificationId) -> bool) -> bool {
        let mut stack = vec![newer];
        while let Some(id) = stack.pop() {
            let claim = self.justifications.get(id);
            let refuted = self.beliefs.get(claim.belief).refuted_in.is_some();
            let flagged = self.flag_against(id).is_some();
            if !claim.retracted && !refuted && !flagged && !void(id) {
                return true;
            }
            // A superseding claim is always a later one, so this ends.
            stack.extend(
                claim
                    .closings
                    .iter()
                    .filter_map(|(_, closing)| match *closing {
                        Closing::Superseded { by } => Some(by),
                        Closing::Expired | Closing::Forgotten => None,
                    }),
            );
        }
        false
    }

    /// The status of an observation.
    pub fn observation_status(&self, id: ObservationId) -> Option<Status> {
        self.observation_status_unless(id, |_| false)
    }

    /// As [`Self::observation_status`], if these newer claims were void.
    pub(crate) fn observation_status_unless(
        &self,
        id: ObservationId,
        void: impl Fn(JustificationId) -> bool,
    ) -> Option<Status> {
        let observation = self.observations.find(id)?;
        if observation.retracted {
            return Some(Status::Retracted);
        }
        if self.flag_over(id).is_some() {
            return Some(Status::Quarantined);
        }
        let closed = observation.closing.or_else(|| {
            let closings: Option<Vec<_>> = observation
                .statements
                .iter()
                .map(|it| self.closing_unless(*it, &void))
                .collect();
            closings?
                .into_iter()
                .max_by_key(|(seq, _)| *seq)
                .map(|(_, closing)| closing)
        });
        Some(closed.map_or(Status::Active, closing_status))
    }

    /// Whether a source is a system of record for a subject now: declared, in an authored
    /// channel, named for the area, strong enough (semantics.md 1), and not flagged.
    pub fn is_record(&self, source: SourceId, subject: &Subject) -> bool {
        let Some(found) = self.sources.find(source) else {
            return false;
        };
        let channel = self.channels.get(found.channel);
        self.flags_of(FlagTarget::Source(source)).is_empty()
            && found.standing == Standing::Declared
            && channel.carriage == Carriage::Authored
            && found.records.iter().any(|area: &Area| area.covers(subject))
            && self.trust_of(source, crate::reputation::Scope::Area(subject.area()))
                >= Trust::RECORD
    }

    /// The sources whose standing statements give a belief, without repeats, in order.
    pub fn sources_stating(&self, id: BeliefId) -> Vec<SourceId> {
        let mut sources: Vec<SourceId> = self
            .justifications_of(id)
            .filter(|it| self.counts(*it))
            .filter_map(|it| match self.justifications.get(it).grounds {
                Grounds::Statement { observation, .. } => {
                    Some(self.observations.get(observation).source)
                }
                Grounds::Derivation { .. } => None,
            })
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// Whether a system of record states a belief now.
    pub fn stated_by_record(&self, id: BeliefId) -> bool {
        let Some(belief) = self.beliefs.find(id) else {
            return false;
        };
        let sources = self.sources_stating(id);
        sources
            .into_iter()
            .any(|it| self.is_record(it, &belief.subject))
    }

    /// Whether a justification supports its belief now: it counts, its belief is not refuted, and
    /// its premises stand.
    pub fn holds(&self, id: JustificationId) -> bool {
        let Some(justification) = self.justifications.find(id) else {
            return false;
        };
        let stands = |premise: &Premise| {
            let status = match *premise {
                Premise::Belief(id) => Some(self.now.get(id).status),
                Premise::Observation(id) => self.observation_status(id),
            };
            status == Some(Status::Active)
        };
        let refuted = self.beliefs.get(justification.belief).refuted_in.is_some();
        !justification.retracted
            && !refuted
            && self.counts(id)
            && crate::support::premises_of(self, id).all(|it| stands(&it))
    }

    /// What a justification gives its belief now: 0 if a premise does not stand.
    pub fn justification_strength(&self, id: JustificationId) -> Trust {
        crate::support::justification_strength(self, id)
    }

    /// A belief in the words of its strongest standing justification: whoever said it first must
    /// not speak with the voice of whoever confirmed it. In the first words if none stands.
    pub fn words_of(&self, id: BeliefId) -> Option<&Text> {
        let words = self
            .strongest_of(id)
            .map(|it| &self.justifications.get(it).text);
        words.or_else(|| self.beliefs.find(id).map(|it| &it.text))
    }

    /// The strongest justification of a belief that counts, the first of equals.
    fn strongest_of(&self, id: BeliefId) -> Option<JustificationId> {
        let standing = self.justifications_of(id).filter(|it| self.counts(*it));
        standing.max_by_key(|it| {
            let strength = crate::support::justification_strength(self, *it);
            (strength, std::cmp::Reverse(*it))
        })
    }

    /// What was noted about a belief by whoever says it most strongly.
    pub fn metadata_of_belief(&self, id: BeliefId) -> Option<&Metadata> {
        self.metadata_behind(self.strongest_of(id)?)
    }

    /// What was noted about an observation or a derivation.
    pub fn metadata_of(&self, write: Write) -> Option<&Metadata> {
        self.metadata.get(&write)
    }

    /// What was noted about the write that gives a justification.
    pub fn metadata_behind(&self, id: JustificationId) -> Option<&Metadata> {
        self.metadata_of(match self.justifications.find(id)?.grounds {
            Grounds::Statement { observation, .. } => Write::Observation(observation),
            Grounds::Derivation { .. } => Write::Justification(id),
        })
    }

    /// Whether a source ever stated this belief, and it was not undone.
    pub(crate) fn has_stated(&self, source: SourceId, id: BeliefId) -> bool {
        self.justifications_of(id)
            .any(|it| match self.justifications.get(it).grounds {
                Grounds::Statement { observation, .. } => {
                    self.observations.get(observation).source == source
                }
                Grounds::Derivation { .. } => false,
            })
    }

    /// The status of a decision: that of a belief justified by all it relied on.
    pub fn decision_status(&self, id: DecisionId) -> Option<Status> {
        let decision = self.decisions.find(id)?;
        let levels = decision
            .relied_on
            .iter()
            .map(|it| self.now.get(*it).levels)
            .fold(Levels::ALL, Levels::and);
        Some(levels.status_of_dependent())
    }
}

/// The status of what is closed by this fact.
pub(crate) fn closing_status(closing: Closing) -> Status {
    match closing {
        Closing::Superseded { .. } => Status::Superseded,
        Closing::Expired => Status::Expired,
        Closing::Forgotten => Status::Forgotten,
    }
}
