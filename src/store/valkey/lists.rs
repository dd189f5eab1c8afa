//! The operator's lists: blocked contents and reports. The engine keeps them, and each node a copy.
//!
//! Invariants: the copy has a version. A change is made in the engine only if it was made to the present version, else
//! the copy is read again first. A save asks for the version, so a content that any node blocked is refused by all.
//! Cost: one small call before each save and each look at the lists, and all rows after a change by another node.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Store;
use super::connection::{Call, Failure};
use super::shared::Shared;
use crate::paste::{PasteId, Timestamp};
use crate::store::moderation::{Moderation, Row, RowChange};
use crate::store::seal::Nonce;
use crate::store::{ModerationChange, ModerationError, Report};

/// The name of the lists in the engine.
const NAME: &str = "tb:{m}";

/// More bytes than all rows take, for the deadline of reading them.
const MOST_BYTES: usize = 8 << 20;

/// How often a change is tried again if another node was faster.
const TRIES: usize = 16;

impl Store {
    /// Returns the lists as they are in the engine now.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub(in crate::store) async fn moderation(&self) -> Result<&Moderation, Failure> {
        // Asked without the lock: if the engine hangs, those who ask do not wait for each other.
        let present = self.shared.present_version().await?;
        if self.shared.lists.known.load(Ordering::Acquire) != present {
            let mut version = self.shared.lists.version.lock().await;
            if *version != present {
                self.shared.refresh(&mut version).await?;
            }
        }
        Ok(&self.shared.lists.moderation)
    }

    /// Changes the list of blocked contents or of reports. Returns false if it was as wanted already.
    ///
    /// # Errors
    /// Returns a [`ModerationError`] if the change was refused.
    pub(in crate::store) async fn moderate(
        &self,
        now: Timestamp,
        change: ModerationChange,
    ) -> Result<bool, ModerationError> {
        if let ModerationChange::Report(report) = &change
            && !self.is_stored(now, report.paste).await?
        {
            return Err(ModerationError::NotFound);
        }
        let mut version = self.shared.lists.version.lock().await;
        for _ in 0..TRIES {
            self.shared.refresh(&mut version).await?;
            let rows = self.shared.lists.moderation.apply(&change, |id| id)?;
            if rows.is_empty() {
                return Ok(false);
            }
            let stored = self.shared.store_rows(*version, &rows).await;
            if let Ok(Some(new)) = stored {
                self.shared.set_version(&mut version, new);
                return Ok(true);
            }
            // The copy has a change that the engine may not have.
            self.shared.set_version(&mut version, u64::MAX);
            stored?;
        }
        Err(ModerationError::Unavailable)
    }

    /// Returns the reports about pastes that can still be read, the latest first. Reports about others are removed.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub(in crate::store) async fn reports(&self, now: Timestamp) -> Result<Vec<Report>, Failure> {
        let all = self.moderation().await?.reports();
        let mut present = Vec::new();
        for report in all {
            if self.is_stored(now, report.paste).await? {
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

    async fn is_stored(&self, now: Timestamp, id: PasteId) -> Result<bool, Failure> {
        let key = self.shared.keys.row_key(id);
        let mut read = redis::cmd("GETRANGE");
        read.arg(self.shared.name_of(key))
            .arg(0)
            .arg(super::header::Header::BYTES - 1);
        let header: Vec<u8> = self.shared.call(Call::Get, read, 0).await?;
        let deadline = super::header::Header::deadline_of(&header);
        Ok(deadline.is_some_and(|deadline| !deadline.has_passed(now)))
    }
}

impl Shared {
    async fn present_version(self: &Arc<Self>) -> Result<u64, Failure> {
        let mut ask = redis::cmd("HGET");
        ask.arg(NAME).arg("version");
        let version: Option<u64> = self.call(Call::Moderate, ask, 0).await?;
        Ok(version.unwrap_or(0))
    }

    fn set_version(&self, version: &mut u64, new: u64) {
        *version = new;
        self.lists.known.store(new, Ordering::Release);
    }

    /// Reads the lists again if they have another version.
    async fn refresh(self: &Arc<Self>, known: &mut u64) -> Result<(), Failure> {
        if self.present_version().await? == *known {
            return Ok(());
        }
        let mut read = redis::cmd("HGETALL");
        read.arg(NAME);
        let fields: Vec<(String, Vec<u8>)> = self.call(Call::Moderate, read, MOST_BYTES).await?;
        let mut rows = Vec::with_capacity(fields.len());
        let mut version = 0;
        for (field, value) in fields {
            if field == "version" {
                let text = String::from_utf8(value).unwrap_or_default();
                version = text.parse().unwrap_or(0);
            } else if let Ok(seq) = field.parse() {
                match Row::open(&self.keys, seq, value) {
                    Ok(row) => rows.push((seq, row)),
                    Err(error) => {
                        tracing::error!(%error, "a row of the operator's lists cannot be opened")
                    }
                }
            }
        }
        rows.sort_unstable_by_key(|(seq, _)| *seq);
        self.lists.moderation.replace(rows, |id| id);
        self.set_version(known, version);
        Ok(())
    }

    /// Changes the rows in the engine. Returns their new version, or `None` if they have another one now.
    async fn store_rows(
        self: &Arc<Self>,
        version: u64,
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
        change.arg(version).arg(deleted.len()).arg(deleted);
        for (seq, row) in inserted {
            change.arg(seq).arg(row);
        }
        let new: u64 = self.call(Call::Moderate, change, 0).await?;
        Ok((new > 0).then_some(new))
    }
}
