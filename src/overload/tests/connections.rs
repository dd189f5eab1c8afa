//! Tests of slots and of large buffers.

use std::sync::Barrier;

use super::*;
use crate::overload::register::{ACCEPT_SLACK, MAX_BUFFERED};
use crate::overload::{ConnectionSlot, MAX_PER_PEER};

/// Connections of each of these peers that answer a request.
fn busy(peers: &[(u64, u64)]) -> (Arc<Overload>, Vec<ConnectionSlot>) {
    let overload = Arc::new(Overload::new(1 << 20, 1, 1));
    let connect = |&(network, peer): &(u64, u64)| {
        let slot = overload.connect(at(0), Some(client(network, peer)));
        slot.handle.enter(Phase::Answering, at(0));
        slot
    };
    let slots = peers.iter().map(connect).collect();
    (overload, slots)
}

fn wait(slot: &ConnectionSlot) {
    slot.handle.enter(Phase::Sending, at(0));
    slot.handle.enter(Phase::Idle, at(0));
}

fn evicted(slots: &[ConnectionSlot]) -> Vec<bool> {
    slots.iter().map(|slot| slot.handle.is_evicted()).collect()
}

#[test]
fn a_peer_has_512_connections_and_a_proxy_any_number() {
    let overload = Arc::new(Overload::new(1 << 20, 1, 1));
    let connect = |peer| overload.connect(at(0), peer);
    let is_open = |slot: &ConnectionSlot| !slot.handle.is_evicted();
    let slots: Vec<_> = (0..=MAX_PER_PEER)
        .map(|_| connect(Some(client(1, 1))))
        .collect();
    assert_eq!(slots.iter().filter(|slot| is_open(slot)).count(), 512);
    let of_proxy: Vec<_> = (0..=MAX_PER_PEER).map(|_| connect(None)).collect();
    assert!(of_proxy.iter().all(is_open));
    drop(slots);
    assert!(is_open(&connect(Some(client(1, 1)))));
}

#[test]
fn the_messages_of_a_client_behind_a_proxy_count_as_its_connections() {
    let overload = Arc::new(Overload::new(1 << 20, 1, 1));
    let slots: Vec<_> = (0..=MAX_PER_PEER)
        .map(|_| overload.connect(at(0), None))
        .collect();
    let who = client(1, 1);
    let start =
        |slot: &ConnectionSlot| overload.start_transfer(&slot.handle, at(0), who, Priority::Read);
    let mut started: Vec<_> = slots[1..].iter().map(start).collect();
    assert!(started.iter().all(Result::is_ok));
    assert_eq!(start(&slots[0]).err(), Some(QuotaError::OverShare));
    assert!(overload.connect(at(0), Some(who)).handle.is_evicted());
    started.pop();
    assert!(start(&slots[0]).is_ok());
}

#[test]
fn the_heaviest_client_of_the_heaviest_network_loses_what_holds_most() {
    let (overload, slots) = busy(&[(1, 1), (1, 2), (1, 2), (2, 3)]);
    let third = MAX_BUFFERED / 3;
    let holds = [third / 2, third / 2 + 1, third - 1, third];
    for (slot, held) in slots.iter().zip(holds) {
        slot.set_buffered(held);
    }
    assert_eq!(evicted(&slots), [false; 4]);
    slots[3].set_buffered(third + 10);
    assert_eq!(evicted(&slots), [false, false, true, false]);
    let buffered = overload.change(|it| it.buffers.total());
    assert_eq!(buffered, 2 * (third / 2) + 1 + third + 10);
    drop(slots);
    assert_eq!(overload.change(|it| it.buffers.total()), 0);
}

#[test]
fn the_large_buffers_behind_a_proxy_count_for_the_clients_of_its_messages() {
    // Given a direct connection, and those of a proxy that send a large response to one client, and one without
    let (overload, direct) = busy(&[(1, 1)]);
    let slots: Vec<_> = (0..4).map(|_| overload.connect(at(0), None)).collect();
    let half = MAX_BUFFERED / 2;
    slots[0].set_buffered(half);
    let mut started = Vec::new();
    for slot in &slots[1..] {
        slot.handle.enter(Phase::Answering, at(0));
        let transfer = overload.start_transfer(&slot.handle, at(0), client(2, 2), Priority::Read);
        started.push(transfer.unwrap());
    }
    direct[0].set_buffered(half);
    // When the buffers of the client grow, then its largest goes, and no other connection
    slots[1].set_buffered(half - 10);
    slots[2].set_buffered(10);
    assert_eq!(evicted(&slots), [false; 4]);
    slots[3].set_buffered(1);
    assert_eq!(evicted(&slots), [false, true, false, false]);
    assert_eq!(evicted(&direct), [false]);
    // And after its response, its buffers do not count
    drop(started);
    direct[0].set_buffered(MAX_BUFFERED);
    assert_eq!(evicted(&direct), [false]);
}

#[test]
fn a_connection_that_waits_for_a_request_makes_room_before_a_busy_one() {
    let (_, slots) = busy(&[(1, 1), (2, 2), (3, 3)]);
    slots[1..].iter().for_each(wait);
    slots[1].set_buffered(1);
    slots[0].set_buffered(MAX_BUFFERED);
    let expected = [false, true, false];
    assert_eq!(evicted(&slots), expected, "the third one holds nothing");
}

#[test]
fn a_connection_that_starts_a_request_is_not_evicted_as_one_that_waits() {
    const ROUNDS: usize = 5_000;
    let barrier = Barrier::new(2);
    for _ in 0..ROUNDS {
        // Given a connection that waits, and two that hold more than the buffers may have
        let (_, slots) = busy(&[(1, 1), (2, 2), (3, 3)]);
        wait(&slots[0]);
        slots[0].set_buffered(1);
        slots[1].set_buffered(MAX_BUFFERED - 1);
        // When room is made while it starts a request
        let waiting = &slots[0].handle;
        let has_started = std::thread::scope(|scope| {
            let starting = scope.spawn(|| {
                barrier.wait();
                waiting.enter(Phase::Head, at(0));
                waiting.enter(Phase::Answering, at(0));
                !waiting.is_evicted()
            });
            barrier.wait();
            slots[2].set_buffered(1);
            starting.join().unwrap()
        });
        // Then it either was evicted before, or another one is
        assert_ne!(has_started, waiting.is_evicted());
    }
}

#[test]
fn newcomers_are_refused_while_too_many_evicted_connections_have_yet_to_close() {
    let overload = Arc::new(Overload::new(1 << 20, 1, 1));
    overload.limit_connections(1);
    let connect = |peer| overload.connect(at(0), Some(client(peer, peer)));
    let first = connect(0);
    let newcomers: Vec<_> = (1..=ACCEPT_SLACK as u64).map(connect).collect();
    let refused = connect(1_000);
    let last = newcomers.last().unwrap();
    assert!(first.handle.is_evicted() && !last.handle.is_evicted());
    assert!(refused.handle.is_evicted());
    assert_eq!(overload.connections().refused, 1);
    drop(first);
    assert_eq!(overload.connections().open, ACCEPT_SLACK as u64);
    assert!(!connect(1_001).handle.is_evicted());
}

#[test]
fn an_evicted_connection_gives_back_what_its_message_holds() {
    // Given a connection that holds most of the buffers, and bytes
    let (overload, slots) = busy(&[(1, 1)]);
    let handle = &slots[0].handle;
    let transfer = overload.start_transfer(handle, at(0), client(5, 5), Priority::Read);
    let transfer = transfer.unwrap();
    assert!(transfer.try_hold(at(0), 1 << 20));
    slots[0].set_buffered(MAX_BUFFERED + 1);
    assert_eq!(evicted(&slots), [true]);
    // When it ends, in whatever order
    drop(slots);
    drop(transfer);
    // Then nothing of it is left
    let load = overload.load();
    assert_eq!((load.bytes, load.transfers), (0, 0));
    assert_eq!(overload.connections().open, 0);
}

#[test]
fn nothing_follows_an_eviction() {
    let phases = [
        Phase::New,
        Phase::Idle,
        Phase::Head,
        Phase::Answering,
        Phase::Blocked,
        Phase::Sending,
        Phase::Stuck,
    ];
    let handle = ConnectionHandle::new(1, Phase::Evicted, at(0));
    for phase in phases {
        handle.enter(phase, at(1));
        assert!(handle.is_evicted());
        // And any of them may be followed by one
        let other = ConnectionHandle::new(1, phase, at(7));
        assert_eq!(other.phase(), (phase, at(7)));
        assert!(other.evict_if(|found, since| (found, since) == (phase, at(7))));
        assert!(other.is_evicted() && !other.evict_if(|_, _| true));
    }
}
