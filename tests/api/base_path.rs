//! A server below a path: its base URL is `https://example.org/paste`. Whatever it sends, no address leads out of
//! there.

use serde_json::Value;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

const BASE: &str = "https://example.org/paste";

fn start(flags: &[&str]) -> TestServer {
    TestServer::with(&[&["--base-url", BASE], flags].concat())
}

/// A request to a path below the base path.
fn request(server: &TestServer, method: &str, below: &str) -> Request {
    server.request(method, &format!("/paste{below}"))
}

fn get(server: &TestServer, below: &str) -> Response {
    request(server, "GET", below).send()
}

/// Requests a page as a browser does that owns this paste.
fn browse(server: &TestServer, below: &str, owned: Option<&Saved>) -> Response {
    let request = request(server, "GET", below).header("Accept", "text/html");
    match owned {
        Some(saved) => request.header("Cookie", format!("token={}", saved.token)),
        None => request,
    }
    .send()
}

fn save(server: &TestServer, query: &str) -> Saved {
    let saved = request(server, "POST", &format!("/{query}")).body("# text\n");
    Saved::of(&saved.send())
}

fn save_link(server: &TestServer) -> Saved {
    let form = request(server, "POST", "/").form("url=https://else.example/x");
    Saved::of(&form.header("User-Agent", "curl/8").send())
}

/// The values of the attributes of a page that a browser resolves to addresses.
pub fn addresses(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for attribute in [" href=\"", " src=\"", " action=\"", " formaction=\""] {
        let mut rest = page;
        while let Some((_, after)) = rest.split_once(attribute) {
            let (address, after) = after.split_once('"').expect("a quote ends it");
            found.push(address);
            rest = after;
        }
    }
    found
}

/// Asserts that no address of a page leads out of the base path.
#[track_caller]
fn stays_below(response: &Response, what: &str) {
    let found = addresses(response.text());
    assert!(found.len() >= 7, "{what} has too few links: {found:?}");
    for address in found {
        let stays = ["/paste/", "#", "?", "https://else.example/"]
            .iter()
            .any(|start| address.starts_with(start));
        assert!(stays || address.is_empty(), "{what} leads to {address:?}");
    }
}

#[test]
fn the_form_of_the_start_page_saves_a_paste_that_its_address_shows() {
    let server = start(&[]);
    let page = browse(&server, "/", None);
    assert!(page.text().contains("method=\"post\" action=\"/paste/\""));
    let saved = request(&server, "POST", "/")
        .header("Accept", "text/html")
        .parts(&[("content", "hello")])
        .send();
    assert_eq!(saved.status, 303, "{saved:?}");
    let location = saved.header("location").unwrap();
    let path = location.strip_suffix("?saved").unwrap();
    assert!(path.starts_with("/paste/"), "{location}");
    let cookies: Vec<&str> = saved.headers("set-cookie").collect();
    assert!(
        cookies.iter().all(|it| it.contains("; Secure")),
        "{cookies:?}"
    );
    let has = |name: &str, path: &str| {
        let path = format!("; Path={path};");
        cookies
            .iter()
            .any(|it| it.starts_with(name) && it.contains(&path))
    };
    assert!(has("saved=", path), "{cookies:?}");
    assert!(has("__Secure-owner=", "/paste"), "{cookies:?}");
    assert_eq!(saved.text(), format!("https://example.org{path}\n"));
    let shown = server.browse(location);
    assert!(shown.text().contains("hello"), "{shown:?}");
}

#[test]
fn no_link_of_any_page_leads_out_of_the_base_path() {
    let server = start(&[]);
    let (open, burning, link) = (
        save(&server, ""),
        save(&server, "?burn=1"),
        save_link(&server),
    );
    let locked = request(&server, "POST", "/")
        .header("X-Password", "hush")
        .body("x");
    let locked = Saved::of(&locked.send());
    let gone = save(&server, "");
    let deleted = request(&server, "DELETE", &gone.path).header("X-Token", &gone.token);
    assert_eq!(deleted.send().status, 200);
    let of = |saved: &Saved, rest: &str| [&*saved.path, rest].concat();
    for (below, owned, status) in [
        ("", None, 200),
        ("/", None, 200),
        ("/help", None, 200),
        ("/api", None, 200),
        ("/mine", None, 200),
        (&*format!("/?from={}", open.id), None, 200),
        (&*open.path, None, 200),
        (&*open.path, Some(&open), 200),
        (&*of(&open, ".md"), None, 200),
        (&*of(&open, "?lines=1"), None, 200),
        (&*of(&open, "?lines=9"), None, 404),
        (&*of(&open, "+"), None, 404),
        (&*of(&open, "/stats"), None, 401),
        (&*of(&open, "/stats"), Some(&open), 200),
        (&*of(&open, "/edit"), Some(&open), 200),
        (&*of(&open, "/language"), None, 200),
        (&*of(&open, "/language"), Some(&open), 200),
        (&*of(&locked, "/language"), None, 404),
        (&*of(&burning, ""), Some(&burning), 200),
        (&*of(&burning, ".rs"), None, 200),
        (&*of(&locked, ""), Some(&locked), 401),
        (&*of(&locked, "/edit"), Some(&locked), 200),
        (&*of(&link, "+"), None, 200),
        (&*of(&link, "/stats"), Some(&link), 200),
        (&*gone.path, None, 410),
        ("/AAAAAAAAAAAA", None, 404),
        ("/no/such/page", None, 404),
    ] {
        let page = browse(&server, below, owned);
        assert_eq!(page.status, status, "{below}");
        stays_below(&page, below);
    }
    let outside = server.browse("/");
    assert_eq!(outside.status, 404);
    stays_below(&outside, "the page outside");
    let delete = request(&server, "POST", &open.path).header("Accept", "text/html");
    let deleted = delete.form(format!("delete=1&token={}", open.token)).send();
    assert_eq!(deleted.status, 200);
    stays_below(&deleted, "the page of a deletion");
}

#[test]
fn assets_and_pictures_are_below_the_base_path() {
    let server = start(&[]);
    let saved = save(&server, "");
    let page = browse(&server, &saved.path, None);
    let mut loaded = 0;
    for address in addresses(page.text()) {
        if address.starts_with("/paste/assets/") || address.starts_with("/paste/qr/") {
            assert_eq!(server.get(address).status, 200, "{address}");
            loaded += 1;
        }
    }
    assert_eq!(loaded, 6);
    let picture = get(&server, &format!("/qr{}", saved.path));
    let expected = tidebin::page::qr(&format!("{BASE}{}", saved.path));
    assert_eq!(Some(picture.text()), expected.as_deref());
}

#[test]
fn every_redirect_of_a_browser_stays_below_the_base_path() {
    let server = start(&[]);
    let saved = save(&server, "");
    let form = |below: &str, body: &str| {
        let request = request(&server, "POST", below).header("Accept", "text/html");
        let request = request.header("Cookie", format!("token={}", saved.token));
        request.form(body).send()
    };
    let token = format!("token={}", saved.token);
    let stats = format!("{}/stats", saved.path);
    for (response, to) in [
        (form(&stats, &token), &stats),
        (form(&saved.path, "expires=1h"), &saved.path),
    ] {
        assert_eq!(response.status, 303, "{response:?}");
        assert_eq!(response.header("location"), Some(&*format!("/paste{to}")));
        let cookie = response.header("set-cookie").unwrap();
        assert!(
            cookie.contains(&format!("; Path=/paste{};", saved.path)),
            "{cookie}"
        );
    }
    let deleted = form(&saved.path, "delete=1");
    let cookie = deleted.header("set-cookie").unwrap();
    assert!(
        cookie.contains(&format!("; Path=/paste{};", saved.path)),
        "{cookie}"
    );
}

#[test]
fn programs_get_addresses_below_the_base_path() {
    let server = start(&[]);
    let named = request(&server, "PUT", "/notes.txt").body("text").send();
    let saved = Saved::of(&named);
    let url = format!("{BASE}{}", saved.path);
    assert_eq!((named.header("location"), &saved.url), (Some(&*url), &url));
    let page = browse(&server, &saved.path, None);
    assert!(page.text().contains("<bdi>notes.txt</bdi>"));
    let json = |response: Response| -> Value { serde_json::from_slice(&response.body).unwrap() };
    let made = request(&server, "POST", "/api/v1/pastes").body("{\"content\":\"x\"}");
    let made = made.send();
    let location = made.header("location").unwrap();
    assert!(
        location.starts_with(&format!("{BASE}/api/v1/pastes/")),
        "{location}"
    );
    let object = json(made.clone());
    for member in ["url", "raw_url"] {
        let url = object[member].as_str().unwrap();
        let path = url.strip_prefix("https://example.org").unwrap();
        assert_eq!(server.get(path).text(), "x", "{member}");
    }
    let document = json(get(&server, "/api/openapi.json"));
    assert_eq!(document["servers"][0]["url"], BASE);
    let sharex = json(get(&server, "/sharex.sxcu"));
    assert_eq!(sharex["RequestURL"], format!("{BASE}/"));
    assert!(get(&server, "/pb.sh").text().contains(BASE));
    let wastebin = request(&server, "POST", "/").body("{\"text\":\"x\"}");
    let wastebin = json(wastebin.header("Content-Type", "application/json").send());
    assert_eq!(server.get(wastebin["path"].as_str().unwrap()).text(), "x");
    let unknown = request(&server, "GET", "/api/v1/pastes/AAAAAAAAAAAA").send();
    let problem = json(unknown);
    assert_eq!(problem["type"], format!("{BASE}/api#not-found"));
    let robots = get(&server, "/robots.txt");
    assert!(
        robots
            .text()
            .ends_with("Allow: /paste/\n\nUser-agent: *\nDisallow: /paste/\n")
    );
    let help = get(&server, "/help");
    assert!(help.text().contains(&format!("curl -T notes.txt {BASE}/")));
}

#[test]
fn a_request_outside_of_the_base_path_is_told_where_it_starts() {
    let server = start(&[]);
    let saved = save(&server, "");
    for (method, path) in [("PUT", "/notes.txt"), ("GET", &saved.path)] {
        let response = server.request(method, path).body("x").send();
        assert_eq!(response.status, 404, "{method} {path}");
        let sentence = response.sentence();
        assert!(
            sentence.contains("start with `https://example.org/paste/`"),
            "{sentence}"
        );
    }
    assert_eq!(get(&server, &saved.path).status, 200);
}

#[test]
fn a_form_of_the_same_host_is_trusted_and_one_of_another_is_not() {
    let server = start(&[]);
    let local = format!("http://{}", server.addr);
    for (host, origin, status) in [
        ("example.org", "https://example.org", 303),
        (&local[7..], "https://example.org", 303),
        ("example.org", "https://other.example", 401),
        // A page without TLS can be anyone's, and so can another name or port, even if it leads to this server.
        ("example.org", "http://example.org", 401),
        ("example.org", "https://example.org:8443", 401),
        ("example.org:8443", "https://example.org:8443", 401),
        ("other.example", "https://other.example", 401),
        (&local[7..], &local, 401),
    ] {
        let saved = save(&server, "");
        let change = request(&server, "POST", &saved.path)
            .header("Host", host)
            .header("Accept", "text/html")
            .header("Origin", origin)
            .header("Cookie", format!("token={}", saved.token))
            .form("expires=1h")
            .send();
        assert_eq!(change.status, status, "{host} {origin}");
    }
}

#[test]
fn a_short_link_leads_out_but_not_back_to_the_server() {
    let server = start(&[]);
    let link = save_link(&server);
    let followed = get(&server, &link.path);
    assert_eq!(followed.header("location"), Some("https://else.example/x"));
    let back = request(&server, "POST", "/")
        .header("User-Agent", "curl/8")
        .form(format!("url={BASE}/AAAAAAAAAAAA"));
    assert_eq!(back.send().status, 400);
}
