//! `ingest`: messages of a mailbox or a table become observations, many in one commit.

use std::collections::{BTreeMap, VecDeque};

use immune_ingest::{Broken, Message};
use immune_model::{
    ChannelName, Handle, Namespace, RunId, Screening, SourceKind, SubjectFrom, Text, Trust, limits,
};
use immune_reason::plan::{
    NewClaim, Remember, RememberError, Remembered, SourceRef, StatementOutcome,
};

use crate::error::{OpenError, WriteError};
use crate::session::{Pending, Session};

/// Where messages go.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// A message that was taken up, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// Where it is: `row 12`.
    pub position: String,
    /// What became of it.
    pub remembered: Remembered,
}

/// Problems that are listed; the rest is counted.
const PROBLEMS_MAX: usize = 100;

impl Session {
    /// Remembers every message, in order. Doing it again adds nothing: a message is known by its
    /// id in the channel or by its content. `progress` is told the totals so far; returning
    /// `false` stops after the messages already on their way.
    ///
    /// Fails only when the store does; what is wrong with a message is in the totals.
    pub fn ingest(
        &self,
        messages: impl IntoIterator<Item = Result<Message, Broken>>,
        options: &IngestOptions,
        progress: &mut dyn FnMut(&IngestTotals) -> bool,
    ) -> Result<IngestTotals, OpenError> {
        let mut totals = IngestTotals::default();
        let mut known_beliefs = self.snapshot()?.state().n_beliefs();
        let mut pending: VecDeque<(String, Pending<Remembered, RememberError>)> = VecDeque::new();
        for message in messages {
            totals.messages += 1;
            match message
                .map_err(|it| problem(it.position, it.reason))
                .and_then(|it| command(&it, options))
            {
                Ok((position, command)) => {
                    pending.push_back((position, self.submit_remember(command)));
                }
                Err(problem) => totals.skip(problem),
            }
            // Two full commits are under way at most: memory stays bounded, the writer busy.
            if pending.len() >= 2 * limits::GROUP_COMMIT_MAX
                && let Some(first) = pending.pop_front()
            {
                totals.settle(first, &mut known_beliefs, options.listed)?;
            }
            if !progress(&totals) {
                break;
            }
        }
        for remaining in pending {
            totals.settle(remaining, &mut known_beliefs, options.listed)?;
        }
        progress(&totals);
        Ok(totals)
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

/// The command that remembers a message. Claims are looked for in the sender's own words only: a
/// quoted reply is no new statement of the replier.
fn command(
    message: &Message,
    options: &IngestOptions,
) -> Result<(String, Remember), IngestProblem> {
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
    let (screening, mut claims) = if message.claims.is_empty() {
        (Screening::Rules, found_claims(sender, &message.body))
    } else {
        (Screening::Explicit, stated_claims(message))
    };
    for claim in &mut claims {
        claim.lower(options.confidence);
    }
    let screening = if claims.is_empty() {
        Screening::Unscreened
    } else {
        screening
    };
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
    };
    Ok((message.position.clone(), command))
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
    found.into_iter().map(claim).collect()
}

/// The claims that a line of JSON states itself.
fn stated_claims(message: &Message) -> Vec<NewClaim> {
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
        claim
    };
    message.claims.iter().map(claim).collect()
}
