//! The end of a message: how many of the bytes that were read belong to the request that the HTTP library reads.
//!
//! Invariants: bytes after the end of a message are never taken. If the library ends a message later, because it is
//! malformed, the connection waits for bytes that never come, and is closed by a time limit.
//! Cost: a head is searched for the ends of its lines, and once more for its `Content-Length` if bytes follow it. Of a
//! body, only the framing of its chunks is looked at.

/// Maximum bytes of a head, its empty line included. A head whose query holds the longest title has to fit. The HTTP
/// library panics on a header name of 64 KiB.
pub(crate) const MAX_HEAD: usize = 60 * 1024;

/// Bytes of the extensions, leading zeros and trailers of its chunks that any body may have.
const MAX_FRAMING: u64 = 256 * 1024;

/// Bytes of framing that each byte of a body may have in addition. A chunk of one byte has five.
const FRAMING_PER_BYTE: u64 = 8;

/// Maximum number of chunks that are taken at once. The library keeps an entry of 32 bytes for each, however small.
const MAX_CHUNKS: usize = 128;

/// The length of a request's body, as the library understood its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    /// The request has this many bytes of content.
    Known(u64),
    Chunked,
}

/// The position in the current message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Message {
    Head(Head),
    /// The head has ended. This many bytes of the body were taken together with it.
    Headed {
        body: u64,
    },
    /// The rest of a body of known length.
    Rest(u64),
    Chunked(Chunks),
    Ended,
}

/// The unfinished head of a message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head {
    length: usize,
    /// True once a line was read. Empty lines may precede a head (RFC 9112, section 2.2).
    has_line: bool,
    /// True if the current line is not empty so far.
    has_text: bool,
}

/// The position in a chunked body (RFC 9112, section 7.1), and the bytes taken of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chunks {
    /// The bytes left of the current chunk, with the end of its line.
    left: u64,
    /// The size in the line that is being read, and true once that size has ended.
    size: (u64, bool),
    /// True after the last chunk: trailers follow, and then an empty line.
    is_last: bool,
    /// True if nothing was read of the current line.
    is_line_start: bool,
    has_ended: bool,
    framing: u64,
    content: u64,
}

impl Default for Message {
    fn default() -> Self {
        Self::Head(Head::default())
    }
}

/// Makes a `POST` at the start of a head a `post`, which is another method to the library. It refuses a `POST` over
/// HTTP/1.0 without a length, although that has no body (RFC 9112, section 6.3). One whose name is in two reads stays.
pub(super) fn lower_post(bytes: &mut [u8]) {
    // A head may begin with an empty line (section 2.2).
    let start = bytes.len() - bytes.trim_ascii_start().len();
    if bytes[start..].starts_with(b"POST ") {
        bytes[start..start + 4].make_ascii_lowercase();
    }
}

impl Message {
    /// Returns whether nothing of the message was taken yet.
    pub(super) fn is_new(&self) -> bool {
        matches!(self, Self::Head(head) if head.length == 0)
    }

    /// Returns how many of these bytes belong to the message, or are taken of it at once. Notes that they were taken.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        match self {
            Self::Head(head) => match head.end(bytes) {
                None => bytes.len(),
                Some(end) => self.end_head(bytes, end),
            },
            Self::Rest(left) => {
                let taken = bytes
                    .len()
                    .min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= taken as u64;
                if *left == 0 {
                    *self = Self::Ended;
                }
                taken
            }
            Self::Chunked(chunks) => {
                let taken = chunks.take(bytes);
                if chunks.has_ended {
                    *self = Self::Ended;
                }
                taken
            }
            Self::Headed { .. } | Self::Ended => 0,
        }
    }

    /// Notes that the head ends at this position of these bytes. Returns how many of them are taken.
    pub(super) fn end_head(&mut self, bytes: &[u8], end: usize) -> usize {
        let (head, rest) = bytes.split_at(end);
        let body = match rest {
            [] => 0,
            rest => content_length(head).unwrap_or(0).min(rest.len()),
        };
        *self = Self::Headed { body: body as u64 };
        end + body
    }

    /// Notes that the library has decoded the head.
    pub(super) fn start_body(&mut self, length: BodyLength) {
        let Self::Headed { body } = *self else {
            return;
        };
        *self = match length {
            BodyLength::Known(length) if length > body => Self::Rest(length - body),
            BodyLength::Known(_) => Self::Ended,
            BodyLength::Chunked => Self::Chunked(Chunks::default()),
        };
    }

    /// Returns whether the library gets nothing more of the message, at least until it has decoded the head.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Headed { .. } | Self::Ended)
    }

    /// Returns whether a body consists mostly of the framing of its chunks.
    pub(super) fn is_mostly_framing(&self) -> bool {
        matches!(self, Self::Chunked(chunks)
            if chunks.framing > MAX_FRAMING.saturating_add(FRAMING_PER_BYTE.saturating_mul(chunks.content)))
    }
}

impl Head {
    /// Returns the number of bytes that the head may still have.
    pub(super) fn remaining(&self) -> usize {
        MAX_HEAD.saturating_sub(self.length)
    }

    /// Returns the position after the empty line that ends the head. Returns `None` if that line is not in these bytes.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        self.length += bytes.len();
        let is_text = |line: &[u8]| line.iter().any(|byte| *byte != b'\r');
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            self.has_text |= is_text(&bytes[start..end]);
            if self.has_line && !self.has_text {
                return Some(end + 1);
            }
            self.has_line |= self.has_text;
            self.has_text = false;
            start = end + 1;
        }
        self.has_text |= is_text(&bytes[start..]);
        None
    }
}

impl Chunks {
    /// As [`Message::take`], but at most [`MAX_CHUNKS`] at once. It accepts more than the library, which ends the
    /// connection at an error.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let (mut position, mut chunks) = (0, 0);
        while position < bytes.len() && !self.has_ended && chunks < MAX_CHUNKS {
            if self.left > 0 {
                let rest = bytes.len() - position;
                let length = rest.min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left -= length as u64;
                self.content += length as u64;
                position += length;
            } else {
                self.read_framing(bytes[position]);
                chunks += usize::from(self.left > 0);
                self.framing += 1;
                position += 1;
            }
        }
        position
    }

    fn read_framing(&mut self, byte: u8) {
        let digit = char::from(byte).to_digit(16);
        match (byte, digit, self.size) {
            (b'\r', ..) => return,
            (b'\n', ..) if self.is_last => self.has_ended = self.is_line_start,
            (b'\n', _, (size, _)) => {
                self.is_last = size == 0;
                self.left = if size > 0 { size.saturating_add(2) } else { 0 };
                self.size = (0, false);
            }
            (_, Some(digit), (size, false)) => {
                let size = size.saturating_mul(16).saturating_add(digit.into());
                self.size = (size, false);
            }
            (_, _, (size, _)) => self.size = (size, true),
        }
        self.is_line_start = byte == b'\n';
    }
}

/// Returns the length of the body that a whole head declares. Returns `None` for a chunked body.
fn content_length(head: &[u8]) -> Option<usize> {
    let mut length = None;
    for line in head.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next()?;
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(parts.next()?.trim_ascii()).ok()?;
            length = value.parse().ok();
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            return None;
        }
    }
    length
}

#[cfg(test)]
mod tests;
