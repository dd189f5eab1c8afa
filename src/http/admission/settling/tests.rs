//! Tests of the task that settles charges.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Waker};

use super::*;
use crate::fairness::ClientKey;
use crate::limit::{
    Action, Exchange, LimitEngine, LimitEntry, LimitExchange, LimitRequest, LimitsUnavailable,
    Multiplier, Rules, Subject,
};

/// Stores everything, and counts the calls.
#[derive(Debug, Default)]
struct Counting {
    calls: AtomicU64,
    fails: AtomicBool,
}

impl LimitEngine for Counting {
    fn exchange(&self, _network: u64, _entries: Vec<LimitEntry>, _ttl: Duration) -> Exchange<'_> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let answer = match self.fails.load(Ordering::Relaxed) {
            true => Err(LimitsUnavailable),
            false => Ok(LimitExchange::Stored),
        };
        Box::pin(std::future::ready(answer))
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

#[test]
fn an_engine_that_fails_and_answers_again_is_asked_at_the_next_ticks() {
    let (engine, clock) = (Arc::new(Counting::default()), Clock::manual());
    let limiter = limiter_of(Arc::<Counting>::clone(&engine));
    let mut task = pin!(run(&limiter, &clock));
    let mut calls_after_tick = || {
        clock.advance(INTERVAL);
        let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        engine.calls.load(Ordering::Relaxed)
    };
    assert_eq!(calls_after_tick(), 0);
    read(&limiter, &clock);
    engine.fails.store(true, Ordering::Relaxed);
    assert_eq!(calls_after_tick(), 1);
    assert_eq!(calls_after_tick(), 2);
    engine.fails.store(false, Ordering::Relaxed);
    assert_eq!(calls_after_tick(), 3);
    assert_eq!(calls_after_tick(), 3, "nothing is pending any more");
}
