//! The addresses of the engine that keeps the pastes of several machines.
//!
//! Invariants: there is at least one. Debug output shows none, because an address may have a password.

use crate::hidden::Hidden;

/// The addresses: one of a server, or several of a Cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValkeyUrls(Hidden<Vec<String>>);

impl ValkeyUrls {
    /// Parses addresses with commas between them.
    ///
    /// # Errors
    /// Returns the allowed form.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let urls: Vec<_> = text.split(',').map(|url| url.trim().to_owned()).collect();
        let count = |scheme: &str| urls.iter().filter(|url| url.starts_with(scheme)).count();
        let (plain, tls, sockets) = (count("redis://"), count("rediss://"), count("unix:///"));
        if plain + tls + sockets < urls.len() {
            Err("is not the address of an engine")
        } else if sockets > 0 && urls.len() > 1 {
            Err("names a socket beside other servers")
        } else if plain > 0 && tls > 0 {
            Err("names servers with TLS beside others without")
        } else if tls > 0 && !cfg!(feature = "tls") {
            Err("asks for TLS, and this tidebin was built without its feature `tls`")
        } else if urls.iter().any(|url| has_no_password(url)) {
            Err("names a user without a password")
        } else {
            Ok(Self(Hidden(urls)))
        }
    }

    /// Returns the addresses. They may have passwords.
    pub fn as_slice(&self) -> &[String] {
        &self.0.0
    }
}

/// Returns whether an address names a user without a password. The engine would take it for its default user.
fn has_no_password(url: &str) -> bool {
    if let Some((_, query)) = url.split_once('?')
        && url.starts_with("unix:")
    {
        let has = |name: &str| query.split('&').any(|it| it.starts_with(name));
        return has("user=") && !has("pass=");
    }
    let authority = url.split('/').nth(2).unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) => user.split_once(':').is_none_or(|(_, it)| it.is_empty()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_or_several_of_a_cluster_are_named() {
        for (text, count) in [
            ("redis://:secret@localhost:6379/2", 1),
            ("unix:///run/valkey.sock", 1),
            ("unix:///run/valkey.sock?user=a&pass=secret", 1),
            ("redis://user:secret@[::1]:6379/1?protocol=resp3", 1),
            ("redis://a:1, redis://b:2,redis://c:3", 3),
            #[cfg(feature = "tls")]
            ("rediss://:secret@a:1,rediss://b:2", 2),
        ] {
            let urls = ValkeyUrls::parse(text).unwrap();
            assert_eq!(urls.as_slice().len(), count);
            assert_eq!(format!("{urls:?}"), "ValkeyUrls(secret)");
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "",
            "localhost:6379",
            "redis://a,",
            "redis://a,rediss://b",
            "redis://a,unix:///b",
            "http://a",
            "redis://user@a:6379/1",
            "redis://user:@a:6379",
            "redis://user:secret@a,redis://user@b",
            "unix:///a?user=b",
        ] {
            assert!(ValkeyUrls::parse(text).is_err(), "{text}");
        }
    }
}
