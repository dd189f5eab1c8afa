//! Network policies. The operator can exempt a network from limits, block it, or multiply its limits.
//!
//! Invariants: If several listed networks contain an address, the smallest of them decides. If any entry of a list is
//! malformed, the whole list is refused.
//! Cost: A look-up costs what [`PrefixMap`] states, or one comparison if the list is empty. Parsing takes 0.5 to 1 µs
//! for each network.

use std::str::FromStr;

use super::CanonicalIp;
use super::list::{ListEntry, ListErrorKind, ListParseError, PrefixMap, find, parse_list};
use crate::limit::policy::Multiplier;

/// The operator's decision about the clients of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkPolicy {
    /// The clients have no limits.
    Allow,
    /// Every request is denied, except the health check.
    Deny,
    /// The figures of all rules are multiplied by this factor.
    Limit(Multiplier),
}

/// The default applies to networks that are not listed.
impl Default for NetworkPolicy {
    fn default() -> Self {
        Self::Limit(Multiplier::ONE)
    }
}

/// The operator's list of networks with their policies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkPolicies(PrefixMap<NetworkPolicy>);

impl NetworkPolicies {
    /// Returns the policy for this address. A client without an address gets the default policy.
    pub fn policy_of(&self, address: Option<CanonicalIp>) -> NetworkPolicy {
        if self.is_empty() {
            return NetworkPolicy::default();
        }
        address
            .and_then(|address| find(&self.0, address))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the number of listed networks.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no network is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for NetworkPolicies {
    type Err = ListParseError;

    /// Parses `10.0.0.0/8 allow, 203.0.113.0/24 deny, 2001:db8::/32 limit x10`. Each entry may also be on its own line.
    /// A comment starts with `#`.
    fn from_str(list: &str) -> Result<Self, Self::Err> {
        parse_list(list, |entry| {
            let (network, policy) = entry.split_word();
            Ok((network.prefix()?, parse_policy(policy)?))
        })
        .map(Self)
    }
}

fn parse_policy(entry: ListEntry<'_>) -> Result<NetworkPolicy, ListParseError> {
    let (word, rest) = entry.split_word();
    match (word.text, rest.text) {
        ("allow", "") => Ok(NetworkPolicy::Allow),
        ("deny", "") => Ok(NetworkPolicy::Deny),
        ("limit", multiplier) => multiplier
            .parse()
            .map(NetworkPolicy::Limit)
            .map_err(|_| rest.error(ListErrorKind::InvalidMultiplier)),
        _ => Err(entry.error(ListErrorKind::UnknownPolicy)),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn policy(networks: &NetworkPolicies, address: &str) -> NetworkPolicy {
        let ip: IpAddr = address.parse().unwrap();
        networks.policy_of(Some(ip.into()))
    }

    fn times(factor: u32) -> NetworkPolicy {
        NetworkPolicy::Limit(Multiplier::new(factor).unwrap())
    }

    #[test]
    fn the_smallest_network_that_an_address_is_in_decides() {
        let networks: NetworkPolicies =
            "10.0.0.0/8 deny, 10.1.0.0/16 limit x10, 10.1.2.0/24 allow, 10.1.2.3 deny,
             2001:db8::/32 limit x100 # ours
             2001:db8:1::/48 deny, ::ffff:192.0.2.0/120 deny,"
                .parse()
                .unwrap();
        assert_eq!(networks.len(), 7);
        for (address, expected) in [
            ("10.9.9.9", NetworkPolicy::Deny),
            ("10.1.9.9", times(10)),
            ("10.1.2.9", NetworkPolicy::Allow),
            ("10.1.2.3", NetworkPolicy::Deny),
            ("::ffff:10.1.2.9", NetworkPolicy::Allow),
            ("64:ff9b::10.9.9.9", NetworkPolicy::Deny),
            ("192.0.2.1", NetworkPolicy::Deny),
            ("11.0.0.1", times(1)),
            ("2001:db8:2::1", times(100)),
            ("2001:db8:1::1", NetworkPolicy::Deny),
            ("2001:db9::1", times(1)),
        ] {
            assert_eq!(policy(&networks, address), expected, "{address}");
        }
        assert_eq!(networks.policy_of(None), times(1));
        assert_eq!(policy(&NetworkPolicies::default(), "10.0.0.1"), times(1));
    }

    #[test]
    fn a_malformed_entry_is_refused_with_its_position_and_the_expected_form() {
        const POLICY: &str = "expected `allow`, `deny` or `limit x10` after the network";
        const FACTOR: &str = "expected a factor from `x1` to `x100` after `limit`";
        const NEITHER: &str = "expected an IP address or a network";
        for (list, column, message) in [
            ("10.0.0.0/8", 11, POLICY),
            ("10.0.0.0/8 alow", 12, POLICY),
            ("10.0.0.0/8 ALLOW", 12, POLICY),
            ("10.0.0.0/8 allow deny", 12, POLICY),
            ("10.0.0.0/8 x10", 12, POLICY),
            ("10.0.0.0/8 limit", 17, FACTOR),
            ("10.0.0.0/8 limit 10", 18, FACTOR),
            ("10.0.0.0/8 limit x0", 18, FACTOR),
            ("10.0.0.0/8 limit x", 18, FACTOR),
            ("10.0.0.0/8 limit x+1", 18, FACTOR),
            ("10.0.0.0/8 limit x1.5", 18, FACTOR),
            ("10.0.0.0/8 limit x101", 18, FACTOR),
            ("10.0.0.0/8 limit x4294967296", 18, FACTOR),
            ("deny 10.0.0.0/8", 1, NEITHER),
            ("::/0 deny; 10.0.0.0/8 allow", 6, POLICY),
            (
                "::/0 deny, 10.0.0.1/8 allow",
                12,
                "the address has bits after the prefix, use 10.0.0.0/8",
            ),
            (
                "10.0.0.0/8 deny, ::/0 deny, ::ffff:10.0.0.0/104 allow",
                29,
                "10.0.0.0/8 is listed twice",
            ),
        ] {
            let error = list.parse::<NetworkPolicies>().unwrap_err();
            let expected = format!("is invalid at character {column}: {message}");
            assert_eq!(error.to_string(), expected, "{list}");
        }
    }
}
