//! Sealing. Everything that a row tells about a paste is encrypted and authenticated before it is written to disk.
//!
//! ```text
//! sealed     = nonce[24] ciphertext tag[16]          XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03)
//! plaintext  = version[1] fields                     the fields are in the file of each format
//! associated = label[16] two numbers[16, little-endian]
//!
//! format     key derived from                        numbers
//! record     the root key                            seq of the row, 0
//! counts     the root key                            row key, 0
//! tombstone  the root key                            seq of the row, 0
//! moderation the root key                            seq of the row, 0
//! slug       the root key                            row key, 0
//! content    the root key and the id of the paste    row key, revision
//! owned id   the root key and the id of the owner    row key, 0
//! summary    the root key and the id of the paste    row key, revision
//! ```
//!
//! The caller derives the root key from the server's secret.
//! Invariants: no key is used for two formats, and no nonce is used twice. A part of one row or of one revision does
//! not open in the place of another. Changed bytes give [`UnsealError::Damaged`], never a panic and never other data.
//! The version is sealed too: so [`UnsealError::Newer`] means a newer program, and not damage. Debug output shows no
//! key. The ciphers wipe their keys.
//! Cost: a sealed part is 41 bytes longer than its fields. The key of a content takes 0.4 µs, the cipher 2 µs per KiB.

mod content;
mod moderation;
mod owned;
mod rows;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{Key, KeyInit, Tag, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;
use siphasher::sip::SipHasher13;
use thiserror::Error;

use crate::fairness::ClientKey;
use crate::hidden::Hidden;
use crate::paste::{PasteId, Slug, Timestamp};
pub(in crate::store) use content::{NEVER_COMPRESSED, ONE_PAGE, aside_if_large, seal_paste};
pub(in crate::store) use owned::{Ownership, SEALED_ID};
pub use rows::Record;
pub(in crate::store) use rows::{SEALED_SLUG, access_of, code_of};

const NONCE: usize = 24;
const TAG: usize = 16;

/// The keys of a database.
pub struct Keys {
    root: Hkdf<Sha256>,
    rows: SipHasher13,
    records: XChaCha20Poly1305,
    counts: XChaCha20Poly1305,
    tombstones: XChaCha20Poly1305,
    moderation: XChaCha20Poly1305,
    slugs: XChaCha20Poly1305,
    fingerprint: [u8; 16],
    /// A content is compressed only if it would have more bytes than this when sealed.
    uncompressed_up_to: usize,
}

/// The key of a row: a keyed hash of the id. It does not reveal the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey(pub u64);

/// Random bytes for sealing once. It cannot be copied.
#[derive(Debug)]
pub struct Nonce(Hidden<[u8; NONCE]>);

/// Why sealed bytes were not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnsealError {
    /// The bytes were changed, are those of another row or revision, or were sealed under another secret.
    #[error("it is damaged, or was sealed under another secret")]
    Damaged,
    /// A newer version of tidebin wrote this version of the format.
    #[error("a newer version of tidebin wrote it (format {0}): start that version")]
    Newer(u8),
}

/// The newest version that this program knows of every format. All are in their first.
const VERSION: u8 = 1;

/// A format, with its label.
struct Format(&'static [u8; 16]);

impl RowKey {
    /// Returns the key in the form in which the ledger knows pastes.
    pub(in crate::store) fn as_id(self) -> PasteId {
        PasteId::from_random(self.0.to_be_bytes())
    }

    /// Returns the key of which [`RowKey::as_id`] made this.
    pub(in crate::store) fn of_id(id: PasteId) -> Self {
        Self(id.bits())
    }
}

impl Keys {
    /// Derives all keys from this root key.
    pub fn new(root: &[u8; 32]) -> Self {
        let root = Hkdf::from_prk(root).expect("32 bytes are as long as a hash");
        let cipher = |label| XChaCha20Poly1305::new(&Key::from(derive(&root, &[label])));
        Self {
            rows: SipHasher13::new_with_key(&derive(&root, &[b"row keys"])),
            records: cipher(b"records"),
            counts: cipher(b"counts"),
            tombstones: cipher(b"tombstones"),
            moderation: cipher(b"moderation"),
            slugs: cipher(b"slugs"),
            fingerprint: derive(&root, &[b"fingerprint"]),
            uncompressed_up_to: ONE_PAGE,
            root,
        }
    }

    /// Also compresses contents that would fit into a page of a database, where each byte is charged.
    pub fn compressing_short_texts(self) -> Self {
        Self {
            uncompressed_up_to: NEVER_COMPRESSED,
            ..self
        }
    }

    /// Returns the key of the row that holds the paste with this id.
    pub fn row_key(&self, id: PasteId) -> RowKey {
        RowKey(self.rows.hash(&id.bits().to_le_bytes()))
    }

    /// Returns a value that tells whether a database has the same secret. It reveals no key.
    pub fn fingerprint(&self) -> [u8; 16] {
        self.fingerprint
    }

    /// Returns the cipher for this use of this id.
    fn cipher(&self, key_use: &[u8], id: &[u8]) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(derive(&self.root, &[key_use, id])))
    }

    fn of_content(&self, id: PasteId) -> XChaCha20Poly1305 {
        self.cipher(b"content", &id.bits().to_le_bytes())
    }
}

/// Returns the key for this use. Uses differ in their first part, and none is a prefix of another.
fn derive<const N: usize>(root: &Hkdf<Sha256>, key_use: &[&[u8]]) -> [u8; N] {
    let mut key = [0; N];
    root.expand_multi_info(key_use, &mut key)
        .expect("a key is shorter than the 8,160 bytes that HKDF-SHA256 gives");
    key
}

thread_local! {
    /// Random bytes for the next nonces of this thread. A nonce is no secret.
    static NONCES: RefCell<Vec<[u8; NONCE]>> = const { RefCell::new(Vec::new()) };
}

impl Nonce {
    /// Returns random bytes from the operating system. They are drawn for sixteen nonces at once, since a draw costs
    /// about as much as sealing a record.
    ///
    /// # Errors
    /// Fails if the operating system has none.
    pub fn random() -> Result<Self, getrandom::Error> {
        NONCES.with_borrow_mut(|ready| {
            if let Some(bytes) = ready.pop() {
                return Ok(Self(Hidden(bytes)));
            }
            let mut drawn = [[0; NONCE]; 16];
            getrandom::fill(drawn.as_flattened_mut())?;
            let [bytes, rest @ ..] = drawn;
            ready.extend(rest);
            Ok(Self(Hidden(bytes)))
        })
    }
}

impl Format {
    /// Seals what `write` appends, which is about this many bytes of fields.
    fn seal(
        &self,
        cipher: &XChaCha20Poly1305,
        numbers: [u64; 2],
        nonce: Nonce,
        fields: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Vec<u8> {
        let mut part = Vec::with_capacity(NONCE + 1 + fields + TAG);
        part.extend_from_slice(&nonce.0.0);
        part.push(VERSION);
        write(&mut part);
        let plain = (&mut part[NONCE..]).into();
        let tag = cipher
            .encrypt_inout_detached(&XNonce::from(nonce.0.0), &self.associated(numbers), plain)
            .expect("a paste is far below the 256 GiB that the cipher can encrypt");
        part.extend_from_slice(&tag);
        part
    }

    /// Opens a copy of sealed bytes and reads its fields.
    fn open<T>(
        &self,
        cipher: &XChaCha20Poly1305,
        numbers: [u64; 2],
        sealed: &[u8],
        read: impl FnOnce(&mut Fields<'_>) -> Result<T, UnsealError>,
    ) -> Result<T, UnsealError> {
        let mut part = sealed.to_vec();
        read(&mut self.open_in_place(cipher, numbers, &mut part)?)
    }

    fn open_in_place<'a>(
        &self,
        cipher: &XChaCha20Poly1305,
        numbers: [u64; 2],
        part: &'a mut [u8],
    ) -> Result<Fields<'a>, UnsealError> {
        let damaged = UnsealError::Damaged;
        let (nonce, rest) = part.split_first_chunk_mut::<NONCE>().ok_or(damaged)?;
        let (plain, tag) = rest.split_last_chunk_mut::<TAG>().ok_or(damaged)?;
        let (nonce, tag) = (XNonce::from(*nonce), Tag::from(*tag));
        let associated = self.associated(numbers);
        cipher
            .decrypt_inout_detached(&nonce, &associated, (&mut *plain).into(), &tag)
            .map_err(|_| damaged)?;
        match plain.split_first() {
            Some((&VERSION, fields)) => Ok(Fields(fields)),
            Some((&version, _)) if version > VERSION => Err(UnsealError::Newer(version)),
            _ => Err(damaged),
        }
    }

    fn associated(&self, [first, second]: [u64; 2]) -> [u8; 32] {
        let mut associated = [0; 32];
        associated[..16].copy_from_slice(self.0);
        associated[16..24].copy_from_slice(&first.to_le_bytes());
        associated[24..].copy_from_slice(&second.to_le_bytes());
        associated
    }
}

/// Appends numbers as fields.
fn push_numbers<const N: usize>(part: &mut Vec<u8>, numbers: [u64; N]) {
    part.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Takes fields from the start of opened bytes.
pub(in crate::store) struct Fields<'a>(pub(in crate::store) &'a [u8]);

impl<'a> Fields<'a> {
    pub(in crate::store) fn array<const N: usize>(&mut self) -> Result<[u8; N], UnsealError> {
        let (field, rest) = self.0.split_first_chunk().ok_or(UnsealError::Damaged)?;
        self.0 = rest;
        Ok(*field)
    }

    pub(in crate::store) fn u64(&mut self) -> Result<u64, UnsealError> {
        self.array().map(u64::from_le_bytes)
    }

    fn timestamp(&mut self) -> Result<Timestamp, UnsealError> {
        self.u64().map(Timestamp::from_millis)
    }

    fn client(&mut self) -> Result<ClientKey, UnsealError> {
        Ok(ClientKey {
            network: self.u64()?,
            client: self.u64()?,
        })
    }

    fn slug(&mut self, bytes: usize) -> Result<Slug, UnsealError> {
        let text = self.text(bytes)?.trim_end_matches('\0');
        Slug::parse(text).map_err(|_| UnsealError::Damaged)
    }

    fn text(&mut self, bytes: usize) -> Result<&'a str, UnsealError> {
        let (field, rest) = self.0.split_at_checked(bytes).ok_or(UnsealError::Damaged)?;
        self.0 = rest;
        std::str::from_utf8(field).map_err(|_| UnsealError::Damaged)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(secret)")
    }
}
