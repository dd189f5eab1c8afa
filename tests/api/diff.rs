//! `/diff/A/B`: the comparison of two pastes, and what it costs.

use crate::every_tier::counts::stats;
use crate::forms::Forms;
use crate::server::{Saved, TestServer};

/// Saves a text under this file name.
fn save(server: &TestServer, name: &str, content: &str) -> Saved {
    let request = server.request("PUT", &format!("/{name}"));
    Saved::of(&request.body(content).send())
}

fn diff(old: &Saved, new: &Saved) -> String {
    format!("/diff/{}/{}", old.id, new.id)
}

#[test]
fn a_terminal_gets_the_unified_diff_of_two_pastes() {
    let server = TestServer::start();
    let (old, new) = (
        save(&server, "a.txt", "one\ntwo\n"),
        server.save("one\n2\n"),
    );
    let answer = server.get(&diff(&old, &new));
    let expected = "--- a.txt\n+++ one\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_eq!((answer.status, answer.text()), (200, expected));
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let same = server.get(&diff(&old, &old));
    assert_eq!((same.status, same.text()), (200, ""));
}

#[test]
fn a_browser_gets_a_page_by_any_address_of_the_pastes() {
    let server = TestServer::start();
    let (old, new) = (save(&server, "a.rs", "a\n"), save(&server, "b.rs", "b\n"));
    for path in [
        diff(&old, &new),
        format!("/diff/{}.txt/{}.rs", old.id, new.id),
    ] {
        let page = server.browse(&path);
        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), Some("no-store"));
        let html = page.text();
        for part in ["<bdi>a.rs</bdi>", "<del id=\"L4\"", "<ins id=\"L5\""] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(html.contains(&format!("href=\"/diff?a=/{}&amp;b=/{}\"", new.id, old.id)));
    }
    let equal = server.browse(&diff(&old, &old));
    assert!(
        equal
            .text()
            .contains("The contents of these pastes are equal.")
    );
}

#[test]
fn a_comparison_is_a_view_of_both_and_costs_two_reads() {
    let server = TestServer::limited(&["--limit-read", "rate 1/h burst 4"]);
    let (old, new) = (server.save("a"), server.save("b"));
    let path = diff(&old, &new);
    assert_eq!(server.request("HEAD", &path).send().status, 200);
    assert_eq!(server.get(&path).status, 200);
    let refused = server.get(&path);
    assert_eq!(refused.status, 429);
    let other = |path: &str| server.request("GET", path).from("198.51.100.9");
    for saved in [&old, &new] {
        let counts = other(&format!("/{}/stats", saved.id)).header("Accept", "application/json");
        let counts = counts.header("X-Token", &saved.token).send();
        assert!(counts.text().contains("\"reads\":1"), "{counts:?}");
    }
}

#[test]
fn what_is_not_an_open_text_is_refused_and_no_view_is_used_up() {
    let server = TestServer::unlimited(&[]);
    let text = server.save("text");
    let burning = Saved::of(&server.request("POST", "/?burn=1").body("secret").send());
    let locked = server.request("POST", "/").header("X-Password", "p");
    let locked = Saved::of(&locked.body("secret").send());
    let link = server.request("POST", "/");
    let link = Saved::of(&link.form("url=https://example.org/").send());
    let binary = server.save(b"\xff\0");
    let long = server.save("\n".repeat(100_001));
    for (other, reason) in [
        (&burning, "burns after reading or has a password"),
        (&locked, "burns after reading or has a password"),
        (&link, "is a short link"),
        (&binary, "is not text"),
        (&long, "100,000 lines"),
    ] {
        for path in [diff(&text, other), diff(other, &text)] {
            let refused = server.get(&path);
            assert_eq!(refused.status, 400, "{reason}");
            assert!(refused.sentence().contains(reason), "{refused:?}");
            let page = server.browse(&path);
            assert!(page.status == 400 && !page.text().contains("secret"));
        }
    }
    assert_eq!(stats(&server, &text.id, &text.token)["reads"], 0);
    let opened = server.request("POST", &burning.path).send();
    assert_eq!(opened.text(), "secret");
}

#[test]
fn texts_in_other_encodings_are_compared_as_they_are_shown() {
    let server = TestServer::unlimited(&[]);
    let old = server.save(b"caf\xe9\nrest\n");
    let new = server.save("café\nr\u{e9}st\n");
    let compared = server.get(&diff(&old, &new));
    assert!(compared.text().ends_with("\n café\n-rest\n+rést\n"));
}

#[test]
fn the_form_leads_to_the_comparison_below_the_base_path() {
    let server = TestServer::with(&["--base-url", "https://example.org/bin"]);
    let form = server.browse("/bin/diff?a=notes");
    assert!(form.status == 200 && form.text().contains("action=\"/bin/diff\""));
    assert!(form.text().contains("value=\"notes\""));
    for second in ["other", "https%3A%2F%2Fexample.org%2Fbin%2Fraw%2Fother%3Fx"] {
        let led = server.browse(&format!("/bin/diff?a=notes.rs&b={second}"));
        assert_eq!(led.status, 303);
        let expected = "/bin/diff/notes/other";
        assert_eq!(led.header("location"), Some(expected));
    }
    for second in ["", "%2F%2F", "a%20b", "x%0d%0ay", "%3Cb%3E"] {
        let again = server.browse(&format!("/bin/diff?a=notes&b={second}"));
        assert_eq!(again.status, 200, "{second}");
        let is_refused = again.text().contains("role=\"alert\"");
        assert_eq!(is_refused, !second.is_empty(), "{second}");
    }
    assert!(
        server
            .get("/bin/diff")
            .text()
            .contains("https://example.org/bin/diff/A/B")
    );
    assert_eq!(server.get("/bin/diff?a=%zz").status, 400);
}

#[test]
fn lines_of_a_patch_keep_their_links_and_its_source_is_a_listing() {
    let server = TestServer::start();
    let patch = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
    for saved in [server.save(patch), save(&server, "x.patch", patch)] {
        let page = server.browse(&saved.path);
        assert!(page.text().contains("<ins id=\"L5\"") && page.text().contains("?view=source"));
        for query in ["?view=source", "?lines=5"] {
            let source = server.browse(&format!("{}{query}", saved.path));
            let is_listing = source.text().contains("<span id=\"L5\"");
            assert!(is_listing && !source.text().contains("<details"), "{query}");
        }
        assert_eq!(server.get(&saved.path).text(), patch);
    }
}

#[test]
fn an_edit_of_many_lines_or_of_files_is_not_compared_before_it_is_saved() {
    let server = TestServer::start();
    let lines = server.save("\n".repeat(100_001));
    let files = [("file", "a"), ("file", "b")].map(|(field, name)| (field, name, "x\n"));
    let form = files.map(|(field, name, content)| {
        format!("--b\r\nContent-Disposition: form-data; name={field}; filename={name}\r\n\r\n{content}\r\n")
    });
    let request = server.request("POST", "/");
    let request = request.header("Content-Type", "multipart/form-data; boundary=b");
    let files = Saved::of(&request.body(form.concat() + "--b--\r\n").send());
    for (saved, reason) in [(lines, "100,000 lines"), (files, "not text")] {
        let request = server.request("POST", &format!("{}/edit?compare", saved.path));
        let request = request
            .header("Accept", "text/html")
            .header("Sec-Fetch-Site", "same-origin")
            .header("Cookie", format!("token={}", saved.token))
            .header("Content-Type", "multipart/form-data; boundary=b");
        let edit = "--b\r\nContent-Disposition: form-data; name=content\r\n\r\nnew\r\n--b--\r\n";
        let refused = request.body(edit).send();
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(
            refused.text().contains(reason),
            "{reason}: {}",
            refused.text()
        );
    }
}
