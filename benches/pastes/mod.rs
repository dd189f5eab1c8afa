//! Pastes for measurements: contents, ids, clients and times. Random ones are the same in every run.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each bench uses its part, and a figure of nothing should stop"
)]

use crate::random::{random, random_bytes};
use tidebin::fairness::ClientKey;
use tidebin::paste::{
    Access, Content, Draft, Expiry, Paste, PasteId, Revision, StoredPaste, Timestamp, Token,
};
use tidebin::store::Saver;

pub fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub fn id(n: u64) -> PasteId {
    PasteId::from_random(random(n + 1).to_be_bytes())
}

/// The client of the `n`-th save. There are `holders` clients, four per network, and all save equally often.
pub fn holder(n: u64, holders: u64) -> Saver {
    let client = random(n) % holders;
    Saver {
        client: ClientKey {
            network: random(client / 4),
            client: random(client),
        },
        owner: None,
        slug: None,
    }
}

pub fn paste(size: usize, seconds: u64, now: Timestamp) -> StoredPaste {
    let expiry = Expiry::from_seconds(seconds).unwrap();
    saved(&vec![b'x'; size], expiry, now)
}

/// A paste of random bytes, which cannot be compressed. It never expires.
pub fn random_paste(size: usize, seed: u64, now: Timestamp) -> StoredPaste {
    saved(&random_bytes(size, seed), Expiry::Never, now)
}

/// A paste with this text, which never expires.
pub fn paste_of(text: &str) -> Paste {
    let saved = saved(text.as_bytes(), Expiry::Never, Timestamp::default());
    saved.open().unwrap()
}

fn saved(content: &[u8], expiry: Expiry, now: Timestamp) -> StoredPaste {
    let draft = Draft {
        slug: None,
        content: Content::new(content, content.len()).unwrap(),
        title: None,
        language: None,
        expiry,
    };
    StoredPaste::new(
        draft,
        Access::Open,
        Revision::default(),
        now,
        Token::from_random([7; 16]).hash(),
    )
}
