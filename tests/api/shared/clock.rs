//! The clock of a node, which follows that of its engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use tidebin::clock::Clock;
use tidebin::config::{KeyUse, Secret};
use tidebin::paste::Timestamp;
use tidebin::store::Tier;
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{DEADLINE, EngineClock, Store};

use crate::client::until;
use crate::engine::Engine;
use crate::place::Place;
use crate::server::TestServer;

/// A clock that stands still until it is set.
#[derive(Clone, Default)]
struct SettableClock(Arc<AtomicU64>);

impl SettableClock {
    fn millis(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

impl EngineClock for SettableClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn follow(&self, time: Timestamp) {
        self.0.store(time.as_millis(), SeqCst);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_running_node_follows_the_clock_of_the_engine_however_much_they_differ() {
    let engine = Engine::start();
    let secret = Secret::new("the secret of all servers of the tests").expect("a secret");
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let (clock, limits) = (SettableClock::default(), (10 * DEADLINE, 5000));
    let store = Store::open(
        &[engine.url()],
        keys,
        limits,
        Box::new(|_| ()),
        clock.clone(),
    );
    let store = store.expect("an engine");
    let now = clock.millis();
    assert!(now > 1_700_000_000_000);
    for wrong in [now - 86_400_000, now + 86_400_000] {
        clock.0.store(wrong, SeqCst);
        until(|| clock.millis().abs_diff(now) < 3_600_000);
    }
    store.close();
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_node_whose_clock_is_a_day_ahead_shows_and_sets_the_right_times() {
    let engine = Arc::new(Engine::start());
    let clock = Clock::system();
    let right = clock.timestamp().as_millis();
    clock.catch_up_with(Timestamp::from_millis(right + 86_400_000));
    let node = TestServer::at(Place::Engine(Arc::clone(&engine)), &clock, &[]);
    let saved = node.request("POST", "/?expires=1h").body("x").send();
    let id = crate::server::Saved::of(&saved).id;
    let shown = node.get(&format!("/api/v1/pastes/{id}"));
    let shown: serde_json::Value = serde_json::from_str(shown.text()).expect("JSON");
    let expires = shown["expires"].as_u64().expect("a time");
    let minutes = expires.abs_diff(right + 3_600_000) / 60_000;
    assert!(minutes < 20, "{shown}");
    let remaining = engine
        .ask("EVAL \"return redis.call('PTTL',redis.call('KEYS','tb:{????????????????}')[1])\" 0");
    let remaining: u64 = remaining[1..].parse().expect("milliseconds");
    assert!((3_000_000..=3_600_000).contains(&remaining), "{remaining}");
}
