//! The work of readers: they load pastes, and pages of the lists of owners.
//!
//! Invariants: a paste is loaded once, however many clients wait for it. A loaded paste enters the cache only if it is
//! still the present version. A damaged paste fails alone, and is logged once. A panic fails the paste that caused it.
//! A list has every paste that was acknowledged before it was asked for, and opens no content.
//! Cost: one look-up in two tables, and opening the seal. A list takes one look-up in the index of owners, and four
//! seals for each paste of the page. The lock is held once for all.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;

use crate::paste::{OwnerId, PasteId, Timestamp};
use crate::store::entry::Entry;
use crate::store::listed::outlined;
use crate::store::seal::{Record, RowKey, UnsealError};
use crate::store::sqlite::database::tables::{self, OwnedRow};
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Cached, Listing};
use crate::store::{ListPage, Listed, StoreError, Unnamed};

/// Loads a paste for the clients that wait for it.
pub(crate) fn load(shared: &Shared, connection: &Connection, id: PasteId, key: RowKey, seq: u64) {
    if shared.lock().give_up_loading(key) {
        return;
    }
    let fetched = catch_unwind(AssertUnwindSafe(|| fetch(shared, connection, id, key, seq)));
    let loaded = fetched.unwrap_or(Err(StoreError::Failed));
    shared.finish_loading(key, seq, loaded);
}

/// Reads a paste from the disk.
pub(crate) fn fetch(
    shared: &Shared,
    connection: &Connection,
    id: PasteId,
    key: RowKey,
    seq: u64,
) -> Result<Cached, StoreError> {
    let failed = |what: &str, error: &dyn Display| {
        if shared.lock().is_new_damage(key) {
            tracing::error!(seq, %error, "{what}");
        }
        StoreError::Failed
    };
    let row = tables::paste(connection, seq)
        .map_err(|error| failed("a paste cannot be read from the disk", &error))?;
    let (record, counts, content, summary) = row.ok_or(StoreError::Changed)?;
    let keys = &shared.keys;
    let damaged = |error| failed("a paste on the disk is damaged", &error);
    let record = Record::open(keys, seq, &record).map_err(damaged)?;
    // A transaction that failed had given this number to the paste, and a later one gave it to another paste.
    if record.key != key {
        return Err(StoreError::Changed);
    }
    let mut paste = keys.open_paste(id, &record, &content).map_err(damaged)?;
    let summary = summary.and_then(|sealed| keys.open_summary(id, record.revision, &sealed).ok());
    if summary.is_some_and(|it| it.outline.is_none()) {
        // It is missing if an older version wrote the row.
        paste = outlined(paste);
    }
    let mut entry = Entry::new(paste, 0);
    if let Some(counts) = counts {
        (entry.total, entry.reads) = keys.open_counts(key, &counts).map_err(damaged)?;
    }
    Ok(Cached {
        id,
        entry,
        is_dirty: false,
    })
}

/// Reads a page of at most `most` pastes of the owner, those before the cursor.
pub(crate) fn page(
    shared: &Shared,
    connection: &Connection,
    now: Timestamp,
    owner: &OwnerId,
    before: Option<u64>,
    most: usize,
) -> Result<ListPage, StoreError> {
    let tag = shared.keys.owner_tag(owner);
    // One more row tells whether there is a next page.
    let rows = tables::owned(connection, &tag, before, most + 1);
    let mut rows = rows.map_err(unreadable)?;
    let has_next = rows.len() > most;
    rows.truncate(most);
    let next = rows.last().map(|row| row.place);
    let mut pastes = Vec::with_capacity(rows.len());
    for row in &rows {
        match open_row(shared, owner, row) {
            Ok(paste) => pastes.push(paste),
            // Its key may be unreadable.
            Err(error) if shared.lock().is_new_damage(RowKey(row.seq)) => {
                tracing::error!(seq = row.seq, %error, "a paste of a list is damaged");
            }
            Err(_) => {}
        }
    }
    let state = shared.lock();
    let is_listed = |(key, paste): &(RowKey, Listed)| {
        state.catalog.find(*key).is_some() && !paste.deadline.has_passed(now)
    };
    let pastes = pastes.into_iter().filter(is_listed);
    let pastes = pastes.map(|(key, paste)| Listed {
        reads: state.reads(key).unwrap_or(paste.reads),
        ..paste
    });
    Ok(ListPage {
        pastes: pastes.collect(),
        next: next.filter(|_| has_next),
    })
}

/// Reads pastes of a network, at most this many. One that was changed meanwhile, or is damaged, is left out.
pub(crate) fn unnamed(
    shared: &Shared,
    connection: &Connection,
    network: u64,
    most: usize,
) -> Result<Vec<Unnamed>, StoreError> {
    let listings = shared.lock().catalog.listings_of(network, most);
    let mut pastes = Vec::with_capacity(listings.len());
    for Listing { key, seq, cost, .. } in listings {
        let row = tables::counted_record(connection, seq).map_err(unreadable)?;
        let opened = row.and_then(|(record, counts)| {
            let record = Record::open(&shared.keys, seq, &record).ok()?;
            let counts = counts.map(|counts| shared.keys.open_counts(key, &counts));
            Some((
                record,
                counts.transpose().ok()?.map_or(0, |(total, _)| total),
            ))
        });
        pastes.extend(opened.map(|(record, reads)| Unnamed {
            bytes: cost,
            saved: record.saved,
            access: record.access,
            reads: shared.lock().reads(key).unwrap_or(reads),
        }));
    }
    Ok(pastes)
}

fn unreadable(error: rusqlite::Error) -> StoreError {
    tracing::error!(%error, "a list of pastes cannot be read from the disk");
    StoreError::Failed
}

fn open_row(
    shared: &Shared,
    owner: &OwnerId,
    row: &OwnedRow,
) -> Result<(RowKey, Listed), UnsealError> {
    let keys = &shared.keys;
    let record = Record::open(keys, row.seq, &row.record)?;
    let key = record.key;
    let id = keys.open_owned_id(owner, key, &row.id)?;
    let counts = row.counts.as_ref();
    let counts = counts.map(|counts| keys.open_counts(key, counts));
    let slug = row.slug.as_ref().map(|slug| keys.open_slug(key, slug));
    let listed = Listed {
        id,
        slug: slug.transpose()?,
        summary: keys.open_summary(id, record.revision, &row.summary)?,
        access: record.access,
        deadline: record.deadline,
        reads: counts.transpose()?.map_or(0, |(total, _)| total),
    };
    Ok((key, listed))
}
