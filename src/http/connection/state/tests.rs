//! Tests of the permission to read, the head that a connection waits for, and its evictability.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_http::h1;
use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use super::*;
use crate::http::connection::InFlightGuard;
use crate::http::connection::handle::Evictability;
use crate::http::connection::handle::tests::Count;
use crate::http::connection::head_backlog::MAX_HEAD;

const AT: [Duration; 3] = [
    Duration::from_secs(10),
    Duration::from_secs(20),
    Duration::from_secs(60),
];

const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";

/// A connection that was accepted at `AT[0]`, and the number of times that its task was woken.
fn connection() -> (Rc<ConnectionState>, Arc<Count>) {
    let (handle, count) = (Arc::new(ConnectionHandle::new()), Arc::<Count>::default());
    handle.register(&Arc::clone(&count).into());
    (Rc::new(ConnectionState::new(handle, AT[0])), count)
}

fn read(connection: &ConnectionState, bytes: &[u8], now: Duration) {
    connection.record_read(bytes, || now);
}

fn flush(connection: &ConnectionState, now: Duration) -> bool {
    connection.record_flush(|| now)
}

fn deadline(connection: &ConnectionState) -> Option<Duration> {
    connection.pending_head().map(|head| head.deadline)
}

/// Polls a body for its next chunk.
fn poll(body: &mut dev::Payload) -> Poll<Option<Result<Bytes, PayloadError>>> {
    Pin::new(body).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Reads a head and answers it.
fn serve(connection: &Rc<ConnectionState>) {
    read(connection, HEAD, AT[1]);
    drop(InFlightGuard::start(connection));
    assert!(flush(connection, AT[1]));
}

#[test]
fn the_first_head_is_timed_from_the_start_and_a_later_one_from_its_first_byte() {
    let (connection, _) = connection();
    read(&connection, b"G", AT[1]);
    let head = connection.pending_head().unwrap();
    assert_eq!((head.deadline, head.is_first), (AT[0] + HEAD_TIMEOUT, true));
    serve(&connection);
    assert_eq!(deadline(&connection), Some(AT[1] + KEEP_ALIVE));
    read(&connection, b"G", AT[1]);
    read(&connection, b"E", AT[2]);
    let head = connection.pending_head().unwrap();
    assert_eq!(
        (head.deadline, head.is_first),
        (AT[1] + HEAD_TIMEOUT, false)
    );
}

#[test]
fn a_head_that_came_partly_during_an_answer_is_timed_from_the_end_of_that_answer() {
    let rests = [
        (&b""[..], KEEP_ALIVE),
        (b"GET", HEAD_TIMEOUT),
        (b"\r\n", HEAD_TIMEOUT),
    ];
    for (rest, timeout) in rests {
        let (connection, _) = connection();
        read(&connection, &[HEAD, rest].concat(), AT[1]);
        drop(InFlightGuard::start(&connection));
        assert_eq!(deadline(&connection), None);
        assert!(flush(&connection, AT[2]));
        assert_eq!(deadline(&connection), Some(AT[2] + timeout));
    }
}

#[test]
fn four_kib_are_read_ahead_of_an_answer_and_the_rest_after_it() {
    let (connection, woken) = connection();
    read(&connection, HEAD, AT[1]);
    let request = InFlightGuard::start(&connection);
    assert_eq!(connection.permit_read(), ReadPermission::UpTo(READ_AHEAD));
    read(&connection, &[b'x'; 4000], AT[1]);
    assert_eq!(
        connection.permit_read(),
        ReadPermission::UpTo(READ_AHEAD - 4000)
    );
    read(&connection, &[b'x'; 96], AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::Held);
    assert_eq!(woken.get(), 0);
    drop(request);
    assert_eq!(woken.get(), 1);
    assert_eq!(
        connection.permit_read(),
        ReadPermission::UpTo(MAX_HEAD - 4096)
    );
}

#[test]
fn requests_that_were_decoded_together_share_the_bytes_read_ahead() {
    let (connection, _) = connection();
    read(&connection, &HEAD.repeat(3), AT[1]);
    let request = InFlightGuard::start(&connection);
    read(&connection, &[b'x'; 4000], AT[1]);
    drop(request);
    let request = InFlightGuard::start(&connection);
    let left = ReadPermission::UpTo(READ_AHEAD - 4000);
    assert_eq!(connection.permit_read(), left);
    drop(request);
    assert!(flush(&connection, AT[1]));
    let _request = InFlightGuard::start(&connection);
    let all = ReadPermission::UpTo(READ_AHEAD);
    assert_eq!(connection.permit_read(), all);
}

#[test]
fn the_task_is_woken_after_a_response_if_more_was_read_meanwhile() {
    for (meanwhile, expected) in [(&b""[..], 0), (HEAD, 1)] {
        let (connection, woken) = connection();
        read(&connection, HEAD, AT[1]);
        let request = InFlightGuard::start(&connection);
        read(&connection, meanwhile, AT[1]);
        drop(request);
        assert_eq!(woken.get(), 0);
        flush(&connection, AT[1]);
        assert_eq!(woken.get(), expected);
        // The library decodes all bytes now, because no request waits.
        connection.permit_read();
        drop(InFlightGuard::start(&connection));
        flush(&connection, AT[1]);
        assert_eq!(woken.get(), expected);
    }
}

#[test]
fn a_request_that_waits_for_its_body_permits_reads() {
    let (connection, woken) = connection();
    let request = InFlightGuard::start(&connection);
    read(&connection, &[b'x'; READ_AHEAD], AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::Held);
    let (mut sender, body) = h1::Payload::create(false);
    let mut body = request.watch(body.into());
    sender.feed_data(Bytes::from_static(b"body"));
    assert!(matches!(poll(&mut body), Poll::Ready(Some(Ok(_)))));
    assert_eq!(woken.get(), 0, "the library may hold more of it");
    assert!(poll(&mut body).is_pending());
    assert_eq!(woken.get(), 1);
    assert_eq!(
        connection.permit_read(),
        ReadPermission::UpTo(MAX_HEAD - READ_AHEAD)
    );
}

#[test]
fn an_unfinished_head_is_read_up_to_the_largest_size() {
    let (connection, woken) = connection();
    read(&connection, &vec![b'x'; MAX_HEAD - 1], AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::UpTo(1));
    read(&connection, b"x", AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::BacklogFull);
    // The library found the end of the head: the rest is the start of a body.
    let request = InFlightGuard::start(&connection);
    assert_eq!(connection.permit_read(), ReadPermission::Held);
    let (_sender, body) = h1::Payload::create(false);
    let mut body = request.watch(body.into());
    assert!(poll(&mut body).is_pending());
    assert_eq!(woken.get(), 1);
    assert_eq!(
        connection.permit_read(),
        ReadPermission::UpTo(MAX_HEAD - READ_AHEAD)
    );
}

#[test]
fn only_bytes_after_a_body_count_as_a_head_whether_the_body_was_read_or_not() {
    for is_read in [true, false] {
        let (connection, _) = connection();
        read(
            &connection,
            &[HEAD, &[b'x'; 50_000], b"GET"].concat(),
            AT[1],
        );
        let request = InFlightGuard::start(&connection);
        let (mut sender, body) = h1::Payload::create(false);
        let mut body = request.watch(body.into());
        sender.feed_data(vec![b'x'; 50_000].into());
        sender.feed_eof();
        while is_read && !matches!(poll(&mut body), Poll::Ready(None)) {}
        drop((body, request));
        flush(&connection, AT[2]);
        // The backlog does not know the length of the head, so it counts the head too.
        let held = HEAD.len() + "GET".len();
        assert_eq!(
            connection.permit_read(),
            ReadPermission::UpTo(MAX_HEAD - held)
        );
    }
}

#[test]
fn the_rest_of_an_abandoned_body_is_read_without_limit() {
    let (connection, _) = connection();
    read(&connection, &[HEAD, &[b'x'; 50_000]].concat(), AT[1]);
    let request = InFlightGuard::start(&connection);
    let (_sender, body) = h1::Payload::create(false);
    drop(request.watch(body.into()));
    drop(request);
    flush(&connection, AT[2]);
    read(&connection, &vec![b'x'; 2 * MAX_HEAD], AT[2]);
    assert_eq!(connection.permit_read(), ReadPermission::UpTo(usize::MAX));
}

#[test]
fn no_read_is_permitted_or_woken_while_the_peer_takes_nothing() {
    let (connection, woken) = connection();
    let request = InFlightGuard::start(&connection);
    connection.set_blocked(AT[1]);
    assert_eq!(connection.permit_read(), ReadPermission::Held);
    connection.set_blocked(AT[2]);
    drop(request);
    assert_eq!(connection.permit_read(), ReadPermission::Held);
    assert_eq!(woken.get(), 0);
    flush(&connection, AT[2]);
    assert_eq!(woken.get(), 1);
    assert_eq!(connection.permit_read(), ReadPermission::UpTo(MAX_HEAD));
}

#[test]
fn a_connection_may_be_evicted_as_waiting_once_the_whole_answer_is_sent() {
    let (connection, _) = connection();
    let request = InFlightGuard::start(&connection);
    let is_evicted = || connection.handle.evict_if(Evictability::Waiting, AT[2]);
    flush(&connection, AT[1]);
    assert!(!is_evicted(), "the answer is not complete");
    drop(request);
    assert!(!is_evicted(), "the end of the answer is not sent");
    flush(&connection, AT[1]);
    assert!(is_evicted());
}

#[test]
fn a_connection_may_be_evicted_as_stalled_after_its_peer_took_nothing_for_long() {
    let (connection, _) = connection();
    let request = InFlightGuard::start(&connection);
    let is_evicted = |now| connection.handle.evict_if(Evictability::Stalled, now);
    connection.set_blocked(AT[0]);
    connection.set_blocked(AT[2]);
    assert!(!is_evicted(AT[2]), "the peer took something in between");
    drop(request);
    assert!(is_evicted(AT[2] + AT[2]));
}

#[test]
fn a_deferred_request_continues_at_its_second_poll_and_is_reported_once() {
    let (connection, _) = connection();
    let request = InFlightGuard::start(&connection);
    let mut deferred = std::pin::pin!(request.defer());
    let context = &mut Context::from_waker(Waker::noop());
    assert!(deferred.as_mut().poll(context).is_pending());
    assert!(connection.take_deferred());
    assert!(!connection.take_deferred());
    assert!(deferred.as_mut().poll(context).is_ready());
    assert!(!connection.take_deferred());
}
