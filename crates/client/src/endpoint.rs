//! Where a model is asked, and the key that opens it.
//!
//! Invariant: a [`Key`] shows itself to nobody but the request that it signs, and no URL that could
//! hold one is printed.

use std::fmt;

use url::{Host, Url};

/// Where plain HTTP may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// To a loopback address or `localhost`.
    OnThisMachine,
    /// Anywhere: whoever is on the way reads every text and the key.
    Anywhere,
}

/// The base URL of an endpoint, as `http://127.0.0.1:11434/v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base: Url,
}

/// Why a URL is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It cannot be read as one.
    #[error("it is no URL: {reason}")]
    NoUrl {
        /// What the parser says.
        reason: String,
    },
    /// It is of something else than the web.
    #[error("`{scheme}` is neither `https` nor `http`")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// It carries a name or a password, which would be shown wherever the URL is.
    #[error("it carries a name or a password; a key belongs into an environment variable")]
    Credentials,
    /// It carries what a path cannot be put behind.
    #[error("it carries a query or a fragment; give the base, as `https://api.example.com/v1`")]
    Query,
    /// It is plain, and leads off this machine.
    #[error("`{host}` is not this machine, and `http` shows every text and the key on the way")]
    Plain {
        /// The host.
        host: String,
    },
}

impl Endpoint {
    /// Reads a base URL.
    pub fn parse(url: &str, plain: Plain) -> Result<Self, EndpointError> {
        let reason = |it: url::ParseError| EndpointError::NoUrl {
            reason: it.to_string(),
        };
        let mut base = Url::parse(url.trim()).map_err(reason)?;
        if !matches!(base.scheme(), "http" | "https") {
            let scheme = base.scheme().to_owned();
            return Err(EndpointError::Scheme { scheme });
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(EndpointError::Query);
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        let endpoint = Self { base };
        let is_plain = endpoint.base.scheme() == "http";
        if is_plain && plain == Plain::OnThisMachine && !endpoint.is_on_this_machine() {
            let host = endpoint.base.host_str().unwrap_or_default().to_owned();
            return Err(EndpointError::Plain { host });
        }
        Ok(endpoint)
    }

    /// Whether it is a loopback address or `localhost`: then nothing leaves the machine.
    pub fn is_on_this_machine(&self) -> bool {
        match self.base.host() {
            Some(Host::Ipv4(it)) => it.is_loopback(),
            Some(Host::Ipv6(it)) => it.is_loopback(),
            Some(Host::Domain(it)) => it == "localhost",
            None => false,
        }
    }

    /// The URL of a path below it.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{self}/{path}")
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

/// The key of an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key; white space around it is none of it. Nothing if it is empty, or has characters that no header may have.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        let legal = !key.is_empty() && key.bytes().all(|it| (b'!'..=b'~').contains(&it));
        legal.then(|| Self(key.to_owned()))
    }

    /// The header that it signs a request with.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text of the endpoint without the key: some repeat it in their errors.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        text.replace(&self.0, "(the key)")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> String {
        match Endpoint::parse(url, Plain::OnThisMachine) {
            Ok(endpoint) => endpoint.at("chat/completions"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn a_base_is_read_with_or_without_a_slash_at_its_end() {
        for (url, right) in [
            (
                "http://127.0.0.1:11434/v1",
                "http://127.0.0.1:11434/v1/chat/completions",
            ),
            (
                "http://127.0.0.1:11434/v1/",
                "http://127.0.0.1:11434/v1/chat/completions",
            ),
            ("http://[::1]:8080", "http://[::1]:8080/chat/completions"),
            (
                "http://localhost:8080/",
                "http://localhost:8080/chat/completions",
            ),
            (
                "https://api.example.com/v1",
                "https://api.example.com/v1/chat/completions",
            ),
        ] {
            assert_eq!(read(url), right);
        }
    }

    #[test]
    fn what_would_leak_is_refused_and_not_repeated() {
        for (url, part) in [
            ("http://10.0.0.7/v1", "`10.0.0.7` is not this machine"),
            ("http://localhost.evil.example/v1", "is not this machine"),
            ("http://127.0.0.1.evil.example/v1", "is not this machine"),
            (
                "https://me:sk-secret@api.example.com/v1",
                "carries a name or a password",
            ),
            (
                "https://sk-secret@api.example.com/v1",
                "carries a name or a password",
            ),
            (
                "https://api.example.com/v1?key=sk-secret",
                "carries a query",
            ),
            ("file:///etc/passwd", "`file` is neither"),
            ("api.example.com/v1", "it is no URL"),
        ] {
            let found = read(url);
            assert!(
                found.starts_with("error: ") && found.contains(part),
                "{found}"
            );
            assert!(!found.contains("sk-secret"), "{found}");
        }
        assert!(Endpoint::parse("http://10.0.0.7/v1", Plain::Anywhere).is_ok());
    }

    #[test]
    fn a_key_shows_itself_to_nobody() {
        let key = Key::new(" sk-secret\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(not shown)");
        assert_eq!(
            key.taken_out_of("wrong key sk-secret"),
            "wrong key (the key)"
        );
        for wrong in ["", "  ", "two words", "a\u{7f}", "schlüssel"] {
            assert_eq!(Key::new(wrong), None, "{wrong}");
        }
    }
}
