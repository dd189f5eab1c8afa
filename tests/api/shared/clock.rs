//! The clock of a node, which follows that of its engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use tidebin::config::{KeyUse, Secret};
use tidebin::paste::{PasteId, Timestamp};
use tidebin::store::StoreError;
use tidebin::store::Tier;
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{EngineClock, Opened, Store};

use crate::client::until;
use crate::engine::Engine;
use crate::server::block_on;

/// A clock that stands still until it is set.
#[derive(Clone, Default)]
struct SettableClock(Arc<AtomicU64>);

impl SettableClock {
    fn set(&self, time: Timestamp) {
        self.0.store(time.as_millis(), SeqCst);
    }
}

impl EngineClock for SettableClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn difference(&self, time: Timestamp) -> Duration {
        time.since(self.now()).max(self.now().since(time))
    }

    fn agree_with(&self, time: Timestamp) {
        self.set(time);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_running_node_follows_the_clock_of_the_engine_or_stops_if_they_differ_by_much() {
    let engine = Engine::start();
    let secret = Secret::new("the secret of all servers of the tests").expect("a secret");
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let opened = Opened::open(&[engine.url()], keys, 1 << 20, 5000).expect("an engine");
    let now = opened.time();
    let at = |seconds: i64| {
        let millis = i64::try_from(now.as_millis()).unwrap() + seconds * 1000;
        Timestamp::from_millis(millis.unsigned_abs())
    };
    let clock = SettableClock::default();
    clock.set(at(86_400));
    let refused = opened.set_clock(&clock).unwrap_err().to_string();
    assert!(refused.contains("differ by 86"), "{refused}");
    clock.set(at(500));
    opened.set_clock(&clock).expect("it is not much");
    assert_eq!(clock.now(), now);
    let store = Store::start(opened, Box::new(|_| ()), clock.clone()).expect("a thread");
    // Some minutes behind, and ahead
    for wrong in [-500, 500] {
        clock.set(at(wrong));
        until(|| clock.difference(now) < Duration::from_secs(250));
    }
    // A day ahead: nothing may expire by such a clock
    let is_refused = || {
        let read = block_on(store.peek(now, PasteId::from_random([1; 8])));
        matches!(read, Err(StoreError::Unavailable))
    };
    assert!(!is_refused());
    clock.set(at(86_400));
    until(is_refused);
    assert_eq!(clock.now(), at(86_400));
    clock.set(now);
    until(|| !is_refused());
    store.close();
}
