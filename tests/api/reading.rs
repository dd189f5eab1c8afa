//! Reads: bytes, files and pages; ranges, conditions, and deleted pastes.

use std::time::Duration;

use crate::server::TestServer;

const TEN_LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn raw_bytes_are_text_or_an_octet_stream_and_never_a_type_that_a_browser_runs() {
    let server = TestServer::start();
    let html = server.save("<script>alert(1)</script>");
    assert_eq!(
        server.get(&html.path).header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(
        server
            .get(&format!("{}.html", html.path))
            .header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let binary = server.save(b"\xff\x00");
    assert_eq!(
        server.get(&binary.raw()).header("content-type"),
        Some("application/octet-stream")
    );
    let legacy = server.save(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0!\n");
    let damaged = server.save(b"caf\xc3\xa9 \xff\n");
    let wide = server.save(b"w\0i\0d\0e\0\r\0\n\0t\0w\0o\0\r\0\n\0");
    for (saved, charset, content, note) in [
        (
            &legacy,
            "windows-1251",
            "Привет, мир!",
            "Shown as Windows-1251.",
        ),
        (
            &damaged,
            "UTF-8",
            "café \u{fffd}",
            "Shown as UTF-8. Bytes that are not valid",
        ),
        (&wide, "UTF-16LE", "wide", "Shown as UTF-16LE."),
    ] {
        let raw = server.get(&saved.raw());
        let media_type = format!("text/plain; charset={charset}");
        assert_eq!(raw.header("content-type"), Some(&*media_type));
        let page = server.browse(&saved.path);
        let page = page.text();
        assert!(page.contains(content) && page.contains(note), "{page}");
        assert!(page.contains("/language") && !page.contains("Clone"));
        let languages = server.browse(&format!("{}/language", saved.path));
        assert_eq!(languages.status, 200);
    }
    let lines = server.get(&format!("{}?lines=2", wide.raw()));
    assert_eq!(lines.body, b"t\0w\0o\0\r\0\n\0");
    for path in [html.path.clone(), html.raw(), html.download()] {
        let policy = server
            .get(&path)
            .header("content-security-policy")
            .unwrap()
            .to_owned();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("sandbox"),
            "{policy}"
        );
    }
}

#[test]
fn a_client_that_accepts_html_gets_a_page_and_any_other_the_bytes() {
    let server = TestServer::start();
    let saved = server.save("a < b");
    let page = server.browse(&saved.path);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("cache-control"), Some("private, no-cache"));
    assert!(page.text().contains("a &#60; b") || page.text().contains("a &lt; b"));
    for accept in ["*/*", "application/json", "image/png"] {
        let answer = server
            .request("GET", &saved.path)
            .header("Accept", accept)
            .send();
        assert_eq!(answer.body, b"a < b", "{accept}");
        assert_eq!(answer.header("vary"), Some("Accept"));
    }
    assert_eq!(server.browse(&saved.raw()).body, b"a < b");
}

#[test]
fn lines_are_cut_out_of_the_bytes_and_marked_on_the_page() {
    let server = TestServer::start();
    let saved = server.save(TEN_LINES);
    assert_eq!(
        server.get(&format!("{}?lines=2-4", saved.path)).body,
        b"2\n3\n4\n"
    );
    assert_eq!(
        server.get(&format!("{}?lines=10", saved.raw())).body,
        b"10\n"
    );
    assert_eq!(
        server.get(&format!("{}?lines=9-99", saved.download())).body,
        b"9\n10\n"
    );
    let page = server.browse(&format!("{}?lines=2-4", saved.path));
    assert_eq!(page.text().matches("marked").count(), 3);
    assert_eq!(page.text().matches(" autofocus data-n=2>").count(), 1);
    for (lines, status) in [
        ("11", 404),
        ("11-12", 404),
        ("0", 400),
        ("4-2", 400),
        ("x", 400),
        ("1&lines=2", 400),
    ] {
        for answer in [
            server.get(&format!("{}?lines={lines}", saved.path)),
            server.browse(&format!("{}?lines={lines}", saved.path)),
        ] {
            assert_eq!(answer.status, status, "{lines}");
        }
    }
}

#[test]
fn lines_beyond_the_shown_part_of_a_page_are_linked_and_in_sight() {
    let server = TestServer::start();
    let saved = server.save("x\n".repeat(30_000));
    let page = server.browse(&format!("{}?lines=25000-25001", saved.path));
    let link = format!(
        "<a href=\"{}?lines=25000-25001\" autofocus>Open lines 25000-25001</a>",
        saved.raw()
    );
    assert!(page.text().contains(&link));
    let before = server.browse(&format!("{}?lines=20000", saved.path));
    assert!(!before.text().contains(">Open line"));
}

#[test]
fn head_is_get_without_the_body() {
    let server = TestServer::start();
    let saved = server.save(TEN_LINES);
    for path in [
        "/",
        "/help",
        "/healthz",
        "/nothing-here",
        &saved.path,
        &saved.raw(),
        &saved.download(),
    ] {
        let (get, head) = (server.get(path), server.request("HEAD", path).send());
        assert_eq!(get.status, head.status, "{path}");
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(get.header(name), head.header(name), "{path} {name}");
        }
    }
}

#[test]
fn a_known_tag_is_answered_304_and_another_with_the_bytes() {
    let server = TestServer::start();
    let saved = server.save(TEN_LINES);
    let etag = server.get(&saved.path).header("etag").unwrap().to_owned();
    assert!(
        etag.starts_with('"') && etag.ends_with('"'),
        "not a strong tag: {etag}"
    );
    let ask = |tags: &str| {
        server
            .request("GET", &saved.path)
            .header("If-None-Match", tags)
            .send()
    };
    for tags in [
        etag.clone(),
        format!("\"x\", {etag}"),
        format!("W/{etag}"),
        "*".to_owned(),
    ] {
        let answer = ask(&tags);
        assert_eq!(answer.status, 304, "{tags}");
        assert_eq!(answer.header("etag"), Some(etag.as_str()));
    }
    assert_eq!(ask("\"x\"").status, 200);
    server.advance(Duration::from_secs(1));
    let other = server.save(TEN_LINES);
    assert_ne!(server.get(&other.path).header("etag"), Some(etag.as_str()));
}

#[test]
fn one_byte_range_is_answered_206_and_one_past_the_end_416() {
    let server = TestServer::start();
    let saved = server.save("0123456789");
    let ask = |range: &str| {
        server
            .request("GET", &saved.raw())
            .header("Range", range)
            .send()
    };
    let part = ask("bytes=2-4");
    assert_eq!((part.status, part.text()), (206, "234"));
    assert_eq!(part.header("content-range"), Some("bytes 2-4/10"));
    assert_eq!(ask("bytes=-3").text(), "789");
    assert_eq!(ask("bytes=0-1,4-5").text(), "0123456789");
    let beyond = ask("bytes=10-");
    assert_eq!(
        (beyond.status, beyond.header("content-range")),
        (416, Some("bytes */10"))
    );

    let etag = server.get(&saved.raw()).header("etag").unwrap().to_owned();
    let ask_if = |tag: &str| {
        let request = server
            .request("GET", &saved.raw())
            .header("Range", "bytes=2-4");
        request.header("If-Range", tag).send().status
    };
    assert_eq!(ask_if(&etag), 206);
    assert_eq!(ask_if("\"x\""), 200);
    assert_eq!(ask_if(&format!("W/{etag}")), 200);
}

#[test]
fn a_large_paste_comes_whole() {
    let server = TestServer::start();
    let content: Vec<u8> = (0..1_000_000u32)
        .flat_map(|n| n.to_le_bytes())
        .take(1 << 20)
        .collect();
    let saved = server.save(&content);
    assert!(server.get(&saved.path).body == content);
    let tail = server
        .request("GET", &saved.raw())
        .header("Range", "bytes=-100000")
        .send();
    assert!(tail.body == content[content.len() - 100_000..]);
}

#[test]
fn a_read_that_is_refused_does_not_count() {
    let server = TestServer::start();
    let saved = server.save("one line");
    let (page, bad) = ("text/html", "bytes=99-");
    for (path, accept, range, host, status) in [
        (format!("{}?lines=9", saved.path), "*/*", "", "h", 404),
        (format!("{}?lines=9", saved.path), page, "", "h", 404),
        (saved.raw(), "*/*", bad, "h", 416),
        (saved.path.clone(), page, "", "a b", 400),
    ] {
        let request = server.request("GET", &path).header("Accept", accept);
        let request = request.header("Range", range).header("Host", host);
        assert_eq!(request.send().status, status, "{path}");
    }
    let record = server.get(&format!("/record/{}", saved.id));
    assert!(record.text().contains("\"view_count\":1"), "{record:?}");
}

#[test]
fn an_evicted_paste_is_410_with_the_reason() {
    let sizes = ["--max-store-size", "2MiB", "--max-paste-size", "512KiB"];
    let server = TestServer::with(&sizes);
    let first = server.save("first");
    server.fill(500 * 1024);
    let gone = server.get(&first.path);
    assert_eq!(gone.status, 410);
    assert!(gone.sentence().contains("to make room"));
}

#[test]
fn a_mistyped_id_is_missing() {
    let server = TestServer::start();
    let saved = server.save("x");
    for path in [
        "/AAAAAAAAAAAA",
        "/x",
        "/raw/x",
        "/dl/x",
        &format!("{}x", saved.path),
        &saved.path[..12],
        "/a/b/c",
    ] {
        for answer in [server.get(path), server.browse(path)] {
            assert_eq!(answer.status, 404, "{path}");
        }
    }
}
