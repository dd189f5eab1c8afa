//! Fairness: what a flooder cannot do to others.

use super::*;

#[test]
fn one_client_holds_at_most_a_quarter_of_the_room_and_one_network_at_most_a_half() {
    let mut all = transfers();
    for one in 0..2 {
        for _ in 0..8 {
            send(&mut all, at(0), client(1, one), MIB);
        }
        assert!(try_send(&mut all, at(0), client(1, one), 1).is_err());
    }
    assert!(try_send(&mut all, at(0), client(1, 2), 1).is_err());
    assert!(try_send(&mut all, at(0), client(2, 3), 8 * MIB).is_ok());
}

#[test]
fn what_is_larger_than_a_share_is_let_in_when_its_client_has_nothing_else() {
    let mut all = transfers();
    send(&mut all, at(0), client(1, 1), 30 * MIB);
    assert!(try_send(&mut all, at(0), client(1, 1), 1).is_err());
}

#[test]
fn one_client_has_at_most_an_eighth_of_the_places_and_one_network_at_most_a_half() {
    let mut all = transfers();
    for one in 0..4 {
        for _ in 0..64 {
            receive(&mut all, at(0), client(1, one));
        }
        assert!(try_receive(&mut all, at(0), client(1, one)).is_err());
    }
    assert!(try_receive(&mut all, at(0), client(1, 4)).is_err());
    assert!(try_receive(&mut all, at(0), client(2, 5)).is_ok());
}

/// A network whose two clients hold all that they may, since just now.
fn flood(all: &mut Transfers, now: Duration, network: u64) -> Vec<Watched> {
    let who = |turn: u64| client(network, 100 * network + turn % 2);
    (0..16).map(|turn| send(all, now, who(turn), MIB)).collect()
}

#[test]
fn a_flooders_young_transfers_make_room_for_somebody_with_less() {
    let mut all = transfers();
    let flooders = [flood(&mut all, at(9), 1), flood(&mut all, at(9), 2)];
    let (_, end) = flag();
    let asks = all.begin(at(9), client(3, 3), Direction::Sending, Class::Read, end);
    let asks = asks.expect("its first");
    assert_eq!(all.want(asks, 2 * MIB), Ok(()));
    assert!(all.is_light(asks, BYTES));
    assert_eq!(make_room(&mut all, at(9), asks, BYTES, 2 * MIB), 2);
    let cut = flooders.iter().flatten().filter(|it| it.was_cut()).count();
    assert_eq!(cut, 2);
}

#[test]
fn a_flooder_makes_nobody_go_who_holds_less_and_does_not_queue_in_front() {
    let mut all = transfers();
    let innocent = send(&mut all, at(0), client(3, 3), MIB);
    let _flooders = flood(&mut all, at(58), 1);
    let mine = send(&mut all, at(58), client(2, 2), 7 * MIB);
    let more = send(&mut all, at(58), client(2, 22), 8 * MIB);
    all.moved(at(60), mine.number, 1 << 30);
    assert_eq!(all.want(mine.number, MIB), Ok(()));
    assert!(
        all.is_light(mine.number, BYTES),
        "the other flooder has as much"
    );
    all.end(more.number);
    // The heavier flooder goes for the lighter, and the innocent for neither, though its reader stands.
    assert_eq!(make_room(&mut all, at(60), mine.number, BYTES, MIB), 1);
    assert!(!innocent.was_cut());
}

#[test]
fn whoever_holds_the_most_does_not_queue_and_ends_only_what_is_slow_of_its_own() {
    let mut all = transfers();
    let innocent = send(&mut all, at(0), client(3, 3), MIB);
    let old = send(&mut all, at(0), client(1, 1), MIB);
    let new = send(&mut all, at(60), client(1, 1), 2 * MIB);
    assert_eq!(all.want(new.number, MIB), Ok(()));
    assert!(!all.is_light(new.number, BYTES));
    assert_eq!(make_room(&mut all, at(60), new.number, BYTES, 2 * MIB), 1);
    assert!(old.was_cut() && !innocent.was_cut() && !new.was_cut());
}

#[test]
fn six_clients_whose_bodies_never_come_do_not_end_a_pipe() {
    let mut all = transfers();
    let pipe = receive(&mut all, at(0), client(9, 9));
    for flooder in 0..6 {
        for turn in 0..100 {
            assert_eq!(
                try_receive(&mut all, at(14), client(flooder, flooder)).is_ok(),
                turn < 64
            );
        }
    }
    let next = receive(&mut all, at(14), client(6, 6));
    assert_eq!(make_room(&mut all, at(14), next.number, Need::Place, 1), 1);
    for _ in 0..63 {
        receive(&mut all, at(14), client(6, 6));
    }
    let next = receive(&mut all, at(14), client(7, 7));
    for _ in 0..300 {
        make_room(&mut all, at(14), next.number, Need::Place, 1);
    }
    assert!(!pipe.was_cut() && !next.was_cut());
}

#[test]
fn for_bytes_nobody_goes_who_holds_none_nor_who_holds_them_under_another_ceiling() {
    let mut all = transfers();
    let body = receive(&mut all, at(0), client(1, 1));
    let read = send(&mut all, at(0), client(2, 2), 8 * MIB);
    let asks = send(&mut all, at(60), client(3, 3), 1);
    let renders = Need::Room(Class::Render);
    assert_eq!(make_room(&mut all, at(60), asks.number, renders, MIB), 0);
    assert_eq!(make_room(&mut all, at(60), asks.number, BYTES, MIB), 1);
    assert!(read.was_cut() && !body.was_cut());
}

#[test]
fn among_equals_only_what_is_slow_goes_and_it_goes_once() {
    let mut all = transfers();
    let slow = send(&mut all, at(0), client(1, 1), MIB);
    let fast = send(&mut all, at(0), client(2, 2), MIB);
    all.moved(at(58), fast.number, 1 << 30);
    let asks = send(&mut all, at(60), client(3, 3), MIB);
    assert_eq!(make_room(&mut all, at(60), asks.number, BYTES, 9 * MIB), 1);
    assert!(slow.was_cut() && !fast.was_cut());
    assert_eq!((all.cuts(), all.count()), (1, 3));
}

#[test]
fn a_reader_of_seventy_kibibytes_a_second_is_not_slow_between_two_wakes_of_the_system() {
    let mut all = transfers();
    let reader = send(&mut all, at(0), client(1, 1), MIB);
    // A third of 4 MiB every 20 seconds, after the buffer was filled.
    all.moved(at(0), reader.number, 4 << 20);
    for wake in 1..10 {
        all.moved(at(20 * wake), reader.number, 4 << 20);
        let asks = send(&mut all, at(20 * wake + 19), client(2, 2), MIB);
        assert_eq!(
            make_room(&mut all, at(20 * wake + 19), asks.number, BYTES, MIB),
            0
        );
        all.end(asks.number);
    }
    let asks = send(&mut all, at(211), client(2, 2), MIB);
    assert_eq!(make_room(&mut all, at(211), asks.number, BYTES, MIB), 1);
}

#[test]
fn a_client_has_four_that_pause_and_the_slowest_of_the_heaviest_goes_for_one_too_many() {
    let mut all = Transfers::new(1 << 20, 512, 8);
    let crowd: Vec<Watched> = (0..5)
        .map(|_| receive(&mut all, at(0), client(1, 1)))
        .collect();
    for pipe in &crowd[..4] {
        assert!(matches!(all.be_patient(at(15), pipe.number), Ok(None)));
    }
    assert!(all.be_patient(at(15), crowd[4].number).is_err());
    all.moved(at(15), crowd[0].number, 10);
    for other in 2..6 {
        let pipe = receive(&mut all, at(0), client(other, other));
        assert!(matches!(all.be_patient(at(15), pipe.number), Ok(None)));
    }
    let one_more = receive(&mut all, at(0), client(9, 9));
    let cut = all.be_patient(at(15), one_more.number);
    cut.expect("it has none yet").expect("one has to go")();
    assert_eq!(crowd.iter().filter(|pipe| pipe.was_cut()).count(), 1);
    assert!(!crowd[0].was_cut() && all.patient() == 8);
}

#[test]
fn who_may_pause_makes_no_place_for_another() {
    let mut all = transfers();
    let pipes: Vec<Watched> = (0..2)
        .map(|_| receive(&mut all, at(0), client(1, 1)))
        .collect();
    for pipe in &pipes {
        assert!(matches!(all.be_patient(at(15), pipe.number), Ok(None)));
    }
    let asks = receive(&mut all, at(60), client(2, 2));
    assert_eq!(make_room(&mut all, at(60), asks.number, Need::Place, 1), 0);
}

#[test]
fn a_client_has_so_many_transfers_and_no_more_and_none_is_forgotten() {
    let mut all = transfers();
    for _ in 0..MOST_PER_CLIENT {
        send(&mut all, at(0), client(1, 1), 0);
    }
    assert!(try_send(&mut all, at(0), client(1, 1), 0).is_err());
    let last = send(&mut all, at(0), client(1, 2), 0);
    for number in 1..=last.number {
        all.end(number);
    }
    assert_eq!(all.count(), 0);
}
