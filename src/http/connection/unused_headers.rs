//! The headers of a request on which no answer depends. The library would copy, hash and keep each of them, and a
//! browser sends ten with every request.

/// The library accepts no more headers.
const MAX_HEADERS: usize = 96;

/// Looks for the end of a head that starts these bytes. If it is there, the unused headers are overwritten with blanks,
/// and its position is returned. The blanks lengthen the value before them, and the library trims that. A head that it
/// may refuse for one of these headers, or for the number of all, stays as it is.
pub(crate) fn blank_unused(bytes: &mut [u8]) -> Option<usize> {
    let mut unused = [(0, 0); 16];
    let (mut found, mut lines, mut start, mut is_1_1) = (0, 0, 0, false);
    let end = memchr::memchr_iter(b'\n', bytes).find(|end| {
        let line = &bytes[start..*end];
        // The first header follows the line of the request, of which nothing is trimmed.
        match lines {
            0 => is_1_1 = line.last_chunk() == Some(b" HTTP/1.1\r"),
            2.. if found < unused.len()
                && is_unused(line, is_1_1)
                && bytes[start - 2] == b'\r'
                && line.last() == Some(&b'\r') =>
            {
                unused[found] = (start - 2, end - 1);
                found += 1;
            }
            _ => {}
        }
        (lines, start) = (lines + 1, end + 1);
        matches!(line, [] | [b'\r'])
    })?;
    if let [(first, _), .., (_, last)] | [(first, last)] = unused[..found]
        && lines <= MAX_HEADERS
        && is_text(&bytes[first..=last + 1])
    {
        for (start, end) in &unused[..found] {
            bytes[*start..*end].fill(b' ');
        }
    }
    // Empty lines may precede a head. This is one of them.
    (lines > 1).then_some(end + 1)
}

/// Returns whether a line is a header that is not used, in the spelling of browsers or in that of HTTP/2. `Accept: */*`
/// is what is assumed without it, and so is `Connection: keep-alive` since HTTP/1.1. The `User-Agent` is that of a
/// program that shows no cards.
fn is_unused(line: &[u8], is_1_1: bool) -> bool {
    /// The length is known when this is compiled, so the comparison is one of words.
    fn is<const N: usize>(line: &[u8], start: &[u8; N]) -> bool {
        line.first_chunk() == Some(start)
    }
    match line.first() {
        Some(b'A') => is(line, b"Accept: */*\r") || is(line, b"Accept-Language: "),
        Some(b'a') => is(line, b"accept: */*\r") || is(line, b"accept-language: "),
        Some(b'C') if is_1_1 && is(line, b"Connection: keep-alive\r") => true,
        Some(b'c') if is_1_1 && is(line, b"connection: keep-alive\r") => true,
        Some(b'C') => is(line, b"Cache-Control: "),
        Some(b'c') => is(line, b"cache-control: "),
        Some(b'D') => is(line, b"DNT: "),
        Some(b'd') => is(line, b"dnt: "),
        Some(b'P') => is(line, b"Pragma: ") || is(line, b"Priority: "),
        Some(b'p') => is(line, b"pragma: ") || is(line, b"priority: "),
        Some(b'S') if is(line, b"Sec-Fetch-") => {
            is(line, b"Sec-Fetch-Dest: ") || is(line, b"Sec-Fetch-User: ")
        }
        Some(b's') if is(line, b"sec-fetch-") => {
            is(line, b"sec-fetch-dest: ") || is(line, b"sec-fetch-user: ")
        }
        Some(b'S') => is(line, b"Sec-GPC: "),
        Some(b's') if is(line, b"sec-ch-ua") => {
            is(line, b"sec-ch-ua: ")
                || is(line, b"sec-ch-ua-mobile: ")
                || is(line, b"sec-ch-ua-platform: ")
        }
        Some(b's') => is(line, b"sec-gpc: "),
        Some(b'U') => is(line, b"User-Agent: curl/") || is(line, b"Upgrade-Insecure-Requests: "),
        Some(b'u') => is(line, b"user-agent: curl/") || is(line, b"upgrade-insecure-requests: "),
        _ => false,
    }
}

/// Returns whether the bytes are lines of text, without other control characters.
fn is_text(bytes: &[u8]) -> bool {
    let is_text = |byte: u8, next: u8| {
        let is_end = (byte == b'\n') | (byte == b'\r') & (next == b'\n');
        (byte >= b' ') & (byte != 0x7f) | (byte == b'\t') | is_end
    };
    let pairs = bytes.iter().zip(&bytes[1..]);
    pairs.fold(true, |all, (byte, next)| all & is_text(*byte, *next))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head without its unused headers, as the library reads it: without blanks at the ends of its lines.
    fn used(head: &str) -> String {
        let mut bytes = head.as_bytes().to_vec();
        assert_eq!(blank_unused(&mut bytes), Some(head.len()));
        let lines = std::str::from_utf8(&bytes).unwrap().split("\r\n");
        lines.map(str::trim_end).collect::<Vec<_>>().join("\r\n")
    }

    #[test]
    fn headers_that_no_answer_depends_on_are_left_out() {
        let head = "GET /a HTTP/1.1\r\nHost: a\r\nDNT: 1\r\nsec-gpc: 1\r\nAccept: text/html\r\n\
            User-Agent: curl/8.5.0\r\nPriority: u=0, i\r\nConnection: keep-alive\r\nRange: a\r\nAccept: */*\r\n\r\n";
        assert_eq!(
            used(head),
            "GET /a HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nRange: a\r\n\r\n"
        );
    }

    #[test]
    fn every_other_line_stays_as_it_is() {
        for head in [
            "GET /a HTTP/1.1\r\nDNT: 1\r\nHost: a\r\n\r\n",
            "\r\nGET /a HTTP/1.1\r\nDNT: 1\r\nHost: a\r\nPragma: no-cache\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\nDNT: 1\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\n\r\nDNT: 1\r\nDNT: 1\r\nDNT: 1\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nDNT: 1\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nDNT : 1\r\nDNTX: 1\r\nX-DNT: 1\r\n DNT: 1\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nDNT: \u{c}\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nDNT: \u{7f}\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nPragma: a\rb\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nPragma: a\rb\r\nRange: a\n\r\n",
            "GET /a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\nAccept: */*;q=0\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: cors\r\n\r\n",
        ] {
            let mut bytes = head.as_bytes().to_vec();
            _ = blank_unused(&mut bytes);
            assert_eq!(bytes, head.as_bytes(), "{head:?}");
        }
    }

    #[test]
    fn a_head_with_too_many_headers_stays_one() {
        for (more, is_changed) in [(MAX_HEADERS - 4, true), (MAX_HEADERS, false)] {
            let more = "X: y\r\n".repeat(more);
            let head = format!("GET /a HTTP/1.1\r\nHost: a\r\nDNT: 1\r\n{more}\r\n");
            assert_eq!(used(&head) != head, is_changed);
        }
    }
}
