//! Finding the route of a request, and the series in which it is counted.
//!
//! Cost: comparing one byte with each pattern, and a few strings.

use std::sync::Arc;

use actix_web::dev::RequestHead;

use super::{Endpoint, PATTERNS, below};
use crate::config::BaseUrl;
use crate::http::access_log;
use crate::http::protocol::privatebin;
use crate::http::request::{Method, Parsed, Request, Route};
use crate::operate::Labels;
use crate::page::Site;

/// Finds the route of a request. Also returns its method, and its path below the base path.
pub(crate) fn locate<'a>(base_path: &str, head: &'a RequestHead) -> (Method, Endpoint, &'a str) {
    let (method, path) = (Method::of(&head.method), head.uri.path());
    let Some(path) = below(base_path, path, method) else {
        return (method, Endpoint::Outside, path);
    };
    match find(path) {
        Endpoint::Home if privatebin::is_spoken(&head.headers) => {
            (method, Endpoint::PrivateBin, path)
        }
        endpoint => (method, endpoint, path),
    }
}

/// The series by which requests are counted: each route with each method. All methods that a route does not support are
/// one, so that clients cannot make more of them. Saves over termbin come first.
pub(crate) fn series() -> impl Iterator<Item = Labels> {
    let routes = PATTERNS.iter().map(|(pattern, _)| pattern.text);
    let routes = routes.chain([Route::UNKNOWN.pattern]);
    let of_route = |route| Method::ALL.map(|(_, name)| [name, route]);
    [access_log::TERMBIN]
        .into_iter()
        .chain(routes.flat_map(of_route))
}

impl Endpoint {
    /// The pattern, as it is logged.
    pub(crate) fn pattern(self) -> &'static str {
        let pattern = PATTERNS.get(self as usize);
        pattern.map_or(Route::UNKNOWN.pattern, |(pattern, _)| pattern.text)
    }

    /// The request at this route, as [`locate`] and [`Parsed::of`] have found it.
    pub(crate) fn request<'a>(
        self,
        head: &'a RequestHead,
        path: &'a str,
        parsed: Parsed,
        (site, public): (&'a Arc<Site>, Option<&'a BaseUrl>),
    ) -> Request<'a> {
        let pattern = PATTERNS.get(self as usize);
        let route = pattern.map_or(Route::UNKNOWN, |(pattern, _)| pattern.route(path));
        Request {
            head,
            parsed,
            route,
            site,
            public,
            path,
        }
    }

    /// The index of a request in [`series`].
    pub(crate) fn series(self, method: Method) -> usize {
        let is_known = self.methods().contains(&method);
        let method = if is_known { method } else { Method::Other };
        let endpoint = match self {
            Self::Outside => Self::Unknown,
            inside => inside,
        };
        access_log::TERMBIN_SERIES + 1 + endpoint as usize * Method::ALL.len() + method as usize
    }
}

/// Finds the route of a path that is still percent-encoded and without its query. A target without a leading slash,
/// such as that of `PUT x.txt HTTP/1.1`, has no route. It is not a path (RFC 9112, section 3.2).
pub(super) fn find(path: &str) -> Endpoint {
    let initial = path.as_bytes().get(1).copied();
    PATTERNS
        .iter()
        .find(|(pattern, _)| pattern.may_match(initial) && pattern.matches(path))
        .map_or(Endpoint::Unknown, |(_, endpoint)| *endpoint)
}
