//! The fold: one event after the other changes the state. There is no other way to change it.
//!
//! What is set up is folded in `setup`, content in `content`, responses to a refutation in
//! `response`, actions in `action`; `settle` recomputes what they touched and announces it.

use immune_model::{Closing, Event, Instant, Item, Recorded};

use super::State;

impl State {
    /// Applies the next event of the log.
    ///
    /// # Panics
    /// When the event does not follow the last one, or its ids are not the next ones: the log was
    /// written by no planner of ours. Checked again here because a wrong status is worse than a
    /// stopped process.
    pub fn apply(&mut self, recorded: &Recorded) {
        assert_eq!(
            recorded.seq,
            self.seq + 1,
            "events are applied in order, without gaps"
        );
        assert!(
            self.at.is_none_or(|before| before <= recorded.at),
            "time never goes back"
        );
        self.seq = recorded.seq;
        self.at = Some(recorded.at);
        let first = self.changes.transitions.len();
        let cause = self.fold(&recorded.event, recorded.at);
        if let Event::Shown {
            run, from: None, ..
        } = &recorded.event
        {
            self.contexts.note_reader(run, &recorded.actor);
        }
        if let Event::Attributed(attributed) = &recorded.event {
            self.note_asker(attributed.attribution, &recorded.actor);
        }
        self.number_transitions(first, cause, recorded.at);
        self.now.network.lay_out();
    }

    /// Folds an event; gives the item that its transitions have as their cause.
    fn fold(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::MemoryCreated { .. }
            | Event::ChannelSet { .. }
            | Event::SourceAdded { .. }
            | Event::SourceDeclared { .. }
            | Event::RecordNamed { .. }
            | Event::RuleSet(_)
            | Event::RuleAsks { .. }
            | Event::HalfLifeSet { .. }
            | Event::EmbedderSet { .. }
            | Event::MirrorDeclared { .. }
            | Event::MirrorWithdrawn { .. } => {
                self.fold_setup(event, at);
                None
            }
            Event::Hedged { .. }
            | Event::Observed(_)
            | Event::Derived(_)
            | Event::GraphImported { .. }
            | Event::Shown { .. }
            | Event::ContextUsed { .. }
            | Event::Annotated { .. } => {
                self.fold_content(event, at);
                None
            }
            Event::StatementsClosed { .. }
            | Event::BeliefClosed { .. }
            | Event::ObservationClosed { .. } => self.fold_closed(event, at),
            Event::CopyInferred { .. } | Event::MirrorRuled { .. } => {
                self.fold_copying(event, at);
                None
            }
            Event::Checked { .. }
            | Event::IncidentOpened(_)
            | Event::ReviewOpened { .. }
            | Event::TaskOpened { .. }
            | Event::TasksOpened { .. }
            | Event::TaskDone { .. }
            | Event::Flagged { .. }
            | Event::Attributed(_)
            | Event::EvidenceGiven { .. }
            | Event::Paroled { .. }
            | Event::ParoleHeld { .. }
            | Event::Reinstated { .. } => self.fold_response(event, at),
            Event::MeshIncidentOpened(_)
            | Event::AntibodyMade(_)
            | Event::AgentQuarantined { .. }
            | Event::TextBlocked { .. }
            | Event::AntibodyReviewed { .. }
            | Event::AntibodyRetracted { .. }
            | Event::MeshIncidentRetracted { .. }
            | Event::AgentReleased { .. }
            | Event::MeshHabitLearned { .. } => {
                self.fold_mesh(event, at);
                None
            }
            Event::Decided(_)
            | Event::Proposed(_)
            | Event::Executed { .. }
            | Event::Failed { .. }
            | Event::ReversalQueued { .. }
            | Event::Reversed { .. }
            | Event::ReversalTried { .. } => self.fold_action(event, at),
        }
    }

    /// Folds what was closed without being refuted.
    fn fold_closed(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::StatementsClosed {
                justifications,
                closing,
            } => {
                self.fold_closing(justifications, *closing, at);
                match closing {
                    Closing::Superseded { by } => Some(Item::Justification(*by)),
                    Closing::Expired | Closing::Forgotten => None,
                }
            }
            Event::BeliefClosed { belief, closing } => {
                let so_far: Vec<_> = self.justifications_of(*belief).collect();
                self.fold_closing(&so_far, *closing, at);
                None
            }
            Event::ObservationClosed {
                observation,
                closing,
            } => {
                self.fold_observation_closed(*observation, *closing, at);
                None
            }
            _ => unreachable!("`fold` hands over what was closed, and nothing else"),
        }
    }

    /// Folds what was said, concluded, imported or shown.
    fn fold_content(&mut self, event: &Event, at: Instant) {
        match event {
            Event::Hedged { claims } => self.fold_hedged(claims),
            Event::Observed(observed) => self.fold_observed(observed, at),
            Event::Annotated { write, metadata } => self.fold_annotated(*write, metadata),
            Event::Derived(derived) => self.fold_derived(derived, at),
            Event::GraphImported { since, nodes } => self.fold_graph(*since, nodes, at),
            Event::Shown { .. } | Event::ContextUsed { .. } => self.fold_context(event, at),
            _ => unreachable!("`fold` hands over content, and nothing else"),
        }
    }
}
