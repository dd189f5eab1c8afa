//! GitHub's API of gists: what its clients send, and two of them.

mod programs;

use serde_json::{Value, json};

use crate::client::Response;
use crate::server::TestServer;

const OWNER: &str = "token tbo_0123456789abcdefABCDEF";
const OTHER: &str = "Bearer tbo_fedcba9876543210FEDCBA";

fn send(server: &TestServer, method: &str, path: &str, token: &str, body: &Value) -> Response {
    let mut request = server
        .request(method, path)
        .header("Content-Type", "application/json");
    if !token.is_empty() {
        request = request.header("Authorization", token);
    }
    match body {
        Value::Null => request.send(),
        body => request.body(body.to_string()).send(),
    }
}

fn parsed(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap()
}

/// Creates a gist. Returns its path in the API and its object.
fn create(server: &TestServer, body: &Value) -> (String, Value) {
    let created = send(server, "POST", "/api/v3/gists", OWNER, body);
    assert_eq!(created.status, 201, "{}", created.text());
    let gist = parsed(&created);
    (
        format!("/api/v3/gists/{}", gist["id"].as_str().unwrap()),
        gist,
    )
}

fn two_files() -> Value {
    json!({ "description": "tide", "public": true, "files": {
        "a.c": { "content": "int a;\n" },
        "b c.md": { "content": "# B\n" },
    } })
}

#[test]
fn a_gist_of_several_files_is_a_paste_with_files() {
    let server = TestServer::start();
    let (path, gist) = create(&server, &two_files());
    let id = gist["id"].as_str().unwrap();
    let base = format!("http://{}", server.addr);
    assert_eq!(gist["html_url"], format!("{base}/{id}"));
    assert_eq!(
        (&gist["description"], &gist["public"]),
        (&json!("tide"), &json!(false))
    );
    let read = parsed(&server.get(&path));
    let file = &read["files"]["b c.md"];
    assert_eq!(
        (&file["content"], &file["size"]),
        (&json!("# B\n"), &json!(4))
    );
    assert_eq!(
        (&file["language"], &file["truncated"]),
        (&json!("Markdown"), &json!(false))
    );
    let raw = file["raw_url"]
        .as_str()
        .unwrap()
        .strip_prefix(&base)
        .unwrap();
    assert_eq!(server.get(raw).text(), "# B\n");
    assert_eq!(server.get(&format!("/{id}/a.c")).text(), "int a;\n");
    assert!(
        server
            .browse(&format!("/{id}"))
            .text()
            .contains("<title>tide")
    );
    // Only its owner is named as such.
    assert_eq!(gist["owner"]["login"], "owner");
    for token in ["", OTHER] {
        let read = parsed(&send(&server, "GET", &path, token, &Value::Null));
        assert_eq!(read["owner"]["login"], "anonymous");
    }
}

#[test]
fn a_gist_of_one_file_is_that_text_and_its_title_the_name() {
    let server = TestServer::start();
    let (path, gist) = create(
        &server,
        &json!({ "files": { "a.rs": { "content": "fn a() {}\n" } } }),
    );
    let id = gist["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/{id}")).text(), "fn a() {}\n");
    let read = parsed(&server.get(&path));
    assert_eq!(
        read["files"]["a.rs"]["raw_url"],
        format!("http://{}/raw/{id}", server.addr)
    );
    // And so is any other text, whoever saved it
    let saved = server.save("just words\n");
    let read = parsed(&server.get(&format!("/api/v3/gists{}", saved.path)));
    assert_eq!(read["files"]["just words.txt"]["content"], "just words\n");
}

#[test]
fn a_change_adds_renames_rewrites_and_removes_files() {
    let server = TestServer::start();
    let (path, _) = create(&server, &two_files());
    let change = |method, body: &Value| send(&server, method, &path, OWNER, body);
    let names = |answer: &Response| {
        let files = parsed(answer)["files"].as_object().unwrap().clone();
        files.keys().cloned().collect::<Vec<_>>()
    };
    let added = change(
        "PATCH",
        &json!({ "files": { "c.txt": { "content": "c" } } }),
    );
    assert_eq!(names(&added), ["a.c", "b c.md", "c.txt"]);
    // Some clients send it with POST.
    let changed = change(
        "POST",
        &json!({ "description": "ebb", "files": {
        "a.c": { "filename": "z.c" }, "b c.md": null, "c.txt": { "content": "d" },
    } }),
    );
    assert_eq!(names(&changed), ["c.txt", "z.c"]);
    let read = parsed(&server.get(&path));
    assert_eq!(read["description"], "ebb");
    assert_eq!(read["files"]["z.c"]["content"], "int a;\n");
    assert_eq!(read["files"]["c.txt"]["content"], "d");
    // The last file of a gist with a description stays a file.
    let one = change("PATCH", &json!({ "files": { "c.txt": null } }));
    assert_eq!(
        (names(&one), &parsed(&one)["description"]),
        (vec!["z.c".to_owned()], &json!("ebb"))
    );
    // Without one, it is a text, and becomes several files again.
    let text = change("PATCH", &json!({ "description": "" }));
    assert_eq!((text.status, names(&text)), (200, vec!["z.c".to_owned()]));
    let two = change("PATCH", &json!({ "files": { "y.c": { "content": "y" } } }));
    assert_eq!(names(&two), ["y.c", "z.c"]);
    for (body, said) in [
        (
            json!({ "files": { "y.c": null, "z.c": null } }),
            "without a file",
        ),
        (json!({ "files": { "new": {} } }), "no `content`"),
        (
            json!({ "files": { "y.c": { "filename": "z.c" } } }),
            "one name",
        ),
        (
            json!({ "files": { "y.c": { "filename": "../y" } } }),
            "no usable name",
        ),
        (json!([]), "no gist"),
        (json!({ "files": { "y.c": 1 } }), "no gist"),
    ] {
        let refused = change("PATCH", &body);
        assert_eq!(refused.status, 400, "{body}");
        assert!(
            parsed(&refused)["message"].as_str().unwrap().contains(said),
            "{body}"
        );
    }
    assert_eq!(
        names(&server.get(&path)),
        ["y.c", "z.c"],
        "nothing was changed"
    );
    assert_eq!(change("DELETE", &Value::Null).status, 204);
    assert_eq!(server.get(&path).status, 410);
}

#[test]
fn a_change_names_files_as_they_were_before_it_so_two_may_swap_their_names() {
    let server = TestServer::start();
    let files =
        json!({ "a": { "content": "A" }, "b": { "content": "B" }, "c": { "content": "C" } });
    for (change, expected) in [
        (
            json!({ "a": { "filename": "b" }, "b": { "filename": "a" } }),
            json!({ "a": "B", "b": "A", "c": "C" }),
        ),
        (
            json!({ "a": { "filename": "b" }, "b": null }),
            json!({ "b": "A", "c": "C" }),
        ),
        (
            json!({ "a": { "filename": "b" }, "b": { "filename": "z", "content": "Z" } }),
            json!({ "b": "A", "c": "C", "z": "Z" }),
        ),
    ] {
        let (path, _) = create(&server, &json!({ "description": "d", "files": files }));
        let changed = send(&server, "PATCH", &path, OWNER, &json!({ "files": change }));
        assert_eq!(changed.status, 200, "{}", changed.text());
        let read = parsed(&server.get(&path));
        let files = read["files"].as_object().unwrap().iter();
        let contents: Value = files
            .map(|(name, file)| (name.clone(), file["content"].clone()))
            .collect();
        assert_eq!(contents, expected);
    }
}

#[test]
fn a_gist_of_one_file_keeps_the_name_of_the_file_without_an_ending() {
    let server = TestServer::start();
    for name in ["Makefile", "LICENSE", ".bashrc"] {
        let (path, gist) = create(
            &server,
            &json!({ "files": { name: { "content": "a: b\n" } } }),
        );
        assert_eq!(gist["files"][name]["content"], "a: b\n");
        let change = json!({ "files": { name: { "content": "new" } } });
        let changed = send(&server, "PATCH", &path, OWNER, &change);
        assert_eq!(parsed(&changed)["files"].as_object().unwrap().len(), 1);
    }
}

#[test]
fn a_gist_that_would_burn_or_have_a_password_is_refused_and_not_saved() {
    let server = TestServer::start();
    for query in ["burn=1", "password=secret"] {
        let path = format!("/api/v3/gists?{query}");
        let refused = send(&server, "POST", &path, OWNER, &two_files());
        assert_eq!(refused.status, 400, "{query}: {}", refused.text());
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
fn a_gist_needs_an_owner_and_an_unknown_token_is_refused() {
    let server = TestServer::start();
    let (path, _) = create(&server, &two_files());
    for (method, path, token, status) in [
        ("POST", "/api/v3/gists", "", 401),
        (
            "POST",
            "/api/v3/gists",
            "token gho_16C7e42F292c6912E7710c838347Ae178B4a",
            401,
        ),
        ("PATCH", &path, "", 401),
        ("PATCH", &path, OTHER, 403),
        ("DELETE", &path, OTHER, 403),
        ("DELETE", &path, "token unknown", 401),
        ("GET", &path, "Bearer unknown", 401),
        ("POST", "/api/graphql", "Bearer unknown", 401),
        ("GET", "/api/v3/gists", OWNER, 404),
    ] {
        let answer = send(&server, method, path, token, &two_files());
        assert_eq!(
            answer.status,
            status,
            "{method} {path} {token}: {}",
            answer.text()
        );
        let error = parsed(&answer);
        assert!(error["message"].is_string() && error["documentation_url"].is_string());
    }
    assert_eq!(server.get(&path).status, 200);
    // What is not open is no gist.
    let burning = server.request("POST", "/?burn=1").body("x").send();
    let id = burning.text().trim().rsplit('/').next().unwrap().to_owned();
    assert_eq!(server.get(&format!("/api/v3/gists/{id}")).status, 404);
    assert_eq!(server.request("POST", &format!("/{id}")).send().text(), "x");
}

#[test]
fn bytes_that_are_not_text_have_an_address_and_no_content() {
    let server = TestServer::start();
    let files = json!({ "files": [
        { "name": "a.bin", "content_base64": "/wA=" }, { "name": "b", "content": "x" },
    ] });
    let saved = parsed(&send(&server, "POST", "/api/v1/pastes", OWNER, &files));
    let path = format!("/api/v3/gists/{}", saved["id"].as_str().unwrap());
    let file = &parsed(&server.get(&path))["files"]["a.bin"];
    assert_eq!(
        (&file["content"], &file["truncated"]),
        (&Value::Null, &json!(true))
    );
    // A change of another file keeps them.
    let change = json!({ "files": { "b": { "content": "y" } } });
    assert_eq!(send(&server, "PATCH", &path, OWNER, &change).status, 200);
    let raw = file["raw_url"]
        .as_str()
        .unwrap()
        .rsplit_once("/raw")
        .unwrap()
        .1;
    assert_eq!(server.get(&format!("/raw{raw}")).body, b"\xff\0");
}
