//! Routes: every path the server knows, on one screen, and the methods each takes.
//!
//! What it must not know: what is done there.
//! Invariants: a path is exactly one route; no fixed route of one segment has the length of an id, so no paste can
//! ever hide behind one.
//! Cost: a few comparisons of strings. A parsed path costs a read about 1 µs less than the framework's router, which
//! is a sixth of what the whole read takes.

use actix_web::http::Method;

use crate::page;

/// What a request is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Nothing: it is the same bytes for everybody.
    Free,
    /// A read.
    Read,
    /// A read, refused as well to who missed too often.
    LookUp,
    /// A save.
    Save,
}

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// `/`: the editor or the how-to, and where pastes are saved.
    Home,
    /// `/help`: how to use it.
    Help,
    /// `/healthz`: whether it serves.
    Health,
    /// `/favicon.ico`.
    Favicon,
    /// `/robots.txt`.
    Robots,
    /// `/assets/{name}`: style sheet and script.
    Asset(&'a str),
    /// `/record`: where the 2019 JSON API saves.
    Records,
    /// `/record/{key}`: where it reads.
    Record(&'a str),
    /// `/raw/{id}`: the exact bytes.
    Raw(&'a str),
    /// `/dl/{id}`: the exact bytes as a file.
    Download(&'a str),
    /// `/qr/{id}`: the paste's address as a picture.
    Qr(&'a str),
    /// `/{id}` or `/{id}.ext`: a paste. Any other single segment is none, and is looked for in vain.
    Paste(&'a str),
    /// `/{id}+`: where a short link leads.
    Preview(&'a str),
    /// `/{id}/stats`: how often a paste was read.
    Stats(&'a str),
    /// `/{id}/edit`: the editor of a paste.
    Edit(&'a str),
    /// Anything else.
    Unknown,
}

impl<'a> Route<'a> {
    /// The route of a path as it stands in the request, without the query.
    pub(crate) fn of(path: &'a str) -> Self {
        let path = path.strip_prefix('/').unwrap_or(path);
        match path.split_once('/') {
            None => match path {
                "" => Self::Home,
                "help" => Self::Help,
                "healthz" => Self::Health,
                "favicon.ico" => Self::Favicon,
                "robots.txt" => Self::Robots,
                "record" => Self::Records,
                segment => match segment.strip_suffix('+') {
                    Some(id) => Self::Preview(id),
                    None => Self::Paste(segment),
                },
            },
            Some((_, rest)) if rest.is_empty() || rest.contains('/') => Self::Unknown,
            Some(("assets", name)) => Self::Asset(name),
            Some(("record", key)) => Self::Record(key),
            Some(("raw", id)) => Self::Raw(id),
            Some(("dl", id)) => Self::Download(id),
            Some(("qr", id)) => Self::Qr(id),
            Some((id, "stats")) => Self::Stats(id),
            Some((id, "edit")) => Self::Edit(id),
            Some(_) => Self::Unknown,
        }
    }

    /// The route as it stands in a log: never with what a client put in.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Help => "/help",
            Self::Health => "/healthz",
            Self::Favicon => "/favicon.ico",
            Self::Robots => "/robots.txt",
            Self::Asset(_) => "/assets/{name}",
            Self::Records => "/record",
            Self::Record(_) => "/record/{key}",
            Self::Raw(_) => "/raw/{id}",
            Self::Download(_) => "/dl/{id}",
            Self::Qr(_) => "/qr/{id}",
            Self::Paste(_) => "/{id}",
            Self::Preview(_) => "/{id}+",
            Self::Stats(_) => "/{id}/stats",
            Self::Edit(_) => "/{id}/edit",
            Self::Unknown => "-",
        }
    }

    /// The methods it takes. `PUT` to any one segment saves a file of that name, the fixed ones included: so does
    /// `curl -T robots.txt`.
    pub(crate) fn methods(self) -> &'static [Method] {
        const GET: Method = Method::GET;
        const HEAD: Method = Method::HEAD;
        const PUT: Method = Method::PUT;
        const POST: Method = Method::POST;
        const DELETE: Method = Method::DELETE;
        match self {
            Self::Home => &[GET, HEAD, POST, PUT],
            Self::Help | Self::Health | Self::Favicon | Self::Robots => &[GET, HEAD, PUT],
            Self::Records => &[POST, PUT],
            Self::Asset(_) | Self::Record(_) => &[GET, HEAD],
            Self::Raw(_) | Self::Download(_) => &[GET, HEAD, POST, DELETE],
            Self::Qr(_) => &[GET, HEAD],
            Self::Preview(_) => &[GET, HEAD, PUT],
            Self::Stats(_) | Self::Edit(_) => &[GET, HEAD, POST],
            Self::Paste(_) => &[GET, HEAD, POST, PUT, DELETE],
            Self::Unknown => &[],
        }
    }

    /// What a request of this method costs; one that the route does not take is a read.
    pub(crate) fn cost(self, method: &Method) -> Cost {
        let saves = method == Method::PUT || method == Method::POST;
        match self {
            _ if !self.methods().contains(method) => Cost::Read,
            Self::Asset(name) if page::asset(name).is_none() => Cost::Read,
            Self::Home | Self::Records if saves => Cost::Save,
            Self::Paste(_) | Self::Preview(_) if method == Method::PUT => Cost::Save,
            Self::Edit(_) if saves => Cost::Save,
            Self::Help | Self::Health | Self::Favicon | Self::Robots if method == Method::PUT => {
                Cost::Save
            }
            Self::Health | Self::Favicon | Self::Robots | Self::Asset(_) => Cost::Free,
            Self::Home | Self::Help | Self::Records | Self::Unknown => Cost::Read,
            Self::Record(_) | Self::Raw(_) | Self::Download(_) => Cost::LookUp,
            Self::Qr(_) | Self::Paste(_) | Self::Preview(_) => Cost::LookUp,
            Self::Stats(_) | Self::Edit(_) => Cost::LookUp,
        }
    }

    /// The name in a `PUT` of one segment, still percent-encoded; none for `/` itself.
    pub(crate) fn file_name(path: &str) -> Option<&str> {
        path.strip_prefix('/')
            .filter(|name| !name.is_empty() && !name.contains('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::IdCodec;

    const ONE_SEGMENT: [&str; 5] = [
        "/help",
        "/healthz",
        "/favicon.ico",
        "/robots.txt",
        "/record",
    ];

    #[test]
    fn no_fixed_route_of_one_segment_can_be_an_id() {
        for path in ONE_SEGMENT {
            assert!(!matches!(Route::of(path), Route::Paste(_)), "{path}");
            let stem = path[1..].split('.').next().unwrap();
            assert_ne!(stem.len(), IdCodec::LENGTH, "{path}");
        }
    }

    #[test]
    fn a_path_finds_its_route() {
        for (path, route) in [
            ("/", Route::Home),
            ("", Route::Home),
            ("/abc", Route::Paste("abc")),
            ("/abc.rs", Route::Paste("abc.rs")),
            ("/raw/abc", Route::Raw("abc")),
            ("/dl/abc", Route::Download("abc")),
            ("/qr/abc", Route::Qr("abc")),
            ("/record/abc", Route::Record("abc")),
            ("/assets/style.css", Route::Asset("style.css")),
            ("/abc+", Route::Preview("abc")),
            ("/+", Route::Preview("")),
            ("/abc/stats", Route::Stats("abc")),
            ("/abc/edit", Route::Edit("abc")),
            ("/raw/stats", Route::Raw("stats")),
            ("/abc/edit/", Route::Unknown),
            ("/raw", Route::Paste("raw")),
            ("/raw/", Route::Unknown),
            ("//", Route::Unknown),
            ("/a/b", Route::Unknown),
            ("/raw/a/b", Route::Unknown),
            ("/assets/../secret", Route::Unknown),
            ("*", Route::Paste("*")),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }

    #[test]
    fn a_request_costs_what_it_does() {
        let style = format!("/assets/{}", page::STYLE.name);
        for (method, path, cost) in [
            (Method::GET, "/healthz", Cost::Free),
            (Method::GET, style.as_str(), Cost::Free),
            (Method::GET, "/assets/none", Cost::Read),
            (Method::POST, "/healthz", Cost::Read),
            (Method::GET, "/", Cost::Read),
            (Method::GET, "/help", Cost::Read),
            (Method::GET, "/a/b", Cost::Read),
            (Method::OPTIONS, "/", Cost::Read),
            (Method::GET, "/abc", Cost::LookUp),
            (Method::HEAD, "/raw/abc", Cost::LookUp),
            (Method::DELETE, "/abc", Cost::LookUp),
            (Method::POST, "/abc", Cost::LookUp),
            (Method::GET, "/record/abc", Cost::LookUp),
            (Method::GET, "/abc+", Cost::LookUp),
            (Method::GET, "/abc/stats", Cost::LookUp),
            (Method::POST, "/abc/stats", Cost::LookUp),
            (Method::POST, "/abc/edit", Cost::Save),
            (Method::PUT, "/c++", Cost::Save),
            (Method::POST, "/raw/abc", Cost::LookUp),
            (Method::POST, "/", Cost::Save),
            (Method::PUT, "/abc", Cost::Save),
            (Method::PUT, "/robots.txt", Cost::Save),
            (Method::POST, "/record", Cost::Save),
        ] {
            assert_eq!(Route::of(path).cost(&method), cost, "{method} {path}");
        }
    }

    #[test]
    fn every_one_segment_path_takes_a_put() {
        for path in ONE_SEGMENT.iter().chain(&["/anything", "/c++"]) {
            assert!(Route::of(path).methods().contains(&Method::PUT), "{path}");
        }
    }
}
