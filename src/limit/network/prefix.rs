//! Parses prefixes. A prefix is a network as an operator writes it, such as `203.0.113.0/24` or a single address.
//!
//! Invariants: No bit is set beyond the length. An IPv4 prefix is never stored as IPv6, and neither are the addresses
//! that it is compared with ([`super::CanonicalIp`]).
//! Why bits beyond the length are refused: In `10.1.2.3/8`, either the address or the length may be a typing error. If
//! such a text meant `10.0.0.0/8`, it could exempt or block sixteen million addresses by mistake.

use std::net::IpAddr;

use ipnet::IpNet;
use thiserror::Error;

use super::canonical_ip::nat64;

/// The reason why a text is not a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PrefixError {
    /// The address or the number after the slash is malformed.
    #[error("expected an IP address or a network")]
    Malformed,
    /// The length exceeds the maximum of its address family. The field is this maximum.
    #[error("the prefix length is at most {0}")]
    TooLong(u8),
    /// Bits are set beyond the length. The field is the prefix without them.
    #[error("the address has bits after the prefix, use {0}")]
    HostBits(IpNet),
    /// The addresses belong to a NAT64, whose clients are identified by their IPv4 addresses. The field is the IPv4
    /// prefix.
    #[error("clients behind NAT64 count by their IPv4 addresses, use {0}")]
    Nat64(IpNet),
}

/// Parses `ADDRESS` or `ADDRESS/LENGTH`. An IPv4 address that is mapped into IPv6 becomes IPv4.
pub(super) fn parse_prefix(text: &str) -> Result<IpNet, PrefixError> {
    let (ip, length) = match text.split_once('/') {
        None => (text, None),
        Some((ip, length)) => (ip, Some(length)),
    };
    let ip: IpAddr = ip.parse().map_err(|_| PrefixError::Malformed)?;
    let longest = if ip.is_ipv4() { 32 } else { 128 };
    let length = match length {
        None => longest,
        Some(length) => number(length).ok_or(PrefixError::Malformed)?,
    };
    if length > longest {
        return Err(PrefixError::TooLong(longest));
    }
    // A prefix shorter than 96 bits is IPv6, even if its address is a mapped IPv4 address.
    let as_v4 = length.checked_sub(96).filter(|_| longest == 128);
    match (ip, as_v4) {
        (IpAddr::V6(ip), Some(short)) => match (ip.to_ipv4_mapped(), nat64(ip)) {
            (Some(ip), _) => network(ip.into(), short),
            (None, Some(ip)) => Err(PrefixError::Nat64(network(ip.into(), short)?)),
            (None, None) => network(ip.into(), length),
        },
        (ip, _) => network(ip, length),
    }
}

fn network(ip: IpAddr, length: u8) -> Result<IpNet, PrefixError> {
    let written = IpNet::new(ip, length).map_err(|_| PrefixError::Malformed)?;
    match written.trunc() {
        masked if masked == written => Ok(masked),
        masked => Err(PrefixError::HostBits(masked)),
    }
}

/// Parses a number that consists of digits only. Returns `None` if there is any other character. The method `parse`
/// would accept a sign too.
fn number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_an_address_and_a_length_and_a_bare_address_has_all_bits() {
        for (written, read) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("192.0.2.1", "192.0.2.1/32"),
            ("192.0.2.1/32", "192.0.2.1/32"),
            ("192.0.2.0/024", "192.0.2.0/24"),
            ("::/0", "::/0"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("2001:DB8::1", "2001:db8::1/128"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:192.0.2.1", "192.0.2.1/32"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("64:ff9b::/32", "64:ff9b::/32"),
        ] {
            assert_eq!(
                parse_prefix(written).unwrap().to_string(),
                read,
                "{written}"
            );
        }
    }

    #[test]
    fn a_malformed_prefix_is_refused_with_the_one_that_may_be_meant() {
        let prefix = |text: &str| parse_prefix(text).unwrap();
        for (written, error) in [
            ("", PrefixError::Malformed),
            ("10", PrefixError::Malformed),
            ("10.0.0/8", PrefixError::Malformed),
            ("010.0.0.0/8", PrefixError::Malformed),
            ("10.0.0.0/", PrefixError::Malformed),
            ("10.0.0.0/+8", PrefixError::Malformed),
            ("10.0.0.0/8/8", PrefixError::Malformed),
            ("10.0.0.0/255.0.0.0", PrefixError::Malformed),
            ("localhost", PrefixError::Malformed),
            ("fe80::1%eth0", PrefixError::Malformed),
            ("10.0.0.0/33", PrefixError::TooLong(32)),
            ("10.0.0.0/999", PrefixError::TooLong(32)),
            ("::/129", PrefixError::TooLong(128)),
            ("::ffff:1.2.3.4/129", PrefixError::TooLong(128)),
            ("10.1.2.3/8", PrefixError::HostBits(prefix("10.0.0.0/8"))),
            ("10.1.2.3/0", PrefixError::HostBits(prefix("0.0.0.0/0"))),
            (
                "2001:db8::1/64",
                PrefixError::HostBits(prefix("2001:db8::/64")),
            ),
            (
                "::ffff:10.1.2.3/104",
                PrefixError::HostBits(prefix("10.0.0.0/8")),
            ),
            ("64:ff9b::/96", PrefixError::Nat64(prefix("0.0.0.0/0"))),
            (
                "64:ff9b::192.0.2.1",
                PrefixError::Nat64(prefix("192.0.2.1")),
            ),
        ] {
            assert_eq!(parse_prefix(written), Err(error), "{written}");
        }
    }
}
