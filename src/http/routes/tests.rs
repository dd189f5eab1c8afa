//! Tests of the table of routes.

use std::collections::BTreeSet;
use std::sync::Once;

use actix_http::test::TestRequest;
use actix_web::http::header::HeaderName;
use parking_lot::RwLock;
use serde_json::Value;

use super::find::{find, locate};
use super::*;
use crate::http::request::ClientResolver;
use crate::http::request::api::all_members;
use crate::limit::ClientKeyHasher;
use crate::page;
use crate::paste::{IdCodec, Slug};

const ONE_SEGMENT: [&str; 15] = [
    "/diff",
    "/metrics",
    "/api",
    "/mine",
    "/pb.sh",
    "/sharex.sxcu",
    "/help",
    "/llms.txt",
    "/healthz",
    "/favicon.ico",
    "/robots.txt",
    "/login",
    "/record",
    "/version",
    "/documents",
];

/// What this returns of a request with this method and path.
fn of_request<T>(method: &str, path: &str, of: impl Fn(Endpoint, &Request<'_>) -> T) -> T {
    let clients = ClientResolver {
        keys: ClientKeyHasher::new([7; 16]),
        trusted: "".parse().unwrap(),
        header: HeaderName::from_static("forwarded"),
        networks: RwLock::default(),
        networks_file: None,
        warned: Once::new(),
        warned_of_url: Once::new(),
    };
    let site = Arc::new(page::site("").clone());
    let mut http = TestRequest::with_uri("/");
    let http = http.method(method.parse().unwrap()).finish();
    let parsed = Parsed::of(Method::of(&http.head().method), http.head(), path, &clients);
    let endpoint = find(path);
    of(
        endpoint,
        &endpoint.request(http.head(), path, parsed, (&site, None)),
    )
}

fn cost(method: &str, path: &str) -> Cost {
    of_request(method, path, Endpoint::cost)
}

#[test]
fn no_fixed_route_of_one_segment_can_be_an_id() {
    for path in ONE_SEGMENT {
        assert_ne!(find(path), Endpoint::Paste, "{path}");
        let stem = path[1..].split('.').next().unwrap();
        assert_ne!(stem.len(), IdCodec::LENGTH, "{path}");
    }
}

#[test]
fn the_openapi_document_describes_every_route_of_the_api_and_no_other() {
    let document: Value = serde_json::from_str(api::DOCUMENT).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let described = paths.flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys();
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    let of_api = PATTERNS.iter().filter(|(pattern, _)| {
        pattern.text.starts_with("/api/v1") && pattern.text != "/api/v1/paste"
    });
    let routes = of_api.flat_map(|(pattern, endpoint)| {
        let methods = endpoint.methods().iter();
        let methods = methods.filter(|method| **method != Method::Head);
        methods.map(|method| format!("{} {}", method.name(), pattern.text))
    });
    let routes: BTreeSet<_> = routes.collect();
    assert_eq!(described.collect::<BTreeSet<_>>(), routes);
}

#[test]
fn the_openapi_document_names_the_members_that_each_request_may_have() {
    let document: Value = serde_json::from_str(api::DOCUMENT).unwrap();
    for (schema, is_allowed) in [
        ("PasteBody", (|_| true) as fn(&str) -> bool),
        ("ChangeBody", |name| !matches!(name, "burn" | "slug")),
        ("ReadBody", |name| name == "password"),
    ] {
        let schema = &document["components"]["schemas"][schema];
        assert_eq!(schema["additionalProperties"], false);
        let properties = schema["properties"].as_object().unwrap();
        let described = all_members().filter(|(name, _)| is_allowed(name));
        let properties = properties
            .iter()
            .map(|(name, it)| (&**name, it["description"].as_str().unwrap()));
        assert_eq!(
            properties.collect::<BTreeSet<_>>(),
            described.collect::<BTreeSet<_>>()
        );
    }
}

#[test]
fn no_slug_is_the_start_of_a_route() {
    for (pattern, _) in PATTERNS {
        let first = pattern.text[1..].split('/').next().unwrap();
        let stem = first.split('.').next().unwrap();
        assert!(Slug::parse(stem).is_err(), "{stem}");
    }
}

#[test]
fn a_path_finds_its_route() {
    for (path, endpoint, param) in [
        ("/", Endpoint::Home, ""),
        ("", Endpoint::Unknown, ""),
        ("/abc", Endpoint::Paste, "abc"),
        ("/abc.rs", Endpoint::Paste, "abc.rs"),
        ("/raw/abc", Endpoint::Raw, "abc"),
        ("/dl/abc", Endpoint::Download, "abc"),
        ("/qr/abc", Endpoint::Qr, "abc"),
        ("/record/abc", Endpoint::Record, "abc"),
        ("/assets/style.css", Endpoint::Asset, "style.css"),
        ("/api/v1/pastes", Endpoint::ApiPastes, ""),
        ("/api/v1/pastes/abc", Endpoint::ApiPaste, "abc"),
        ("/api/v1/pastes/abc/read", Endpoint::ApiRead, "abc"),
        ("/api/v1/pastes/abc/stats", Endpoint::ApiStats, "abc"),
        ("/diff/abc/d.rs", Endpoint::Diff, "abc/d.rs"),
        ("/diff/abc/", Endpoint::Unknown, ""),
        ("/diff//abc", Endpoint::Unknown, ""),
        ("/diff/a/b/c", Endpoint::Unknown, ""),
        ("/diff", Endpoint::Compare, ""),
        ("/abc+", Endpoint::Preview, "abc"),
        ("/+", Endpoint::Preview, ""),
        ("/abc/stats", Endpoint::Stats, "abc"),
        ("/abc/edit", Endpoint::Edit, "abc"),
        ("/raw/stats", Endpoint::Raw, "stats"),
        ("/abc/edit/", Endpoint::PasteFile, "abc/edit/"),
        ("/0123456789ab/", Endpoint::PasteAs, "0123456789ab/"),
        ("/0123456789ab/py", Endpoint::PasteAs, "0123456789ab/py"),
        (
            "/0123456789ab.rs/a.b",
            Endpoint::PasteAs,
            "0123456789ab.rs/a.b",
        ),
        ("/0123456789ab/stats", Endpoint::Stats, "0123456789ab"),
        ("/my-notes/py", Endpoint::PasteAs, "my-notes/py"),
        ("/help/py", Endpoint::Unknown, ""),
        ("/0123456789ab/a/b", Endpoint::PasteFile, "0123456789ab/a/b"),
        (
            "/raw/0123456789ab/stats",
            Endpoint::RawFile,
            "0123456789ab/stats",
        ),
        ("/dl/my-notes/a/b", Endpoint::DownloadFile, "my-notes/a/b"),
        ("/raw", Endpoint::Paste, "raw"),
        ("/raw/", Endpoint::Unknown, ""),
        ("//", Endpoint::Unknown, ""),
        ("/a/b", Endpoint::Unknown, ""),
        ("/raw/a/b", Endpoint::Unknown, ""),
        ("/assets/../secret", Endpoint::Unknown, ""),
        ("*", Endpoint::Unknown, ""),
        ("x.txt", Endpoint::Unknown, ""),
        ("a/b", Endpoint::Unknown, ""),
    ] {
        let found = of_request("GET", path, |found, request| {
            (found, request.route.param.to_owned())
        });
        assert_eq!(found, (endpoint, param.to_owned()), "{path}");
    }
}

#[test]
fn a_route_is_found_below_the_base_path_alone() {
    for (method, path, endpoint, below) in [
        ("GET", "/my/bin/", Endpoint::Home, "/"),
        ("POST", "/my/bin", Endpoint::Home, "/"),
        ("GET", "/my/bin/abc", Endpoint::Paste, "/abc"),
        ("GET", "/my/bin/my/bin", Endpoint::Unknown, "/my/bin"),
        ("GET", "/my/bin/healthz", Endpoint::Health, "/healthz"),
        ("GET", "/healthz", Endpoint::Health, "/healthz"),
        ("PUT", "/healthz", Endpoint::Outside, "/healthz"),
        ("GET", "/", Endpoint::Outside, "/"),
        ("PUT", "/abc", Endpoint::Outside, "/abc"),
        ("GET", "/my/binary", Endpoint::Outside, "/my/binary"),
        ("GET", "/My/bin/", Endpoint::Outside, "/My/bin/"),
    ] {
        let mut http = TestRequest::with_uri(path);
        let http = http.method(method.parse().unwrap()).finish();
        let (_, found, found_below) = locate("/my/bin", http.head());
        assert_eq!((found, found_below), (endpoint, below), "{method} {path}");
    }
}

#[test]
fn the_cost_of_a_request_depends_on_its_route_and_method() {
    let style = format!("/assets/{}", page::STYLE.name);
    for (method, path, expected) in [
        ("GET", "/healthz", Cost::Free),
        ("GET", style.as_str(), Cost::Free),
        ("GET", "/assets/none", Cost::Read),
        ("POST", "/healthz", Cost::Read),
        ("GET", "/", Cost::Read),
        ("GET", "/help", Cost::Read),
        ("GET", "/a/b", Cost::Read),
        ("OPTIONS", "/", Cost::Read),
        ("GET", "/abc", Cost::Read),
        ("HEAD", "/raw/abc", Cost::Read),
        ("DELETE", "/abc", Cost::Read),
        ("POST", "/abc", Cost::Read),
        ("GET", "/record/abc", Cost::Read),
        ("GET", "/abc+", Cost::Read),
        ("GET", "/diff", Cost::Read),
        ("PUT", "/diff", Cost::Save),
        ("GET", "/diff/abc/def", Cost::Read),
        ("GET", "/abc/stats", Cost::Read),
        ("POST", "/abc/stats", Cost::Read),
        ("POST", "/abc/edit", Cost::Save),
        ("PUT", "/c++", Cost::Save),
        ("POST", "/raw/abc", Cost::Read),
        ("POST", "/", Cost::Save),
        ("PUT", "/abc", Cost::Save),
        ("PUT", "/robots.txt", Cost::Save),
        ("POST", "/record", Cost::Save),
        ("POST", "/api/v1/pastes", Cost::Save),
        ("GET", "/api/v1/pastes/abc", Cost::Read),
        ("PATCH", "/api/v1/pastes/abc", Cost::Save),
        ("POST", "/api/v1/pastes/abc/read", Cost::Read),
    ] {
        assert_eq!(cost(method, path), expected, "{method} {path}");
    }
}

#[test]
fn no_route_shadows_another() {
    for (pattern, endpoint) in PATTERNS {
        let path = pattern.example("0123456789AB");
        assert_eq!(find(&path), *endpoint, "{path}");
    }
}

#[test]
fn every_one_segment_path_takes_a_put() {
    for path in ONE_SEGMENT.iter().chain(&["/anything", "/c++"]) {
        assert!(find(path).methods().contains(&Method::Put), "{path}");
    }
}

#[test]
fn the_future_that_each_request_allocates_and_copies_is_small() {
    fn bytes<F>(_: impl FnOnce(&Worker, ServiceRequest) -> F) -> usize {
        size_of::<F>()
    }
    let bytes = bytes(handle);
    assert!(
        bytes <= 4096,
        "{bytes} bytes: box the parts that most requests do not need"
    );
}
