//! The client of an OpenAI-compatible endpoint: who asks a model anything asks through this.
//!
//! Blocking, one connection a call at a time, and nothing of ours but the limits. What it keeps: a
//! key is sent to its endpoint and nowhere else, neither followed along a redirect nor shown in an
//! error; plain HTTP goes to this machine only, unless the caller says otherwise; every call has a
//! timeout, every answer a size, every retry an end, and the budgets of calls and of
//! money count what was sent.
//!
//! ```no_run
//! use immune_client::{Chat, Client, Endpoint, Plain, Settings};
//!
//! let endpoint = Endpoint::parse("http://127.0.0.1:11434/v1", Plain::OnThisMachine)?;
//! let client = Client::new(Settings::new(endpoint, "qwen3:8b"));
//! let schema = serde_json::json!({"type": "object", "properties": {"answer": {"type": "string"}},
//!     "required": ["answer"], "additionalProperties": false});
//! let reply = client.chat(&Chat {
//!     system: "Answer in JSON.",
//!     user: "What is the capital of France?",
//!     name: "answer",
//!     schema: &schema,
//! })?;
//! # let _ = reply;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chat;
mod client;
mod endpoint;
mod error;
mod money;
mod pace;
mod vectors;

pub use chat::{Chat, Constraint, Prompt, Reply};
pub use client::{Client, Settings};
pub use endpoint::{Endpoint, EndpointError, Key, Plain};
pub use error::ClientError;
pub use money::{Money, MoneyError, Price, Tokens};
