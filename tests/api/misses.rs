//! Guesses: a wrong guess of anything that can be guessed is a miss, and without misses left no guess is compared. To
//! ask for a random id is no guess.

use std::time::Duration;

use crate::client::Request;
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::operate::{ADMIN, as_operator};
use crate::server::{Saved, TestServer};

const SECRET: &str = "Bearer tbo_0123456789abcdefABCDEF";

/// A server that allows two misses, whose key saves, and with a paste under `/notes`.
struct Guarded {
    server: TestServer,
    key: String,
    _file: KeysFile,
}

impl Guarded {
    fn start() -> Self {
        let file = KeysFile::new();
        let key = format!("Bearer {}", file.make(&["alice", "--rights", "save"]));
        let flags = ["--limit-miss", "rate 1/h burst 2", "--limit-save", "off"];
        let people = ["--admin-token", ADMIN, "--contact", "abuse@bin.example"];
        let site = ["--base-url", "https://bin.example", "--keys", file.path()];
        let server = TestServer::limited(&[&flags[..], &people, &site].concat());
        let it = Self {
            server,
            key,
            _file: file,
        };
        assert_eq!(it.named().send().status, 201);
        it
    }

    fn ask(&self, method: &str, path: &str) -> Request {
        self.server.request(method, path)
    }

    fn named(&self) -> Request {
        let save = self.ask("POST", "/").header("Authorization", &self.key);
        save.header("X-Slug", "notes").body("x")
    }

    /// Deletes a paste that was saved for this.
    fn deleted(&self) -> Saved {
        let gone = self.server.save("y");
        let delete = self.ask("DELETE", &gone.path);
        assert_eq!(delete.header("X-Token", &gone.token).send().status, 200);
        gone
    }
}

#[test]
fn every_wrong_guess_is_a_miss_and_after_too_many_no_guess_is_compared() {
    // Given a server that allows two misses, an open paste, a deleted one, and one with a slug
    let it = Guarded::start();
    let (server, gone) = (&it.server, it.deleted());
    let saved = server.save("x");
    let ask = |method: &str, path: &str| it.ask(method, path);
    let with = |request: Request, value: &str| request.header("Authorization", value);
    let saved_path = |rest: &str| format!("{}{rest}", saved.path);
    let both = |id: &str| format!("/diff/{}/{id}", saved.id);
    let mine = |id: &str| {
        let form = format!("id={id}&do=delete");
        with(ask("POST", "/mine"), SECRET).form(form)
    };
    let browse = |path: &str, cookie: String| {
        let request = ask("GET", path).header("Accept", "text/html");
        request.header("Cookie", cookie)
    };
    let wrong_key = "tbk_0123456789abcdefABCDEF";
    for (status, guess) in [
        (404, ask("GET", "/a-slug")),
        (404, ask("GET", &both("a-slug"))),
        (404, ask("POST", "/a-slug/report").form("reason=spam")),
        (409, it.named()),
        (403, ask("DELETE", &saved.path).header("X-Token", "wrong")),
        (
            403,
            ask("PUT", &saved.path).header("X-Token", "wrong").body("z"),
        ),
        (
            403,
            ask("GET", &saved_path("/stats")).header("X-Token", &gone.token),
        ),
        (200, browse(&saved.path, format!("token={}", gone.token))),
        (
            200,
            browse(&saved_path("?saved"), format!("saved={}", gone.token)),
        ),
        (403, mine(&saved.id)),
        (200, with(ask("GET", "/mine"), SECRET)),
        (
            401,
            browse(
                &saved_path("/stats"),
                format!("__Host-owner={}", &SECRET[7..]),
            ),
        ),
        (
            403,
            ask("POST", "/mine/device").body(format!("secret={}", &SECRET[7..])),
        ),
        (
            401,
            with(ask("GET", "/help"), &format!("Bearer {wrong_key}")),
        ),
        (200, browse(&saved.path, format!("__Host-key={wrong_key}"))),
        (
            403,
            with(ask("GET", "/metrics"), "Bearer wrong-wrong-wrong"),
        ),
        (
            401,
            with(ask("GET", "/operate"), "Basic b3BlcmF0b3I6d3Jvbmc="),
        ),
        (
            403,
            with(ask("GET", "/api/v1/operate/blocks"), "Bearer wrong"),
        ),
    ] {
        // When a client guesses wrong three times
        server.advance(Duration::from_secs(2 * 3600));
        let told = [(); 3].map(|()| guess.send().status);
        // Then the third guess is refused, or its cookie ignored, and so is one that is right
        let what = String::from_utf8_lossy(&guess.bytes()).into_owned();
        let refused = if status == 200 && what.contains("Cookie") {
            200
        } else {
            429
        };
        assert_eq!(told, [status, status, refused], "{what}");
        let right = browse(&saved.path, format!("token={}", saved.token)).send();
        assert!(!right.text().contains("/edit"), "{what}");
        for right in [
            ask("GET", "/notes"),
            ask("GET", &saved_path("/stats")).header("X-Token", &saved.token),
            as_operator(ask("GET", "/metrics")),
            with(ask("GET", "/help"), &it.key),
        ] {
            assert_eq!(right.send().status, 429, "{what}");
        }
        // And pastes without a slug are read as before
        assert_eq!(server.get(&saved.path).text(), "x", "{what}");
    }
}

#[test]
fn to_ask_for_random_ids_is_no_guess_and_costs_no_slug_or_token() {
    // Given a server that allows two misses
    let it = Guarded::start();
    let (saved, gone) = (it.server.save("x"), it.deleted());
    // When a client asks often for ids that do not exist, or no longer do, or that no paste can have
    for (status, path) in [
        (404, "/AAAAAAAAAAAA"),
        (404, "/raw/AAAAAAAAAAAA"),
        (404, "/api/v1/pastes/AAAAAAAAAAAA"),
        (404, "/Nonsense"),
        (404, &format!("/diff/{}/AAAAAAAAAAAA", saved.id)),
        (410, &gone.path),
        (410, &gone.raw()),
    ] {
        for _ in 0..5 {
            assert_eq!(it.server.get(path).status, status, "{path}");
        }
    }
    let put = it.ask("PUT", "/AAAAAAAAAAAA").header("X-Token", "wrong");
    assert_eq!(put.body("z").send().status, 404);
    let foreign = it
        .ask("GET", &saved.path)
        .header("Cookie", "token=of-another-program");
    for _ in 0..5 {
        assert_eq!(
            foreign.clone().header("Accept", "text/html").send().status,
            200
        );
    }
    // Then it reads by slug and acts by token as before
    assert_eq!(it.server.get("/notes").text(), "x");
    let stats = it.ask("GET", &format!("{}/stats", saved.path));
    assert_eq!(stats.header("X-Token", &saved.token).send().status, 200);
}
