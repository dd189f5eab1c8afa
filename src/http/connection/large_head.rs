//! Heads of requests that are too large: how much of one is looked at, where one may have begun, and what is answered.
//!
//! What it must not know: sockets, what a head holds.
//! Invariants: of a head that is not whole the library never holds more than [`MAX_HEAD`] bytes and a few KiB, so no name
//! in it is as long as those at which the library panics, 64 KiB. What is counted is at least what there is: a head that
//! is not whole has no empty line in it, and begins behind every body that was read.
//! Cost: a look for line ends through what is read, from its end to the last empty line.

use std::net::IpAddr;

/// Bytes of a head, its empty line included. The longest titles, written as a query, have to fit.
pub(crate) const MAX_HEAD: usize = 60 * 1024;

/// What the server does about a larger one.
pub(crate) struct HeadRejection {
    /// The whole answer, as it goes over the wire. The connection is closed after it.
    pub(crate) answer: Vec<u8>,
    /// Charges the client at this address.
    pub(crate) charge: Box<dyn Fn(Option<IpAddr>) + Send + Sync>,
}

/// What the library may hold of a head that is not whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Backlog {
    /// Bytes read in all.
    read: u64,
    /// No head that is not whole begins before this one of them.
    start: u64,
    /// As it was before the request that is being answered, or an earlier one.
    begun: u64,
    /// The last two bytes.
    last: [u8; 2],
}

impl Backlog {
    /// These bytes were read.
    pub(crate) fn has_read(&mut self, bytes: &[u8]) {
        if let Some(length) = behind_empty_line(self.last, bytes) {
            self.start = self.read + length as u64;
        }
        self.read += bytes.len() as u64;
        self.last = match *bytes {
            [.., first, second] => [first, second],
            [only] => [self.last[1], only],
            [] => self.last,
        };
    }

    /// The next request's head begins, with whatever of it was read before.
    pub(crate) fn begin(&mut self) {
        self.begun = self.start;
    }

    /// The body of the request that is being answered goes on, and all that was read belongs to it but these bytes, of
    /// which nobody knows.
    pub(crate) fn in_body(&mut self, unknown: usize) {
        self.start = self.start.max(self.read.saturating_sub(unknown as u64));
    }

    /// The body of the request that is being answered has ended, and had so many bytes.
    pub(crate) fn behind_body(&mut self, length: u64) {
        self.start = self.start.max(self.begun.saturating_add(length));
    }

    /// Bytes that may be read without a look at what there is.
    pub(crate) fn room(&self) -> usize {
        let held = self.read.saturating_sub(self.start);
        MAX_HEAD.saturating_sub(usize::try_from(held).unwrap_or(usize::MAX))
    }
}

/// Where the last empty line of these bytes ends, if there is one; `last` are the two before them.
fn behind_empty_line(last: [u8; 2], bytes: &[u8]) -> Option<usize> {
    let is_empty = |end: &usize| {
        let before = match *end {
            0 => last,
            1 => [last[1], bytes[0]],
            end => [bytes[end - 2], bytes[end - 1]],
        };
        matches!(before, [_, b'\n'] | [b'\n', b'\r'])
    };
    let end = memchr::memrchr_iter(b'\n', bytes).find(is_empty);
    end.map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is counted after this was read in pieces of this size.
    fn held(bytes: &str, piece: usize) -> usize {
        let mut backlog = Backlog::default();
        for piece in bytes.as_bytes().chunks(piece) {
            backlog.has_read(piece);
        }
        MAX_HEAD - backlog.room()
    }

    #[test]
    fn what_stands_behind_the_last_empty_line_counts_however_it_comes() {
        for (bytes, expected) in [
            ("", 0),
            ("GET", 3),
            ("GET / HTTP/1.1\r\nHost: h\r\n", 25),
            ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 0),
            ("a\n\nb", 1),
            ("a\r\n\r\nb\r\n", 3),
            ("a\n\r\n\r\nbc", 2),
            ("a\n\nb\n\ncde", 3),
            ("a\r\rb\n\rc", 7),
        ] {
            for piece in 1..=5 {
                assert_eq!(held(bytes, piece), expected, "{bytes:?} {piece}");
            }
        }
    }

    #[test]
    fn what_is_known_to_be_of_a_body_does_not_count() {
        let mut backlog = Backlog::default();
        backlog.begin();
        backlog.has_read(b"POST\r\n\r\n");
        backlog.has_read(&[b'x'; 1000]);
        assert_eq!(backlog.room(), MAX_HEAD - 1000);
        backlog.behind_body(900);
        // As nobody knows how long the head was, it counts.
        assert_eq!(backlog.room(), MAX_HEAD - 108);
        backlog.in_body(50);
        assert_eq!(backlog.room(), MAX_HEAD - 50);
        backlog.has_read(&vec![b'x'; MAX_HEAD]);
        assert_eq!(backlog.room(), 0);
    }
}
