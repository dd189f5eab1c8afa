//! The object that describes a paste to save or to change.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::Deserialize;
use serde_json::value::RawValue;

use super::error::MemberError;
use super::member::Member;
use super::object::{RawMembers, members};
use crate::http::request::form::{Origin, SaveForm, one_line};
use crate::http::request::options::LEAST_EPOCH_MILLIS;
use crate::paste::Language;

/// Reads base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A paste to save, or a change of one. A member that is `None` was not sent.
pub(crate) struct PasteBody {
    pub(crate) content: Option<Vec<u8>>,
    title: Option<String>,
    /// Whether the title was sent, but as `null` or as an empty string.
    is_untitled: bool,
    language: Option<String>,
    expires: Option<String>,
    burn: Option<String>,
    password: Option<String>,
    slug: Option<String>,
}

impl PasteBody {
    /// Parses a body.
    ///
    /// # Errors
    /// If it is not an object with known and valid members.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, MemberError> {
        let members = members(&Member::ALL, body)?;
        let text = |member| value_of::<String>(&members, member);
        let title = text(Member::Title)?;
        let language = text(Member::Language)?;
        let is_known = |name: &String| Language::from_name(name.trim()).is_some();
        if language.as_ref().is_some_and(|name| !is_known(name)) {
            return Err(MemberError::Invalid(Member::Language));
        }
        Ok(Self {
            content: content(&members)?,
            is_untitled: members[Member::Title as usize].is_some()
                && title.as_ref().is_none_or(String::is_empty),
            title,
            language,
            expires: expires(&members)?,
            burn: burn(&members)?,
            password: text(Member::Password)?,
            slug: text(Member::Slug)?,
        })
    }

    /// Returns the same paste as a form. Its content is empty if none was sent.
    pub(crate) fn into_form(self) -> SaveForm<'static> {
        SaveForm {
            content: self.content.unwrap_or_default().into(),
            origin: Origin::Terminal,
            is_link: false,
            is_file: true,
            file_name: None,
            title: self.title,
            is_untitled: self.is_untitled,
            language: self.language,
            expires: self.expires,
            burn: self.burn,
            password: self.password.map(|it| one_line(it.as_bytes()).to_vec()),
            slug: self.slug,
        }
    }
}

/// Returns the password in the body of a read, without a final line end. An empty body has none, and neither has
/// `null`.
///
/// # Errors
/// If the body is not an object whose only member is a password.
pub(crate) fn password_of(body: &[u8]) -> Result<Option<Vec<u8>>, MemberError> {
    if matches!(body, b"" | b"null") {
        return Ok(None);
    }
    let members = members(&[Member::Password], body).map_err(|error| match error {
        MemberError::NotAnObject => MemberError::NotAPassword,
        error => error,
    })?;
    let password: Option<String> = value_of(&members, Member::Password)?;
    Ok(password.map(|it| one_line(it.as_bytes()).to_vec()))
}

fn burn(members: &RawMembers<'_>) -> Result<Option<String>, MemberError> {
    match value_of::<u64>(members, Member::Burn)? {
        Some(reads @ 1..=100) => Ok(Some(reads.to_string())),
        Some(_) => Err(MemberError::Invalid(Member::Burn)),
        None => Ok(None),
    }
}

/// The expiry as a form has it. A number is in seconds, unless it is a time in milliseconds since 1970.
fn expires(members: &RawMembers<'_>) -> Result<Option<String>, MemberError> {
    Ok(match value_of::<u64>(members, Member::Expires) {
        Ok(Some(seconds)) if seconds < LEAST_EPOCH_MILLIS => Some(format!("{seconds}s")),
        Ok(millis) => millis.map(|millis| millis.to_string()),
        Err(_) => {
            let text = value_of::<String>(members, Member::Expires)?;
            let seconds: Option<u64> = text.as_deref().and_then(|text| text.parse().ok());
            if seconds.is_some_and(|seconds| seconds < LEAST_EPOCH_MILLIS) {
                return Err(MemberError::Invalid(Member::Expires));
            }
            text
        }
    })
}

fn content(members: &RawMembers<'_>) -> Result<Option<Vec<u8>>, MemberError> {
    let text: Option<String> = value_of(members, Member::Content)?;
    let base64: Option<String> = value_of(members, Member::ContentBase64)?;
    match (text, base64) {
        (None, None) => Ok(None),
        (Some(text), None) => Ok(Some(text.into_bytes())),
        (None, Some(base64)) => {
            let bytes = BASE64.decode(base64);
            bytes
                .map(Some)
                .map_err(|_| MemberError::Invalid(Member::ContentBase64))
        }
        (Some(_), Some(_)) => Err(MemberError::SeveralContents),
    }
}

/// Parses the value of a member. `null` counts as absent.
fn value_of<'b, T: Deserialize<'b>>(
    members: &RawMembers<'b>,
    member: Member,
) -> Result<Option<T>, MemberError> {
    let Some(value) = members[member as usize].map(RawValue::get) else {
        return Ok(None);
    };
    serde_json::from_str(value).map_err(|_| MemberError::Invalid(member))
}
