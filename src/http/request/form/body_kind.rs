//! The kind of a request body, which selects its parser.

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
    /// Labelled as JSON. HTTPie also labels raw content this way.
    Json,
}

impl BodyKind {
    /// The kind of a body. The body of a PUT is always a file; its `Content-Type` is ignored.
    pub(crate) fn of(method: Method, content_type: &str) -> Self {
        if method == Method::Put {
            Self::Raw
        } else if is_multipart(content_type) {
            Self::Multipart
        } else if media_type(content_type)
            .eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
        {
            Self::Urlencoded
        } else if is_json(content_type) {
            Self::Json
        } else {
            Self::Raw
        }
    }
}

/// Returns whether this `Content-Type` denotes a multipart form.
pub(super) fn is_multipart(content_type: &str) -> bool {
    media_type(content_type).eq_ignore_ascii_case(b"multipart/form-data")
}

/// Returns whether this `Content-Type` denotes a multipart body that is no form.
pub(crate) fn is_other_multipart(content_type: &str) -> bool {
    let start = media_type(content_type).get(..10);
    start.is_some_and(|start| start.eq_ignore_ascii_case(b"multipart/"))
        && !is_multipart(content_type)
}

/// Returns whether this `Content-Type` denotes JSON.
fn is_json(content_type: &str) -> bool {
    let media_type = media_type(content_type).to_ascii_lowercase();
    matches!(&*media_type, b"application/json" | b"text/json")
        || media_type.starts_with(b"application/") && media_type.ends_with(b"+json")
}

/// The media type in a `Content-Type`, without its parameters.
fn media_type(content_type: &str) -> &[u8] {
    let mut parts = content_type.as_bytes().split(|byte| *byte == b';');
    parts.next().unwrap_or_default().trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognized_by_its_media_type_alone() {
        for (content_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/vnd.api+json ; a=b", true),
            ("application/jsonl", false),
            ("text/plain; a=application/json", false),
            ("text/json", true),
            ("text/html+json", false),
            ("", false),
        ] {
            assert_eq!(is_json(content_type), expected, "{content_type}");
        }
    }
}
