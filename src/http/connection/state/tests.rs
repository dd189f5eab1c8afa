//! What may be read when, what is waited for, and when it may be ended.

use std::future::Future;

use actix_http::h1;

use super::*;
use crate::http::connection::handle::Evictability;
use crate::http::connection::handle::tests::Count;
use crate::http::connection::large_head::MAX_HEAD;

const AT: [Duration; 3] = [
    Duration::from_secs(10),
    Duration::from_secs(20),
    Duration::from_secs(60),
];

const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";

/// A connection that was made at the first of the times, and how often its task was woken.
fn wire() -> (Rc<ConnectionState>, Arc<Count>) {
    let (handle, count) = (Arc::new(ConnectionHandle::new()), Arc::<Count>::default());
    handle.register(&Arc::clone(&count).into());
    (Rc::new(ConnectionState::new(handle, AT[0])), count)
}

fn read(wire: &ConnectionState, bytes: &[u8], now: Duration) {
    wire.has_read(bytes, || now);
}

fn flush(wire: &ConnectionState, now: Duration) -> bool {
    wire.flush(|| now)
}

fn since(wire: &ConnectionState) -> Option<Duration> {
    wire.head().map(|head| head.since)
}

/// Asks for more of a body.
fn ask(body: &mut dev::Payload) -> Poll<Option<Result<Bytes, PayloadError>>> {
    Pin::new(body).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Takes in a head and answers it.
fn serve(wire: &Rc<ConnectionState>) {
    read(wire, HEAD, AT[1]);
    drop(wire.serve());
    assert!(!flush(wire, AT[1]));
}

#[test]
fn the_first_head_is_waited_for_from_the_beginning_and_a_later_one_from_its_first_byte() {
    let (wire, _) = wire();
    read(&wire, b"G", AT[1]);
    let head = wire.head().unwrap();
    assert_eq!((head.since, head.is_first), (AT[0], true));
    serve(&wire);
    assert_eq!(wire.head(), None);
    read(&wire, b"G", AT[1]);
    read(&wire, b"E", AT[2]);
    let head = wire.head().unwrap();
    assert_eq!((head.since, head.is_first), (AT[1], false));
}

#[test]
fn a_head_of_which_something_came_before_the_answer_had_gone_is_waited_for_from_then_on() {
    for (rest, is_waited_for) in [(&b""[..], false), (b"GET", true), (b"\r\n", true)] {
        let (wire, _) = wire();
        read(&wire, &[HEAD, rest].concat(), AT[1]);
        drop(wire.serve());
        assert_eq!(flush(&wire, AT[2]), is_waited_for);
        assert_eq!(since(&wire), is_waited_for.then_some(AT[2]));
    }
}

#[test]
fn four_kibibytes_are_read_ahead_and_the_rest_when_the_answer_is_made() {
    let (wire, woken) = wire();
    read(&wire, HEAD, AT[1]);
    let serving = wire.serve();
    assert_eq!(wire.may_read(), Reading::Allowed(AHEAD));
    read(&wire, &[b'x'; 4000], AT[1]);
    assert_eq!(wire.may_read(), Reading::Allowed(AHEAD - 4000));
    read(&wire, &[b'x'; 96], AT[1]);
    assert_eq!(wire.may_read(), Reading::Held);
    assert_eq!(woken.get(), 0);
    drop(serving);
    assert_eq!(woken.get(), 1);
    assert_eq!(wire.may_read(), Reading::Allowed(MAX_HEAD - 4096));
}

#[test]
fn whoever_asks_for_a_body_lets_it_be_read() {
    let (wire, woken) = wire();
    let serving = wire.serve();
    read(&wire, &[b'x'; AHEAD], AT[1]);
    assert_eq!(wire.may_read(), Reading::Held);
    let (mut sender, body) = h1::Payload::create(false);
    let mut body = serving.watch(body.into());
    sender.feed_data(Bytes::from_static(b"body"));
    assert!(matches!(ask(&mut body), Poll::Ready(Some(Ok(_)))));
    assert_eq!(woken.get(), 0, "there may be more of it");
    assert!(ask(&mut body).is_pending());
    assert_eq!(woken.get(), 1);
    assert_eq!(wire.may_read(), Reading::Allowed(MAX_HEAD - AHEAD));
}

#[test]
fn a_head_that_has_not_ended_is_read_so_far_and_no_further() {
    let (wire, woken) = wire();
    read(&wire, &vec![b'x'; MAX_HEAD - 1], AT[1]);
    assert_eq!(wire.may_read(), Reading::Allowed(1));
    read(&wire, b"x", AT[1]);
    assert_eq!(wire.may_read(), Reading::Full);
    // It has ended after all, and was the beginning of a body.
    let serving = wire.serve();
    assert_eq!(wire.may_read(), Reading::Held);
    let (_sender, body) = h1::Payload::create(false);
    let mut body = serving.watch(body.into());
    assert!(ask(&mut body).is_pending());
    assert_eq!(woken.get(), 1);
    assert_eq!(wire.may_read(), Reading::Allowed(MAX_HEAD - AHEAD));
}

#[test]
fn what_stands_behind_a_body_that_came_counts_alone_whether_it_was_asked_for_or_not() {
    for is_asked_for in [true, false] {
        let (wire, _) = wire();
        read(&wire, &[HEAD, &[b'x'; 50_000], b"GET"].concat(), AT[1]);
        let serving = wire.serve();
        let (mut sender, body) = h1::Payload::create(false);
        let mut body = serving.watch(body.into());
        sender.feed_data(vec![b'x'; 50_000].into());
        sender.feed_eof();
        while is_asked_for && !matches!(ask(&mut body), Poll::Ready(None)) {}
        drop((body, serving));
        flush(&wire, AT[2]);
        // Where the head ended nobody knows.
        let held = HEAD.len() + "GET".len();
        assert_eq!(wire.may_read(), Reading::Allowed(MAX_HEAD - held));
    }
}

#[test]
fn what_comes_of_a_body_that_nobody_asked_for_is_read_however_much_it_is() {
    let (wire, _) = wire();
    read(&wire, &[HEAD, &[b'x'; 50_000]].concat(), AT[1]);
    let serving = wire.serve();
    let (_sender, body) = h1::Payload::create(false);
    drop(serving.watch(body.into()));
    drop(serving);
    flush(&wire, AT[2]);
    read(&wire, &vec![b'x'; 2 * MAX_HEAD], AT[2]);
    assert_eq!(wire.may_read(), Reading::Allowed(usize::MAX));
}

#[test]
fn nothing_is_read_and_nobody_woken_while_the_peer_takes_nothing() {
    let (wire, woken) = wire();
    let serving = wire.serve();
    wire.block(AT[1]);
    assert_eq!(wire.may_read(), Reading::Held);
    wire.block(AT[2]);
    drop(serving);
    assert_eq!(wire.may_read(), Reading::Held);
    assert_eq!(woken.get(), 0);
    flush(&wire, AT[2]);
    assert_eq!(woken.get(), 1);
    assert_eq!(wire.may_read(), Reading::Allowed(MAX_HEAD));
}

#[test]
fn it_may_be_ended_as_idle_when_all_of_the_answer_has_gone_and_not_before() {
    let (wire, _) = wire();
    let serving = wire.serve();
    let is_ended = || wire.handle.evict_if(Evictability::Waiting, AT[2]);
    flush(&wire, AT[1]);
    assert!(!is_ended(), "a part has gone, and there is more");
    drop(serving);
    assert!(!is_ended(), "the last of it is to go");
    flush(&wire, AT[1]);
    assert!(is_ended());
}

#[test]
fn it_may_be_ended_as_stalled_when_its_peer_has_taken_nothing_for_long() {
    let (wire, _) = wire();
    let serving = wire.serve();
    let is_ended = |now| wire.handle.evict_if(Evictability::Stalled, now);
    wire.block(AT[0]);
    wire.block(AT[2]);
    assert!(!is_ended(AT[2]), "it took something since");
    drop(serving);
    assert!(is_ended(AT[2] + AT[2]));
}

#[test]
fn a_request_that_was_put_off_goes_on_when_it_is_asked_again_and_is_told_of_once_if_it_is_not() {
    let (wire, _) = wire();
    let serving = wire.serve();
    let mut putting_off = std::pin::pin!(serving.put_off());
    let context = &mut Context::from_waker(std::task::Waker::noop());
    assert!(putting_off.as_mut().poll(context).is_pending());
    assert!(wire.has_put_off());
    assert!(!wire.has_put_off());
    assert!(putting_off.as_mut().poll(context).is_ready());
    assert!(!wire.has_put_off());
}
