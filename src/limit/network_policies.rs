//! Networks that the operator has decided about: let in without limits, shut out, or with limits of their own.
//!
//! What it must not know: what the limits are, and where the list comes from.
//! Invariants: of all networks that an address is in the smallest decides; no network stands twice; a list is taken
//! whole or not at all.
//! Cost: see [`PrefixMap`]; without any network a comparison. A list takes half a microsecond to a
//! whole one a network to read.

use std::fmt;
use std::str::FromStr;

use super::list::{ListEntry, ListParseError, entries};
use super::prefix::{Prefix, PrefixError};
use super::{CanonicalIp, Multiplier, PrefixMap};

/// What holds for the clients of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkPolicy {
    /// No limits at all.
    Allow,
    /// No answers but to the question whether the server is well.
    Deny,
    /// The figures of all rules, so many times.
    Limit(Multiplier),
}

/// A network that nobody decided about is limited as the rules say.
impl Default for NetworkPolicy {
    fn default() -> Self {
        Self::Limit(Multiplier::ONE)
    }
}

/// The operator's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkPolicies(PrefixMap<NetworkPolicy>);

/// Why an entry of the list is misread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkProblem {
    /// It begins with no prefix.
    Prefix(PrefixError),
    /// The prefix is followed by nothing that is known.
    NetworkPolicy,
    /// What follows `limit` is no factor.
    Factor,
    /// The network stands in the list already.
    Twice(Prefix),
}

impl NetworkPolicies {
    /// What holds for this address; what holds for all others if there is none.
    #[must_use]
    pub fn policy_of(&self, address: Option<CanonicalIp>) -> NetworkPolicy {
        if self.is_empty() {
            return NetworkPolicy::default();
        }
        address
            .and_then(|address| self.0.find(address))
            .copied()
            .unwrap_or_default()
    }

    /// How many networks are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for NetworkPolicies {
    type Err = ListParseError<NetworkProblem>;

    /// `10.0.0.0/8 allow, 203.0.113.0/24 deny, 2001:db8::/32 limit x10`; entries may also stand in lines of their own,
    /// with remarks after a `#`.
    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let mut networks = PrefixMap::default();
        for entry in entries(list) {
            let (network, policy) = entry.split_word();
            let prefix: Prefix = network
                .text
                .parse()
                .map_err(|error| network.error(NetworkProblem::Prefix(error)))?;
            if networks.insert(prefix, read_policy(policy)?).is_some() {
                return Err(network.error(NetworkProblem::Twice(prefix)));
            }
        }
        Ok(Self(networks))
    }
}

fn read_policy(entry: ListEntry<'_>) -> Result<NetworkPolicy, ListParseError<NetworkProblem>> {
    let (word, rest) = entry.split_word();
    match (word.text, rest.text) {
        ("allow", "") => Ok(NetworkPolicy::Allow),
        ("deny", "") => Ok(NetworkPolicy::Deny),
        ("limit", factor) => factor
            .strip_prefix('x')
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .and_then(Multiplier::new)
            .map(NetworkPolicy::Limit)
            .ok_or_else(|| rest.error(NetworkProblem::Factor)),
        _ => Err(entry.error(NetworkProblem::NetworkPolicy)),
    }
}

impl fmt::Display for NetworkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(error) => error.fmt(f),
            Self::NetworkPolicy => {
                f.write_str("after the prefix comes `allow`, `deny` or `limit x10`")
            }
            Self::Factor => {
                let most = Multiplier::MAX.get();
                write!(
                    f,
                    "after `limit` comes a factor from one to {most}, as in `x10`"
                )
            }
            Self::Twice(prefix) => write!(f, "{prefix} is listed already"),
        }
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

    fn multiplier(factor: u32) -> NetworkPolicy {
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
            ("10.1.9.9", multiplier(10)),
            ("10.1.2.9", NetworkPolicy::Allow),
            ("10.1.2.3", NetworkPolicy::Deny),
            ("::ffff:10.1.2.9", NetworkPolicy::Allow),
            ("64:ff9b::10.9.9.9", NetworkPolicy::Deny),
            ("192.0.2.1", NetworkPolicy::Deny),
            ("11.0.0.1", multiplier(1)),
            ("2001:db8:2::1", multiplier(100)),
            ("2001:db8:1::1", NetworkPolicy::Deny),
            ("2001:db9::1", multiplier(1)),
        ] {
            assert_eq!(policy(&networks, address), expected, "{address}");
        }
        assert_eq!(networks.policy_of(None), multiplier(1));
        assert_eq!(
            policy(&NetworkPolicies::default(), "10.0.0.1"),
            multiplier(1)
        );
    }

    #[test]
    fn a_misread_entry_is_refused_with_its_place_and_what_should_be_there() {
        const TREATMENT: &str = "after the prefix comes `allow`, `deny` or `limit x10`";
        const FACTOR: &str = "after `limit` comes a factor from one to 100, as in `x10`";
        const NEITHER: &str = "this is neither an address nor a prefix";
        for (list, column, problem) in [
            ("10.0.0.0/8", 11, TREATMENT),
            ("10.0.0.0/8 alow", 12, TREATMENT),
            ("10.0.0.0/8 ALLOW", 12, TREATMENT),
            ("10.0.0.0/8 allow deny", 12, TREATMENT),
            ("10.0.0.0/8 x10", 12, TREATMENT),
            ("10.0.0.0/8 limit", 17, FACTOR),
            ("10.0.0.0/8 limit 10", 18, FACTOR),
            ("10.0.0.0/8 limit x0", 18, FACTOR),
            ("10.0.0.0/8 limit x", 18, FACTOR),
            ("10.0.0.0/8 limit x+1", 18, FACTOR),
            ("10.0.0.0/8 limit x1.5", 18, FACTOR),
            ("10.0.0.0/8 limit x101", 18, FACTOR),
            ("10.0.0.0/8 limit x4294967296", 18, FACTOR),
            ("deny 10.0.0.0/8", 1, NEITHER),
            ("::/0 deny; 10.0.0.0/8 allow", 6, TREATMENT),
            (
                "::/0 deny, 10.0.0.1/8 allow",
                12,
                "bits are set beyond the prefix, which would be 10.0.0.0/8",
            ),
            (
                "10.0.0.0/8 deny, ::/0 deny, ::ffff:10.0.0.0/104 allow",
                29,
                "10.0.0.0/8 is listed already",
            ),
        ] {
            let error = list.parse::<NetworkPolicies>().unwrap_err();
            let expected = format!("is misread at column {column}: {problem}");
            assert_eq!(error.to_string(), expected, "{list}");
        }
    }
}
