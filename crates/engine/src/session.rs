//! A memory as one principal may use it: every verb.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use immune_model::{
    ActionStatus, ChannelId, Instant, Premise, Principal, RuleId, Screening, SourceId,
};
use immune_reason::Draft;
use immune_reason::plan::{
    AdminError, Challenge, ChallengeError, Challenged, DeclareSource, Derivation, DeriveError,
    DerivedBelief, FinishAction, FinishError, Flag, FlagError, Flagged, Forget, ForgetError,
    Forgotten, Guard, GuardError, Guarded, HandOver, Handed, NameRecord, Rederivation,
    RederiveError, Rederived, Reinstate, ReinstateError, Reinstated, Remember, RememberError,
    Remembered, RunError, SetChannel, SetHalfLife, SetMirror, SetRule, Show, Unflag, Unflagged,
};

use crate::error::{OpenError, WriteError};
use crate::memory::{Memory, Snapshot};
use crate::preview::Preview;
use crate::writer::Job;

/// A memory together with who uses it. Cheap to clone; shared between threads.
#[derive(Debug, Clone)]
pub struct Session {
    pub(crate) memory: Memory,
    pub(crate) principal: Principal,
    pub(crate) preview: Option<Arc<Preview>>,
}

/// A write on its way. Dropping it does not take the write back.
#[derive(Debug)]
pub struct Pending<T, E> {
    reply: Arc<Mutex<Option<Result<T, E>>>>,
    done: Receiver<Result<(), OpenError>>,
    memory: Memory,
    is_preview: bool,
}

impl<T, E> Pending<T, E> {
    /// Waits until the write is durable, or refused.
    pub fn wait(self) -> Result<T, WriteError<E>> {
        let stopped = || {
            WriteError::Failed(OpenError::Stopped {
                memory: self.memory.name().clone(),
            })
        };
        self.done
            .recv()
            .map_err(|_| stopped())?
            .map_err(WriteError::Failed)?;
        let reply = self
            .reply
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        reply.ok_or_else(stopped)?.map_err(|refusal| {
            if !self.is_preview {
                self.memory.shared.refused.fetch_add(1, Ordering::Relaxed);
            }
            WriteError::Refused(refusal)
        })
    }
}

impl Session {
    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Who uses it.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The state now; see [`Memory::snapshot`].
    pub fn snapshot(&self) -> Result<Snapshot, OpenError> {
        match &self.preview {
            Some(preview) => Ok(preview.latest()),
            None => self.memory.snapshot(),
        }
    }

    /// The time that questions are asked at: now, or the end of the past that is looked at.
    pub fn present(&self, state: &immune_reason::State) -> Option<Instant> {
        match &self.preview {
            Some(preview) => preview.asked(state),
            None => Some(self.memory.shared.parts.clock.now()),
        }
    }

    /// Hands a plan to the writer; many at once share one commit.
    ///
    /// # Panics
    /// In the writer, when the plan writes something and then refuses.
    pub fn submit<T, E>(
        &self,
        mut plan: impl FnMut(&mut Draft) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let reply = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&reply);
        let (done, waiting) = sync_channel(1);
        let mut plan = move |draft: &mut Draft| {
            let before = draft.events().len();
            let result = plan(draft);
            let wrote = draft.events().len() > before;
            assert!(
                result.is_ok() || !wrote,
                "a plan is refused before its first event"
            );
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        };
        if let Some(preview) = &self.preview {
            let now = self.memory.shared.parts.clock.now();
            preview.plan(self.memory.name(), &self.principal, now, &mut plan);
            let _ = done.send(Ok(()));
        } else {
            let job = Job {
                principal: self.principal.clone(),
                plan: Box::new(plan),
                done,
            };
            // If the writer has stopped, waiting says so.
            let _ = self.memory.jobs.send(job);
        }
        Pending {
            reply,
            done: waiting,
            memory: self.memory.clone(),
            is_preview: self.is_preview(),
        }
    }

    /// Hands a plan to the writer and waits until it is durable.
    pub fn write<T, E>(
        &self,
        plan: impl FnMut(&mut Draft) -> Result<T, E> + Send + 'static,
    ) -> Result<T, WriteError<E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        self.submit(plan).wait()
    }

    /// Content arrives from a source. Claims that the caller does not state are looked for by
    /// rules, unless an [`Extractor`](crate::Extractor) has read the text before; text without any
    /// is kept as a note and counted as unscreened.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use immune_engine::reason::plan::{NewClaim, Remember, SetChannel, SourceRef};
    /// use immune_engine::{Engine, Parts, Recall};
    /// use immune_model::*;
    ///
    /// let engine = Engine::new(Parts::new(Arc::new(immune_store::MemoryStore::new())));
    /// let memory = engine.memory(&MemoryName::new("default")?)?;
    /// let operator = Principal { role: Role::Operator, name: Handle::new("me")? };
    /// let session = memory.session(operator);
    /// let inbox = ChannelName::new("inbox")?;
    /// let tier = "0.7".parse()?;
    /// session.set_channel(SetChannel { name: inbox.clone(), tier, carriage: None, create_only: false })?;
    /// let text = Text::new("Deliveries go to 118 Mission Rock")?;
    /// let about = Subject::new("delivery.address")?;
    /// let remembered = session.remember(Remember {
    ///     from: SourceRef { channel: Some(inbox), handle: Handle::new("ops@acme.example")?, kind: None },
    ///     namespace: Namespace::ROOT,
    ///     text: text.clone(),
    ///     sent_at: None,
    ///     external_id: None,
    ///     run: None,
    ///     screening: Screening::Explicit,
    ///     claims: vec![NewClaim::read(about, SubjectFrom::Caller, text)],
    ///     metadata: immune_model::Metadata::default(),
    /// })?;
    /// let recalled = session.recall(&Recall::query("where do deliveries go?"))?;
    /// assert_eq!(recalled.facts[0].belief, remembered.statements[0].belief);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remember(&self, command: Remember) -> Result<Remembered, WriteError<RememberError>> {
        self.submit_remember(command).wait()
    }

    /// As [`Self::remember`], without waiting.
    pub fn submit_remember(&self, command: Remember) -> Pending<Remembered, RememberError> {
        let command = screened(command);
        self.submit(move |draft| draft.remember(&command))
    }

    /// An agent concludes something from what stands.
    pub fn derive(&self, command: Derivation) -> Result<DerivedBelief, WriteError<DeriveError>> {
        self.submit_derive(command).wait()
    }

    /// As [`Self::derive`], without waiting.
    pub fn submit_derive(&self, command: Derivation) -> Pending<DerivedBelief, DeriveError> {
        self.submit(move |draft| draft.derive(&command))
    }

    /// An agent concludes something in place of what fell, and closes its tasks.
    pub fn rederive(&self, command: Rederivation) -> Result<Rederived, WriteError<RederiveError>> {
        self.write(move |draft| draft.rederive(&command))
    }

    /// Somebody says that what is believed is false.
    pub fn challenge(&self, command: Challenge) -> Result<Challenged, WriteError<ChallengeError>> {
        self.write(move |draft| draft.challenge(&command))
    }

    /// An incident was a mistake: every status, strength and reputation is as without it.
    pub fn reinstate(&self, command: Reinstate) -> Result<Reinstated, WriteError<ReinstateError>> {
        self.write(move |draft| draft.reinstate(&command))
    }

    /// An operator says that a source, an observation or a belief is not to be believed.
    pub fn flag(&self, command: Flag) -> Result<Flagged, WriteError<FlagError>> {
        self.write(move |draft| draft.flag(&command))
    }

    /// Takes every flag of an item back: the undo of its incidents.
    pub fn unflag(&self, command: Unflag) -> Result<Unflagged, WriteError<FlagError>> {
        self.write(move |draft| draft.unflag(&command))
    }

    /// Closes a belief or an observation without refuting it.
    pub fn forget(&self, command: Forget) -> Result<Forgotten, WriteError<ForgetError>> {
        self.write(move |draft| draft.forget(&command))
    }

    /// Writes a decision and its action, before the effect. The caller runs the effect only if
    /// the verdict is to proceed, and then tells how it ended; [`Self::act`] does both.
    pub fn guard(&self, mut command: Guard) -> Result<Guarded, WriteError<GuardError>> {
        if command.literals.is_empty() {
            command.literals = immune_reason::literal::literals(command.payload.as_str());
        }
        self.write(move |draft| draft.guard(&command))
    }

    /// A run was shown these items: they are in the context of all that it writes from then on.
    /// Gives those that are new to it.
    pub fn show(&self, command: Show) -> Result<Vec<Premise>, WriteError<RunError>> {
        self.write(move |draft| draft.show(&command))
    }

    /// A run starts another one, whose context is what it is handed.
    pub fn start_run(&self, command: HandOver) -> Result<Handed, WriteError<RunError>> {
        self.write(move |draft| draft.hand_over(&command))
    }

    /// Records how the effect of an action ended.
    pub fn finish(&self, command: FinishAction) -> Result<ActionStatus, WriteError<FinishError>> {
        self.write(move |draft| draft.finish_action(&command))
    }

    /// Opens a channel, or changes it.
    pub fn set_channel(
        &self,
        command: SetChannel,
    ) -> Result<(ChannelId, bool), WriteError<AdminError>> {
        self.write(move |draft| draft.set_channel(&command))
    }

    /// Declares a source.
    pub fn declare_source(
        &self,
        command: DeclareSource,
    ) -> Result<(SourceId, bool), WriteError<AdminError>> {
        self.write(move |draft| draft.declare_source(&command))
    }

    /// Names a system of record.
    pub fn name_record(
        &self,
        command: NameRecord,
    ) -> Result<(SourceId, bool), WriteError<AdminError>> {
        self.write(move |draft| draft.name_record(&command))
    }

    /// Declares that a source copies another, or takes that back.
    pub fn set_mirror(
        &self,
        command: SetMirror,
    ) -> Result<(SourceId, bool), WriteError<AdminError>> {
        self.write(move |draft| draft.set_mirror(&command))
    }

    /// Sets how fast what is stated in an area loses weight. Answers whether anything changed.
    pub fn set_half_life(&self, command: SetHalfLife) -> Result<bool, WriteError<AdminError>> {
        self.write(move |draft| draft.set_half_life(&command))
    }

    /// Sets the rule for a kind of action.
    pub fn set_rule(&self, command: SetRule) -> Result<(RuleId, bool), WriteError<AdminError>> {
        self.write(move |draft| draft.set_rule(&command))
    }
}

/// The command with the claims that rules find in its text, if the caller states none.
fn screened(mut command: Remember) -> Remember {
    let is_read = matches!(command.screening, Screening::Unscreened | Screening::Model);
    if !command.claims.is_empty() || is_read {
        return command;
    }
    let sender = command.from.handle.as_str();
    command.claims = crate::ingest::found_claims(sender, command.text.as_str());
    command.screening = Screening::Rules;
    command
}
