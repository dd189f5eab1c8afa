//! The query of a request, decoded.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::error::RequestError;
use crate::paste::LineRange;

/// The decoded pairs of a query.
///
/// # Errors
/// If a `%` starts no code or the text is not UTF-8: a refusal is better than a misreading.
pub(crate) fn pairs(
    query: &str,
) -> Result<impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)>, RequestError> {
    let is_code = |rest: &str| {
        rest.as_bytes()
            .get(..2)
            .is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    };
    let well_formed =
        query.split('%').skip(1).all(is_code) && percent_decode_str(query).decode_utf8().is_ok();
    well_formed
        .then(|| form_urlencoded::parse(query.as_bytes()))
        .ok_or(RequestError::Query)
}

/// The range of lines that the query of a read asks for. Other names are ignored: readers of other pastebins append
/// names that theirs understands.
pub(crate) fn lines(query: &str) -> Result<Option<LineRange>, RequestError> {
    if query.is_empty() {
        return Ok(None);
    }
    let mut ranges = pairs(query)?.filter(|(name, _)| name == "lines");
    match (ranges.next(), ranges.next()) {
        (None, _) => Ok(None),
        (Some((_, range)), None) => range.parse().map(Some).map_err(|_| RequestError::Lines),
        (Some(_), Some(_)) => Err(RequestError::Lines),
    }
}

/// Whether the query of a read asks for the source and not for the document.
pub(crate) fn asks_for_source(query: &str) -> Result<bool, RequestError> {
    Ok(pairs(query)?.any(|(name, value)| name == "view" && value == "source"))
}
