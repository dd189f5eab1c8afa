//! A blocked content, a report or a reserved id on disk. The operator reads them, so they are sealed under the secret
//! alone.
//!
//! ```text
//! fields = kind[1], then
//!   0, a block:  hash[32] since[8] note
//!   1, a report: id of the paste[8] network[8] client[8] at[8] note
//!   2, a reserved id: row key[8] owner[16] until[8]
//!   3, a report about a paste with a slug: slug length[1] slug, then as 1
//! ```
//!
//! Numbers are little-endian. The note is UTF-8 and takes the rest; a block may have none.

use super::{Fields, Format, Keys, Nonce, UnsealError};
use crate::fairness::ClientKey;
use crate::paste::{PasteId, Slug, Timestamp};
use crate::store::moderation::{Block, ContentHash, Note, Report, Reservation, Row};

const FORMAT: Format = Format {
    label: b"tidebin moderate",
    version: 1,
};

impl Row {
    /// Seals the row with this `seq`.
    pub(in crate::store) fn seal(&self, keys: &Keys, seq: u64, nonce: Nonce) -> Vec<u8> {
        let note = match self {
            Self::Block(block) => block.note.as_ref(),
            Self::Report(report) => Some(&report.note),
            Self::Reservation(_) => None,
        };
        let note = note.map_or("", Note::as_str);
        let mut part = FORMAT.start(nonce, 41 + note.len());
        match self {
            Self::Block(block) => {
                part.push(0);
                part.extend_from_slice(block.hash.as_bytes());
                part.extend_from_slice(&block.since.as_millis().to_le_bytes());
            }
            Self::Report(report) => {
                match &report.slug {
                    None => part.push(1),
                    Some(slug) => {
                        let slug = slug.as_str().as_bytes();
                        let length = u8::try_from(slug.len()).expect("a slug has at most 64 bytes");
                        part.extend_from_slice(&[3, length]);
                        part.extend_from_slice(slug);
                    }
                }
                for number in [
                    report.paste.bits(),
                    report.client.network,
                    report.client.client,
                    report.at.as_millis(),
                ] {
                    part.extend_from_slice(&number.to_le_bytes());
                }
            }
            Self::Reservation(it) => {
                part.push(2);
                part.extend_from_slice(&it.key.bits().to_le_bytes());
                part.extend_from_slice(&it.owner);
                part.extend_from_slice(&it.until.as_millis().to_le_bytes());
            }
        }
        part.extend_from_slice(note.as_bytes());
        FORMAT.seal(&keys.moderation, [seq, 0], &mut part);
        part
    }

    /// Opens the row with this `seq`.
    ///
    /// # Errors
    /// Fails if the bytes are not this row, or if they have a newer version.
    pub(in crate::store) fn open(
        keys: &Keys,
        seq: u64,
        mut sealed: Vec<u8>,
    ) -> Result<Self, UnsealError> {
        let mut fields = Fields(FORMAT.open(&keys.moderation, [seq, 0], &mut sealed)?);
        Ok(match fields.array()? {
            [0] => Self::Block(Block {
                hash: ContentHash::from_bytes(fields.array()?),
                since: Timestamp::from_millis(fields.u64()?),
                note: note(&mut fields)?,
            }),
            [1] => Self::Report(report(&mut fields, None)?),
            [2] => Self::Reservation(Reservation {
                key: PasteId::from_random(fields.u64()?.to_be_bytes()),
                owner: fields.array()?,
                until: Timestamp::from_millis(fields.u64()?),
            }),
            [3] => {
                let [length] = fields.array()?;
                let slug = Slug::parse(fields.text(usize::from(length))?);
                let slug = slug.map_err(|_| UnsealError::Damaged)?;
                Self::Report(report(&mut fields, Some(slug))?)
            }
            [_] => return Err(UnsealError::Damaged),
        })
    }
}

/// Takes the fields of a report about a paste with this slug.
fn report(fields: &mut Fields<'_>, slug: Option<Slug>) -> Result<Report, UnsealError> {
    Ok(Report {
        paste: PasteId::from_random(fields.u64()?.to_be_bytes()),
        slug,
        client: ClientKey {
            network: fields.u64()?,
            client: fields.u64()?,
        },
        at: Timestamp::from_millis(fields.u64()?),
        note: note(fields)?.ok_or(UnsealError::Damaged)?,
    })
}

/// Takes the note, which is the rest. Returns `None` if it is empty.
fn note(fields: &mut Fields<'_>) -> Result<Option<Note>, UnsealError> {
    let text = fields.text(fields.0.len())?;
    match text.is_empty() {
        true => Ok(None),
        false => Note::new(text).map(Some).map_err(|_| UnsealError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_row_opens_as_it_was_sealed_and_only_in_its_own_place() {
        let keys = Keys::new(&[7; 32]);
        let (since, note) = (Timestamp::from_millis(5), Note::new("spam").unwrap());
        let block = |note| {
            let hash = ContentHash::of(b"x");
            Row::Block(Block { hash, since, note })
        };
        let report = |slug| {
            Row::Report(Report {
                paste: PasteId::from_random([1; 8]),
                slug,
                client: ClientKey {
                    network: 2,
                    client: 3,
                },
                at: since,
                note: note.clone(),
            })
        };
        let reservation = Row::Reservation(Reservation {
            key: PasteId::from_random([2; 8]),
            owner: [3; 16],
            until: since,
        });
        let slug = Slug::parse("release-notes").unwrap();
        for row in [
            block(None),
            block(Some(note.clone())),
            report(None),
            report(Some(slug)),
            reservation,
        ] {
            let sealed = row.seal(&keys, 4, Nonce::random().unwrap());
            assert_eq!(Row::open(&keys, 4, sealed.clone()), Ok(row));
            assert_eq!(Row::open(&keys, 5, sealed), Err(UnsealError::Damaged));
        }
    }
}
