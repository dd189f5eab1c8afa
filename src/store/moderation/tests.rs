//! The lists against naive twins, and the promises to networks that report little.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::fairness::ClientKey;
use crate::paste::Timestamp;

fn id(number: u64) -> PasteId {
    PasteId::from_random(number.to_be_bytes())
}

fn report(paste: u64, network: u64, client: u64, bytes: usize) -> Report {
    Report {
        paste: id(paste),
        slug: None,
        client: ClientKey { network, client },
        at: Timestamp::default(),
        note: Note::new(&"x".repeat(bytes)).unwrap(),
    }
}

fn add(moderation: &Moderation, report: Report) -> Vec<RowChange> {
    let change = ModerationChange::Report(report);
    moderation.apply(&change, |paste| paste).unwrap()
}

fn block(content: &[u8]) -> ModerationChange {
    ModerationChange::Block(Block {
        hash: ContentHash::of(content),
        since: Timestamp::default(),
        note: None,
    })
}

#[test]
fn a_hundred_thousand_reports_of_one_network_push_out_no_other_network() {
    // Given a report of a quiet network
    let moderation = Moderation::default();
    add(&moderation, report(1, 1, 1, Note::MAX_CHARS));
    // When another network with many clients floods
    for number in 0..100_000 {
        add(&moderation, report(2 + number, 9, number % 777, 1));
    }
    // Then the report is still there
    let kept = moderation.reports(|_| true);
    assert!(kept.iter().any(|report| report.client.network == 1));
    assert!(kept.len() > 5000);
}

#[test]
fn a_full_list_of_blocks_refuses_the_next_one_and_drops_none() {
    let moderation = Moderation::default();
    let is_blocked = |content: &[u8]| moderation.is_blocked(ContentHash::of(content));
    assert!(!moderation.has_blocks());
    let apply = |change| moderation.apply(&change, |paste| paste);
    for number in 0..Block::MOST {
        apply(block(number.to_string().as_bytes())).unwrap();
    }
    assert_eq!(apply(block(b"one more")), Err(StoreError::TooManyBlocks));
    assert_eq!(apply(block(b"7")), Ok(Vec::new()));
    assert!(is_blocked(b"0") && !is_blocked(b"one more"));
    // When one is unblocked, there is room
    apply(ModerationChange::Unblock(ContentHash::of(b"0"))).unwrap();
    let again = ModerationChange::Unblock(ContentHash::of(b"0"));
    assert_eq!(apply(again), Err(StoreError::NotListed));
    apply(block(b"one more")).unwrap();
    assert!(!is_blocked(b"0") && is_blocked(b"one more"));
}

/// A list of reports without any index, oldest first.
#[derive(Default)]
struct Naive(Vec<Report>);

impl Naive {
    fn add(&mut self, new: Report) {
        let same = |it: &Report| it.paste == new.paste && it.client.network == new.client.network;
        if self.0.iter().any(same) {
            return;
        }
        self.0.push(new);
        let charge = |it: &Report| Report::OVERHEAD + it.note.as_str().len();
        // The new report counts for its network, but it does not leave itself.
        while self.0.iter().map(charge).sum::<usize>() > Report::ROOM {
            let (mut networks, mut clients) = (BTreeMap::new(), BTreeMap::new());
            for it in &self.0 {
                *networks.entry(it.client.network).or_insert(0) += charge(it);
                *clients.entry(it.client).or_insert(0) += charge(it);
            }
            let network = *networks
                .iter()
                .max_by_key(|(key, weight)| (**weight, **key))
                .unwrap()
                .0;
            let own = clients.iter().filter(|(key, _)| key.network == network);
            let victim = *own.max_by_key(|(key, weight)| (**weight, **key)).unwrap().0;
            self.0
                .remove(self.0.iter().position(|it| it.client == victim).unwrap());
        }
    }
}

#[test]
fn reports_leave_as_a_list_without_indexes_says() {
    let steps = prop::collection::vec(
        (
            0..9000_u64,
            0..4_u64,
            0..3_u64,
            1..=Note::MAX_CHARS,
            0..40_u8,
        ),
        0..60,
    );
    // The lists are long, so there are few cases.
    let cases = ProptestConfig::default().cases.div_ceil(16);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let tested = runner.run(&steps, |steps| {
        let (moderation, mut naive) = (Moderation::default(), Naive::default());
        // The lists are nearly full from the start, with reports of other pastes.
        for number in 0..5100 {
            let full = report(1_000_000 + number, number % 5, number % 3, 20);
            add(&moderation, full.clone());
            naive.0.push(full);
        }
        for (paste, network, client, bytes, kind) in steps {
            if kind == 0 {
                moderation.forget(id(paste));
                naive.0.retain(|it| it.paste != id(paste));
            } else {
                add(&moderation, report(paste, network, client, bytes));
                naive.add(report(paste, network, client, bytes));
            }
        }
        let mut expected = naive.0;
        expected.reverse();
        prop_assert_eq!(moderation.reports(|_| true), expected);
        Ok(())
    });
    tested.unwrap();
}

/// A list of reserved ids without any index, oldest first: id, owner and the time at which it is free.
#[derive(Default)]
struct NaiveReservations(Vec<(u64, u8, u64)>);

impl NaiveReservations {
    fn reserve(&mut self, now: u64, key: u64, owner: u8) {
        self.0.retain(|(known, ..)| *known != key);
        if self.0.len() == Reservations::MOST {
            self.0.retain(|(.., until)| *until > now);
        }
        if self.0.len() == Reservations::MOST {
            let mut counts = BTreeMap::from([(owner, 1)]);
            for (_, it, _) in &self.0 {
                *counts.entry(*it).or_insert(0) += 1;
            }
            let oldest = |owner| self.0.iter().position(|(_, it, _)| *it == owner);
            let (heaviest, _) = counts
                .into_iter()
                .max_by_key(|(it, count)| (*count, Reverse(oldest(*it))))
                .unwrap();
            self.0.remove(oldest(heaviest).unwrap());
        }
        self.0.push((key, owner, now + 86_400_000));
    }

    fn is_reserved(&self, now: u64, key: u64) -> bool {
        let mut found = self.0.iter().filter(|(known, ..)| *known == key);
        found.any(|(.., until)| *until > now)
    }
}

#[test]
fn no_owner_brings_an_address_back_that_the_operator_removed() {
    let moderation = Moderation::default();
    let (now, owner) = (Timestamp::from_millis(1), [7; 16]);
    // Given two addresses of an owner, one deleted and one removed by the operator
    moderation.reserve(now, id(1), owner, Reason::Deleted);
    moderation.reserve(now, id(2), owner, Reason::RemovedByOperator);
    // When the owner's pastes fill the list
    for number in 0..Reservations::MOST as u64 {
        moderation.reserve(now, id(1000 + number), owner, Reason::Deleted);
    }
    // Then its own reservation made room, and the operator's is kept
    assert!(!moderation.is_reserved(now, id(1)));
    assert!(moderation.is_reserved(now, id(2)));
}

#[test]
fn ids_are_reserved_as_a_list_without_indexes_says() {
    let steps = prop::collection::vec(
        (
            0..60_u64,
            0..6_u8,
            prop_oneof![9 => 0..1000_u64, 1 => 40_000_000..90_000_000_u64],
        ),
        1..80,
    );
    // The lists are long, so there are few cases.
    let cases = ProptestConfig::default().cases.div_ceil(8);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let tested = runner.run(&steps, |steps| {
        let at = |now: u64| Timestamp::from_millis(now);
        let (moderation, mut naive, mut now) =
            (Moderation::default(), NaiveReservations::default(), 1);
        let mut rows = std::collections::BTreeMap::new();
        let mut reserve = |naive: &mut NaiveReservations, now: u64, key: u64, owner: u8| {
            naive.reserve(now, key, owner);
            for change in moderation.reserve(at(now), id(key), [owner; 16], Reason::Deleted) {
                match change {
                    RowChange::Insert(seq, row) => assert_eq!(rows.insert(seq, row), None),
                    RowChange::Delete(seq) => assert!(rows.remove(&seq).is_some()),
                }
            }
        };
        // The list is nearly full from the start, with ids of three owners.
        for number in 0..Reservations::MOST as u64 - 10 {
            reserve(
                &mut naive,
                now,
                1000 + number,
                u8::try_from(number % 3).unwrap(),
            );
            now += 1;
        }
        for (key, owner, after) in steps {
            now += after;
            reserve(&mut naive, now, key, owner);
        }
        prop_assert_eq!(rows.len(), naive.0.len());
        // The rows are the same after a restart
        let restarted = Moderation::default();
        restarted.replace(rows, |id| id);
        for key in (0..60).chain(1000..1000 + Reservations::MOST as u64) {
            let expected = naive.is_reserved(now, key);
            prop_assert_eq!(moderation.is_reserved(at(now), id(key)), expected);
            prop_assert_eq!(restarted.is_reserved(at(now), id(key)), expected);
        }
        Ok(())
    });
    tested.unwrap();
}
