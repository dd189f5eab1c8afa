//! How the body of a save is to be read.

use super::multipart::is_multipart;
use crate::http::request::method::Method;

/// What a body is, by its method and its `Content-Type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// The bytes to save.
    Raw,
    /// A form of parts.
    Multipart,
    /// Labelled as a form, which curl and wget also do with bytes that are not a form.
    Urlencoded,
}

impl BodyKind {
    /// The kind of a body. The body of a PUT is a file, whatever it is labelled.
    pub(crate) fn of(method: Method, content_type: &str) -> Self {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        if method == Method::Put {
            Self::Raw
        } else if is_multipart(content_type) {
            Self::Multipart
        } else if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Self::Urlencoded
        } else {
            Self::Raw
        }
    }
}
