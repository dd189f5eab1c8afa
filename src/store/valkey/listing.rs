//! Listing the pastes of an owner, which are in all shards.
//!
//! Invariants: a list has every paste that was acknowledged before it was asked for. It opens no content.
//! Cost: one call for each shard, all at once, then one call and three seals for each paste of the page.

use super::Store;
use super::connection::Call;
use super::header::{Header, whole};
use super::shared::Shared;
use crate::paste::{OwnerId, Timestamp};
use crate::store::seal::{RowKey, SEALED_ID, SEALED_SLUG, UnsealError};
use crate::store::{ListPage, Listed, StoreError};

/// More bytes than a header and the owner's part take.
const MOST_BYTES: usize = 2048;

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
        self.report_reads(now).await;
        let tag = self.shared.keys.owner_tag(owner);
        let mut places = self.places(&tag, before, most + 1).await?;
        places.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
        let has_next = places.len() > most;
        places.truncate(most);
        let next = places.last().map(|(place, _)| *place);
        let ask = |(_, key): (u64, RowKey)| {
            let mut get = redis::cmd("GETRANGE");
            get.arg(self.shared.name_of(key)).arg(0).arg(MOST_BYTES - 1);
            (key, self.shared.start_call::<Vec<u8>>(Call::List, get, 0))
        };
        let asked: Vec<_> = places.into_iter().map(ask).collect();
        let mut pastes = Vec::with_capacity(asked.len());
        for (key, value) in asked {
            let value = value.await.map_err(|_| StoreError::Unavailable)??;
            if Header::of(&value).is_none() {
                // It was removed meanwhile, lost or damaged.
                let mut unlist = self.shared.function("unlist", self.shared.shard_of(key));
                unlist.arg(&tag[..]).arg(&key.0.to_be_bytes()[..]);
                drop(self.shared.start_call::<i64>(Call::List, unlist, 0));
                continue;
            }
            match open(&self.shared, owner, key, &value) {
                Ok(listed) if listed.deadline.has_passed(now) => {}
                Ok(listed) => pastes.push(listed),
                Err(error) => tracing::error!(%error, "a paste of a list cannot be opened"),
            }
        }
        Ok(ListPage {
            pastes,
            next: next.filter(|_| has_next),
        })
    }

    /// Returns the latest pastes of the owner with this tag before the cursor in each shard, at most this number, with their
    /// places.
    async fn places(
        &self,
        tag: &[u8; 16],
        before: Option<u64>,
        most: usize,
    ) -> Result<Vec<(u64, RowKey)>, StoreError> {
        let before = before.map_or("+inf".to_owned(), |before| format!("({before}"));
        let ask = |shard| {
            let mut list = redis::cmd("ZREVRANGEBYSCORE");
            list.arg(self.shared.owner_list(shard, tag)).arg(&before);
            list.arg("-inf").arg("WITHSCORES");
            list.arg("LIMIT").arg(0).arg(most);
            let call = Call::List;
            self.shared.start_call::<Vec<(Vec<u8>, f64)>>(call, list, 0)
        };
        let asked: Vec<_> = (0..self.shared.shards).map(ask).collect();
        let mut places = Vec::new();
        for shard in asked {
            let found = shard.await.map_err(|_| StoreError::Unavailable)??;
            let place = |(key, place): (Vec<u8>, f64)| {
                let key = key.try_into().ok()?;
                Some((whole(place).ok()?, RowKey(u64::from_be_bytes(key))))
            };
            places.extend(found.into_iter().filter_map(place));
        }
        Ok(places)
    }
}

fn open(
    shared: &Shared,
    owner: &OwnerId,
    key: RowKey,
    value: &[u8],
) -> Result<Listed, UnsealError> {
    let damaged = UnsealError::Damaged;
    let (header, owned, _) = Header::split(value)?;
    let (sealed_id, rest) = owned.split_at_checked(SEALED_ID).ok_or(damaged)?;
    let slug_bytes = if header.has_slug { SEALED_SLUG } else { 0 };
    let (slug, summary) = rest.split_at_checked(slug_bytes).ok_or(damaged)?;
    let keys = &shared.keys;
    let id = keys.open_owned_id(owner, key, sealed_id)?;
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
