//! What all operations of the store share: the connection, the keys, and what this node knows of each shard.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redis::{Cmd, FromRedisValue};
use tokio::task::JoinHandle;

use super::connection::{Call, Connection, Failure};
use super::reads::PendingReads;
use crate::paste::{PasteId, Timestamp};
use crate::store::moderation::Moderation;
use crate::store::seal::{Keys, RowKey};
use crate::store::{Occupancy, Reason, RemovalCounts, RemovalHook, StoreError};

/// What the callers of a store and its upkeep share.
pub(super) struct Shared {
    pub(super) connection: Connection,
    pub(super) keys: Keys,
    /// The bytes that all pastes may cost, as this node was told.
    pub(super) budget: usize,
    /// The bytes that the pastes of one shard may cost. It follows the largest budget of all nodes.
    pub(super) room: AtomicUsize,
    /// The bytes of the largest content, for the deadline of a read.
    pub(super) largest_content: usize,
    /// The fingerprint of the secret, which is in `tb:meta`.
    pub(super) fingerprint: String,
    /// The deadline of calls that was there at the start, if the operator set one.
    pub(super) deadline: Option<Duration>,
    pub(super) usage: Mutex<Usage>,
    pub(super) reads: PendingReads,
    /// Held while reads are reported.
    pub(super) reporting: tokio::sync::Mutex<()>,
    pub(super) lists: Lists,
    pub(super) removal_hook: RemovalHook,
    pub(super) shards: u16,
}

/// The copy that this node has of the operator's lists.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) moderation: Moderation,
    /// The version of the copy. The lock is held while the copy is read or changed. Zero: there was no change yet.
    pub(super) version: tokio::sync::Mutex<u64>,
    /// The version of its blocks, for a look without the lock.
    pub(super) blocks: AtomicU64,
}

/// The answer of a function that may change a shard.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) status: Status,
    /// What it means depends on the function and the status.
    pub(super) detail: i64,
    /// The number of pastes that were removed to make room, or because they had expired.
    pub(super) removed: u64,
}

/// What a function did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Done,
    /// The id belongs to another paste.
    Taken,
    /// There is not enough room yet. The detail is one if there are other pastes to remove, or zero.
    NoRoom,
    /// There is no such paste. The detail is the reason.
    Gone,
    /// The paste has another revision.
    Changed,
}

/// What this node knows of all shards.
pub(super) struct Usage {
    shards: Vec<ShardUsage>,
    pub(super) removed: RemovalCounts,
}

#[derive(Debug, Clone, Copy, Default)]
struct ShardUsage {
    pastes: usize,
    bytes: usize,
    overdue: Duration,
}

impl Usage {
    pub(super) fn of(shards: u16) -> Self {
        Self {
            shards: vec![ShardUsage::default(); usize::from(shards)],
            removed: RemovalCounts::default(),
        }
    }

    pub(super) fn occupancy(&self) -> Occupancy {
        Occupancy {
            pastes: self.shards.iter().map(|it| it.pastes).sum(),
            bytes: self.shards.iter().map(|it| it.bytes).sum(),
        }
    }

    /// Returns how long ago the first deadline passed of the pastes that are still to be swept.
    pub(super) fn overdue(&self) -> Duration {
        let overdue = self.shards.iter().map(|it| it.overdue);
        overdue.max().unwrap_or_default()
    }

    pub(super) fn set_overdue(&mut self, shard: u16, overdue: Duration) {
        self.shards[usize::from(shard)].overdue = overdue;
    }
}

impl Shared {
    /// Returns the bytes that the pastes of one shard may cost.
    pub(super) fn shard_room(&self) -> usize {
        self.room.load(Ordering::Relaxed)
    }

    /// Uses the budget of another node if it is larger. With a smaller one, this node would evict the pastes of others.
    pub(super) fn use_budget(&self, of_others: usize) {
        let room = self.budget.max(of_others) / usize::from(self.shards);
        self.room.store(room, Ordering::Relaxed);
    }

    /// Returns the shard of the paste with this key.
    pub(super) fn shard_of(&self, key: RowKey) -> u16 {
        let shard = key.0 % u64::from(self.shards);
        u16::try_from(shard).expect("less than the number of shards")
    }

    /// Returns the name in the engine of the paste with this key.
    pub(super) fn name_of(&self, key: RowKey) -> Vec<u8> {
        [&self.root_of(key)[..], b":p:", &key.0.to_be_bytes()].concat()
    }

    /// Returns the name in the engine of the list of an owner's pastes in a shard.
    pub(super) fn owner_list(&self, shard: u16, tag: &[u8; 16]) -> Vec<u8> {
        [root(shard).as_bytes(), b":o:", tag].concat()
    }

    /// Returns the root key of the shard of the paste with this key.
    pub(super) fn root_of(&self, key: RowKey) -> Vec<u8> {
        root(self.shard_of(key)).into_bytes()
    }

    /// Starts a call. It is made also if its caller goes away meanwhile. `bytes` is how much it carries.
    pub(super) fn start_call<T: FromRedisValue + Send + 'static>(
        self: &Arc<Self>,
        call: Call,
        command: Cmd,
        bytes: usize,
    ) -> JoinHandle<Result<T, Failure>> {
        let shared = Arc::clone(self);
        let work = async move { shared.connection.call(call, &command, bytes).await };
        self.connection.runtime().spawn(work)
    }

    /// Makes a call, and waits for its answer.
    pub(super) async fn call<T: FromRedisValue + Send + 'static>(
        self: &Arc<Self>,
        call: Call,
        command: Cmd,
        bytes: usize,
    ) -> Result<T, Failure> {
        let answer = self.start_call(call, command, bytes).await;
        answer.unwrap_or(Err(Failure::Unavailable))
    }

    /// Starts a call of a function that may change a shard. Its answer is recorded before those of later calls.
    pub(super) fn start_change(
        self: &Arc<Self>,
        call: Call,
        shard: u16,
        command: Cmd,
        bytes: usize,
    ) -> JoinHandle<Result<Answer, Failure>> {
        let shared = Arc::clone(self);
        let work = async move {
            let answer: Vec<i64> = shared.connection.call(call, &command, bytes).await?;
            let answer = shared.record_answer(shard, &answer);
            answer.ok_or(Failure::Unavailable)
        };
        self.connection.runtime().spawn(work)
    }

    /// Returns a command that calls a function on a shard. The caller appends the other arguments.
    pub(super) fn function(&self, name: &str, shard: u16) -> Cmd {
        let mut command = redis::cmd("FCALL");
        // While the slot of a shard moves between servers of a Cluster, each of them has a part of it. They refuse a call
        // that names a key they do not have, and this second key is never there. So no function sees a part.
        let root = root(shard);
        command.arg(format!("tidebin_{name}")).arg(2);
        command.arg(&root).arg(format!("{root}:x"));
        command
    }

    /// Returns a command that calls a function that may change a shard. The caller appends the other arguments.
    pub(super) fn changing_function(&self, name: &str, now: Timestamp, shard: u16) -> Cmd {
        let mut command = self.function(name, shard);
        command.arg(now.as_millis()).arg(self.shard_room());
        command
    }

    /// Returns a command that calls a function that may change a paste. The caller appends the other arguments.
    pub(super) fn paste_function(&self, name: &str, now: Timestamp, key: RowKey) -> Cmd {
        let mut command = self.changing_function(name, now, self.shard_of(key));
        command.arg(&key.0.to_be_bytes()[..]);
        command
    }

    /// Records how full a shard is, and what was removed there, from the answer of a function that may have changed it.
    /// Returns `None` if it is not such an answer.
    fn record_answer(&self, shard: u16, answer: &[i64]) -> Option<Answer> {
        let (status, detail, removed) = match *answer {
            [status, detail] => (status, detail, 0),
            [status, detail, pastes, bytes, expired, evicted] => {
                let number = |it: i64| usize::try_from(it).unwrap_or(0);
                let [expired, evicted] =
                    [expired, evicted].map(|it| u64::try_from(it).unwrap_or(0));
                let mut usage = self.usage.lock();
                let known = &mut usage.shards[usize::from(shard)];
                (known.pastes, known.bytes) = (number(pastes), number(bytes));
                usage.removed.expired += expired;
                usage.removed.evicted += evicted;
                (status, detail, expired + evicted)
            }
            _ => return None,
        };
        Some(Answer {
            status: Status::of(status)?,
            detail,
            removed,
        })
    }

    /// Counts a removal, and calls the removal hook.
    pub(super) fn record_removal(&self, id: PasteId, reason: Reason) {
        *self.usage.lock().removed.of(reason) += 1;
        (self.removal_hook)(id);
    }
}

/// Returns the root key of a shard. Keys with the same text in braces are in one slot of a Cluster.
fn root(shard: u16) -> String {
    format!("tb:{{{shard}}}")
}

impl Status {
    fn of(number: i64) -> Option<Self> {
        Some(match number {
            0 => Self::Done,
            1 => Self::Taken,
            2 => Self::NoRoom,
            3 => Self::Gone,
            4 => Self::Changed,
            _ => return None,
        })
    }
}

/// Returns why there is no paste, as the engine tells it.
pub(super) fn not_found(reason: i64) -> StoreError {
    let code = u8::try_from(reason).ok();
    let reason = code.and_then(Reason::from_code);
    reason.map_or(StoreError::NotFound, StoreError::Gone)
}

impl AsRef<Keys> for Shared {
    fn as_ref(&self) -> &Keys {
        &self.keys
    }
}
