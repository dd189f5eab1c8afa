//! The codes that were given out and not used yet. They are in memory alone, so a restart forgets them.
//!
//! Invariants: a code is valid once, for [`DeviceCodes::LIFETIME`]. An owner has at most one, the last. There are at most
//! [`DeviceCodes::MOST`]: to make room, the heaviest client of the heaviest network loses its oldest code, so a client
//! that asks for many takes none from others. All codes are compared with a guess, each in constant time.
//! Cost: every operation looks at each code. All of them take less than 512 KiB.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

use super::DeviceCode;
use crate::fairness::{ClientKey, FairShares};
use crate::paste::{OwnerHash, OwnerSecret, Timestamp};

/// The codes of a server.
#[derive(Debug)]
pub struct DeviceCodes(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The oldest first.
    codes: VecDeque<Given>,
    shares: FairShares,
}

/// A code that was given to an owner.
#[derive(Debug)]
struct Given {
    code: DeviceCode,
    secret: OwnerSecret,
    owner: OwnerHash,
    client: ClientKey,
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
            client,
            at: now,
        };
        let mut state = self.0.lock();
        state.remove_if(|it| it.has_ended(now) || it.owner == owner);
        if state.codes.len() >= Self::MOST {
            state.make_room(client);
        }
        state.shares.add(client, 1);
        state.codes.push_back(given);
    }

    /// Uses up the code. Returns the owner's secret, or `None` if there is no such code.
    pub fn take(&self, now: Timestamp, code: DeviceCode) -> Option<OwnerSecret> {
        let mut state = self.0.lock();
        state.remove_if(|it| it.has_ended(now));
        let mut found = None;
        for (index, given) in state.codes.iter().enumerate() {
            if given.code.matches(code) {
                found = Some(index);
            }
        }
        state.remove(found?).map(|given| given.secret)
    }
}

impl Default for DeviceCodes {
    fn default() -> Self {
        Self(Mutex::new(State {
            codes: VecDeque::new(),
            shares: FairShares::unlimited(),
        }))
    }
}

impl State {
    fn make_room(&mut self, asking: ClientKey) {
        if let Some((victim, ())) = self.shares.next_victim(asking, 1)
            && let Some(oldest) = self.codes.iter().position(|it| it.client == victim)
        {
            self.remove(oldest);
        }
    }

    fn remove(&mut self, index: usize) -> Option<Given> {
        let given = self.codes.remove(index)?;
        self.shares.sub(given.client, 1);
        Some(given)
    }

    fn remove_if(&mut self, is_over: impl Fn(&Given) -> bool) {
        let shares = &mut self.shares;
        self.codes.retain(|given| {
            let stays = !is_over(given);
            if !stays {
                shares.sub(given.client, 1);
            }
            stays
        });
    }
}

impl Given {
    fn has_ended(&self, now: Timestamp) -> bool {
        now.since(self.at) >= DeviceCodes::LIFETIME
    }
}

#[cfg(test)]
mod tests;
