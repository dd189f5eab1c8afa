//! `tidebin key`, and the reload of its file.

use rustix::process::Signal;

use super::{KeysFile, bearer};
use crate::process::Running;
use crate::server::{Saved, TestServer, Tier};

#[test]
fn a_reload_makes_new_keys_valid_and_revoked_ones_invalid() {
    let file = KeysFile::new();
    let alice = file.make(&["alice"]);
    let flags = ["--access", "private", "--keys", file.path()];
    let mut running =
        Running::start(&[&flags[..], &["--log", "info,tidebin::http::log=off"]].concat());
    let status =
        |running: &Running, key| bearer(running.request("GET", "/help"), key).send().status;
    assert_eq!(status(&running, &alice), 200);
    // When the operator replaces the key
    assert!(file.run(&["revoke", "alice"]).status.success());
    let bob = file.make(&["bob"]);
    assert_eq!([&alice, &bob].map(|key| status(&running, key)), [200, 401]);
    running.send(Signal::HUP);
    wait_for(&mut running, "keys reloaded entries=1 before=1");
    assert_eq!([&alice, &bob].map(|key| status(&running, key)), [401, 200]);
    // A damaged file changes nothing
    file.write("bob hunter2\n");
    running.send(Signal::HUP);
    let line = wait_for(&mut running, "keys not reloaded: the old ones stay in use");
    assert!(
        line.contains("is invalid at line 1") && !line.contains("hunter2"),
        "{line}"
    );
    assert_eq!(status(&running, &bob), 200);
}

/// Waits for a line of the log with this text.
fn wait_for(running: &mut Running, text: &str) -> String {
    loop {
        let line = running.next_line();
        assert!(!line.is_empty(), "no line with {text}");
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn the_start_names_the_access_and_warns_of_a_file_without_keys() {
    let file = KeysFile::new();
    file.write("# none yet\n");
    let flags = ["--access", "save-by-key", "--keys", file.path()];
    let mut running = Running::start(&flags);
    let warning = wait_for(&mut running, "WARN");
    assert!(warning.contains("no client can save"), "{warning}");
    // When the first key is made
    file.make(&["alice"]);
    running.send(Signal::HUP);
    // Then the reload says so, and nothing else
    let line = running.next_line();
    assert!(line.contains("keys reloaded entries=1 before=0"), "{line}");
}

#[test]
fn a_key_is_printed_once_and_listed_without_its_text_and_hash() {
    let file = KeysFile::new();
    let made = file.run(&["new", "alice", "--rights", "read", "--limit", "x10"]);
    let key = String::from_utf8(made.stdout).unwrap();
    assert!(key.starts_with("tbk_") && key.len() == 27, "{key:?}");
    assert!(String::from_utf8_lossy(&made.stderr).contains("shown only once"));
    file.make_until("bob", "2030-01-31");
    let list = file.run(&["list"]);
    let expected = "alice read x10 never\nbob save,read x1 2030-01-31\n";
    assert_eq!(String::from_utf8(list.stdout).unwrap(), expected);
    let again = file.run(&["new", "alice"]);
    assert!(!again.status.success() && again.stdout.is_empty());
}

#[test]
fn a_key_whose_last_day_is_over_is_not_made() {
    let file = KeysFile::new();
    let refused = file.run(&["new", "alice", "--until", "2020-01-31"]);
    assert!(!refused.status.success() && refused.stdout.is_empty());
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("--until: 2020-01-31 is over. Use today or a later day."),
        "{message}"
    );
    assert!(!std::fs::exists(file.path()).unwrap());
}

#[test]
fn a_server_does_not_start_without_the_file_that_it_needs() {
    let file = KeysFile::new();
    let flags = [
        "--addr",
        "127.0.0.1:0",
        "--access",
        "private",
        "--keys",
        file.path(),
    ];
    let refused = crate::process::tidebin(&flags).output().unwrap();
    assert!(!refused.status.success());
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("does not exist. Use a file that `tidebin key new` makes"),
        "{message}"
    );
}

#[test]
fn a_server_without_keys_is_read_only_and_its_pages_say_so() {
    // Given a paste that is open and one that burns
    let server = TestServer::of(Tier::Disk, &[]);
    let open = server.save("x");
    let burns = server.request("POST", "/?burn=1").body("y").send();
    let burns = Saved::of(&burns);
    let question = server.request("POST", "/").body("question=Why?").send();
    let question = Saved::of(&question);
    // When the server is made read-only
    let file = KeysFile::new();
    file.write("");
    let server = server.restart_with(&["--access", "save-by-key", "--keys", file.path()]);
    // Then it says so wherever a client would save
    let sentence = "Saving is turned off on this server for now.";
    for (method, path) in [("GET", "/"), ("POST", "/"), ("PUT", "/notes.txt")] {
        let request = server.request(method, path).header("Accept", "text/html");
        let refused = request.body("z").send();
        assert_eq!(refused.status, 403, "{method} {path}");
        assert!(refused.text().contains(sentence), "{refused:?}");
    }
    let answer = format!("/api/v1/pastes{}/answer", question.path);
    let answered = server.request("POST", &answer).body("a".repeat(64)).send();
    assert!(answered.text().contains(sentence), "{answered:?}");
    let change = server
        .request("POST", &open.path)
        .header("X-Token", &open.token);
    let change = change.body("title=new").send();
    assert!(change.text().contains(sentence), "{change:?}");
    // And reading, burning and deleting go on
    assert_eq!(server.get(&open.path).text(), "x");
    assert_eq!(server.request("POST", &burns.path).send().text(), "y");
    let delete = server.request("DELETE", &open.path);
    assert_eq!(delete.header("X-Token", &open.token).send().status, 200);
}
