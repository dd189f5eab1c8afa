//! Encryption: the title and content of a locked paste, encrypted under its password.
//!
//! ```text
//! encrypted = salt[16] nonce[24] ciphertext tag[16]         XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03)
//! plaintext = length of the title[2, little-endian] title content
//! key[32]   = Argon2id(password, salt), version 1.3 (RFC 9106), memory 7168 KiB, 5 passes, 1 lane
//! ```
//!
//! Invariants: no bytes make [`decrypt`] panic. Bytes that were not encrypted under the password are
//! [`DecryptError::Wrong`], without a hint of what differs. Passwords, keys and content are never printed. Passwords and
//! keys are not stored, but the memory that held them is not wiped either.
//! Cost: deriving a key takes a [`KeyMemory`] of 7 MiB and 20 ms of one core, so only a thread that may block does it. Of the
//! parameter sets that OWASP's Password Storage Cheat Sheet calls equally strong, this one takes the least memory: a
//! small server can derive a key on every core at once. Content is copied once and encrypted or decrypted in that copy.

use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{Key, KeyInit, Tag, XChaCha20Poly1305, XNonce};

use super::Title;

const KEY_MEMORY_KIB: u32 = 7168;
const KEY_PASSES: u32 = 5;
const KEY_LANES: u32 = 1;

const SALT: usize = 16;
const NONCE: usize = 24;
const TITLE_LENGTH: usize = 2;
const TAG: usize = 16;

/// The password of a locked paste: 1 to [`Password::MAX_BYTES`] bytes of any kind.
#[derive(Clone)]
pub struct Password(Box<[u8]>);

/// Why bytes are not a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordError {
    /// There are none.
    Empty,
    /// There are more than [`Password::MAX_BYTES`].
    TooLong,
}

/// Memory in which one key at a time is derived: [`KeyMemory::BYTES`].
///
/// Callers should reuse it. Freed memory of this size stays with the allocator, once for every thread that used it.
pub struct KeyMemory(Vec<Block>);

/// The operating system gave no memory to derive a key in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

/// Why a paste was not encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncryptError {
    /// No key was derived. The parameters of Argon2 rule this out.
    NoKey,
    /// The content is longer than the 256 GiB that the cipher takes.
    TooLong,
}

/// Why a paste was not decrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecryptError {
    /// It was encrypted under another password, or changed since.
    Wrong,
    /// No key was derived. The parameters of Argon2 rule this out.
    NoKey,
}

/// A decrypted title and content.
#[derive(Clone, PartialEq, Eq)]
pub struct Decrypted {
    title: Option<Title>,
    /// The whole plaintext. The content lies in it from `content` on, where it was decrypted.
    plaintext: Vec<u8>,
    content: usize,
}

/// Argon2 refused its parameters. They are constants within its bounds, so this does not happen.
struct NoKey;

impl KeyMemory {
    /// Bytes that deriving a key takes.
    pub const BYTES: usize = KEY_MEMORY_KIB as usize * 1024;

    /// Allocates the memory.
    ///
    /// # Errors
    /// If the operating system has none.
    pub fn new() -> Result<Self, NoMemory> {
        let count = Self::BYTES / size_of::<Block>();
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).map_err(|_| NoMemory)?;
        blocks.resize(count, Block::default());
        Ok(Self(blocks))
    }
}

/// Written without the memory: keys were derived in it.
impl fmt::Debug for KeyMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyMemory(secret)")
    }
}

impl Password {
    /// The longest password in bytes. Sentences fit, and files of keys.
    pub const MAX_BYTES: usize = 1024;

    /// The password of exactly these bytes.
    ///
    /// # Errors
    /// If there are none, or more than [`Password::MAX_BYTES`].
    pub fn new(bytes: &[u8]) -> Result<Self, PasswordError> {
        match bytes.len() {
            0 => Err(PasswordError::Empty),
            1..=Self::MAX_BYTES => Ok(Self(bytes.into())),
            _ => Err(PasswordError::TooLong),
        }
    }

    fn cipher(&self, salt: &[u8], memory: &mut KeyMemory) -> Result<XChaCha20Poly1305, NoKey> {
        let mut key = Key::default();
        Params::new(KEY_MEMORY_KIB, KEY_PASSES, KEY_LANES, Some(key.len()))
            .map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
            .and_then(|argon2| {
                let memory = memory.0.as_mut_slice();
                argon2.hash_password_into_with_memory(&self.0, salt, &mut key, memory)
            })
            .map_err(|_| NoKey)?;
        Ok(XChaCha20Poly1305::new(&key))
    }
}

/// Encrypts a title and content; the result is 58 bytes longer than both. The random bytes must be new for every call.
///
/// # Errors
/// If the content is longer than 256 GiB.
pub fn encrypt(
    password: &Password,
    random: [u8; SALT + NONCE],
    title: Option<&Title>,
    content: &[u8],
    memory: &mut KeyMemory,
) -> Result<Vec<u8>, EncryptError> {
    let title = title.map_or("", Title::as_str);
    let title_length = u16::try_from(title.len()).map_err(|_| EncryptError::TooLong)?;
    let mut nonce = XNonce::default();
    nonce.copy_from_slice(&random[SALT..]);
    let cipher = password.cipher(&random[..SALT], memory)?;

    let length = random.len() + TITLE_LENGTH + title.len() + content.len() + TAG;
    let mut encrypted = Vec::with_capacity(length);
    encrypted.extend_from_slice(&random);
    encrypted.extend_from_slice(&title_length.to_le_bytes());
    encrypted.extend_from_slice(title.as_bytes());
    encrypted.extend_from_slice(content);
    let plain = &mut encrypted[SALT + NONCE..];
    let tag = cipher
        .encrypt_inout_detached(&nonce, b"", plain.into())
        .map_err(|_| EncryptError::TooLong)?;
    encrypted.extend_from_slice(&tag);
    Ok(encrypted)
}

/// Decrypts what was encrypted under this password.
///
/// # Errors
/// If it was not, or was changed since.
pub fn decrypt(
    password: &Password,
    encrypted: &[u8],
    memory: &mut KeyMemory,
) -> Result<Decrypted, DecryptError> {
    let (salt, rest) = encrypted
        .split_first_chunk::<SALT>()
        .ok_or(DecryptError::Wrong)?;
    let (nonce, rest) = rest
        .split_first_chunk::<NONCE>()
        .ok_or(DecryptError::Wrong)?;
    let (ciphertext, tag) = rest.split_last_chunk::<TAG>().ok_or(DecryptError::Wrong)?;
    let cipher = password.cipher(salt, memory)?;

    let mut plaintext = ciphertext.to_vec();
    let plain = plaintext.as_mut_slice();
    cipher
        .decrypt_inout_detached(&XNonce::from(*nonce), b"", plain.into(), &Tag::from(*tag))
        .map_err(|_| DecryptError::Wrong)?;
    Decrypted::new(plaintext).ok_or(DecryptError::Wrong)
}

impl Decrypted {
    fn new(plaintext: Vec<u8>) -> Option<Self> {
        let (length, rest) = plaintext.split_first_chunk::<TITLE_LENGTH>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let title = std::str::from_utf8(rest.get(..length)?).ok()?;
        Some(Self {
            title: Title::new(title),
            content: TITLE_LENGTH + length,
            plaintext,
        })
    }

    /// The title, if there is one.
    #[must_use]
    pub fn title(&self) -> Option<&Title> {
        self.title.as_ref()
    }

    /// The content, unchanged.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.plaintext[self.content..]
    }
}

impl From<NoKey> for EncryptError {
    fn from(_: NoKey) -> Self {
        Self::NoKey
    }
}

impl From<NoKey> for DecryptError {
    fn from(_: NoKey) -> Self {
        Self::NoKey
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(secret)")
    }
}

/// Written without the content: user text never reaches a log, not even by a debug print.
impl fmt::Debug for Decrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decrypted({} bytes)", self.content().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    const RANDOM: [u8; SALT + NONCE] = [7; SALT + NONCE];

    fn memory() -> KeyMemory {
        KeyMemory::new().expect("seven MiB")
    }

    fn encrypt(
        password: &Password,
        random: [u8; SALT + NONCE],
        title: Option<&Title>,
        content: &[u8],
    ) -> Result<Vec<u8>, EncryptError> {
        super::encrypt(password, random, title, content, &mut memory())
    }

    fn decrypt(password: &Password, encrypted: &[u8]) -> Result<Decrypted, DecryptError> {
        super::decrypt(password, encrypted, &mut memory())
    }

    #[test]
    fn the_previous_contents_of_the_key_memory_do_not_matter() {
        let (mut used, password) = (memory(), password(b"right"));
        let encrypt =
            |memory: &mut KeyMemory| super::encrypt(&password, RANDOM, None, b"a", memory);
        let first = encrypt(&mut used);
        assert_eq!(encrypt(&mut used), first);
        assert_eq!(used.0.len() * size_of::<Block>(), KeyMemory::BYTES);
    }

    fn password(bytes: &[u8]) -> Password {
        Password::new(bytes).expect("a password")
    }

    fn holds(encrypted: &[u8], part: &[u8]) -> bool {
        encrypted.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_password_is_1_to_1024_bytes_of_any_kind() {
        assert_eq!(Password::new(b"").err(), Some(PasswordError::Empty));
        assert!(Password::new(b"\0").is_ok());
        assert!(Password::new(&[0xff; 1024]).is_ok());
        assert_eq!(
            Password::new(&[b'a'; 1025]).err(),
            Some(PasswordError::TooLong)
        );
    }

    #[test]
    fn the_encrypted_bytes_are_those_of_libsodium() {
        let random: [u8; 40] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        let encrypted = encrypt(
            &password(b"correct horse"),
            random,
            Title::new("notes.txt").as_ref(),
            b"salt and nonce\n",
        );
        let ciphertext: String = encrypted.unwrap()[40..]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            ciphertext,
            "7979875e8ff4b8d9b889bbbf0d7a72fc6eec3f473730a664dcfbd0e038d152b411d4e78dfc2e904380b6"
        );
    }

    #[test]
    fn a_changed_or_missing_byte_gives_the_same_error_as_a_wrong_password() {
        let right = password(b"right");
        let encrypted = encrypt(&right, RANDOM, Title::new("a").as_ref(), b"content").unwrap();
        let last = encrypted.len() - 1;
        for at in [0, SALT, SALT + NONCE, SALT + NONCE + 2, last - TAG, last] {
            let mut changed = encrypted.clone();
            changed[at] ^= 1;
            assert_eq!(decrypt(&right, &changed), Err(DecryptError::Wrong), "{at}");
        }
        for length in [0, 1, SALT, SALT + NONCE, SALT + NONCE + TAG - 1, last] {
            let cut = decrypt(&right, &encrypted[..length]);
            assert_eq!(cut, Err(DecryptError::Wrong), "{length}");
        }
        assert_eq!(
            decrypt(&password(b"rigth"), &encrypted),
            Err(DecryptError::Wrong)
        );
    }

    #[test]
    fn a_plaintext_without_a_title_of_its_length_is_nothing() {
        for plaintext in [&b""[..], b"\x01", b"\x01\0", b"\x02\0a", b"\x01\0\xff"] {
            assert_eq!(Decrypted::new(plaintext.to_vec()), None, "{plaintext:?}");
        }
    }

    #[test]
    fn the_same_content_encrypted_twice_has_nothing_in_common() {
        let password = password(b"right");
        let first = encrypt(&password, RANDOM, None, b"content").unwrap();
        for at in [0, SALT] {
            let mut random = RANDOM;
            random[at] ^= 1;
            let second = encrypt(&password, random, None, b"content").unwrap();
            assert!(!holds(&second, &first[SALT + NONCE..][..4]), "{at}");
        }
    }

    #[test]
    fn encrypted_bytes_are_exactly_as_long_as_they_have_to_be() {
        let encrypted = encrypt(&password(b"p"), RANDOM, None, b"content").unwrap();
        assert_eq!([encrypted.len(), encrypted.capacity()], [58 + 7; 2]);
    }

    #[test]
    fn neither_password_nor_content_is_printed() {
        let decrypted = Decrypted::new(b"\x01\0titled".to_vec());
        assert_eq!(
            format!("{:?} {decrypted:?}", password(b"secret")),
            "Password(secret) Some(Decrypted(5 bytes))"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn only_the_password_decrypts_a_paste_and_it_is_as_it_was(
            secret in proptest::collection::vec(any::<u8>(), 1..64),
            random in proptest::array::uniform32(any::<u8>()),
            title in "\\PC{0,300}",
            content in proptest::collection::vec(any::<u8>(), 0..2000),
            other in any::<u8>(),
        ) {
            let random: [u8; 40] = std::array::from_fn(|at| random[at % 32]);
            let (right, title) = (password(&secret), Title::new(&title));
            let encrypted = encrypt(&right, random, title.as_ref(), &content).unwrap();
            let decrypted = decrypt(&right, &encrypted).unwrap();
            prop_assert_eq!(decrypted.title(), title.as_ref());
            prop_assert_eq!(decrypted.content(), &content[..]);

            let wrong = password(&[&secret[..], &[other]].concat());
            prop_assert_eq!(decrypt(&wrong, &encrypted), Err(DecryptError::Wrong));

            // A few bytes occur by chance; eight never do.
            let title = title.as_ref().map_or("", Title::as_str);
            for part in [&secret, &content, title.as_bytes()] {
                prop_assert!(part.len() < 8 || !holds(&encrypted, part));
            }
        }
    }
}
