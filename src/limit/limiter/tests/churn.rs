//! These tests specify the effects of a flood of addresses.

use super::*;

/// Returns a pseudo-random number in place of a keyed hash, by splitmix64 (Steele, Lea, Flood 2014).
fn hash(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn stranger(number: u64) -> Subject {
    Subject {
        client: ClientKey {
            network: hash(number << 32),
            client: hash(number),
        },
        multiplier: Multiplier::ONE,
    }
}

fn small(read: &str) -> Limiter {
    let sizes = TableSizes {
        clients: 64,
        networks: 64,
    };
    Limiter::new(limits("quota 4KiB/1d", read, "rate 1/s burst 5"), sizes)
}

const READ: LimitRequest = LimitRequest {
    action: Action::Read,
    requests: 1,
    bytes: 0,
};

#[test]
fn a_flood_of_addresses_neither_grows_the_table_nor_frees_a_limited_client() {
    for rules in [
        "rate 1/h burst 3",
        "quota 3/1d",
        "rate 1/s burst 2, quota 3/1d",
    ] {
        flood(rules, 5_000);
    }
}

/// Twenty clients read as often as these rules admit. Then `others` more clients read once each.
fn flood(read: &str, others: u64) {
    let limiter = small(read);
    let denied: Vec<Subject> = (1..=20).map(stranger).collect();
    for second in 0..2 {
        for subject in &denied {
            while limiter.admit(seconds(second), *subject, READ).is_ok() {}
        }
    }
    let bytes = limiter.bytes();
    for number in 0..others {
        let newcomer = limiter.admit(seconds(1), stranger(1000 + number), READ);
        assert!(newcomer.is_ok(), "{number}");
        if number % 1000 == 0 {
            let free = denied
                .iter()
                .find(|subject| limiter.admit(seconds(1), **subject, READ).is_ok());
            assert_eq!(free, None);
        }
    }
    limiter.validate();
    let stats = limiter.stats();
    assert_eq!((stats.clients.used, stats.clients.size), (64, 64));
    assert_eq!(limiter.bytes(), bytes);
}

#[test]
fn when_all_are_limited_newcomers_share_entries_and_no_limited_one_is_freed() {
    let limiter = small("rate 1/h burst 1");
    let strangers = (0..10_000).map(stranger);
    let entered = strangers
        .clone()
        .filter(|subject| limiter.admit(seconds(0), *subject, READ).is_ok())
        .count();
    let shared = limiter.stats().clients.shared;
    assert_eq!(limiter.stats().clients.evicted, 0);
    assert!(
        entered > 64 && shared > 0,
        "{entered} entered, {shared} shared"
    );
    for subject in strangers {
        assert!(
            limiter.admit(seconds(0), subject, READ).is_err(),
            "{subject:?} once more"
        );
    }
    let late = (20_000..21_000).map(stranger);
    let late = late.filter(|subject| limiter.admit(seconds(0), *subject, READ).is_ok());
    assert!(late.count() > 50, "some of the 4,096 are not used up");
}

#[test]
fn a_charge_to_an_evicted_entry_is_not_refunded_to_the_next_key() {
    let sizes = TableSizes {
        clients: 8,
        networks: 8,
    };
    let limiter = Limiter::new(limits("quota 1600B/1d", "off", "off"), sizes);
    let subject = stranger(1);
    let save = |bytes| LimitRequest::one(Action::Save).with_bytes(bytes);
    let now = seconds(0);
    let mut old = limiter
        .admit(now, subject, save(10))
        .expect("there is room")
        .charge;
    for number in 2..=9 {
        assert!(limiter.admit(now, stranger(number), save(500)).is_ok());
    }
    assert!(limiter.admit(now, subject, save(700)).is_ok());
    limiter.refund(&mut old, 10);
    assert_eq!(
        limiter.remaining_quotas(now, subject, Action::Save)[0].remaining,
        900
    );
}

#[test]
fn a_token_of_an_evicted_entry_is_not_refunded_after_its_client_came_back() {
    let sizes = TableSizes {
        clients: 8,
        networks: 1024,
    };
    let limiter = Limiter::new(limits("off", "rate 1/s burst 10", "off"), sizes);
    let (now, subject) = (seconds(0), stranger(1));
    let old = limiter.admit(now, subject, READ).expect("a token").charge;
    for number in [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9] {
        assert!(limiter.admit(now, stranger(number), READ).is_ok());
    }
    for _ in 0..3 {
        assert!(limiter.admit(now, subject, READ).is_ok());
    }
    limiter.cancel(now, old);
    assert_eq!(
        limiter.remaining_quotas(now, subject, Action::Read)[0].remaining,
        7
    );
}

#[test]
fn an_entry_takes_81_bytes_and_windows_only_after_a_save() {
    let default = Limiter::new(
        with_passwords(
            "rate 1/10s burst 10",
            limits(
                "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d",
                "rate 100/s burst 1000",
                "rate 1/s burst 60",
            ),
        ),
        TableSizes::default(),
    );
    // An entry takes 81 bytes, and a pointer of 16 bytes to the windows. The 4,096 shared entries of each table have no
    // tag.
    let entries = 32_768 + 8_192;
    assert_eq!(
        default.bytes(),
        entries * (1 + 80 + 16) + 2 * 4096 * (80 + 16)
    );
    assert_eq!(size_of::<super::super::window::Window>(), 264);
}
