//! These tests specify the limiter. Each file tests one part. Some compare it with a reference implementation.

mod bucket;
mod churn;
mod eviction;
mod limiter;
mod model;
mod naive;
mod window;

use super::*;
use crate::fairness::ClientKey;
use crate::limit::policy::{Multiplier, Tier};

const SECOND: u64 = 1_000_000_000;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn rules(text: &str, action: Action) -> Rules {
    Rules::parse(text, action).unwrap_or_else(|error| panic!("{text:?} {error}"))
}

fn limits(save: &str, read: &str, miss: &str) -> RulesByAction {
    RulesByAction {
        save: rules(save, Action::Save),
        read: rules(read, Action::Read),
        miss: rules(miss, Action::Miss),
        ..RulesByAction::default()
    }
}

/// Returns these rules with other rules for passwords.
fn with_passwords(password: &str, limits: RulesByAction) -> RulesByAction {
    RulesByAction {
        password: rules(password, Action::Password),
        ..limits
    }
}

fn limiter(save: &str, read: &str, miss: &str) -> Limiter {
    let sizes = TableSizes {
        clients: 1024,
        networks: 1024,
    };
    Limiter::new(limits(save, read, miss), sizes)
}

fn multiplier(factor: u32) -> Multiplier {
    Multiplier::new(factor).expect("from one to a hundred")
}

/// Returns a client of this network.
fn client(network: u64, client: u64) -> Subject {
    Subject {
        client: ClientKey {
            network: 1000 + network,
            client: 1000 * (network + 1) + client,
        },
        multiplier: Multiplier::ONE,
    }
}

/// Returns how many of `asks` equal requests are admitted.
fn admitted(
    limiter: &Limiter,
    now: u64,
    subject: Subject,
    request: LimitRequest,
    asks: u64,
) -> u64 {
    (0..asks)
        .map(|_| u64::from(limiter.admit(seconds(now), subject, request).is_ok()))
        .sum()
}

#[track_caller]
fn refused(limiter: &Limiter, now: u64, subject: Subject, request: LimitRequest) -> LimitDenied {
    limiter
        .admit(seconds(now), subject, request)
        .expect_err("a rule refuses")
}
