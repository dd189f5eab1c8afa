//! Pastes that the browser encrypts: it alone has the key, and shows what it decrypts as text.

mod hostile;
mod pbincli;
mod qr;

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::checker::check;
use super::login::log_in;
use super::{TYPED, open_menu};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::client::Response;
use crate::folder::Folder;
use crate::keys::KeysFile;
use crate::server::TestServer;

/// The lines of the page, without their numbers.
const LINES: &str = "document.querySelector('.listing code').textContent";

/// A message whose key is not known.
const MESSAGE: &str = r#"{"v":2,"adata":[["MDEyMzQ1Njc4OWFiY2RlZg==","MDEyMzQ1Njc=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0],"ct":"MDEyMzQ1Njc4OWFiY2RlZg=="}"#;

/// A key that no message here has.
const KEY: &str = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi";

/// What the browser stores.
const STORED: &str = "JSON.stringify([{...localStorage}, {...sessionStorage}, history.state])";

/// Opens the editor, types a paste, and chooses to encrypt it.
pub(super) fn type_sealed(visitor: &Visitor, text: &str) {
    visitor.open("/");
    visitor.type_into("#content", text);
    visitor.type_into("#title", "a <b>title</b>");
    visitor.click("#options summary");
    visitor.click("#encrypt");
}

/// Saves what was typed; returns its path, with the key.
pub(super) fn save(visitor: &Visitor) -> String {
    visitor.click(".submit button");
    visitor.until("document.querySelector('#clone') && !location.search && !!location.hash");
    visitor.path()
}

/// A server that is reached through a relay, and all that the relay got for it.
pub(super) fn recorded() -> (TestServer, Arc<Mutex<Vec<u8>>>) {
    let mut server = TestServer::start();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (inner, all) = (server.addr, Arc::new(Mutex::new(Vec::new())));
    server.addr = listener.local_addr().unwrap();
    let record = Arc::clone(&all);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            relay(client, inner, &record);
        }
    });
    (server, all)
}

fn relay(mut client: TcpStream, inner: SocketAddr, record: &Arc<Mutex<Vec<u8>>>) {
    let mut server = TcpStream::connect(inner).unwrap();
    let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        _ = std::io::copy(&mut answers, &mut back);
        _ = back.shutdown(Shutdown::Both);
    });
    let record = Arc::clone(record);
    thread::spawn(move || {
        let mut bytes = [0; 65536];
        while let Ok(count @ 1..) = client.read(&mut bytes) {
            record.lock().unwrap().extend(&bytes[..count]);
            if server.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        _ = server.shutdown(Shutdown::Both);
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_browser_sends_and_stores_neither_the_text_nor_the_key() {
    let (server, record) = recorded();
    visit_server(server, On, |visitor| {
        visitor.open("/");
        visitor.type_into("#content", "correct horse battery staple");
        visitor.until("Object.keys(localStorage).includes('draft')");
        visitor.click("#encrypt");
        visitor.type_into("#title", "a title to hide");
        visitor.choose("#lang", "rust");
        visitor.click("#options summary");
        visitor.type_into("#password", "a password to hide");
        let path = {
            visitor.click(".submit button");
            visitor.until("!document.querySelector('#unlock')?.hidden && !!location.hash");
            visitor.type_into("#password", "a password to hide");
            visitor.click("#unlock button");
            visitor.finds(LINES, "correct horse battery staple");
            visitor.path()
        };
        visitor.shows(".title", "a title to hide");
        visitor.shows(".name span", "Rust");
        visitor.reload();
        let (id, key) = path.split_once('#').unwrap();
        let stored = visitor.evaluate(STORED).to_string();
        let sent = record.lock().unwrap().clone();
        let sent = String::from_utf8_lossy(&sent);
        assert!(sent.contains(r#"{"v":2,"adata":"#) && sent.contains(id));
        for secret in ["correct horse", "title to hide", "password to", "rust", key] {
            assert!(!sent.contains(secret), "{secret} was sent");
            assert!(!stored.contains(secret), "{secret} is stored");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_encrypted_paste_is_shown_copied_and_linked_to_with_its_key() {
    visit(On, |visitor| {
        type_sealed(visitor, TYPED);
        let path = save(visitor);
        visitor.finds(LINES, TYPED);
        visitor.shows(".title", "a <b>title</b>");
        let link = format!("http://{}{path}", visitor.server.addr);
        visitor.holds("#link", &link);
        visitor.click("#copy-text");
        visitor.shows("#copy-text", "Copied");
        let copied = visitor.awaited("navigator.clipboard.readText()");
        assert_eq!(copied, TYPED);
        // Links to lines keep the key
        visitor.click_number("#L2");
        visitor.is_at(&format!("{path}&L2"));
        visitor.reload();
        visitor.finds("document.querySelector('.marked').id", "L2");
        visitor.open("/help");
        visitor.open(&format!("{path}&L3-L5"));
        visitor.finds("document.querySelectorAll('.marked').length", 3);
        // The message is not loaded by another view.
        visitor.tells(".facts", "No views yet");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_wrong_password_can_be_tried_again_and_nothing_is_fetched_again() {
    visit(On, |visitor| {
        type_sealed(visitor, "locked");
        visitor.type_into("#password", "right");
        visitor.choose("#burn", "3");
        let path = save(visitor);
        visitor.tells(".saved", "Each view uses up one.");
        visitor.until("document.querySelector('#unlock').hidden");
        visitor.open("/help");
        visitor.open(&path);
        visitor.tells("#state", "3 views left");
        visitor.click("#unlock button");
        visitor.tells("#state", "Enter the password");
        for wrong in ["wrong", ""] {
            visitor.clear("#password");
            visitor.type_into("#password", wrong);
            visitor.click("#unlock button");
            visitor.shows("#state", "The password is wrong.");
        }
        visitor.type_into("#password", "right");
        visitor.click("#unlock button");
        visitor.finds(LINES, "locked");
        visitor.tells("#state", "2 views left");
        visitor.reload();
        visitor.tells("#state", "2 views left");
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_a_whole_key_or_a_script_there_is_no_button_that_burns() {
    visit(On, |visitor| {
        type_sealed(visitor, "burns");
        visitor.choose("#burn", "1");
        let burning = save(visitor);
        let (id, key) = burning.split_once('#').unwrap();
        for fragment in [
            "",
            "#",
            "#L1",
            "#0OIl",
            &format!("#{}", &key[..40]),
            &format!("#{key}{key}"),
        ] {
            visitor.open("/help");
            visitor.open(&format!("{id}{fragment}"));
            visitor.tells("#state", "The link is incomplete");
            visitor.until("document.querySelector('#unlock').hidden");
        }
        visitor.open_by_name(&burning);
        visitor.tells("#state", "needs HTTPS");
        visitor.until("document.querySelector('#unlock').hidden");
        visitor.open_by_name("/");
        visitor.tells(".readers", "Encrypting in this browser needs HTTPS.");
        // A dash before the key is of another program
        visitor.open("/help");
        visitor.open(&format!("{id}#-{key}"));
        visitor.click("#unlock button");
        visitor.finds(LINES, "burns");
    });
    visit(Off, |visitor| {
        visitor.open("/");
        let shown = "getComputedStyle(document.querySelector('#encrypt').parentElement).display";
        visitor.finds(shown, "none");
        visitor.open(&visitor.server.save(MESSAGE).path);
        visitor.tells(".gate .unscripted", "pbincli get");
        visitor.finds(
            "getComputedStyle(document.querySelector('#unlock')).display",
            "none",
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_copy_that_cannot_be_encrypted_is_not_left_in_the_history() {
    visit(On, |visitor| {
        type_sealed(visitor, "burns later");
        save(visitor);
        visitor.finds(LINES, "burns later");
        for page in ["/help", "/?from="] {
            visitor.evaluate(&format!(
                "history.pushState({{ copy: {{ text: 'secret', files: [] }} }}, '', '{page}'), location.reload()"
            ));
            visitor.is_at(page);
            visitor.finds("history.state", serde_json::Value::Null);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_file_and_all_else_is_cloned_into_a_new_encrypted_paste() {
    let folder = Folder::new("files");
    folder.write("noise.bin", b"\x7fELF\xff\0\x01");
    visit(On, |visitor| {
        type_sealed(visitor, "");
        visitor.choose_file("#file", &folder.path().join("noise.bin"));
        visitor.until("document.querySelector('#file').files.length === 1");
        visitor.type_into("#content", "and a text");
        visitor.choose("#lang", "rust");
        let first = save(visitor);
        visitor.finds(LINES, "and a text");
        visitor.shows("#files a", "noise.bin");
        visitor.finds("document.querySelector('#files a').download", "noise.bin");
        open_menu(visitor);
        visitor.follow("#clone");
        visitor.is_at("/");
        visitor.holds("#content", "and a text");
        visitor.holds("#lang", "rust");
        visitor.holds("#title", "a <b>title</b>");
        visitor.finds("history.state", serde_json::Value::Null);
        visitor.until("document.querySelector('#encrypt').checked");
        let second = save(visitor);
        assert_ne!(first, second);
        visitor.shows("#files a", "noise.bin");
        // The bytes are those of the file, of a type that no browser opens
        visitor.evaluate("document.querySelector('#files a').addEventListener('click', event => event.preventDefault())");
        visitor.click("#files a");
        visitor.until("document.querySelector('#files a').href.startsWith('blob:')");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_login_leads_back_to_the_paste_with_its_key() {
    let file = KeysFile::new();
    let key = file.make(&["alice"]);
    let server = TestServer::with(&["--access", "private", "--keys", file.path()]);
    visit_server(server, On, |visitor| {
        visitor.open("/login");
        log_in(visitor, &key);
        type_sealed(visitor, "private");
        let path = save(visitor);
        visitor.forget_cookies();
        visitor.open("/nothing");
        visitor.open(&path);
        log_in(visitor, "tbk_wrong");
        log_in(visitor, &key);
        visitor.finds(LINES, "private");
        visitor.is_at(&path);
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn every_page_of_an_encrypted_paste_is_accessible_and_small() {
    check(TestServer::start(), |checker, visitor| {
        type_sealed(visitor, TYPED);
        checker.check("the editor");
        let path = save(visitor);
        visitor.finds(LINES, TYPED);
        checker.check("the saved page");
        visitor.open("/help");
        visitor.open(&path);
        visitor.finds(LINES, TYPED);
        open_menu(visitor);
        checker.check("the page");
        visitor.open(&format!("{}#{KEY}", visitor.server.save(MESSAGE).path));
        visitor.until("!document.querySelector('#unlock').hidden");
        checker.check("the password");
        for (path, most) in [(path.split('#').next().unwrap(), 15_872), ("/", 16_384)] {
            let (bodies, heads) = first_visit(&visitor.server, path);
            assert!(bodies + heads <= most, "{path}: {bodies} and {heads}");
        }
    });
}

/// The bytes of a page and of all that it loads, as a browser accepts it, and those of the heads.
fn first_visit(server: &TestServer, path: &str) -> (usize, usize) {
    let get = |path: &str| {
        let request = server.request("GET", path).header("Accept", "text/html");
        request.header("Accept-Encoding", "gzip, br").send()
    };
    let page = server.browse(path);
    let named = page.text().split(['"', ' ']);
    let mut assets: Vec<_> = named.filter(|it| it.starts_with("/assets/")).collect();
    // Pages load modules when they are needed.
    let is_late = |it: &&str| {
        let of_editor = ["/secrets.", "/sealed.", "/files."];
        it.contains("/lines.")
            || it.contains("/qr.")
            || path == "/" && of_editor.iter().any(|name| it.contains(name))
    };
    assets.retain(|it| !is_late(it));
    assets.sort_unstable();
    assets.dedup();
    let loaded: Vec<_> = std::iter::once(path).chain(assets).map(get).collect();
    let bodies = loaded.iter().map(|response| response.body.len());
    (bodies.sum(), heads(&loaded))
}

/// The most bytes that HTTP/2 takes for these heads: a header that came before is one byte, and so is its name alone.
fn heads(responses: &[Response]) -> usize {
    let mut known = HashSet::new();
    let mut size = 0;
    for response in responses {
        // The frames of the head and of the body, and the status.
        size += 2 * 9 + 1;
        for (name, value) in &response.headers {
            let is_new = known.insert(format!("{name}: {value}"));
            let name = if known.insert(name.clone()) {
                name.len() + 1
            } else {
                1
            };
            size += if is_new { name + 1 + value.len() } else { 1 };
        }
    }
    size
}
