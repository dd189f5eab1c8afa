//! Commands as users type them, run by the real curl: from the help, the README, and other services.

use crate::rounds::rounds;
use crate::server::TestServer;
use crate::terminal::Terminal;

/// Lines with ordinary ends, and a last line without a line feed.
const NOTES: &str = "first line\n\tsecond & line=2 %41 +\n\nlast";

/// Bytes of every value from a fixed xorshift generator.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(step)
        .take(length.div_ceil(8))
        .flatten()
        .collect();
    bytes.truncate(length);
    bytes
}

#[test]
#[ignore = "needs curl"]
fn every_command_line_saves_the_exact_bytes() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("notes.txt", NOTES);
    for line in [
        "cat notes.txt | curl --data-binary @- $URL",
        "curl --data-binary @notes.txt $URL/",
        "curl -T notes.txt $URL/",
        "curl -T notes.txt $URL",
        "cat notes.txt | curl -T - $URL",
        "cat notes.txt | curl -T - $URL/",
        "cat notes.txt | curl -X POST -T - $URL",
        "cat notes.txt | curl -H 'Transfer-Encoding: chunked' --data-binary @- $URL",
        "curl -F 'file=@notes.txt' -F expires=2h $URL/",
        "cat notes.txt | curl -F file=@- $URL",
        "cat notes.txt | curl -F 'sprunge=<-' $URL",
        "cat notes.txt | curl -F 'f:1=<-' $URL",
        "cat notes.txt | curl -F 'clbin=<-' $URL",
        "curl -F 'file=@notes.txt' -F secret= $URL",
        "curl --data-urlencode content@notes.txt $URL",
        "curl -H 'Content-Type: text/plain' --data-binary @notes.txt $URL",
        "curl --http1.0 --data-binary @notes.txt $URL",
    ] {
        let id = terminal.save(line);
        for path in [format!("/{id}"), format!("/raw/{id}"), format!("/dl/{id}")] {
            let read = terminal.run(&format!("curl $URL{path}")).text();
            assert_eq!(read, NOTES, "{line} {path}");
        }
    }
}

#[test]
#[ignore = "needs curl"]
fn a_files_name_gives_title_and_language() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("main.rs", "fn main() {}\n");
    terminal.folder.write("my notes é.md", "# Notes\n");
    for (line, title, language) in [
        ("curl -T main.rs $URL/", "main.rs", "Rust"),
        ("curl -T main.rs $URL", "main.rs", "Rust"),
        ("curl -F file=@main.rs $URL", "main.rs", "Rust"),
        ("curl -T 'my notes é.md' $URL", "my notes é.md", "Markdown"),
        (
            "curl -F 'file=@my notes é.md' $URL",
            "my notes é.md",
            "Markdown",
        ),
        (
            "cat main.rs | curl -T - \"$URL/?lang=go&title=mine\"",
            "mine",
            "Go",
        ),
        (
            "curl -T main.rs -H 'X-Title: mine' -H 'X-Lang: go' $URL",
            "mine",
            "Go",
        ),
    ] {
        let page = server.browse(&format!("/{}", terminal.save(line)));
        for part in [
            format!("<bdi>{title}</bdi>"),
            format!("</span>{language}</a>"),
        ] {
            assert!(page.text().contains(&part), "{line}: no {part}");
        }
    }
    for line in ["echo -- | curl -F file=@- $URL", "echo -- | curl -T - $URL"] {
        let id = terminal.save(line);
        let page = server.browse(&format!("/{id}"));
        assert!(page.text().contains("<bdi>Untitled</bdi>"), "{line}");
    }
}

#[test]
#[ignore = "needs curl"]
fn a_download_has_the_name_of_the_file_and_nothing_worse() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("notes.txt", NOTES);
    let notes = terminal.save("curl -T notes.txt $URL");
    let hostile = terminal.save("curl --data-binary @notes.txt \"$URL?title=../../evil\"");
    let untitled = terminal.save("printf 'Low water: 9\\n' | curl -T - $URL");
    assert_eq!(hostile.len(), 12);
    terminal.run("rm notes.txt && mkdir downloads").text();
    for id in [&notes, &hostile, &untitled] {
        let line = format!("cd downloads && curl -OJ $URL/dl/{id}");
        terminal.run(&line).text();
    }
    assert_eq!(
        terminal.folder.read("downloads/notes.txt"),
        NOTES.as_bytes()
    );
    assert_eq!(terminal.run("ls . downloads/ | grep -c evil").text(), "1\n");
    assert_eq!(
        terminal.folder.read("downloads/Low water_ 9.txt"),
        b"Low water: 9\n"
    );
    assert_eq!(terminal.run("ls downloads | wc -l").text().trim(), "3");
}

#[test]
#[ignore = "needs curl"]
fn ranges_and_unchanged_copies_are_answered_as_such() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    let id = terminal.save("printf 'one\ntwo\nthree\n' | curl --data-binary @- $URL");
    let run = |line: &str| terminal.run(&line.replace("ID", &id)).text();
    assert_eq!(run("curl -r 0-4 $URL/ID"), "one\nt");
    assert_eq!(run("curl -r -6 $URL/raw/ID"), "three\n");
    assert_eq!(run("curl \"$URL/ID?lines=2-3\""), "two\nthree\n");
    assert_eq!(
        run("printf 'one\n' > part; curl -C - -o part $URL/ID; cat part"),
        "one\ntwo\nthree\n"
    );

    let status = "-o got -w '%{http_code}'";
    let tagged = format!("curl --etag-save tag --etag-compare tag {status} $URL/ID");
    assert_eq!(run(&tagged), "200");
    assert_eq!(run(&tagged), "304");
    assert_eq!(run("cat got"), "one\ntwo\nthree\n");
    // The server sends no modification date, so the paste is sent again.
    assert_eq!(run(&format!("curl -z got {status} $URL/ID")), "200");
    assert_eq!(
        run("curl -I $URL/ID | grep -ci '^content-length: 14'"),
        "1\n"
    );
}

#[test]
#[ignore = "needs curl"]
fn the_token_that_curl_shows_deletes_the_paste() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    let token = |save: &str| {
        format!(
            "curl {save} $URL | tr -d '\\r' > shown; URL=$(grep ^http shown); TOKEN=$(grep -i ^x-token: shown | cut -d' ' -f2); "
        )
    };
    for (save, delete) in [
        (
            "-i --data-binary hello",
            "curl -X DELETE -H \"X-Token: $TOKEN\" $URL",
        ),
        ("-D - -F 'c=hello'", "curl -F token=$TOKEN -F delete= $URL"),
        ("-i --data hello", "curl -d token=$TOKEN -d delete=1 $URL"),
    ] {
        let line = format!(
            "{}{delete} && curl -o why -w '%{{http_code}}' $URL",
            token(save)
        );
        assert_eq!(terminal.run(&line).text(), "Deleted.\n410", "{delete}");
    }
}

#[test]
#[ignore = "needs curl"]
fn a_body_that_is_too_large_is_refused_with_a_sentence_and_never_with_a_reset() {
    let server = TestServer::with(&["--max-paste-size", "1MiB"]);
    let terminal = Terminal::of(&server);
    terminal.folder.write("large", noise(3 << 20));
    for arguments in [
        "--data-binary @large",
        "-H Expect: --data-binary @large",
        "-T large",
        "-H Expect: -T large",
        "-T - < large",
        "-H Expect: -T - < large",
        "-F file=@large",
        "-H Expect: -F file=@large",
        "-F 'c=<large'",
        "--data-urlencode c@large",
    ] {
        // A reset depends on timing.
        for _ in 0..rounds(1) {
            let line = format!("curl -w '%{{http_code}}' $URL {arguments}");
            assert_eq!(
                terminal.run(&line).text(),
                "The content is larger than the limit of 1 MiB. Split it, or send it as a `.gz` file.\n413",
                "{arguments}"
            );
        }
    }
    assert_eq!(server.store.occupancy().pastes, 0);
}

#[test]
#[ignore = "needs curl"]
fn an_upload_to_a_wrong_url_saves_nothing_and_says_how_to_save() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("notes.txt", NOTES);
    terminal.folder.write("large", noise(100_000));
    let id = terminal.save("curl -T notes.txt $URL/");
    let nothing = "There is no paste at this URL, and nothing was saved. To save one, use `curl -T FILE URL` with the \
                   server's address and a final slash, or send JSON to `/api/v1/pastes`.\n404";
    let no_form = "The body is not a form. To save a new paste, leave the id out of the URL; to replace this one, use \
                   `curl -T` with its token.\n400";
    let too_large = "The form for this paste is too large. To save a new paste, leave the id out of the URL; to replace \
                     this one, use `curl -T` with its token.\n413";
    for (arguments, expected) in [
        ("--data-binary @notes.txt $URL/notes.txt", nothing),
        ("--data-binary @large $URL/large", nothing),
        ("-F file=@notes.txt $URL/upload", nothing),
        ("-F file=@large $URL/upload", nothing),
        ("-d '{\"text\":1}' $URL/upload", nothing),
        (
            "-H 'Content-Type: application/json' -d '{\"text\": 1}' $URL/api/v3",
            nothing,
        ),
        ("-T notes.txt $URL/a/b", nothing),
        ("--data-binary @notes.txt $URL/ID", no_form),
        ("-d '{\"text\":1}' $URL/ID", no_form),
        ("--data-binary @large $URL/ID", too_large),
    ] {
        let line = format!("curl -w '%{{http_code}}' {arguments}").replace("ID", &id);
        assert_eq!(terminal.run(&line).text(), expected, "{arguments}");
    }
    assert_eq!(server.store.occupancy().pastes, 1);
}

#[test]
#[ignore = "needs curl"]
fn the_command_in_the_response_opens_a_password_protected_paste() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    terminal.folder.write("notes.txt", NOTES);
    terminal.folder.write("pw.txt", "correct horse\n");
    for options in ["", "-F burn=1"] {
        let line = format!("curl -F file=@notes.txt -F 'password=<pw.txt' {options} $URL");
        let id = terminal.save(&line);
        let refused = terminal.run(&format!("curl $URL/{id}")).text();
        let command = refused.split('`').nth(1).expect("a command");
        let line = command.replace("URL", &format!("$URL/{id}"));
        assert_eq!(terminal.run(&line).text(), NOTES, "{command}");
    }
}

#[test]
#[ignore = "needs curl"]
fn a_script_that_requests_failures_gets_them() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    for line in [
        "curl -sf $URL/0123456789ab",
        "curl -sf $URL/a/b",
        "curl -sf $URL/?burm=1 -d x",
        "curl -sf $URL -d ''",
    ] {
        assert_eq!(terminal.run(line).code(), Some(22), "{line}");
    }
    let sentence = terminal.run("curl $URL/0123456789ab").text();
    assert!(sentence.ends_with(".\n") && sentence.lines().count() == 1);
}
