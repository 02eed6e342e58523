//! `ingest`: messages of a mailbox or a table become observations, many in one commit.

use std::collections::{BTreeMap, VecDeque};
use std::thread::{Scope, ScopedJoinHandle};

use immune_ingest::{Broken, Message};
use immune_model::{
    ChannelName, Handle, Namespace, RunId, Screening, SourceKind, Subject, SubjectFrom, Text,
    Trust, limits,
};
use immune_reason::plan::{
    NewClaim, Remember, RememberError, Remembered, Sign, SourceRef, StatementOutcome,
};

use crate::error::{OpenError, WriteError};
use crate::extract::{ExtractError, Extraction, Extractor, Reader};
use crate::session::{Pending, Session};

/// Where messages go, and who reads them.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// The channel they came through; it has to be open.
    pub channel: ChannelName,
    /// The part of the memory they are for.
    pub namespace: Namespace,
    /// The run that reads them.
    pub run: Option<RunId>,
    /// Who speaks where a message names nobody.
    pub sender: Option<Handle>,
    /// How sure all of it is at most.
    pub confidence: Option<Trust>,
    /// Which messages are listed.
    pub listed: Listed,
    /// Who finds the claims of those that state none.
    pub extractor: Extractor,
}

/// Which messages an ingestion lists, beside counting them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listed {
    /// Those that somebody should look at.
    #[default]
    Noteworthy,
    /// Every one, until there are too many.
    All,
}

impl IngestOptions {
    /// Into the root of the memory, through this channel.
    pub fn new(channel: ChannelName) -> Self {
        Self {
            channel,
            namespace: Namespace::ROOT,
            run: None,
            sender: None,
            confidence: None,
            listed: Listed::Noteworthy,
            extractor: Extractor::Rules,
        }
    }
}

/// A message that was skipped, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestProblem {
    /// Where it is: `row 12`.
    pub position: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What came of an ingestion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestTotals {
    /// Messages read, skipped ones included.
    pub messages: u64,
    /// Observations written.
    pub observations: u64,
    /// Claims that those made.
    pub claims: u64,
    /// Beliefs that are new.
    pub beliefs: u64,
    /// Observations without a claim, kept as notes.
    pub unscreened: u64,
    /// Messages that were there already.
    pub repeated: u64,
    /// Messages that could not be read or kept.
    pub skipped: u64,
    /// What was wrong with the first of those, and with repeated ones that say something else.
    pub problems: Vec<IngestProblem>,
    /// What became of the messages that were taken up, each by the gravest of its claims.
    pub outcomes: BTreeMap<StatementOutcome, u64>,
    /// What became of their claims.
    pub claim_outcomes: BTreeMap<StatementOutcome, u64>,
    /// The first of those that are asked for; what somebody should look at is contested, blocked,
    /// below the floor, or replaces something.
    pub screened: Vec<Screened>,
    /// What a model did, where one was to read.
    pub model: Option<ModelTotals>,
}

/// A message that was taken up, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// Where it is: `row 12`.
    pub position: String,
    /// What became of it.
    pub remembered: Remembered,
}

/// What a model did in an ingestion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelTotals {
    /// Texts that it read.
    pub read: u64,
    /// Texts that rules read, because it could not.
    pub fell_back: u64,
    /// Claims of its replies that were not taken up.
    pub rejected: u64,
    /// The first of both, with the reasons.
    pub notes: Vec<IngestProblem>,
    /// Calls that were sent, attempts counted.
    pub calls_sent: u64,
    /// Calls that the budget still has; nothing without one.
    pub calls_left: Option<u64>,
}

/// Why an ingestion stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// A model was to read the messages or nobody, and its endpoint failed. What came before is
    /// kept; doing it again goes on from there.
    #[error("{position}: {error}")]
    Model {
        /// Where it stopped.
        position: String,
        /// Why.
        error: ExtractError,
    },
}

/// Problems that are listed; the rest is counted.
const PROBLEMS_MAX: usize = 100;

/// A message on its way into the memory.
enum Reading<'scope> {
    /// It is read, or cannot be.
    Read(Box<Result<Prepared, IngestProblem>>),
    /// A model is asked about it.
    Asked(
        Box<Prepared>,
        ScopedJoinHandle<'scope, Result<Extraction, ExtractError>>,
    ),
}

/// A command without the claims that are still to be found.
struct Prepared {
    position: String,
    command: Remember,
    /// The sender's own words, in which claims are looked for; nothing where it states its own.
    words: Option<String>,
}

impl Session {
    /// Remembers every message, in order. Doing it again adds nothing: a message is known by its
    /// id in the channel or by its content, and one that is known is not read again. `progress` is
    /// told the totals so far; returning `false` stops after the messages already on their way.
    ///
    /// Fails when the store does, or where a model has to read and its endpoint fails; what is
    /// wrong with a message is in the totals.
    pub fn ingest(
        &self,
        messages: impl IntoIterator<Item = Result<Message, Broken>>,
        options: &IngestOptions,
        progress: &mut dyn FnMut(&IngestTotals) -> bool,
    ) -> Result<IngestTotals, IngestError> {
        let mut intake = Intake {
            session: self,
            extractor: &options.extractor,
            known_beliefs: self.snapshot()?.state().n_beliefs(),
            listed: options.listed,
            confidence: options.confidence,
            pending: VecDeque::new(),
            totals: IngestTotals {
                model: options.extractor.reader().map(|_| ModelTotals::default()),
                ..IngestTotals::default()
            },
        };
        std::thread::scope(|scope| {
            let mut readings: VecDeque<Reading<'_>> = VecDeque::new();
            for message in messages {
                intake.totals.messages += 1;
                readings.push_back(intake.read(scope, message, options)?);
                // A model reads a few at once; they are remembered in their order all the same.
                while readings.len() >= options.extractor.at_once()
                    && let Some(first) = readings.pop_front()
                {
                    intake.remember(first)?;
                }
                if !progress(intake.counted()) {
                    break;
                }
            }
            for remaining in readings {
                intake.remember(remaining)?;
            }
            Ok::<(), IngestError>(())
        })?;
        intake.settle_all()?;
        progress(intake.counted());
        Ok(intake.totals)
    }
}

/// An ingestion under way.
struct Intake<'a> {
    session: &'a Session,
    extractor: &'a Extractor,
    known_beliefs: usize,
    listed: Listed,
    confidence: Option<Trust>,
    pending: VecDeque<(String, Pending<Remembered, RememberError>)>,
    totals: IngestTotals,
}

impl<'a> Intake<'a> {
    /// Starts to read a message: rules do at once, a model is asked in a thread of its own.
    fn read<'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        message: Result<Message, Broken>,
        options: &IngestOptions,
    ) -> Result<Reading<'scope>, OpenError>
    where
        'a: 'scope,
    {
        let message = message.map_err(|it| problem(it.position, it.reason));
        let mut prepared = match message.and_then(|it| prepare(&it, options)) {
            Ok(prepared) => prepared,
            Err(problem) => return Ok(Reading::Read(Box::new(Err(problem)))),
        };
        let extractor = self.extractor;
        let sender = prepared.command.from.handle.clone();
        let Some(words) = prepared.words.take() else {
            return Ok(Reading::Read(Box::new(Ok(prepared))));
        };
        if extractor.reader().is_none() {
            prepared.command.claims = found_claims(sender.as_str(), &words);
            return Ok(Reading::Read(Box::new(Ok(prepared))));
        }
        let snapshot = self.session.snapshot()?;
        if snapshot.state().repeated_by(&prepared.command).is_some() {
            return Ok(Reading::Read(Box::new(Ok(prepared))));
        }
        let asked = scope.spawn(move || extractor.extract(sender.as_str(), &words));
        Ok(Reading::Asked(Box::new(prepared), asked))
    }

    /// Hands a message to the writer, once it is read.
    fn remember(&mut self, reading: Reading<'_>) -> Result<(), IngestError> {
        let prepared = match reading {
            Reading::Read(read) => *read,
            Reading::Asked(prepared, asked) => {
                let extraction = asked.join().expect("reading a text does not panic");
                self.filled(*prepared, extraction)?
            }
        };
        match prepared {
            Ok(Prepared {
                position, command, ..
            }) => {
                let command = decided(command, self.confidence);
                let pending = self.session.submit_remember(command);
                self.pending.push_back((position, pending));
            }
            Err(problem) => self.totals.skip(problem),
        }
        // Two full commits are under way at most: memory stays bounded, the writer busy.
        if self.pending.len() >= 2 * limits::GROUP_COMMIT_MAX
            && let Some(first) = self.pending.pop_front()
        {
            self.totals
                .settle(first, &mut self.known_beliefs, self.listed)?;
        }
        Ok(())
    }

    /// The command with what a model found in it.
    fn filled(
        &mut self,
        prepared: Prepared,
        extraction: Result<Extraction, ExtractError>,
    ) -> Result<Result<Prepared, IngestProblem>, IngestError> {
        let position = prepared.position.clone();
        match extraction {
            Ok(extraction) => {
                if let Some(model) = &mut self.totals.model {
                    model.count(&position, &extraction);
                }
                let command = extraction.fill(prepared.command);
                Ok(Ok(Prepared {
                    command,
                    ..prepared
                }))
            }
            Err(error) if error.is_about_the_endpoint() => {
                // What came before is kept, so that going on is doing it again.
                self.settle_all()?;
                Err(IngestError::Model { position, error })
            }
            Err(error) => Ok(Err(problem(position, error.to_string()))),
        }
    }

    /// The totals with the calls so far.
    fn counted(&mut self) -> &IngestTotals {
        if let (Some(model), Some(reader)) = (&mut self.totals.model, self.extractor.reader()) {
            model.calls_sent = reader.client().calls_sent();
            model.calls_left = reader.client().calls_left();
        }
        &self.totals
    }

    fn settle_all(&mut self) -> Result<(), OpenError> {
        while let Some(first) = self.pending.pop_front() {
            self.totals
                .settle(first, &mut self.known_beliefs, self.listed)?;
        }
        Ok(())
    }
}

/// The command as it is planned: no claim is surer than all of it may be, and text without one is
/// a note that nobody reads again.
fn decided(mut command: Remember, confidence: Option<Trust>) -> Remember {
    for claim in &mut command.claims {
        claim.lower(confidence);
    }
    let screening = if command.claims.is_empty() {
        Screening::Unscreened
    } else {
        command.screening
    };
    Remember {
        screening,
        ..command
    }
}

impl ModelTotals {
    /// What a model did with one text.
    pub fn of_one(position: &str, extraction: &Extraction, reader: &Reader) -> Self {
        let mut totals = Self {
            calls_sent: reader.client().calls_sent(),
            calls_left: reader.client().calls_left(),
            ..Self::default()
        };
        totals.count(position, extraction);
        totals
    }

    fn count(&mut self, position: &str, extraction: &Extraction) {
        let note = |reason: String| problem(position.to_owned(), reason);
        let notes = if let Some(error) = &extraction.fell_back {
            self.fell_back += 1;
            vec![note(format!("read by rules: {error}"))]
        } else {
            self.read += 1;
            let rejected = extraction.rejected.iter();
            rejected
                .map(|it| note(format!("claim {} rejected: {}", it.position, it.reason)))
                .collect()
        };
        self.rejected += extraction.rejected.len() as u64;
        let room = PROBLEMS_MAX.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(room));
    }
}

impl IngestTotals {
    /// What came of one message that was remembered by itself.
    pub fn of_one(position: &str, remembered: Remembered) -> Self {
        let mut totals = Self {
            messages: 1,
            ..Self::default()
        };
        totals.count(position.to_owned(), remembered, &mut 0, Listed::All);
        totals
    }

    fn skip(&mut self, problem: IngestProblem) {
        self.skipped += 1;
        self.list(problem);
    }

    fn list(&mut self, problem: IngestProblem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    fn settle(
        &mut self,
        (position, pending): (String, Pending<Remembered, RememberError>),
        known_beliefs: &mut usize,
        listed: Listed,
    ) -> Result<(), OpenError> {
        match pending.wait() {
            Ok(remembered) => self.count(position, remembered, known_beliefs, listed),
            Err(WriteError::Refused(error)) => self.skip(problem(position, error.to_string())),
            Err(WriteError::Failed(error)) => return Err(error),
        }
        Ok(())
    }

    /// Counts what was taken up, or had come before.
    fn count(
        &mut self,
        position: String,
        remembered: Remembered,
        known_beliefs: &mut usize,
        listed: Listed,
    ) {
        if remembered.repeated {
            self.repeated += 1;
            if remembered.differs {
                let kept = remembered.observation;
                let reason =
                    format!("its id is that of {kept}, which says something else and is kept");
                self.list(problem(position.clone(), reason));
            }
        } else {
            self.observations += 1;
            self.claims += remembered.statements.len() as u64;
            self.unscreened += u64::from(remembered.screening == Screening::Unscreened);
        }
        // What came again is told where every message is asked for.
        if remembered.repeated && listed == Listed::Noteworthy {
            return;
        }
        *self.outcomes.entry(remembered.outcome()).or_default() += 1;
        for statement in &remembered.statements {
            *self.claim_outcomes.entry(statement.outcome).or_default() += 1;
            if statement.belief.index() >= *known_beliefs {
                *known_beliefs = statement.belief.index() + 1;
                self.beliefs += 1;
            }
        }
        let wanted = listed == Listed::All || is_noteworthy(remembered.outcome());
        if wanted && self.screened.len() < limits::SCREENED_MAX {
            self.screened.push(Screened {
                position,
                remembered,
            });
        }
    }
}

/// Whether somebody should look at what came of a message.
fn is_noteworthy(outcome: StatementOutcome) -> bool {
    match outcome {
        StatementOutcome::Superseded
        | StatementOutcome::Inert
        | StatementOutcome::Contested
        | StatementOutcome::Blocked => true,
        StatementOutcome::Restated
        | StatementOutcome::Reinforced
        | StatementOutcome::Stored
        | StatementOutcome::Unscreened => false,
    }
}

fn problem(position: String, reason: String) -> IngestProblem {
    IngestProblem { position, reason }
}

/// The command that remembers a message, without the claims that are still to be found. Those are
/// looked for in the sender's own words only: a quoted reply is no new statement of the replier.
fn prepare(message: &Message, options: &IngestOptions) -> Result<Prepared, IngestProblem> {
    let position = message.position.clone();
    let refuse = |reason: String| problem(position.clone(), reason);
    let named = options.sender.as_ref().map(Handle::as_str);
    let sender = message
        .sender
        .as_deref()
        .or(named)
        .ok_or_else(|| refuse("it has no sender".to_owned()))?;
    let handle = Handle::new(sender).map_err(|it| refuse(it.to_string()))?;
    let text = Text::new(&message.content()).map_err(|it| refuse(it.to_string()))?;
    // A message without an id is known by its content, whatever becomes of its claims later.
    let id = message.external_id.clone().unwrap_or_else(|| {
        let sent_at = message.sent_at.map_or(String::new(), |it| it.to_string());
        let digest = blake3::hash(format!("{sent_at}\n{text}").as_bytes());
        format!("content:{}", digest.to_hex())
    });
    let external_id = Text::new(&id).map_err(|it| refuse(format!("its id: {it}")))?;
    let kind = if sender.contains('@') {
        SourceKind::Email
    } else {
        SourceKind::Other
    };
    let (screening, words) = if message.claims.is_empty() {
        (Screening::Rules, Some(message.body.clone()))
    } else {
        (Screening::Explicit, None)
    };
    let claims = stated_claims(message, text.as_str());
    let command = Remember {
        from: SourceRef {
            channel: Some(options.channel.clone()),
            handle,
            kind: Some(kind),
        },
        namespace: options.namespace.clone(),
        text,
        sent_at: message.sent_at,
        external_id: Some(external_id),
        run: options.run.clone(),
        screening,
        claims,
        metadata: immune_model::Metadata::default(),
    };
    Ok(Prepared {
        position,
        command,
        words,
    })
}

/// The claims that rules find in a sender's own words.
pub(crate) fn found_claims(sender: &str, words: &str) -> Vec<NewClaim> {
    let context = immune_ingest::claims::Context {
        sender: Some(sender),
    };
    let found = immune_ingest::claims::extract(&context, words);
    let claim = |it: immune_ingest::claims::Extracted| NewClaim {
        polarity: it.polarity,
        literals: it.literals,
        ..NewClaim::read(it.subject, SubjectFrom::Rules, it.text)
    };
    let mut claims: Vec<NewClaim> = found.into_iter().map(claim).collect();
    if claims.is_empty() {
        claims.extend(found_order(words));
    }
    claims
}

/// A standing order in words in which no other claim was found: what somebody demands is no note
/// to be read out, and is trusted as far as whoever demands it. Each is a subject of its own: two
/// orders do not contradict each other.
fn found_order(words: &str) -> Option<NewClaim> {
    let sentences = words.split_inclusive(['.', '!', '\n']).map(str::trim);
    let order = sentences
        .filter(|it| !it.is_empty())
        .find(|it| immune_reason::polarity::is_order(it))?;
    let digest = blake3::hash(order.as_bytes()).to_hex();
    let subject = Subject::new(&format!("order.{}", digest.get(..12)?)).ok()?;
    let text = Text::new(order).ok()?;
    Some(NewClaim::read(subject, SubjectFrom::Rules, text))
}

/// The claims that a line of JSON states itself, held to its text: a line is the word of whoever
/// wrote it, and no operator's.
fn stated_claims(message: &Message, text: &str) -> Vec<NewClaim> {
    let claim = |stated: &immune_ingest::StatedClaim| {
        let mut claim = NewClaim::read(
            stated.about.clone(),
            SubjectFrom::Caller,
            stated.claim.clone(),
        );
        if let Some(polarity) = stated.polarity {
            claim.polarity = polarity;
        }
        if !stated.literals.is_empty() {
            claim.literals.clone_from(&stated.literals);
        }
        claim.lower(stated.confidence);
        claim.hold_to(text, Sign::Read);
        claim
    };
    message.claims.iter().map(claim).collect()
}
