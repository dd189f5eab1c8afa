//! Archives: several files in one content, in the format of `tar`.
//!
//! The format is ustar (POSIX.1-1988) with the heads of pax (POSIX.1-2001). An archive is known by its form, as an image
//! is: nothing else of a paste says that it has files.
//! Invariants: an archive has 1 to [`Archive::MAX_FILES`] files. Their names are relative paths of at most 100 bytes of
//! UTF-8, without control characters and without empty parts, `.` and `..`. No name occurs twice, and none is a folder of
//! another. What has anything else, such as a link, is no archive but bytes. Folders are skipped.
//! Cost: a content that is no archive costs two comparisons. An archive costs a pass over its heads of 512 bytes.
//! Why no crate: `tar` reads a stream, follows the extensions of GNU and writes to disks. Most of it is refused here.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use thiserror::Error;

/// The unit of the format, and the bytes of a head.
const BLOCK: usize = 512;

/// An archive. It borrows from the content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive<'a> {
    files: Vec<ArchivedFile<'a>>,
    owner: Option<&'a str>,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedFile<'a> {
    /// A relative path.
    pub name: Cow<'a, str>,
    /// The content, which may be empty.
    pub content: Cow<'a, [u8]>,
}

impl ArchivedFile<'_> {
    /// Returns the place of the file in the content that the archive borrows from.
    pub fn place_in(&self, content: &[u8]) -> Range<usize> {
        let start = self.content.as_ptr().addr() - content.as_ptr().addr();
        start..start + self.content.len()
    }
}

/// Why a tar archive, or a set of files, is no [`Archive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ArchiveError {
    /// It does not end, or its end is not empty, or a head is not valid.
    #[error("it is damaged or cut off")]
    Damaged,
    /// It has no file.
    #[error("it has no file")]
    Empty,
    /// It has more files than may be.
    #[error("it has more than {} files", Archive::MAX_FILES)]
    TooMany,
    /// It has something that is neither a file nor a folder.
    #[error("it has a link or another special file")]
    Special,
    /// A name is too long, not UTF-8 or no relative path.
    #[error("a name in it is no relative path of at most 100 bytes of UTF-8")]
    Name,
    /// A name occurs twice, or is a folder of another.
    #[error("two of its files cannot exist together")]
    Conflict,
}

use ArchiveError::{Conflict, Damaged, Empty, Name, Special, TooMany};

impl<'a> Archive<'a> {
    /// Maximum number of files.
    pub const MAX_FILES: usize = 64;

    /// Maximum bytes of a name.
    const MAX_NAME: usize = 100;

    /// Returns whether a content looks like an archive at first sight.
    pub(super) fn may_be(content: &[u8]) -> bool {
        content.len().is_multiple_of(BLOCK) && content.get(257..262) == Some(b"ustar")
    }

    /// Returns the archive that a content is. Returns `None` if it is nothing that `tar` makes.
    ///
    /// # Errors
    /// If it is a tar archive, but one that has other things than files.
    pub fn of(content: &'a [u8]) -> Option<Result<Self, ArchiveError>> {
        is_head(content.first_chunk()?).then(|| Self::parse(content))
    }

    fn parse(content: &'a [u8]) -> Result<Self, ArchiveError> {
        let (mut archive, mut pax, mut rest) = (Self::default(), Pax::default(), content);
        loop {
            let (head, behind) = rest.split_first_chunk::<BLOCK>().ok_or(Damaged)?;
            if *head == [0; BLOCK] {
                return match (
                    archive.files.is_empty(),
                    behind.iter().all(|byte| *byte == 0),
                ) {
                    (false, true) => Ok(archive),
                    (true, true) => Err(Empty),
                    (_, false) => Err(Damaged),
                };
            }
            if !is_head(head) {
                return Err(Damaged);
            }
            let Pax { path, size } = std::mem::take(&mut pax);
            let size = size.or_else(|| octal(&head[124..136])).ok_or(Damaged)?;
            let content = behind.get(..size).ok_or(Damaged)?;
            rest = behind.get(size.next_multiple_of(BLOCK)..).ok_or(Damaged)?;
            match head[156] {
                b'0' | 0 => {
                    let name = path.map_or_else(|| name_in(head), |path| Ok(path.into()))?;
                    archive.add(name, content.into())?;
                    archive.owner = archive.owner.or_else(|| owner_in(head));
                }
                b'5' => {}
                b'x' => pax = Pax::of(content)?,
                b'g' if Pax::of(content)? == Pax::default() => {}
                // A name of GNU, which writes it only if it is long.
                b'g' | b'L' => return Err(Name),
                _ => return Err(Special),
            }
        }
    }

    /// Adds a file. `./` before its name is removed.
    ///
    /// # Errors
    /// If the archive has too many files, or none of this name can be in it.
    pub fn add(&mut self, name: Cow<'a, str>, content: Cow<'a, [u8]>) -> Result<(), ArchiveError> {
        let plain = name.trim_start_matches("./");
        if !Self::is_name(plain) {
            return Err(Name);
        }
        if self.files.iter().any(|other| clashes(&other.name, plain)) {
            return Err(Conflict);
        }
        if self.files.len() == Self::MAX_FILES {
            return Err(TooMany);
        }
        let removed = name.len() - plain.len();
        let name = match name {
            Cow::Borrowed(name) => Cow::Borrowed(&name[removed..]),
            Cow::Owned(name) => Cow::Owned(name[removed..].to_owned()),
        };
        self.files.push(ArchivedFile { name, content });
        Ok(())
    }

    /// Returns the archive of files with these names and contents as bytes.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn bytes_of(
        files: impl IntoIterator<Item = (impl Into<Cow<'a, str>>, impl Into<Cow<'a, [u8]>>)>,
    ) -> Result<Vec<u8>, ArchiveError> {
        let mut archive = Self::default();
        for (name, content) in files {
            archive.add(name.into(), content.into())?;
        }
        Ok(archive.to_bytes())
    }

    /// Returns whether a file can have this name.
    pub fn is_name(name: &str) -> bool {
        let is_part = |part: &str| !matches!(part, "" | "." | "..");
        name.len() <= Self::MAX_NAME
            && name.split('/').all(is_part)
            && !name.contains(|c: char| c.is_control())
    }

    /// Returns the files, in their order.
    pub fn files(&self) -> &[ArchivedFile<'a>] {
        &self.files
    }

    /// Returns the files, in their order.
    pub fn into_files(self) -> impl Iterator<Item = ArchivedFile<'a>> {
        self.files.into_iter()
    }

    /// Returns the name that a head has of the owner or the group of a file.
    pub fn owner(&self) -> Option<&'a str> {
        self.owner
    }

    /// Returns what an archive without a title is called.
    pub fn name(&self) -> String {
        match self.files.as_slice() {
            [] => String::new(),
            [file] => file.name.to_string(),
            [first, rest @ ..] => format!("{} and {} more", first.name, rest.len()),
        }
    }

    /// Returns the names, with commas.
    pub fn names(&self) -> String {
        let names = self.files.iter().map(|file| &*file.name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns whether this server would write the same archive of the files in this content.
    pub fn is_ours(&self, content: &[u8]) -> bool {
        let is_ours = |file: &ArchivedFile<'_>| {
            content[..file.place_in(content).start].ends_with(&head_of(file))
        };
        let sizes = self
            .files
            .iter()
            .map(|it| it.content.len().next_multiple_of(BLOCK));
        content.len() == sizes.map(|size| BLOCK + size).sum::<usize>() + 2 * BLOCK
            && self.files.iter().all(is_ours)
    }

    /// Returns the archive as bytes. Equal files make equal bytes: no head has a time or an owner.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for file in &self.files {
            bytes.extend(head_of(file));
            bytes.extend_from_slice(&file.content);
            bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        }
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }
}

/// Returns whether both names are one, or one is a folder of the other.
fn clashes(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a pax head says about the next file, as far as it counts here.
#[derive(Default, PartialEq, Eq)]
struct Pax<'a> {
    path: Option<&'a str>,
    size: Option<usize>,
}

impl<'a> Pax<'a> {
    /// Parses the records of a head: their length, a space, a key, `=`, a value, and a line feed.
    fn of(mut records: &'a [u8]) -> Result<Self, ArchiveError> {
        let mut pax = Self::default();
        while !records.is_empty() {
            let (key, value, rest) = record(records).ok_or(Damaged)?;
            match key {
                b"path" => pax.path = Some(std::str::from_utf8(value).map_err(|_| Name)?),
                b"size" => pax.size = Some(number(value, 10).ok_or(Damaged)?),
                key if key.starts_with(b"GNU.sparse.") => return Err(Special),
                _ => {}
            }
            records = rest;
        }
        Ok(pax)
    }
}

/// Splits the first record from the others.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = memchr(b' ', records)?;
    let length = number(&records[..space], 10)?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = memchr(b'=', record)?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}

/// Returns whether this is a head: it has the mark of the format, and its sum is right.
fn is_head(head: &[u8; BLOCK]) -> bool {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>();
    // The sum is that of a head with eight spaces in the place of the sum.
    let expected = sum(head) - sum(&head[148..156]) + 8 * usize::from(b' ');
    head[257..].starts_with(b"ustar") && octal(&head[148..156]) == Some(expected)
}

/// Returns the name in a head. One of POSIX may be in two parts.
fn name_in(head: &[u8; BLOCK]) -> Result<Cow<'_, str>, ArchiveError> {
    let name = until_nul(&head[..100])?;
    let prefix = match head[257..].starts_with(b"ustar\0") {
        true => until_nul(&head[345..500])?,
        false => "",
    };
    Ok(match prefix {
        "" => name.into(),
        prefix => [prefix, "/", name].concat().into(),
    })
}

/// Returns the name of the owner in a head, or else of the group.
fn owner_in(head: &[u8; BLOCK]) -> Option<&str> {
    let fields = [&head[265..297], &head[297..329]];
    let mut names = fields.into_iter().filter_map(|it| until_nul(it).ok());
    names.find(|name| !name.is_empty())
}

fn until_nul(field: &[u8]) -> Result<&str, ArchiveError> {
    let end = memchr(0, field).unwrap_or(field.len());
    std::str::from_utf8(&field[..end]).map_err(|_| Name)
}

/// Returns the number in a field of a head: octal digits, which spaces and NUL may surround.
fn octal(field: &[u8]) -> Option<usize> {
    let start = field.iter().position(|byte| *byte != b' ')?;
    let digits = &field[start..];
    let end = digits.iter().position(|byte| matches!(byte, 0 | b' '));
    number(&digits[..end.unwrap_or(digits.len())], 8)
}

fn number(digits: &[u8], radix: u32) -> Option<usize> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = usize::from_str_radix(digits, radix).ok();
    number.filter(|_| is_number)
}

/// Returns the head of a file: mode 644, no owner, and time 0.
fn head_of(file: &ArchivedFile<'_>) -> [u8; BLOCK] {
    let mut head = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| head[at..at + text.len()].copy_from_slice(text);
    put(0, file.name.as_bytes());
    put(100, b"0000644\x000000000\x000000000\0");
    put(
        124,
        format!("{:011o}\0{:011o}\0", file.content.len(), 0).as_bytes(),
    );
    put(148, b"        0");
    put(257, b"ustar\x0000");
    let sum: usize = head.iter().map(|byte| usize::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}

#[cfg(test)]
mod tests;
