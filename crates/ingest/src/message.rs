//! One message as it is handed on, whatever it was read from.
//!
//! Invariant: `content` of a message that a reader returned is a [`Text`]: no NUL, not empty, at
//! most `limits::TEXT_BYTES_MAX` bytes.

use immune_model::{Handle, Instant, Literal, Polarity, Subject, Text, Trust, limits};

/// Recipients that are kept; the first ones.
const RECIPIENTS_MAX: usize = 1000;
/// Ids of a thread that are kept; the nearest ones.
const REFERENCES_MAX: usize = 100;

/// A message: who said what, when if that is known, and what was only quoted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Where it was found: `row 12`, `message 3`, `cur/123:2,S`.
    pub position: String,
    /// What its sender calls it: the Message-ID without brackets, the id of a row.
    pub external_id: Option<String>,
    /// The address it came from, in lower case.
    pub sender: Option<String>,
    /// The name shown with the address.
    pub sender_name: Option<String>,
    /// The addresses it was sent to, in lower case.
    pub recipients: Vec<String>,
    /// The subject line.
    pub subject: Option<String>,
    /// When it was sent, if it says so with a zone. Never invented.
    pub sent_at: Option<Instant>,
    /// The id of the message it answers.
    pub in_reply_to: Option<String>,
    /// The ids of the thread before it, oldest first.
    pub references: Vec<String>,
    /// The sender's own words. Claims are looked for here and nowhere else.
    pub body: String,
    /// What the sender passed on: quoted replies, forwarded parts, messages within it.
    pub quoted: Vec<String>,
    /// What was attached: listed, not read.
    pub attachments: Vec<Attachment>,
    /// The claims that were stated as such (JSON lines only).
    pub claims: Vec<StatedClaim>,
}

/// An attachment, listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its file name, or the subject of an attached message.
    pub name: String,
    /// Its type, as it was declared.
    pub content_type: String,
    /// Its size, decoded.
    pub bytes: u64,
}

/// A claim that its source stated as one, in place of leaving it to the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedClaim {
    /// What it is about.
    pub about: Subject,
    /// The claim in words.
    pub claim: Text,
    /// Whether it affirms, if that was stated too.
    pub polarity: Option<Polarity>,
    /// Its literals, if they were stated too.
    pub literals: Vec<Literal>,
    /// How sure it is, if that was stated: it can only lower what its source is worth.
    pub confidence: Option<Trust>,
}

/// A message that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {reason}")]
pub struct Broken {
    /// Where it is.
    pub position: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Message {
    /// The text that is stored as the observation: subject, own words, then what was quoted and
    /// attached and to whom it was sent under markers, so that nothing is lost and nothing is taken for the sender's word.
    pub fn content(&self) -> String {
        let mut content = String::new();
        let mut add = |part: &str| {
            if !part.trim().is_empty() {
                if !content.is_empty() {
                    content.push_str("\n\n");
                }
                content.push_str(part);
            }
        };
        add(self.subject.as_deref().unwrap_or(""));
        add(&self.body);
        for claim in &self.claims {
            if !self.body.contains(claim.claim.as_str()) {
                add(claim.claim.as_str());
            }
        }
        for quoted in &self.quoted {
            add(&format!("[quoted]\n{quoted}"));
        }
        for it in &self.attachments {
            add(&format!(
                "[attachment] {}, {}, {} bytes",
                it.name, it.content_type, it.bytes
            ));
        }
        // To whom a thing was said is part of it: the same words to somebody else are another
        // message.
        if !content.is_empty() && !self.recipients.is_empty() {
            content.push_str("\n\n[to] ");
            content.push_str(&self.recipients.join(", "));
        }
        content
    }

    /// The domain of the sender's address.
    pub fn sender_domain(&self) -> Option<&str> {
        let (_, domain) = self.sender.as_deref()?.rsplit_once('@')?;
        Some(domain)
    }

    /// The message, if it has a content and a sender that can be stored. An id that is too long
    /// to be one is left out; then the content tells whether it was read before.
    pub(crate) fn checked(mut self) -> Result<Self, Broken> {
        if let Some(Err(error)) = self.sender.as_deref().map(Handle::new) {
            return Err(Broken::new(&self.position, error.to_string()));
        }
        self.external_id = self
            .external_id
            .filter(|id| id.len() <= limits::NAME_BYTES_MAX && !id.contains(char::is_control));
        self.recipients.truncate(RECIPIENTS_MAX);
        let n_far = self.references.len().saturating_sub(REFERENCES_MAX);
        self.references.drain(..n_far);
        match Text::new(&self.content()) {
            Ok(_) => Ok(self),
            Err(error) => Err(Broken {
                reason: error.to_string(),
                position: self.position,
            }),
        }
    }
}

impl Broken {
    pub(crate) fn new(position: &str, reason: impl Into<String>) -> Self {
        Self {
            position: position.to_owned(),
            reason: reason.into(),
        }
    }
}
