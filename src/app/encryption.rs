//! Encrypts and decrypts the content and title of a paste with a password.
//!
//! Cost: each call uses one CPU core for about 20 ms, and 7 MiB of memory. Later calls reuse this memory. Otherwise the
//! allocator would keep such a block for each thread. The caller must limit how many calls run at once.

use parking_lot::Mutex;

use crate::paste::{
    self, Content, DecryptError, EncryptError, KeyMemory, NoMemory, Password, Title,
};

/// A pool of memory blocks for key derivation.
#[derive(Debug, Default)]
pub struct KeyMemoryPool(Mutex<Vec<KeyMemory>>);

/// The reason why content could not be encrypted or decrypted.
#[derive(Debug)]
pub enum CipherFailed<E> {
    /// No memory could be allocated for the key derivation.
    NoMemory(NoMemory),
    /// The password is wrong, or the cipher rejected the content or the title.
    Cipher(E),
}

impl KeyMemoryPool {
    /// Encrypts the content and the title with the password.
    ///
    /// # Errors
    /// Returns an error if there is no memory for key derivation, or if the title is too long.
    pub fn encrypt(
        &self,
        password: &Password,
        random: [u8; 40],
        title: Option<&Title>,
        content: &[u8],
    ) -> Result<Content, CipherFailed<EncryptError>> {
        let encrypted =
            self.with(|memory| paste::encrypt(password, random, title, content, memory));
        Ok(Content::encrypted(&encrypted?))
    }

    /// Decrypts the content and the title with the password.
    ///
    /// # Errors
    /// Returns an error if the password is wrong, or if there is no memory for key derivation.
    pub fn decrypt(
        &self,
        password: &Password,
        encrypted: &[u8],
    ) -> Result<(Content, Option<Title>), CipherFailed<DecryptError>> {
        self.with(|memory| {
            paste::decrypt(password, encrypted, memory).map(|decrypted| {
                let content = Content::new(decrypted.content(), usize::MAX)
                    .expect("only content that is not empty was encrypted");
                (content, decrypted.title().cloned())
            })
        })
    }

    fn with<T, E>(
        &self,
        work: impl FnOnce(&mut KeyMemory) -> Result<T, E>,
    ) -> Result<T, CipherFailed<E>> {
        let pooled = self.0.lock().pop();
        let mut memory = match pooled {
            Some(memory) => memory,
            None => KeyMemory::new().map_err(CipherFailed::NoMemory)?,
        };
        let done = work(&mut memory);
        self.0.lock().push(memory);
        done.map_err(CipherFailed::Cipher)
    }
}
