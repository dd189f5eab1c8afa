//! The operator's lists: blocked contents and reports. The engine keeps them, and each node a copy.
//!
//! Invariants: the copy has a version. A change is made in the engine only if it was made to the present version, else
//! the copy is read again first. A save asks for the version of the blocks, so a content that any node blocked is
//! refused by all.
//! Cost: one small call before each save and each look at the lists, and all rows after another node changed the
//! blocks. Reports are read by the operator and before they change, so many of them delay no save.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::MutexGuard;
use tokio::time::timeout;

use super::Store;
use super::connection::{Call, Failure};
use super::header::Header;
use super::shared::Shared;
use crate::paste::Timestamp;
use crate::store::moderation::{Moderation, Row, RowChange};
use crate::store::seal::Nonce;
use crate::store::{ModerationChange, Report, StoreError};

/// The name of the lists in the engine.
const NAME: &str = "tb:{m}";

/// More bytes than all rows take, for the deadline of reading them.
const MOST_BYTES: usize = 8 << 20;

/// A slug is free a day after its paste ended. So a paste that was saved this long after a report is another one,
/// whatever the clocks of the nodes show.
const SLUG_PAUSE: Duration = Duration::from_hours(12);

/// How often a change is tried again if another node was faster.
const TRIES: usize = 16;

impl Store {
    /// Returns the lists, with the blocks as they are in the engine now. There may be other reports.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub(in crate::store) async fn moderation(&self) -> Result<&Moderation, Failure> {
        // Asked without the lock: if the engine hangs, those who ask do not wait for each other.
        let present = self.shared.present_versions().await?;
        if self.shared.lists.blocks.load(Ordering::Acquire) != present.blocks {
            let mut version = self.shared.lock_lists().await?;
            self.shared.refresh(&mut version).await?;
        }
        Ok(&self.shared.lists.moderation)
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
        if let ModerationChange::Report(report) = &change
            && !self.is_stored_since(now, report).await?
        {
            // It was removed meanwhile, or there is a later one with its slug.
            return self.peek(now, report.paste).await.map(|_| true);
        }
        let is_about_blocks = match change {
            ModerationChange::Block(_) | ModerationChange::Unblock(_) => true,
            ModerationChange::Report(_) | ModerationChange::Dismiss(_) => false,
        };
        let mut version = self.shared.lock_lists().await?;
        for _ in 0..TRIES {
            self.shared.refresh(&mut version).await?;
            let rows = self.shared.lists.moderation.apply(&change, |id| id)?;
            if rows.is_empty() {
                return Ok(false);
            }
            let stored = self.shared.store_rows(*version, is_about_blocks, &rows);
            let stored = stored.await;
            // Otherwise the copy has a change that the engine may not have.
            *version = stored.unwrap_or_default().unwrap_or(u64::MAX);
            if is_about_blocks {
                self.shared.lists.blocks.store(*version, Ordering::Release);
            }
            if stored?.is_some() {
                return Ok(true);
            }
        }
        Err(StoreError::Unavailable)
    }

    /// Returns the reports about pastes that can still be read, the latest first. Reports about others are removed.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub(in crate::store) async fn reports(&self, now: Timestamp) -> Result<Vec<Report>, Failure> {
        let mut version = self.shared.lock_lists().await?;
        self.shared.refresh(&mut version).await?;
        drop(version);
        let mut present = Vec::new();
        for report in self.shared.lists.moderation.reports(|_| true) {
            if self.is_stored_since(now, &report).await? {
                present.push(report);
            } else {
                // Another node may have removed the report, so the result does not matter.
                let _ = self
                    .moderate(now, ModerationChange::Dismiss(report.paste))
                    .await;
            }
        }
        Ok(present)
    }

    /// Returns whether the paste of a report can be read, and is not a later one with the same slug.
    async fn is_stored_since(&self, now: Timestamp, report: &Report) -> Result<bool, Failure> {
        let key = self.shared.keys.row_key(report.paste);
        let mut read = redis::cmd("GETRANGE");
        read.arg(self.shared.name_of(key))
            .arg(0)
            .arg(Header::BYTES - 1);
        let header: Vec<u8> = self.shared.call(Call::Get, read, 0).await?;
        let header = Header::of(&header);
        Ok(header.is_some_and(|it| {
            !it.deadline.has_passed(now)
                && it
                    .saved()
                    .is_none_or(|saved| saved.since(report.at) < SLUG_PAUSE)
        }))
    }
}

/// The versions of the lists in the engine.
struct Versions {
    all: u64,
    blocks: u64,
}

impl Versions {
    fn of(all: Option<u64>, blocks: Option<u64>) -> Self {
        let all = all.unwrap_or(0);
        // Earlier nodes wrote no version of the blocks.
        let blocks = blocks.unwrap_or(all);
        Self { all, blocks }
    }
}

impl Shared {
    async fn present_versions(self: &Arc<Self>) -> Result<Versions, Failure> {
        let mut ask = redis::cmd("HMGET");
        ask.arg(NAME).arg("version").arg("blocks");
        let (all, blocks): (Option<u64>, Option<u64>) = self.call(Call::Moderate, ask, 0).await?;
        Ok(Versions::of(all, blocks))
    }

    /// Locks the version of the copy, but does not wait for long behind an engine that hangs.
    async fn lock_lists(&self) -> Result<MutexGuard<'_, u64>, Failure> {
        let lock = timeout(self.connection.deadline(), self.lists.version.lock());
        lock.await.map_err(|_| Failure::Unavailable)
    }

    /// Reads the lists again if they have another version.
    async fn refresh(self: &Arc<Self>, known: &mut u64) -> Result<(), Failure> {
        let present = self.present_versions().await?;
        if present.all == *known {
            return Ok(());
        }
        let mut read = redis::cmd("HGETALL");
        read.arg(NAME);
        let fields: Vec<(String, Vec<u8>)> = self.call(Call::Moderate, read, MOST_BYTES).await?;
        let mut rows = Vec::with_capacity(fields.len());
        let (mut all, mut blocks) = (None, None);
        for (field, value) in fields {
            let number = || std::str::from_utf8(&value).ok()?.parse().ok();
            if field == "version" {
                all = number();
            } else if field == "blocks" {
                blocks = number();
            } else if let Ok(seq) = field.parse() {
                match Row::open(&self.keys, seq, &value) {
                    Ok(row) => rows.push((seq, row)),
                    Err(error) => {
                        tracing::error!(%error, "a row of the operator's lists cannot be opened")
                    }
                }
            }
        }
        rows.sort_unstable_by_key(|(seq, _)| *seq);
        self.lists.moderation.replace(rows, |id| id);
        let versions = Versions::of(all, blocks);
        *known = versions.all;
        self.lists.blocks.store(versions.blocks, Ordering::Release);
        Ok(())
    }

    /// Changes the rows in the engine. Returns their new version, or `None` if they have another one now.
    async fn store_rows(
        self: &Arc<Self>,
        version: u64,
        is_about_blocks: bool,
        rows: &[RowChange],
    ) -> Result<Option<u64>, Failure> {
        let (mut deleted, mut inserted) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                RowChange::Delete(seq) => deleted.push(*seq),
                RowChange::Insert(seq, row) => {
                    let nonce = Nonce::random().map_err(|_| Failure::Unavailable)?;
                    inserted.push((*seq, row.seal(&self.keys, *seq, nonce)));
                }
            }
        }
        let mut change = redis::cmd("FCALL");
        change.arg("tidebin_moderate").arg(1).arg(NAME);
        change.arg(version).arg(u8::from(is_about_blocks));
        change.arg(deleted.len()).arg(deleted);
        for (seq, row) in inserted {
            change.arg(seq).arg(row);
        }
        let new: u64 = self.call(Call::Moderate, change, 0).await?;
        Ok((new > 0).then_some(new))
    }
}
