//! JSON lines: one message an object, with the usual names or those of a map, and with the claims
//! that its source states as such.

use std::io::{BufRead, BufReader};

use fs_err::File;
use immune_model::{Literal, LiteralKind, Polarity, Subject, Text, Trust, limits};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::columns::{Column, ColumnMap};
use crate::lines::Lines;
use crate::mail::MESSAGE_BYTES_MAX;
use crate::message::{Broken, Message, StatedClaim};
use crate::{address, html, quote, time};

const PIECE_BYTES: usize = 64 << 10;

/// The lines of one file.
pub(crate) struct Jsonl<R = BufReader<File>> {
    lines: Lines<R>,
    map: ColumnMap,
    n_lines: usize,
    is_done: bool,
}

/// The messages of JSON lines from any reader, one at a time.
pub fn json_lines(reader: impl BufRead) -> impl Iterator<Item = Result<Message, Broken>> {
    let mut lines = Jsonl::new(reader, ColumnMap::default());
    std::iter::from_fn(move || lines.next())
}

/// A claim as it is written on the wire.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClaim {
    about: String,
    claim: String,
    polarity: Option<String>,
    #[serde(default)]
    literals: Vec<WrittenLiteral>,
    confidence: Option<serde_json::Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLiteral {
    kind: String,
    value: String,
}

impl<R: BufRead> Jsonl<R> {
    pub(crate) fn new(reader: R, map: ColumnMap) -> Self {
        Self {
            lines: Lines::new(reader),
            map,
            n_lines: 0,
            is_done: false,
        }
    }

    pub(crate) fn position_bytes(&self) -> u64 {
        self.lines.position_bytes()
    }

    pub(crate) fn next(&mut self) -> Option<Result<Message, Broken>> {
        let (mut line, mut piece) = (Vec::new(), Vec::new());
        let mut is_too_large = false;
        while !self.is_done {
            let read = match self.lines.read(&mut piece, PIECE_BYTES) {
                Ok(Some(read)) => read,
                Ok(None) => {
                    self.is_done = true;
                    break;
                }
                Err(error) => {
                    self.is_done = true;
                    let position = format!("line {}", self.n_lines + 1);
                    return Some(Err(Broken::new(&position, error.to_string())));
                }
            };
            is_too_large |= line.len() + piece.len() > MESSAGE_BYTES_MAX;
            if !is_too_large {
                line.extend_from_slice(&piece);
            }
            if !read.ends_line {
                continue;
            }
            self.n_lines += 1;
            let position = format!("line {}", self.n_lines);
            if is_too_large {
                let reason = format!("it has more than {MESSAGE_BYTES_MAX} bytes");
                return Some(Err(Broken::new(&position, reason)));
            }
            let written = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            if written.trim_ascii().is_empty() {
                line.clear();
                continue;
            }
            return Some(
                message(written, &self.map, &position)
                    .map_err(|reason| Broken::new(&position, reason))
                    .and_then(Message::checked),
            );
        }
        None
    }
}

/// Why a line is no JSON object. The parser counts lines in it, of which there is one.
pub(crate) fn no_object(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match words.strip_suffix(&place) {
        Some(words) => format!("it is no JSON object: {words} at column {}", error.column()),
        None => format!("it is no JSON object: {words}"),
    }
}

fn message(line: &[u8], map: &ColumnMap, position: &str) -> Result<Message, String> {
    let fields: Map<String, Value> =
        serde_json::from_slice(line).map_err(|error| no_object(&error))?;
    let names: Vec<&String> = fields.keys().collect();
    let value = |column: Column| {
        let name = map.find(column, &names).and_then(|at| names.get(at))?;
        fields.get(name.as_str())
    };
    let text = |column: Column| match value(column) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(_) => Err(format!("`{column}` is no text")),
    };
    let filled = |text: String| (!text.is_empty()).then_some(text);
    let parts = quote::split(&html::text_of_field(&text(Column::Body)?));
    let sender = address::parse(&text(Column::Sender)?).into_iter().next();
    let (sender, sender_name) = sender.map_or((None, None), |it| (Some(it.address), it.name));
    let recipients = match value(Column::Recipients) {
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(Value::as_str)
            .flat_map(address::parse)
            .collect(),
        _ => address::parse(&text(Column::Recipients)?),
    };
    let id = text(Column::Id)?;
    Ok(Message {
        position: position.to_owned(),
        external_id: filled(id.trim_matches(['<', '>']).to_owned()),
        sender,
        sender_name,
        recipients: recipients.into_iter().map(|it| it.address).collect(),
        subject: filled(text(Column::Subject)?),
        sent_at: time::parse(&text(Column::Date)?),
        in_reply_to: ids(fields.get("in_reply_to")).into_iter().next(),
        references: ids(fields.get("references")),
        body: parts.own,
        quoted: parts.quoted,
        attachments: Vec::new(),
        claims: claims(fields.get("claims"))?,
    })
}

fn ids(value: Option<&Value>) -> Vec<String> {
    let one = |it: &str| it.trim().trim_matches(['<', '>']).to_owned();
    match value {
        Some(Value::String(text)) => text.split_whitespace().map(one).collect(),
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(one).collect(),
        _ => Vec::new(),
    }
}

fn claims(value: Option<&Value>) -> Result<Vec<StatedClaim>, String> {
    let Some(value) = value.filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let written: Vec<WrittenClaim> =
        Vec::deserialize(value).map_err(|error| format!("`claims`: {error}"))?;
    if written.len() > limits::STATEMENTS_MAX {
        let (found, limit) = (written.len(), limits::STATEMENTS_MAX);
        return Err(format!("`claims` has {found} claims, the limit is {limit}"));
    }
    written.iter().map(stated).collect()
}

fn stated(written: &WrittenClaim) -> Result<StatedClaim, String> {
    let about = Subject::new(&written.about).map_err(|error| error.to_string())?;
    let claim = Text::new(&written.claim).map_err(|error| format!("`claim`: {error}"))?;
    let polarity = match &written.polarity {
        None => None,
        Some(sign) => {
            let mut signs = sign.chars();
            let polarity = signs.next().and_then(Polarity::from_sign);
            let polarity = polarity.filter(|_| signs.next().is_none());
            Some(polarity.ok_or_else(|| format!("`{sign}` is no polarity; use `+`, `-` or `?`"))?)
        }
    };
    let mut literals = Vec::new();
    for literal in &written.literals {
        let kind = LiteralKind::from_name(&literal.kind)
            .ok_or_else(|| format!("`{}` is no kind of literal", literal.kind))?;
        literals.push(canonical(kind, &literal.value)?);
    }
    literals.sort();
    literals.dedup();
    if literals.len() > limits::LITERALS_MAX {
        let (found, limit) = (literals.len(), limits::LITERALS_MAX);
        return Err(format!(
            "the claim has {found} literals, the limit is {limit}"
        ));
    }
    let confidence = written.confidence.as_ref().map(|it| {
        let parsed = it.to_string().parse::<Trust>();
        parsed.map_err(|error| format!("`confidence`: {error}"))
    });
    Ok(StatedClaim {
        about,
        claim,
        polarity,
        literals,
        confidence: confidence.transpose()?,
    })
}

/// The stated value in canonical form. A value that the rules do not read as its kind is compared
/// as it is written.
fn canonical(kind: LiteralKind, value: &str) -> Result<Literal, String> {
    if Text::new(value).is_err() || value.len() > limits::NAME_BYTES_MAX {
        return Err(format!(
            "the value of a `{}` is empty or too long",
            kind.name()
        ));
    }
    let read = immune_reason::literal::find(value);
    match read.as_slice() {
        [only] if only.literal.kind == kind => Ok(only.literal.clone()),
        _ => Ok(Literal::new(kind, value.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Message, Broken>> {
        let mut lines = Jsonl::new(text.as_bytes(), ColumnMap::default());
        std::iter::from_fn(|| lines.next()).collect()
    }

    #[test]
    fn a_line_states_its_claims() {
        let all = read(concat!(
            r#"{"from":"Jo@Example.com","text":"Hi","sent_at":"2026-01-01T00:00:00Z","id":7,"#,
            r#""claims":[{"about":"Acme/Refund.Destination","claim":"to gb29 4471 8829","#,
            r#""polarity":"-","literals":[{"kind":"iban","value":"gb29 4471 8829"}]}]}"#,
            "\n\n"
        ));
        let message = all[0].as_ref().unwrap();
        assert_eq!(message.position, "line 1");
        assert_eq!(message.external_id.as_deref(), Some("7"));
        assert_eq!(message.sender.as_deref(), Some("jo@example.com"));
        let claim = &message.claims[0];
        assert_eq!(claim.about.as_str(), "acme/refund.destination");
        assert_eq!(claim.polarity, Some(Polarity::Denied));
        assert_eq!(&*claim.literals[0].value, "GB2944718829");
        assert_eq!(message.content(), "Hi\n\nto gb29 4471 8829");
        assert_eq!(all.len(), 1);
    }

    #[test]
    fn a_broken_line_is_named_and_the_next_one_read() {
        let all = read("{\n[1]\n{\"text\":[]}\n{\"text\":\"a\\u0000b\"}\n{}\n{\"text\":\"ok\"}");
        let shown: Vec<String> = all
            .iter()
            .map(|it| match it {
                Ok(message) => message.content(),
                Err(broken) => broken.to_string(),
            })
            .collect();
        assert!(
            shown[0].starts_with("line 1: it is no JSON object"),
            "{}",
            shown[0]
        );
        assert!(
            shown[1].starts_with("line 2: it is no JSON object"),
            "{}",
            shown[1]
        );
        assert_eq!(shown[2], "line 3: `body` is no text");
        assert_eq!(shown[3], "line 4: the text holds a NUL character at byte 1");
        assert_eq!(shown[4], "line 5: the text is empty");
        assert_eq!(shown[5], "ok");
        for claim in [
            r#"{"about":"a b","claim":"x"}"#,
            r#"{"about":"a","claim":""}"#,
            r#"{"about":"a","claim":"x","polarity":"++"}"#,
            r#"{"about":"a","claim":"x","literals":[{"kind":"nope","value":"x"}]}"#,
            r#"{"about":"a","claim":"x","extra":1}"#,
        ] {
            let line = format!("{{\"text\":\"t\",\"claims\":[{claim}]}}");
            assert!(read(&line)[0].is_err(), "{claim}");
        }
    }
}
