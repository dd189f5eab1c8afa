//! Several files in one paste: how they are saved, read, listed and refused.

use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::server::TestServer;
use crate::terminal::Terminal;

const MULTIPART: &str = "multipart/form-data; boundary=b";

/// Adds a form with these files.
fn with_files(request: Request, files: &[(&str, &str)]) -> Request {
    let part = |(name, content): &(&str, &str)| {
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n"
        )
    };
    let parts: String = files.iter().map(part).collect();
    request
        .header("Content-Type", MULTIPART)
        .body(parts + "--b--\r\n")
}

/// Saves these files as one paste.
fn save(server: &TestServer, query: &str, files: &[(&str, &str)]) -> Response {
    with_files(server.request("POST", &format!("/{query}")), files).send()
}

fn path(answer: &Response) -> String {
    let url = answer.text().trim();
    format!("/{}", url.rsplit('/').next().unwrap())
}

const FILES: [(&str, &str); 3] = [
    ("a.c", "int main() {}\n"),
    ("docs/b c.md", "# Guide\n\n[code](../a.c)\n"),
    ("edit", "x\ny\nz\n"),
];

#[test]
fn each_file_is_read_by_its_name_with_its_lines_and_as_a_download() {
    let server = TestServer::start();
    let path = path(&save(&server, "", &FILES));
    let whole = server.get(&path);
    assert_eq!(whole.header("content-type"), Some("application/x-tar"));
    for (address, expected) in [
        (format!("{path}/a.c"), "int main() {}\n"),
        (format!("{path}/docs/b%20c.md"), FILES[1].1),
        (format!("/raw{path}/docs/b%20c.md"), FILES[1].1),
        (format!("{path}?file=edit"), FILES[2].1),
        (format!("/raw{path}/edit?lines=2-3"), "y\nz\n"),
        (format!("/raw{path}?file=edit&lines=2"), "y\n"),
        (format!("/dl{path}/a.c"), "int main() {}\n"),
    ] {
        let answer = server.get(&address);
        assert_eq!((answer.status, answer.text()), (200, expected), "{address}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
    }
    let part = server.request("GET", &format!("{path}/a.c"));
    let part = part.header("Range", "bytes=4-7").send();
    assert_eq!((part.status, part.text()), (206, "main"));
    assert_eq!(part.header("content-range"), Some("bytes 4-7/14"));
    let file = server.get(&format!("/dl{path}/docs/b%20c.md"));
    let name = "attachment; filename=\"docs_b c.md\"";
    assert_eq!(file.header("content-disposition"), Some(name));
    let name = "attachment; filename=\"a.c and 2 more.tar\"";
    let all = server.get(&format!("/dl{path}"));
    assert_eq!(all.header("content-disposition"), Some(name));
}

#[test]
fn a_name_that_no_file_has_is_not_found_and_counts_no_view() {
    let server = TestServer::start();
    let saved = save(&server, "", &FILES);
    let path = path(&saved);
    for address in [
        format!("{path}/b.c"),
        format!("{path}/py"),
        format!("{path}/docs"),
        format!("{path}/a.c/b"),
        format!("{path}?file="),
        format!("{path}/%ff"),
        format!("/raw{path}/..%2fa.c"),
    ] {
        let answer = server.get(&address);
        assert_eq!(answer.status, 404, "{address}");
        let expected = "The paste has no file of this name. Its page lists the files it has.\n";
        assert_eq!(answer.text(), expected, "{address}");
    }
    let token = saved.header("x-token").unwrap();
    let stats = server.request("GET", &format!("/api/v1/pastes{path}/stats"));
    let stats: Value = serde_json::from_slice(&stats.header("X-Token", token).send().body).unwrap();
    assert_eq!(stats["reads"], 0);
    // A paste without files has none either, but its language and the reader's own name for it
    let text = server.save("fn main() {}\n").path;
    assert_eq!(server.get(&format!("{text}/rs")).status, 200);
    assert_eq!(server.get(&format!("{text}/a/b")).status, 404);
    assert_eq!(server.get(&format!("{text}?file=a")).status, 404);
}

#[test]
fn a_paste_that_burns_gives_out_no_single_file_and_asking_uses_up_no_view() {
    let server = TestServer::start();
    for query in ["?burn=1", "?burn=1&password=pw"] {
        let path = path(&save(&server, query, &FILES));
        let read = |address: String| {
            let request = server.request("POST", &address);
            request.header("X-Password", "pw").send()
        };
        for address in [
            format!("{path}/a.c"),
            format!("{path}/wrong"),
            format!("{path}/docs/b%20c.md"),
            format!("{path}?file=edit"),
        ] {
            let refused = read(address);
            assert_eq!(refused.status, 404, "{query}");
            assert!(refused.text().contains("all its files at once"));
        }
        let whole = read(path.clone());
        assert_eq!(
            (whole.status, whole.header("content-type")),
            (200, Some("application/x-tar"))
        );
        assert_eq!(read(path).status, 410);
    }
    // Also in a browser, as a file: its page could not show the bytes of each
    let path = self::path(&save(&server, "?burn=1", &FILES));
    let revealed = server
        .request("POST", &path)
        .header("Accept", "text/html")
        .send();
    let disposition = revealed.header("content-disposition").unwrap();
    assert!(disposition.contains(".tar\""), "{disposition}");
}

#[test]
fn the_password_opens_one_file_of_a_paste() {
    let server = TestServer::start();
    let path = path(&save(&server, "?password=pw", &FILES));
    let with_password = |method: &str, address: &str| {
        let request = server.request(method, address);
        request.header("X-Password", "pw")
    };
    for (method, address, expected) in [
        ("GET", format!("{path}/a.c"), FILES[0].1),
        ("POST", format!("{path}/docs/b%20c.md"), FILES[1].1),
        ("GET", format!("{path}?file=edit"), FILES[2].1),
        ("POST", format!("/raw{path}/edit"), FILES[2].1),
        ("GET", format!("/dl{path}/a.c"), FILES[0].1),
    ] {
        let file = with_password(method, &address).send();
        assert_eq!((file.status, file.text()), (200, expected), "{address}");
    }
    assert_eq!(
        with_password("GET", &format!("{path}/b.c")).send().status,
        404
    );
    assert_eq!(server.get(&format!("{path}/a.c")).status, 401);
    for address in ["/docs/b%20c.md", "?file=docs/b%20c.md"] {
        let form = server.browse(&format!("{path}{address}"));
        let action = format!("action=\"{path}{address}\"");
        assert!(form.text().contains(&action), "{}", form.text());
    }
    let page = with_password("POST", &format!("{path}/docs/b%20c.md"));
    let page = page.header("Accept", "text/html").send();
    let text = page.text();
    let code = format!("<a href=\"{path}?file=a.c\">code</a>");
    for part in ["Guide<a", ">All files</a>", &code] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_relative_link_on_the_page_of_a_file_leads_to_the_page_of_another() {
    let server = TestServer::with(&["--base-url", "https://bin.example/paste"]);
    let links = "[up](../a.c#x) [beside](./c.md) [root](/a.c) [none]() [out](../../a) [script](javascript:a) [else](//b)\n";
    let files = [("docs/b.md", links), ("a.c", "x")];
    let path = path(&with_files(server.request("POST", "/paste/"), &files).send());
    for address in [
        format!("{path}/docs/b.md"),
        format!("{path}?file=docs/b.md"),
    ] {
        let page = server.browse(&format!("/paste{address}"));
        let (_, document) = page.text().split_once("<div class=\"document\">").unwrap();
        let document = document.split("</div>").next().unwrap();
        let hrefs: Vec<_> = document
            .split("href=\"")
            .skip(1)
            .map(|it| it.split('"').next().unwrap())
            .collect();
        let expected = ["a.c#x", "docs/c.md", "a.c"];
        let expected = expected.map(|name| format!("/paste{path}?file={name}"));
        assert_eq!(hrefs, expected, "{document}");
    }
}

#[test]
fn a_page_lists_the_files_and_shows_each() {
    let server = TestServer::start();
    let path = path(&save(&server, "", &FILES));
    let page = server.browse(&path);
    for part in [
        "<title>a.c and 2 more",
        "<span>3 files</span>",
        "<a href=\"#file-docs/b%20c.md\"><bdi>docs/b c.md</bdi></a>",
        "<section class=\"card file\" id=\"file-a.c\" aria-label=\"a.c\">",
        "<a href=\"#file-a.c\">code</a>",
        "id=\"f3-L3\"",
        &format!("href=\"/raw{path}/edit\">Raw</a>"),
        &format!("href=\"/dl{path}\" aria-keyshortcuts=\"d\">Download</a>"),
        &format!("href=\"/diff?a={path}/a.c&amp;b={path}/docs/b%20c.md\""),
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    for missing in [">Edit<", "id=\"kind\""] {
        assert!(!page.text().contains(missing), "{missing}");
    }
    let file = server.browse(&format!("{path}/a.c"));
    for part in [
        "<title>a.c",
        &format!("href=\"{path}\">All files</a>"),
        &format!("href=\"/raw{path}/a.c\""),
        "<span id=\"L1\"",
    ] {
        assert!(file.text().contains(part), "{part}: {}", file.text());
    }
    assert!(!file.text().contains(&format!("{path}/stats")));
    assert_eq!(server.browse(&format!("{path}/b.c")).status, 404);
}

#[test]
fn two_files_of_one_paste_are_compared() {
    let server = TestServer::start();
    let files = [("a.c", "x\ny\n"), ("d/b c.c", "x\nz\n"), ("e", "\0")];
    let path = path(&save(&server, "", &files));
    let led = server.browse(&format!("/diff?a={path}/a.c&b={path}/d/b%2520c.c"));
    let address = format!("/diff{path}{path}?a=a.c&b=d/b%20c.c");
    assert_eq!(led.header("location"), Some(&*address));
    let diff = server.get(&address);
    let expected = "--- a.c\n+++ d/b c.c\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n";
    assert_eq!(diff.text(), expected);
    let page = server.browse(&format!("{address}&view=split"));
    let swapped = format!("/diff?a={path}/d/b%20c.c&amp;b={path}/a.c");
    for part in [
        &format!("href=\"{path}/d/b%20c.c\"><bdi>d/b c.c</bdi>"),
        &swapped,
        "href=\"?a=a.c&#38;b=d/b%20c.c&#38;\"",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    let back = server.browse(&swapped.replace("&amp;", "&"));
    let expected = format!("/diff{path}{path}?a=d/b%20c.c&b=a.c");
    assert_eq!(back.header("location"), Some(&*expected));
    // A file also with a whole paste, but nothing with what is no text or not there
    let text = server.save("x\n").path;
    assert_eq!(server.get(&format!("/diff{path}{text}?a=a.c")).status, 200);
    for (query, status) in [("?a=a.c", 400), ("?a=a.c&b=f", 404), ("", 400)] {
        let refused = server.get(&format!("/diff{path}{path}{query}"));
        assert_eq!(refused.status, status, "{query}");
    }
    assert_eq!(
        server.get(&format!("/diff{text}{path}?a=a.c&b=a.c")).status,
        404
    );
}

#[test]
fn an_archive_of_tar_is_copied_but_not_edited_as_it_has_more_than_its_files() {
    let server = TestServer::start();
    let ours = save(&server, "", &FILES);
    let own = server.get(&path(&ours)).body;
    let mut foreign = own.clone();
    // The owner of the first file, and the sum of its head
    foreign[265..270].copy_from_slice(b"alice");
    foreign[148..156].fill(b' ');
    let sum: usize = foreign[..512].iter().map(|byte| usize::from(*byte)).sum();
    foreign[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let foreign = server.request("POST", "/").body(foreign).send();
    for (saved, status) in [(&ours, 200), (&foreign, 400)] {
        let path = path(saved);
        let names_owner = server.browse(&path).text().contains("its owner: alice.");
        assert_eq!(names_owner, status == 400);
        let edit = server.request("GET", &format!("{path}/edit"));
        let edit = edit.header("Accept", "text/html");
        let edit = edit.header("X-Token", saved.header("x-token").unwrap());
        assert_eq!(edit.send().status, status);
        let clone = server.browse(&format!("/?from={}", &path[1..]));
        assert!(
            clone
                .text()
                .contains("<p data-name=\"docs/b c.md\">IyBHdWlkZQ")
        );
    }
}

#[test]
fn the_api_saves_files_and_lists_them() {
    let server = TestServer::start();
    let create = |body: &Value| {
        let request = server.request("POST", "/api/v1/pastes");
        let request = request.header("Content-Type", "application/json");
        let answer = request.body(body.to_string()).send();
        (
            answer.status,
            serde_json::from_slice::<Value>(&answer.body).unwrap(),
        )
    };
    let (status, saved) = create(&json!({ "files": [
        { "name": "a.txt", "content": "x" },
        { "name": "d/b.bin", "content_base64": "/wA=" },
    ] }));
    assert_eq!(status, 201);
    let id = saved["id"].as_str().unwrap();
    let address = format!("/api/v1/pastes/{id}");
    let read: Value = serde_json::from_slice(&server.get(&address).body).unwrap();
    let base = format!("http://{}/raw/{id}", server.addr);
    let expected = json!([
        { "name": "a.txt", "size": 1, "raw_url": format!("{base}/a.txt") },
        { "name": "d/b.bin", "size": 2, "raw_url": format!("{base}/d/b.bin") },
    ]);
    assert_eq!((&saved["files"], &read["files"]), (&expected, &expected));
    assert_eq!(server.get(&format!("/raw/{id}/d/b.bin")).body, b"\xff\0");
    assert!(read["language"].is_null());
    for (files, said) in [
        (json!([]), "1 to 64 objects"),
        (json!([{ "name": "a" }]), "1 to 64 objects"),
        (
            json!([{ "name": "a", "content": "x", "content_base64": "eA==" }]),
            "1 to 64 objects",
        ),
        (
            json!([{ "name": "a", "content": "x", "language": "c" }]),
            "1 to 64 objects",
        ),
        (
            json!([{ "name": "../a", "content": "x" }]),
            "no usable name",
        ),
        (
            json!([{ "name": "a", "content": "x" }, { "name": "a", "content": "y" }]),
            "one name",
        ),
        (json!(vec![json!({ "name": "a", "content": "" }); 1]), ""),
    ] {
        let (status, answer) = create(&json!({ "files": files }));
        match said {
            "" => assert_eq!(status, 201),
            said => {
                let detail = answer["detail"].as_str().unwrap();
                assert!(status == 400 && detail.contains(said), "{detail}");
            }
        }
    }
    let (status, _) =
        create(&json!({ "content": "x", "files": [{ "name": "a", "content": "x" }] }));
    assert_eq!(status, 400);
}

#[test]
fn files_that_cannot_be_one_paste_are_refused_with_what_to_do() {
    let server = TestServer::start();
    let answer = save(&server, "", &[("a", "x"), ("a", "y")]);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains(";filename="), "{}", answer.text());
    let limited = TestServer::with(&["--max-paste-size", "2KiB"]);
    let small = save(&limited, "", &[("a", "x"), ("b", "y")]);
    assert_eq!(small.status, 413, "two heads and an end are 3 KiB");
}

#[test]
#[ignore = "needs curl"]
fn tar_and_curl_save_a_folder_and_get_it_back() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal
        .run("mkdir -p d/sub && echo 'int a;' > d/a.c && echo x > 'd/sub/b c.log' && : > d/empty")
        .text();
    let url = terminal.run("tar c d | curl -s --data-binary @- $URL | tee url");
    assert!(url.text().starts_with("http"));
    let same = terminal
        .run("mkdir out && curl -s $(cat url) | tar x -C out && diff -r d out/d && echo same");
    assert_eq!(same.text(), "same\n");
    let one = terminal.run("curl -s $(cat url)/d/a.c");
    assert_eq!(one.text(), "int a;\n");
    let listed = terminal
        .run("curl -s -F file=@d/a.c -F 'file=@d/sub/b c.log' $URL | xargs curl -s | tar t");
    assert_eq!(listed.text(), "a.c\nb c.log\n");
}
