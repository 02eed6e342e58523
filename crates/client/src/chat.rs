//! Chat completions: the request with what it may be constrained to, and the reply in it.
//!
//! Servers differ in what they take. The request is the least that says it; one that a server
//! refuses is sent again with the next weaker [`Constraint`], and the client stays with what was
//! taken. Whatever the constraint, the reply is text that the caller has to read with suspicion.

use serde_json::{Value, json};

use crate::money::Tokens;

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Chat<'a> {
    /// What it is told to do.
    pub system: &'a str,
    /// What it is given.
    pub user: &'a str,
    /// The name of the schema, of `a-z` and `_`.
    pub name: &'a str,
    /// The JSON schema that the reply has to have.
    pub schema: &'a Value,
}

/// What a model is asked whose reply is a text.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// What it is told to do.
    pub system: &'a str,
    /// What it is given.
    pub user: &'a str,
    /// About how many tokens of a model both take.
    pub tokens: u64,
    /// How many tokens it may write.
    pub reply_tokens_max: u64,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its words, without thoughts and fences around them.
    pub text: String,
    /// What the endpoint says that it took; nothing where it does not count.
    pub tokens: Option<Tokens>,
}

/// How the reply is constrained, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// To a JSON schema (`response_format: json_schema`).
    Schema,
    /// To some JSON (`response_format: json_object`).
    Json,
    /// By the words of the prompt only.
    Words,
}

impl Constraint {
    /// Every one, the strictest first.
    pub const ALL: [Self; 3] = [Self::Schema, Self::Json, Self::Words];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "json_schema",
            Self::Json => "json_object",
            Self::Words => "words",
        }
    }
}

/// How freely a model may choose its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Temperature {
    /// Not at all, as far as it keeps to that.
    Zero,
    /// As it does by itself: some models take no other.
    Theirs,
}

/// The field that bounds how many tokens are written. Servers take the older word, and some hosted
/// models the newer one only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Tokens,
    CompletionTokens,
}

impl Bound {
    /// The name of the field.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tokens => "max_tokens",
            Self::CompletionTokens => "max_completion_tokens",
        }
    }
}

/// The body of a request for a text.
pub(crate) fn prompt(
    model: &str,
    prompt: &Prompt<'_>,
    bound: Bound,
    temperature: Temperature,
) -> Value {
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
    });
    if let Some(body) = body.as_object_mut() {
        body.insert(bound.name().to_owned(), prompt.reply_tokens_max.into());
        if temperature == Temperature::Zero {
            body.insert("temperature".to_owned(), Value::from(0));
        }
    }
    body
}

/// The body of the request.
pub(crate) fn request(
    model: &str,
    chat: &Chat<'_>,
    constraint: Constraint,
    temperature: Temperature,
) -> Value {
    // Without the schema in `response_format`, the model has to read it.
    let system = match constraint {
        Constraint::Schema => chat.system.to_owned(),
        Constraint::Json | Constraint::Words => format!(
            "{}\n\nAnswer with one JSON object of this JSON schema and nothing else:\n{}",
            chat.system, chat.schema
        ),
    };
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": chat.user},
        ],
    });
    let extra = match constraint {
        Constraint::Schema => json!({
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": chat.name, "strict": true, "schema": chat.schema},
            },
        }),
        Constraint::Json => json!({
            "response_format": {"type": "json_object"},
        }),
        Constraint::Words => json!({}),
    };
    if let (Some(body), Value::Object(extra)) = (body.as_object_mut(), extra) {
        body.extend(extra);
        if temperature == Temperature::Zero {
            body.insert("temperature".to_owned(), Value::from(0));
        }
    }
    body
}

/// Why an answer holds no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not what the protocol says.
    NoReply(String),
    /// The model ran out of tokens.
    CutOff,
    /// The model would not answer.
    Declined(String),
}

/// The text of the reply in an answer, without the fences and the thoughts around it.
pub(crate) fn reply(answer: &[u8]) -> Result<String, Fault> {
    let answer: Value =
        serde_json::from_slice(answer).map_err(|it| Fault::NoReply(it.to_string()))?;
    let none = |what: &str| Fault::NoReply(format!("there is no `{what}` in it"));
    let choice = answer
        .pointer("/choices/0")
        .ok_or_else(|| none("choices"))?;
    let message = choice.get("message").ok_or_else(|| none("message"))?;
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return Err(Fault::Declined(refusal.to_owned()));
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => return Err(Fault::CutOff),
        Some("content_filter") => return Err(Fault::Declined("a filter stopped it".to_owned())),
        _ => {}
    }
    let content = message.get("content").and_then(text);
    let content = content.ok_or_else(|| none("content"))?;
    Ok(bare(&content).to_owned())
}

/// What an answer says of the tokens that it took.
pub(crate) fn tokens(answer: &[u8]) -> Option<Tokens> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let count = |name: &str| answer.pointer(&format!("/usage/{name}"))?.as_u64();
    Some(Tokens {
        read: count("prompt_tokens")?,
        written: count("completion_tokens")?,
    })
}

/// Content is a text, or parts of which some are texts.
fn text(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?.iter();
    let parts = parts.filter_map(|it| it.get("text").and_then(Value::as_str));
    Some(parts.collect())
}

/// What is between the fences, after the thoughts.
fn bare(content: &str) -> &str {
    let content = content.trim();
    let content = match content.strip_prefix("<think>") {
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |it| it.1),
        None => content,
    };
    let content = content.trim();
    let Some(fenced) = content.strip_prefix("```") else {
        return content;
    };
    let inside = fenced.split_once('\n').map_or("", |it| it.1);
    inside.trim_end().trim_end_matches("```").trim()
}

/// What an endpoint says of an error, in a few words.
pub(crate) fn said(answer: &[u8]) -> String {
    const SHOWN_CHARS: usize = 300;
    let json: Option<Value> = serde_json::from_slice(answer).ok();
    let pointers = ["/error/message", "/error", "/message", "/detail"];
    let found = json.as_ref().and_then(|it| {
        let mut texts = pointers.iter().filter_map(|at| it.pointer(at)?.as_str());
        texts.next()
    });
    let text = match found {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(answer).into_owned(),
    };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return "without a word".to_owned();
    }
    match words.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", words.split_at(at).0),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(content: &Value) -> Vec<u8> {
        json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
            .to_string()
            .into_bytes()
    }

    #[test]
    fn the_reply_is_what_is_between_fences_and_after_thoughts() {
        for content in [
            json!("{\"a\":1}"),
            json!("  {\"a\":1}\n"),
            json!("```json\n{\"a\":1}\n```"),
            json!("```\n{\"a\":1}```\n"),
            json!("<think>what is {\"a\":2}?</think>\n```json\n{\"a\":1}\n```"),
            json!([{"type": "text", "text": "{\"a\":"}, {"type": "text", "text": "1}"}]),
        ] {
            assert_eq!(reply(&answer(&content)).unwrap(), "{\"a\":1}", "{content}");
        }
    }

    #[test]
    fn an_answer_without_a_reply_says_what_is_missing() {
        let message = |message: Value, reason: &str| {
            let choice = json!({"message": message, "finish_reason": reason});
            json!({"choices": [choice]}).to_string().into_bytes()
        };
        let none = |it: &str| Fault::NoReply(format!("there is no `{it}` in it"));
        for (found, right) in [
            (b"{}".to_vec(), none("choices")),
            (b"{\"choices\":[]}".to_vec(), none("choices")),
            (b"{\"choices\":[{}]}".to_vec(), none("message")),
            (message(json!({"content": null}), "stop"), none("content")),
            (message(json!({"content": "{"}), "length"), Fault::CutOff),
            (
                message(json!({"content": null, "refusal": "no"}), "stop"),
                Fault::Declined("no".to_owned()),
            ),
        ] {
            assert_eq!(reply(&found), Err(right));
        }
        for broken in [
            &b"{\"choices\": [{\"mess"[..],
            b"",
            b"\xff\xfe{}",
            b"<html>",
        ] {
            assert!(matches!(reply(broken), Err(Fault::NoReply(_))));
        }
    }

    #[test]
    fn each_weaker_request_says_less_in_its_fields_and_more_in_its_words() {
        let schema = json!({"type": "object"});
        let chat = Chat {
            system: "do",
            user: "this",
            name: "n",
            schema: &schema,
        };
        let keys = Constraint::ALL.map(|it| {
            let body = request("m", &chat, it, Temperature::Theirs);
            let keys = body.as_object().unwrap().keys().cloned();
            keys.collect::<Vec<_>>().join(" ")
        });
        let full = "model messages response_format";
        assert_eq!(keys, [full, full, "model messages"]);
        let system = Constraint::ALL.map(|it| {
            let body = request("m", &chat, it, Temperature::Zero);
            assert_eq!(body["temperature"], 0);
            body["messages"][0]["content"]
                .as_str()
                .unwrap()
                .contains("schema")
        });
        assert_eq!(system, [false, true, true]);
    }

    #[test]
    fn what_an_endpoint_says_is_short_and_one_line() {
        for (answer, right) in [
            (
                &br#"{"error":{"message":"no\nsuch  model"}}"#[..],
                "no such model",
            ),
            (br#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (br#"{"detail":"Not Found"}"#, "Not Found"),
            (b"Bad Gateway", "Bad Gateway"),
            (b"", "without a word"),
        ] {
            assert_eq!(said(answer), right);
        }
        assert_eq!(said("ä".repeat(1000).as_bytes()).chars().count(), 301);
    }
}
