//! The cost of a decision of the limiter, compared with `governor` on the same keys.
//!
//! `cargo bench --bench limit` takes about three minutes and prints:
//!
//! - decisions for 1, 10^5 and 10^6 clients, on one thread and on two, and with tables of the default sizes;
//! - decisions for new clients in a full table, and in a table where all clients have reached their limits;
//! - resident bytes per client.
//!
//! Every decision reads a clock, as a request does. Our limiter also counts the client's network. For a read that looks
//! up an id, it also checks the misses. governor has to check two or four keys for these decisions.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

mod random;
mod resident;

use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Instant;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use random::random;
use resident::resident_bytes;
use tidebin::fairness::ClientKey;
use tidebin::limit::{
    Action, LimitRequest, Limiter, Multiplier, Rules, RulesByAction, Subject, TableSizes,
};

/// Limits so high that they deny no request of the bench.
const READ: &str = "rate 1000000/s burst 1000000000";
const SAVE: &str = "rate 1000000/s burst 1000000000, quota 1000000000/1d, quota 1000GiB/1d";

/// Decisions per thread and run.
const CALLS: u64 = 1_000_000;

/// Clients per network.
const TOGETHER: u64 = 8;

fn main() {
    // Resident memory is measured in a process of its own.
    if let Some(what) =
        std::env::args().find_map(|arg| Some(arg.strip_prefix("resident=")?.to_owned()))
    {
        return resident(&what);
    }
    for count in [1, 100_000, 1_000_000] {
        decisions(count, sizes_for(count));
    }
    println!("tables of the default sizes:");
    decisions(16_384, TableSizes::default());
    refusals();
    churn();
    for save in ["rate 1/h burst 2", "quota 2/1d, quota 64MiB/1d"] {
        crowd(save);
    }
    for what in ["reads", "saves", "governor", "no requests"] {
        let this = std::env::current_exe().unwrap();
        std::process::Command::new(this)
            .arg(format!("resident={what}"))
            .status()
            .unwrap();
    }
}

/// The client with this number.
fn subject(number: u64) -> Subject {
    Subject {
        client: ClientKey {
            network: random(number / TOGETHER + (1 << 40)),
            client: random(number),
        },
        multiplier: Multiplier::ONE,
    }
}

/// Table sizes with twice as many entries as clients. In a fuller table, some sets would be full and evict entries.
fn sizes_for(clients: u64) -> TableSizes {
    let size = |count: u64| usize::try_from(count.max(4096) * 2).unwrap();
    TableSizes {
        clients: size(clients),
        networks: size(clients / TOGETHER),
    }
}

fn limiter(read: &str, save: &str, sizes: TableSizes) -> Limiter {
    let limits = RulesByAction {
        save: Rules::parse(save, Action::Save).unwrap(),
        read: Rules::parse(read, Action::Read).unwrap(),
        miss: Rules::parse("rate 1/s burst 60", Action::Miss).unwrap(),
        password: Rules::parse("rate 1/10s burst 10", Action::Password).unwrap(),
    };
    Limiter::new(limits, sizes)
}

fn governor(rate: u32, burst: u32) -> DefaultKeyedRateLimiter<u64> {
    let figure = |figure| NonZeroU32::new(figure).unwrap();
    RateLimiter::keyed(Quota::per_second(figure(rate)).allow_burst(figure(burst)))
}

/// Nanoseconds per call while this many threads call at once: the best of three runs, because other programs may use
/// the machine.
fn timed(threads: u64, call: impl Fn(u64) + Sync) -> f64 {
    let run = |from: u64| (from..from + CALLS).for_each(|n| call(random(n)));
    let best = (0..3).map(|round| {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let run = &run;
                scope.spawn(move || run((round * threads + thread) * CALLS));
            }
        });
        start.elapsed()
    });
    best.min().unwrap().as_secs_f64() * 1e9 / 1e6
}

fn decisions(count: u64, sizes: TableSizes) {
    let clock = Instant::now();
    let ours = limiter(READ, SAVE, sizes);
    let theirs: [_; 4] = std::array::from_fn(|_| governor(1_000_000, 1_000_000_000));
    let request = |number: u64, request: LimitRequest| {
        assert!(
            ours.admit(clock.elapsed(), subject(number), request)
                .is_ok()
        );
    };
    let check = |number: u64, buckets: usize| {
        let subject = subject(number);
        let ClientKey { network, client } = subject.client;
        let keys = [client, network, client, network];
        for (limiter, key) in theirs.iter().zip(keys).take(buckets) {
            limiter.check_key(&key).unwrap();
        }
    };
    for number in 0..count {
        request(number, LimitRequest::one(Action::Read));
        check(number, 4);
    }
    for threads in [1, 2] {
        let read = timed(threads, |n| {
            request(n % count, LimitRequest::one(Action::Read))
        });
        let look_up = LimitRequest::one(Action::Read).looking_up();
        let look_up = timed(threads, |n| request(n % count, look_up));
        let save = LimitRequest::one(Action::Save).with_bytes(100);
        let save = timed(threads, |n| request(n % count, save));
        let [one, two, four] =
            [1, 2, 4].map(|buckets| timed(threads, |n| check(n % count, buckets)));
        println!(
            "{count:>9} clients, {threads} threads: read {read:>4.0} ns, read that looks up {look_up:>4.0} ns, save \
             {save:>4.0} ns; governor {one:>4.0} ns, client and network {two:>4.0} ns, both and misses {four:>4.0} ns"
        );
    }
    let stats = ours.stats();
    println!(
        "          {} entries, {} evicted; each decision includes {:.0} ns for the clock and {:.0} ns for the keys",
        stats.clients.used,
        stats.clients.evicted,
        timed(1, |_| _ = black_box(clock.elapsed())),
        timed(1, |n| _ = black_box(subject(n)))
    );
}

fn refusals() {
    let clock = Instant::now();
    let ours = limiter("rate 1/s burst 1", SAVE, sizes_for(1));
    let theirs = governor(1, 1);
    let refused = timed(1, |_| {
        let request = LimitRequest::one(Action::Read).looking_up();
        _ = black_box(ours.admit(clock.elapsed(), subject(0), request));
    });
    let governor = timed(1, |_| _ = black_box(theirs.check_key(&0)));
    println!("one client over its limit: {refused:.0} ns; governor {governor:.0} ns");
}

/// Measures calls that are each by a new client: the worst case of a flood of addresses.
fn churn() {
    let clock = Instant::now();
    let defaults = Limiter::new(
        RulesByAction {
            save: Rules::parse(
                "rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d",
                Action::Save,
            )
            .unwrap(),
            read: Rules::parse("rate 100/s burst 1000", Action::Read).unwrap(),
            miss: Rules::parse("rate 1/s burst 60", Action::Miss).unwrap(),
            password: Rules::parse("rate 1/10s burst 10", Action::Password).unwrap(),
        },
        TableSizes::default(),
    );
    let read = timed(1, |n| {
        let request = LimitRequest::one(Action::Read).looking_up();
        assert!(
            defaults
                .admit(clock.elapsed(), newcomer(n), request)
                .is_ok()
        );
    });
    let save = timed(1, |n| {
        let request = LimitRequest::one(Action::Save).with_bytes(100);
        assert!(
            defaults
                .admit(clock.elapsed(), newcomer(n), request)
                .is_ok()
        );
    });
    let theirs = governor(100, 1000);
    let governor = timed(1, |n| theirs.check_key(&n).unwrap());
    println!(
        "new clients, each in a network of its own: read {read:.0} ns, save {save:.0} ns, {} entries, {} evicted; \
        governor {governor:.0} ns, {} keys",
        defaults.stats().clients.size,
        defaults.stats().clients.evicted,
        theirs.len()
    );
}

/// A new client in a new network.
fn newcomer(n: u64) -> Subject {
    Subject {
        client: ClientKey {
            network: random(n ^ 1),
            client: random(n),
        },
        multiplier: Multiplier::ONE,
    }
}

/// Measures calls by new clients when every entry of a default table belongs to a client over its limit. The search for
/// an entry fails each time, and the new client has to share an entry.
fn crowd(save: &str) {
    let clock = Instant::now();
    let ours = limiter("rate 100/s burst 1000", save, TableSizes::default());
    let request = LimitRequest::one(Action::Save).with_bytes(100);
    for n in 0..400_000 {
        while ours.admit(clock.elapsed(), newcomer(n), request).is_ok() {}
    }
    let before = ours.stats();
    let refused = timed(1, |n| {
        _ = black_box(ours.admit(clock.elapsed(), newcomer(n), request));
    });
    let shared = timed(1, |n| ours.charge_miss(clock.elapsed(), newcomer(n)));
    let after = ours.stats();
    println!(
        "new clients while all others are over `{save}`: rejected save {refused:.0} ns, miss charged to a shared entry \
        {shared:.0} ns; {} entries evicted, {} times shared",
        after.clients.evicted - before.clients.evicted,
        after.clients.shared - before.clients.shared
    );
}

fn resident(what: &str) {
    const COUNT: u64 = 1_000_000;
    let before = resident_bytes();
    let ours = limiter(READ, SAVE, sizes_for(COUNT));
    let theirs = governor(1_000_000, 1_000_000_000);
    let clock = Instant::now();
    for number in 0..COUNT {
        let subject = subject(number);
        match what {
            "reads" => _ = ours.admit(clock.elapsed(), subject, LimitRequest::one(Action::Read)),
            "saves" => {
                _ = ours.admit(
                    clock.elapsed(),
                    subject,
                    LimitRequest::one(Action::Save).with_bytes(100),
                )
            }
            "governor" => _ = theirs.check_key(&subject.client.client),
            _ => {}
        }
    }
    let resident = resident_bytes() - before;
    println!(
        "{COUNT} clients in {} networks, {what}: {} resident bytes per client; tables of {} MiB of virtual memory",
        COUNT / TOGETHER,
        resident / usize::try_from(COUNT).unwrap(),
        ours.bytes() >> 20
    );
}
