//! Forms of other sites: what a browser sends along with them by itself counts for nothing.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::forms::Forms;
use crate::keys::KeysFile;
use crate::operate::ADMIN;
use crate::server::TestServer;

const OWNER: &str = "__Host-owner=tbo_0123456789abcdefABCDEF";

/// Headers that a browser adds to a form of another site.
const SITES: [&[(&str, &str)]; 7] = [
    &[("Sec-Fetch-Site", "cross-site")],
    &[
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://bin.example"),
    ],
    &[("Origin", "https://evil.example")],
    &[("Origin", "http://bin.example")],
    &[("Origin", "null")],
    &[
        ("Origin", "https://bin.example"),
        ("Origin", "https://evil.example"),
    ],
    &[
        ("Sec-Fetch-Site", "same-origin"),
        ("Sec-Fetch-Site", "cross-site"),
    ],
];

#[test]
fn a_form_of_another_site_changes_nothing_and_sets_no_cookie_of_a_user() {
    // Given a browser that owns pastes, has a key, and knows the operator's token
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&[
        "--base-url",
        "https://bin.example",
        "--admin-token",
        ADMIN,
        "--keys",
        file.path(),
    ]);
    let secret = "Bearer tbo_0123456789abcdefABCDEF";
    let mine = server.request("POST", "/").header("Authorization", secret);
    let mine = crate::server::Saved::of(&mine.body("x").send());
    let token = format!("token={}", mine.token);
    let basic = BASE64_STANDARD.encode(format!("operator:{ADMIN}"));
    let basic = format!("Basic {basic}");
    let edit = format!("{}/edit", mine.path);
    let stats = format!("{}/stats", mine.path);
    let named = format!("id={}&do=delete", mine.id);
    let removal = format!("act=remove&paste={}", mine.id);
    // When another site sends a form, with what the browser has
    for (path, credential, body, status) in [
        (&*mine.path, ("Cookie", &*token), "delete=1".to_owned(), 401),
        (&*mine.path, ("Cookie", OWNER), "delete=1".to_owned(), 401),
        (
            &*mine.path,
            ("Cookie", OWNER),
            "title=theirs".to_owned(),
            401,
        ),
        (
            &*edit,
            ("Cookie", &*token),
            "content=theirs".to_owned(),
            400,
        ),
        (&*stats, ("Cookie", ""), token.clone(), 303),
        ("/mine", ("Cookie", OWNER), named, 401),
        (
            "/mine/forget",
            ("Cookie", OWNER),
            "pastes=1".to_owned(),
            401,
        ),
        ("/mine/device", ("Cookie", OWNER), "show=1".to_owned(), 403),
        (
            "/mine/device",
            ("Cookie", ""),
            format!("secret={}", &secret[7..]),
            403,
        ),
        ("/login", ("Cookie", ""), format!("key={key}"), 403),
        ("/login", ("Cookie", ""), "logout=1".to_owned(), 403),
        ("/operate", ("Authorization", &*basic), removal, 403),
        ("/", ("Cookie", OWNER), "content=theirs".to_owned(), 303),
    ] {
        for site in SITES {
            let form = server.request("POST", path).header("Accept", "text/html");
            let form = form.header(credential.0, credential.1).form(&body);
            let form = site
                .iter()
                .fold(form, |it, (name, value)| it.header(name, value));
            let answer = form.send();
            // Then it is refused, or saves without an owner
            assert_eq!(answer.status, status, "{path} {body} {site:?}: {answer:?}");
            let mut cookies = answer.headers("set-cookie");
            let is_users = |it: &str| {
                let names = ["owner=", "key=", &mine.token];
                names.iter().any(|name| it.contains(name))
            };
            assert!(!cookies.any(is_users), "{path} {site:?}: {answer:?}");
        }
    }
    // And the paste and the list are as they were
    assert_eq!(server.get(&mine.path).text(), "x");
    let list = server.request("GET", "/api/v1/pastes");
    let list = list.header("Authorization", secret).send();
    assert_eq!(list.text().matches("\"id\"").count(), 1);
    // And a form of this server works
    for (name, value) in [
        ("Origin", "https://bin.example"),
        ("Sec-Fetch-Site", "same-origin"),
    ] {
        let form = server.request("POST", &mine.path).header(name, value);
        let form = form.header("Cookie", &token).form("expires=1h");
        assert_eq!(form.send().status, 200);
    }
}
