//! The backlog of a request's head: the bytes read that may belong to an unfinished head.
//!
//! The HTTP library panics on a header name of 64 KiB. So the stream reads at most [`MAX_HEAD`] bytes of a head before
//! the library has found its end.
//! Invariants: the library never holds more than [`MAX_HEAD`] bytes and a few KiB of an unfinished head. The backlog is
//! an upper bound: an unfinished head contains no empty line, and starts after every body that was read.
//! Cost: the bytes read are searched from their end back to the last empty line, one or two instructions per byte.

/// Maximum bytes of a head, its empty line included. A head whose query holds the longest title has to fit.
pub(crate) const MAX_HEAD: usize = 60 * 1024;

/// Bytes that are searched for an empty line at once. Only in a block that has one, each line end is looked at.
const BLOCK: usize = 128;

/// Counts the bytes that may belong to an unfinished head. All positions are offsets in the bytes of the connection.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HeadBacklog {
    /// The number of all bytes read on the connection.
    read: u64,
    /// The first position at which an unfinished head may start.
    start: u64,
    /// The value of `start` when the current request's head started.
    request_start: u64,
    /// The last two bytes read.
    last_two: [u8; 2],
}

impl HeadBacklog {
    /// Counts bytes that were read.
    pub(crate) fn record(&mut self, bytes: &[u8]) {
        if let Some(length) = after_empty_line(self.last_two, bytes) {
            self.start = self.read + length as u64;
        }
        self.read += bytes.len() as u64;
        self.last_two = match *bytes {
            [.., first, second] => [first, second],
            [only] => [self.last_two[1], only],
            [] => self.last_two,
        };
    }

    /// Starts the head of the next request. A part of it may have been read already.
    pub(crate) fn start_request(&mut self) {
        self.request_start = self.start;
    }

    /// Notes that the body of the current request continues. All bytes read belong to it, except perhaps the last
    /// `unknown` ones.
    pub(crate) fn continue_body(&mut self, unknown: usize) {
        self.start = self.start.max(self.read.saturating_sub(unknown as u64));
    }

    /// Notes that the body of the current request has ended after `length` bytes.
    pub(crate) fn end_body(&mut self, length: u64) {
        self.start = self.start.max(self.request_start.saturating_add(length));
    }

    /// Returns the number of all bytes read on the connection.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// Returns the number of bytes that may be read before the library has found the end of the head.
    pub(crate) fn remaining(&self) -> usize {
        let length = self.read.saturating_sub(self.start);
        let remaining = (MAX_HEAD as u64).saturating_sub(length);
        usize::try_from(remaining).expect("it is at most MAX_HEAD, a usize")
    }
}

/// Returns the position after the last empty line that ends in `bytes`. Returns `None` if there is none. `last_two` are
/// the two bytes before `bytes`.
fn after_empty_line(last_two: [u8; 2], bytes: &[u8]) -> Option<usize> {
    let is_empty = |end: &usize| {
        let before = match *end {
            0 => last_two,
            1 => [last_two[1], bytes[0]],
            end => [bytes[end - 2], bytes[end - 1]],
        };
        matches!(before, [_, b'\n'] | [b'\n', b'\r'])
    };
    let mut rest = bytes.len();
    while let Some(last) = rest.checked_sub(1) {
        let start = last / BLOCK * BLOCK;
        if start == 0 || has_empty_line(&bytes[start - 2..rest]) {
            let line_ends = memchr::memrchr_iter(b'\n', &bytes[start..rest]);
            if let Some(end) = line_ends.map(|end| start + end).find(is_empty) {
                return Some(end + 1);
            }
        }
        rest = start;
    }
    None
}

/// Returns whether an empty line ends in `bytes`, after its first two. The compiler makes vector instructions of this.
fn has_empty_line(bytes: &[u8]) -> bool {
    bytes.windows(3).fold(false, |has, window| {
        let is_end = (window[1] == b'\n') | ((window[1] == b'\r') & (window[0] == b'\n'));
        has | (is_end & (window[2] == b'\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the backlog after `bytes` were read in pieces of this size.
    fn length(bytes: &str, piece: usize) -> usize {
        let mut backlog = HeadBacklog::default();
        for piece in bytes.as_bytes().chunks(piece) {
            backlog.record(piece);
        }
        MAX_HEAD - backlog.remaining()
    }

    #[test]
    fn bytes_after_the_last_empty_line_count_however_they_arrive() {
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
                assert_eq!(length(bytes, piece), expected, "{bytes:?} {piece}");
            }
        }
    }

    #[test]
    fn an_empty_line_is_found_wherever_it_is_in_a_long_read() {
        let lines = "a\n".repeat(3 * BLOCK / 2);
        for at in (2..=lines.len()).step_by(2) {
            for empty in ["\n", "\r\n"] {
                let bytes = [&lines[..at], empty, &lines[at..]].concat();
                for piece in [bytes.len(), BLOCK + 1, BLOCK - 1] {
                    assert_eq!(length(&bytes, piece), lines.len() - at, "{at} {piece}");
                }
            }
        }
        assert_eq!(length(&lines, lines.len()), lines.len());
    }

    #[test]
    fn bytes_known_to_belong_to_a_body_do_not_count() {
        let mut backlog = HeadBacklog::default();
        backlog.start_request();
        backlog.record(b"POST\r\n\r\n");
        backlog.record(&[b'x'; 1000]);
        assert_eq!(backlog.remaining(), MAX_HEAD - 1000);
        backlog.end_body(900);
        // The length of the head is unknown, so the 900 bytes of the body are counted from the start of the head. The
        // last 8 bytes of the body remain, and the 100 bytes after it.
        assert_eq!(backlog.remaining(), MAX_HEAD - 108);
        backlog.continue_body(50);
        assert_eq!(backlog.remaining(), MAX_HEAD - 50);
        backlog.record(&vec![b'x'; MAX_HEAD]);
        assert_eq!(backlog.remaining(), 0);
    }
}
