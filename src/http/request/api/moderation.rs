//! Input of the operator and of reporting readers: notes, hashes of contents, and the options of a removal.

use crate::account::UserName;
use crate::app::Removal;
use crate::http::request::RequestError;
use crate::http::request::form::Fields;
use crate::http::request::query;
use crate::store::{ContentHash, Note};

/// The names of the options with which the operator removes a paste.
pub(crate) const REMOVAL_OPTIONS: [&str; 2] = ["block", "reason"];

/// Reads the options of a removal in a query. Other names are ignored.
///
/// # Errors
/// If a value is not allowed.
pub(crate) fn removal(query: &str) -> Result<Removal, RequestError> {
    let mut fields = Fields::default();
    for (name, value) in query::pairs(query)? {
        if let Some(name) = REMOVAL_OPTIONS.into_iter().find(|known| *known == name) {
            fields.set_text(name, value)?;
        }
    }
    let blocks = fields.get("block").map(String::from_utf8_lossy);
    Ok(Removal {
        blocks: blocks.map_or(Ok(false), |it| query::flag("block", &it))?,
        note: note(fields.text("reason").as_deref())?,
    })
}

/// Parses an optional note. A blank one is none.
///
/// # Errors
/// If it is too long.
pub(crate) fn note(text: Option<&str>) -> Result<Option<Note>, RequestError> {
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(Note::new).transpose().map_err(RequestError::Note)
}

/// Returns the name of the account in `key:NAME` or `user:NAME`.
pub(crate) fn account(of: &str) -> Option<String> {
    let (kind @ ("key" | "user"), name) = of.split_once(':')? else {
        return None;
    };
    name.parse::<UserName>().ok()?;
    Some(format!("{kind} {name}"))
}

/// Returns the hash of the network in `network:` and 16 digits.
pub(crate) fn network(of: &str) -> Option<u64> {
    let hash = of.strip_prefix("network:")?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(hash, 16).ok().filter(|_| is_hash)
}

/// Parses the hash of a content.
///
/// # Errors
/// If it is not a SHA-256 in hexadecimal digits.
pub(crate) fn content_hash(text: &str) -> Result<ContentHash, RequestError> {
    ContentHash::parse(text).ok_or(RequestError::Hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::request::form::repeated;

    #[test]
    fn a_removal_reads_its_block_and_its_reason_from_the_query() {
        let read = |query| {
            removal(query).map(|it| (it.blocks, it.note.map(|note| note.as_str().to_owned())))
        };
        for (query, blocks, note) in [
            ("", false, None),
            ("token=a", false, None),
            ("block", true, None),
            ("block=1&reason=a+b", true, Some("a b")),
            ("block=false&reason=", false, None),
        ] {
            let note = note.map(str::to_owned);
            assert_eq!(read(query), Ok((blocks, note)), "{query}");
        }
        assert_eq!(read("block=maybe"), Err(RequestError::Flag("block")));
        for (query, name) in [
            ("block=1&block=0", "block"),
            ("reason=a&block&reason=b", "reason"),
        ] {
            let repeated = repeated(name);
            assert_eq!(read(query), Err(repeated), "{query}");
        }
        let long = format!("reason={}", "x".repeat(Note::MAX_CHARS + 1));
        assert!(matches!(read(&long), Err(RequestError::Note(_))));
    }
}
