//! The guides of the documents, pasted into a shell as they stand there: once, again, and after a part of them.
//!
//! The folders of the system are in a folder of the test, and the programs that install and start services do nothing.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::Folder;

const OPERATIONS: &str = include_str!("../../../docs/operations.md");
const CLUSTER: &str = include_str!("../../../docs/cluster.md");
const CADDYFILE: &str = include_str!("../../../deploy/Caddyfile");

/// What another site of the machine has in the Caddyfile.
const FOREIGN: &str = "http://other.example.org {\n\trespond other\n}\n";

/// The blocks of shell in the section with this heading.
fn blocks<'a>(document: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) = document.split_once(heading).expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let blocks = section.split("\n```sh\n").skip(1);
    blocks
        .map(|block| block.split_once("\n```").expect("its end").0)
        .collect()
}

/// A machine with these folders and files, on which no program of the guide does anything but write files.
fn machine(files: &[(&str, &str)]) -> Folder {
    let machine = Folder::new("guide");
    for (name, text) in files {
        let path = machine.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        machine.write(name, text);
    }
    std::fs::create_dir(machine.path().join("programs")).expect("a folder");
    for program in ["apt-get", "chown", "sha256sum", "systemctl"] {
        let name = format!("programs/{program}");
        machine.write(&name, "#!/bin/sh\n");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(machine.path().join(name), executable).expect("its mode");
    }
    machine
}

/// Pastes each of these blocks into a shell of its own, and returns what they printed.
fn paste(machine: &Folder, blocks: &[&str]) -> String {
    blocks
        .iter()
        .map(|block| paste_block(machine, block))
        .collect()
}

fn paste_block(machine: &Folder, block: &str) -> String {
    let root = machine.path().display();
    let path = std::env::var("PATH").expect("the PATH");
    let text = block
        .replace("/etc/", &format!("{root}/etc/"))
        .replace("/usr/share/", &format!("{root}/usr/share/"));
    let mut shell = Command::new("sh")
        .args(["-e", "-u"])
        .env("PATH", format!("{root}/programs:{path}"))
        .current_dir(machine.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell starts");
    let mut input = shell.stdin.take().expect("its input");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    let output = shell.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}\n{text}");
    assert_eq!(error, "", "{text}");
    String::from_utf8(output.stdout).expect("text")
}

/// The files below the folder, with their contents.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => {
                let text = std::fs::read_to_string(&path).expect("a text");
                found.insert(path.display().to_string(), text);
            }
        }
    }
    found
}

/// Pastes the blocks up to each of them, as an operator who was interrupted did, then all blocks twice. Asserts that
/// the second time changes no file and prints the same. Returns the machine.
fn follow(before: &[(&str, &str)], blocks: &[&str]) -> Folder {
    for done in 1..=blocks.len() {
        let machine = machine(before);
        paste(&machine, &blocks[..done]);
        let printed = paste(&machine, blocks);
        let first = files(machine.path());
        assert_eq!(paste(&machine, blocks), printed, "after {done} blocks");
        assert_eq!(files(machine.path()), first, "after {done} blocks");
        if done == blocks.len() {
            return machine;
        }
    }
    panic!("the guide has no blocks");
}

/// A machine after the guide to a public instance, with another site behind its Caddy.
fn public_instance() -> Folder {
    let before = [
        ("etc/tidebin/tidebin.env", "# Settings of tidebin.\n"),
        ("etc/caddy/Caddyfile", FOREIGN),
        ("usr/share/doc/tidebin/deploy/Caddyfile", CADDYFILE),
    ];
    let blocks = blocks(OPERATIONS, "## A public instance in ten minutes");
    assert_eq!(blocks.len(), 3);
    follow(&before, &blocks)
}

#[test]
fn the_guide_to_a_public_instance_changes_nothing_when_it_is_followed_again() {
    let machine = public_instance();
    let settings = machine.read("etc/tidebin/tidebin.env");
    let settings = String::from_utf8(settings).expect("text");
    assert!(settings.starts_with("# Settings of tidebin.\nTIDEBIN_BASE_URL=https://"));
    assert_eq!(settings.matches("TIDEBIN_ADMIN_TOKEN=").count(), 1);
    let token = settings.trim_end().rsplit('=').next().expect("a token");
    assert!(token.len() >= 32, "{settings}");
    // The server makes its own secret, so that none can be overwritten here.
    assert!(!settings.contains("TIDEBIN_SECRET"), "{settings}");
}

#[test]
fn the_guide_has_the_memory_of_the_documents_for_a_machine_with_512_mb() {
    let guide = blocks(OPERATIONS, "## A public instance in ten minutes").join("\n");
    let number = |before: &str| -> u64 {
        let (_, after) = guide.split_once(before).expect("it is set");
        let digits = after.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|it| it.parse().ok()).expect("a number")
    };
    let store = number("TIDEBIN_MAX_STORE_SIZE=");
    let limit = number("MemoryMax=");
    assert_eq!(limit, 192 + 2 * store);
    let documented = format!("a store of `{store}MiB` and a limit of {limit} MiB");
    let text = OPERATIONS.replace('\n', " ");
    assert!(text.contains(&documented), "no {documented:?}");
}

#[test]
#[ignore = "needs caddy"]
fn the_guide_to_a_public_instance_keeps_the_other_sites_of_caddy() {
    let machine = public_instance();
    let adapted = Command::new("caddy")
        .args(["adapt", "--config", "etc/caddy/Caddyfile"])
        .current_dir(machine.path())
        .output()
        .expect("caddy starts");
    assert!(adapted.status.success(), "{adapted:?}");
    let adapted = String::from_utf8_lossy(&adapted.stdout);
    for part in [
        "\"other.example.org\"",
        "\"paste.example.org\"",
        "\"http.handlers\"",
    ] {
        assert!(adapted.contains(part), "no {part} in {adapted}");
    }
}

#[test]
fn the_guide_to_an_engine_keeps_its_passwords_when_it_is_followed_again() {
    let before = [("etc/valkey/valkey.conf", "bind 127.0.0.1\n")];
    let blocks = blocks(CLUSTER, "## Start");
    let machine = follow(&before, &blocks[..1]);
    let own = String::from_utf8(machine.read("etc/valkey/valkey.conf")).expect("text");
    assert_eq!(own.matches("\ninclude ").count(), 1, "{own}");
    let printed = paste(&machine, &blocks[..1]);
    let password = printed.strip_prefix("TIDEBIN_VALKEY=redis://tidebin:");
    let password = password.and_then(|rest| rest.strip_suffix("@10.0.0.10\n"));
    assert_eq!(password.map(str::len), Some(64), "{printed}");
}
