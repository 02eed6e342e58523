//! Addresses as people write them in a column: `Jo <jo@example.com>; bo@example.com`.

use mail_parser::{Address, MessageParser};

/// An address in lower case and the name shown with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mailbox {
    pub(crate) address: String,
    pub(crate) name: Option<String>,
}

/// The addresses of a header, those without an address left out.
pub(crate) fn mailboxes(header: &Address<'_>) -> Vec<Mailbox> {
    header
        .iter()
        .filter_map(|it| {
            let address = it.address()?.trim().to_lowercase();
            let name = it.name().map(str::trim).filter(|name| !name.is_empty());
            (!address.is_empty()).then(|| Mailbox {
                address,
                name: name.map(str::to_owned),
            })
        })
        .collect()
}

/// The addresses in the value of a column. A value that holds none is a name: `accounting`.
pub(crate) fn parse(value: &str) -> Vec<Mailbox> {
    let line: String = value
        .chars()
        .map(|it| match it {
            ';' => ',',
            it if it.is_control() => ' ',
            it => it,
        })
        .collect();
    let line = line.trim();
    if line.is_empty() {
        return Vec::new();
    }
    let header = format!("To: {line}\r\n\r\n");
    let parsed = MessageParser::new()
        .with_address_headers()
        .parse_headers(header.as_bytes())
        .and_then(|message| message.to().map(mailboxes))
        .unwrap_or_default();
    if parsed.iter().any(|it| it.address.contains('@')) {
        return parsed;
    }
    vec![Mailbox {
        address: line.to_lowercase(),
        name: None,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folded_and_names_kept() {
        let parsed = parse("\"Doe, Jo\" <Jo@Example.com>; bo@example.com");
        assert_eq!(parsed.len(), 2);
        assert_eq!(parsed[0].address, "jo@example.com");
        assert_eq!(parsed[0].name.as_deref(), Some("Doe, Jo"));
        assert_eq!(parsed[1].address, "bo@example.com");
        assert_eq!(parse("Accounting")[0].address, "accounting");
        assert!(parse(" ").is_empty());
        assert_eq!(parse("jo@example.com\r\nBcc: x@y.example").len(), 1);
    }
}
