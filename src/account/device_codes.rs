//! The codes that were given out and not used yet. Those of one machine are in memory alone, so a restart forgets them.
//! Several machines share them as bytes.
//!
//! Invariants: a code is valid once, for [`DeviceCodes::LIFETIME`]. An owner has at most one, the last. There are at
//! most [`DeviceCodes::MOST`]: to make room, the heaviest client of the heaviest network loses its oldest code, so a
//! client that asks for many takes none from others. All codes are compared with a guess, each in constant time.
//! Cost: every operation looks at each code. All of them take less than 512 KiB.

use std::time::Duration;

use super::DeviceCode;
use crate::fairness::{ClientKey, FairList};
use crate::paste::{OwnerHash, OwnerSecret, Timestamp};

/// The codes of a server, or of several that share them.
#[derive(Debug)]
pub struct DeviceCodes {
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
    /// The client that asked for it.
    client: ClientKey,
    at: Timestamp,
}

impl DeviceCodes {
    /// How long a code is valid.
    pub const LIFETIME: Duration = Duration::from_secs(600);

    /// The most codes at one time.
    pub const MOST: usize = 1024;

    /// The most bytes of all codes together.
    pub const MOST_BYTES: usize = Self::MOST * (Given::NUMBERS * 8 + 1 + OwnerSecret::MOST_BYTES);

    /// Adds a code for the owner with this secret, in place of the one before.
    pub fn add(
        &mut self,
        now: Timestamp,
        client: ClientKey,
        secret: OwnerSecret,
        code: DeviceCode,
    ) {
        self.codes.remove_where(.., |it| it.has_ended(now));
        self.insert(Given {
            code,
            owner: secret.id().hash(),
            secret,
            client,
            at: now,
        });
    }

    /// Uses up the code. Returns the owner's secret, or `None` if there is no such code.
    pub fn take(&mut self, now: Timestamp, code: DeviceCode) -> Option<OwnerSecret> {
        self.codes.remove_where(.., |it| it.has_ended(now));
        let mut found = None;
        for given in self.codes.values() {
            if given.code.matches(code) {
                found = Some((given.owner, given.secret.clone()));
            }
        }
        let (owner, secret) = found?;
        self.codes.remove(owner);
        Some(secret)
    }

    /// Returns the codes as bytes, the oldest first.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for given in self.codes.latest_first().into_iter().rev() {
            given.write(&mut bytes);
        }
        bytes
    }

    /// Reads the codes from what [`Self::to_bytes`] returned. Returns `None` if the bytes are malformed.
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut codes = Self::default();
        while !bytes.is_empty() {
            codes.insert(Given::read(&mut bytes)?);
        }
        Some(codes)
    }

    fn insert(&mut self, given: Given) {
        let (owner, client) = (given.owner, given.client);
        self.codes.remove(owner);
        self.given += 1;
        self.codes.insert(owner, self.given, (client, 1), given);
    }
}

impl Default for DeviceCodes {
    fn default() -> Self {
        Self {
            codes: FairList::within(Self::MOST as u64),
            given: 0,
        }
    }
}

impl Given {
    /// The numbers in its bytes. The length of the secret and the secret follow.
    const NUMBERS: usize = 4;

    fn has_ended(&self, now: Timestamp) -> bool {
        now.since(self.at) >= DeviceCodes::LIFETIME
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let ClientKey { network, client } = self.client;
        for number in [network, client, self.at.as_millis(), self.code.bits()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let secret = self.secret.as_str();
        bytes.push(u8::try_from(secret.len()).expect("a secret is short"));
        bytes.extend_from_slice(secret.as_bytes());
    }

    /// Reads a code from the start of the bytes.
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut number = || {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*number))
        };
        let [network, client, at, code] = [number()?, number()?, number()?, number()?];
        let (&length, rest) = bytes.split_first()?;
        let (secret, rest) = rest.split_at_checked(usize::from(length))?;
        *bytes = rest;
        let secret = OwnerSecret::parse(std::str::from_utf8(secret).ok()?)?;
        Some(Self {
            code: DeviceCode::from_bits(code),
            owner: secret.id().hash(),
            secret,
            client: ClientKey { network, client },
            at: Timestamp::from_millis(at),
        })
    }
}

#[cfg(test)]
mod tests;
