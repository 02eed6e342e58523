//! The registrable domain of a handle: what one owner registered. For `copying`.

/// The registrable domain of a mail address, a URL or a host name, in lower case: `example.co.uk`
/// of `a@mail.example.co.uk`. Nothing for other handles, addresses of machines and public suffixes.
pub fn registrable_domain(handle: &str) -> Option<String> {
    let host = match handle.split_once("://") {
        Some((_, rest)) => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            authority.rsplit('@').next().unwrap_or(authority)
        }
        None => handle.rsplit_once('@').map_or(handle, |(_, host)| host),
    };
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    };
    let host = idna::domain_to_ascii(host.trim_end_matches('.')).ok()?;
    let domain = psl::domain(host.as_bytes())?;
    // Without a known suffix, any word with a dot in it would be a domain.
    if !domain.suffix().is_known() {
        return None;
    }
    std::str::from_utf8(domain.as_bytes())
        .ok()
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registrable_domain_is_what_an_owner_registered() {
        for (handle, domain) in [
            ("a@mail.example.co.uk", Some("example.co.uk")),
            (
                "https://user@News.Example.com:8443/a/b?c",
                Some("example.com"),
            ),
            ("feeds.example.com", Some("example.com")),
            ("https://one.github.io/x", Some("one.github.io")),
            ("https://bücher.example.de", Some("example.de")),
            ("co.uk", None),
            ("10.0.0.1", None),
            ("scraper", None),
            ("flight.tracker", None),
        ] {
            assert_eq!(registrable_domain(handle).as_deref(), domain, "{handle}");
        }
    }
}
