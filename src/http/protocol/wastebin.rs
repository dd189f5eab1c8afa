//! wastebin: `POST /` with a JSON object that has the text and its options.
//!
//! Invariants: an object is wastebin's only if its `text` is a string and it has no other members than those of
//! wastebin. Any other JSON is content, or refused if it asks for protection. A member with a wrong value is an error,
//! so no password or burn is ignored.
//! Cost: two passes over the body. The first one stores nothing and stops at the first unknown member.

use std::borrow::Cow;
use std::fmt;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::request::form::json::without_bom;
use crate::http::request::form::{Origin, SaveForm, one_line};
use crate::http::request::{RequestError, SaveOptions, parse_password};
use crate::http::response::{JSON, created_response};
use crate::paste::{Expiry, Language};

/// The body of a save.
#[derive(Deserialize)]
struct NewPaste<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    extension: Option<String>,
    title: Option<String>,
    /// Seconds.
    expires: Option<u64>,
    burn_after_reading: Option<bool>,
    password: Option<String>,
    /// The user that wastebin knows by a cookie. It has no meaning here.
    #[serde(rename = "owner")]
    _owner: Option<IgnoredAny>,
}

const MEMBERS: [&str; 7] = [
    "text",
    "extension",
    "title",
    "expires",
    "burn_after_reading",
    "password",
    "owner",
];

/// Returns whether the body is an object of wastebin, maybe with wrong values.
pub(super) fn is_paste(body: &[u8]) -> bool {
    serde_json::Deserializer::from_slice(without_bom(body))
        .deserialize_map(Shape)
        .unwrap_or(false)
}

/// Saves the paste. `options` are those outside the body.
pub(super) async fn save(
    context: &mut RequestContext<'_>,
    body: &[u8],
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let paste: NewPaste<'_> =
        serde_json::from_slice(without_bom(body)).map_err(|_| RequestError::WastebinMembers)?;
    let password = paste.password.map(|it| one_line(it.as_bytes()).to_vec());
    if let Some(password) = &password {
        // A browser may send an empty field of a form, but no program means an empty password in JSON.
        parse_password(password)?;
    }
    let policy = context.state.app.limits().expiry_policy;
    let is_allowed = |seconds| Expiry::from_seconds(seconds).is_ok_and(|it| policy.allows(it));
    if !paste.expires.is_none_or(is_allowed) {
        return Err(RequestError::WastebinExpiry(policy.longest()).into());
    }
    let extension = paste.extension;
    let path_extension = extension.clone().filter(|it| is_path_ending(it));
    let form = SaveForm {
        content: match paste.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
        origin: Origin::Wastebin,
        title: paste.title,
        language: extension,
        expires: paste.expires.map(|seconds| format!("{seconds}s")),
        burn: (paste.burn_after_reading == Some(true)).then(|| "1".to_owned()),
        password,
        ..SaveForm::default()
    };
    let (draft, access) = create::draft_of_form(context, form, options).await?;
    let created = context.create(draft, access).await?;
    let ending = path_extension.map_or(String::new(), |extension| format!(".{extension}"));
    let path = format!("{}/{}{ending}", context.request.base_path(), created.id);
    Ok(created_response(context, &created, StatusCode::OK)
        .insert_header((CONTENT_TYPE, JSON))
        .body(serde_json::json!({ "path": path }).to_string()))
}

/// Returns whether this is a language that can stand in a path as it is, unlike `c#`.
fn is_path_ending(extension: &str) -> bool {
    let stands_in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte);
    extension.bytes().all(stands_in_path) && Language::from_name(extension).is_some()
}

/// Visits the members of an object. The value is whether `text` is a string; an unknown member is an error.
struct Shape;

impl<'de> Visitor<'de> for Shape {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of wastebin")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut has_text = false;
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if !MEMBERS.contains(&&*name) {
                return Err(A::Error::custom("unknown member"));
            }
            let value = members.next_value::<&RawValue>()?.get();
            has_text |= name == "text" && value.starts_with('"');
        }
        Ok(has_text)
    }
}
