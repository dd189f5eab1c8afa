//! The sealed content of a paste: all that only a client with the id may know.
//!
//! ```text
//! fields   = flags[1] saved[8] token hash[16] owner language title content        numbers are little-endian
//! flags    = 1: the content is UTF-8, 2: the content is compressed, 4: the paste has an owner; the upper five bits are
//!            the place of the charset that the client named, or 0. With 1, places from 32 on begin at 1
//! saved    = milliseconds since 1970; 1 << 47: the content replaced another
//! owner    = owner hash[16], or nothing
//! language = length[1] name
//! title    = length[2] text                          a length of 0 means that there is none
//! content  = bytes, or length[4] DEFLATE (RFC 1951)
//! ```
//!
//! Invariants: a language is stored by name, so its place in the table may change. No name means that none was named.
//! An unknown name is read as plain text. The deadline and the access are in the record, so they change without a new
//! revision.
//! Cost: compression at the fastest level. It is left out for contents that are encrypted, look random, or fit into
//! [`ONE_PAGE`] as they are; for an engine, if they have at most [`NEVER_COMPRESSED`] bytes when sealed. Each thread
//! that seals keeps a compressor of about 300 KB, because a new one takes longer than compressing a few KiB. Opening
//! allocates the content and one copy of the sealed bytes.

use std::cell::RefCell;
use std::iter::repeat_n;
use std::sync::Arc;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::rows::Record;
use super::{Fields, Format, Keys, NONCE, Nonce, TAG, UnsealError, push_numbers};
use crate::paste::{
    Access, CharsetLabel, Content, Draft, Encoding, Expiry, Language, PasteData, PasteId, Revision,
    StoredPaste, Title, TokenHash,
};
use crate::store::StoreError;

const CONTENT: Format = Format(b"tidebin content\0");

const TEXT: u8 = 1;
const COMPRESSED: u8 = 2;
const OWNED: u8 = 4;

/// The first bit of the charset, and the number of places before those that [`TEXT`] marks.
const CHARSET: u32 = 3;
const PLACES: u8 = 31;

/// The bytes of all fields except the owner, the language, the title and the content.
const FIXED: usize = 1 + 8 + 16 + 1 + 2;

/// Sealed contents of up to this many bytes take one page of a database at most, so a paste is charged the same for all
/// of them. SQLite adds up to 40 bytes to the content in a page of 4 KiB.
pub(in crate::store) const ONE_PAGE: usize = 4096 - 40;

/// Sealed contents of up to this many bytes rarely become smaller.
pub(in crate::store) const NEVER_COMPRESSED: usize = 256;

/// The bytes of the length before a compressed content.
const LENGTH: usize = 4;

/// The longest content, in bytes: that of the largest paste that may be configured, encrypted with its title.
const MAX_CONTENT: usize = (1 << 30) + 4096;

/// DEFLATE makes of one byte at most this many.
const MAX_RATIO: usize = 1032;

/// Contents of at least this many bytes are sealed and opened on a thread of their own, so that other requests of the
/// worker do not wait for the cipher.
const LARGE: usize = 64 * 1024;

/// Does work on a content of this many bytes. On a large one, other requests of this thread do not wait for it. Returns
/// `None` if it panics on the other thread.
pub(in crate::store) async fn aside_if_large<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match bytes {
        ..LARGE => Some(work()),
        _ => tokio::task::spawn_blocking(work).await.ok(),
    }
}

thread_local! {
    /// The compressor of a thread that handles requests.
    static COMPRESSOR: RefCell<Compress> = RefCell::new(compressor());
}

fn compressor() -> Compress {
    Compress::new(Compression::fast(), false)
}

/// Seals the content. A large one does not make other requests of this thread wait. Fails if there are no random bytes.
pub(in crate::store) async fn seal_paste(
    keys: &Arc<Keys>,
    id: PasteId,
    paste: &PasteData,
) -> Result<Vec<u8>, StoreError> {
    let nonce = Nonce::random().map_err(|error| {
        tracing::error!(%error, "the operating system returned no random bytes");
        StoreError::Failed
    })?;
    if paste.bytes.len() < LARGE {
        return Ok(keys.seal_paste(id, paste, nonce));
    }
    let (keys, paste) = (Arc::clone(keys), paste.clone());
    let seal = move || keys.seal_paste(id, &paste, nonce);
    let sealed = tokio::task::spawn_blocking(seal).await;
    sealed.map_err(|_| StoreError::Failed)
}

impl Keys {
    /// Seals a revision of the paste with this id.
    pub fn seal_paste(&self, id: PasteId, paste: &PasteData, nonce: Nonce) -> Vec<u8> {
        let title = paste.title.as_ref().map_or("", Title::as_str);
        let language = paste.language.map_or("", Language::name);
        let variable = 16 + language.len() + title.len() + paste.bytes.len();
        let (cipher, numbers) = (self.of_content(id), self.numbers(id, paste.revision));
        let mut part = CONTENT.seal(&cipher, numbers, nonce, FIXED + variable, |part| {
            part.push(0);
            push_numbers(part, [paste.saved_bits()]);
            part.extend_from_slice(paste.token.bytes());
            let mut flags = 0;
            if let Some(owned) = &paste.owned {
                flags = OWNED;
                part.extend_from_slice(owned.by.bytes());
            }
            push_names(part, paste.language, paste.title.as_ref());
            part[NONCE + 1] = flags | self.append_content(paste, part);
        });
        part.shrink_to_fit();
        part
    }

    /// Opens the revision that this record names of the paste with this id.
    ///
    /// # Errors
    /// Fails if the bytes are not this revision of this paste, or if they have a newer version.
    pub fn open_paste(
        &self,
        id: PasteId,
        record: &Record,
        sealed: &[u8],
    ) -> Result<PasteData, UnsealError> {
        let numbers = self.numbers(id, record.revision);
        CONTENT.open(&self.of_content(id), numbers, sealed, |fields| {
            let [flags] = fields.array()?;
            let saved = fields.timestamp()?;
            let token = TokenHash::from_bytes(fields.array()?);
            let owner = match flags & OWNED {
                0 => None,
                _ => Some(TokenHash::from_bytes(fields.array()?)),
            };
            let (language, title) = take_names(fields)?;
            let bytes = match flags & COMPRESSED {
                0 => Arc::from(fields.0),
                _ => inflate(fields)?,
            };
            let content = Content::restored(bytes, encoding_of(flags));
            let draft = Draft {
                content: content.ok_or(UnsealError::Damaged)?,
                title,
                language,
                expiry: Expiry::Never,
                slug: None,
            };
            let paste = StoredPaste::new(draft, record.access, record.revision, saved, token);
            let mut paste = paste.into_data();
            paste.deadline = record.deadline;
            Ok(match owner {
                Some(owner) => paste.with_owner(owner, None),
                None => paste,
            })
        })
    }

    /// Appends the content, compressed if it becomes smaller. Returns the flags.
    fn append_content(&self, paste: &PasteData, part: &mut Vec<u8>) -> u8 {
        let text = flag_of(paste.encoding);
        let is_encrypted = matches!(paste.access, Access::Locked(_));
        let fits = part.len() + paste.bytes.len() + TAG <= self.uncompressed_up_to;
        if !fits && !is_encrypted && !looks_random(&paste.bytes) {
            let content = &paste.bytes;
            let is_smaller = match content.len() < LARGE {
                true => COMPRESSOR.with_borrow_mut(|it| deflate(it, content, part)),
                // These threads come and go, and there may be many of them.
                false => deflate(&mut compressor(), content, part),
            };
            if is_smaller {
                return text | COMPRESSED;
            }
        }
        part.extend_from_slice(&paste.bytes);
        text
    }

    pub(super) fn numbers(&self, id: PasteId, revision: Revision) -> [u64; 2] {
        [self.row_key(id).0, revision.bits()]
    }
}

/// Appends a language and a title.
pub(super) fn push_names(part: &mut Vec<u8>, language: Option<Language>, title: Option<&Title>) {
    let language = language.map_or("", Language::name);
    let length = u8::try_from(language.len()).expect("a name of the table is short");
    part.push(length);
    part.extend_from_slice(language.as_bytes());
    let title = title.map_or("", Title::as_str);
    let length = u16::try_from(title.len()).expect("255 characters are at most 1,020 bytes");
    part.extend_from_slice(&length.to_le_bytes());
    part.extend_from_slice(title.as_bytes());
}

/// Takes a language and a title. An empty name means that no language was named; an unknown one is plain text.
pub(super) fn take_names(
    fields: &mut Fields<'_>,
) -> Result<(Option<Language>, Option<Title>), UnsealError> {
    let [length] = fields.array()?;
    let language = match fields.text(usize::from(length))? {
        "" => None,
        name => Some(Language::from_name(name).unwrap_or(Language::PLAIN)),
    };
    let length = u16::from_le_bytes(fields.array()?);
    Ok((language, Title::new(fields.text(usize::from(length))?)))
}

/// Returns the flag of this encoding.
pub(super) fn flag_of(encoding: Encoding) -> u8 {
    match encoding {
        Encoding::Utf8 => TEXT,
        Encoding::Other(label) => match label.place().checked_sub(PLACES) {
            None | Some(0) => label.place() << CHARSET,
            Some(place) => TEXT | place << CHARSET,
        },
    }
}

/// Returns the encoding that these flags tell.
pub(super) fn encoding_of(flags: u8) -> Encoding {
    let other = |place| Encoding::Other(CharsetLabel::from_place(place));
    match (flags & TEXT, flags >> CHARSET) {
        (0, place) => other(place),
        (_, 0) => Encoding::Utf8,
        (_, place) => other(PLACES + place),
    }
}

/// Returns true if a sample of these bytes has about as many values as one of random bytes, which has 162 on average:
/// 256 (1 − 1/e). Compressing them would be in vain: of 420 files of a system with so many values, most of them
/// pictures and archives, hardly one shrank by more than a tenth. Texts and programs have fewer.
fn looks_random(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 256;
    const MANY: usize = 144;
    let mut is_in_sample = [false; 256];
    for byte in bytes
        .iter()
        .step_by((bytes.len() / SAMPLE).max(1))
        .take(SAMPLE)
    {
        is_in_sample[usize::from(*byte)] = true;
    }
    is_in_sample.into_iter().filter(|it| *it).count() > MANY
}

/// Appends the length of the content and its compressed bytes. Appends nothing and returns false if that would not be
/// smaller than the content.
fn deflate(compress: &mut Compress, content: &[u8], part: &mut Vec<u8>) -> bool {
    let Ok(length) = u32::try_from(content.len()) else {
        return false;
    };
    let start = part.len();
    part.extend_from_slice(&length.to_le_bytes());
    // The compressor panics if it runs out of space. At its fastest level a byte takes at most nine bits.
    part.resize(start + LENGTH + content.len() + content.len() / 8 + 64, 0);
    compress.reset();
    let compressed = &mut part[start + LENGTH..];
    let status = compress.compress(content, compressed, FlushCompress::Finish);
    let written = usize::try_from(compress.total_out()).unwrap_or(usize::MAX);
    let is_smaller = matches!(status, Ok(Status::StreamEnd)) && LENGTH + written < content.len();
    part.truncate(match is_smaller {
        true => start + LENGTH + written,
        false => start,
    });
    is_smaller
}

/// Returns the content that these bytes were compressed from. A length that they cannot have is not allocated.
fn inflate(fields: &mut Fields<'_>) -> Result<Arc<[u8]>, UnsealError> {
    let length = usize::try_from(u32::from_le_bytes(fields.array()?)).unwrap_or(usize::MAX);
    let compressed = fields.0;
    if length > MAX_CONTENT.min(compressed.len().saturating_mul(MAX_RATIO)) {
        return Err(UnsealError::Damaged);
    }
    let mut content: Arc<[u8]> = repeat_n(0, length).collect();
    let bytes = Arc::get_mut(&mut content).expect("no other thread has it yet");
    let mut decompress = Decompress::new(false);
    let status = decompress.decompress(compressed, bytes, FlushDecompress::Finish);
    let is_whole = decompress.total_out() == content.len() as u64;
    match status {
        Ok(Status::StreamEnd) if is_whole => Ok(content),
        _ => Err(UnsealError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn each_encoding_is_stored_in_one_byte_without_the_other_flags() {
        let others = (0..=62).map(|place| Encoding::Other(CharsetLabel::from_place(place)));
        let mut flags = std::collections::BTreeSet::new();
        for encoding in others.chain([Encoding::Utf8]) {
            let flag = flag_of(encoding);
            assert_eq!(encoding_of(flag | COMPRESSED | OWNED), encoding, "{flag}");
            assert!(flag & (COMPRESSED | OWNED) == 0 && flags.insert(flag));
        }
    }

    #[test]
    fn bytes_like_random_ones_look_random_and_texts_in_any_script_do_not() {
        let random: Vec<u8> = (0_u8..128).flat_map(|it| Sha256::digest([it])).collect();
        assert!(looks_random(&random) && looks_random(&random[..1000]));
        let numbers: Vec<u8> = (0_u32..1000).flat_map(u32::to_le_bytes).collect();
        for text in [
            "plain English, ",
            "日本語のテキスト、",
            "Текст по-русски. ",
            "𝕳𝖊𝖑𝖑𝖔 🎉🦀 ",
        ] {
            assert!(!looks_random(text.repeat(100).as_bytes()), "{text}");
        }
        assert!(!looks_random(&numbers) && !looks_random(&random[..100]) && !looks_random(b""));
    }
}
