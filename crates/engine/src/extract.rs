//! Extraction: the claims of a text that states none, found by rules or by a model.
//!
//! It happens before a plan, never in one: the core asks nobody. What it keeps: a text has the same
//! source, channel and strength whoever read it; the rung that read it is in the observation; a
//! model that fails is told of, and rules read the text instead, unless the caller wants a model or
//! nothing. The claims that a reply makes without ground are told one for one.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use immune_client::{Chat, Client, ClientError};
use immune_ingest::claims::model::{self, Rejected, ReplyError};
use immune_model::{Screening, SubjectFrom, limits};
use immune_reason::plan::{NewClaim, Remember};

/// What happens to a text that a model could not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// Rules read it, and the result says so.
    Rules,
    /// It is not taken up.
    Refuse,
}

/// Who finds the claims.
#[derive(Debug, Clone, Default)]
pub enum Extractor {
    /// Deterministic rules.
    #[default]
    Rules,
    /// A model, behind an endpoint.
    Model(Arc<Reader>),
}

/// A model that reads texts; threads share it.
#[derive(Debug)]
pub struct Reader {
    client: Client,
    otherwise: Otherwise,
    /// Texts in a row for which the endpoint failed.
    failed: AtomicU32,
    /// Why it is asked no more.
    given_up: Mutex<Option<ClientError>>,
}

/// Why a model did not read a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The call failed.
    #[error(transparent)]
    Call(#[from] ClientError),
    /// The reply says nothing.
    #[error(transparent)]
    Reply(#[from] ReplyError),
    /// The text is longer than what is sent.
    #[error("the text has {found} bytes, a model is given {limit} at most")]
    TooLong {
        /// How long it is.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

impl ExtractError {
    /// Whether the next text would most likely end so too.
    pub fn is_about_the_endpoint(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_about_the_endpoint())
    }

    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Call(error) => error.advice(),
            Self::Reply(_) => "take a model that keeps to a JSON schema".to_owned(),
            Self::TooLong { .. } => "split it, or leave it to the rules".to_owned(),
        }
    }
}

/// What was found in a text, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The rung: [`Screening::Rules`] or [`Screening::Model`].
    pub screening: Screening,
    /// The claims.
    pub claims: Vec<NewClaim>,
    /// The claims of the model's reply that were not taken up.
    pub rejected: Vec<Rejected>,
    /// Why rules read it, where a model was to.
    pub fell_back: Option<ExtractError>,
}

impl Extraction {
    /// The command with these claims.
    #[must_use]
    pub fn fill(&self, command: Remember) -> Remember {
        Remember {
            screening: self.screening,
            claims: self.claims.clone(),
            ..command
        }
    }
}

impl Extractor {
    /// A model behind this client.
    pub fn model(client: Client, otherwise: Otherwise) -> Self {
        Self::Model(Arc::new(Reader {
            client,
            otherwise,
            failed: AtomicU32::new(0),
            given_up: Mutex::new(None),
        }))
    }

    /// The model, if it is one.
    pub fn reader(&self) -> Option<&Reader> {
        match self {
            Self::Rules => None,
            Self::Model(reader) => Some(reader),
        }
    }

    /// How many texts it is worth to have read at once.
    pub(crate) fn at_once(&self) -> usize {
        self.reader().map_or(1, |it| it.client.settings().at_once)
    }

    /// The claims of what a sender says.
    ///
    /// Fails only where a model is to read it or nobody.
    pub fn extract(&self, sender: &str, words: &str) -> Result<Extraction, ExtractError> {
        let by_rules = |fell_back| Extraction {
            screening: Screening::Rules,
            claims: crate::ingest::found_claims(sender, words),
            rejected: Vec::new(),
            fell_back,
        };
        let Some(reader) = self.reader() else {
            return Ok(by_rules(None));
        };
        match reader.read(sender, words) {
            Ok(extraction) => Ok(extraction),
            Err(error) if reader.otherwise == Otherwise::Rules => Ok(by_rules(Some(error))),
            Err(error) => Err(error),
        }
    }
}

impl Reader {
    /// The client that it asks with.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Asks the model, without another try by rules.
    pub fn read(&self, sender: &str, words: &str) -> Result<Extraction, ExtractError> {
        let (found, limit) = (words.len(), limits::MODEL_TEXT_BYTES_MAX);
        if found > limit {
            return Err(ExtractError::TooLong { found, limit });
        }
        if let Some(error) = self.given_up() {
            return Err(error.into());
        }
        let schema = model::schema();
        let reply = self.client.chat(&Chat {
            system: model::INSTRUCTIONS,
            user: &model::question(Some(sender), words),
            name: model::NAME,
            schema: &schema,
        });
        self.note(reply.as_ref().err());
        let reading = model::read(&reply?, words)?;
        let claim = |it: model::Found| {
            let mut claim = NewClaim {
                polarity: it.polarity,
                literals: it.literals,
                ..NewClaim::read(it.subject, SubjectFrom::Model, it.text)
            };
            claim.lower(it.confidence);
            claim
        };
        Ok(Extraction {
            screening: Screening::Model,
            claims: reading.found.into_iter().map(claim).collect(),
            rejected: reading.rejected,
            fell_back: None,
        })
    }

    fn given_up(&self) -> Option<ClientError> {
        let given_up = self.given_up.lock();
        given_up.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts how a call ended: an endpoint that fails text after text is asked no more, so that
    /// an ingestion does not wait for it a thousand times.
    fn note(&self, error: Option<&ClientError>) {
        let Some(error) = error.filter(|it| it.is_about_the_endpoint()) else {
            self.failed.store(0, Ordering::Relaxed);
            return;
        };
        let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
        let is_over = matches!(error, ClientError::Exhausted { .. });
        if is_over || failed >= limits::MODEL_FAILURES_MAX {
            let given_up = self.given_up.lock();
            let mut given_up = given_up.unwrap_or_else(PoisonError::into_inner);
            given_up.get_or_insert_with(|| error.clone());
        }
    }
}

/// The rung: `rules`, or `model NAME at URL`.
impl fmt::Display for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules => f.write_str("rules"),
            Self::Model(reader) => {
                let settings = reader.client.settings();
                write!(f, "model {} at {}", settings.model, settings.endpoint)
            }
        }
    }
}
