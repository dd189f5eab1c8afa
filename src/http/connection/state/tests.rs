//! Tests of the permission to read, the head that a connection waits for, its evictability, and the wait after a
//! refusal.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use actix_http::h1;
use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use super::*;
use crate::fairness::ClientKey;
use crate::http::connection::{InFlightGuard, MAX_HEAD};
use crate::overload::{ConnectionSlot, Overload};

const AT: [Duration; 3] = [
    Duration::from_secs(10),
    Duration::from_secs(20),
    Duration::from_secs(60),
];

const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";

const NO_BODY: BodyLength = BodyLength::Known(0);

/// A waker that counts its calls.
#[derive(Default)]
struct Count(AtomicUsize);

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A server with room for one connection, and a connection of another client each time that it is called.
fn server() -> (Arc<Overload>, impl FnMut(Duration) -> ConnectionSlot) {
    let overload = Arc::new(Overload::new(1 << 20, 1, 1));
    overload.limit_connections(1);
    let (mut peer, server) = (0, Arc::clone(&overload));
    let connect = move |now| {
        peer += 1;
        let key = ClientKey {
            network: peer,
            client: peer,
        };
        server.connect(now, Some(key))
    };
    (overload, connect)
}

fn state_of(slot: &ConnectionSlot) -> (Rc<ConnectionState>, Arc<Count>) {
    let count = Arc::<Count>::default();
    slot.handle.register(&Arc::clone(&count).into());
    let state = ConnectionState::new(Arc::clone(&slot.handle), true);
    (Rc::new(state), count)
}

/// A direct connection that was accepted at `AT[0]`, and the number of times that its task was woken.
fn connection() -> (Rc<ConnectionState>, Arc<Count>) {
    let (_, mut connect) = server();
    state_of(&connect(AT[0]))
}

fn take(connection: &ConnectionState, bytes: &[u8], now: Duration) -> usize {
    connection.take(&mut bytes.to_vec(), || now)
}

fn start(connection: &Rc<ConnectionState>, body: BodyLength) -> InFlightGuard {
    InFlightGuard::start(Rc::clone(connection), body)
}

/// Notes that everything is written, and nothing was read ahead.
fn flush(connection: &ConnectionState, now: Duration) -> bool {
    connection.record_flush(false, || now)
}

fn deadline(connection: &ConnectionState) -> Option<Duration> {
    connection.head_deadline()
}

/// Polls a body for its next chunk.
fn poll(body: &mut dev::Payload) -> Poll<Option<Result<Bytes, PayloadError>>> {
    Pin::new(body).poll_next(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn the_first_head_is_timed_from_the_start_and_a_later_one_from_its_first_byte() {
    let (connection, _) = connection();
    take(&connection, b"G", AT[1]);
    assert_eq!(deadline(&connection), Some(AT[0] + HEAD_TIMEOUT));
    assert_eq!(connection.phase(), Phase::New);
    take(&connection, &HEAD[1..], AT[1]);
    drop(start(&connection, NO_BODY));
    assert_eq!(deadline(&connection), None);
    assert!(flush(&connection, AT[1]));
    assert_eq!(deadline(&connection), Some(AT[1] + KEEP_ALIVE));
    take(&connection, b"G", AT[1]);
    take(&connection, b"E", AT[2]);
    assert_eq!(deadline(&connection), Some(AT[1] + HEAD_TIMEOUT));
    assert_eq!(connection.phase(), Phase::Head);
}

#[test]
fn a_head_that_was_read_ahead_is_timed_from_the_end_of_the_answer_before() {
    let (connection, _) = connection();
    take(&connection, HEAD, AT[1]);
    drop(start(&connection, NO_BODY));
    assert!(connection.record_flush(true, || AT[2]));
    assert_eq!(deadline(&connection), Some(AT[2] + HEAD_TIMEOUT));
}

#[test]
fn the_next_head_is_given_only_after_the_whole_response_has_left() {
    let (connection, woken) = connection();
    let two = HEAD.repeat(2);
    // Given two requests that arrived together
    assert_eq!(take(&connection, &two, AT[1]), HEAD.len());
    let nothing_is_given = |when| {
        assert_eq!(connection.permit_read(), ReadPermission::Later, "{when}");
        connection.put_off_read();
        assert_eq!(take(&connection, HEAD, AT[1]), 0, "{when}");
        assert_eq!(woken.get(), 0, "{when}");
    };
    // Then the second one is held back until the answer of the first one has left
    nothing_is_given("before the library has decoded the first one");
    let request = start(&connection, NO_BODY);
    nothing_is_given("while the handler works");
    connection.set_blocked(AT[1]);
    drop(request);
    nothing_is_given("while the peer takes nothing");
    assert!(connection.record_flush(true, || AT[1]));
    assert_eq!(woken.get(), 1);
    assert_eq!(take(&connection, HEAD, AT[1]), HEAD.len());
}

#[test]
fn a_head_of_which_the_library_made_no_request_makes_room_for_the_next_one() {
    let (connection, woken) = connection();
    take(&connection, HEAD, AT[1]);
    connection.put_off_read();
    assert!(!flush(&connection, AT[1]), "no response was sent");
    assert_eq!(woken.get(), 1);
    assert_eq!(take(&connection, HEAD, AT[1]), HEAD.len());
}

#[test]
fn a_request_that_waits_for_its_body_gets_a_part_of_it_each_time() {
    let (connection, woken) = connection();
    take(&connection, HEAD, AT[1]);
    let request = start(&connection, BodyLength::Known(1 << 20));
    assert_eq!(connection.permit_read(), ReadPermission::Later);
    connection.put_off_read();
    let (mut sender, body) = h1::Payload::create(false);
    let mut body = request.watch(body.into());
    for turn in 1..=2 {
        assert!(poll(&mut body).is_pending());
        assert_eq!(woken.get(), turn);
        assert_eq!(connection.permit_read(), ReadPermission::Body);
        assert_eq!(take(&connection, &[b'x'; 1000], AT[1]), 1000);
        sender.feed_data(Bytes::from_static(&[b'x'; 1000]));
        assert!(matches!(poll(&mut body), Poll::Ready(Some(Ok(_)))));
        assert_eq!(connection.permit_read(), ReadPermission::Later, "it works");
        connection.put_off_read();
    }
}

#[test]
fn a_body_of_small_chunks_is_given_in_smaller_parts() {
    let chunks = b"1\r\nx\r\n".repeat(1000);
    for (chunk, expected) in [
        (&chunks[..], ReadPermission::Later),
        (b"1770\r\n", ReadPermission::Body),
    ] {
        let (connection, _) = connection();
        take(&connection, HEAD, AT[1]);
        let request = start(&connection, BodyLength::Chunked);
        let (_sender, body) = h1::Payload::create(false);
        let mut body = request.watch(body.into());
        assert!(poll(&mut body).is_pending());
        let piece = [chunk, &[b'x'; 6000]].concat();
        take(&connection, &piece[..6000], AT[1]);
        assert_eq!(connection.permit_read(), expected);
    }
}

#[test]
fn a_head_is_read_up_to_the_largest_size() {
    let (connection, _) = connection();
    take(&connection, &vec![b'x'; MAX_HEAD - 1], AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::Head(1));
    take(&connection, b"x", AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::HeadTooLarge);
}

#[test]
fn the_rest_of_an_abandoned_body_is_given_at_once_and_before_the_next_head() {
    let (connection, _) = connection();
    take(&connection, HEAD, AT[1]);
    let request = start(&connection, BodyLength::Known(100_000));
    let (_sender, body) = h1::Payload::create(false);
    drop(request.watch(body.into()));
    drop(request);
    flush(&connection, AT[2]);
    assert_eq!(deadline(&connection), Some(AT[2] + HEAD_TIMEOUT));
    assert_eq!(take(&connection, &vec![b'x'; 200_000], AT[2]), 100_000);
    flush(&connection, AT[2]);
    assert_eq!(take(&connection, HEAD, AT[2]), HEAD.len());
}

#[test]
fn a_connection_may_be_evicted_as_waiting_once_the_whole_answer_is_sent() {
    let (_, mut connect) = server();
    let slot = connect(AT[0]);
    let (connection, woken) = state_of(&slot);
    take(&connection, HEAD, AT[1]);
    let request = start(&connection, NO_BODY);
    let mut is_evicted = || !connect(AT[2]).handle.is_evicted() && slot.handle.is_evicted();
    flush(&connection, AT[1]);
    assert!(!is_evicted(), "the answer is not complete");
    drop(request);
    assert!(!is_evicted(), "the end of the answer is not sent");
    flush(&connection, AT[1]);
    assert!(is_evicted() && woken.get() == 1);
    // And whatever it does then, it stays evicted
    take(&connection, HEAD, AT[1]);
    assert!(start(&connection, NO_BODY).is_evicted());
}

#[test]
fn a_connection_may_be_evicted_after_its_peer_took_nothing_for_30_seconds() {
    let (_, mut connect) = server();
    let slot = connect(AT[0]);
    let (connection, _) = state_of(&slot);
    let request = start(&connection, NO_BODY);
    let mut is_evicted = |now| !connect(now).handle.is_evicted() && slot.handle.is_evicted();
    connection.set_blocked(AT[0]);
    connection.set_blocked(AT[2]);
    assert!(!is_evicted(AT[2]), "the peer took something in between");
    drop(request);
    assert!(!is_evicted(AT[2] + Duration::from_secs(29)));
    assert!(is_evicted(AT[2] + Duration::from_secs(30)));
}

/// The times that the client waits after each of these answers: 0 for an answer that is no refusal, or the time in
/// milliseconds after which it may try again.
fn waits(connection: &Rc<ConnectionState>, answers: &[u64]) -> Vec<Option<u128>> {
    let answer = |&retry_after: &u64| {
        take(connection, HEAD, AT[1]);
        let request = start(connection, NO_BODY);
        if retry_after > 0 {
            connection.refuse(Duration::from_millis(retry_after));
        }
        drop(request);
        flush(connection, AT[1]);
        let wait = connection.resumes().map(|time| (time - AT[1]).as_millis());
        if let Some(wait) = wait {
            assert_eq!(
                deadline(connection),
                connection.resumes().map(|at| at + KEEP_ALIVE),
                "{wait}"
            );
        }
        connection.resume();
        wait
    };
    answers.iter().map(answer).collect()
}

#[test]
fn each_refusal_in_a_row_doubles_the_wait_of_a_direct_client() {
    let (connection, _) = connection();
    let doubled: Vec<_> = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2000, 2000]
        .map(Some)
        .into();
    assert_eq!(waits(&connection, &[10_000; 11]), doubled);
    assert_eq!(waits(&connection, &[0]), [None]);
    assert_eq!(
        waits(&connection, &[10, 10, 10, 10]),
        [Some(4), Some(8), Some(10), Some(10)]
    );
}

#[test]
fn a_connection_that_may_be_a_proxys_never_waits() {
    let connection = Rc::<ConnectionState>::default();
    assert_eq!(waits(&connection, &[10_000; 3]), [None; 3]);
}

#[test]
fn a_post_is_made_lower_whatever_follows_in_the_same_read() {
    for (head, expected) in [
        ("POST / HT", "post / HT"),
        ("POST / HTTP/1.1\r\n", "post / HTTP/1.1\r\n"),
        ("\r\nPOST ", "\r\npost "),
        ("POSTS / ", "POSTS / "),
        ("PUT /POST ", "PUT /POST "),
        ("PO", "PO"),
        ("\r\n", "\r\n"),
    ] {
        let mut bytes = head.as_bytes().to_vec();
        lower_post(&mut bytes);
        assert_eq!(bytes, expected.as_bytes(), "{head}");
    }
}
