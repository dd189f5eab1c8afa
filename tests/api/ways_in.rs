//! Every way to save a text, by this server's forms and by the API of each other pastebin: it saves, and it refuses in
//! the form that its clients read.

use serde_json::Value;

use crate::client::{Request, Response};
use crate::forms::{ENCODED, Forms, MULTIPART, parts};
use crate::keys::KeysFile;
use crate::operate::{ADMIN, as_operator};
use crate::server::TestServer;

/// A way to save a text of letters.
struct Way {
    method: &'static str,
    path: &'static str,
    content_type: &'static str,
    body: fn(&str) -> String,
    /// The content type of an error, and how its body starts.
    error: [&'static str; 2],
    /// Whether a header may name a slug.
    takes_slug: bool,
}

const TEXT: &str = "text/plain";
const JSON: &str = "application/json";

const WAYS: [Way; 10] = [
    Way {
        method: "POST",
        path: "/",
        content_type: TEXT,
        body: str::to_owned,
        error: [TEXT, ""],
        takes_slug: true,
    },
    Way {
        method: "PUT",
        path: "/notes.txt",
        content_type: TEXT,
        body: str::to_owned,
        error: [TEXT, ""],
        takes_slug: true,
    },
    Way {
        method: "POST",
        path: "/",
        content_type: ENCODED,
        body: |text| format!("title=&content={text}"),
        error: [TEXT, ""],
        takes_slug: true,
    },
    Way {
        method: "POST",
        path: "/",
        content_type: MULTIPART,
        body: |text| parts(&[("lang", "c"), ("file", text)]),
        error: [TEXT, ""],
        takes_slug: true,
    },
    Way {
        method: "POST",
        path: "/api/v1/pastes",
        content_type: JSON,
        body: |text| format!("{{\"content\":\"{text}\"}}"),
        error: ["application/problem+json", "{\"type\":\""],
        takes_slug: true,
    },
    // wastebin
    Way {
        method: "POST",
        path: "/",
        content_type: JSON,
        body: |text| format!("{{\"text\":\"{text}\",\"extension\":null}}"),
        error: [JSON, "{\"message\":\""],
        takes_slug: true,
    },
    // haste
    Way {
        method: "POST",
        path: "/documents",
        content_type: TEXT,
        body: str::to_owned,
        error: [JSON, "{\"message\":\""],
        takes_slug: false,
    },
    // dpaste.com
    Way {
        method: "POST",
        path: "/api/v2/",
        content_type: ENCODED,
        body: |text| format!("content={text}"),
        error: [TEXT, ""],
        takes_slug: false,
    },
    // pastebin.com
    Way {
        method: "POST",
        path: "/api/api_post.php",
        content_type: ENCODED,
        body: |text| format!("api_option=paste&api_dev_key=k&api_paste_code={text}"),
        error: [TEXT, "Bad API request, "],
        takes_slug: false,
    },
    // The API of 2019
    Way {
        method: "POST",
        path: "/record",
        content_type: JSON,
        body: |text| {
            format!("{{\"title\":\"\",\"lang\":\"\",\"content\":\"{text}\",\"expiration\":60}}")
        },
        error: [JSON, "{\"code\":1004,\""],
        takes_slug: false,
    },
];

impl Way {
    fn save(&self, server: &TestServer, text: &str) -> Request {
        let request = server.request(self.method, self.path);
        let request = request.header("Content-Type", self.content_type);
        request.body((self.body)(text))
    }

    /// Asserts that the save succeeded. Returns the id or the slug.
    #[track_caller]
    fn saved(&self, answer: &Response) -> String {
        assert!(answer.status < 400, "{}: {answer:?}", self.path);
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let members = ["id", "key", "path"].map(|name| json[name].as_str());
        let told = members.into_iter().flatten().next();
        let (_, id) = format!("/{}", told.unwrap_or(answer.text()))
            .trim_end()
            .rsplit_once('/')
            .map(|(start, id)| (start.to_owned(), id.to_owned()))
            .expect("a slash");
        id
    }

    /// Asserts that the save was refused, in the form of its clients and with these words.
    #[track_caller]
    fn refused(&self, answer: &Response, status: u16, words: &str) {
        let what = format!("{} {}: {answer:?}", self.path, self.content_type);
        let [content_type, start] = self.error;
        assert_eq!(answer.status, status, "{what}");
        let found = answer.header("content-type").unwrap_or_default();
        assert!(found.starts_with(content_type), "{what}");
        assert!(answer.text().starts_with(start), "{what}");
        assert!(answer.text().contains(words), "no {words} in {what}");
    }
}

#[test]
fn each_way_saves_the_text_for_the_owner_whose_secret_is_sent() {
    let server = TestServer::start();
    let secret = "Bearer tbo_0123456789abcdefABCDEF";
    for way in &WAYS {
        let answer = way.save(&server, "letters");
        let id = way.saved(&answer.header("Authorization", secret).send());
        assert_eq!(server.get(&format!("/raw/{id}")).text(), "letters");
    }
    let list = server.request("GET", "/api/v1/pastes");
    let list = list.header("Authorization", secret).send();
    let list: Value = serde_json::from_slice(&list.body).unwrap();
    assert_eq!(list["pastes"].as_array().map(Vec::len), Some(WAYS.len()));
}

#[test]
fn each_way_refuses_a_save_over_the_limit_and_says_when_to_try_again() {
    let server = TestServer::with(&["--limit-save", "rate 1/1m burst 1"]);
    for way in &WAYS {
        way.saved(&way.save(&server, "a").send());
        let refused = way.save(&server, "a").send();
        way.refused(&refused, 429, "You can save ");
        assert_eq!(refused.header("retry-after"), Some("60"));
        server.advance(std::time::Duration::from_secs(60));
    }
    assert_eq!(server.store.occupancy().pastes, WAYS.len());
}

#[test]
fn each_way_needs_a_key_where_saving_does_and_takes_a_slug_or_refuses_it() {
    let file = KeysFile::new();
    let key = format!("Bearer {}", file.make(&["alice"]));
    let server = TestServer::with(&["--access", "save-by-key", "--keys", file.path()]);
    for (number, way) in WAYS.iter().enumerate() {
        let before = server.store.occupancy().pastes;
        let refused = way.save(&server, "a").send();
        way.refused(&refused, 401, "Saving needs a key here.");
        let slug = format!("slug-{number}");
        let with_key = || way.save(&server, "a").header("Authorization", &key);
        let named = with_key().header("X-Slug", &slug).send();
        match way.takes_slug {
            true => assert_eq!(way.saved(&named), slug),
            false => {
                way.refused(&named, 400, "");
                assert_eq!(server.store.occupancy().pastes, before);
                way.saved(&with_key().send());
            }
        }
        assert_eq!(server.store.occupancy().pastes, before + 1);
    }
}

#[test]
fn each_way_refuses_a_content_that_is_too_large_compressed_or_partial() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let large = "x".repeat(1025);
    for way in &WAYS {
        way.saved(&way.save(&server, &large[1..]).send());
        for text in [&large, &"x".repeat(1 << 20)] {
            way.refused(&way.save(&server, text).send(), 413, "1 KiB");
        }
        // Clients of dpaste's API may send gzip.
        let coding = if way.path == "/api/v2/" { "br" } else { "gzip" };
        let compressed = way.save(&server, "a").header("Content-Encoding", coding);
        way.refused(&compressed.send(), 415, "Content-Encoding");
        let partial = way
            .save(&server, "a")
            .header("Content-Range", "bytes 2-3/10");
        way.refused(&partial.send(), 400, "Send the whole file");
    }
    let chunks = [&large.as_bytes()[..1000], &large.as_bytes()[1000..]];
    let chunked = server.request("PUT", "/").chunked(&chunks);
    assert_eq!(chunked.send().status, 413);
    assert_eq!(server.store.occupancy().pastes, WAYS.len());
}

#[test]
fn no_way_saves_a_content_that_the_operator_removed_and_blocked() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    for path in ["", "/api/v1/pastes"] {
        let saved = server.save("bad");
        let remove = format!("{path}{}?block=1&reason=spam", saved.path);
        let removed = as_operator(server.request("DELETE", &remove)).send();
        assert!(matches!(removed.status, 200 | 204), "{removed:?}");
        let gone = server.get(&saved.path);
        assert_eq!(gone.status, 410);
        assert!(gone.sentence().contains("removed by the operator"));
        for way in &WAYS {
            let sentence = "The operator of this server blocks this content";
            way.refused(&way.save(&server, "bad").send(), 451, sentence);
            let protected = way.save(&server, "bad").header("X-Password", "p").send();
            assert!(matches!(protected.status, 400 | 451), "{protected:?}");
        }
        let encoded = server.request("POST", "/api/v1/pastes");
        let encoded = encoded.body("{\"content_base64\":\"YmFk\"}").send();
        assert_eq!(encoded.status, 451);
        assert_eq!(server.store.occupancy().pastes, 0);
        let hash = crate::operate::sha256("bad");
        let allow = server.request("DELETE", &format!("/api/v1/operate/blocks/{hash}"));
        assert_eq!(as_operator(allow).send().status, 204);
    }
}

#[test]
fn a_partial_body_never_replaces_the_whole() {
    let server = TestServer::start();
    let saved = server.save("0123456789");
    let request = |method: &str, path: &str| {
        let request = server.request(method, &format!("{}{path}", saved.path));
        let request = request.header("X-Token", &saved.token);
        request.header("Content-Range", "bytes 2-3/10")
    };
    for request in [
        request("PUT", "").body("AB"),
        request("POST", "").form("title=part"),
        request("POST", "/edit").parts(&[("content", "AB")]),
    ] {
        let answer = request.send();
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.sentence().contains("Send the whole file"));
    }
    assert_eq!(server.get(&saved.path).text(), "0123456789");
    assert!(!server.browse(&saved.path).text().contains("part"));
}
