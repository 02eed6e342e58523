//! The client: one request, its attempts, and what each answer means.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use immune_model::limits;
use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER};

use crate::chat::{self, Bound, Chat, Constraint, Fault, Prompt, Reply, Temperature};
use crate::endpoint::{Endpoint, Key};
use crate::error::ClientError;
use crate::money::{Money, Price, Purse, Tokens};
use crate::pace::{self, Budget, Places};
use crate::vectors;

/// Lets time pass before another attempt.
type Wait = Arc<dyn Fn(Duration) + Send + Sync>;

/// Who is asked, and within which bounds.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where.
    pub endpoint: Endpoint,
    /// The name of the model there.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<Key>,
    /// How long one attempt may take, answer included.
    pub timeout: Duration,
    /// How many calls may be sent, attempts counted; any number without.
    pub calls: Option<u64>,
    /// How many calls may be under way at once, 1 at least.
    pub at_once: usize,
    /// What its tokens cost; [`Client::answer`] counts it.
    pub price: Option<Price>,
    /// How much that may be; any sum without.
    pub money: Option<Money>,
}

impl Settings {
    /// Those of an endpoint without a key, within the limits of the product.
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            model: model.to_owned(),
            key: None,
            timeout: Duration::from_secs(limits::MODEL_TIMEOUT_SECONDS),
            calls: None,
            at_once: limits::MODEL_CALLS_AT_ONCE,
            price: None,
            money: None,
        }
    }
}

/// A client of one model; threads share it.
pub struct Client {
    settings: Settings,
    agent: ureq::Agent,
    budget: Budget,
    purse: Purse,
    places: Places,
    /// The place in [`Constraint::ALL`] of the strictest that was not refused.
    constraint: AtomicUsize,
    /// Some models answer at their own temperature only.
    takes_no_temperature: AtomicBool,
    /// Some take the newer word only for how much they may write.
    takes_newer_bound: AtomicBool,
    wait: Wait,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("settings", &self.settings)
            .field("budget", &self.budget)
            .field("purse", &self.purse)
            .finish_non_exhaustive()
    }
}

/// What came of one attempt that got no usable answer.
struct Missed {
    error: ClientError,
    /// When to try again; never if there is no sense in it.
    again: Again,
}

enum Again {
    Never,
    /// After the wait that the endpoint asks for, or ours.
    After(Option<Duration>),
}

impl Client {
    /// The client of these settings. Nothing is sent yet.
    pub fn new(settings: Settings) -> Self {
        Self::waiting(settings, Arc::new(pace::pause))
    }

    /// As [`Self::new`], with something else than sleep between two attempts.
    pub fn waiting(settings: Settings, wait: Arc<dyn Fn(Duration) + Send + Sync>) -> Self {
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would take the texts and the key to somewhere that nobody named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(settings.timeout))
            .user_agent(concat!("immune/", env!("CARGO_PKG_VERSION")));
        if settings.endpoint.is_on_this_machine() {
            config = config.proxy(None);
        }
        Self {
            agent: config.build().new_agent(),
            budget: Budget::new(settings.calls),
            purse: Purse::new(settings.money),
            places: Places::new(settings.at_once),
            constraint: AtomicUsize::new(0),
            takes_no_temperature: AtomicBool::new(false),
            takes_newer_bound: AtomicBool::new(false),
            wait,
            settings,
        }
    }

    /// Who is asked.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many calls were sent, attempts counted.
    pub fn calls_sent(&self) -> u64 {
        self.budget.sent()
    }

    /// How many calls the budget still has; nothing without one.
    pub fn calls_left(&self) -> Option<u64> {
        self.budget.left()
    }

    /// What the answers cost so far; what no endpoint counted is in it with the most that it may
    /// have cost. Nothing without a price.
    pub fn spent(&self) -> Option<Money> {
        self.settings.price.map(|_| self.purse.spent())
    }

    /// How replies are constrained: the strictest that the endpoint did not refuse so far.
    pub fn constraint(&self) -> Constraint {
        let at = self.constraint.load(Ordering::Relaxed);
        Constraint::ALL
            .get(at)
            .copied()
            .unwrap_or(Constraint::Words)
    }

    /// Asks the model, and waits for its reply: a text that was meant to be JSON of the schema.
    pub fn chat(&self, chat: &Chat<'_>) -> Result<String, ClientError> {
        let from = self.constraint.load(Ordering::Relaxed);
        let mut refused = None;
        for (at, constraint) in Constraint::ALL.into_iter().enumerate().skip(from) {
            match self.constrained(chat, constraint) {
                Ok(answer) => {
                    // Only what was taken is stayed with: a text may be refused for itself.
                    self.constraint.fetch_max(at, Ordering::Relaxed);
                    return chat::reply(&answer).map_err(|it| self.fault(it));
                }
                Err(error @ ClientError::Refused { .. }) => {
                    refused.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(refused.expect("without an answer, the last constraint was refused"))
    }

    /// Asks the model, and waits for its reply, whatever text that is.
    ///
    /// With a price, what it costs is counted, and nothing is sent that may cost more than the
    /// budget has left.
    pub fn answer(&self, prompt: &Prompt<'_>) -> Result<Reply, ClientError> {
        let cost = self.settings.price.map(|price| {
            price.of(Tokens {
                read: prompt.tokens,
                written: prompt.reply_tokens_max,
            })
        });
        // Either word for the bound may be refused, and the temperature.
        let mut refusals = 0;
        loop {
            let (bound, temperature) = self.form();
            let body = chat::prompt(&self.settings.model, prompt, bound, temperature);
            let limit = limits::MODEL_REPLY_BYTES_MAX;
            let error = match self.post("chat/completions", &body, limit, cost) {
                Ok(answer) => {
                    let text = chat::reply(&answer).map_err(|it| self.fault(it))?;
                    let tokens = chat::tokens(&answer);
                    return Ok(Reply { text, tokens });
                }
                Err(error) => error,
            };
            let said = match &error {
                ClientError::Refused { said, .. } => said.as_str(),
                _ => return Err(error),
            };
            refusals += 1;
            if refusals > 2 {
                return Err(error);
            }
            // The newer word first: the refusal of the older one names it.
            if bound == Bound::Tokens && said.contains(Bound::Tokens.name()) {
                self.takes_newer_bound.store(true, Ordering::Relaxed);
            } else if temperature == Temperature::Zero && said.contains("temperature") {
                self.takes_no_temperature.store(true, Ordering::Relaxed);
            } else {
                return Err(error);
            }
        }
    }

    /// Asks for the vectors of some texts, in one call: one for each, in their order.
    pub fn embeddings(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ClientError> {
        let body = vectors::request(&self.settings.model, texts);
        let answer = self.post("embeddings", &body, limits::EMBED_REPLY_BYTES_MAX, None)?;
        vectors::read(&answer, texts.len()).map_err(|reason| ClientError::NoVectors {
            endpoint: self.settings.endpoint.to_string(),
            reason,
        })
    }

    /// One request with this constraint; without a temperature where the model takes none.
    fn constrained(&self, chat: &Chat<'_>, constraint: Constraint) -> Result<Vec<u8>, ClientError> {
        let ask = |temperature| {
            let body = chat::request(&self.settings.model, chat, constraint, temperature);
            self.post(
                "chat/completions",
                &body,
                limits::MODEL_REPLY_BYTES_MAX,
                None,
            )
        };
        if self.takes_no_temperature.load(Ordering::Relaxed) {
            return ask(Temperature::Theirs);
        }
        match ask(Temperature::Zero) {
            Err(ClientError::Refused { said, .. }) if said.contains("temperature") => {
                self.takes_no_temperature.store(true, Ordering::Relaxed);
                ask(Temperature::Theirs)
            }
            other => other,
        }
    }

    /// How a request for a text is written, by what was refused so far.
    fn form(&self) -> (Bound, Temperature) {
        let bound = if self.takes_newer_bound.load(Ordering::Relaxed) {
            Bound::CompletionTokens
        } else {
            Bound::Tokens
        };
        let temperature = if self.takes_no_temperature.load(Ordering::Relaxed) {
            Temperature::Theirs
        } else {
            Temperature::Zero
        };
        (bound, temperature)
    }

    fn fault(&self, fault: Fault) -> ClientError {
        let endpoint = self.settings.endpoint.to_string();
        match fault {
            Fault::NoReply(reason) => ClientError::NoReply { endpoint, reason },
            Fault::CutOff => ClientError::CutOff { endpoint },
            Fault::Declined(said) => ClientError::Declined {
                endpoint,
                said: self.clean(&said),
            },
        }
    }

    /// Posts JSON to a path, as often as it has sense; each attempt may cost so much.
    fn post(
        &self,
        path: &str,
        body: &Value,
        limit: u64,
        cost: Option<Money>,
    ) -> Result<Vec<u8>, ClientError> {
        let body = body.to_string();
        let mut attempt = 0;
        loop {
            self.take(cost)?;
            let sent = self.attempt(path, body.as_bytes(), limit);
            if let (Some(taken), Some(price)) = (cost, &self.settings.price) {
                self.purse.settle(taken, spent(&sent, taken, price));
            }
            let missed = match sent {
                Ok(answer) => return Ok(answer),
                Err(missed) => missed,
            };
            attempt += 1;
            match missed.again {
                Again::After(wait) if attempt < limits::MODEL_ATTEMPTS_MAX => {
                    (self.wait)(wait.unwrap_or_else(|| pace::backoff(attempt - 1)));
                }
                _ => return Err(missed.error),
            }
        }
    }

    /// Takes one call, and the most that it may cost, out of the budgets.
    fn take(&self, cost: Option<Money>) -> Result<(), ClientError> {
        if let Some(needed) = cost {
            let taken = self.purse.take(needed);
            taken.map_err(|(spent, most)| ClientError::Unaffordable {
                needed,
                spent,
                most,
            })?;
        }
        self.budget.take().map_err(|calls| {
            if let Some(taken) = cost {
                self.purse.settle(taken, Money::ZERO);
            }
            ClientError::Exhausted { calls }
        })
    }

    fn attempt(&self, path: &str, body: &[u8], limit: u64) -> Result<Vec<u8>, Missed> {
        let _place = self.places.take();
        let mut request = self
            .agent
            .post(self.settings.endpoint.at(path))
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.settings.key {
            request = request.header(AUTHORIZATION, key.bearer());
        }
        let mut response = request.send(body).map_err(|it| self.unsent(&it))?;
        let status = response.status().as_u16();
        let header = |name| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let to = header(LOCATION).unwrap_or_default();
        let wait = header(RETRY_AFTER);
        let wait = wait.and_then(|it| pace::asked_wait(&it, header(DATE).as_deref()));
        let answer = response.body_mut().with_config().limit(limit).read_to_vec();
        match (status, answer) {
            (200..=299, Ok(answer)) => Ok(answer),
            (200..=299, Err(error)) => Err(self.unsent(&error)),
            // What an error says is worth having, and no reason for another error.
            (_, answer) => Err(self.bad(status, &answer.unwrap_or_default(), &to, wait)),
        }
    }

    /// There is no answer, or not a whole one.
    fn unsent(&self, error: &ureq::Error) -> Missed {
        let endpoint = self.settings.endpoint.to_string();
        match error {
            ureq::Error::BodyExceedsLimit(limit) => Missed {
                error: ClientError::TooLarge {
                    endpoint,
                    limit: *limit,
                },
                again: Again::Never,
            },
            ureq::Error::Timeout(_) => Missed {
                error: ClientError::TimedOut {
                    endpoint,
                    seconds: self.settings.timeout.as_secs(),
                },
                again: Again::Never,
            },
            error => Missed {
                error: ClientError::Unreachable {
                    endpoint,
                    reason: self.clean(&error.to_string()),
                },
                again: Again::After(None),
            },
        }
    }

    /// The answer has a status that is none of success.
    fn bad(&self, status: u16, answer: &[u8], to: &str, wait: Option<Duration>) -> Missed {
        let endpoint = self.settings.endpoint.to_string();
        let said = self.clean(&chat::said(answer));
        let never = |error| Missed {
            error,
            again: Again::Never,
        };
        match status {
            300..=399 => never(ClientError::Redirects {
                endpoint,
                to: self.clean(to),
            }),
            401 | 403 => never(ClientError::KeyRefused { endpoint, status }),
            404 => never(ClientError::NotFound { endpoint, said }),
            408 | 425 | 429 | 500 | 502..=599 => {
                let seconds = wait.map_or(0, |it| it.as_secs());
                if seconds > limits::MODEL_WAIT_SECONDS_MAX {
                    return never(ClientError::AsksToWait {
                        endpoint,
                        status,
                        seconds,
                    });
                }
                Missed {
                    error: ClientError::Unwell {
                        endpoint,
                        status,
                        attempts: limits::MODEL_ATTEMPTS_MAX,
                        said,
                    },
                    again: Again::After(wait),
                }
            }
            _ => never(ClientError::Refused {
                endpoint,
                status,
                said,
            }),
        }
    }

    /// A text of the endpoint without the key.
    fn clean(&self, text: &str) -> String {
        match &self.settings.key {
            Some(key) => key.taken_out_of(text),
            None => text.to_owned(),
        }
    }
}

/// What an attempt cost, of which so much was taken before.
fn spent(sent: &Result<Vec<u8>, Missed>, taken: Money, price: &Price) -> Money {
    let error = match sent {
        Ok(answer) => return chat::tokens(answer).map_or(taken, |it| price.of(it)),
        Err(missed) => &missed.error,
    };
    match error {
        // It may have been answered, and have to be paid, on the other side.
        ClientError::TimedOut { .. }
        | ClientError::TooLarge { .. }
        | ClientError::Unreachable { .. } => taken,
        // Who refuses does not answer.
        _ => Money::ZERO,
    }
}
