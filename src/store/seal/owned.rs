//! The summary of a paste with an owner in its row, so that its owner can list it without its content.
//!
//! ```text
//! owner    = a keyed hash of the owner's id[16]                the same in all rows of an owner
//! id       = id[8]                                             sealed for the owner
//! summary  = flags[1] saved[8] size[8] language title outline  sealed for the id; language and title as in the content
//! outline  = language name[2, text] 0[1] line[2, text]          nothing without an outline
//! ```
//!
//! Invariants: neither the disk nor the secret nor both tell whose a row is, or its id: that needs the owner's id, which
//! is made of a random secret, or of the name of an account. So whoever has both and the name opens the ids of that
//! account. A summary opens only for its row and its revision. A copy of the disk shows which rows have the same owner.
//! Cost: two derived keys and two seals for a save, the same for each paste of a list.

use chacha20poly1305::XChaCha20Poly1305;

use super::content::{encoding_of, flag_of, push_names, take_names};
use super::{Fields, Format, Keys, Nonce, RowKey, UnsealError, derive, push_numbers};
use crate::paste::{Outline, OwnerId, PasteData, PasteId, Revision, Summary, TokenHash};
use crate::store::StoreError;

const ID: Format = Format(b"tidebin owned id");
const SUMMARY: Format = Format(b"tidebin summary\0");

/// The bytes of a sealed id.
pub(in crate::store) const SEALED_ID: usize = 8 + 41;

/// What the row of a paste has for its owner, besides the record and the counts.
pub(in crate::store) struct Ownership {
    /// The keyed hash of the owner.
    pub(in crate::store) owner: [u8; 16],
    /// The sealed id.
    pub(in crate::store) id: Vec<u8>,
    /// The sealed summary.
    pub(in crate::store) summary: Vec<u8>,
    /// The sealed slug, if the paste has one.
    pub(in crate::store) slug: Option<Vec<u8>>,
}

impl Keys {
    /// Makes the part of a new paste's row that is for its owner.
    pub(in crate::store) fn ownership(
        &self,
        owner: &OwnerId,
        id: PasteId,
        paste: &PasteData,
    ) -> Result<Ownership, StoreError> {
        let slug = paste.owned.as_ref().and_then(|owned| owned.slug.as_ref());
        let seal = |slug| Ok(self.seal_slug(self.row_key(id), slug, nonce()?));
        Ok(Ownership {
            owner: self.owner_tag(owner),
            id: self.seal_owned_id(owner, id, nonce()?),
            summary: self.summary(id, paste)?,
            slug: slug.map(seal).transpose()?,
        })
    }

    /// Seals the summary of a revision.
    pub(in crate::store) fn summary(
        &self,
        id: PasteId,
        paste: &PasteData,
    ) -> Result<Vec<u8>, StoreError> {
        Ok(self.seal_summary(id, paste, nonce()?))
    }

    /// Returns the value that names this owner in its rows.
    pub fn owner_tag(&self, owner: &OwnerId) -> [u8; 16] {
        derive(&self.root, &[b"owner tag", owner.bytes()])
    }

    /// Returns the value that names the list of this owner in an engine.
    pub fn list_tag(&self, owner: &TokenHash) -> [u8; 16] {
        derive(&self.root, &[b"owner list", owner.bytes()])
    }

    /// Seals the id of a paste for its owner.
    pub fn seal_owned_id(&self, owner: &OwnerId, id: PasteId, nonce: Nonce) -> Vec<u8> {
        let numbers = [self.row_key(id).0, 0];
        ID.seal(&self.of_owner(owner), numbers, nonce, 8, |part| {
            part.extend_from_slice(&id.bits().to_be_bytes());
        })
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
        ID.open(&self.of_owner(owner), [key.0, 0], sealed, |fields| {
            Ok(PasteId::from_random(fields.array()?))
        })
    }

    /// Seals the summary of a revision with this nonce.
    pub fn seal_summary(&self, id: PasteId, paste: &PasteData, nonce: Nonce) -> Vec<u8> {
        let numbers = self.numbers(id, paste.revision);
        SUMMARY.seal(&self.of_summary(id), numbers, nonce, 64, |part| {
            part.push(flag_of(paste.encoding));
            push_numbers(part, [paste.saved().as_millis(), paste.bytes.len() as u64]);
            push_names(part, paste.language, paste.title.as_ref());
            let owned = paste.owned.as_ref();
            if let Some(outline) = owned.and_then(|owned| owned.outline.as_ref()) {
                push_names(part, outline.language, outline.name.as_ref());
                push_names(part, None, outline.line.as_ref());
            }
        })
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
        let numbers = self.numbers(id, revision);
        SUMMARY.open(&self.of_summary(id), numbers, sealed, |fields| {
            let [flags] = fields.array()?;
            let saved = fields.timestamp()?;
            let size = usize::try_from(fields.u64()?).map_err(|_| UnsealError::Damaged)?;
            let (language, title) = take_names(fields)?;
            let outline = match fields.0 {
                [] => None,
                _ => Some(take_outline(fields)?),
            };
            Ok(Summary {
                title,
                language,
                encoding: encoding_of(flags),
                size,
                saved,
                outline,
            })
        })
    }

    fn of_owner(&self, owner: &OwnerId) -> XChaCha20Poly1305 {
        self.cipher(b"owned id", owner.bytes())
    }

    fn of_summary(&self, id: PasteId) -> XChaCha20Poly1305 {
        self.cipher(b"summary", &id.bits().to_le_bytes())
    }
}

/// Returns random bytes for sealing.
fn nonce() -> Result<Nonce, StoreError> {
    Nonce::random().map_err(|_| StoreError::Failed)
}

fn take_outline(fields: &mut Fields<'_>) -> Result<Outline, UnsealError> {
    let (language, name) = take_names(fields)?;
    let (_, line) = take_names(fields)?;
    Ok(Outline {
        language,
        name,
        line,
    })
}
