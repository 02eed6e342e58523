//! Why a call failed, and what to do about it.

use immune_model::limits;

use crate::money::Money;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// Nobody answers there.
    #[error("`{endpoint}` cannot be reached: {reason}")]
    Unreachable {
        /// Who was asked.
        endpoint: String,
        /// What the network says.
        reason: String,
    },
    /// It took too long.
    #[error("`{endpoint}` gave no whole answer within {seconds} s")]
    TimedOut {
        /// Who was asked.
        endpoint: String,
        /// How long one attempt may take.
        seconds: u64,
    },
    /// It is too busy, or broken, and stayed so.
    #[error("`{endpoint}` answered {status} to each of {attempts} attempts: {said}")]
    Unwell {
        /// Who was asked.
        endpoint: String,
        /// The status of the last answer.
        status: u16,
        /// How often it was asked.
        attempts: u32,
        /// What it says about it.
        said: String,
    },
    /// It asks to wait for longer than we do.
    #[error("`{endpoint}` answered {status} and asks to wait {seconds} s")]
    AsksToWait {
        /// Who was asked.
        endpoint: String,
        /// The status of the answer.
        status: u16,
        /// How long.
        seconds: u64,
    },
    /// It does not take the key, or wants one.
    #[error("`{endpoint}` answered {status}: it does not take the key")]
    KeyRefused {
        /// Who was asked.
        endpoint: String,
        /// The status of the answer.
        status: u16,
    },
    /// There is no such path, or no such model.
    #[error("`{endpoint}` answered 404: {said}")]
    NotFound {
        /// Who was asked.
        endpoint: String,
        /// What it says about it.
        said: String,
    },
    /// It sends us elsewhere, where the key does not belong.
    #[error("`{endpoint}` sends us to `{to}`, where neither texts nor the key are sent")]
    Redirects {
        /// Who was asked.
        endpoint: String,
        /// Where it sends us.
        to: String,
    },
    /// It does not take the request.
    #[error("`{endpoint}` answered {status}: {said}")]
    Refused {
        /// Who was asked.
        endpoint: String,
        /// The status of the answer.
        status: u16,
        /// What it says about it.
        said: String,
    },
    /// The budget is used up; nothing was sent.
    #[error("all {calls} calls of the budget are used up")]
    Exhausted {
        /// The budget.
        calls: u64,
    },
    /// What is left of the budget may not be enough; nothing was sent.
    #[error("the next call may cost {needed}, and {spent} of the budget of {most} are spent")]
    Unaffordable {
        /// The most that it may cost.
        needed: Money,
        /// What was spent.
        spent: Money,
        /// The budget.
        most: Money,
    },
    /// The answer is larger than one may be.
    #[error("the answer of `{endpoint}` is larger than {limit} bytes")]
    TooLarge {
        /// Who was asked.
        endpoint: String,
        /// The limit.
        limit: u64,
    },
    /// The answer is not what the protocol says.
    #[error("the answer of `{endpoint}` is no chat completion: {reason}")]
    NoReply {
        /// Who was asked.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The answer holds no vectors, or not those that were asked for.
    #[error("the answer of `{endpoint}` is no list of embeddings: {reason}")]
    NoVectors {
        /// Who was asked.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The model ran out of tokens: the reply is a piece of one.
    #[error("the model behind `{endpoint}` was cut off before its reply ended")]
    CutOff {
        /// Who was asked.
        endpoint: String,
    },
    /// The model, or a filter before it, would not answer.
    #[error("the model behind `{endpoint}` declined: {said}")]
    Declined {
        /// Who was asked.
        endpoint: String,
        /// What it says about it.
        said: String,
    },
}

impl ClientError {
    /// Whether the next call would most likely end so too: it is about the endpoint, not about
    /// what it was asked.
    pub fn is_about_the_endpoint(&self) -> bool {
        !matches!(
            self,
            Self::TooLarge { .. }
                | Self::NoReply { .. }
                | Self::NoVectors { .. }
                | Self::CutOff { .. }
                | Self::Declined { .. }
        )
    }

    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Unreachable { .. } => {
                "start the server, or name the right base URL, with its `/v1`".to_owned()
            }
            Self::TimedOut { .. } => "allow it more time, or take a smaller model".to_owned(),
            Self::Unwell { .. } => "try again later".to_owned(),
            Self::AsksToWait { seconds, .. } => format!(
                "try again in {seconds} s; at most {} s are waited for",
                limits::MODEL_WAIT_SECONDS_MAX
            ),
            Self::KeyRefused { .. } => {
                "name the environment variable that holds its key".to_owned()
            }
            Self::NotFound { .. } => {
                "name the base URL, with its `/v1`, and a model that it has".to_owned()
            }
            Self::Redirects { .. } => "name that URL, if it is the right one".to_owned(),
            Self::Refused { .. } => "take a model that answers chat completions".to_owned(),
            Self::Exhausted { .. } => "allow more calls, or run it again".to_owned(),
            Self::Unaffordable { .. } => "allow it more money, or take a cheaper model".to_owned(),
            Self::TooLarge { .. } | Self::CutOff { .. } => {
                "take a model or a server with a larger context".to_owned()
            }
            Self::NoReply { .. } => {
                "name the base URL of an OpenAI-compatible server, with its `/v1`".to_owned()
            }
            Self::NoVectors { .. } => {
                "take a model that gives embeddings, from an OpenAI-compatible server".to_owned()
            }
            Self::Declined { .. } => "take another model".to_owned(),
        }
    }
}
