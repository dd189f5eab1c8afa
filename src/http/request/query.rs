//! The percent-decoded query of a request.

use std::borrow::Cow;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

use super::error::RequestError;
use crate::paste::LineRange;

/// The decoded name-value pairs of a query.
///
/// # Errors
/// If a `%` starts no valid escape, or the text is not UTF-8. A lenient parser could misread an option.
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

/// Returns the first value of this name.
///
/// # Errors
/// If the query is not well formed.
pub(crate) fn value<'a>(query: &'a str, name: &str) -> Result<Option<Cow<'a, str>>, RequestError> {
    let named = pairs(query)?.find(|(known, _)| known == name);
    Ok(named.map(|(_, value)| value))
}

/// The number that these digits are. `str::parse` also allows a leading `+`.
pub(crate) fn whole_number<N: FromStr>(text: &str) -> Option<N> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Parses the value of a switch, in a query or a form. A switch without a value is on.
///
/// # Errors
/// If the value is neither true nor false.
pub(crate) fn flag(name: &'static str, value: &str) -> Result<bool, RequestError> {
    match value {
        "" | "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(RequestError::Flag(name)),
    }
}

/// Rejects a query with another name than these. To be called where a mistyped name would do harm.
///
/// # Errors
/// If there is one. The error names the option that was probably meant.
pub(crate) fn reject_unknown(query: &str, known: &[&'static str]) -> Result<(), RequestError> {
    let unknown = pairs(query)?.find(|(name, _)| !known.contains(&&**name));
    match unknown {
        Some((name, _)) => Err(RequestError::unknown(
            RequestError::UnknownShortField,
            &name,
            known.iter().copied(),
        )),
        None => Ok(()),
    }
}

/// The requested range of lines. Other names are ignored, because clients of other pastebins append their own.
///
/// # Errors
/// If the range is malformed or repeated.
pub(crate) fn lines(query: &str) -> Result<Option<LineRange>, RequestError> {
    if query.is_empty() {
        return Ok(None);
    }
    let mut ranges = pairs(query)?.filter(|(name, _)| name == "lines");
    match (ranges.next(), ranges.next()) {
        (None, _) => Ok(None),
        (Some((_, range)), None) => LineRange::parse(&range)
            .map(Some)
            .ok_or(RequestError::Lines),
        (Some(_), Some(_)) => Err(RequestError::Lines),
    }
}

/// Returns whether the query has this pair.
pub(crate) fn has(query: &str, name: &str, value: &str) -> Result<bool, RequestError> {
    Ok(!query.is_empty() && pairs(query)?.any(|pair| pair == (name.into(), value.into())))
}
