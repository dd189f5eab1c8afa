//! The data of owners on the disk.

use super::*;
use crate::store::seal::{Nonce, SEALED_ID};
use crate::store::sqlite::limits::Limits;

fn open_paste(content: &[u8], now: Timestamp) -> StoredPaste {
    paste(content, Access::Open, 0, now)
}

#[test]
fn a_start_charges_the_same_bytes_for_an_owned_paste_as_its_save() {
    let mut driven = Driven::new();
    // Contents around the size at which a second page is charged
    for number in 0..40_u64 {
        let content: Vec<u8> = (0..3700 + number * 12)
            .map(|at| u8::try_from((at * at * 31 + at / 7) % 251).unwrap())
            .collect();
        let paste = open_paste(&content, driven.now());
        driven.save_owned(1, id(number), paste).unwrap();
    }
    let charged = driven.store().occupancy();
    driven.restart();
    assert_eq!(driven.store().occupancy(), charged);
    assert!(charged.bytes > 40 * Limits::cost_of(0));
}

#[test]
fn the_rows_of_an_owner_show_neither_the_owner_nor_an_id_nor_a_title() {
    let mut driven = Driven::new();
    let paste = open_paste(b"x", driven.now());
    driven.save_owned(1, id(1), paste).unwrap();
    driven.close();
    let database = driven.database();
    let row = "SELECT owner, owned_id, summary FROM meta";
    let (owner, sealed, summary): (Vec<u8>, Vec<u8>, Vec<u8>) = database
        .query_row(row, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    assert_eq!((owner.len(), sealed.len()), (16, SEALED_ID));
    assert_ne!(owner, owner_id(1).hash().bytes());
    // With the secret of the server, only the owner opens the id, and only the id opens the summary
    let keys = Keys::new(&[7; 32]);
    let key = keys.row_key(id(1));
    let opened = |owner| keys.open_owned_id(&owner_id(owner), key, &sealed);
    assert_eq!(opened(1), Ok(id(1)));
    assert!(opened(2).is_err());
    let revision = Revision::from_random([1; 8]);
    assert!(keys.open_summary(id(1), revision, &summary).is_ok());
    for (id, revision) in [(id(2), revision), (id(1), Revision::from_random([2; 8]))] {
        assert!(keys.open_summary(id, revision, &summary).is_err());
    }
}

#[test]
fn a_damaged_row_is_left_out_of_the_list_and_the_others_stay() {
    let mut driven = Driven::new();
    for number in 1..=3 {
        let paste = open_paste(b"x", driven.now());
        driven.save_owned(1, id(number), paste).unwrap();
    }
    driven.close();
    let damage = "UPDATE meta SET owned_id = zeroblob(49) WHERE seq = 2";
    driven.database().execute(damage, []).unwrap();
    driven.open();
    let ids: Vec<_> = driven.list(1).iter().map(|paste| paste.id).collect();
    assert_eq!(ids, [id(3), id(1)]);
}

#[test]
fn a_row_of_an_older_version_gets_its_outline_when_it_is_first_loaded() {
    // Given a row whose summary ends before the outline
    let mut driven = Driven::new();
    let saved = open_paste(b"fn tide() {}", driven.now());
    let keys = Keys::new(&[7; 32]);
    let older = keys.seal_summary(id(1), saved.data(), Nonce::random().unwrap());
    driven.save_owned(1, id(1), saved).unwrap();
    driven.close();
    let database = driven.database();
    let changed = database.execute("UPDATE meta SET summary = ?1", [older]);
    assert_eq!(changed, Ok(1));
    driven.open();
    let has_outline = |driven: &Driven| driven.list(1)[0].summary.outline.is_some();
    assert!(!has_outline(&driven));
    // When the paste is read
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "fn tide() {}");
    // Then the row has its outline, and is charged for it
    assert!(has_outline(&driven));
    let charged = driven.store().occupancy();
    driven.restart();
    assert!(has_outline(&driven));
    assert_eq!(driven.store().occupancy(), charged);
    // And it is not written again
    let seq = |driven: &Driven| -> u64 {
        let seq = driven
            .database()
            .query_row("SELECT seq FROM meta", [], |row| row.get(0));
        seq.unwrap()
    };
    let before = seq(&driven);
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "fn tide() {}");
    assert_eq!(seq(&driven), before);
}
