//! Listing the pastes of an owner: a sorted set of their places and keys, by deadline.
//!
//! Invariants: a paste enters the list before its save is answered, so an entry may have no paste yet. Those of pastes
//! that are gone leave the list when they are met, [`MOST_SAVING`] after their save. It opens no content. The engine may
//! drop the list to make room, and then the pastes are still there.
//! Cost: one call for the whole list, at most 10,000 rows of 16 bytes. Then one call and three seals for each paste of
//! the page.

use super::Store;
use super::connection::{Call, command};
use super::header::Header;
use super::pastes::summary_at;
use super::shared::{Shared, names};
use crate::paste::{OwnerId, Timestamp};
use crate::store::seal::{RowKey, SEALED_ID, UnsealError};
use crate::store::{ListPage, Listed, StoreError};

/// More bytes than a header and the owner's part take.
const MOST_BYTES: usize = 2048;

/// Longer than a save takes, in the unit of a place.
const MOST_SAVING: u64 = 600_000_000;

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
    ) -> Result<ListPage, StoreError> {
        self.report_reads().await;
        let (shared, list) = (&self.shared, &self.shared.list_of(&owner.hash()));
        let all = shared.call(Call::List, [command("ZRANGE", (list, 0, -1))], 0);
        let members: Vec<Vec<u8>> = all.await?;
        let row = |member: Vec<u8>| {
            let (place, key) = member.split_first_chunk()?;
            let [place, key] = [*place, key.try_into().ok()?].map(u64::from_be_bytes);
            (place < before.unwrap_or(u64::MAX)).then_some((place, key))
        };
        let mut rows: Vec<(u64, u64)> = members.into_iter().filter_map(row).collect();
        rows.sort_unstable_by(|one, other| other.cmp(one));
        // One more than asked tells that there is a next page.
        let mut found = Vec::with_capacity(most + 1);
        for rows in rows.chunks(most + 1) {
            let asked = rows.iter().map(|(_, key)| {
                let [name, ..] = names(RowKey(*key));
                let get = command("GETRANGE", (name, 0, MOST_BYTES - 1));
                shared.call::<Vec<u8>, 1>(Call::List, [get], 0)
            });
            let asked: Vec<_> = asked.collect();
            for ((place, key), start) in rows.iter().zip(asked) {
                let start = start.await?;
                // A later paste with the same slug has another place.
                let is_same = |(header, _): (Header, _)| header.place == *place;
                if !Header::read(&start).map_or(!start.is_empty(), is_same) {
                    if place.saturating_add(MOST_SAVING) < now.as_millis().saturating_mul(1000) {
                        let member = [place.to_be_bytes(), key.to_be_bytes()].concat();
                        let gone = command("ZREM", (list, member));
                        drop(shared.call::<i64, 1>(Call::List, [gone], 0));
                    }
                    continue;
                }
                match open(shared, owner, RowKey(*key), &start) {
                    Ok(listed) => found.push((*place, listed)),
                    Err(error) => tracing::error!(%error, "a paste of a list cannot be opened"),
                }
            }
            if found.len() > most {
                break;
            }
        }
        let has_next = found.len() > most;
        found.truncate(most);
        let next = found.last().filter(|_| has_next).map(|(place, _)| *place);
        let pastes = found.into_iter().map(|(_, listed)| listed).collect();
        Ok(ListPage { pastes, next })
    }
}

fn open(
    shared: &Shared,
    owner: &OwnerId,
    key: RowKey,
    start: &[u8],
) -> Result<Listed, UnsealError> {
    let damaged = UnsealError::Damaged;
    let (header, owned, _) = Header::split(start)?;
    let (owned, summary) = owned.split_at_checked(summary_at(&header)).ok_or(damaged)?;
    let (id, slug) = owned.split_at(SEALED_ID);
    let keys = &shared.keys;
    let id = keys.open_owned_id(owner, key, id)?;
    let slug = header.has_slug.then(|| keys.open_slug(key, slug));
    Ok(Listed {
        id,
        slug: slug.transpose()?,
        summary: keys.open_summary(id, header.revision, summary)?,
        access: header.access,
        deadline: header.deadline,
        reads: header.reads,
    })
}
