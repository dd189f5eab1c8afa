//! Tests of the charges of one request.

use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::clock::Clock;
use crate::config::Invocation;
use crate::fairness::ClientKey;
use crate::http::Server;

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

fn charges(server: &Server, policy: NetworkPolicy) -> Charges {
    let key = ClientKey {
        network: 1,
        client: 2,
    };
    let state = Rc::new(Arc::clone(&server.state));
    Charges::new(state, ClientIdentity { key, policy }, Rc::default())
}

const LIMITED: NetworkPolicy = NetworkPolicy::Limit(Multiplier::ONE);

fn poll<T>(future: impl Future<Output = T>) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn bytes_stay_charged_if_the_client_disconnects_while_they_are_stored() {
    for (is_stored, has_quota) in [(false, true), (true, false)] {
        let clock = Clock::manual();
        let server = server(&clock);
        let first = charges(&server, LIMITED);
        assert_eq!(poll(first.admit(Cost::Save, Some(3))), Poll::Ready(Ok(())));
        if is_stored {
            let save = pending::<Result<(), ApiError>>();
            assert!(poll(first.settle_after(3, pin!(save))).is_pending());
        }
        drop(first);
        let second = charges(&server, LIMITED);
        let admitted = poll(second.admit(Cost::Save, Some(3)));
        assert_eq!(admitted == Poll::Ready(Ok(())), has_quota, "{admitted:?}");
    }
}

#[test]
fn password_attempts_of_a_client_without_limits_are_neither_limited_nor_counted() {
    let clock = Clock::manual();
    let server = server(&clock);
    for _ in 0..10 {
        assert!(
            charges(&server, NetworkPolicy::Allow)
                .charge_password_attempt()
                .is_ok()
        );
    }
    assert!(charges(&server, LIMITED).charge_password_attempt().is_ok());
    let admitted = server.limiter().stats().admitted;
    assert!(admitted.contains(&(Action::Password, 1)), "{admitted:?}");
}

#[test]
fn an_account_is_charged_for_what_it_saves_and_its_address_for_its_passwords() {
    let clock = Clock::manual();
    let server = server(&clock);
    let [address, account] = [(); 2].map(|()| charges(&server, LIMITED));
    let [network, client] = [3, 4];
    account.charge_account(ClientKey { network, client }, Multiplier::ONE);
    // Given an address that saved as much, and tried as many passwords, as it may
    let save = |charges: &Charges| poll(charges.admit(Cost::Save, Some(3)));
    assert_eq!(save(&address), Poll::Ready(Ok(())));
    for _ in 0..2 {
        assert!(address.charge_password_attempt().is_ok());
    }
    // Then an account at the address still saves as much, and tries no password
    assert_eq!(save(&account), Poll::Ready(Ok(())));
    assert!(account.charge_password_attempt().is_err());
}
