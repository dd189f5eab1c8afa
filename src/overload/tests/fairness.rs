//! Tests of fairness: a flooding client must not displace other clients.

use super::*;
use crate::overload::victim::MAX_LOOKS;

#[test]
fn eight_flooders_whose_bodies_never_come_do_not_cancel_a_pipe() {
    // Given room for 512 bodies of which nothing has arrived, all in use: flooding clients have 511, and the client that
    // sends a pipe's output has one
    let mut all = Register::new(5 * MIB);
    all.limit_connections(10_000);
    let body = |all: &mut Register, now, who| ask(all, now, who, Priority::Save, 8 * KIB);
    let (pipe, held) = body(&mut all, at(0), client(9, 9));
    assert_eq!(held, Ok(true));
    let mut flood = Vec::new();
    for flooder in 0..8 {
        for _ in 0..if flooder < 7 { 64 } else { 63 } {
            let (handle, held) = body(&mut all, at(14), client(flooder, flooder));
            assert_eq!(held, Ok(true));
            flood.push(handle);
        }
    }
    // When another client starts one, one of a flooder makes room, however often it asks
    let (next, held) = body(&mut all, at(14), client(10, 10));
    assert_eq!((held, revoked(&flood)), (Ok(false), 1));
    for _ in 0..300 {
        assert_eq!(all.hold(next.number, at(14), 8 * KIB, true), Ok(false));
    }
    assert_eq!(revoked(&flood), 1);
    let first = flood.iter().find(|handle| handle.is_revoked()).unwrap();
    all.end_message(first.number);
    assert_eq!(all.lacks(next.number, 8 * KIB), Ok(0));
    // And one of the flooder with the fewest gets the place of another when that is slow
    let (of_flooder, _) = body(&mut all, at(14), client(7, 7));
    assert_eq!(revoked(&flood), 1);
    assert_eq!(
        all.hold(of_flooder.number, at(15), 8 * KIB, true),
        Ok(false)
    );
    assert_eq!(revoked(&flood), 2);
    assert!(!pipe.is_revoked() && !next.is_revoked());
}

#[test]
fn a_reader_of_70_kib_per_second_is_not_slow_between_two_system_wakes() {
    let mut all = register();
    let reader = send(&mut all, at(0), client(1, 1), Priority::Read, 20 * MIB);
    // After the buffer was filled, the client reads a third of 4 MiB every 20 seconds.
    reader.record_progress(at(0), 4 << 20);
    let asks = |all: &mut Register, now| {
        let (asks, held) = ask(all, now, client(2, 2), Priority::Read, 20 * MIB);
        assert_eq!(held, Ok(false));
        all.end_message(asks.number);
    };
    for wake in 1..10 {
        reader.record_progress(at(20 * wake), 4 << 20);
        asks(&mut all, at(20 * wake + 19));
        assert!(!reader.is_revoked());
    }
    asks(&mut all, at(210));
    assert!(reader.is_revoked());
}

#[test]
fn a_search_gives_up_after_its_maximum_of_looks() {
    let mut all = register();
    // All clients weigh the same as the waiting one, and their messages are young. So none has to make room. Each
    // client costs two looks.
    let clients = MAX_LOOKS as u64 / 2;
    let bytes = 32 * MIB / (clients + 2);
    let get = Priority::Read;
    let ready = send(&mut all, at(0), client(0, 0), get, bytes);
    let young = (1..=clients).map(|it| send(&mut all, at(60), client(it, it), get, bytes));
    let young: Vec<_> = young.collect();
    let rest = bytes / 2 + 32 * MIB % (clients + 2);
    let fills = send(&mut all, at(60), client(u64::MAX, 0), get, rest);
    let (asks, held) = ask(&mut all, at(60), client(clients + 1, 0), get, bytes);
    assert_eq!(held, Ok(false));
    assert!(!ready.is_revoked() && !fills.is_revoked());
    // Among clients of the same weight, the slow message comes last. With one client less before it, the search finds
    // the slow message.
    all.end_message(young[0].number);
    send(
        &mut all,
        at(60),
        client(u64::MAX - 1, 0),
        get,
        bytes / 2 - 1,
    );
    assert_eq!(all.hold(asks.number, at(60), bytes, true), Ok(true));
    all.end_message(asks.number);
    send(&mut all, at(60), client(u64::MAX - 2, 0), get, bytes / 2);
    let (_, held) = ask(&mut all, at(60), client(clients + 1, 0), get, bytes);
    assert_eq!(held, Ok(false));
    assert!(ready.is_revoked() && revoked(&young) == 0);
}

#[test]
fn a_client_has_four_pauses_and_the_slowest_of_the_heaviest_makes_room() {
    let mut all = register();
    let pipe = |all: &mut Register, who| send(all, at(0), who, Priority::Save, 8 * KIB);
    let crowd: Vec<_> = (0..5).map(|_| pipe(&mut all, client(1, 1))).collect();
    for pipe in &crowd[..4] {
        assert_eq!(all.allow_pause(pipe.number, at(15)), Ok(()));
    }
    let fifth = all.allow_pause(crowd[4].number, at(15));
    assert_eq!(fifth, Err(QuotaError::OverShare));
    crowd[0].record_progress(at(15), 10);
    // When all others have fewer, and all pauses are in use
    for other in 0..124 {
        let pipe = pipe(&mut all, client(2 + other, 2 + other));
        assert_eq!(all.allow_pause(pipe.number, at(15)), Ok(()));
    }
    let one_more = pipe(&mut all, client(900, 900));
    assert_eq!(all.allow_pause(one_more.number, at(15)), Ok(()));
    // Then one of these four makes room, but not the fastest
    assert!(!crowd[0].is_revoked() && revoked(&crowd) == 1 && !one_more.is_revoked());
    assert_eq!(all.pauses.total(), 128);
}

#[test]
fn a_network_has_64_pauses() {
    let mut all = register();
    for turn in 0..65 {
        let pipe = send(
            &mut all,
            at(0),
            client(1, turn / 4),
            Priority::Save,
            8 * KIB,
        );
        let allowed = all.allow_pause(pipe.number, at(15));
        assert_eq!(allowed.is_ok(), turn < 64, "{turn}");
    }
}

#[test]
fn only_messages_that_hold_bytes_under_the_short_ceiling_make_room() {
    let mut all = register();
    let body = send(&mut all, at(0), client(1, 1), Priority::Save, 8 * KIB);
    let reads = [2, 3, 4, 5].map(|it| {
        let bytes = 8 * MIB - 2 * KIB;
        send(&mut all, at(0), client(it, it), Priority::Read, bytes)
    });
    let (render, held) = ask(&mut all, at(60), client(6, 6), Priority::Render, MIB);
    // Bytes are free under the ceiling for renders, but not in total, because reads use the rest.
    assert_eq!((held, revoked(&reads)), (Ok(false), 1));
    all.end_message(render.number);
    // Bytes are short under the ceiling for renders. A read that ended would not help.
    for read in reads.iter().filter(|read| read.is_revoked()) {
        all.end_message(read.number);
    }
    let left = reads.iter().filter(|read| !read.is_revoked());
    left.skip(1).for_each(|read| all.end_message(read.number));
    let pages =
        [10, 11].map(|it| send(&mut all, at(60), client(it, it), Priority::Render, 9 * MIB));
    let (_, held) = ask(&mut all, at(62), client(6, 6), Priority::Render, 2 * MIB);
    assert_eq!((held, revoked(&pages), revoked(&reads)), (Ok(false), 1, 1));
    assert!(!body.is_revoked());
}

#[test]
fn renders_are_refused_first_then_saves_and_reads_last() {
    let mut all = Register::new(10 * MIB);
    all.limit_connections(10);
    let mut who = 0;
    let mut take = |all: &mut Register, priority, mib| {
        who += 1;
        let handle = start(all, at(0), client(who, who), priority);
        all.hold(handle.number, at(0), mib * MIB, false) == Ok(true)
    };
    // Six tenths are for renders, eight for renders and saves, and the rest is for reads.
    for (priority, mib) in [
        (Priority::Render, 6),
        (Priority::Save, 2),
        (Priority::Read, 2),
    ] {
        assert!(take(&mut all, priority, mib));
        assert!(!take(&mut all, priority, 1));
    }
}

#[test]
fn a_message_larger_than_the_budget_is_admitted_alone() {
    let mut all = register();
    let whole = send(&mut all, at(0), client(1, 1), Priority::Read, 100 * MIB);
    let other = start(&mut all, at(0), client(2, 2), Priority::Read);
    assert!(all.hold(other.number, at(0), 1, false) == Ok(false));
    all.end_message(whole.number);
    assert!(all.hold(other.number, at(0), 1, false) == Ok(true));
}

#[test]
fn at_most_512_messages_wait_and_the_heaviest_goes_for_one_more() {
    // Given no room, and 512 messages that wait, one of which asks for more than the others
    let mut all = register();
    send(&mut all, at(0), client(0, 0), Priority::Read, 8 * MIB);
    for other in 1..=3 {
        send(
            &mut all,
            at(0),
            client(other, other),
            Priority::Read,
            8 * MIB,
        );
    }
    let waits =
        |all: &mut Register, who, bytes| ask(all, at(0), client(who, who), Priority::Save, bytes).0;
    let heavy = waits(&mut all, 10, 2 * KIB);
    let others: Vec<_> = (11..522).map(|who| waits(&mut all, who, KIB)).collect();
    assert!(!heavy.is_revoked());
    // When one more asks for bytes without a wait, no message is revoked
    let lent = start(&mut all, at(0), client(600, 600), Priority::Read);
    assert_eq!(all.hold(lent.number, at(0), KIB, false), Ok(false));
    assert!(!heavy.is_revoked());
    // When one more waits
    let last = waits(&mut all, 522, KIB);
    // Then it goes, and one that asks for as much is refused at once
    assert!(heavy.is_revoked() && !last.is_revoked());
    let (_, refused) = ask(&mut all, at(0), client(523, 523), Priority::Save, 4 * KIB);
    assert_eq!((refused, revoked(&others)), (Err(QuotaError::Cancelled), 0));
}

#[test]
fn revoked_bytes_are_counted_until_they_are_given_back_to_others() {
    // Given a client that holds most, and two that wait
    let mut all = register();
    let heavy = send(&mut all, at(0), client(1, 1), Priority::Read, 30 * MIB);
    let (second, _) = ask(&mut all, at(0), client(2, 2), Priority::Read, 5 * MIB);
    let (first, _) = ask(&mut all, at(0), client(3, 3), Priority::Read, 3 * MIB);
    // Then the first one is revoked, and nobody gets its bytes before it has given them back
    assert!(heavy.is_revoked());
    let holds = |all: &Register| [&first, &second].map(|it| all.lacks(it.number, MIB) == Ok(0));
    assert_eq!(holds(&all), [false, false]);
    all.release(heavy.number);
    assert_eq!(holds(&all), [true, true]);
    // And it gets no more
    let more = all.hold(heavy.number, at(9), MIB, true);
    assert_eq!(more, Err(QuotaError::Cancelled));
}

#[test]
fn a_read_that_cannot_be_repeated_keeps_its_bytes_until_it_is_sent() {
    // Given a read that uses up a paste now, and one that does so later, both of the heaviest network
    let mut all = register();
    let last = send(&mut all, at(0), client(1, 1), Priority::Read, 8 * MIB);
    let late = send(&mut all, at(0), client(1, 2), Priority::Read, 8 * MIB);
    assert_eq!(all.set_last_read(last.number), Ok(()));
    let needy = |all: &mut Register, who| {
        let (handle, _) = ask(all, at(9), client(who, who), Priority::Read, 8 * MIB);
        all.hold(handle.number, at(9), 8 * MIB, true)
    };
    // When others need the bytes of both
    for who in 2..6 {
        let _waits = needy(&mut all, who);
    }
    // Then only the second has to give them back, and may not use up its paste any more
    assert!(late.is_revoked() && !last.is_revoked());
    assert_eq!(all.set_last_read(late.number), Err(QuotaError::Cancelled));
    // But once it has begun to be sent, it makes room as any other
    last.record_progress(at(9), 1);
    let _waits = needy(&mut all, 6);
    assert!(last.is_revoked());
}
