//! Trusted proxies. The server believes these proxies when they report a client's address.

use std::str::FromStr;

use super::CanonicalIp;
use super::list::{ListErrorKind, ListParseError, PrefixMap, find, parse_list};

/// The operator's list of trusted proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(PrefixMap<()>);

impl TrustedProxies {
    /// Returns whether a proxy at this address is trusted.
    pub fn contains(&self, address: CanonicalIp) -> bool {
        !self.0.is_empty() && find(&self.0, address).is_some()
    }
}

impl FromStr for TrustedProxies {
    type Err = ListParseError;

    /// Parses a list such as `127.0.0.1, 10.0.0.0/8, 2001:db8::/48`.
    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let networks = parse_list(list, |entry| match entry.prefix()? {
            network if network.prefix_len() == 0 => Err(entry.error(ListErrorKind::AllAddresses)),
            network => Ok((network, ())),
        });
        networks.map(Self)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_network_of_all_addresses_is_refused_because_its_clients_could_forge_theirs() {
        for (list, column) in [("0.0.0.0/0", 1), ("::1, ::/0", 6), ("::ffff:0:0/96", 1)] {
            let error = list.parse::<TrustedProxies>().unwrap_err();
            assert_eq!(
                (error.column, error.kind),
                (column, ListErrorKind::AllAddresses)
            );
        }
        assert!("0.0.0.0/1, ::/1".parse::<TrustedProxies>().is_ok());
    }

    #[test]
    fn a_proxy_in_a_listed_network_is_trusted_and_no_other_is() {
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
}
