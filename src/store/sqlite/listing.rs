//! Listing the pastes of an owner. A reader's thread reads their rows.
//!
//! Invariants: a list has every paste that was acknowledged before it was asked for. It opens no content.
//! Cost: one look-up in the index of owners, and four seals for each paste of the page. The lock is held once for all.

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::database::tables::{self, OwnedRow};
use super::shared::Shared;
use crate::paste::{OwnerId, Timestamp};
use crate::store::seal::{Record, RowKey, UnsealError};
use crate::store::{ListPage, Listed, StoreError};

/// A page of a list that a client waits for.
#[derive(Debug)]
pub(super) struct List {
    pub(super) now: Timestamp,
    pub(super) owner: OwnerId,
    pub(super) before: Option<u64>,
    pub(super) most: usize,
    pub(super) reply: oneshot::Sender<Result<ListPage, StoreError>>,
}

/// Reads a page, unless its client has gone away.
pub(super) fn serve(shared: &Shared, connection: &Connection, list: List) {
    if list.reply.is_closed() {
        return;
    }
    let tag = shared.keys.owner_tag(&list.owner);
    // One more row tells whether there is a next page.
    let rows = tables::owned(connection, &tag, list.before, list.most + 1);
    let page = match rows {
        Ok(rows) => Ok(page(shared, &list, rows)),
        Err(error) => {
            tracing::error!(%error, "a list of pastes cannot be read from the disk");
            Err(StoreError::Failed)
        }
    };
    let _ = list.reply.send(page);
}

fn page(shared: &Shared, list: &List, mut rows: Vec<(u64, OwnedRow)>) -> ListPage {
    let has_next = rows.len() > list.most;
    rows.truncate(list.most);
    let next = rows.last().map(|(_, row)| row.place);
    let mut pastes = Vec::with_capacity(rows.len());
    for (seq, row) in &rows {
        match open(shared, &list.owner, *seq, row) {
            Ok(paste) => pastes.push(paste),
            // Its key may be unreadable.
            Err(error) if shared.lock().is_new_damage(RowKey(*seq)) => {
                tracing::error!(seq, %error, "a paste of a list is damaged");
            }
            Err(_) => {}
        }
    }
    let state = shared.lock();
    let is_listed = |(key, paste): &(RowKey, Listed)| {
        state.catalog.find(*key).is_some() && !paste.deadline.has_passed(list.now)
    };
    let pastes = pastes.into_iter().filter(is_listed);
    let pastes = pastes.map(|(key, paste)| Listed {
        reads: state.reads(key).unwrap_or(paste.reads),
        ..paste
    });
    ListPage {
        pastes: pastes.collect(),
        next: next.filter(|_| has_next),
    }
}

fn open(
    shared: &Shared,
    owner: &OwnerId,
    seq: u64,
    row: &OwnedRow,
) -> Result<(RowKey, Listed), UnsealError> {
    let keys = &shared.keys;
    let Record {
        key,
        revision,
        access,
        deadline,
        ..
    } = Record::open(keys, seq, &row.record)?;
    let id = keys.open_owned_id(owner, key, &row.id)?;
    let counts = row.counts.as_ref();
    let counts = counts.map(|counts| keys.open_counts(key, counts));
    let slug = row.slug.as_ref().map(|slug| keys.open_slug(key, slug));
    let listed = Listed {
        id,
        slug: slug.transpose()?,
        summary: keys.open_summary(id, revision, &row.summary)?,
        access,
        deadline,
        reads: counts.transpose()?.map_or(0, |(total, _)| total),
    };
    Ok((key, listed))
}
