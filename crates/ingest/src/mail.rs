//! One RFC 5322 message: headers, own words, quoted parts, attachments. Parsed by `mail-parser`.

use mail_parser::{HeaderValue, Message as Parsed, MessageParser, MimeHeaders, PartType};

use crate::message::{Attachment, Broken, Message};
use crate::{address, html, quote, time};

/// Bytes of the largest raw message that is read, attachments included.
pub(crate) const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// How deep messages within messages are read.
const DEPTH_MAX: usize = 4;

/// Reads a raw message.
pub(crate) fn read(raw: &[u8], position: &str) -> Result<Message, Broken> {
    let broken = |reason: &str| Broken::new(position, reason);
    if raw.len() > MESSAGE_BYTES_MAX {
        return Err(too_large(position));
    }
    let parsed = MessageParser::default()
        .parse(raw)
        .ok_or_else(|| broken("it has no headers"))?;
    let from = parsed.from().or_else(|| parsed.sender());
    let sender = from
        .and_then(|it| address::mailboxes(it).into_iter().next())
        .ok_or_else(|| broken("it has no sender: no `From` or `Sender` with an address"))?;
    if is_cut_off(&parsed, raw) {
        return Err(broken("it is cut off: the last MIME boundary is missing"));
    }
    let mut message = Message {
        position: position.to_owned(),
        external_id: parsed.message_id().map(str::trim).and_then(filled),
        sender: Some(sender.address),
        sender_name: sender.name,
        recipients: [parsed.to(), parsed.cc(), parsed.bcc()]
            .into_iter()
            .flatten()
            .flat_map(address::mailboxes)
            .map(|it| it.address)
            .collect(),
        subject: parsed.subject().map(one_line).as_deref().and_then(filled),
        sent_at: parsed.header_raw("Date").and_then(time::parse),
        in_reply_to: ids(parsed.in_reply_to()).into_iter().next(),
        references: ids(parsed.references()),
        ..Message::default()
    };
    let mut words = Vec::new();
    for part in parsed.text_bodies() {
        words.extend(text_of(&part.body));
    }
    let parts = quote::split(&words.join("\n\n"));
    message.body = parts.own;
    message.quoted = parts.quoted;
    list_attachments(&parsed, &mut message, DEPTH_MAX);
    message.checked()
}

pub(crate) fn too_large(position: &str) -> Broken {
    Broken::new(
        position,
        format!("it has more than {MESSAGE_BYTES_MAX} bytes"),
    )
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn ids(header: &HeaderValue<'_>) -> Vec<String> {
    match header {
        HeaderValue::Text(id) => vec![id.trim().to_owned()],
        HeaderValue::TextList(ids) => ids.iter().map(|id| id.trim().to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Whether the message declares parts and ends before the last of them does.
fn is_cut_off(parsed: &Parsed<'_>, raw: &[u8]) -> bool {
    let Some(boundary) = parsed
        .content_type()
        .filter(|it| it.ctype().eq_ignore_ascii_case("multipart"))
        .and_then(|it| it.attribute("boundary"))
    else {
        return false;
    };
    let end = format!("--{boundary}--");
    // It stands near the end, so the search from there is short.
    !raw.windows(end.len())
        .rev()
        .any(|window| window == end.as_bytes())
}

fn text_of(body: &PartType<'_>) -> Option<String> {
    match body {
        PartType::Text(text) => Some(text.trim().to_owned()),
        PartType::Html(text) => Some(html::to_text(text)),
        _ => None,
    }
}

/// Lists what is attached. The text of a message within the message is kept as a quoted part.
fn list_attachments(parsed: &Parsed<'_>, message: &mut Message, depth: usize) {
    for part in parsed.attachments() {
        let declared = part.content_type().map(|it| match it.subtype() {
            Some(subtype) => format!("{}/{subtype}", it.ctype()),
            None => it.ctype().to_owned(),
        });
        let name = part.attachment_name().map(one_line);
        let PartType::Message(inner) = &part.body else {
            message.attachments.push(Attachment {
                name: name.unwrap_or_else(|| "unnamed".to_owned()),
                content_type: declared.unwrap_or_else(|| "application/octet-stream".to_owned()),
                bytes: part.contents().len() as u64,
            });
            continue;
        };
        let subject = inner.subject().map(one_line);
        message.attachments.push(Attachment {
            name: name
                .or_else(|| subject.clone())
                .unwrap_or_else(|| "unnamed".to_owned()),
            content_type: declared.unwrap_or_else(|| "message/rfc822".to_owned()),
            bytes: inner.raw_message().len() as u64,
        });
        if depth == 0 {
            continue;
        }
        let mut text = Vec::new();
        let from = inner.from().map(address::mailboxes).unwrap_or_default();
        text.extend(from.first().map(|it| format!("From: {}", it.address)));
        text.extend(
            inner
                .header_raw("Date")
                .map(|it| format!("Date: {}", it.trim())),
        );
        text.extend(subject.map(|it| format!("Subject: {it}")));
        for part in inner.text_bodies() {
            text.extend(text_of(&part.body));
        }
        message.quoted.push(text.join("\n"));
        list_attachments(inner, message, depth - 1);
    }
}
