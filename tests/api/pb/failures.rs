//! The function `pb` and servers, files and transfers that fail.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use super::in_every_shell;

/// A server that sends these bytes to every connection and closes it. It ends with the tests.
fn answering(bytes: &str) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let addr = listener.local_addr().expect("it is bound");
    let bytes = bytes.to_owned();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            _ = stream.write_all(bytes.as_bytes());
            _ = stream.shutdown(std::net::Shutdown::Write);
            _ = stream.read_to_end(&mut Vec::new());
        }
    });
    addr
}

const TOKEN: &str = "X-Token: 0123456789\r\n";

/// The command that saves a file on a server which gives this response.
fn save(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n");
    let addr = answering(&format!("{head}Connection: close\r\n\r\n{body}"));
    format!("PB_URL=http://{addr} pb file")
}

#[test]
#[ignore = "needs curl"]
fn a_response_with_one_url_and_one_token_is_a_saved_paste() {
    in_every_shell(|_server, shell| {
        shell.write("file", "text");
        for (status, url) in [
            ("200 OK", "http://example.org/a"),
            ("201 Created", "https://example.org/b"),
        ] {
            let saved = shell.run(&save(status, TOKEN, &format!("{url}\n")));
            assert_eq!(saved.text(), format!("{url}\n"));
            let stored = format!("{url} 0123456789\n");
            assert!(shell.tokens().ends_with(&stored), "{status}");
        }
    });
}

#[test]
#[ignore = "needs curl"]
fn any_other_response_to_a_save_is_shown_without_control_characters() {
    let url = "https://example.org/id\n";
    in_every_shell(|_server, shell| {
        shell.write("file", "text");
        for (status, headers, body) in [
            ("202 Accepted", TOKEN, url),
            ("302 Found", TOKEN, url),
            ("500 Error", TOKEN, url),
            ("201 Created", "", url),
            ("201 Created", "", "https://example.org/id token\n"),
            ("201 Created", "X-Token: a\x1b[2J\r\n", url),
            ("201 Created", TOKEN, ""),
            ("201 Created", TOKEN, "\n"),
            ("201 Created", TOKEN, "https://\n"),
            ("201 Created", TOKEN, "ftp://example.org/id\n"),
            ("200 OK", TOKEN, "<title>Log in</title>\n"),
            ("200 OK", TOKEN, "https://example.org/id token\n"),
            ("200 OK", TOKEN, "https://example.org/\u{e9}\n"),
            ("200 OK", TOKEN, "https://example.org/id\r\n"),
            ("200 OK", TOKEN, "https://example.org/\x1b]0;title\x07\n"),
            (
                "200 OK",
                TOKEN,
                "http://example.org/\nhttp://example.org/b\n",
            ),
        ] {
            let message = shell.fail(&save(status, headers, body));
            let is_clean = |byte| byte == b'\n' || (b' '..=b'~').contains(&byte);
            assert!(message.bytes().all(is_clean), "{message:?}");
            let word = body.trim().rsplit('/').next().unwrap_or_default();
            if word.bytes().all(|byte| byte.is_ascii_graphic()) {
                assert!(message.contains(word), "{message:?}");
            }
        }
    });
}

#[test]
#[ignore = "needs curl"]
fn a_token_is_not_sent_on_to_another_server() {
    in_every_shell(|server, shell| {
        shell.write(".curlrc", "location\ninclude\n");
        let path = shell.save("echo text | pb");
        let other = format!("http://{}{path}", server.addr);
        let addr = answering(&format!(
            "HTTP/1.1 307 Redirect\r\nLocation: {other}\r\nContent-Length: 0\r\n\r\n"
        ));
        let stored = shell.tokens();
        let stored = stored.replace(&server.addr.to_string(), &addr.to_string());
        shell.write(".local/share/pb/tokens", stored);
        let message = shell.fail(&format!("pb rm http://{addr}{path}"));
        assert_eq!(message, "pb: HTTP 307\n");
        assert_eq!(shell.run(&format!("pb get {other}")).text(), "text\n");
    });
}

#[test]
#[ignore = "needs curl"]
fn a_broken_transfer_prints_what_arrived_and_fails() {
    in_every_shell(|_server, shell| {
        for (status, printed) in [("200 OK", "first line\nsec"), ("404 Not Found", "")] {
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: 99");
            let addr = answering(&format!("{head}\r\n\r\nfirst line\nsec"));
            let get = format!("pb get http://{addr}/id >printed 2>message");
            let read = shell.run(&format!("if {get}; then echo succeeded; fi"));
            assert_eq!(read.text(), "");
            assert_eq!(shell.read("printed"), printed, "{status}");
            assert!(shell.read("message").starts_with("curl: "), "{status}");
        }
    });
}

#[test]
#[ignore = "needs curl"]
fn a_token_that_cannot_be_stored_is_printed_with_its_url() {
    in_every_shell(|server, shell| {
        shell.write("file", "text");
        let message = shell.fail("XDG_DATA_HOME=/dev/null pb file");
        let url = format!("http://{}/", server.addr);
        let sentence = message.lines().last().unwrap_or_default();
        let (_, rest) = sentence.split_once(&url).expect("the URL is printed");
        let (id, token) = rest.split_once(' ').expect("the token is printed");
        let response = server
            .request("DELETE", &format!("/{id}"))
            .header("X-Token", token)
            .send();
        assert_eq!(response.status, 200, "{message}");
    });
}

#[test]
#[ignore = "needs curl"]
fn no_token_is_lost_when_pastes_are_saved_and_deleted_at_once() {
    in_every_shell(|_server, shell| {
        let script = "
for number in 1 2 3 4 5 6; do echo $number | pb >>first; done
for url in $(cat first); do
  pb rm $url >>printed &
  echo $url | pb >>second &
done
wait
cat first second >urls
";
        shell.run(script).text();
        let (urls, tokens) = (shell.read("urls"), shell.tokens());
        assert_eq!(urls.lines().count(), 12);
        for url in urls.lines() {
            assert!(tokens.contains(&format!("{url} ")), "{url} has no token");
        }
        for line in tokens.lines() {
            let (url, token) = line.split_once(' ').expect("a URL and a token");
            assert!(urls.contains(url) && token.len() >= 12, "{line}");
        }
    });
}
