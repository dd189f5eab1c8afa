//! Tests of the task that settles charges.

use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};

use super::*;
use crate::fairness::ClientKey;
use crate::limit::{
    Action, Exchange, LimitEngine, LimitEntry, LimitExchange, LimitRequest, Multiplier, Rules,
    Subject,
};

/// Stores everything, and counts the calls.
#[derive(Debug, Default)]
struct Counting {
    calls: AtomicU64,
}

impl LimitEngine for Counting {
    fn exchange(&self, _network: u64, _entries: Vec<LimitEntry>, _ttl: Duration) -> Exchange<'_> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::ready(Ok(LimitExchange::Stored)))
    }
}

fn limiter_of(engine: Arc<dyn LimitEngine>) -> Limiter {
    let rules = RulesByAction {
        read: Rules::parse("rate 1/s burst 32", Action::Read).unwrap(),
        ..RulesByAction::default()
    };
    Limiter::shared(rules, TableSizes::default(), Duration::ZERO, engine)
}

fn read(limiter: &Limiter, clock: &Clock) {
    let subject = Subject {
        client: ClientKey {
            network: 1,
            client: 2,
        },
        multiplier: Multiplier::ONE,
    };
    let request = LimitRequest::one(Action::Read);
    assert!(limiter.admit(clock.elapsed(), subject, request).is_ok());
}

#[test]
fn charges_are_settled_at_the_tick_and_at_once_when_they_are_due() {
    let (engine, clock) = (Arc::new(Counting::default()), Clock::manual());
    let limiter = limiter_of(Arc::<Counting>::clone(&engine));
    let mut task = pin!(run(&limiter, &clock));
    let mut calls_after = |reads: usize, time: Duration| {
        (0..reads).for_each(|_| read(&limiter, &clock));
        clock.advance(time);
        let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        engine.calls.load(Ordering::Relaxed)
    };
    assert_eq!(calls_after(0, Duration::ZERO), 0);
    assert_eq!(calls_after(1, INTERVAL / 2), 0);
    assert_eq!(calls_after(0, INTERVAL / 2), 1, "the tick");
    assert_eq!(calls_after(0, INTERVAL), 1, "nothing is pending");
    assert_eq!(
        calls_after(2, Duration::ZERO),
        2,
        "a sixteenth of the burst"
    );
}
