//! The data of slugs on the disk.

use super::*;
use crate::paste::Slug;

impl Driven {
    /// Saves a paste of this owner with a slug.
    pub(super) fn save_with_slug(
        &self,
        owner: u8,
        id: PasteId,
        slug: Option<Slug>,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let saver = Saver {
            client: CLIENT,
            owner: (owner > 0).then(|| owner_id(owner)),
            slug,
        };
        self.save_as(saver, id, paste)
    }

    fn save_notes(&self) -> Result<(), StoreError> {
        let paste = paste(b"x", Access::Open, 0, self.now());
        let slug = Slug::parse("my-notes").unwrap();
        self.save_with_slug(1, id(1), Some(slug), paste)
    }
}

#[test]
fn a_slug_is_sealed_under_the_secret_alone_and_stays_when_its_paste_changes() {
    // Given a paste with a slug
    let mut driven = Driven::new();
    driven.save_notes().unwrap();
    // When its content changes, and the server restarts
    let change = Change {
        content: Content::new(b"changed", 7).ok(),
        ..Change::default()
    };
    driven.update(id(1), &change, 9).unwrap();
    driven.restart();
    let slug = driven.list(1)[0].slug.clone().unwrap();
    assert_eq!(slug.as_str(), "my-notes");
    // Then no file shows it, and the secret of the server opens it
    driven.close();
    let sealed: Vec<u8> = driven
        .database()
        .query_row("SELECT slug FROM meta", [], |row| row.get(0))
        .unwrap();
    let keys = Keys::new(&[7; 32]);
    assert_eq!(keys.open_slug(keys.row_key(id(1)), &sealed), Ok(slug));
    for file in std::fs::read_dir(driven.directory.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(8).any(|part| part == b"my-notes"));
    }
}

#[test]
fn a_slug_that_a_failed_transaction_gave_back_is_neither_free_nor_reserved() {
    let driven = Driven::new();
    driven.save_notes().unwrap();
    // Given a deletion that fails
    let database = driven.database();
    let refuse =
        "CREATE TRIGGER refuse BEFORE INSERT ON tombstone BEGIN SELECT RAISE(FAIL, 'no'); END";
    database.execute_batch(refuse).unwrap();
    assert!(driven.remove(id(1), Reason::Deleted).is_err());
    // Then the paste is there, and its id is not reserved
    let moderation = driven.store().moderation();
    let key = Keys::new(&[7; 32]).row_key(id(1)).as_id();
    assert!(!moderation.is_reserved(driven.now(), key));
}
