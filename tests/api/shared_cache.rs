//! A shared cache in front of the server that caches everything it may: private responses never get into it, and
//! deleted pastes disappear from it.

use crate::nginx::{Nginx, Passed};
use crate::server::{Saved, TestServer};

/// These strings occur nowhere else in a response.
const CONTENT: &str = "Kjh3-content";
const TITLE: &str = "Kjh3-title";
const RIGHT: &str = "Kjh3-password";

/// A server and a cache in front of it.
struct Front {
    server: TestServer,
    nginx: Nginx,
}

impl Front {
    fn start() -> Self {
        let server = TestServer::start();
        let nginx = Nginx::in_front_of(server.addr);
        let front = Self { server, nginx };
        front.caches_what_it_may();
        front
    }

    /// Asserts that the cache works; otherwise the rest would prove nothing.
    fn caches_what_it_may(&self) {
        let page = self.look("/html/", &[]);
        let style = page.body.split('"').find(|text| text.contains("/style"));
        let style = style.expect("a page names its style sheet").to_owned();
        for below in ["", "/html"] {
            let path = format!("{below}{style}");
            assert!(self.look(&path, &[]).is_miss());
            assert!(self.look(&path, &[]).is_hit());
        }
    }

    fn save(&self, options: &str, body: &str) -> Saved {
        let path = format!("/?title={TITLE}&{options}");
        Saved::of(&self.server.request("POST", &path).body(body).send())
    }

    fn look(&self, path: &str, headers: &[(&str, &str)]) -> Passed {
        self.ask("GET", path, headers)
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Passed {
        let mut request = self.nginx.request(method, path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        self.nginx.pass(&request)
    }

    /// Requests every address of a paste twice through both locations, with every method that a cache stores. Asserts
    /// that no response comes from the cache.
    fn looks(&self, saved: &Saved) -> Vec<Passed> {
        let mut looks = Vec::new();
        for address in crate::every_tier::burning::addresses(saved) {
            for path in [address.clone(), format!("/html{address}")] {
                for method in ["HEAD", "GET", "GET"] {
                    for accept in ["*/*", "text/html", "application/json"] {
                        let answer = self.ask(method, &path, &[("Accept", accept)]);
                        assert!(answer.is_miss(), "{method} {path}: {answer:?}");
                        looks.push(answer);
                    }
                }
            }
        }
        looks
    }

    fn delete(&self, saved: &Saved) {
        let token = [("X-Token", saved.token.as_str())];
        assert_eq!(self.ask("DELETE", &saved.path, &token).status, 200);
    }

    /// Asserts that no address shows content of the paste, and that the status of its main addresses is 410.
    fn is_gone(&self, saved: &Saved) {
        for answer in self.looks(saved) {
            shows_nothing(&answer);
        }
        for path in [&saved.path, &saved.raw(), &saved.download()] {
            for path in [path.clone(), format!("/html{path}")] {
                for method in ["GET", "POST"] {
                    assert_eq!(self.ask(method, &path, &[]).status, 410, "{method} {path}");
                }
            }
        }
    }
}

#[track_caller]
fn shows_nothing(answer: &Passed) {
    assert!(!format!("{answer:?}").contains("Kjh3"), "{answer:?}");
}

#[test]
#[ignore = "needs nginx"]
fn the_cache_never_shows_a_burning_paste_before_or_after_its_read() {
    let front = Front::start();
    let saved = front.save("burn=2", CONTENT);
    for answer in front.looks(&saved) {
        shows_nothing(&answer);
    }
    assert_eq!(front.ask("POST", &saved.path, &[]).body, CONTENT);
    let page = front.ask("POST", &format!("/html{}", saved.path), &[]);
    assert!(page.status == 200 && page.body.contains(CONTENT));
    front.is_gone(&saved);
}

#[test]
#[ignore = "needs nginx"]
fn the_cache_shows_a_paste_opened_by_a_password_to_no_other_client() {
    let front = Front::start();
    let saved = front.save(&format!("password={RIGHT}"), CONTENT);
    for _ in 0..2 {
        for path in [
            saved.path.clone(),
            saved.raw(),
            format!("/html{}", saved.path),
        ] {
            for method in ["GET", "POST"] {
                let read = front.ask(method, &path, &[("X-Password", RIGHT)]);
                assert!(
                    read.status == 200 && read.body.contains(CONTENT),
                    "{read:?}"
                );
                assert!(!read.is_hit(), "{read:?}");
                let wrong = front.ask(method, &path, &[("X-Password", "wrong")]);
                assert_eq!(wrong.status, 401);
                shows_nothing(&wrong);
            }
        }
        for answer in front.looks(&saved) {
            shows_nothing(&answer);
        }
    }
    front.delete(&saved);
    front.is_gone(&saved);
}

#[test]
#[ignore = "needs nginx"]
fn a_deleted_or_changed_paste_leaves_the_cache_at_once() {
    let front = Front::start();
    let saved = front.save("", CONTENT);
    let shown = front.looks(&saved);
    assert!(shown.iter().any(|answer| answer.body == CONTENT));
    let token = ("X-Token", saved.token.as_str());
    let change = front.server.request("PUT", &saved.path).body("changed");
    assert_eq!(change.header(token.0, token.1).send().status, 200);
    for path in [
        saved.path.clone(),
        saved.raw(),
        format!("/html{}", saved.path),
    ] {
        let changed = front.look(&path, &[]);
        assert!(changed.body.contains("changed") && !changed.body.contains(CONTENT));
    }
    front.delete(&saved);
    front.is_gone(&saved);
}

#[test]
#[ignore = "needs nginx"]
fn a_deleted_link_leads_nowhere_through_the_cache() {
    let front = Front::start();
    let target = "https://a.example/Kjh3";
    let form = front.server.request("POST", "/");
    let form = form.header("Content-Type", "application/x-www-form-urlencoded");
    let saved = Saved::of(&form.body(format!("url={target}")).send());
    let leads = |answer: &Passed| {
        answer.status == 302 && answer.head.contains(&target.to_ascii_lowercase())
    };
    assert!(front.looks(&saved).iter().any(leads));
    front.delete(&saved);
    front.is_gone(&saved);
}

#[test]
#[ignore = "needs nginx"]
fn the_page_shown_to_a_cookie_is_shown_to_no_other_client() {
    let front = Front::start();
    let saved = front.save("", CONTENT);
    let cookie = format!("token={}", saved.token);
    let cookie = [("Cookie", cookie.as_str()), ("Accept", "text/html")];
    let stranger = [("Accept", "text/html")];
    for below in ["", "/html"] {
        for _ in 0..2 {
            let path = format!("{below}{}", saved.path);
            let own = front.look(&path, &cookie);
            assert!(own.status == 200 && own.body.contains("name=\"delete\""));
            let others = front.look(&path, &stranger);
            assert!(others.status == 200 && !others.body.contains("name=\"delete\""));
            for page in ["stats", "edit"] {
                let path = format!("{path}/{page}");
                assert_eq!(front.look(&path, &cookie).status, 200);
                let others = front.look(&path, &stranger);
                assert_eq!(others.status, 401);
                shows_nothing(&others);
            }
        }
    }
    for answer in front.looks(&saved) {
        assert!(!answer.body.contains(&saved.token) && !answer.head.contains("set-cookie"));
    }
}
