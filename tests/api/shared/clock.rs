//! The clock of a node, which follows that of its engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use tidebin::config::{KeyUse, Secret};
use tidebin::paste::Timestamp;
use tidebin::store::seal::Keys;
use tidebin::store::valkey::{EngineClock, Opened, Store};

use crate::client::PATIENCE;
use crate::engine::Engine;

/// A clock that stands still until it is set.
#[derive(Clone, Default)]
struct SettableClock(Arc<AtomicU64>);

impl EngineClock for SettableClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(SeqCst))
    }

    fn agree_with(&self, time: Timestamp) {
        self.0.store(time.as_millis(), SeqCst);
    }
}

#[test]
#[ignore = "needs valkey-server or redis-server"]
fn a_running_node_follows_the_clock_of_the_engine_when_they_differ() {
    let engine = Engine::start();
    let secret = Secret::new("the secret of all servers of the tests").expect("a secret");
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let opened = Opened::open(&[engine.url()], keys, 1 << 20, 5000).expect("an engine");
    let now = opened.time();
    let clock = SettableClock::default();
    let store = Store::start(opened, Box::new(|_| ()), clock.clone()).expect("a thread");
    // A day behind, and a day ahead
    let day = Duration::from_secs(86_400);
    for wrong in [now.as_millis() - 86_400_000, now.as_millis() + 86_400_000] {
        clock.0.store(wrong, SeqCst);
        let start = Instant::now();
        let is_wrong = || clock.now().since(now).max(now.since(clock.now())) > day / 2;
        while is_wrong() {
            assert!(start.elapsed() < PATIENCE, "it stays wrong");
            thread::yield_now();
        }
    }
    store.close();
}
