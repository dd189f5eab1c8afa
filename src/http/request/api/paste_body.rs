//! The object that describes a paste to save or to change, and the one with the password of a read.
//!
//! Cost: one pass over the body. It ends at the first unknown or repeated member, so an object with many of them costs
//! nothing.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use serde::Deserialize;

use crate::http::request::error::RequestError;
use crate::http::request::form::{Fields, member_named};
use crate::http::request::json;
use crate::http::request::save_option::OPTIONS;
use crate::paste::Archive;
use crate::spelling;

/// Reads base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The members that are not options, with their allowed values.
const CONTENTS: [(&str, &str); 3] = [
    (
        "content",
        "the text as a string, or bytes that are not text as `content_base64`",
    ),
    ("content_base64", "the bytes in base64"),
    (
        "files",
        "1 to 64 objects with a `name`, and `content` or `content_base64`",
    ),
];

/// A file of a paste.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    content: Option<String>,
    content_base64: Option<String>,
}

/// A paste to save, or a change of one.
pub(crate) struct PasteBody {
    pub(crate) content: Option<Vec<u8>>,
    /// The options, unparsed.
    pub(crate) options: Fields<'static>,
    /// Whether the title was sent, but as `null` or as an empty string.
    pub(crate) is_untitled: bool,
}

impl PasteBody {
    /// Parses a body.
    ///
    /// # Errors
    /// If it is not an object with known and valid members.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, RequestError> {
        let members = members(body, |_| true)?;
        let options = options(&members)?;
        let is_untitled = members.get("title").is_some();
        Ok(Self {
            content: content(&members)?,
            is_untitled: is_untitled && options.get("title").is_none_or(<[u8]>::is_empty),
            options,
        })
    }
}

/// Returns the options in the body of a read, which can only have a password. An empty body has none, and neither has
/// `null`.
///
/// # Errors
/// If the body is not an object whose only member is a password.
pub(crate) fn options_of_read(body: &[u8]) -> Result<Fields<'static>, RequestError> {
    if matches!(body, b"" | b"null") {
        return Ok(Fields::default());
    }
    let members = members(body, |name| name == "password");
    options(&members.map_err(|error| match error {
        RequestError::NotAnObject => RequestError::NotAPassword,
        error => error,
    })?)
}

/// All known members, with their allowed values.
pub(crate) fn all_members() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    let options = OPTIONS.iter().map(|option| option.member);
    let options = options.filter(|(name, _)| !name.is_empty());
    CONTENTS.into_iter().chain(options)
}

/// Reads the JSON of the members of an object. Those with these names are known.
///
/// # Errors
/// If the body is not an object, or has an unknown or repeated member.
fn members(body: &[u8], is_known: fn(&str) -> bool) -> Result<Fields<'_>, RequestError> {
    let known = all_members()
        .map(|(name, _)| name)
        .filter(|name| is_known(name));
    let (mut members, mut error) = (Fields::default(), RequestError::NotAnObject);
    let is_object = json::members(body, |name, value| {
        let Some(known) = known.clone().find(|known| *known == name) else {
            error = unknown(name, known.clone());
            return false;
        };
        let added = members.set(known, value.as_bytes().into());
        if added.is_err() {
            error = RequestError::RepeatedMember(known);
        }
        added.is_ok()
    });
    is_object.then_some(members).ok_or(error)
}

/// The error for an unknown member. The client may know the name from a form.
fn unknown(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> RequestError {
    let name = RequestError::printable(name);
    let meant = member_named(&name).filter(|meant| known.clone().any(|known| known == *meant));
    let nearest = meant.or_else(|| spelling::nearest(&name, known));
    RequestError::UnknownMember(name, nearest)
}

/// The options among these members, as a form has them.
fn options(members: &Fields<'_>) -> Result<Fields<'static>, RequestError> {
    let mut options = Fields::default();
    for option in OPTIONS {
        if let Some(text) = value(members, option.member, option.json)? {
            let added = options.set_text(option.name, text.into());
            added.map_err(|_| RequestError::RepeatedMember(option.member.0))?;
        }
    }
    Ok(options)
}

fn content(members: &Fields<'_>) -> Result<Option<Vec<u8>>, RequestError> {
    let text = value(members, CONTENTS[0], |json| {
        serde_json::from_str::<String>(json).ok()
    })?;
    let decoded = value(members, CONTENTS[1], |json| {
        decode(&serde_json::from_str::<String>(json).ok()?)
    })?;
    let files = value(members, CONTENTS[2], |json| {
        let files = serde_json::from_str::<Vec<File>>(json).ok()?;
        let read = |file: File| match (file.content, file.content_base64) {
            (Some(text), None) => Some((file.name, text.into_bytes())),
            (None, Some(text)) => Some((file.name, decode(&text)?)),
            _ => None,
        };
        let files: Vec<_> = files.into_iter().map(read).collect::<Option<_>>()?;
        (!files.is_empty()).then_some(files)
    })?;
    match (text, decoded, files) {
        (text, None, None) => Ok(text.map(String::into_bytes)),
        (None, decoded, None) => Ok(decoded),
        (None, None, Some(files)) => {
            let bytes = Archive::bytes_of(files).map_err(RequestError::Files)?;
            Ok(Some(bytes))
        }
        _ => Err(RequestError::SeveralContentMembers),
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// Parses the value of a member. `null` counts as absent.
fn value<T>(
    members: &Fields<'_>,
    (name, allowed): (&'static str, &'static str),
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, RequestError> {
    let json = members.text(name).filter(|json| json != "null");
    let value = json.map(|json| parse(&json).ok_or(RequestError::InvalidMember(name, allowed)));
    value.transpose()
}
