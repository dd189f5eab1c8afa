//! Trusted proxies: those whose word on who is asking is taken.
//!
//! What it must not know: in which words they say it.
//! Cost: see [`PrefixMap`]; without any a comparison.

use std::fmt;
use std::str::FromStr;

use super::list::{ListParseError, entries};
use super::prefix::{Prefix, PrefixError};
use super::{CanonicalIp, PrefixMap};

/// The operator's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(PrefixMap<()>);

/// Why an entry of the list is misread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyProblem {
    /// It is no prefix.
    Prefix(PrefixError),
    /// It stands in the list already.
    Twice(Prefix),
}

impl TrustedProxies {
    /// Whether the one at this address is trusted.
    #[must_use]
    pub fn contains(&self, address: CanonicalIp) -> bool {
        !self.0.is_empty() && self.0.find(address).is_some()
    }
}

impl FromStr for TrustedProxies {
    type Err = ListParseError<ProxyProblem>;

    /// `127.0.0.1, 10.0.0.0/8, 2001:db8::/48`.
    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let mut proxies = PrefixMap::default();
        for entry in entries(list) {
            let prefix: Prefix = entry
                .text
                .parse()
                .map_err(|error| entry.error(ProxyProblem::Prefix(error)))?;
            if proxies.insert(prefix, ()).is_some() {
                return Err(entry.error(ProxyProblem::Twice(prefix)));
            }
        }
        Ok(Self(proxies))
    }
}

impl fmt::Display for ProxyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(error) => error.fmt(f),
            Self::Twice(prefix) => write!(f, "{prefix} is listed already"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn who_is_in_a_listed_network_is_trusted_and_nobody_else() {
        let proxies: TrustedProxies = "127.0.0.1, 10.0.0.0/8, 2001:db8::/48".parse().unwrap();
        for (address, trusted) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("10.255.255.255", true),
            ("2001:db8::1", true),
            ("2001:db8:1::1", false),
            ("::1", false),
        ] {
            let ip: IpAddr = address.parse().unwrap();
            assert_eq!(proxies.contains(ip.into()), trusted, "{address}");
            assert!(!TrustedProxies::default().contains(ip.into()));
        }
    }

    #[test]
    fn a_misread_proxy_is_refused_with_its_place() {
        for (list, message) in [
            (
                "127.0.0.1 10.0.0.0/8",
                "is misread at column 1: this is neither an address nor a prefix",
            ),
            (
                "::1, 10.0.0.1/8",
                "is misread at column 6: bits are set beyond the prefix, which would be 10.0.0.0/8",
            ),
            (
                "::1, ::1/128",
                "is misread at column 6: ::1/128 is listed already",
            ),
        ] {
            let error = list.parse::<TrustedProxies>().unwrap_err();
            assert_eq!(error.to_string(), message, "{list}");
        }
    }
}
