//! Encrypts and decrypts the content and title of a paste with a password.
//!
//! Cost: each call uses one CPU core for about 20 ms, and 7 MiB of memory. Later calls reuse this memory. Otherwise the
//! allocator would keep such a block for each thread. The caller must limit how many calls run at once.

use parking_lot::Mutex;

use crate::paste::{self, Content, KeyMemory, NoMemory, Password, Title};

/// A pool of memory blocks for key derivation.
#[derive(Debug, Default)]
pub struct KeyMemoryPool(Mutex<Vec<KeyMemory>>);

impl KeyMemoryPool {
    /// Encrypts the content and the title with the password.
    ///
    /// # Errors
    /// Returns an error if there is no memory for key derivation.
    pub fn encrypt(
        &self,
        password: &Password,
        random: [u8; 40],
        title: Option<&Title>,
        content: &[u8],
    ) -> Result<Content, NoMemory> {
        let encrypted = self.with(|it| paste::encrypt(password, random, title, content, it));
        Ok(Content::encrypted(&encrypted?))
    }

    /// Decrypts the content and the title with the password. Returns `None` if the password is wrong.
    ///
    /// # Errors
    /// Returns an error if there is no memory for key derivation.
    pub fn decrypt(
        &self,
        password: &Password,
        encrypted: &[u8],
    ) -> Result<Option<(Content, Option<Title>)>, NoMemory> {
        self.with(|memory| paste::decrypt(password, encrypted, memory))
    }

    fn with<T>(&self, work: impl FnOnce(&mut KeyMemory) -> T) -> Result<T, NoMemory> {
        let pooled = self.0.lock().pop();
        let mut memory = match pooled {
            Some(memory) => memory,
            None => KeyMemory::new()?,
        };
        let done = work(&mut memory);
        self.0.lock().push(memory);
        Ok(done)
    }
}
