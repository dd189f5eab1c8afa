//! Questions in the browser: one person asks, another answers, and only the first reads the answer.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::Command;

use memchr::memmem;
use rustix::process::Signal;

use super::checker::check;
use super::sealed::recorded;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit, visit_server};
use crate::folder::Folder;
use crate::process::Running;
use crate::server::TestServer;
use crate::terminal::Terminal;

/// The question of all tests.
const QUESTION: &str = "WiFi <b>password</b>?";

/// The answer of all tests.
const ANSWER: &str = "correct horse\n<b>é";

/// Asks in this browser. Returns the links to send and to keep.
fn ask(visitor: &Visitor, burns: bool) -> [String; 2] {
    visitor.open("/ask");
    visitor.type_into("#question", QUESTION);
    if burns {
        visitor.click("[name=burn]");
    }
    visitor.click("#ask button");
    visitor.tells("#state", "Not answered yet.");
    ["#link').value", "#keep').href"].map(|part| {
        let link = visitor.evaluate(&format!("document.querySelector('{part}"));
        link.as_str().unwrap().to_owned()
    })
}

/// Answers in this browser.
fn answer(visitor: &Visitor, link: &str) {
    visitor.open_url(link);
    visitor.shows(".target", QUESTION);
    visitor.type_into("#text", ANSWER);
    visitor.click("#send button");
    visitor.tells("#state", "Sent. Only the person who asked can read it.");
}

#[test]
#[ignore = "needs chromium"]
fn one_browser_asks_a_phone_answers_and_the_first_reads_it() {
    let (server, record) = recorded();
    visit_server(server, On, |visitor| {
        let [link, keep] = ask(visitor, false);
        visitor.as_another(|| {
            visitor.take_a_phone(360);
            answer(visitor, &link);
            // The right to answer is used up.
            visitor.reload();
            visitor.tells("#state", "This question was answered already.");
        });
        // The asker's browser knows its key, even if it opens the link to send
        visitor.open("/help");
        visitor.open_url(&link);
        visitor.shows("#answer", ANSWER);
        visitor.shows(".target", QUESTION);
        visitor.click("#copy-text");
        visitor.shows("#copy-text", "Copied");
        assert_eq!(visitor.awaited("navigator.clipboard.readText()"), ANSWER);
        // Another one needs the link to keep
        visitor.as_another(|| {
            visitor.open_url(&keep);
            visitor.shows("#answer", ANSWER);
        });
        // And neither a key nor the answer was sent
        let sent = record.lock().unwrap().clone();
        let sent = String::from_utf8_lossy(&sent);
        assert!(sent.contains("question"));
        for link in [&*link, &keep] {
            let (_, key) = link.split_once('=').unwrap();
            assert!(!sent.contains(key) && !sent.contains("correct horse"));
        }
        visitor.click(".delete summary");
        visitor.follow(".delete button");
        visitor.shows(".message h1", "Deleted");
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_answer_may_burn_when_it_is_read_and_a_late_one_is_told() {
    visit(On, |visitor| {
        let [link, _] = ask(visitor, true);
        let id = link.rsplit('/').next().unwrap().split('#').next().unwrap();
        visitor.as_another(|| {
            visitor.open_url(&link);
            visitor.type_into("#text", "late");
            visitor.as_another(|| answer(visitor, &link));
            visitor.click("#send button");
            visitor.tells("#state", "answered already");
        });
        visitor.reload();
        visitor.click("#read button");
        visitor.shows("#answer", ANSWER);
        visitor.tells("#state", "deleted");
        assert_eq!(visitor.server.get(&format!("/{id}")).status, 410);
        visitor.reload();
        visitor.shows(".message h1", "No longer available");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_link_without_a_whole_key_and_a_page_without_encryption_say_so() {
    visit(On, |visitor| {
        visitor.open("/ask#WiFi%205%25?");
        visitor.holds("#question", "WiFi 5%?");
        visitor.open("/help");
        let [link, keep] = ask(visitor, false);
        let (page, key) = link.split_once("#to=").unwrap();
        let secret = keep.split_once("#key=").unwrap().1;
        let low = "A".repeat(43);
        visitor.as_another(|| {
            for fragment in [
                String::new(),
                format!("#{key}"),
                format!("#to={}", &key[1..]),
                format!("#to={key}&x"),
                format!("#to={low}"),
                format!("#key={}", &secret[1..]),
            ] {
                visitor.open("/help");
                visitor.open_url(&format!("{page}{fragment}"));
                visitor.tells("#state", "This link is not whole");
                visitor.until("document.querySelector('#send').hidden");
            }
            answer(visitor, &link);
            // A key of another question does not read it.
            visitor.open_url(&format!("{page}#key={}", &low));
            visitor.tells("#state", "This answer cannot be decrypted");
            visitor.open_by_name(&format!("/{}", page.rsplit('/').next().unwrap()));
            visitor.tells("#state", "needs HTTPS");
            visitor.open_by_name("/ask");
            visitor.tells("#state", "needs HTTPS");
        });
    });
    visit(Off, |visitor| {
        visitor.open("/ask");
        visitor.shows(".note.unscripted", "This needs JavaScript.");
        visitor.until("!document.querySelector('#ask').offsetWidth");
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_server_that_exchanges_the_answer_is_noticed() {
    visit(On, |visitor| {
        let [link, _] = ask(visitor, false);
        visitor.as_another(|| answer(visitor, &link));
        // Given a server that puts another key into the stored answer, or another text
        let id = link.rsplit('/').next().unwrap().split('#').next().unwrap();
        let path = format!("/raw/{id}");
        let stored = visitor.server.get(&path).body;
        for at in [30, stored.len() - 1] {
            let mut lying = stored.clone();
            lying[at] ^= 1;
            let new = visitor.server.request("POST", "/").body(&lying).send();
            let new = crate::server::Saved::of(&new);
            let secret = visitor.evaluate(&format!("localStorage['ask:{id}']"));
            visitor.open(&format!("{}#key={}", new.path, secret.as_str().unwrap()));
            visitor.tells("#state", "This answer cannot be decrypted");
        }
    });
}

/// The values of the test vector in `docs/clients.md`.
fn vector(name: &str) -> Vec<u8> {
    let docs = include_str!("../../../docs/clients.md");
    let start = format!("{name} ");
    let hex = docs.lines().find_map(|line| line.strip_prefix(&start));
    let hex = hex.expect("it is there").trim();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(byte).collect()
}

#[test]
#[ignore = "needs chromium and cryptography of PyPI"]
fn the_page_and_the_client_in_python_read_what_the_other_encrypts() {
    visit(On, |visitor| {
        let terminal = Terminal::of(&visitor.server);
        let client = include_bytes!("../../../docs/ask.py");
        terminal.folder.write("ask.py", client);
        let python = |arguments: &str| {
            let printed = terminal.run(&format!("python ask.py {arguments}")).text();
            printed.trim_end().to_owned()
        };
        // Given a question of the browser, the client answers it
        let [link, _] = ask(visitor, true);
        assert_eq!(python(&format!("answer '{link}' 'from Python: é'")), "");
        visitor.reload();
        visitor.click("#read button");
        visitor.shows("#answer", "from Python: é");
        // Given a question of the client, the browser answers it
        let links = python("ask $URL 'WiFi <b>password</b>?'");
        let (link, keep) = links.split_once('\n').unwrap();
        answer(visitor, link);
        assert_eq!(python(&format!("read '{keep}'")), ANSWER);
        // Both read the answer of the document
        let content = [
            b"\xfftidebin answer 1\n",
            &*vector("sender's key"),
            &vector("ciphertext"),
        ];
        let saved = visitor.server.request("POST", "/").body(content.concat());
        let saved = crate::server::Saved::of(&saved.send());
        let keep = format!(
            "{}#key=AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE",
            saved.url
        );
        visitor.open_url(&keep);
        visitor.shows("#answer", "hunter2");
        assert_eq!(python(&format!("read '{keep}'")), "hunter2");
    });
}

/// Returns whether these bytes are in the memory of a process.
fn is_in_memory(process: u32, bytes: &[u8]) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let memory = File::open(format!("/proc/{process}/mem")).unwrap();
    let mut written = maps.lines().filter(|line| line.contains(" rw"));
    written.any(|line| {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [start, end] = [start, end].map(|it| u64::from_str_radix(it, 16).unwrap());
        let mut part = vec![0; usize::try_from(end - start).unwrap()];
        let is_read = memory.read_exact_at(&mut part, start).is_ok();
        is_read && memmem::find(&part, bytes).is_some()
    })
}

#[test]
#[ignore = "needs cryptography of PyPI"]
fn neither_memory_nor_log_nor_database_of_the_server_has_an_answer() {
    let folder = Folder::new("answers");
    let data = folder.path().join("data");
    let running = Running::start(&["--data", &data.display().to_string()]);
    let python = |arguments: &[&str]| {
        let client = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ask.py");
        let output = Command::new("python").arg(client).args(arguments).output();
        let output = output.expect("there is Python");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // Given an answer that was sent and read
    let url = format!("http://{}", running.addr());
    let links = python(&["ask", &url, "WiFi password?"]);
    let (link, keep) = links.trim_end().split_once('\n').unwrap();
    python(&["answer", link, "correct horse"]);
    assert_eq!(python(&["read", keep]), "correct horse\n");
    // When all that the server has is searched
    let key = keep.split_once("#key=").unwrap().1;
    let secrets = ["correct horse", key];
    // Then the question is found, and no secret
    assert!(is_in_memory(running.id(), b"WiFi password?"));
    for secret in secrets {
        assert!(!is_in_memory(running.id(), secret.as_bytes()), "{secret}");
    }
    running.send(Signal::TERM);
    let (_, log) = running.wait();
    let files = fs::read_dir(&data).unwrap();
    let files = files.map(|file| fs::read(file.unwrap().path()).unwrap());
    let stored = files.chain([log.into_bytes()]).collect::<Vec<_>>().concat();
    assert!(memmem::find(&stored, b"SQLite format 3").is_some());
    for secret in secrets {
        assert!(
            memmem::find(&stored, secret.as_bytes()).is_none(),
            "{secret}"
        );
    }
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn the_pages_of_a_question_are_valid_and_accessible() {
    check(
        TestServer::with(&["--contact", "mailto:me@bin.example"]),
        |checker, visitor| {
            checker.check_all(&[("/ask", &[])]);
            let [link, _] = ask(visitor, false);
            checker.check("the page of the asker");
            visitor.as_another(|| {
                visitor.open_url(&link);
                visitor.type_into("#text", "x");
                visitor.click("#send button");
                visitor.tells("#state", "Sent");
            });
            visitor.reload();
            visitor.shows("#answer", "x");
            checker.check("an answer");
            assert!(visitor.source().contains("/report"));
        },
    );
}
