//! Real, unmodified programs of other people: each saves, reads back, and deletes if it can.
//!
//! The tables of `docs/clients.md` say which of them work, and these tests read the tables.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::server::TestServer;
use crate::terminal::Terminal;

const NOTES: &str = "line one\n\tline & two = 2 %41 +\n\nlast";

/// The rows of the table in `docs/clients.md` that has this head: the cells of each row.
fn table(head: &str) -> Vec<Vec<String>> {
    let docs = include_str!("../../docs/clients.md");
    let (_, table) = docs.split_once(head).expect("the table is there");
    let rows = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        let cells = row.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().replace('`', "")).collect()
    });
    cells.collect()
}

/// Writes the notes, and returns a terminal with them.
fn terminal(server: &TestServer) -> Terminal<'_> {
    let terminal = Terminal::of(server);
    terminal.folder.write("notes.txt", NOTES);
    terminal
}

/// Runs a line that prints the response to a save with its headers. Returns the path and the token.
fn save_with_headers(terminal: &Terminal<'_>, line: &str) -> (String, String) {
    let printed = terminal.run(line).text();
    let header = printed.lines().find_map(|line| {
        let (name, value) = line.trim().split_once(": ")?;
        name.eq_ignore_ascii_case("x-token")
            .then(|| value.to_owned())
    });
    let url = printed.trim_end().lines().last().expect("a line");
    let (_, id) = url.rsplit_once('/').unwrap_or_else(|| panic!("{printed}"));
    (format!("/{id}"), header.expect("a token"))
}

#[test]
#[ignore = "needs pastebinit"]
fn pastebinit_works_with_each_configuration_that_the_docs_name() {
    let rows = table("| configuration | result |\n");
    assert!(rows.len() >= 10);
    for row in rows {
        let [name, result] = row.as_slice() else {
            panic!("{row:?}");
        };
        let server = TestServer::start();
        let terminal = terminal(&server);
        let own = Path::new("/usr/share/pastebin.d").join(format!("{name}.conf"));
        let own = fs::read_to_string(&own).expect("a configuration of pastebinit");
        // Only the address is changed.
        let lines = own.lines().filter(|line| !line.starts_with("https"));
        let configuration = lines.map(|line| match line.starts_with("basename") {
            true => format!("basename = {}\n", server.addr),
            false => format!("{line}\n"),
        });
        fs::create_dir(terminal.folder.path().join(".pastebin.d")).unwrap();
        let configuration: String = configuration.collect();
        terminal
            .folder
            .write(".pastebin.d/tidebin.conf", configuration);
        let line = "USER=me pastebinit -b $URL notes.txt 2>&1 | tail -n 1";
        let printed = terminal.run(line).text();
        let path = printed
            .trim()
            .strip_prefix(&format!("http://{}/", server.addr));
        let read = path.map(|path| server.get(&format!("/{path}")));
        let works = read.is_some_and(|read| read.body == NOTES.as_bytes());
        assert_eq!(works, result == "works", "{name}: {result}: {printed}");
        let kept = server.store.occupancy().pastes;
        assert!(result != "refused" || kept == 0, "{name}: {printed}");
    }
}

/// A line that runs HTTPie. It uses Debian's libraries, and not those that were installed for other programs.
fn http(arguments: &str) -> String {
    format!("PYTHONPATH= http {arguments}")
}

#[test]
#[ignore = "needs HTTPie"]
fn httpie_saves_reads_back_and_deletes() {
    let server = TestServer::start();
    let terminal = terminal(&server);
    for line in [
        "-p hb POST $URL Accept:text/plain < notes.txt",
        "-p hb --ignore-stdin -f POST $URL file@notes.txt",
        "-p hb --ignore-stdin -f POST $URL content=@notes.txt",
    ] {
        let (path, token) = save_with_headers(&terminal, &http(line));
        let read = terminal.run(&http(&format!("--ignore-stdin GET $URL{path}")));
        assert_eq!(read.text(), NOTES, "{line}");
        let delete = http(&format!("--ignore-stdin DELETE $URL{path} X-Token:{token}"));
        assert_eq!(terminal.run(&delete).text(), "Deleted.\n", "{line}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
    // Without `-f` it sends JSON, which is wastebin's if it has a text.
    let wastebin = http("--ignore-stdin POST $URL text=@notes.txt extension=rs expires:=60");
    let answer = terminal.run(&wastebin).text();
    let path = answer.trim().strip_prefix("{\"path\":\"").unwrap();
    let path = path.strip_suffix("\"}").unwrap();
    assert_eq!(server.get(path).body, NOTES.as_bytes());
}

#[test]
#[ignore = "needs wget"]
fn wget_saves_reads_back_and_deletes() {
    let server = TestServer::start();
    let terminal = terminal(&server);
    for line in [
        "wget -q --save-headers -O- --post-file=notes.txt $URL",
        "wget -q --save-headers -O- --method=PUT --body-file=notes.txt $URL/notes.txt",
    ] {
        let (path, token) = save_with_headers(&terminal, line);
        let read = terminal.run(&format!("wget -qO- $URL{path}"));
        assert_eq!(read.text(), NOTES, "{line}");
        let delete = format!("wget -qO- --method=DELETE --header='X-Token: {token}' $URL{path}");
        assert_eq!(terminal.run(&delete).text(), "Deleted.\n", "{line}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
#[ignore = "needs rpaste"]
fn rpaste_saves_reads_back_and_deletes() {
    let server = TestServer::start();
    let terminal = terminal(&server);
    let saved = terminal.save("rpaste -s $URL -e 10min -n main.py notes.txt");
    let path = format!("/{saved}");
    assert_eq!(server.get(&path).body, NOTES.as_bytes());
    assert!(server.browse(&path).text().contains("Python"));
    server.advance(Duration::from_secs(600));
    assert_eq!(server.get(&path).status, 410);

    let oneshot = terminal.save("rpaste -s $URL -o - < notes.txt");
    let open = || server.request("POST", &format!("/{oneshot}")).send();
    assert_eq!(open().body, NOTES.as_bytes());
    assert_eq!(open().status, 410);

    let link = terminal.save("rpaste -s $URL -u https://example.org/a");
    let followed = server.get(&format!("/{link}"));
    assert_eq!(followed.header("location"), Some("https://example.org/a"));
    let version = terminal.run("rpaste -s $URL -V").text();
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");

    let by_form = server.request("POST", "/").body("x").send();
    let token = by_form.header("x-token").unwrap();
    let (_, id) = by_form.text().trim_end().rsplit_once('/').unwrap();
    let deleted = terminal.run(&format!("rpaste -s $URL -a {token} -d {id}"));
    assert_eq!(deleted.text(), "Deleted.\n");
    assert_eq!(server.get(&format!("/{id}")).status, 410);
    for line in [
        "rpaste -s $URL -o -u https://example.org/a",
        "rpaste -s $URL -r https://example.org/a",
        "rpaste -s $URL -P notes.txt",
    ] {
        let printed = terminal.run(&format!("{line} 2>&1")).text();
        assert!(printed.contains("status code: 400"), "{line}: {printed}");
    }
}
