//! Encryption: the title and content of a password-protected paste, encrypted under its password.
//!
//! ```text
//! encrypted = salt[16] nonce[24] ciphertext tag[16]         XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03)
//! plaintext = length of the title[2, little-endian] title content
//! key[32]   = Argon2id(password, salt), version 1.3 (RFC 9106), memory 7168 KiB, 5 passes, 1 lane
//! ```
//!
//! Invariants: [`decrypt`] does not panic on any input. It returns `None` for all bytes that were not encrypted under
//! the password, whatever the cause is. Passwords, keys and content are never printed. Passwords and keys are not
//! stored. The memory that held them is not wiped.
//! Cost: deriving a key takes a [`KeyMemory`] of 7 MiB and 20 ms of one core, so it must run on a thread that may
//! block. OWASP's Password Storage Cheat Sheet lists several equally strong sets of parameters. This set takes the
//! least memory, so a small server can derive a key on every core at once. The content is copied, and the copy is
//! encrypted or decrypted in place. Decrypted content is copied once more.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{Key, KeyInit, Tag, XChaCha20Poly1305, XNonce};

use super::{Content, SizeError, Title};
use crate::hidden::Hidden;

const KEY_MEMORY_KIB: u32 = 7168;
const KEY_PASSES: u32 = 5;
const KEY_LANES: u32 = 1;

const SALT: usize = 16;
const NONCE: usize = 24;
const TITLE_LENGTH: usize = 2;
const TAG: usize = 16;

/// The password of a paste: 1 to [`Password::MAX_BYTES`] bytes of any kind.
#[derive(Debug, Clone)]
pub struct Password(Hidden<Box<[u8]>>);

/// Memory for deriving one key at a time. It has [`KeyMemory::BYTES`] bytes.
///
/// Callers should reuse it. Otherwise the allocator would keep a freed block of this size for each thread.
#[derive(Debug)]
pub struct KeyMemory(Hidden<Vec<Block>>);

/// The error if the operating system has no memory for deriving a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

impl KeyMemory {
    /// Bytes of memory that deriving a key takes.
    pub const BYTES: usize = KEY_MEMORY_KIB as usize * 1024;

    /// Allocates the memory.
    ///
    /// # Errors
    /// Fails if the operating system has no memory.
    pub fn new() -> Result<Self, NoMemory> {
        let count = Self::BYTES / size_of::<Block>();
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).map_err(|_| NoMemory)?;
        blocks.resize(count, Block::default());
        Ok(Self(Hidden(blocks)))
    }
}

impl Password {
    /// Maximum bytes of a password. Sentences and key files fit.
    pub const MAX_BYTES: usize = 1024;

    /// Makes a password of exactly these bytes.
    ///
    /// # Errors
    /// Fails if there are no bytes, or more than [`Password::MAX_BYTES`].
    pub fn new(bytes: &[u8]) -> Result<Self, SizeError> {
        match bytes.len() {
            0 => Err(SizeError::Empty),
            1..=Self::MAX_BYTES => Ok(Self(Hidden(bytes.into()))),
            _ => Err(SizeError::TooLarge),
        }
    }

    fn cipher(&self, salt: &[u8], memory: &mut KeyMemory) -> XChaCha20Poly1305 {
        let mut key = Key::default();
        let memory = memory.0.0.as_mut_slice();
        Params::new(KEY_MEMORY_KIB, KEY_PASSES, KEY_LANES, Some(key.len()))
            .map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
            .and_then(|it| it.hash_password_into_with_memory(&self.0, salt, &mut key, memory))
            .expect("the parameters are constants that Argon2 allows");
        XChaCha20Poly1305::new(&key)
    }
}

/// Encrypts a title and content. The result is 58 bytes longer than both together. The caller must pass new random
/// bytes in every call.
///
/// # Panics
/// Panics if the content is longer than the 256 GiB that the cipher can encrypt.
pub fn encrypt(
    password: &Password,
    random: [u8; SALT + NONCE],
    title: Option<&Title>,
    content: &[u8],
    memory: &mut KeyMemory,
) -> Vec<u8> {
    let title = title.map_or("", Title::as_str);
    let title_length = u16::try_from(title.len()).expect("a title has at most 1,020 bytes");
    let mut nonce = XNonce::default();
    nonce.copy_from_slice(&random[SALT..]);
    let cipher = password.cipher(&random[..SALT], memory);

    let length = random.len() + TITLE_LENGTH + title.len() + content.len() + TAG;
    let mut encrypted = Vec::with_capacity(length);
    encrypted.extend_from_slice(&random);
    encrypted.extend_from_slice(&title_length.to_le_bytes());
    encrypted.extend_from_slice(title.as_bytes());
    encrypted.extend_from_slice(content);
    let plain = &mut encrypted[SALT + NONCE..];
    let tag = cipher
        .encrypt_inout_detached(&nonce, b"", plain.into())
        .expect("a content is far shorter than the cipher allows");
    encrypted.extend_from_slice(&tag);
    encrypted
}

/// Decrypts bytes that [`encrypt`] returned for the same password. The content is exactly as it was encrypted.
///
/// Returns `None` if the bytes were encrypted under another password, or were changed since.
pub fn decrypt(
    password: &Password,
    encrypted: &[u8],
    memory: &mut KeyMemory,
) -> Option<(Content, Option<Title>)> {
    let (salt, rest) = encrypted.split_first_chunk::<SALT>()?;
    let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
    let (ciphertext, tag) = rest.split_last_chunk::<TAG>()?;
    let cipher = password.cipher(salt, memory);

    let mut plaintext = ciphertext.to_vec();
    let plain = plaintext.as_mut_slice();
    cipher
        .decrypt_inout_detached(&XNonce::from(*nonce), b"", plain.into(), &Tag::from(*tag))
        .ok()?;
    parts_of(&plaintext)
}

fn parts_of(plaintext: &[u8]) -> Option<(Content, Option<Title>)> {
    let (length, rest) = plaintext.split_first_chunk::<TITLE_LENGTH>()?;
    let length = usize::from(u16::from_le_bytes(*length));
    let (title, content) = rest.split_at_checked(length)?;
    let title = std::str::from_utf8(title).ok()?;
    let content = Content::new(content, usize::MAX).ok()?;
    Some((content, Title::new(title)))
}

#[cfg(test)]
mod tests;
