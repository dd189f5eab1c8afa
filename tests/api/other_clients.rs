//! Real, unmodified clients of haste and of termbin, pointed at this server.

use std::time::Duration;

use crate::server::TestServer;
use crate::terminal::Terminal;

/// Some clients remove white space around the text, so it has none.
const NOTES: &str = "line one\n\tline & two = 2 %41 +\n\nlast: é";

fn terminal(server: &TestServer) -> Terminal<'_> {
    let terminal = Terminal::of(server);
    terminal.folder.write("notes.txt", NOTES);
    terminal
}

/// Runs a line that prints the URL of the notes, which ends in this way. Reads them back.
#[track_caller]
fn assert_saves(terminal: &Terminal<'_>, server: &TestServer, line: &str, [start, end]: [&str; 2]) {
    let printed = terminal.run(line).text();
    let id = printed
        .strip_prefix(&format!("http://{}{start}", server.addr))
        .and_then(|rest| rest.strip_suffix(&format!("{end}\n")))
        .unwrap_or_else(|| panic!("{line}: {printed:?}"));
    assert_eq!(id.len(), 12, "{line}: {printed:?}");
    let read = server.get(&format!("{start}{id}{end}"));
    assert_eq!(read.text(), NOTES, "{line}");
}

#[test]
#[ignore = "needs hastebin and hastebin-gen of npm"]
fn two_haste_libraries_of_npm_save_and_their_urls_read_back() {
    let server = TestServer::start();
    let terminal = terminal(&server);
    for (call, url) in [
        (
            "require('hastebin').createPaste(text, {server: url})",
            ["/", ""],
        ),
        (
            "require('hastebin').createPaste(text, {server: url, raw: true})",
            ["/raw/", ""],
        ),
        (
            "require('hastebin-gen')(text, {url, extension: 'md'})",
            ["/", ".md"],
        ),
    ] {
        let program = format!(
            "const url = process.env.URL, text = require('fs').readFileSync('notes.txt', 'utf8'); \
             {call}.then(console.log);"
        );
        terminal.folder.write("save.js", program);
        assert_saves(&terminal, &server, "node save.js", url);
    }
}

#[test]
#[ignore = "needs haste-client and posthaste-cli of PyPI"]
fn two_haste_programs_of_pypi_save_and_their_urls_read_back() {
    let server = TestServer::start();
    let terminal = terminal(&server);
    let settings = format!("server_url = http://{}\n", server.addr);
    terminal.folder.write(".hastec", settings);
    for (line, url) in [
        ("haste notes.txt", ["/", ""]),
        ("haste --raw - < notes.txt", ["/raw/", ""]),
        ("posthaste --url $URL < notes.txt", ["/share/", ""]),
        (
            "POSTHASTE_TOKEN=x POSTHASTE_URL=$URL posthaste < notes.txt",
            ["/share/", ""],
        ),
    ] {
        assert_saves(&terminal, &server, line, url);
    }
}

#[test]
#[ignore = "needs haste-client and posthaste-cli of PyPI"]
fn a_refused_document_is_no_success_even_for_a_client_that_ignores_the_status() {
    let server = TestServer::with(&["--max-paste-size", "16B"]);
    let terminal = terminal(&server);
    let settings = format!("server_url = http://{}\n", server.addr);
    terminal.folder.write(".hastec", settings);
    for line in ["haste notes.txt", "posthaste --url $URL < notes.txt"] {
        assert_eq!(terminal.run(line).code(), Some(1), "{line}");
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
#[ignore = "needs nc"]
fn netcat_saves_whether_or_not_it_closes_its_side() {
    let base_url = "http://paste.example.org";
    let server = TestServer::with(&["--tcp-addr", "127.0.0.1:0", "--base-url", base_url]);
    let terminal = terminal(&server);
    let port = server.tcp_addr.unwrap().port();
    for (line, closes) in [
        (format!("nc -N 127.0.0.1 {port} < notes.txt"), true),
        (format!("cat notes.txt | nc 127.0.0.1 {port}"), false),
        (
            format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; cat notes.txt >&3; cat <&3'"),
            false,
        ),
    ] {
        let printed = std::thread::scope(|scope| {
            let printed = scope.spawn(|| terminal.run(&line).text());
            if !closes {
                server.until("waits", |load| load.receiving == 1);
                server.advance(Duration::from_secs(5));
            }
            printed.join().unwrap()
        });
        let path = printed.trim_end().strip_prefix(base_url);
        let path = path.unwrap_or_else(|| panic!("{line}: {printed}"));
        assert_eq!(server.get(path).text(), NOTES, "{line}");
    }
}
