//! Tests of the ends of heads and bodies, however the bytes arrive.

use super::*;

/// Takes all bytes in pieces of this size. Returns how many were taken before the message ended.
fn taken(message: &mut Message, bytes: &[u8], piece: usize) -> usize {
    let mut taken = 0;
    while !matches!(message, Message::Headed { .. } | Message::Ended) && taken < bytes.len() {
        let end = bytes.len().min(taken + piece);
        taken += message.take(&bytes[taken..end]);
    }
    taken
}

#[test]
fn a_head_ends_with_its_empty_line_however_it_arrives() {
    for (head, rest) in [
        ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET"),
        ("GET / HTTP/1.1\nHost: h\n\n", "\n"),
        ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", ""),
        ("a\n\r\n", "b\n\n"),
        ("a\r\r\nb\r\nc\n\n", "d"),
    ] {
        for piece in 1..=head.len() + rest.len() {
            let mut message = Message::default();
            let bytes = [head, rest].concat();
            assert_eq!(
                taken(&mut message, bytes.as_bytes(), piece),
                head.len(),
                "{head:?} {piece}"
            );
            assert!(matches!(message, Message::Headed { body: 0 }));
        }
    }
}

#[test]
fn a_head_may_have_60_kib() {
    let mut message = Message::default();
    message.take(&vec![b'x'; MAX_HEAD - 1]);
    assert!(matches!(message, Message::Head(head) if head.remaining() == 1));
    message.take(b"x");
    assert!(matches!(message, Message::Head(head) if head.remaining() == 0));
}

#[test]
fn a_body_that_came_with_its_head_is_taken_with_it_and_no_more() {
    let rest = b"body and more";
    for (header, body) in [
        ("Content-Length: 4", 4),
        ("content-length:\t 100 ", rest.len()),
        ("Content-Length: 4x", 0),
        ("X: 4", 0),
        ("Transfer-Encoding: chunked", 0),
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", 0),
    ] {
        let head = format!("POST / HTTP/1.1\r\n{header}\r\nX: Y: Z\r\n\r\n");
        let mut message = Message::default();
        let bytes = [head.as_bytes(), rest].concat();
        assert_eq!(message.take(&bytes), head.len() + body, "{header}");
        message.start_body(BodyLength::Known(body as u64 + 1));
        assert_eq!(message.take(b"xy"), 1);
        assert!(matches!(message, Message::Ended));
    }
}

#[test]
fn a_chunked_body_ends_after_its_trailers_however_it_arrives() {
    for body in [
        "0\r\n\r\n",
        "3\r\nabc\r\n00\r\n\r\n",
        "A ;x=1\r\n0123456789\r\n1\r\n\n\r\n0;z\r\nTrailer: a\r\nb: \r\n\r\n",
    ] {
        let bytes = format!("{body}GET");
        for piece in 1..=bytes.len() {
            let mut message = Message::Headed { body: 0 };
            message.start_body(BodyLength::Chunked);
            assert_eq!(
                taken(&mut message, bytes.as_bytes(), piece),
                body.len(),
                "{body:?} {piece}"
            );
            assert!(matches!(message, Message::Ended));
        }
    }
}

#[test]
fn a_body_of_long_extensions_and_trailers_is_mostly_framing() {
    for (start, framing) in [("1;", b'x'), ("0\r\nx", b'y')] {
        let mut message = Message::Headed { body: 0 };
        message.start_body(BodyLength::Chunked);
        message.take(start.as_bytes());
        let almost = usize::try_from(MAX_FRAMING).unwrap() - 10;
        message.take(&vec![framing; almost]);
        assert!(!message.is_mostly_framing());
        message.take(&[framing; 10]);
        assert!(message.is_mostly_framing());
    }
}
