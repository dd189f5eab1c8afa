//! Lists of networks. Commas and line breaks separate the entries. An error contains the position of the malformed
//! entry.
//!
//! Invariants: A `#` starts a comment, which ends at the end of the line. Empty entries are skipped, so a list may end
//! with a comma. Positions count characters from one.

use ipnet::IpNet;
use prefix_trie::joint::JointPrefixMap;
use thiserror::Error;

use super::CanonicalIp;
use super::prefix::{PrefixError, parse_prefix};
use crate::hidden::Hidden;
use crate::limit::policy::Multiplier;

/// A value for each of many networks. Debug output omits them, because there may be a hundred thousand.
///
/// Invariants: A network has one value. An address of one family never matches a network of the other.
/// Cost: The map is a tree of bitmaps (Eatherton, Dittia, Varghese, "Tree bitmap", 2004) with five bits per step. The
/// time of a look-up depends on the length of the prefixes and not on their number: a fraction of a microsecond with
/// 100,000 networks. The trees are boxed, because even an empty tree takes some 400 bytes.
///
/// Why this library: `ip_network_table` is as fast and small, but not maintained. `iptrie` is twice as fast, but reads
/// memory beyond its references, and panics if it guesses the size of a buffer wrong.
pub(super) type PrefixMap<T> = Hidden<Box<JointPrefixMap<IpNet, T>>>;

/// Returns the value of the smallest network that contains this address, or `None` if no network contains it.
pub(super) fn find<T>(networks: &PrefixMap<T>, address: CanonicalIp) -> Option<&T> {
    networks
        .get_lpm(&address.ip().into())
        .map(|(_, value)| value)
}

/// An error in a list. Its message continues a sentence that starts with the name of the list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("is invalid at {}character {column}: {kind}", line.map_or(String::new(), |it| format!("line {it}, ")))]
pub struct ListParseError {
    /// The number of the line. It is `None` if the list has only one line.
    pub line: Option<usize>,
    /// The column of the first character of the malformed part.
    pub column: usize,
    /// The kind of error at that position.
    pub kind: ListErrorKind,
}

/// The kind of error in an entry of a list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ListErrorKind {
    /// The entry does not start with a prefix.
    #[error(transparent)]
    Prefix(PrefixError),
    /// The prefix is not followed by a known policy.
    #[error("expected `allow`, `deny` or `limit x10` after the network")]
    UnknownPolicy,
    /// `limit` is not followed by a multiplier.
    #[error(
        "expected a factor from `{}` to `{}` after `limit`",
        Multiplier::ONE,
        Multiplier::MAX
    )]
    InvalidMultiplier,
    /// The network has all addresses, of which none should be trusted.
    #[error("any client could forge its address, use the address of your proxy")]
    AllAddresses,
    /// The network is listed already.
    #[error("{0} is listed twice")]
    Duplicate(IpNet),
}

/// A part of the list, without white space around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListEntry<'a> {
    pub(super) text: &'a str,
    whole: &'a str,
}

/// Parses a list of networks, each with a value.
///
/// # Errors
/// Returns the first error of `parse_entry`, or an error if a network is listed twice.
pub(super) fn parse_list<T: Eq>(
    list: &str,
    parse_entry: impl Fn(ListEntry<'_>) -> Result<(IpNet, T), ListParseError>,
) -> Result<PrefixMap<T>, ListParseError> {
    let mut networks = Box::<JointPrefixMap<IpNet, T>>::default();
    for entry in entries(list) {
        let (prefix, value) = parse_entry(entry)?;
        if networks.insert(prefix, value).is_some() {
            return Err(entry.error(ListErrorKind::Duplicate(prefix)));
        }
    }
    Ok(Hidden(networks))
}

fn entries(list: &str) -> impl Iterator<Item = ListEntry<'_>> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(move |text| ListEntry {
            text: text.trim(),
            whole: list,
        })
        .filter(|entry| !entry.text.is_empty())
}

impl<'a> ListEntry<'a> {
    /// Splits the entry into its first word and the rest. The rest may be empty.
    pub(super) fn split_word(self) -> (Self, Self) {
        let end = self
            .text
            .find(char::is_whitespace)
            .unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        (self.part(word), self.part(rest.trim_start()))
    }

    /// Parses the entry as a prefix.
    pub(super) fn prefix(self) -> Result<IpNet, ListParseError> {
        parse_prefix(self.text).map_err(|error| self.error(ListErrorKind::Prefix(error)))
    }

    /// Creates an error at the start of this entry.
    pub(super) fn error(self, kind: ListErrorKind) -> ListParseError {
        // Both slices belong to the same text, so the difference of their addresses is a position in it.
        let at = self.text.as_ptr().addr() - self.whole.as_ptr().addr();
        let before = &self.whole[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        ListParseError {
            line: self.whole.contains('\n').then_some(line),
            column: before[line_start..].chars().count() + 1,
            kind,
        }
    }

    fn part(self, text: &'a str) -> Self {
        Self { text, ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    fn column(entry: ListEntry<'_>) -> usize {
        entry.error(ListErrorKind::UnknownPolicy).column
    }

    #[test]
    fn commas_and_line_breaks_separate_entries_and_comments_are_skipped() {
        let list = "a b, c,\r\n# d, e\n\n\tf # g, h\n,,i ,";
        let texts: Vec<&str> = entries(list).map(|entry| entry.text).collect();
        assert_eq!(texts, ["a b", "c", "f", "i"]);
        assert_eq!(entries(" , #").count(), 0);
    }

    #[test]
    fn an_error_has_the_position_of_its_entry() {
        for (list, nth, place) in [
            ("a", 0, "is invalid at character 1"),
            ("a,  b", 1, "is invalid at character 5"),
            ("é, b", 1, "is invalid at character 4"),
            ("a\n", 0, "is invalid at line 1, character 1"),
            ("a\r\n# é\n b, c", 2, "is invalid at line 3, character 5"),
        ] {
            let entry = entries(list).nth(nth).unwrap();
            let error = entry.error(ListErrorKind::UnknownPolicy).to_string();
            let expected = format!("{place}: {}", ListErrorKind::UnknownPolicy);
            assert_eq!(error, expected, "{list:?}");
        }
    }

    #[test]
    fn a_word_and_the_rest_of_its_entry_have_positions_of_their_own() {
        let entry = entries("x, word  and rest").nth(1).unwrap();
        let (word, rest) = entry.split_word();
        assert_eq!((word.text, column(word)), ("word", 4));
        assert_eq!((rest.text, column(rest)), ("and rest", 10));
        let (_, nothing) = word.split_word();
        assert_eq!((nothing.text, column(nothing)), ("", 8));
    }

    /// The reference implementation. It searches every network.
    #[derive(Default)]
    struct List(Vec<(IpNet, u16)>);

    impl List {
        fn insert(&mut self, network: IpNet, value: u16) -> Option<u16> {
            let old = self.0.iter().position(|(known, _)| *known == network);
            let old = old.map(|at| self.0.remove(at).1);
            self.0.push((network, value));
            old
        }

        fn find(&self, address: CanonicalIp) -> Option<&u16> {
            let matching = self.0.iter().filter(|(it, _)| it.contains(&address.ip()));
            let longest = matching.max_by_key(|(it, _)| it.prefix_len());
            longest.map(|(_, value)| value)
        }
    }

    /// Generates bits with long runs of equal bits, so that networks contain each other.
    fn bits() -> impl Strategy<Value = u128> {
        let run = prop_oneof![Just(0_u8), Just(0xff), Just(0x80), any::<u8>()];
        proptest::array::uniform16(run).prop_map(u128::from_be_bytes)
    }

    fn network() -> impl Strategy<Value = IpNet> {
        let v4 = (bits(), 0..=32_u8).prop_map(|(bits, length)| (v4(bits), length));
        let v6 = (bits(), 0..=128_u8).prop_map(|(bits, length)| (v6(bits), length));
        prop_oneof![v4, v6].prop_map(|(ip, length)| IpNet::new(ip, length).unwrap().trunc())
    }

    fn v4(bits: u128) -> IpAddr {
        IpAddr::V4(u32::try_from(bits >> 96).unwrap().into())
    }

    fn v6(bits: u128) -> IpAddr {
        IpAddr::V6(bits.into())
    }

    proptest! {
        #[test]
        fn the_longest_prefix_is_the_one_that_a_search_of_all_finds(
            networks in proptest::collection::vec((network(), any::<u16>()), 0..30),
            asked in proptest::collection::vec(bits(), 10),
        ) {
            let (mut map, mut list) = (PrefixMap::default(), List::default());
            for (network, value) in &networks {
                prop_assert_eq!(map.0.insert(*network, *value), list.insert(*network, *value));
            }
            prop_assert_eq!(map.len(), list.0.len());
            // The test looks up random addresses, and the first and last address of every network.
            let ends = networks.iter().flat_map(|(it, _)| [it.network(), it.broadcast()]);
            let random = asked.iter().flat_map(|bits| [v4(*bits), v6(*bits)]);
            for address in ends.chain(random).map(CanonicalIp::from) {
                prop_assert_eq!(find(&map, address), list.find(address), "{:?}", address);
            }
        }
    }
}
