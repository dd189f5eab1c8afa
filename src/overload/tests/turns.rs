//! The order of turns: who used least lately is next.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::Receiver;
use tokio::sync::oneshot::error::TryRecvError;

use super::{at, client};
use crate::fairness::ClientKey;
use crate::overload::turn_queue::{MAX_REMEMBERED, MAX_WAITING, Turn, TurnQueue};

const LONG: Duration = Duration::from_millis(100);
const TINY: Duration = Duration::from_micros(100);

/// Takes a turn that is there.
fn turn(receiver: &mut Receiver<Turn>) -> Turn {
    receiver.try_recv().expect("its turn")
}

/// Takes a turn at once and uses it for this long.
fn use_for(queue: &Arc<TurnQueue>, now: Duration, who: ClientKey, used: Duration) {
    let mut turn = turn(&mut queue.enter(now, who, TINY));
    turn.set_use(used);
}

/// Returns the clients in the order in which they get the only turn, after each has asked for it.
fn order(queue: &Arc<TurnQueue>, now: Duration, asks: &[(ClientKey, Duration)]) -> Vec<ClientKey> {
    let stranger = client(u64::MAX, u64::MAX);
    let held = turn(&mut queue.enter(now, stranger, TINY));
    let asks = asks
        .iter()
        .map(|(who, expected)| (*who, queue.enter(now, *who, *expected)));
    let mut waiting: Vec<_> = asks.collect();
    let (mut order, mut held) = (Vec::new(), Some(held));
    while !waiting.is_empty() {
        drop(held.take());
        let next = (waiting.iter_mut().enumerate())
            .find_map(|(at, (_, receiver))| Some((at, receiver.try_recv().ok()?)));
        let (at, turn) = next.expect("one has the turn");
        held = Some(turn);
        order.push(waiting.remove(at).0);
    }
    order
}

#[test]
fn the_network_that_used_least_lately_is_next_and_then_its_client_that_did() {
    // Given two clients of one network and one of another, of which each has used something
    let queue = TurnQueue::of(1);
    let [much, little, other] = [client(1, 1), client(1, 2), client(2, 1)];
    for (who, used) in [(much, 20), (little, 10), (other, 25)] {
        use_for(&queue, at(1), who, Duration::from_millis(used));
    }
    // When all wait, and the first has come first
    let asks = [much, little, other].map(|who| (who, TINY));
    // Then the network that has used less in sum is first
    assert_eq!(order(&queue, at(1), &asks), [other, little, much]);
}

#[test]
fn among_strangers_the_shortest_work_is_next_and_then_who_came_first() {
    let queue = TurnQueue::of(1);
    let [one, two, three] = [1, 2, 3].map(|network| client(network, 0));
    let asks = [(one, LONG), (two, LONG), (three, TINY)];
    assert_eq!(order(&queue, at(0), &asks), [three, one, two]);
}

#[test]
fn use_counts_half_after_five_seconds_and_is_forgotten() {
    let queue = TurnQueue::of(1);
    let [user, other] = [client(1, 0), client(2, 0)];
    let asks = [(user, TINY), (other, TINY)];
    use_for(&queue, at(0), user, LONG);
    use_for(&queue, at(4), other, LONG * 3 / 4);
    assert_eq!(order(&queue, at(4), &asks), [other, user]);
    // What the other uses after that counts in full
    use_for(&queue, at(5), other, LONG / 4);
    assert_eq!(order(&queue, at(5), &asks), [user, other]);
    // And when no client has used anything for long, who came first is first
    for second in 2..30 {
        assert_eq!(order(&queue, at(5 * second), &[]), []);
    }
    assert_eq!(order(&queue, at(150), &[asks[1], asks[0]]), [other, user]);
}

#[test]
fn a_newcomer_with_a_tiny_page_is_next_whatever_others_do() {
    // Given sixteen networks that always wait for eight long renders each, on two cores
    let queue = TurnQueue::of(2);
    let ask = |network, now| (network, queue.enter(now, client(network, 0), LONG));
    let mut waiting: Vec<_> = (0..16 * 8).map(|at| ask(at % 16, Duration::ZERO)).collect();
    let (mut rendering, mut served) = (VecDeque::new(), [0; 16]);
    let mut now = Duration::ZERO;
    for _ in 0..200 {
        waiting.retain_mut(|(network, receiver)| {
            let turn = receiver.try_recv();
            let waits = turn.is_err();
            rendering.extend(turn.map(|turn| (*network, turn)));
            waits
        });
        now += LONG / 2;
        let (network, mut turn) = rendering.pop_front().expect("two render");
        served[usize::try_from(network).expect("one of 16")] += 1;
        waiting.push(ask(network, now));
        turn.set_use(LONG);
    }
    assert!(
        served.iter().all(|count| (12..=13).contains(count)),
        "{served:?}"
    );
    // When a newcomer comes
    let mut newcomer = queue.enter(now, client(99, 0), TINY);
    // Then it has the next turn that comes free
    drop(rendering.pop_front().expect("one renders"));
    drop(turn(&mut newcomer));
}

#[test]
fn a_client_has_a_quarter_of_the_turns_and_a_network_half() {
    for (turns, of_client, of_network) in [(1, 1, 1), (2, 1, 1), (4, 1, 2), (16, 4, 8)] {
        let queue = TurnQueue::of(turns);
        let take = |network, clients: std::ops::Range<u64>| -> Vec<Turn> {
            let asks = clients.flat_map(|who| std::iter::repeat_n(client(network, who), 8));
            asks.filter_map(|who| queue.enter(at(0), who, TINY).try_recv().ok())
                .collect()
        };
        let first = take(1, 1..2);
        assert_eq!(first.len(), of_client, "{turns}");
        let rest = take(1, 2..20);
        assert_eq!(first.len() + rest.len(), of_network, "{turns}");
        assert_eq!(take(2, 20..21).is_empty(), turns == 1, "a stranger has one");
        drop((first, rest));
        assert_eq!(take(1, 1..20).len(), of_network, "they were given back");
    }
}

#[test]
fn a_network_that_waits_too_often_leaves_its_first_place() {
    // Given a network with as many waiters as it may have
    let queue = TurnQueue::of(1);
    let held = turn(&mut queue.enter(at(0), client(0, 0), TINY));
    let waiting = |who| queue.enter(at(0), client(1, who), TINY);
    let mut crowd: Vec<_> = (0..MAX_WAITING as u64).map(waiting).collect();
    let mut other = queue.enter(at(0), client(2, 0), LONG);
    // When one more comes
    crowd.push(waiting(0));
    // Then the first has left the queue, and no other waiter
    let has_left = |it: &mut Receiver<Turn>| it.try_recv().err() == Some(TryRecvError::Closed);
    assert!(has_left(&mut crowd[0]));
    assert!(!crowd.iter_mut().skip(1).any(has_left) && !has_left(&mut other));
    drop((crowd, held));
    drop(turn(&mut other));
}

#[test]
fn a_turn_that_nobody_takes_is_passed_on() {
    let queue = TurnQueue::of(1);
    let held = turn(&mut queue.enter(at(0), client(0, 0), TINY));
    let [gone, late, patient] = [1, 2, 3].map(|who| queue.enter(at(0), client(who, who), TINY));
    // When one has stopped waiting, and another one does after it has got the turn
    drop((gone, held));
    drop(late);
    // Then the third one has it
    let mut patient = patient;
    drop(turn(&mut patient));
    assert_eq!(queue.in_use(), 0);
}

#[test]
fn the_use_of_about_4096_clients_is_known() {
    let queue = TurnQueue::of(1);
    let heavy = client(u64::MAX, 0);
    use_for(&queue, at(0), heavy, Duration::from_secs(1));
    for who in 0..MAX_REMEMBERED as u64 * 2 {
        use_for(&queue, at(0), client(who, who), TINY);
    }
    assert!(queue.remembered() <= MAX_REMEMBERED + 32);
    // The one that used most is still known
    let asks = [(heavy, TINY), (client(7, 7), TINY)];
    assert_eq!(order(&queue, at(0), &asks), [client(7, 7), heavy]);
}
