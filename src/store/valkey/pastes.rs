//! The operations on one paste: save, read, consume, change and remove.
//!
//! Invariants: an operation that changes something is one call, which checks everything again. What is read before it
//! only prepares it. The engine alone decides that a paste has expired.

use std::sync::Arc;

use futures_util::future::try_join;
use redis::{Cmd, Value};

use super::Store;
use super::connection::{Call, Script, command};
use super::header::{Header, VERSION};
use super::reads;
use super::shared::{Shared, names, remaining};
use super::upkeep;
use crate::paste::{Access, Change, Counts, PasteData, PasteId, Revision, StoredPaste, Timestamp};
use crate::store::error::refuse_other;
use crate::store::listed::outlined;
use crate::store::seal::{
    Nonce, RowKey, SEALED_ID, SEALED_SLUG, UnsealError, aside_if_large, seal_paste,
};
use crate::store::{Consumed, End, Reason, Receipt, Saver, StoreError};

/// How often a change is tried again if the paste was changed meanwhile.
const TRIES: usize = 8;

/// The seconds for which a tombstone tells why a paste is gone, and keeps its slug from being used again.
const DAY: u64 = 86_400;

/// What is in the tombstone of a slug while its paste is there. No reason has this number.
const RESERVED: u8 = 254;

/// A paste as the engine has it.
struct Found {
    header: Header,
    /// The part of the owner.
    owned: Vec<u8>,
    data: PasteData,
    /// Whether it has the form of an older version.
    is_older: bool,
}

impl Store {
    /// Stores the paste under this id. A repeated save of the same paste succeeds and changes nothing. A slug is not
    /// free while there is a tombstone.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not stored, or if it is not known whether it is.
    pub async fn insert(
        &self,
        now: Timestamp,
        saver: Saver,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let (shared, keys) = (&self.shared, &self.shared.keys);
        let (key, paste) = (keys.row_key(id), saver.sign(paste.into_data()));
        let header = Header::new(&paste, shared.next_place(now, key));
        let sealed = seal_paste(keys, id, &paste).await?;
        let owned = saver.owner.map(|owner| keys.ownership(&owner, id, &paste));
        let owned = owned.transpose()?;
        let owned = owned.map(|it| [it.id, it.slug.unwrap_or_default(), it.summary].concat());
        let value = header.value(&owned.unwrap_or_default(), &sealed);
        let [name, tombstone, ..] = names(key);
        if header.has_slug {
            let tombstone = [command("GET", &tombstone)];
            let is_reserved: Option<u8> = shared.call(Call::Missing, tombstone, 0).await?;
            if is_reserved.is_some() {
                return Err(StoreError::IdTaken);
            }
        }
        let remaining = remaining(now, header.deadline);
        let set = command("SET", (name, &value, "NX", "GET", "PX", remaining));
        let set = async { shared.call(Call::Save, [set], value.len()).await };
        // The list is written first, in the same pipeline, so that it has every paste whose save was answered.
        let listing = shared.enlist(now, [header.place, key.0], &paste);
        let ((), there): (_, Option<Vec<u8>>) = try_join(listing, set).await?;
        match there {
            // Reads that wait are those of an expired paste that had the id before.
            None => drop(shared.reads.take(reads::of(key))),
            Some(there) if there == value => {}
            Some(_) => return Err(StoreError::IdTaken),
        }
        if header.has_slug {
            let reserved = remaining.saturating_add(DAY * 1000);
            let reserve = command("SET", (tombstone, RESERVED, "NX", "PX", reserved));
            // The paste is stored, so a failure only frees its slug when it expires.
            let _ = shared.call::<Value, 1>(Call::Save, [reserve], 0).await;
        }
        Ok(())
    }

    /// Returns the paste. For an open paste that is not a short link, this counts a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        let Found { header, data, .. } = self.find(id).await?;
        let (key, reads) = (self.shared.keys.row_key(id), data.counts_on_get().into());
        let pending = self.shared.reads.add(now, key, reads);
        Ok(data.with_reads(header.reads.saturating_add(pending)))
    }

    /// Returns the paste without counting a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn peek(&self, id: PasteId) -> Result<StoredPaste, StoreError> {
        // The count of its reads is exact, because those of this node are reported first.
        let places = reads::of(self.shared.keys.row_key(id));
        upkeep::report_reads(&self.shared, places).await;
        let Found { header, data, .. } = self.find(id).await?;
        Ok(data.with_reads(header.reads))
    }

    /// Returns how often the paste was read, by hour and by day. Reads of other nodes may be missing for a second.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn counts(&self, id: PasteId) -> Result<Counts, StoreError> {
        self.peek(id).await?;
        let [_, _, counts, _] = names(self.shared.keys.row_key(id));
        let read = self.shared.call(Call::Get, [command("HGETALL", counts)], 0);
        let fields: Vec<(String, u32)> = read.await?;
        let numbers = fields.iter().filter_map(|(field, reads)| {
            let (kind, number) = field.split_at_checked(1)?;
            Some((kind == "h", number.parse().ok()?, *reads))
        });
        Ok(Counts::from_numbers(numbers))
    }

    /// Counts a read and returns the paste, for every kind of access. `seen` is the version that the caller looked at.
    /// The last allowed read removes the paste.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if there is nothing to show.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        let key = self.shared.keys.row_key(id);
        let (taken, left) = match seen.access() {
            Access::Burn(left) if left.get() == 1 => {
                // It is completed also if the client goes away meanwhile.
                let taking = take_only(Arc::clone(&self.shared), id, seen.clone());
                let taken = self.shared.connection.runtime.spawn(taking).await;
                (taken.unwrap_or(Err(StoreError::Unavailable))?, 0)
            }
            _ => {
                let revision = seen.revision().bits().to_be_bytes();
                let taking = self.take(key, &revision, Reason::Burned);
                (seen.clone(), taking.await?)
            }
        };
        match left {
            0 => self.record_end(id, End::of(seen, now, Reason::Burned)),
            _ => _ = self.shared.reads.add(now, key, 1),
        }
        Ok(Consumed::after_read(&taken, u8::try_from(left).ok()))
    }

    /// Changes a paste. The paste gets this revision, unless only its expiry changes. Its token and its counts do not
    /// change.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not changed, or if it is not known whether it is.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let found = self.load(id).await?;
            refuse_other(change, &found.data)?;
            let paste = outlined(found.data.changed(change, revision, now));
            let expires_from = change.expiry.map(|_| now);
            match self.replace(id, &found, &paste, expires_from).await {
                Err(StoreError::Changed) => {}
                replaced => return replaced.map(|()| (self.shared.removal_hook)(id)),
            }
        }
        Err(StoreError::Failed)
    }

    /// Replaces what was found by this paste, whose deadline is another one if there is a time. Fails with
    /// [`StoreError::Changed`] if the paste was changed meanwhile.
    async fn replace(
        &self,
        id: PasteId,
        found: &Found,
        paste: &PasteData,
        expires_from: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let (shared, key) = (&self.shared, self.shared.keys.row_key(id));
        let header = Header {
            deadline: paste.deadline,
            revision: paste.revision,
            ..found.header
        };
        let sealed = seal_paste(&shared.keys, id, paste).await?;
        let mut owned = found.owned.clone();
        if !owned.is_empty() {
            owned.truncate(summary_at(&header));
            owned.extend(shared.keys.summary(id, paste)?);
        }
        let value = header.value(&owned, &sealed);
        let mut script = Script::Change.on(&names(key)[..3]);
        let seen = found.data.revision.bits().to_be_bytes();
        script.arg(&seen).arg(&value);
        script.arg(expires_from.map(|now| remaining(now, paste.deadline)));
        self.run(Call::Change, script, value.len()).await?;
        match expires_from {
            Some(now) => shared.enlist(now, [header.place, key.0], paste).await,
            None => Ok(()),
        }
    }

    /// Removes the paste. Exactly one of several callers succeeds.
    ///
    /// # Errors
    /// Fails if there is no paste, or if the engine cannot be used.
    pub async fn remove(&self, id: PasteId, end: End) -> Result<(), StoreError> {
        let key = self.shared.keys.row_key(id);
        self.take(key, b"", end.reason).await?;
        self.record_end(id, end);
        Ok(())
    }

    /// Counts the end of a paste, and keeps its receipt. If that fails, its owner is told no time.
    fn record_end(&self, id: PasteId, end: End) {
        *self.shared.removed.lock().of(end.reason) += 1;
        (self.shared.removal_hook)(id);
        let (keys, key) = (&self.shared.keys, self.shared.keys.row_key(id));
        let Ok(nonce) = Nonce::random() else { return };
        let value = keys.seal_tombstone(key.0, (key, end), nonce);
        let ([.., receipt], bytes) = (names(key), value.len());
        let set = command("SET", (receipt, value, "EX", DAY));
        drop(self.shared.call::<Value, 1>(Call::Take, [set], bytes));
    }

    /// Returns the receipt of a paste that was removed.
    pub async fn receipt(&self, id: PasteId) -> Receipt {
        let (keys, key) = (&self.shared.keys, self.shared.keys.row_key(id));
        let [.., receipt] = names(key);
        let get = [command("GET", receipt)];
        let found = self.shared.call(Call::Missing, get, 0).await;
        let value: Vec<u8> = found.unwrap_or_default();
        let opened = keys.open_tombstone(key.0, &value);
        opened.map_or(Receipt::default(), |(_, end)| end.receipt)
    }

    /// Uses up a view of this revision, or ends the paste for this reason if there is no revision. Returns how many
    /// views are left, or a negative number if they are not limited.
    async fn take(&self, key: RowKey, seen: &[u8], reason: Reason) -> Result<i64, StoreError> {
        let mut script = Script::Take.on(&names(key)[..3]);
        script.arg(seen).arg(reason.code()).arg(DAY);
        let call = if seen.is_empty() {
            Call::Delete
        } else {
            Call::Take
        };
        self.run(call, script, 0).await
    }

    /// Runs a script that changes a paste. Returns its answer, unless there is no paste or it has another revision.
    async fn run(&self, call: Call, script: Cmd, bytes: usize) -> Result<i64, StoreError> {
        match self.shared.call(call, [script], bytes).await {
            Ok(-1) => Err(StoreError::Changed),
            Ok(answer @ ..=-10) => Err(not_found(u8::try_from(-10 - answer).ok())),
            Ok(answer) => Ok(answer),
            // A full engine is not the concern of who reads or deletes.
            Err(_) if call != Call::Change => Err(StoreError::Unavailable),
            Err(error) => Err(error),
        }
    }

    /// Reads a paste. One that an older version wrote gets its outline.
    async fn find(&self, id: PasteId) -> Result<Found, StoreError> {
        let found = self.load(id).await?;
        let outlined = found.is_older.then(|| outlined(found.data.clone()));
        if let Some(paste) = outlined.filter(PasteData::has_outline) {
            // If this fails, the next reader tries again. Boxed: this future is large, and rare.
            let _ = Box::pin(self.replace(id, &found, &paste, None)).await;
        }
        Ok(found)
    }

    /// Reads a paste and opens its seal.
    async fn load(&self, id: PasteId) -> Result<Found, StoreError> {
        let shared = &self.shared;
        let [name, tombstone, ..] = names(shared.keys.row_key(id));
        let get = shared.call(Call::Get, [command("GET", name)], shared.largest);
        let Some(value) = get.await? else {
            let tombstone = [command("GET", tombstone)];
            return Err(not_found(shared.call(Call::Missing, tombstone, 0).await?));
        };
        opened(shared, id, value).await
    }
}

/// Uses up the only view of a paste without a password, with plain commands: most burning pastes are such. Returns it
/// as it was then, which is newer than what was seen if its author changed it meanwhile. The tombstone stays as it was
/// if there was no paste.
async fn take_only(
    shared: Arc<Shared>,
    id: PasteId,
    seen: StoredPaste,
) -> Result<StoredPaste, StoreError> {
    let [name, tombstone, counts, _] = &names(shared.keys.row_key(id));
    let reason = Reason::Burned.code();
    let taking = [
        command("GETDEL", name),
        command("SET", (tombstone, reason, "GET", "EX", DAY)),
    ];
    let taken = (shared.connection).call(Call::Take, taking, shared.largest);
    let (value, before): (Option<Vec<u8>>, Option<u8>) =
        taken.await.map_err(|_| StoreError::Unavailable)?;
    let Some(value) = value else {
        let restore = match before {
            Some(before) => command("SET", (tombstone, before, "KEEPTTL")),
            None => command("UNLINK", tombstone),
        };
        drop(shared.call::<Value, 1>(Call::Take, [restore], 0));
        return Err(not_found(before));
    };
    let (header, _) = Header::read(&value).map_err(damaged)?;
    if header.reads > 0 {
        drop(shared.call::<i64, 1>(Call::Take, [command("UNLINK", counts)], 0));
    }
    if header.revision == seen.revision() {
        return Ok(seen);
    }
    let Found { header, data, .. } = opened(&shared, id, value).await?;
    Ok(data.with_reads(header.reads))
}

/// Returns where the summary starts in the part of an owner.
pub(super) fn summary_at(header: &Header) -> usize {
    SEALED_ID + if header.has_slug { SEALED_SLUG } else { 0 }
}

/// Opens the value of a paste. A large one does not make other requests of this thread wait.
async fn opened(shared: &Arc<Shared>, id: PasteId, value: Vec<u8>) -> Result<Found, StoreError> {
    let shared = Arc::clone(shared);
    let opened = aside_if_large(value.len(), move || open(&shared, id, &value)).await;
    opened.unwrap_or(Err(UnsealError::Damaged)).map_err(damaged)
}

fn open(shared: &Shared, id: PasteId, value: &[u8]) -> Result<Found, UnsealError> {
    let (header, owned, sealed) = Header::split(value)?;
    let record = header.record(shared.keys.row_key(id));
    Ok(Found {
        data: shared.keys.open_paste(id, &record, sealed)?,
        owned: owned.to_vec(),
        is_older: value.first() < Some(&VERSION),
        header,
    })
}

fn damaged(error: UnsealError) -> StoreError {
    tracing::error!(%error, "a paste in the engine cannot be opened");
    StoreError::Failed
}

/// Returns why there is no paste, by the reason of its tombstone.
fn not_found(reason: Option<u8>) -> StoreError {
    let reason = reason.and_then(Reason::from_code);
    reason.map_or(StoreError::NotFound, StoreError::Gone)
}
