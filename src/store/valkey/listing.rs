//! Listing the pastes of an owner, which are in all shards.
//!
//! Invariants: a list has every paste that was acknowledged before it was asked for. It opens no content.
//! Cost: one call for each shard, all at once, and three seals for each paste of the page.

use super::Store;
use super::connection::{self, Call};
use super::header::Header;
use super::shared::Shared;
use crate::paste::{OwnerId, Timestamp};
use crate::store::seal::{RowKey, SEALED_ID, SEALED_SLUG, UnsealError};
use crate::store::{ListPage, Listed, ReadError};

/// A key, and the header and the owner's part of its paste.
type Row = (u64, Vec<u8>);

impl Store {
    /// Returns a page of at most `most` pastes of the owner, those before the cursor.
    ///
    /// # Errors
    /// Fails if the engine cannot be used.
    pub async fn list(
        &self,
        now: Timestamp,
        owner: &OwnerId,
        before: Option<u64>,
        most: usize,
    ) -> Result<ListPage, ReadError> {
        self.report_reads(now).await;
        let before = before.map_or("+inf".to_owned(), |before| format!("({before}"));
        let tag = self.shared.keys.owner_tag(owner);
        let ask = |shard| {
            let mut list = self.shared.function("list", shard);
            // One more tells whether there is a next page.
            list.arg(&tag[..]).arg(&before).arg(most + 1);
            connection::start_call::<Vec<Vec<u8>>, _>(&self.shared, Call::List, list, 0)
        };
        let asked: Vec<_> = (0..self.shared.shards()).map(ask).collect();
        let mut rows = Vec::new();
        for shard in asked {
            let found = shard.await.map_err(|_| ReadError::Unavailable)??;
            rows.extend(found.chunks_exact(2).filter_map(row));
        }
        Ok(page(&self.shared, now, owner, rows, most))
    }
}

/// Reads a key and its value.
fn row(pair: &[Vec<u8>]) -> Option<Row> {
    let [key, value] = pair else { return None };
    let key: [u8; 8] = key.as_slice().try_into().ok()?;
    Some((u64::from_be_bytes(key), value.clone()))
}

fn page(shared: &Shared, now: Timestamp, owner: &OwnerId, rows: Vec<Row>, most: usize) -> ListPage {
    let mut opened = Vec::new();
    for (key, value) in rows {
        match open(shared, owner, RowKey(key), &value) {
            Ok(listed) => opened.push(listed),
            Err(error) => tracing::error!(%error, "a paste of a list cannot be opened"),
        }
    }
    opened.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
    let has_next = opened.len() > most;
    opened.truncate(most);
    let next = opened.last().map(|(place, _)| *place);
    let pastes = opened.into_iter().map(|(_, listed)| listed);
    ListPage {
        pastes: pastes.filter(|it| !it.deadline.has_passed(now)).collect(),
        next: next.filter(|_| has_next),
    }
}

fn open(
    shared: &Shared,
    owner: &OwnerId,
    key: RowKey,
    value: &[u8],
) -> Result<(u64, Listed), UnsealError> {
    let damaged = UnsealError::Damaged;
    let (header, owned, _) = Header::split(value)?;
    let (sealed_id, rest) = owned.split_at_checked(SEALED_ID).ok_or(damaged)?;
    let slug_bytes = if header.has_slug { SEALED_SLUG } else { 0 };
    let (slug, summary) = rest.split_at_checked(slug_bytes).ok_or(damaged)?;
    let keys = &shared.keys;
    let id = keys.open_owned_id(owner, key, sealed_id)?;
    let slug = header.has_slug.then(|| keys.open_slug(key, slug));
    let listed = Listed {
        id,
        slug: slug.transpose()?,
        summary: keys.open_summary(id, header.revision, summary)?,
        access: header.access,
        deadline: header.deadline,
        reads: header.reads,
    };
    Ok((header.place, listed))
}
