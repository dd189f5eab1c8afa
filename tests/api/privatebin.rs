//! PrivateBin's API on `/`: its messages, responses and errors, and the clients that speak it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Request, Response};
use crate::keys::KeysFile;
use crate::server::TestServer;
use crate::terminal::Terminal;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const ADATA: &str = r#"[["MDEyMzQ1Njc4OWFiY2RlZg==", "MDEyMzQ1Njc=" ,100000,256,128,"aes","gcm","zlib"],"plaintext",0,0]"#;
const CT: &str = "MDEyMzQ1Njc4OWFiY2RlZg==";

fn message(adata: &str, expire: &str) -> String {
    format!(r#"{{"v":2,"adata":{adata},"ct":"{CT}","meta":{{"expire":"{expire}"}}}}"#)
}

fn call(server: &TestServer, method: &str, path: &str) -> Request {
    let request = server.request(method, path);
    request.header("X-Requested-With", "JSONHttpRequest")
}

fn parsed(answer: &Response) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).unwrap()
}

/// Saves this body. Returns the id and the token.
#[track_caller]
fn save(server: &TestServer, body: &str) -> (String, String) {
    let post = call(server, "POST", "/");
    let labelled = post.header("Content-Type", "application/x-www-form-urlencoded");
    let answer = labelled.body(body).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    let saved = parsed(&answer);
    let text = |name: &str| saved[name].as_str().unwrap().to_owned();
    let (id, token) = (text("id"), text("deletetoken"));
    let expected = json!({ "status": 0, "id": id, "url": format!("/?{id}"), "deletetoken": token });
    assert_eq!(saved, expected);
    (id, token)
}

#[track_caller]
fn assert_refused(answer: &Response, status: u16) {
    let error = parsed(answer);
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        (&error["status"], error.as_object().unwrap().len()),
        (&json!(1), 2)
    );
    assert!(error["message"].as_str().unwrap().ends_with('.'));
}

#[test]
fn a_message_comes_back_byte_for_byte_however_its_paste_is_named() {
    let server = TestServer::start();
    assert_eq!(
        parsed(&call(&server, "GET", "/?jsonld=paste").send()),
        json!({ "@context": { "v": { "@value": 2 } } })
    );
    let (id, _) = save(&server, &message(ADATA, "1week"));
    for query in [id.clone(), format!("{id}="), format!("pasteid={id}")] {
        let answer = call(&server, "GET", &format!("/?{query}")).send();
        assert!(answer.text().contains(&format!(r#""adata":{ADATA},"#)));
        let read = parsed(&answer);
        let adata: Value = serde_json::from_str(ADATA).unwrap();
        let expected = json!({
            "status": 0, "id": id, "url": format!("/?{id}"), "v": 2, "adata": adata, "ct": CT,
            "meta": { "time_to_live": 7 * 24 * 3600 }, "comments": [], "comment_count": 0,
            "comment_offset": 0, "@context": "?jsonld=paste",
        });
        assert_eq!(read, expected);
    }
    let stored = format!(r#"{{"v":2,"adata":{ADATA},"ct":"{CT}"}}"#);
    assert_eq!(server.get(&format!("/raw/{id}")).text(), stored);
    server.advance(DAY * 7);
    assert_refused(&call(&server, "GET", &format!("/?{id}")).send(), 410);
}

#[test]
fn a_link_of_a_client_leads_a_browser_to_the_page_of_the_paste() {
    // With another secret, the id below may be one that the server could have made: its checksum is short.
    let secret = ["--secret", "a secret of the tests"];
    let server =
        TestServer::with(&[&["--base-url", "https://a.example/bin"], &secret[..]].concat());
    let (id, _) = save_below(&server);
    let answer = server.browse(&format!("/bin/?{id}"));
    let location = format!("/bin/{id}");
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(&*location))
    );
    assert_eq!(server.browse("/bin/?-bcd_fgh1234").status, 404);
    assert_eq!(server.browse("/bin/?utm_source=a").status, 200);
    let page = server.browse(&format!("/bin/?pasteid={id}&deletetoken=%22%3E%3Cb%3E"));
    assert!(page.text().contains("Delete this paste?") && !page.text().contains("<b>"));
    assert_eq!(server.get(&format!("/bin/raw/{id}")).status, 200);
}

/// Saves below the base path.
fn save_below(server: &TestServer) -> (String, String) {
    let answer = call(server, "POST", "/bin/")
        .body(message(ADATA, "1day"))
        .send();
    let saved = parsed(&answer);
    let id = saved["id"].as_str().unwrap().to_owned();
    let url = format!("/bin/?{id}");
    assert_eq!(saved["url"], url);
    (id, url)
}

#[test]
fn a_burning_message_is_used_up_by_one_read_through_whichever_door_it_came() {
    let server = TestServer::start();
    let adata = ADATA.replace("0,0]", "0,1]");
    let stored = format!(r#"{{"v":2,"adata":{adata},"ct":"{CT}"}}"#);
    let (by_api, _) = save(&server, &message(&adata, "1month"));
    for id in [by_api, server.save(&stored).id] {
        let path = format!("/?{id}");
        assert_eq!(call(&server, "HEAD", &path).send().status, 405);
        assert_eq!(server.get(&format!("/raw/{id}")).status, 405);
        assert_eq!(call(&server, "GET", &path).send().status, 200);
        assert_refused(&call(&server, "GET", &path).send(), 410);
    }
}

#[test]
fn a_form_uses_up_no_view_of_a_burning_message_and_a_get_deletes_nothing() {
    let server = TestServer::start();
    let adata = ADATA.replace("0,0]", "0,1]");
    let (id, token) = save(&server, &message(&adata, "1day"));
    let form = server.request("POST", &format!("/{id}"));
    let page = form.header("Accept", "text/html").send();
    assert!(page.status == 200 && !page.text().contains(CT));
    let link = format!("/?{id}#KEY&#39;");
    assert!(page.text().contains(&link) || page.text().contains(&format!("/?{id}#KEY'")));
    let deletion = format!("/?pasteid={id}&deletetoken={token}");
    assert_refused(&call(&server, "GET", &deletion).send(), 400);
    let read = call(&server, "GET", &format!("/?{id}"));
    assert_eq!(read.send().status, 200);
    assert_eq!(read.send().status, 410);
}

#[test]
fn a_message_gets_no_password_of_the_server() {
    let server = TestServer::start();
    let stored = format!(r#"{{"v":2,"adata":{ADATA},"ct":"{CT}"}}"#);
    let put = server.request("PUT", "/").header("X-Password", "a");
    assert_eq!(put.body(stored).send().status, 400);
    assert_eq!(server.pastes(), 0);
}

#[test]
fn until_a_script_offers_it_no_box_and_no_button_promise_encryption() {
    let page = TestServer::start().browse("/");
    assert!(page.text().contains(r#"id="encrypt" disabled>"#));
    let page = TestServer::with(&["--encryption", "default"]).browse("/");
    assert!(
        page.text()
            .contains(r#"id="encrypt" disabled data-always>"#)
    );
    let buttons = r#"<noscript><button type="submit">Save unencrypted</button></noscript><button type="submit" id="save" class="scripted" disabled>"#;
    assert!(page.text().contains(buttons));
}

#[test]
fn a_paste_that_is_not_sealed_is_not_used_up_by_a_client() {
    let server = TestServer::start();
    let saved = server.request("POST", "/?burn=1").body("text").send();
    let id = saved.text().trim().rsplit_once('/').unwrap().1.to_owned();
    assert_refused(&call(&server, "GET", &format!("/?{id}")).send(), 404);
    assert_eq!(
        server.request("POST", &format!("/{id}")).send().text(),
        "text"
    );
}

#[test]
fn only_the_token_deletes() {
    let server = TestServer::start();
    for method in ["POST", "DELETE"] {
        let (id, token) = save(&server, &message(ADATA, "1day"));
        let body = |token: &str| json!({ "pasteid": id, "deletetoken": token }).to_string();
        assert_refused(&call(&server, method, "/").body(body("a")).send(), 403);
        let answer = call(&server, method, "/").body(body(&token)).send();
        assert_eq!(
            (answer.status, &parsed(&answer)["status"]),
            (200, &json!(0))
        );
        assert_refused(&call(&server, "GET", &format!("/?{id}")).send(), 410);
    }
    assert_refused(&call(&server, "DELETE", "/").body("{}").send(), 400);
}

#[test]
fn what_cannot_be_stored_is_refused_in_the_form_of_privatebin() {
    let server = TestServer::with(&["--max-expiry", "7d", "--max-paste-size", "1KiB"]);
    let whole = message(ADATA, "1day");
    let with = |from: &str, to: &str| whole.replacen(from, to, 1);
    for (body, status) in [
        (with("100000", "100000000"), 400),
        (with("100000", "1e5"), 400),
        (with("0,0]", "1,0]"), 400),
        (with("\"v\":2", "\"v\":1"), 400),
        (with("\"meta\"", "\"burn\":1,\"meta\""), 400),
        (with("MDEyMzQ1", "MDEy_zQ1"), 400),
        (with("1day", "1month"), 400),
        (with("1day", "never"), 400),
        (with("1day", "soon"), 400),
        (
            with("\"ct\":\"", &["\"ct\":\"", &"MDEy".repeat(500)].concat()),
            413,
        ),
        ("a".repeat(100_000), 413),
        ("[".repeat(5000), 400),
        (String::new(), 400),
        (r#"{"data":"{}","expire":"1day"}"#.to_owned(), 400),
    ] {
        let post = call(&server, "POST", "/").header("Content-Type", "application/json");
        assert_refused(&post.body(&body).send(), status);
    }
    let post = call(&server, "POST", "/?burn=1");
    assert_refused(&post.body(&whole).send(), 400);
    assert_refused(&call(&server, "GET", "/?").send(), 404);
    assert_refused(&call(&server, "PATCH", "/").send(), 405);
    assert_eq!(server.pastes(), 0);
}

#[test]
fn an_operator_who_turned_encryption_off_gets_no_message_through_any_door() {
    let server = TestServer::with(&["--encryption", "off"]);
    let refused = call(&server, "POST", "/").body(message(ADATA, "1day"));
    assert_refused(&refused.send(), 403);
    let stored = format!(r#"{{"v":2,"adata":{ADATA},"ct":"{CT}"}}"#);
    for request in [
        server.request("PUT", "/"),
        server.request("POST", "/documents"),
        server.request("POST", "/").header("X-Password", "a"),
    ] {
        assert_eq!(request.body(&stored).send().status, 403);
    }
    assert_eq!(server.pastes(), 0);
}

#[test]
fn each_page_of_a_message_is_a_view_and_what_its_script_loads_is_none() {
    let server = TestServer::start();
    let (id, token) = save(&server, &message(ADATA, "1day"));
    server.browse(&format!("/{id}"));
    server.browse(&format!("/{id}?lines=1"));
    let page = server.request("GET", &format!("/{id}"));
    page.header("Accept", "text/html")
        .header("If-None-Match", "\"a\"")
        .send();
    server.get(&format!("/raw/{id}?embedded"));
    let stats = server.request("GET", &format!("/api/v1/pastes/{id}/stats"));
    let stats = stats.header("X-Token", &token).send();
    let stats: Value = serde_json::from_slice(&stats.body).unwrap();
    assert_eq!(stats["reads"], 3, "{stats}");
}

#[test]
fn a_message_is_neither_edited_nor_compared_and_no_paste_becomes_one() {
    let server = TestServer::start();
    let stored = |burns| {
        let adata = ADATA.replace("0,0]", &format!("0,{burns}]"));
        format!(r#"{{"v":2,"adata":{adata},"ct":"{CT}"}}"#)
    };
    let (sealed, plain) = (server.save(stored(0)), server.save("text"));
    let edit = server.request("GET", &format!("/{}/edit", sealed.id));
    let edit = edit
        .header("Accept", "text/html")
        .header("X-Token", &sealed.token);
    for answer in [
        edit.send(),
        server.browse(&format!("/?from={}", sealed.id)),
        server.browse(&format!("/diff/{}/{}", sealed.id, plain.id)),
    ] {
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(!answer.text().contains(CT));
    }
    for burns in 0..2 {
        let put = server.request("PUT", &format!("/{}", plain.id));
        let answer = put
            .header("X-Token", &plain.token)
            .body(stored(burns))
            .send();
        assert_eq!(answer.status, 400, "{answer:?}");
    }
    assert_eq!(server.get(&format!("/{}", plain.id)).text(), "text");
}

#[test]
fn a_limit_and_a_missing_key_are_told_in_the_form_of_privatebin() {
    let server = TestServer::limited(&["--limit-save", "rate 1/m burst 1"]);
    save(&server, &message(ADATA, "1day"));
    let again = || call(&server, "POST", "/").body(message(ADATA, "1day"));
    assert_refused(&again().send(), 429);
    let file = KeysFile::new();
    let _ = file.make(&["alice"]);
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    for method in ["GET", "POST", "DELETE"] {
        let request = call(&server, method, "/?bcd_fgh1234-").body(message(ADATA, "1day"));
        assert_refused(&request.send(), 401);
    }
}

#[test]
#[ignore = "needs pbincli of PyPI"]
fn pbincli_saves_reads_burns_and_deletes() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("a file.bin", "\x01bytes");
    let field = |printed: &str, name: &str| {
        let line = printed.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{printed}"))
            .trim()
            .to_owned()
    };
    for (options, password) in [
        ("", ""),
        ("-E 1month -F markdown -c none", ""),
        ("", "-p 'ä b'"),
    ] {
        let sent =
            format!("pbincli send -s $URL/ -t 'a text: é' -f 'a file.bin' {options} {password}");
        let printed = terminal.run(&sent).text();
        let link = field(&printed, "Link:");
        let read =
            format!("mkdir -p out && pbincli get -o out {password} '{link}' && cat out/*.txt");
        assert!(terminal.run(&read).text().contains("a text: é"));
        assert_eq!(terminal.run("cat 'out/a file.bin'").text(), "\x01bytes");
        let delete = field(&printed, "Delete Link:");
        terminal
            .run(&format!("rm -r out; pbincli delete -s $URL/ '{delete}'"))
            .text();
        let gone = terminal.run(&format!("pbincli get -o . {password} '{link}'"));
        assert_ne!(gone.code(), Some(0));
    }
    let burning = terminal.run("pbincli send -B -s $URL/ -t once").text();
    let link = field(&burning, "Link:").replace("#-", "#");
    let read = format!("mkdir -p once && pbincli get -o once '{link}'");
    assert_eq!(
        [(); 2].map(|()| terminal.run(&read).code()),
        [Some(0), Some(1)]
    );
}

#[test]
#[ignore = "needs privatebin and privatebinapi of PyPI"]
fn two_libraries_save_read_burn_and_delete_with_ids_of_every_character() {
    let server = TestServer::unlimited(&[]);
    let terminal = Terminal::of(&server);
    terminal.folder.write("a.txt", "attached");
    terminal.folder.write(
        "clients.py",
        r#"
import os, privatebin, privatebinapi
url = os.environ["URL"] + "/"
seen = set()
while not {"-", "_"} <= seen:
    receipt = privatebin.create("a text: é", server=url, password="ä b")
    seen |= set(receipt.url.id)
    assert privatebin.get(receipt, password="ä b").text == "a text: é"
    sent = privatebinapi.send(url, text="a text: é", file="a.txt", password="ä b")
    seen |= set(sent["id"])
    got = privatebinapi.get(sent["full_url"], password="ä b")
    assert got["text"] == "a text: é" and got["attachment"]["content"] == b"attached", got
privatebin.delete(receipt, delete_token=receipt.delete_token)
privatebinapi.delete(sent["full_url"], sent["deletetoken"])
once = privatebin.create("once", server=url, burn_after_reading=True)
assert privatebin.get(once).text == "once"
for link in [receipt, once]:
    try:
        privatebin.get(link)
    except Exception:
        continue
    raise SystemExit("it is still there")
print("done")
"#,
    );
    assert_eq!(terminal.run("python3 clients.py").text(), "done\n");
}
