//! The method of a request: a closed set, so that routes and logs need no other.

/// A method. All that no route takes are one of the last three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Options,
    Patch,
    Other,
}

impl Method {
    /// The method of a request. Names are case-sensitive (RFC 9110, section 9.1).
    pub(crate) fn of(method: &actix_web::http::Method) -> Self {
        match method.as_str() {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "DELETE" => Self::Delete,
            "OPTIONS" => Self::Options,
            "PATCH" => Self::Patch,
            _ => Self::Other,
        }
    }

    /// The name, for `Allow` and for logs. A client may invent a method, so an unknown one is not repeated.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Other => "OTHER",
        }
    }
}
