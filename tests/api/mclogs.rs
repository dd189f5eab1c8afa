//! mclo.gs, as launchers speak it, and bodies in gzip.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::forms::{ENCODED, Forms, MULTIPART};
use crate::server::{Saved, TestServer};

const LOG: &str =
    "[12:00:00] [main/INFO]: 100% + 50% of \"é\" & more = #1\n\tat Tide.run(Tide.java:7)\n";

fn gzip(plain: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain.as_ref()).unwrap();
    encoder.finish().unwrap()
}

fn packed(server: &TestServer, body: impl AsRef<[u8]>) -> Request {
    let request = server.request("POST", "/1/log");
    let request = request.header("Content-Type", "application/json");
    request.header("Content-Encoding", "gzip").body(body)
}

fn object(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

/// The body that PrismLauncher and PolyMC send: `QUrlQuery::toString` encodes `%`, `#`, `&`, quotes and what does not
/// print, and leaves blanks, `=` and letters of all scripts as they are.
fn as_qt_writes(content: &str) -> String {
    let encode = |it: char| match it {
        '%' | '#' | '&' | '"' | '+' | '\n' | '\t' => format!("%{:02X}", u32::from(it)),
        it => it.to_string(),
    };
    let content: String = content.chars().map(encode).collect();
    format!("content={content}")
}

#[test]
fn the_forms_of_launchers_and_the_json_of_servers_are_saved() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    let post = || server.request("POST", "/1/log");
    let launcher = post().header("User-Agent", "PrismLauncher/9.4");
    let launcher = launcher.form(as_qt_writes(LOG));
    let encoded: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("content", LOG)
        .append_pair("source", "a launcher")
        .finish();
    let json =
        json!({ "content": LOG, "source": "a mod", "metadata": [{ "key": "a", "value": 1 }] });
    let json = json.to_string();
    let plain = post().header("Content-Type", "application/json");
    for request in [
        launcher,
        post().form(&encoded),
        post().parts(&[("content", LOG)]),
        plain.body(&json),
        packed(&server, gzip(&json)),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, 200, "{answer:?}");
        let told = object(&answer);
        let id = told["id"].as_str().unwrap();
        assert_eq!(told["success"], true);
        assert_eq!(told["url"], format!("https://paste.example.org/{id}"));
        assert_eq!(told["raw"], format!("https://paste.example.org/1/raw/{id}"));
        assert!(
            told["expires"]
                .as_u64()
                .is_some_and(|seconds| seconds < 2_000_000_000)
        );
        let read = server.get(&format!("/1/raw/{id}"));
        assert_eq!((read.status, read.text()), (200, LOG));
        let delete = server.request("DELETE", &format!("/{id}"));
        let delete = delete.header("X-Token", told["token"].as_str().unwrap());
        assert_eq!(delete.send().status, 200);
    }
}

#[test]
fn the_other_two_ways_of_the_launchers_save_too() {
    let server = TestServer::start();
    let file = "--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"file\"; \
         filename=\"log.txt\"\r\n\r\na log\n\r\n--b--\r\n";
    let file = server
        .request("POST", "/")
        .header("Content-Type", MULTIPART)
        .body(file);
    let saved = file.send();
    assert_eq!(server.get(&Saved::of(&saved).path).text(), "a log\n");
    let typeless = server.request("POST", "/documents").body("a log\n").send();
    let key = object(&typeless)["key"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/{key}")).text(), "a log\n");
}

#[test]
fn what_is_refused_gets_success_as_false() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let post = |path: &str| server.request("POST", path);
    let json = |body: &str| {
        post("/1/log")
            .header("Content-Type", "application/json")
            .body(body)
    };
    for (request, status) in [
        (post("/1/log").form("content="), 400),
        (post("/1/log").form("content=a&burn=1"), 400),
        (post("/1/log").form("content=a\nb"), 400),
        (post("/1/log").body("a log"), 400),
        (post("/1/log?burn=1").form("content=a"), 400),
        (post("/1/log").form("content=a").header("X-Burn", "1"), 400),
        (
            post("/1/log").form(format!("content={}", "a".repeat(1025))),
            413,
        ),
        (json("{}"), 400),
        (json("[\"a\"]"), 400),
        (json("{\"content\":\"a\",\"burn\":1}"), 400),
        (server.request("GET", "/1/log"), 405),
        (server.request("GET", "/1/raw/AAAAAAAAAAAA"), 404),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer:?}");
        let told = object(&answer);
        assert_eq!(told["success"], false);
        assert!(told["error"].as_str().unwrap().ends_with('.'), "{told}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn gzip_is_unpacked_as_far_as_it_tells_and_may_be_saved() {
    let server = TestServer::with(&["--max-paste-size", "256KiB"]);
    let json = |content: &str| json!({ "content": content }).to_string();
    let log = "[12:00:00] a line\n".repeat(10_000);
    let saved = packed(&server, gzip(json(&log))).send();
    let read = server.get(&format!("/{}", object(&saved)["id"].as_str().unwrap()));
    assert_eq!(read.text(), log);
    let bomb = gzip(vec![b' '; 64 << 20]);
    let mut lying = bomb.clone();
    let end = lying.len();
    lying[end - 4..].copy_from_slice(&1000_u32.to_le_bytes());
    let small = gzip(json("a"));
    for (body, status) in [
        (bomb, 413),
        (lying, 400),
        ([&*small, &*small].concat(), 400),
        (small[..small.len() - 1].to_vec(), 400),
        (small[..9].to_vec(), 400),
        (json("a").into_bytes(), 400),
        (Vec::new(), 400),
        (gzip(json(&"a".repeat((256 << 10) + 1))), 413),
    ] {
        let answer = packed(&server, &body).send();
        let told = (answer.status, object(&answer)["success"].clone());
        assert_eq!(told, (status, false.into()), "{} bytes", body.len());
    }
    for coding in ["br", "gzip, gzip", "deflate"] {
        let request = server.request("POST", "/1/log").form("content=a");
        let refused = request.header("Content-Encoding", coding).send();
        assert_eq!(refused.status, 415, "{coding}");
    }
    for path in [
        "/",
        "/documents",
        "/api/v1/pastes",
        "/record",
        "/api/api_post.php",
    ] {
        let request = server.request("POST", path).header("Content-Type", ENCODED);
        let refused = request.header("Content-Encoding", "gzip").body(&small);
        assert_eq!(refused.send().status, 415, "{path}");
    }
    let dpaste = server
        .request("POST", "/api/")
        .header("Content-Type", ENCODED);
    let dpaste = dpaste
        .header("Content-Encoding", "gzip")
        .body(gzip("content=a&format=url"));
    assert_eq!(server.get(&Saved::of(&dpaste.send()).path).body, b"a");
    assert_eq!(server.store.occupancy().pastes, 2);
}

#[test]
fn the_quota_pays_for_what_comes_out_of_gzip() {
    let server = TestServer::limited(&["--limit-save", "quota 100KiB/1d"]);
    let json = |bytes: usize| gzip(json!({ "content": "a".repeat(bytes) }).to_string());
    assert_eq!(packed(&server, json(60 << 10)).send().status, 200);
    let refused = packed(&server, json(60 << 10)).send();
    assert_eq!(
        (refused.status, object(&refused)["success"].clone()),
        (429, false.into())
    );
}
