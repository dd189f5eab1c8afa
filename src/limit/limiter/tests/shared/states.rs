//! These tests specify the bytes of an entry in the engine.

use proptest::prelude::*;

use super::super::super::bucket::Bucket;
use super::super::super::entry_layout::EntryLayout;
use super::super::super::shared::EntryState;
use super::*;
use crate::limit::policy::Rate;

fn layout() -> EntryLayout {
    let save = "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d";
    EntryLayout::new(limits(save, "rate 100/s burst 1000", "off"), true)
}

fn now() -> u64 {
    u64::try_from(EPOCH.as_nanos()).unwrap()
}

/// Returns the states in the engine after these requests: an action, a number of bytes, and seconds since the last.
fn states(requests: &[(bool, u64, u64)]) -> Vec<Vec<u8>> {
    let save = "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d";
    let nodes = Nodes::new(1, &limits(save, "rate 100/s burst 1000", "off"));
    let mut now = Duration::ZERO;
    for (is_save, bytes, later) in requests {
        now += seconds(*later);
        let request = if *is_save { super::save(*bytes) } else { READ };
        let _ = nodes.limiters[0].admit(now, client(1, 1), request);
    }
    nodes.settle(now);
    let entries = nodes.engine.entries.lock();
    entries.values().map(|(_, state)| state.clone()).collect()
}

proptest! {
    #[test]
    fn a_state_survives_the_way_to_the_engine_and_back(
        requests in prop::collection::vec((any::<bool>(), 0..1_000_000_u64, 0..5_000_u64), 1..60),
    ) {
        let much_later = now() + 1_000_000 * SECOND;
        for bytes in states(&requests) {
            let state = EntryState::decode(&layout(), much_later, &bytes).expect("our own bytes");
            prop_assert_eq!(state.encode(), bytes);
        }
    }

    #[test]
    fn bytes_of_others_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        let _ = EntryState::decode(&layout(), now(), &bytes);
    }

    #[test]
    fn damaged_bytes_never_panic_and_never_stop_the_limiter(
        place in 0..400_usize,
        byte in any::<u8>(),
    ) {
        let mut bytes = states(&[(true, 5, 0), (true, 7, 3600), (false, 0, 0)]).remove(0);
        let place = place % bytes.len();
        bytes[place] = byte;
        let nodes = Nodes::new(1, &limits("rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d",
            "rate 100/s burst 1000", "off"));
        let (limiter, subject) = (&nodes.limiters[0], client(1, 1));
        let _ = finish(limiter.admit_exact(seconds(0), subject, super::save(1)));
        for (_, state) in nodes.engine.entries.lock().values_mut() {
            state.clone_from(&bytes);
        }
        for now in [0, 3600, 200_000] {
            let _ = limiter.admit(seconds(now), subject, READ);
            let _ = finish(limiter.admit_exact(seconds(now), subject, super::save(1)));
            finish(limiter.settle(seconds(now), true));
            let _ = limiter.remaining_quotas(seconds(now), subject, Action::Save);
        }
    }
}

#[test]
fn every_cut_state_and_every_other_format_is_refused() {
    let bytes = states(&[(true, 5, 0), (true, 7, 3600)]).remove(0);
    for length in 0..bytes.len() {
        assert!(EntryState::decode(&layout(), now(), &bytes[..length]).is_none());
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(EntryState::decode(&layout(), now(), &longer).is_none());
    let later_format = [&[2], &bytes[1..]].concat();
    assert!(EntryState::decode(&layout(), now(), &later_format).is_none());
}

#[test]
fn a_node_whose_clock_is_a_year_ahead_does_not_stop_time_on_the_others() {
    let engine = Arc::new(MapEngine::default());
    let rules = limits("off", "rate 1/s burst 5, quota 5/1m", "off");
    let [ahead, right] = [(); 2].map(|()| node(rules.clone(), &engine));
    let (subject, year) = (client(1, 1), seconds(365 * 86_400));
    assert!(ahead.admit(year, subject, READ).is_ok());
    finish(ahead.settle(year, true));
    assert_eq!(admitted(&right, 0, subject, READ, 5), 5);
    finish(right.settle(seconds(0), true));
    assert_eq!(
        admitted(&right, 1, subject, READ, 5),
        0,
        "one more was charged"
    );
    assert_eq!(admitted(&right, 80, subject, READ, 9), 5);
}

#[test]
fn the_debt_of_a_shared_bucket_is_bounded_and_never_overflows() {
    let day = seconds(86_400);
    for (rate, factor, tokens) in [
        (Rate::new(1, day, 133, Duration::ZERO), 100, 1),
        (Rate::new(5, seconds(8), 5, seconds(3)), 1, 1000),
        (Rate::new(1, seconds(1), 30, Duration::ZERO), 1, 10_000),
    ] {
        let rate = rate
            .unwrap()
            .scaled(Tier::Network, multiplier(factor))
            .shared();
        let granted = Bucket::default().charge_granted(u64::MAX, now(), &rate);
        let waits = granted.wait_for_token(now(), &rate).expect_err("no token");
        assert!(waits >= tokens, "{waits}");
        assert_eq!(
            granted.charge(now(), &rate),
            granted,
            "a charge here adds no more"
        );
        assert_eq!(granted.tokens(now(), &rate), 0);
        let full_in = granted.full_in(now(), &rate);
        assert!(granted.wait_for_token(now() + full_in, &rate).is_ok());
        let refunded = granted.refund_tokens(u64::MAX, now(), now(), &rate);
        assert_eq!(refunded.full_in(now(), &rate), 0);
    }
}
