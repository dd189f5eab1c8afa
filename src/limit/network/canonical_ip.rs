//! Canonical addresses. An IPv4 address has the same canonical form, no matter how it reached the server.
//!
//! Invariants: A canonical address is never an IPv4 address written as IPv6. Mapped addresses (`::ffff:0:0/96`, RFC
//! 4291 section 2.5.5.2), which a socket for both families reports, become IPv4. So do translated addresses
//! (`64:ff9b::/96`, RFC 6052 section 2.1), which a NAT64 sends.
//! Why: Written as IPv6, all IPv4 addresses would belong to one /64. One client could then use up the limits of all
//! IPv4 clients.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An IP address in canonical form. Clients are distinguished by this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CanonicalIp(IpAddr);

impl CanonicalIp {
    /// Returns the IP address.
    pub fn ip(self) -> IpAddr {
        self.0
    }
}

impl From<IpAddr> for CanonicalIp {
    fn from(ip: IpAddr) -> Self {
        Self(match ip.to_canonical() {
            IpAddr::V6(ip) => nat64(ip).map_or(IpAddr::V6(ip), IpAddr::V4),
            ip @ IpAddr::V4(_) => ip,
        })
    }
}

/// Returns the IPv4 address inside an address of the well-known NAT64 prefix. Returns `None` for any other address.
pub(super) fn nat64(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    match ip.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from_bits(
            (u32::from(high) << 16) | u32::from(low),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv4_address_is_the_same_however_it_is_written() {
        for (written, meant) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("64:ff9b::192.0.2.1", "192.0.2.1"),
            ("64:ff9b::c000:201", "192.0.2.1"),
            ("64:ff9b:1::192.0.2.1", "64:ff9b:1::192.0.2.1"),
            ("64:ff9b:0:0:0:1:c000:201", "64:ff9b:0:0:0:1:c000:201"),
            ("::192.0.2.1", "::192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::1", "::1"),
        ] {
            let ip: IpAddr = written.parse().unwrap();
            assert_eq!(
                CanonicalIp::from(ip).ip(),
                meant.parse::<IpAddr>().unwrap(),
                "{written}"
            );
        }
    }
}
