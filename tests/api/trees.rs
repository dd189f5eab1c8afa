//! Random trees of files, as each program that packs archives writes them in each of its formats, and the archives with
//! which the authors of Go test theirs: cut, contradictory, sparse, and with names that are none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::rounds::rounds;
use crate::server::TestServer;
use crate::terminal::Terminal;

/// The lines that pack the current folder. The format v7 has no mark, so it is bytes.
const PACK: [&str; 10] = [
    "tar c --format=ustar .",
    "tar c --format=gnu .",
    "tar c --format=oldgnu .",
    "tar c --format=pax --owner=0 --group=0 --numeric-owner --transform='s,^./,,' .",
    "bsdtar -c -f - --format=ustar .",
    "bsdtar -c -f - --format=pax .",
    "bsdtar -c -f - --format=gnutar .",
    "python3 ../pack.py USTAR_FORMAT",
    "python3 ../pack.py GNU_FORMAT",
    "python3 ../pack.py PAX_FORMAT",
];

const PACK_IN_PYTHON: &str = "import sys, tarfile\n\
    with tarfile.open(mode='w|', fileobj=sys.stdout.buffer, format=getattr(tarfile, sys.argv[1])) as it:\n    it.add('.')\n";

/// The lines that unpack into the current folder.
const UNPACK: [&str; 3] = [
    "tar x",
    "bsdtar -x -f -",
    "python3 -c \"import sys, tarfile; tarfile.open(mode='r|', fileobj=sys.stdin.buffer).extractall()\"",
];

type Tree = BTreeMap<String, Vec<u8>>;

/// Trees with names in folders, in other alphabets, and with what means something to a shell or a URL. At the
/// start, bsdtar removes a drive with its colon, and a backslash.
fn trees() -> impl Strategy<Value = Tree> {
    let name = "([a-z]{1,2}/){0,2}[!-.0-9;-\\[\\]-~\u{a1}-\u{ac}\u{ae}-\u{24f}\u{5d0}-\u{5ea}][ -.0-9;-~]{0,20}x";
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..1600),
        "[ -~\n]{0,300}".prop_map(String::into_bytes),
    ];
    prop::collection::btree_map(name, content, 1..9)
}

fn write(folder: &Path, tree: &Tree) -> Tree {
    let write = |(name, content): (&String, &Vec<u8>)| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent()?).ok()?;
        // A folder may have the name already.
        fs::write(path, content).ok()?;
        Some((name.clone(), content.clone()))
    };
    tree.iter().filter_map(write).collect()
}

fn read(folder: &Path, below: &str) -> Tree {
    let mut tree = Tree::new();
    for entry in fs::read_dir(folder.join(below)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = [below, &entry.file_name().to_string_lossy()].concat();
        match entry.path().is_dir() {
            true => tree.extend(read(folder, &(name + "/"))),
            false => _ = tree.insert(name, fs::read(entry.path()).expect("a file")),
        }
    }
    tree
}

/// Saves the files one by one, so that the server packs them.
fn save_files(server: &TestServer, tree: &Tree) -> String {
    let file = |(name, content): (&String, &Vec<u8>)| json!({ "name": name, "content_base64": BASE64_STANDARD.encode(content) });
    let files: Vec<_> = tree.iter().map(file).collect();
    let request = server.request("POST", "/api/v1/pastes");
    let request = request.header("Content-Type", "application/json");
    let saved = request.body(json!({ "files": files }).to_string()).send();
    path(saved.header("location").expect("an address"))
}

fn path(url: &str) -> String {
    format!("/{}", url.trim().rsplit('/').next().expect("a URL"))
}

#[test]
#[ignore = "needs bsdtar"]
fn a_tree_that_any_program_packed_comes_back_as_it_was() {
    let server = TestServer::unlimited(&[]);
    let mut runner = TestRunner::default();
    for round in 0..rounds(50) as usize {
        let terminal = Terminal::of(&server);
        terminal.folder.write("pack.py", PACK_IN_PYTHON);
        let folder = terminal.folder.path();
        let tree = trees().new_tree(&mut runner).expect("a tree").current();
        let sent = write(&folder.join("sent"), &tree);
        let pack = PACK[round % PACK.len()];
        let told = || format!("{pack} of {:?}", sent.keys());
        terminal
            .run(&format!("cd sent && LC_ALL=C.UTF-8 {pack} > ../sent.tar"))
            .text();
        let bytes = terminal.folder.read("sent.tar");
        let path = path(server.request("POST", "/").body(&bytes).send().text());
        assert_eq!(server.get(&path).body, bytes, "{}", told());
        for (name, content) in &sent {
            let escaped: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let file = server.get(&format!("{path}?file={escaped}"));
            assert_eq!(
                (file.status, &file.body),
                (200, content),
                "{name}: {}",
                told()
            );
        }
        // An archive of this server is one for all programs.
        let ours = save_files(&server, &sent);
        terminal.folder.write("ours.tar", server.get(&ours).body);
        let unpack = UNPACK[round % UNPACK.len()];
        terminal
            .run(&format!(
                "mkdir back && cd back && LC_ALL=C.UTF-8 {unpack} < ../ours.tar"
            ))
            .text();
        let is_same = read(&folder.join("back"), "") == sent;
        assert!(is_same, "{unpack}: {}", told());
    }
}

/// Those of Go's archives that have files alone.
const OF_FILES: [&str; 8] = [
    "file-and-dir.tar",
    "gnu.tar",
    "invalid-go17.tar",
    "pax-nul-xattrs.tar",
    "pax-records.tar",
    "star.tar",
    "ustar-file-devs.tar",
    "xattrs.tar",
];

#[test]
#[ignore = "needs golang-1.19-src"]
fn a_hostile_archive_stays_the_bytes_that_it_was_or_has_the_files_that_tar_finds() {
    let server = TestServer::unlimited(&[]);
    let terminal = Terminal::of(&server);
    let corpus = Path::new("/usr/share/go-1.19/src/archive/tar/testdata");
    let mut of_files = Vec::new();
    for entry in fs::read_dir(corpus).expect("the archives") {
        let name = entry.expect("an archive").file_name();
        let name = name.to_string_lossy().into_owned();
        let bytes = fs::read(corpus.join(&name)).expect("an archive");
        let path = path(server.request("POST", "/").body(&bytes).send().text());
        assert_eq!(server.get(&path).body, bytes, "{name}");
        assert_eq!(server.browse(&path).status, 200, "{name}");
        let read = server.get(&format!("/api/v1/pastes{path}"));
        let read: Value = serde_json::from_slice(&read.body).expect("JSON");
        let Some(files) = read["files"].as_array() else {
            continue;
        };
        let found = files
            .iter()
            .map(|file| file["name"].as_str().expect("a name"));
        let list = format!(
            "tar tf {}/{name} 2>/dev/null | grep -v '/$'; :",
            corpus.display()
        );
        assert_eq!(
            terminal.run(&list).text(),
            found.map(|name| format!("{name}\n")).collect::<String>()
        );
        of_files.push(name);
    }
    of_files.sort_unstable();
    assert_eq!(of_files, OF_FILES);
}
