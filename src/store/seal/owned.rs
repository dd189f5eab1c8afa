//! The summary of a paste with an owner in its row, so that its owner can list it without its content.
//!
//! ```text
//! owner    = a keyed hash of the owner's id[16]        the same in all rows of an owner
//! id       = id[8]                                     sealed for the owner
//! summary  = flags[1] saved[8] size[8] language title  sealed for the id; language and title as in the content
//! ```
//!
//! Invariants: neither the disk nor the secret nor both tell whose a row is, or its id: that needs the owner's own
//! secret. A summary opens only for its row and its revision. A copy of the disk shows which rows have the same owner.
//! Cost: two derived keys and two seals for a save, the same for each paste of a list.

use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305};

use super::content::{TEXT, push_names, stored_language, take_names};
use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError, derive};
use crate::paste::{Encoding, OwnerId, PasteData, PasteId, Revision, Timestamp, Title};
use crate::store::listed::Summary;

const ID: Format = Format {
    label: b"tidebin owned id",
    version: 1,
};

const SUMMARY: Format = Format {
    label: b"tidebin summary\0",
    version: 1,
};

/// The bytes of a sealed id.
pub(in crate::store) const SEALED_ID: usize = 8 + 41;

impl Keys {
    /// Returns the value that names this owner in its rows.
    #[must_use]
    pub fn owner_tag(&self, owner: &OwnerId) -> [u8; 16] {
        derive(&self.root, &[b"owner tag", owner.bytes()])
    }

    /// Seals the id of a paste for its owner.
    #[must_use]
    pub fn seal_owned_id(&self, owner: &OwnerId, id: PasteId, nonce: Nonce) -> Vec<u8> {
        let mut part = ID.start(nonce, 8);
        part.extend_from_slice(&id.bits().to_be_bytes());
        ID.seal(&self.of_owner(owner), [self.row_key(id).0, 0], &mut part);
        part
    }

    /// Opens the id of the paste with this row key, for its owner.
    ///
    /// # Errors
    /// Fails if the bytes are not the id of this row, or if they have a newer version.
    pub fn open_owned_id(
        &self,
        owner: &OwnerId,
        key: RowKey,
        sealed: &[u8],
    ) -> Result<PasteId, UnsealError> {
        let mut part = sealed.to_vec();
        let mut fields = Fields(ID.open(&self.of_owner(owner), [key.0, 0], &mut part)?);
        Ok(PasteId::from_random(fields.array()?))
    }

    /// Seals the summary of a revision.
    #[must_use]
    pub fn seal_summary(&self, id: PasteId, paste: &PasteData, nonce: Nonce) -> Vec<u8> {
        let mut part = SUMMARY.start(nonce, 64);
        part.push(match paste.encoding {
            Encoding::Utf8 => TEXT,
            Encoding::Binary => 0,
        });
        part.extend_from_slice(&paste.saved().as_millis().to_le_bytes());
        part.extend_from_slice(&(paste.content_bytes() as u64).to_le_bytes());
        push_names(paste, &mut part);
        let numbers = [self.row_key(id).0, paste.revision.bits()];
        SUMMARY.seal(&self.of_summary(id), numbers, &mut part);
        part
    }

    /// Opens the summary of this revision of the paste with this id.
    ///
    /// # Errors
    /// Fails if the bytes are not the summary of this revision, or if they have a newer version.
    pub fn open_summary(
        &self,
        id: PasteId,
        revision: Revision,
        sealed: &[u8],
    ) -> Result<Summary, UnsealError> {
        let mut part = sealed.to_vec();
        let numbers = [self.row_key(id).0, revision.bits()];
        let mut fields = Fields(SUMMARY.open(&self.of_summary(id), numbers, &mut part)?);
        let [flags] = fields.array()?;
        let saved = Timestamp::from_millis(fields.u64()?);
        let size = usize::try_from(fields.u64()?).map_err(|_| UnsealError::Damaged)?;
        let (language, title) = take_names(&mut fields)?;
        Ok(Summary {
            title: Title::new(title),
            language: stored_language(language),
            encoding: match flags & TEXT {
                0 => Encoding::Binary,
                _ => Encoding::Utf8,
            },
            size,
            saved,
        })
    }

    fn of_owner(&self, owner: &OwnerId) -> XChaCha20Poly1305 {
        let key = derive(&self.root, &[b"owned id", owner.bytes()]);
        XChaCha20Poly1305::new(&Key::from(key))
    }

    fn of_summary(&self, id: PasteId) -> XChaCha20Poly1305 {
        let key = derive(&self.root, &[b"summary", &id.bits().to_le_bytes()]);
        XChaCha20Poly1305::new(&Key::from(key))
    }
}
