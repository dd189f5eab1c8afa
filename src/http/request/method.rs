//! The method of a request as a closed set, so that routes and logs match exhaustively.

/// An HTTP method. No route accepts the last three.
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
    /// All methods with their names, in the order of their declaration.
    pub(crate) const ALL: [(Self, &str); 8] = [
        (Self::Get, "GET"),
        (Self::Head, "HEAD"),
        (Self::Post, "POST"),
        (Self::Put, "PUT"),
        (Self::Delete, "DELETE"),
        (Self::Options, "OPTIONS"),
        (Self::Patch, "PATCH"),
        (Self::Other, "OTHER"),
    ];

    /// Parses a method. Names are case-sensitive (RFC 9110, section 9.1), but the stream makes a `POST` a `post`.
    pub(crate) fn of(method: &actix_web::http::Method) -> Self {
        let mut methods = Self::ALL.into_iter();
        match methods.find(|(_, name)| *name == method.as_str()) {
            Some((known, _)) => known,
            None if method.as_str() == "post" => Self::Post,
            None => Self::Other,
        }
    }

    /// The names of these methods, each once, as in `Allow`.
    pub(crate) fn names(methods: &[Self]) -> String {
        let mut names: Vec<&str> = Vec::new();
        for method in methods {
            if !names.contains(&method.name()) {
                names.push(method.name());
            }
        }
        names.join(", ")
    }

    /// Returns true if a request of this method changes nothing (RFC 9110, section 9.2.1).
    pub(crate) fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    /// The name, for `Allow` and for logs. Unknown methods are client input, so they are logged as `OTHER`.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}
