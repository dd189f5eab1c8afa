//! The codes that were given out and not used yet. They are in memory alone, so a restart forgets them.
//!
//! Invariants: a code is valid once, for [`DeviceCodes::LIFETIME`]. An owner has at most one, the last. There are at
//! most [`DeviceCodes::MOST`]: to make room, the heaviest client of the heaviest network loses its oldest code, so a
//! client that asks for many takes none from others. All codes are compared with a guess, each in constant time.
//! Cost: every operation looks at each code. All of them take less than 512 KiB.

use std::time::Duration;

use parking_lot::Mutex;

use super::DeviceCode;
use crate::fairness::{ClientKey, FairList};
use crate::paste::{OwnerHash, OwnerSecret, Timestamp};

/// The codes of a server.
#[derive(Debug)]
pub struct DeviceCodes(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The code of each owner.
    codes: FairList<OwnerHash, Given>,
    /// How many codes were given out.
    given: u64,
}

/// A code that was given to an owner.
#[derive(Debug)]
struct Given {
    code: DeviceCode,
    secret: OwnerSecret,
    owner: OwnerHash,
    at: Timestamp,
}

impl DeviceCodes {
    /// How long a code is valid.
    pub const LIFETIME: Duration = Duration::from_secs(600);

    /// The most codes at one time.
    pub const MOST: usize = 1024;

    /// Adds a code for the owner with this secret, in place of the one before.
    pub fn add(&self, now: Timestamp, client: ClientKey, secret: OwnerSecret, code: DeviceCode) {
        let owner = secret.id().hash();
        let given = Given {
            code,
            secret,
            owner,
            at: now,
        };
        let mut state = self.0.lock();
        state.codes.remove_where(.., |it| it.has_ended(now));
        state.codes.remove(owner);
        state.given += 1;
        let seq = state.given;
        state.codes.insert(owner, seq, (client, 1), given);
    }

    /// Uses up the code. Returns the owner's secret, or `None` if there is no such code.
    pub fn take(&self, now: Timestamp, code: DeviceCode) -> Option<OwnerSecret> {
        let mut state = self.0.lock();
        state.codes.remove_where(.., |it| it.has_ended(now));
        let mut found = None;
        for given in state.codes.values() {
            if given.code.matches(code) {
                found = Some((given.owner, given.secret.clone()));
            }
        }
        let (owner, secret) = found?;
        state.codes.remove(owner);
        Some(secret)
    }
}

impl Default for DeviceCodes {
    fn default() -> Self {
        Self(Mutex::new(State {
            codes: FairList::within(Self::MOST as u64),
            given: 0,
        }))
    }
}

impl Given {
    fn has_ended(&self, now: Timestamp) -> bool {
        now.since(self.at) >= DeviceCodes::LIFETIME
    }
}

#[cfg(test)]
mod tests;
