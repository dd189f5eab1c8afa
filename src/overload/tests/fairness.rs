//! Tests of fairness: a flooding client must not displace other clients.

use super::*;

#[test]
fn eight_flooders_whose_bodies_never_come_do_not_cancel_a_pipe() {
    let mut all = transfers();
    let pipe = receive(&mut all, at(0), client(9, 9));
    let places = |flooder: u64| if flooder < 7 { 64 } else { 63 };
    for flooder in 0..8 {
        for _ in 0..places(flooder) {
            receive(&mut all, at(14), client(flooder, flooder));
        }
    }
    assert!(try_receive(&mut all, at(14), client(0, 0)).is_err());
    // All slots are in use: flooding clients have 511, and the client that sends a pipe's output has one.
    let next = queue_for_slot(&mut all, at(14), client(10, 10));
    assert_eq!(preempt(&mut all, at(14), next.number), (1, true));
    for _ in 0..300 {
        assert_eq!(preempt(&mut all, at(14), next.number), (0, true));
    }
    assert_eq!(all.update(next.number, TransferState::occupy_slot), Ok(()));
    let of_flooder = queue_for_slot(&mut all, at(14), client(7, 7));
    assert_eq!(preempt(&mut all, at(14), of_flooder.number).0, 0);
    assert_eq!(preempt(&mut all, at(15), of_flooder.number).0, 1);
    assert!(!pipe.is_cancelled() && !next.is_cancelled());
}

#[test]
fn a_reader_of_70_kib_per_second_is_not_slow_between_two_system_wakes() {
    let mut all = transfers();
    let reader = send(&mut all, at(0), client(1, 1), 20 * MIB);
    // After the buffer was filled, the client reads a third of 4 MiB every 20 seconds.
    all.get(reader.number)
        .unwrap()
        .progress
        .record(at(0), 4 << 20);
    let asks =
        |all: &mut TransferRegistry, now| queue_for_bytes(all, now, client(2, 2), 20 * MIB).number;
    for wake in 1..10 {
        all.get(reader.number)
            .unwrap()
            .progress
            .record(at(20 * wake), 4 << 20);
        let now = at(20 * wake + 19);
        let number = asks(&mut all, now);
        assert_eq!(preempt(&mut all, now, number), (0, true));
        all.end(number);
    }
    let number = asks(&mut all, at(210));
    assert_eq!(preempt(&mut all, at(210), number), (1, false));
}

#[test]
fn a_selection_gives_up_after_its_maximum_of_looks() {
    let mut all = transfers();
    // All clients weigh the same as the waiting one, and their transfers are young. So none may be cancelled. Each
    // client costs two looks.
    let clients = MAX_LOOKS as u64 / 2;
    let bytes = 32 * MIB / (clients + 2);
    let ready = send(&mut all, at(0), client(0, 0), bytes);
    for other in 1..=clients {
        send(&mut all, at(60), client(other, other), bytes);
    }
    let fills = send(
        &mut all,
        at(60),
        client(u64::MAX, 0),
        bytes / 2 + 32 * MIB % (clients + 2),
    );
    let asks = queue_for_bytes(&mut all, at(60), client(clients + 1, 0), bytes);
    assert_eq!(preempt(&mut all, at(60), asks.number), (0, true));
    assert!(!ready.is_cancelled() && !fills.is_cancelled());
    // Among clients of the same weight, the slow transfer comes last. With one client less before it, the search finds
    // the slow transfer.
    all.end(2);
    let instead = send(&mut all, at(60), client(u64::MAX - 1, 0), bytes / 2);
    let refill = send(&mut all, at(60), client(u64::MAX - 2, 0), bytes - bytes / 2);
    assert_eq!(preempt(&mut all, at(60), asks.number), (1, true));
    assert!(ready.is_cancelled() && !instead.is_cancelled() && !refill.is_cancelled());
}

#[test]
fn a_client_has_a_maximum_of_transfers_and_all_are_removed_when_they_end() {
    let mut all = transfers();
    for _ in 0..MAX_TRANSFERS_PER_CLIENT {
        send(&mut all, at(0), client(1, 1), 0);
    }
    assert!(try_send(&mut all, at(0), client(1, 1), 0).is_err());
    let last = send(&mut all, at(0), client(1, 2), 0);
    for number in 1..=last.number {
        all.end(number);
    }
    assert_eq!(all.transfers.len(), 0);
}

#[test]
fn a_client_has_four_pauses_and_the_slowest_of_the_heaviest_makes_room() {
    let mut all = TransferRegistry::new([MIB; 3], 512, 8);
    let crowd: Vec<WatchedTransfer> = (0..5)
        .map(|_| receive(&mut all, at(0), client(1, 1)))
        .collect();
    for pipe in &crowd[..4] {
        assert!(matches!(all.allow_pause(at(15), pipe.number), Ok(None)));
    }
    assert!(all.allow_pause(at(15), crowd[4].number).is_err());
    all.get(crowd[0].number)
        .unwrap()
        .progress
        .record(at(15), 10);
    for other in 2..6 {
        let pipe = receive(&mut all, at(0), client(other, other));
        assert!(matches!(all.allow_pause(at(15), pipe.number), Ok(None)));
    }
    let one_more = receive(&mut all, at(0), client(9, 9));
    let cut = all.allow_pause(at(15), one_more.number);
    cut.expect("it has none yet").expect("one has to go")();
    assert_eq!(crowd.iter().filter(|pipe| pipe.is_cancelled()).count(), 1);
    assert!(!crowd[0].is_cancelled() && all.pauses.total() == 8);
}

#[test]
fn an_upload_that_may_pause_gives_its_slot_to_no_other() {
    let mut all = TransferRegistry::new([MIB; 3], 16, 8);
    let pipes = [1, 2, 3, 4, 5, 6, 7, 8]
        .map(|one| [0, 1].map(|_| receive(&mut all, at(0), client(one, one))));
    for pipe in pipes.iter().flatten().take(8) {
        assert!(matches!(all.allow_pause(at(15), pipe.number), Ok(None)));
    }
    let asks = queue_for_slot(&mut all, at(60), client(9, 9));
    assert_eq!(preempt(&mut all, at(60), asks.number), (1, true));
    let cut: Vec<bool> = pipes
        .iter()
        .flatten()
        .map(WatchedTransfer::is_cancelled)
        .collect();
    assert!(cut[..8].iter().all(|cut| !cut) && cut[8..].contains(&true));
}

#[test]
fn only_transfers_that_hold_bytes_under_the_short_ceiling_are_cancelled() {
    let mut all = transfers();
    let body = receive(&mut all, at(0), client(1, 1));
    let reads = [2, 3, 4, 5].map(|reader| send(&mut all, at(0), client(reader, reader), 8 * MIB));
    let (_, end) = flag();
    let render = all.start(at(60), client(6, 6), Priority::Render, end);
    let (render, _) = render.expect("its first");
    assert_eq!(all.request_bytes(render, MIB), Ok(()));
    // Bytes are free under the ceiling for renders, but not in total, because reads use the rest.
    assert_eq!(preempt(&mut all, at(60), render), (1, true));
    assert_eq!(reads.iter().filter(|read| read.is_cancelled()).count(), 1);
    all.end(render);
    // Bytes are short under the ceiling for renders and saves. Cancelling a read would not help.
    let mut pages = Vec::new();
    for reader in 10..13 {
        let (cut, end) = flag();
        let page = all.start(at(60), client(reader, reader), Priority::Render, end);
        let (number, _) = page.expect("its first");
        assert_eq!(all.request_bytes(number, 7 * MIB), Ok(()));
        assert_eq!(all.update(number, TransferState::confirm_bytes), Ok(()));
        pages.push(WatchedTransfer { number, cut });
    }
    let left = reads.iter().filter(|read| !read.is_cancelled());
    left.for_each(|read| _ = all.end(read.number));
    let (_, end) = flag();
    let render = all.start(at(62), client(6, 6), Priority::Render, end);
    let (render, _) = render.expect("its first");
    assert_eq!(all.request_bytes(render, MIB), Ok(()));
    assert_eq!(preempt(&mut all, at(62), render), (1, true));
    assert_eq!(pages.iter().filter(|page| page.is_cancelled()).count(), 1);
    assert!(!body.is_cancelled());
}
