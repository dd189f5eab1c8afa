//! What the connection relies on in the HTTP library, one test for each fact. `Cargo.toml` pins the version of the
//! library, and a new version has to pass these tests.

mod wire;

use std::cell::RefCell;

use actix_http::{Request, h1};
use actix_web::web::{Bytes, BytesMut};
use proptest::prelude::*;
use tokio_util::codec::Decoder as _;

use super::message::{BodyLength, Message};
use wire::Event::{Accept, Arrive, End, Fail};
use wire::{CHUNK, Event, WRITE_BUFFER, calls};

fn arrive(bytes: &str) -> Event {
    Arrive(bytes.as_bytes().to_vec())
}

fn head(path: &str, headers: &str) -> String {
    format!("PUT {path} HTTP/1.1\r\nHost: h\r\n{headers}\r\n")
}

const LENGTH: &str = "Content-Length: 4\r\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

#[test]
fn the_library_flushes_when_the_whole_response_was_accepted_and_not_before() {
    let (turns, _) = calls([
        vec![Accept(false), arrive(&head("/a", ""))],
        vec![Accept(true)],
    ]);
    assert_eq!(
        turns,
        [
            "reads, waits for bytes, starts /a, answers, writes",
            "waits for bytes, writes, flushes"
        ]
    );
}

#[test]
fn the_library_reads_until_there_is_no_more_and_decodes_all_of_it() {
    let two = [head("/a", ""), head("/b", "")].concat();
    let (start, end) = two.split_at(two.len() - 9);
    let (turns, _) = calls([vec![Accept(false), arrive(start), arrive(end)]]);
    assert_eq!(
        turns,
        ["reads, reads, waits for bytes, starts /a, answers, starts /b, writes"],
        "so the stream must not give it both"
    );
}

#[test]
fn a_request_is_polled_again_after_its_body_was_decoded_and_before_a_write() {
    for headers in ["", LENGTH, "Expect: 100-continue\r\nContent-Length: 4\r\n"] {
        let (turns, _) = calls([vec![arrive(&(head("/a", headers) + "body"))]]);
        let expected = "reads, waits for bytes, starts /a, answers, writes, flushes";
        assert_eq!(turns, [expected], "{headers}");
    }
    let (turns, _) = calls([vec![arrive(&(head("/reads", LENGTH) + "body"))]]);
    let expected = "reads, waits for bytes, starts /reads, gets 4 bytes, answers, writes, flushes";
    assert_eq!(turns, [expected]);
}

#[test]
fn the_library_looks_for_bytes_at_each_poll_so_that_a_reset_is_noticed() {
    let (turns, _) = calls([vec![arrive(&head("/waits", ""))], vec![], vec![Fail]]);
    assert_eq!(
        turns,
        [
            "reads, waits for bytes, starts /waits, flushes",
            "waits for bytes, flushes",
            "fails to read, drops the request, fails"
        ]
    );
}

#[test]
fn the_end_of_the_stream_ends_only_a_request_that_has_not_arrived_whole() {
    let (turns, _) = calls([vec![arrive(&head("/a", "")), End]]);
    let expected =
        "reads, reads the end, starts /a, answers, writes, flushes, flushes, shuts down, ends";
    assert_eq!(turns, [expected]);
    let (turns, _) = calls([vec![arrive(&head("/reads", LENGTH)), End]]);
    assert!(turns[0].contains("gets Incomplete"), "{turns:?}");
}

#[test]
fn the_library_has_room_for_8_kib_at_first_and_stops_reading_at_128_kib() {
    let body = "x".repeat(1 << 20);
    let (_, wire) = calls([vec![arrive(&head("/waits", "Content-Length: 1048576\r\n"))]]);
    assert_eq!(wire.rooms, [8 * 1024]);
    let (_, wire) = calls([vec![arrive(
        &(head("/waits", "Content-Length: 1048576\r\n") + &body),
    )]]);
    let read: usize = wire.rooms.iter().sum();
    assert!((128 * 1024..256 * 1024).contains(&read), "{:?}", wire.rooms);
    assert!(
        wire.rooms.iter().all(|room| *room >= 1024),
        "{:?}",
        wire.rooms
    );
}

#[test]
fn the_library_writes_when_its_buffer_is_full_and_at_most_a_chunk_more() {
    let (_, wire) = calls([vec![arrive(&head("/large", ""))]]);
    let (last, full) = wire.writes.split_last().unwrap();
    let largest = WRITE_BUFFER + CHUNK;
    assert!(*last < largest, "{:?}", wire.writes);
    assert!(
        full.iter()
            .all(|bytes| (WRITE_BUFFER..largest).contains(bytes)),
        "{:?}",
        wire.writes
    );
}

#[test]
fn the_library_discards_a_body_that_was_refused_until_the_stream_ends() {
    let (turns, wire) = calls([
        vec![arrive(&head("/refuses", LENGTH))],
        vec![arrive("bo")],
        vec![End],
        vec![],
    ]);
    assert_eq!(
        turns,
        [
            "reads, waits for bytes, starts /refuses, answers, writes, flushes",
            "flushes, reads, waits for bytes, waits for bytes",
            "flushes, reads the end",
            "flushes, shuts down, ends"
        ]
    );
    let written = String::from_utf8(wire.written).unwrap();
    assert!(written.contains("connection: close"), "{written}");
}

#[test]
fn the_library_discards_a_chunked_body_that_was_refused_and_goes_on() {
    let (turns, _) = calls([
        vec![arrive(&head("/refuses", CHUNKED))],
        vec![arrive("1\r\nx\r\n0\r\n\r\n")],
        vec![arrive(&head("/a", ""))],
    ]);
    assert_eq!(
        turns,
        [
            "reads, waits for bytes, starts /refuses, answers, writes, flushes",
            "reads, waits for bytes, flushes",
            "reads, waits for bytes, starts /a, answers, writes, flushes"
        ]
    );
}

#[test]
fn the_library_reads_no_more_after_a_head_that_it_refuses() {
    let (turns, wire) = calls([vec![arrive("GET /a HTTP/1.1\r\n\r\n")]]);
    assert_eq!(
        turns,
        ["reads, waits for bytes, writes, flushes, fails"],
        "{wire:?}",
        wire = String::from_utf8_lossy(&wire.written)
    );
}

#[test]
fn the_library_keeps_an_entry_of_32_bytes_for_each_chunk_however_small() {
    assert_eq!(size_of::<Bytes>(), 32);
    let chunks = "1\r\nx\r\n".repeat(3);
    let (turns, _) = calls([vec![arrive(&(head("/reads", CHUNKED) + &chunks))]]);
    assert!(
        turns[0].contains("gets 1 bytes, gets 1 bytes, gets 1 bytes"),
        "{turns:?}"
    );
}

/// What the library makes of a head.
fn decode(sent: &str) -> Result<(Request, h1::MessageType), &'static str> {
    actix_web::rt::System::new().block_on(async {
        let mut codec = h1::Codec::default();
        match codec.decode(&mut BytesMut::from(sent)) {
            Ok(Some(h1::Message::Item(request))) => Ok((request, codec.message_type())),
            Ok(_) => Err("waits"),
            Err(_) => Err("refuses"),
        }
    })
}

#[test]
fn the_library_knows_these_lengths_of_a_body() {
    use h1::MessageType::{None, Payload, Stream};
    let upgrade = "Upgrade: websocket\r\n";
    for (line, headers, expected) in [
        ("PUT / HTTP/1.1", "", Ok(None)),
        ("PUT / HTTP/1.1", "Content-Length: 0\r\n", Ok(None)),
        ("PUT / HTTP/1.1", LENGTH, Ok(Payload)),
        ("PUT / HTTP/1.1", CHUNKED, Ok(Payload)),
        (
            "PUT / HTTP/1.1",
            &[LENGTH, CHUNKED].concat(),
            Err("refuses"),
        ),
        ("PUT / HTTP/1.1", &LENGTH.repeat(2), Err("refuses")),
        ("PUT / HTTP/1.0", CHUNKED, Err("refuses")),
        // The stream makes it a `post`.
        ("POST / HTTP/1.0", "", Err("refuses")),
        ("post / HTTP/1.0", "", Ok(None)),
        // The body ends with the connection.
        ("PUT / HTTP/1.1", &[LENGTH, upgrade].concat(), Ok(Stream)),
        ("PUT / HTTP/1.1", &[CHUNKED, upgrade].concat(), Ok(Payload)),
        ("CONNECT / HTTP/1.1", "", Ok(Stream)),
    ] {
        let decoded = decode(&format!("{line}\r\nHost: h\r\n{headers}\r\n"));
        let kind = decoded.map(|(_, kind)| kind);
        assert_eq!(kind, expected, "{line} {headers}");
    }
}

#[test]
fn the_library_trims_the_blanks_after_a_value_and_accepts_96_headers() {
    let head = head("/", &format!("Host: h{}\r\n", " ".repeat(100))).replacen("Host: h\r\n", "", 1);
    let (request, _) = decode(&head).unwrap();
    assert_eq!(request.head().headers().get("host").unwrap(), "h");
    for (more, is_accepted) in [(95, true), (96, false)] {
        let head = format!(
            "GET / HTTP/1.1\r\nHost: h\r\n{}\r\n",
            "X: y\r\n".repeat(more)
        );
        assert_eq!(decode(&head).is_ok(), is_accepted, "{more}");
    }
}

#[test]
fn the_library_refuses_a_control_character_in_a_value() {
    for code in (0..=0x7f_u8).filter(u8::is_ascii_control) {
        let decoded = decode(&head("/", &format!("X: a{}b\r\n", char::from(code))));
        assert_eq!(decoded.is_err(), code != b'\t', "{code}");
    }
}

#[test]
#[should_panic = "InvalidHeaderName"]
fn the_library_panics_at_a_name_of_64_kib() {
    let _ = decode(&head("/", &format!("{}: y\r\n", "x".repeat(64 * 1024))));
}

/// Returns the position at which the library ends this message. Returns `None` if it refuses it or waits for more.
fn end_of_library(sent: &str) -> Option<usize> {
    let mut rest = BytesMut::from(sent);
    let mut codec = h1::Codec::default();
    loop {
        match codec.decode(&mut rest) {
            Ok(Some(h1::Message::Chunk(None))) => return Some(sent.len() - rest.len()),
            Ok(Some(_)) => (),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// With another end than the library's, the library would get a part of the next request early, or never get the end of
/// this one.
#[test]
fn the_library_ends_every_message_at_the_same_byte() {
    let line = "x: [a-c]{0,2}\r\n";
    let tokens = [
        "\r\n",
        "\r",
        "0",
        "1",
        "a",
        "F",
        ";",
        " ",
        "x",
        "1\r\nx\r\n",
        "0\r\n\r\n",
    ];
    let token = prop::sample::select(tokens.to_vec());
    let ended = RefCell::new([false; 2]);
    let rests = prop::collection::vec(token, 0..24);
    let messages = (any::<bool>(), prop::collection::vec(line, 0..3), rests);
    let compare = |(is_chunked, lines, rest): (bool, Vec<String>, Vec<&str>)| {
        let (header, length) = match is_chunked {
            true => ("Transfer-Encoding: chunked", BodyLength::Chunked),
            false => ("Content-Length: 3", BodyLength::Known(3)),
        };
        let (lines, rest) = (lines.concat(), rest.concat());
        let sent = format!("PUT / HTTP/1.1\r\nHost: h\r\n{header}\r\n{lines}\r\n{rest}");
        let mut message = Message::default();
        let mut taken = message.take(sent.as_bytes());
        message.start_body(length);
        taken += message.take(&sent.as_bytes()[taken..]);
        if let Some(end) = end_of_library(&sent) {
            prop_assert_eq!(taken, end, "{:?}", sent);
            prop_assert!(matches!(message, Message::Ended));
            ended.borrow_mut()[usize::from(is_chunked)] = true;
        }
        Ok(())
    };
    // One message in twenty is chunked and whole: of fewer, there may be none.
    let mut config = ProptestConfig::default();
    config.cases = config.cases.max(512);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    // The library needs a runtime.
    let system = actix_web::rt::System::new();
    system.block_on(async { runner.run(&messages, compare).unwrap() });
    assert_eq!(ended.take(), [true; 2], "the library refused all messages");
}
