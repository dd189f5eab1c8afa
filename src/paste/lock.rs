//! The lock: a title and content sealed under a password, so that what is kept is readable to nobody without it.
//!
//! ```text
//! sealed    = salt[16] nonce[24] encrypted tag[16]          XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03)
//! encrypted = length of the title[2, little-endian] title content
//! key[32]   = Argon2id(password, salt), version 1.3 (RFC 9106), memory 7168 KiB, 5 passes, 1 lane
//! ```
//!
//! What it must not know: where random bytes come from, what the content is, who tries passwords and how often.
//! Invariants: no sealed bytes make it panic, and all that were not sealed under the password are [`DecryptError::Wrong`],
//! without a word on what differs; nothing here is ever printed. A password and its key are not kept by anything here,
//! but the memory they lay in is not wiped either.
//! Cost: a key takes a [`KeyMemory`] of seven MiB while it is derived and 20 ms of one core (16 ms at best), so it is for a
//! thread that may wait. The set of figures is the one of the least memory among those that OWASP's Password Storage
//! Cheat Sheet holds for equally strong: a small server can derive a key on every core at once. Content is copied once,
//! and sealed or opened in that copy.

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

/// What somebody has to know to open a locked paste: 1 to [`Password::MAX_BYTES`] bytes, any bytes.
#[derive(Clone)]
pub struct Password(Box<[u8]>);

/// Why bytes are no password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordError {
    /// There are none.
    Empty,
    /// There are more than [`Password::MAX_BYTES`].
    TooLong,
}

/// Memory to derive keys in, one at a time: [`KeyMemory::BYTES`].
///
/// To be kept and used again by whoever seals often. Memory of this size that comes and goes stays with the allocator,
/// once for every thread that it was used on.
pub struct KeyMemory(Vec<Block>);

/// There is no memory to derive a key in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

/// Why nothing was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealError {
    /// No key was derived; the constants here rule it out.
    NoKey,
    /// The content is longer than the cipher takes, which is 256 GiB.
    TooLong,
}

/// Why nothing was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecryptError {
    /// It was sealed under another password, or it is not as it was sealed.
    Wrong,
    /// No key was derived; the constants here rule it out.
    NoKey,
}

/// What was sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct Opened {
    title: Option<Title>,
    /// The content begins at `content`; it stays where it was decrypted.
    decrypted: Vec<u8>,
    content: usize,
}

/// The figures are constants within the bounds of Argon2, so this does not happen; and if it does, it is no panic.
struct NoKey;

impl KeyMemory {
    /// How much it is.
    pub const BYTES: usize = KEY_MEMORY_KIB as usize * 1024;

    /// So much memory, if there is any.
    pub fn new() -> Result<Self, NoMemory> {
        let count = Self::BYTES / size_of::<Block>();
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).map_err(|_| NoMemory)?;
        blocks.resize(count, Block::default());
        Ok(Self(blocks))
    }
}

/// Keys were derived in it.
impl fmt::Debug for KeyMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyMemory(secret)")
    }
}

impl Password {
    /// Longer ones are refused; sentences fit, and files of keys.
    pub const MAX_BYTES: usize = 1024;

    /// The password of exactly these bytes.
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

/// The title and content, sealed: 58 bytes longer than both. The random bytes must be new every time.
pub fn seal(
    password: &Password,
    random: [u8; SALT + NONCE],
    title: Option<&Title>,
    content: &[u8],
    memory: &mut KeyMemory,
) -> Result<Vec<u8>, SealError> {
    let title = title.map_or("", Title::as_str);
    let title_length = u16::try_from(title.len()).map_err(|_| SealError::TooLong)?;
    let mut nonce = XNonce::default();
    nonce.copy_from_slice(&random[SALT..]);
    let cipher = password.cipher(&random[..SALT], memory)?;

    let length = random.len() + TITLE_LENGTH + title.len() + content.len() + TAG;
    let mut sealed = Vec::with_capacity(length);
    sealed.extend_from_slice(&random);
    sealed.extend_from_slice(&title_length.to_le_bytes());
    sealed.extend_from_slice(title.as_bytes());
    sealed.extend_from_slice(content);
    let plain = &mut sealed[SALT + NONCE..];
    let tag = cipher
        .encrypt_inout_detached(&nonce, b"", plain.into())
        .map_err(|_| SealError::TooLong)?;
    sealed.extend_from_slice(&tag);
    Ok(sealed)
}

/// What was sealed under this password.
pub fn open(
    password: &Password,
    sealed: &[u8],
    memory: &mut KeyMemory,
) -> Result<Opened, DecryptError> {
    let (salt, rest) = sealed
        .split_first_chunk::<SALT>()
        .ok_or(DecryptError::Wrong)?;
    let (nonce, rest) = rest
        .split_first_chunk::<NONCE>()
        .ok_or(DecryptError::Wrong)?;
    let (encrypted, tag) = rest.split_last_chunk::<TAG>().ok_or(DecryptError::Wrong)?;
    let cipher = password.cipher(salt, memory)?;

    let mut decrypted = encrypted.to_vec();
    let plain = decrypted.as_mut_slice();
    cipher
        .decrypt_inout_detached(&XNonce::from(*nonce), b"", plain.into(), &Tag::from(*tag))
        .map_err(|_| DecryptError::Wrong)?;
    Opened::new(decrypted).ok_or(DecryptError::Wrong)
}

impl Opened {
    fn new(decrypted: Vec<u8>) -> Option<Self> {
        let (length, rest) = decrypted.split_first_chunk::<TITLE_LENGTH>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let title = std::str::from_utf8(rest.get(..length)?).ok()?;
        Some(Self {
            title: Title::new(title),
            content: TITLE_LENGTH + length,
            decrypted,
        })
    }

    /// The title, if it was sealed with one.
    #[must_use]
    pub fn title(&self) -> Option<&Title> {
        self.title.as_ref()
    }

    /// The exact bytes.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.decrypted[self.content..]
    }
}

impl From<NoKey> for SealError {
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

/// What a user wrote never reaches a log, not through a debugging print either.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opened({} bytes)", self.content().len())
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

    fn seal(
        password: &Password,
        random: [u8; SALT + NONCE],
        title: Option<&Title>,
        content: &[u8],
    ) -> Result<Vec<u8>, SealError> {
        super::seal(password, random, title, content, &mut memory())
    }

    fn open(password: &Password, sealed: &[u8]) -> Result<Opened, DecryptError> {
        super::open(password, sealed, &mut memory())
    }

    #[test]
    fn what_lay_in_the_memory_before_does_not_matter() {
        let (mut used, password) = (memory(), password(b"right"));
        let seal = |memory: &mut KeyMemory| super::seal(&password, RANDOM, None, b"a", memory);
        let first = seal(&mut used);
        assert_eq!(seal(&mut used), first);
        assert_eq!(used.0.len() * size_of::<Block>(), KeyMemory::BYTES);
    }

    fn password(bytes: &[u8]) -> Password {
        Password::new(bytes).expect("a password")
    }

    fn holds(sealed: &[u8], part: &[u8]) -> bool {
        sealed.windows(part.len()).any(|window| window == part)
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
    fn what_is_sealed_is_what_libsodium_seals() {
        let random: [u8; 40] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        let sealed = seal(
            &password(b"correct horse"),
            random,
            Title::new("notes.txt").as_ref(),
            b"salt and nonce\n",
        );
        let encrypted: String = sealed.unwrap()[40..]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            encrypted,
            "7979875e8ff4b8d9b889bbbf0d7a72fc6eec3f473730a664dcfbd0e038d152b411d4e78dfc2e904380b6"
        );
    }

    #[test]
    fn whoever_changes_or_cuts_a_byte_is_told_no_more_than_who_has_another_password() {
        let right = password(b"right");
        let sealed = seal(&right, RANDOM, Title::new("a").as_ref(), b"content").unwrap();
        let last = sealed.len() - 1;
        for at in [0, SALT, SALT + NONCE, SALT + NONCE + 2, last - TAG, last] {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(open(&right, &changed), Err(DecryptError::Wrong), "{at}");
        }
        for length in [0, 1, SALT, SALT + NONCE, SALT + NONCE + TAG - 1, last] {
            let cut = open(&right, &sealed[..length]);
            assert_eq!(cut, Err(DecryptError::Wrong), "{length}");
        }
        assert_eq!(open(&password(b"rigth"), &sealed), Err(DecryptError::Wrong));
    }

    #[test]
    fn what_is_decrypted_but_holds_no_title_of_its_length_is_nothing() {
        for decrypted in [&b""[..], b"\x01", b"\x01\0", b"\x02\0a", b"\x01\0\xff"] {
            assert_eq!(Opened::new(decrypted.to_vec()), None, "{decrypted:?}");
        }
    }

    #[test]
    fn the_same_sealed_twice_has_nothing_in_common() {
        let password = password(b"right");
        let first = seal(&password, RANDOM, None, b"content").unwrap();
        for at in [0, SALT] {
            let mut random = RANDOM;
            random[at] ^= 1;
            let second = seal(&password, random, None, b"content").unwrap();
            assert!(!holds(&second, &first[SALT + NONCE..][..4]), "{at}");
        }
    }

    #[test]
    fn sealed_bytes_are_exactly_as_long_as_they_have_to_be() {
        let sealed = seal(&password(b"p"), RANDOM, None, b"content").unwrap();
        assert_eq!([sealed.len(), sealed.capacity()], [58 + 7; 2]);
    }

    #[test]
    fn neither_password_nor_content_is_printed() {
        let opened = Opened::new(b"\x01\0titled".to_vec());
        assert_eq!(
            format!("{:?} {opened:?}", password(b"secret")),
            "Password(secret) Some(Opened(5 bytes))"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn a_paste_opens_as_it_was_for_its_password_alone(
            secret in proptest::collection::vec(any::<u8>(), 1..64),
            random in proptest::array::uniform32(any::<u8>()),
            title in "\\PC{0,300}",
            content in proptest::collection::vec(any::<u8>(), 0..2000),
            other in any::<u8>(),
        ) {
            let random: [u8; 40] = std::array::from_fn(|at| random[at % 32]);
            let (right, title) = (password(&secret), Title::new(&title));
            let sealed = seal(&right, random, title.as_ref(), &content).unwrap();
            let opened = open(&right, &sealed).unwrap();
            prop_assert_eq!(opened.title(), title.as_ref());
            prop_assert_eq!(opened.content(), &content[..]);

            let wrong = password(&[&secret[..], &[other]].concat());
            prop_assert_eq!(open(&wrong, &sealed), Err(DecryptError::Wrong));

            // A few bytes occur by chance; eight never do.
            let title = title.as_ref().map_or("", Title::as_str);
            for part in [&secret, &content, title.as_bytes()] {
                prop_assert!(part.len() < 8 || !holds(&sealed, part));
            }
        }
    }
}
