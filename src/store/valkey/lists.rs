//! The operator's lists: blocked contents and reports. The engine keeps them, and each node a copy.
//!
//! Invariants: a list has a version. A change is made in the engine only if it was made to the present version, else
//! the copy is read again first. Blocks never expire, since the operator alone makes them. Each node reads those of
//! others once a second. Reports expire with the last of their pastes, but not within [`REPORTS_STAY`]: a client that
//! changes the expiry of a paste does not get rid of its reports.
//! Cost: a save asks the engine for nothing. The upkeep makes one small call a second, and reads all rows after a
//! change.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::MutexGuard;
use tokio::time::timeout;

use super::Store;
use super::connection::{Call, Script, command};
use super::header::Header;
use super::shared::{OperatorList, Shared, names, remaining};
use crate::paste::Timestamp;
use crate::store::moderation::{Moderation, Row, RowChange};
use crate::store::seal::Nonce;
use crate::store::{ModerationChange, Report, StoreError};

/// More bytes than all rows take, for the deadline of reading them.
const MOST_BYTES: usize = 8 << 20;

/// How long reports stay at least, in milliseconds: 30 days.
const REPORTS_STAY: u64 = 30 * 86_400_000;

/// A slug is free a day after its paste ended. So a paste that was saved this long after a report is another one.
const SLUG_PAUSE: Duration = Duration::from_hours(12);

/// How often a change is tried again if another node was faster.
const TRIES: usize = 16;

impl Store {
    /// Returns the blocks, as this node knows them. It knows those of other nodes a second later.
    pub(in crate::store) fn moderation(&self) -> &Moderation {
        &self.shared.blocks.moderation
    }

    /// Changes the list of blocked contents or of reports. Returns false if it was as wanted already.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the change was refused.
    pub(in crate::store) async fn moderate(
        &self,
        now: Timestamp,
        change: ModerationChange,
    ) -> Result<bool, StoreError> {
        let shared = &self.shared;
        let (list, expiry) = match &change {
            ModerationChange::Block(_) | ModerationChange::Unblock(_) => (&shared.blocks, 0),
            ModerationChange::Dismiss(_) => (&shared.reports, 0),
            ModerationChange::Report(report) => match self.header_of(report).await? {
                Some(header) => {
                    let stay = remaining(now, header.deadline).max(REPORTS_STAY);
                    (&shared.reports, stay)
                }
                // It was removed meanwhile, or there is a later one with its slug.
                None => return self.peek(report.paste).await.map(|_| true),
            },
        };
        for _ in 0..TRIES {
            let mut version = shared.refresh(list).await?;
            let rows = list.moderation.apply(&change, |id| id)?;
            if rows.is_empty() {
                return Ok(false);
            }
            // Until it is known, the copy has a change that the engine may not have.
            let known = std::mem::replace(&mut *version, u64::MAX);
            if let Some(new) = shared.store(list, known, expiry, &rows).await? {
                *version = new;
                return Ok(true);
            }
        }
        Err(StoreError::Unavailable)
    }

    /// Returns the reports about pastes that can still be read, the latest first. Others stay until they expire or make
    /// room.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub(in crate::store) async fn reports(&self) -> Result<Vec<Report>, StoreError> {
        let list = &self.shared.reports;
        drop(self.shared.refresh(list).await?);
        let mut present = Vec::new();
        for report in list.moderation.reports(|_| true) {
            if self.header_of(&report).await?.is_some() {
                present.push(report);
            }
        }
        Ok(present)
    }

    /// Returns the header of the paste of a report, unless it is gone or is a later one with the same slug.
    async fn header_of(&self, report: &Report) -> Result<Option<Header>, StoreError> {
        let [name, ..] = names(self.shared.keys.row_key(report.paste));
        let read = command("GETRANGE", (name, 0, Header::BYTES - 1));
        let start: Vec<u8> = self.shared.call(Call::Get, [read], 0).await?;
        let header = Header::read(&start).ok().map(|(header, _)| header);
        Ok(header.filter(|header| header.saved().since(report.at) < SLUG_PAUSE))
    }
}

impl Shared {
    /// Reads a list again if it has another version. Returns the version, locked. It does not wait for long behind an
    /// engine that hangs.
    pub(super) async fn refresh<'a>(
        self: &Arc<Self>,
        list: &'a OperatorList,
    ) -> Result<MutexGuard<'a, u64>, StoreError> {
        let lock = timeout(self.connection.deadline, list.version.lock());
        let mut known = lock.await.map_err(|_| StoreError::Unavailable)?;
        let ask = command("HGET", (list.name, "version"));
        let present = self.call::<Option<u64>, 1>(Call::Moderate, [ask], 0);
        let present = present.await?.unwrap_or(0);
        if present == *known {
            return Ok(known);
        }
        let read = self.call(Call::Moderate, [command("HGETALL", list.name)], MOST_BYTES);
        let fields: Vec<(String, Vec<u8>)> = read.await?;
        let mut rows = Vec::with_capacity(fields.len());
        for (field, value) in fields {
            // The version is no number of a row.
            let Ok(seq) = field.parse() else { continue };
            match Row::open(&self.keys, seq, &value) {
                Ok(row) => rows.push((seq, row)),
                Err(error) => {
                    tracing::error!(%error, "a row of the operator's lists cannot be opened");
                }
            }
        }
        rows.sort_unstable_by_key(|(seq, _)| *seq);
        list.moderation.replace(rows, |id| id);
        *known = present;
        Ok(known)
    }

    /// Changes the rows in the engine. Returns their new version, or `None` if they have another one now. The list may
    /// expire after these milliseconds, unless they are zero.
    async fn store(
        self: &Arc<Self>,
        list: &OperatorList,
        version: u64,
        expiry: u64,
        rows: &[RowChange],
    ) -> Result<Option<u64>, StoreError> {
        // Random, so that no version comes twice after all keys were lost.
        let random = getrandom::u64().map_err(|_| StoreError::Unavailable)?;
        let new = random.max(1);
        let mut script = Script::Moderate.on(&[list.name.to_owned()]);
        script.arg(version).arg(new).arg(expiry);
        for row in rows {
            match row {
                RowChange::Delete(seq) => script.arg(*seq).arg(""),
                RowChange::Insert(seq, row) => {
                    let nonce = Nonce::random().map_err(|_| StoreError::Unavailable)?;
                    script.arg(*seq).arg(row.seal(&self.keys, *seq, nonce))
                }
            };
        }
        let stored: bool = self.call(Call::Moderate, [script], 0).await?;
        Ok(stored.then_some(new))
    }
}
