//! The addresses of the engine that keeps the pastes of several machines.
//!
//! Invariants: there is at least one. Debug output shows none, because an address may have a password.

use std::fmt;

use super::data_dir::DataDir;
use crate::config::error::ConfigError;
use crate::config::setting::{SECRET, VALKEY};
use crate::config::sources::Sources;
use crate::config::values;

/// The addresses: one of a server, or several of a Cluster.
#[derive(Clone, PartialEq, Eq)]
pub struct ValkeyUrls(Vec<String>);

/// Reads the settings of the secret and of the engine. An engine needs a long secret, and no directory may be set.
pub(in crate::config) fn read_settings(
    sources: &Sources,
    data: Option<&DataDir>,
) -> Result<Option<ValkeyUrls>, ConfigError> {
    let Some((urls, origin)) = sources.optional_with_origin(&VALKEY, values::valkey_urls)? else {
        return Ok(None);
    };
    if let Some(data) = data {
        return Err(ConfigError::TwoStores {
            valkey: origin,
            data: data.origin.clone(),
        });
    }
    match sources.optional_with_origin(&SECRET, values::secret)? {
        None => Err(ConfigError::NoSecret(origin)),
        Some((secret, of_secret)) if !secret.is_long() => Err(ConfigError::ShortSecret {
            secret: of_secret,
            data: origin,
        }),
        Some(_) => Ok(Some(urls)),
    }
}

impl ValkeyUrls {
    /// Parses addresses with commas between them.
    ///
    /// # Errors
    /// Returns the allowed form.
    pub(in crate::config) fn parse(text: &str) -> Result<Self, &'static str> {
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
            Ok(Self(urls))
        }
    }

    /// Returns the addresses. They may have passwords.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Debug for ValkeyUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValkeyUrls({} addresses)", self.0.len())
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
            assert!(!format!("{urls:?}").contains("secret"));
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
