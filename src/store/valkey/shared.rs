//! What all operations of the store share: the connection, the keys, and the names of keys in the engine.

use std::sync::Arc;

use parking_lot::Mutex;
use redis::{Cmd, FromRedisValue, Value};

use super::connection::{Call, Connection, command};
use super::reads::PendingReads;
use crate::paste::{Deadline, PasteData, Timestamp, TokenHash};
use crate::store::moderation::Moderation;
use crate::store::seal::{Keys, RowKey};
use crate::store::{RemovalCounts, RemovalHook, Report, StoreError, TierUsage};

/// The milliseconds of 100 years, after which a paste expires that never does.
const NEVER: u64 = 3_155_760_000_000;

/// The most reports. Each of them is charged more than its overhead.
const MOST_REPORTS: usize = 1000;

/// One of this many saves removes what is due or too much from the list of its owner.
const TRIM_EVERY: u64 = 16;

/// About the most pastes in the list of an owner.
const MOST_LISTED: i64 = 10_000;

/// The most charges that wait to be taken back.
const MOST_TO_TAKE_BACK: usize = 4096;

/// What the callers of a store and its upkeep share.
pub(super) struct Shared {
    pub(super) connection: Connection,
    pub(super) keys: Arc<Keys>,
    /// The bytes of the largest content, for the deadline of a read.
    pub(super) largest: usize,
    /// The memory that the engine uses and may use, as it told last.
    pub(super) usage: Mutex<TierUsage>,
    pub(super) removed: Mutex<RemovalCounts>,
    pub(super) reads: PendingReads,
    /// What takes charges back that have no answer yet.
    pub(super) to_take_back: Mutex<Vec<Cmd>>,
    /// Held while reads are reported.
    pub(super) reporting: tokio::sync::Mutex<()>,
    pub(super) blocks: OperatorList,
    pub(super) reports: OperatorList,
    pub(super) removal_hook: RemovalHook,
    /// The last place that this node gave to a paste.
    pub(super) last_place: Mutex<u64>,
}

/// The copy that this node has of a list of the operator.
pub(super) struct OperatorList {
    /// The key of the list in the engine.
    pub(super) name: &'static str,
    pub(super) moderation: Moderation,
    /// The version of the copy. The lock is held while the copy is read or changed. Zero: there was no change yet.
    pub(super) version: tokio::sync::Mutex<u64>,
}

impl OperatorList {
    pub(super) fn named(name: &'static str) -> Self {
        Self {
            name,
            moderation: Moderation::with_room(MOST_REPORTS * Report::OVERHEAD),
            version: tokio::sync::Mutex::default(),
        }
    }
}

/// The names of a paste, its tombstone, its counts and its receipt. They are in one slot of a Cluster.
pub(super) fn names(key: RowKey) -> [String; 4] {
    ["", "t", "c", "r"].map(|part| format!("tb:{{{:016x}}}{part}", key.0))
}

/// Returns the milliseconds until a deadline, at least one.
pub(super) fn remaining(now: Timestamp, deadline: Deadline) -> u64 {
    let remaining = deadline.as_millis().saturating_sub(now.as_millis());
    remaining.clamp(1, NEVER)
}

impl Shared {
    /// Starts a call, and returns its answer. It is made also if its caller goes away meanwhile, or drops the answer.
    /// `bytes` is how much it carries.
    pub(super) fn call<T: FromRedisValue + Send + 'static, const N: usize>(
        self: &Arc<Self>,
        call: Call,
        commands: [Cmd; N],
        bytes: usize,
    ) -> impl Future<Output = Result<T, StoreError>> + use<T, N> {
        let shared = Arc::clone(self);
        let work = async move { shared.connection.call(call, commands, bytes).await };
        let started = self.connection.runtime.spawn(work);
        async { started.await.unwrap_or(Err(StoreError::Unavailable)) }
    }

    /// Returns the place of a paste that is saved now. The key tells saves of several nodes apart.
    pub(super) fn next_place(&self, now: Timestamp, key: RowKey) -> u64 {
        let place = now.as_millis().saturating_mul(1000) + key.0 % 1000;
        let mut last = self.last_place.lock();
        *last = place.max(last.saturating_add(1));
        *last
    }

    /// Returns the name of the list of an owner.
    pub(super) fn list_of(&self, owner: &TokenHash) -> String {
        let tag = u128::from_be_bytes(self.keys.list_tag(owner));
        format!("tb:o{tag:032x}")
    }

    /// Adds a paste to the list of its owner, if it has one, or changes its deadline there. Sometimes pastes that are due
    /// or too many leave the list. `member` is the place and the key. The call is made at the first poll.
    pub(super) async fn enlist(
        self: &Arc<Self>,
        now: Timestamp,
        member: [u64; 2],
        paste: &PasteData,
    ) -> Result<(), StoreError> {
        let Some(owned) = &paste.owned else {
            return Ok(());
        };
        let (list, deadline) = (self.list_of(&owned.by), paste.deadline);
        let remaining = remaining(now, deadline);
        let bytes = member.map(u64::to_be_bytes).concat();
        let add = [
            command("ZADD", (&list, deadline.as_millis(), bytes)),
            command("PEXPIRE", (&list, remaining, "NX")),
            command("PEXPIRE", (&list, remaining, "GT")),
        ];
        if member[0].is_multiple_of(TRIM_EVERY) {
            let trim = [
                command("ZREMRANGEBYSCORE", (&list, "-inf", now.as_millis())),
                command("ZREMRANGEBYRANK", (&list, 0, -1 - MOST_LISTED)),
            ];
            drop(self.call::<Value, 2>(Call::List, trim, 0));
        }
        self.call::<Value, 3>(Call::List, add, 0).await.map(drop)
    }

    /// Keeps what takes a charge back until it is called.
    pub(super) fn wait_to_take_back(&self, take_back: Cmd) {
        let mut waiting = self.to_take_back.lock();
        if waiting.len() < MOST_TO_TAKE_BACK {
            waiting.push(take_back);
        }
    }

    /// Takes all charges back that wait for it. If an answer is missing, the rest goes on waiting.
    pub(super) async fn take_all_back(&self) {
        let next = || self.to_take_back.lock().pop();
        while let Some(next) = next() {
            let taking = (self.connection).call::<Value, 1>(Call::Limit, [next.clone()], 0);
            if taking.await.is_err() {
                return self.wait_to_take_back(next);
            }
        }
    }
}
