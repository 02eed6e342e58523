//! What is asked of the mesh, read from a line of JSON.
//!
//! A line is read whole or refused: a field that is not known is an error, for a misspelled one
//! would leave out what was to be looked at. Messages have the form of chats as models are sent
//! them, with an `origin` where the role does not tell who wrote the words.

use immune_engine::{MeshCall, MeshExchange, MeshOrigin, MeshText, Purpose};
use immune_model::{Handle, Instant, Principal, Role, RunId};
use serde::Deserialize;
use serde_json::Value;

use super::read::Strings;

/// A call before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen(pub MeshCall);

/// A call with what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observe {
    /// The exchange.
    pub exchange: MeshExchange,
    /// Where each string is from that was said beside the output.
    pub said: Vec<Said>,
}

/// Where a string is from that was said beside an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// A string of a call of a tool, both from 0; its name is string 0.
    ToolCall {
        /// Which call.
        call: usize,
        /// Which string.
        string: usize,
    },
    /// What the agent wrote elsewhere, from 0.
    Wrote(usize),
}

/// Why a line is not judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct LineError {
    what: String,
}

impl LineError {
    fn new(what: impl std::fmt::Display) -> Self {
        Self {
            what: what.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScreen {
    agent: Option<String>,
    identity: Option<String>,
    at: Option<String>,
    messages: Vec<RawMessage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawObserve {
    agent: Option<String>,
    identity: Option<String>,
    at: Option<String>,
    call: Option<String>,
    run: Option<String>,
    #[serde(alias = "messages")]
    input: Vec<RawMessage>,
    output: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<RawToolCall>>,
    wrote: Option<Value>,
}

/// A message; fields that chats have beside these are let pass.
#[derive(Deserialize)]
struct RawMessage {
    role: Option<String>,
    origin: Option<Value>,
    purpose: Option<String>,
    label: Option<String>,
    text: Option<Value>,
    content: Option<Value>,
}

#[derive(Deserialize)]
struct RawToolCall {
    function: Option<RawFunction>,
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct RawFunction {
    name: Option<String>,
    arguments: Option<Value>,
}

/// Bytes up to which the parser's words about a field are passed on: longer ones hold a text.
const FIELD_WORDS_MAX: usize = 200;

/// Who is asked about, before it is checked.
struct Who {
    agent: Option<String>,
    identity: Option<String>,
    at: Option<String>,
}

impl Screen {
    /// The call that a line is about, for who asks.
    pub fn read(line: &str, principal: &Principal) -> Result<Self, LineError> {
        let raw: RawScreen = parsed(line)?;
        let who = Who {
            agent: raw.agent,
            identity: raw.identity,
            at: raw.at,
        };
        call(&who, &raw.messages, principal).map(Self)
    }
}

impl Observe {
    /// The exchange that a line is about, for who asks.
    pub fn read(line: &str, principal: &Principal) -> Result<Self, LineError> {
        let raw: RawObserve = parsed(line)?;
        let who = Who {
            agent: raw.agent,
            identity: raw.identity,
            at: raw.at,
        };
        let call = call(&who, &raw.input, principal)?;
        let id = raw.call.as_deref().map(str::parse);
        let id = id
            .transpose()
            .map_err(|it| LineError::new(format!("`call`: {it}")))?;
        let run = raw.run.as_deref().map(RunId::new);
        let run = run
            .transpose()
            .map_err(|it| LineError::new(format!("`run`: {it}")))?;
        let mut strings: Vec<(Said, String)> = Vec::new();
        for (number, called) in raw.tool_calls.into_iter().flatten().enumerate() {
            let found = called.strings()?.into_iter().enumerate();
            strings.extend(found.map(|(string, text)| {
                let call = number;
                (Said::ToolCall { call, string }, text)
            }));
        }
        let wrote = parts("wrote", raw.wrote.as_ref())?.into_iter().enumerate();
        strings.extend(wrote.map(|(number, text)| (Said::Wrote(number), text)));
        let output = parts("output", raw.output.as_ref())?;
        let (said, strings) = strings.into_iter().unzip();
        Ok(Self {
            exchange: MeshExchange {
                call,
                id,
                run,
                output,
                said: strings,
            },
            said,
        })
    }
}

impl RawToolCall {
    /// The name and every string of the arguments, keys too.
    fn strings(self) -> Result<Vec<String>, LineError> {
        let (name, arguments) = match self.function {
            Some(function) => (function.name, function.arguments),
            None => (self.name, self.arguments),
        };
        let mut strings: Vec<String> = vec![name.unwrap_or_default()];
        match arguments {
            None => {}
            // As models write them: an object in a string. What is none is looked at as it is.
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Strings(found)) => strings.extend(found),
                Err(_) => strings.push(text),
            },
            Some(value) => {
                let found = Strings::deserialize(value);
                let Strings(found) =
                    found.map_err(|it| LineError::new(format!("`arguments`: {it}")))?;
                strings.extend(found);
            }
        }
        Ok(strings)
    }
}

/// The parser's words without those of the line: they may be what is looked for.
fn parsed<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, LineError> {
    serde_json::from_str(line).map_err(|error| {
        let at = error.column();
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        let names_a_field = ["unknown field", "missing field", "duplicate field"];
        let is_ours = !error.is_data()
            || names_a_field.iter().any(|it| words.starts_with(it))
                && words.len() < FIELD_WORDS_MAX;
        let words = if is_ours {
            words
        } else {
            "a field has another form than a call has"
        };
        LineError::new(format!("{words}, at byte {at}"))
    })
}

/// An agent is itself where nobody is named; whoever looks at the calls of others names them.
fn call(who: &Who, messages: &[RawMessage], principal: &Principal) -> Result<MeshCall, LineError> {
    let own = (principal.role == Role::Agent).then(|| principal.name.clone());
    let agent = match &who.agent {
        Some(name) => handle("agent", name)?,
        None => own.ok_or_else(|| LineError::new("`agent` is missing"))?,
    };
    let identity = match &who.identity {
        Some(name) => handle("identity", name)?,
        None => agent.clone(),
    };
    let at = who.at.as_deref().map(str::parse::<Instant>);
    let at = at
        .transpose()
        .map_err(|it| LineError::new(format!("`at`: {it}")))?;
    let messages = messages.iter().enumerate();
    let messages = messages.map(|(number, it)| {
        let message = it.read(&agent);
        message.map_err(|it| LineError::new(format!("message {number}: {it}")))
    });
    Ok(MeshCall {
        messages: messages.collect::<Result<_, _>>()?,
        agent,
        identity,
        at,
    })
}

fn handle(what: &str, name: &str) -> Result<Handle, LineError> {
    Handle::new(name).map_err(|it| LineError::new(format!("`{what}`: {it}")))
}

impl RawMessage {
    fn read(&self, agent: &Handle) -> Result<MeshText, LineError> {
        let origin = match &self.origin {
            Some(origin) => origin_of(origin)?,
            None => self.origin_of_role(agent)?,
        };
        let purpose = match self.purpose.as_deref() {
            None | Some("found") => Purpose::Found,
            Some("task") => Purpose::Task,
            Some(_) => return Err(LineError::new("`purpose` is `task` or `found`")),
        };
        let content = match (&self.text, &self.content) {
            (Some(_), Some(_)) => {
                return Err(LineError::new(
                    "`text` and `content` are the same thing: give one",
                ));
            }
            (text, content) => text.as_ref().or(content.as_ref()),
        };
        let label = self.label.clone().or_else(|| self.role.clone());
        Ok(MeshText {
            origin,
            purpose,
            label: label.unwrap_or_else(|| "message".to_owned()),
            text: parts("content", content)?.join("\n"),
        })
    }

    /// Who wrote the words, as chats have it: the system and the user are trusted, the assistant is
    /// the agent itself, what a tool returned is from outside.
    fn origin_of_role(&self, agent: &Handle) -> Result<MeshOrigin, LineError> {
        match self.role.as_deref() {
            Some("system" | "developer" | "user") => Ok(MeshOrigin::Trusted),
            Some("assistant") => Ok(MeshOrigin::Agent(agent.to_string())),
            Some("tool" | "function") => Ok(MeshOrigin::Outside),
            Some(_) => Err(LineError::new(
                "`role` is none that is known; say the `origin`",
            )),
            None => Err(LineError::new("there is neither `role` nor `origin`")),
        }
    }
}

fn origin_of(value: &Value) -> Result<MeshOrigin, LineError> {
    let named = value.get("agent").and_then(Value::as_str);
    match (value.as_str(), named) {
        (Some("trusted"), _) => Ok(MeshOrigin::Trusted),
        (Some("outside"), _) => Ok(MeshOrigin::Outside),
        (Some("unknown"), _) => Ok(MeshOrigin::Unknown),
        (_, Some(name)) => Ok(MeshOrigin::Agent(handle("origin", name)?.to_string())),
        _ => Err(LineError::new(
            "`origin` is `trusted`, `outside`, `unknown` or `{\"agent\":NAME}`",
        )),
    }
}

/// The texts of a content: a string, or a list of strings and of parts with a `text` or a
/// `refusal`. Parts that hold no text, such as images, are passed over.
fn parts(what: &str, value: Option<&Value>) -> Result<Vec<String>, LineError> {
    let wrong = || LineError::new(format!("`{what}` is a text or a list of parts"));
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(parts)) => {
            let mut texts = Vec::new();
            for part in parts {
                match part {
                    Value::String(text) => texts.push(text.clone()),
                    Value::Object(fields) => {
                        let found = ["text", "refusal"].into_iter();
                        let found = found.filter_map(|it| fields.get(it)?.as_str());
                        texts.extend(found.map(str::to_owned));
                    }
                    _ => return Err(wrong()),
                }
            }
            Ok(texts)
        }
        Some(_) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator() -> Principal {
        Principal {
            role: Role::Operator,
            name: Handle::new("me").unwrap(),
        }
    }

    #[test]
    fn a_chat_is_read_with_where_its_texts_come_from() {
        let line = r#"{"agent":"ann","messages":[
            {"role":"system","content":"Help."},
            {"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}},"b"]},
            {"role":"assistant","content":null,"tool_calls":[]},
            {"role":"tool","tool_call_id":"1","content":"c"},
            {"origin":{"agent":"bob"},"purpose":"task","label":"mail","text":"d"}]}"#;
        let Screen(call) = Screen::read(line, &operator()).unwrap();
        let texts: Vec<&str> = call.messages.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["Help.", "a\nb", "", "c", "d"]);
        let origins: Vec<&MeshOrigin> = call.messages.iter().map(|it| &it.origin).collect();
        let of = |name: &str| MeshOrigin::Agent(name.to_owned());
        assert_eq!(
            origins,
            [
                &MeshOrigin::Trusted,
                &MeshOrigin::Trusted,
                &of("ann"),
                &MeshOrigin::Outside,
                &of("bob")
            ]
        );
        assert_eq!(call.messages[4].purpose, Purpose::Task);
        assert_eq!(call.identity.as_str(), "ann");
    }

    #[test]
    fn every_string_of_a_tool_call_is_read() {
        let line = r#"{"agent":"ann","input":[],"output":["x",{"text":"y"}],"wrote":"w",
            "tool_calls":[{"function":{"name":"send","arguments":"{\"to\":\"b\",\"to\":\"c\"}"}},
            {"name":"note","arguments":{"k":["v"]}},{"name":"raw","arguments":"no json"}]}"#;
        let read = Observe::read(line, &operator()).unwrap();
        assert_eq!(read.exchange.output, ["x", "y"]);
        assert_eq!(
            read.exchange.said,
            [
                "send", "to", "b", "to", "c", "note", "k", "v", "raw", "no json", "w"
            ]
        );
        assert_eq!(read.said[4], Said::ToolCall { call: 0, string: 4 });
        assert_eq!(read.said[10], Said::Wrote(0));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let fails = |line: &str| Observe::read(line, &operator()).unwrap_err().to_string();
        for (line, words) in [
            (
                r#"{"agent":"ann","input":[],"tool_call":[]}"#,
                "unknown field `tool_call`",
            ),
            (r#"{"input":[]}"#, "`agent` is missing"),
            (r#"{"agent":"a\u0000b","input":[]}"#, "`agent`:"),
            (
                r#"{"agent":"ann","input":[{"text":"x"}]}"#,
                "message 0: there is neither",
            ),
            (
                r#"{"agent":"ann","input":[{"origin":"mars","text":"x"}]}"#,
                "`origin` is",
            ),
            (r#"{"agent":"ann","input":[],"call":"7"}"#, "`call`:"),
            (
                r#"{"agent":"ann","input":[],"output":7}"#,
                "`output` is a text or",
            ),
            (
                r#"{"agent":"ann","input":"copy me"}"#,
                "a field has another form",
            ),
            (r#"{"agent":"ann","inp"#, "EOF"),
            ("", "EOF"),
        ] {
            assert!(fails(line).contains(words), "{line}: {}", fails(line));
        }
    }
}
