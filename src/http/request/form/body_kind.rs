//! The kind of a request body, which selects its parser.

use super::multipart::is_multipart;
use crate::http::request::method::Method;

/// The kind of a body, by its method and its `Content-Type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// The content itself.
    Raw,
    /// A `multipart/form-data` form.
    Multipart,
    /// Labelled as an urlencoded form. curl and wget also label raw content this way.
    Urlencoded,
}

impl BodyKind {
    /// The kind of a body. The body of a PUT is always a file; its `Content-Type` is ignored.
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
