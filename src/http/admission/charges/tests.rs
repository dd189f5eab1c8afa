//! Tests of the charges of one request.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::clock::Clock;
use crate::config::Invocation;
use crate::fairness::ClientKey;
use crate::http::Server;
use crate::limit::{
    Exchange, LimitEngine, LimitEntry, LimitExchange, Limiter, RulesByAction, TableSizes,
};

/// A server that allows a burst of two password attempts, and three bytes a day. It is not run.
fn server(clock: &Clock) -> Server {
    let args = [
        "tidebin",
        "--addr=127.0.0.1:0",
        "--limit-password=rate 1/10s burst 2",
        "--limit-save=quota 3B/1d",
    ];
    match Invocation::from_parts(args.map(Into::into), [], || Ok(Vec::new())) {
        Ok(Invocation::Serve(config)) => Server::bind(*config, clock.clone()).unwrap(),
        other => panic!("not a configuration: {other:?}"),
    }
}

fn context<'a>(
    server: &'a Server,
    clock: &'a RequestClock<'a>,
    policy: NetworkPolicy,
) -> Charges<'a> {
    let key = ClientKey {
        network: 1,
        client: 2,
    };
    Charges::new(&server.state, clock, ClientIdentity { key, policy })
}

const LIMITED: NetworkPolicy = NetworkPolicy::Limit(Multiplier::ONE);

fn poll<T>(future: impl Future<Output = T>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn bytes_stay_charged_if_the_client_disconnects_while_they_are_stored() {
    for (is_stored, has_quota) in [(false, true), (true, false)] {
        let clock = Clock::manual();
        let (server, clock) = (server(&clock), RequestClock::new(&clock));
        let mut first = context(&server, &clock, LIMITED);
        assert_eq!(poll(first.admit(Cost::Save, Some(3))), Poll::Ready(Ok(())));
        if is_stored {
            let save = pending::<Result<(), ()>>();
            assert!(poll(first.settle_after(3, pin!(save))).is_pending());
        }
        drop(first);
        let mut second = context(&server, &clock, LIMITED);
        let admitted = poll(second.admit(Cost::Save, Some(3)));
        assert_eq!(admitted == Poll::Ready(Ok(())), has_quota, "{admitted:?}");
    }
}

#[test]
fn password_attempts_of_a_client_without_limits_are_neither_limited_nor_counted() {
    let clock = Clock::manual();
    let (server, clock) = (server(&clock), RequestClock::new(&clock));
    for _ in 0..10 {
        assert!(
            context(&server, &clock, NetworkPolicy::Allow)
                .charge_password_attempt()
                .is_ok()
        );
    }
    assert!(
        context(&server, &clock, LIMITED)
            .charge_password_attempt()
            .is_ok()
    );
    let admitted = server.limiter().stats().admitted;
    assert!(admitted.contains(&(Action::Password, 1)), "{admitted:?}");
}

/// Fails to store anything, as if other nodes were always faster, unless it `stores`.
#[derive(Debug)]
struct Engine {
    stores: bool,
}

impl LimitEngine for Engine {
    fn exchange(&self, _network: u64, entries: Vec<LimitEntry>, _ttl: Duration) -> Exchange<'_> {
        let is_read = entries.iter().any(|entry| entry.state.is_empty());
        let answer = if self.stores && !is_read {
            LimitExchange::Stored
        } else {
            let absent = |entry| LimitEntry {
                version: 0,
                state: Vec::new(),
                ..entry
            };
            LimitExchange::Conflict(entries.into_iter().map(absent).collect())
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

#[test]
fn a_save_with_shared_limits_is_429_over_them_and_503_if_it_cannot_be_charged() {
    for stores in [true, false] {
        let clock = Clock::manual();
        let mut server = server(&clock);
        let rules = RulesByAction {
            save: server.limiter().rules(Action::Save).clone(),
            ..RulesByAction::default()
        };
        let epoch = Duration::from_millis(clock.start().as_millis());
        let engine = Arc::new(Engine { stores });
        let limiter = Limiter::shared(rules, TableSizes::default(), epoch, engine);
        Arc::get_mut(&mut server.state).unwrap().limiter = Arc::new(limiter);
        let clock = RequestClock::new(&clock);
        let save = |bytes| {
            let mut charges = context(&server, &clock, LIMITED);
            let admitted = poll(charges.admit(Cost::Save, Some(bytes)));
            charges.charges.clear();
            admitted
        };
        match stores {
            true => {
                assert_eq!(save(2), Poll::Ready(Ok(())));
                let denied = save(2);
                assert!(
                    matches!(denied, Poll::Ready(Err(ApiError::RateLimitExceeded(_)))),
                    "{denied:?}"
                );
            }
            false => assert_eq!(save(2), Poll::Ready(Err(ApiError::Overloaded))),
        }
    }
}
