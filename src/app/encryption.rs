//! Encrypting and decrypting content and title under a password.
//!
//! Cost: a core and seven MiB for some ten milliseconds each. The memory is kept for the next use: the allocator would
//! keep it once for every thread that it was ever used on. The caller bounds how many run at once.

use parking_lot::Mutex;

use crate::paste::{
    self, Content, DecryptError, EncryptError, KeyMemory, NoMemory, Password, Title,
};

/// Memory in which keys were derived, to be used again.
#[derive(Debug, Default)]
pub struct KeyMemories(Mutex<Vec<KeyMemory>>);

/// Why content could not be encrypted.
#[derive(Debug)]
pub enum EncryptionFailed {
    /// There is no memory for a key.
    NoMemory(NoMemory),
    /// The cipher refused it.
    Cipher(EncryptError),
}

/// Why content could not be decrypted.
#[derive(Debug)]
pub enum DecryptionFailed {
    /// There is no memory for a key.
    NoMemory(NoMemory),
    /// The password is wrong, or no key could be derived from it.
    Cipher(DecryptError),
}

impl KeyMemories {
    /// Content and title, encrypted under the password.
    ///
    /// # Errors
    /// If there is no memory for the key, or the title is too long.
    pub fn encrypt(
        &self,
        password: &Password,
        random: [u8; 40],
        title: Option<&Title>,
        content: &[u8],
    ) -> Result<Content, EncryptionFailed> {
        let encrypted =
            self.with(|memory| paste::encrypt(password, random, title, content, memory));
        let encrypted = encrypted.map_err(EncryptionFailed::NoMemory)?;
        encrypted
            .map(|encrypted| Content::encrypted(&encrypted))
            .map_err(EncryptionFailed::Cipher)
    }

    /// The content and the title, if this is their password.
    ///
    /// # Errors
    /// If the password is wrong, or there is no memory for the key.
    pub fn decrypt(
        &self,
        password: &Password,
        encrypted: &[u8],
    ) -> Result<(Content, Option<Title>), DecryptionFailed> {
        let decrypted = self.with(|memory| {
            paste::decrypt(password, encrypted, memory).map(|decrypted| {
                let content = Content::new(decrypted.content(), usize::MAX)
                    .expect("only content that is not empty was encrypted");
                (content, decrypted.title().cloned())
            })
        });
        let decrypted = decrypted.map_err(DecryptionFailed::NoMemory)?;
        decrypted.map_err(DecryptionFailed::Cipher)
    }

    fn with<T>(&self, work: impl FnOnce(&mut KeyMemory) -> T) -> Result<T, NoMemory> {
        let kept = self.0.lock().pop();
        let mut memory = match kept {
            Some(memory) => memory,
            None => KeyMemory::new()?,
        };
        let done = work(&mut memory);
        self.0.lock().push(memory);
        Ok(done)
    }
}
