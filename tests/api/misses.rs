//! Guesses: whatever a client guesses, a wrong guess is a miss, and without misses left no guess is compared.

use std::time::Duration;

use crate::client::Request;
use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::operate::{ADMIN, as_operator};
use crate::server::TestServer;

const SECRET: &str = "Bearer tbo_0123456789abcdefABCDEF";

#[test]
fn every_wrong_guess_is_a_miss_and_after_too_many_a_right_one_is_refused_too() {
    // Given a server that allows two misses, an open paste, a deleted one, and one with a slug
    let file = KeysFile::new();
    let key = format!("Bearer {}", file.make(&["alice", "--rights", "save"]));
    let flags = ["--limit-miss", "rate 1/h burst 2", "--limit-save", "off"];
    let people = ["--admin-token", ADMIN, "--contact", "abuse@bin.example"];
    let keys = ["--keys", file.path()];
    let server = TestServer::limited(&[&flags[..], &people, &keys].concat());
    let (saved, gone) = (server.save("x"), server.save("y"));
    let deleted = server.request("DELETE", &gone.path);
    assert_eq!(deleted.header("X-Token", &gone.token).send().status, 200);
    let ask = |method: &str, path: &str| server.request(method, path);
    let with = |request: Request, value: &str| request.header("Authorization", value);
    let named = || {
        with(ask("POST", "/"), &key)
            .header("X-Slug", "notes")
            .body("x")
    };
    assert_eq!(named().send().status, 201);
    let saved_path = |rest: &str| format!("{}{rest}", saved.path);
    let both = |id: &str| format!("/diff/{}/{id}", saved.id);
    let mine = |id: &str| {
        let form = format!("id={id}&do=delete");
        with(ask("POST", "/mine"), SECRET).form(form)
    };
    for (status, guess) in [
        (404, ask("GET", "/AAAAAAAAAAAA")),
        (404, ask("GET", "/raw/AAAAAAAAAAAA")),
        (404, ask("GET", "/a-slug")),
        (409, named()),
        (404, ask("GET", &both("AAAAAAAAAAAA"))),
        (410, ask("GET", &both(&gone.id))),
        (
            410,
            ask("POST", &format!("{}/report", gone.path)).form("reason=spam"),
        ),
        (403, ask("DELETE", &saved.path).header("X-Token", "wrong")),
        (
            403,
            ask("PUT", &saved.path).header("X-Token", "wrong").body("z"),
        ),
        (
            404,
            ask("PUT", "/AAAAAAAAAAAA")
                .header("X-Token", "wrong")
                .body("z"),
        ),
        (
            403,
            ask("GET", &saved_path("/stats")).header("X-Token", &gone.token),
        ),
        (404, mine("AAAAAAAAAAAA")),
        (403, mine(&saved.id)),
        (403, ask("POST", "/mine/device").body("code=0000-0000-0000")),
        (403, ask("POST", "/mine/device").body("code=")),
        (
            401,
            with(ask("GET", "/help"), "Bearer tbk_0123456789abcdefABCDEF"),
        ),
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
        // Then the third guess is refused, and so is one that is right
        let what = String::from_utf8_lossy(&guess.bytes()).into_owned();
        assert_eq!(told, [status, status, 429], "{what}");
        for right in [ask("GET", &saved.path), as_operator(ask("GET", "/metrics"))] {
            assert_eq!(right.send().status, 429, "{what}");
        }
    }
    // And a guess changed nothing
    server.advance(Duration::from_secs(3600));
    assert_eq!(server.get(&saved.path).text(), "x");
}
