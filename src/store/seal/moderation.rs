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

use super::{Fields, Format, Keys, Nonce, UnsealError, push_numbers};
use crate::hidden::Hidden;
use crate::paste::{PasteId, Slug};
use crate::store::moderation::{Block, ContentHash, Note, Report, Reservation, Row};

const MODERATION: Format = Format(b"tidebin moderate");

impl Row {
    /// Seals the row with this `seq`.
    pub(in crate::store) fn seal(&self, keys: &Keys, seq: u64, nonce: Nonce) -> Vec<u8> {
        MODERATION.seal(&keys.moderation, [seq, 0], nonce, 64, |part| match self {
            Self::Block(block) => {
                part.push(0);
                part.extend_from_slice(block.hash.as_bytes());
                push_numbers(part, [block.since.as_millis()]);
                let note = block.note.as_ref();
                part.extend_from_slice(note.map_or("", Note::as_str).as_bytes());
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
                let (paste, client) = (report.paste.bits(), report.client);
                let at = report.at.as_millis();
                push_numbers(part, [paste, client.network, client.client, at]);
                part.extend_from_slice(report.note.as_str().as_bytes());
            }
            Self::Reservation(it) => {
                part.push(2);
                push_numbers(part, [it.key.bits()]);
                part.extend_from_slice(&*it.owner);
                push_numbers(part, [it.until.as_millis()]);
            }
        })
    }

    /// Opens the row with this `seq`.
    ///
    /// # Errors
    /// Fails if the bytes are not this row, or if they have a newer version.
    pub(in crate::store) fn open(
        keys: &Keys,
        seq: u64,
        sealed: &[u8],
    ) -> Result<Self, UnsealError> {
        MODERATION.open(&keys.moderation, [seq, 0], sealed, |fields| {
            Ok(match fields.array()? {
                [0] => Self::Block(Block {
                    hash: ContentHash::from_bytes(fields.array()?),
                    since: fields.timestamp()?,
                    note: note(fields)?,
                }),
                [1] => Self::Report(report(fields, None)?),
                [2] => Self::Reservation(Reservation {
                    key: PasteId::from_random(fields.u64()?.to_be_bytes()),
                    owner: Hidden(fields.array()?),
                    until: fields.timestamp()?,
                }),
                [3] => {
                    let [length] = fields.array()?;
                    let slug = fields.slug(usize::from(length))?;
                    Self::Report(report(fields, Some(slug))?)
                }
                [_] => return Err(UnsealError::Damaged),
            })
        })
    }
}

/// Takes the fields of a report about a paste with this slug.
fn report(fields: &mut Fields<'_>, slug: Option<Slug>) -> Result<Report, UnsealError> {
    Ok(Report {
        paste: PasteId::from_random(fields.u64()?.to_be_bytes()),
        slug,
        client: fields.client()?,
        at: fields.timestamp()?,
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
    use crate::fairness::ClientKey;
    use crate::paste::Timestamp;

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
            owner: Hidden([3; 16]),
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
            assert_eq!(Row::open(&keys, 4, &sealed), Ok(row));
            assert_eq!(Row::open(&keys, 5, &sealed), Err(UnsealError::Damaged));
        }
    }
}
