//! Owners in browsers: the cookie, `/mine`, and what a page of another site cannot do.

use super::{OTHER, SECRET, listed, page, save, with};
use crate::client::Response;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

/// A server behind TLS, as its browsers see it.
pub(super) fn behind_tls() -> TestServer {
    TestServer::with(&["--base-url", "https://bin.example"])
}

/// A form of a page of the server, as a browser sends it.
pub(super) fn form(server: &TestServer, path: &str, cookie: &str, body: &str) -> Response {
    let request = server.request("POST", path).header("Accept", "text/html");
    let request = request.header("Sec-Fetch-Site", "same-origin");
    request.header("Cookie", cookie).form(body).send()
}

fn cookies(answer: &Response) -> Vec<&str> {
    answer.headers("set-cookie").collect()
}

/// The value of `name=value` in the cookies that a response sets.
pub(super) fn cookie_of(answer: &Response, name: &str) -> Option<String> {
    let mut cookies = cookies(answer).into_iter();
    let cookie = cookies.find(|cookie| cookie.starts_with(&format!("{name}=")))?;
    Some(cookie.split(';').next().unwrap().to_owned())
}

/// The list as the browser with this cookie sees it.
pub(super) fn mine(server: &TestServer, cookie: &str) -> String {
    let request = server.request("GET", "/mine").header("Accept", "text/html");
    let page = request.header("Cookie", cookie).send();
    assert_eq!(
        (page.status, page.header("cache-control")),
        (200, Some("no-store"))
    );
    page.text().to_owned()
}

fn id_of(answer: &Response) -> String {
    answer
        .text()
        .trim_end()
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn a_browser_becomes_an_owner_with_its_first_save_and_stays_the_same() {
    let server = behind_tls();
    let first = form(&server, "/", "", "content=one");
    let set = cookies(&first);
    let owner = set
        .iter()
        .find(|cookie| cookie.starts_with("__Host-owner=tbo_"))
        .unwrap();
    for part in ["; Path=/;", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
        assert!(owner.contains(part), "{owner}");
    }
    let cookie = cookie_of(&first, "__Host-owner").unwrap();
    let second = form(&server, "/", &cookie, "content=two");
    assert_eq!(cookie_of(&second, "__Host-owner"), None);
    let page = mine(&server, &cookie);
    let [one, two] = [&first, &second].map(|answer| page.find(&id_of(answer)).unwrap());
    assert!(two < one, "the newest is first");
    // The token itself stays only until it was shown
    let token = set
        .iter()
        .find(|cookie| cookie.starts_with("saved="))
        .unwrap();
    assert!(token.contains("Max-Age=60;"), "{token}");
    assert_eq!(cookie_of(&first, "token"), None);
    // And another browser has another list
    let other = form(&server, "/", "", "content=three");
    let other = cookie_of(&other, "__Host-owner").unwrap();
    assert!(other != cookie && !mine(&server, &other).contains(&id_of(&first)));
}

#[test]
fn without_tls_no_browser_becomes_an_owner_and_no_cookie_makes_one() {
    let server = TestServer::start();
    let saved = form(&server, "/", "", "content=one");
    assert_eq!(cookie_of(&saved, "__Host-owner"), None);
    let cookie = format!("__Host-owner={SECRET}");
    let saved = form(&server, "/", &cookie, "content=two");
    assert!(
        saved.status == 303
            && mine(&server, &cookie).contains("The last pastes that this browser saved")
    );
    assert_eq!(listed(&server, SECRET), [""; 0]);
}

#[test]
fn a_link_of_another_site_leads_an_owner_to_the_list_and_to_the_counts() {
    let server = behind_tls();
    let saved = save(&server, SECRET, "x");
    for path in ["/mine", &format!("{}/stats", saved.path)] {
        let request = server.request("GET", path).header("Accept", "text/html");
        let request = request.header("Sec-Fetch-Site", "cross-site");
        let page = request.header("Cookie", format!("__Host-owner={SECRET}"));
        let page = page.send();
        assert_eq!(page.status, 200);
        assert!(page.text().contains(&saved.id), "{path}");
    }
}

#[test]
fn several_pastes_are_extended_and_deleted_at_once() {
    let server = behind_tls();
    let cookie = format!("__Host-owner={SECRET}");
    let saved: Vec<_> = (0..3)
        .map(|n| save(&server, SECRET, &n.to_string()))
        .collect();
    let other = save(&server, OTHER, "x");
    let ids = |saved: &[&Saved]| {
        saved
            .iter()
            .map(|it| format!("id={}&", it.id))
            .collect::<String>()
    };
    let two = ids(&[&saved[0], &saved[1]]);
    let extended = form(
        &server,
        "/mine?cursor=99",
        &cookie,
        &format!("{two}do=extend&expires=2d"),
    );
    assert_eq!(
        (extended.status, extended.header("location")),
        (303, Some("/mine?cursor=99"))
    );
    let expires: Vec<_> = page(&server, SECRET, "")["pastes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|paste| paste["expires"].as_u64().unwrap() - paste["saved"].as_u64().unwrap())
        .collect();
    assert_eq!(expires[1..], [172_800_000; 2]);
    assert_ne!(expires[0], 172_800_000);
    // A paste that is gone already is skipped
    for _ in 0..2 {
        let deleted = form(&server, "/mine", &cookie, &format!("{two}do=delete"));
        assert_eq!(deleted.status, 303);
    }
    assert_eq!(listed(&server, SECRET), [&*saved[2].id]);
    // And that of another owner is refused
    for action in ["do=delete", "do=extend&expires=2d"] {
        let body = format!("{}{action}", ids(&[&other]));
        assert_eq!(form(&server, "/mine", &cookie, &body).status, 401);
    }
    for malformed in ["", "do=delete", "id=x", &format!("{two}do=keep"), "x=1"] {
        assert_eq!(form(&server, "/mine", &cookie, malformed).status, 400);
    }
    assert_eq!(listed(&server, OTHER), [&*other.id]);
}

#[test]
fn who_is_forgotten_keeps_the_pastes_or_deletes_all_of_them() {
    let server = behind_tls();
    let cookie = format!("__Host-owner={SECRET}");
    for number in 0..60 {
        save(&server, SECRET, &number.to_string());
    }
    let other = save(&server, OTHER, "x");
    let forgotten = form(&server, "/mine/forget", &cookie, "");
    let removed = cookies(&forgotten);
    assert!(removed[0].starts_with("__Host-owner=;") && removed[0].contains("Max-Age=0"));
    assert_eq!(server.pastes(), 61);
    let forgotten = form(&server, "/mine/forget", &cookie, "pastes=1");
    assert!(forgotten.text().contains("All your pastes are deleted"));
    assert_eq!(listed(&server, SECRET), [""; 0]);
    assert_eq!(listed(&server, OTHER), [&*other.id]);
}

#[test]
fn very_many_pastes_are_deleted_in_several_steps_and_the_cookie_last() {
    let server = behind_tls();
    let cookie = format!("__Host-owner={SECRET}");
    for number in 0..260 {
        save(&server, SECRET, &number.to_string());
    }
    let first = form(&server, "/mine/forget", &cookie, "pastes=1");
    assert!(first.text().contains("not all yet") && cookies(&first).is_empty());
    assert_eq!(server.pastes(), 10);
    let second = form(&server, "/mine/forget", &cookie, "pastes=1");
    assert!(second.text().contains("All your pastes") && cookies(&second).len() == 1);
    assert_eq!(server.pastes(), 0);
}

#[test]
fn a_terminal_lists_extends_and_deletes_with_its_secret() {
    let server = TestServer::start();
    let saved = save(&server, SECRET, "x");
    let send = |method: &str, body: &str| {
        let request = with(server.request(method, "/mine"), SECRET);
        request.form(body).send()
    };
    let list = send("GET", "");
    let first = list.text().lines().next().unwrap();
    assert_eq!((list.status, first), (200, &*format!("{}  x", saved.url)));
    assert_eq!(
        send("POST", &format!("id={}&do=delete", saved.id)).text(),
        "1 paste deleted.\n"
    );
    assert_eq!(send("GET", "").text(), "No pastes yet.\n");
    assert_eq!(server.get("/mine").status, 401);
}

/// The cookies of a browser: name, value and path.
#[derive(Default)]
struct Jar(Vec<[String; 3]>);

impl Jar {
    /// Takes the cookies of a response.
    fn take(&mut self, answer: &Response) {
        for cookie in cookies(answer) {
            let (pair, rest) = cookie.split_once("; Path=").unwrap();
            let ((name, value), (path, _)) =
                (pair.split_once('=').unwrap(), rest.split_once(';').unwrap());
            self.0.retain(|it| (&*it[0], &*it[2]) != (name, path));
            if !cookie.contains("Max-Age=0") {
                self.0.push([name, value, path].map(str::to_owned));
            }
        }
    }

    /// The header for this path (RFC 6265, section 5.1.4).
    fn header(&self, path: &str) -> String {
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        let is_for = |of: &str| {
            let rest = path.strip_prefix(of);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || of.ends_with('/'))
        };
        let sent = self.0.iter().filter(|it| is_for(&it[2]));
        let pairs: Vec<_> = sent
            .map(|[name, value, _]| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }
}

#[test]
fn after_a_save_the_page_says_so_and_shows_the_token_once_to_this_browser_alone() {
    for server in [TestServer::start(), behind_tls()] {
        for (body, page) in [
            ("content=x", ""),
            ("content=x&burn=1", ""),
            ("content=x&password=p", ""),
            ("url=https://example.org/", "+"),
        ] {
            let mut jar = Jar::default();
            let saved = form(&server, "/", "", body);
            jar.take(&saved);
            let (path, id) = (saved.header("location").unwrap(), id_of(&saved));
            assert_eq!(path, format!("/{id}{page}?saved"));
            let token = saved.header("x-token").unwrap();
            let mut shows = |path: &str, is_this: bool| {
                let request = server.request("GET", path).header("Accept", "text/html");
                let request = match is_this {
                    true => request.header("Cookie", jar.header(path)),
                    false => request,
                };
                let answer = request.send();
                if is_this {
                    jar.take(&answer);
                }
                answer.text().contains(token)
            };
            assert!(!shows(path, false));
            assert!(!shows(path.strip_suffix("?saved").unwrap(), true));
            assert!(shows(path, true), "{body}");
            // A reload shows it no more, but the browser is still the owner.
            assert!(!shows(path, true), "{body}");
            let edit = format!("/{id}/edit");
            let request = server.request("GET", &edit).header("Accept", "text/html");
            let edit = request.header("Cookie", jar.header(&edit)).send();
            assert_eq!(edit.status, if page == "+" { 400 } else { 200 }, "{body}");
        }
    }
}

#[test]
fn pages_tell_this_server_where_their_forms_are_and_bytes_tell_nobody() {
    let server = TestServer::start();
    let saved = server.save("x");
    for (path, policy) in [(&saved.path, "same-origin"), (&saved.raw(), "no-referrer")] {
        let answer = server.browse(path);
        assert_eq!(answer.header("referrer-policy"), Some(policy), "{path}");
    }
}
