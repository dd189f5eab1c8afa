//! The shell function `pb` as the server serves it, run by the shells and the curl of this machine.

use std::os::unix::fs::PermissionsExt;

use crate::server::TestServer;
use crate::terminal::{Printed, Terminal};

mod failures;
mod keys;
mod shells;
mod waiting;

const FUNCTION: &str = include_str!("../../docs/pb.sh");

/// Every run sources the function in a strict shell, where it saves on the server that served it. Its curl ends when it
/// hangs, and uses no proxy.
const PROFILE: &str = "\
set -eu
unset XDG_DATA_HOME
export REAL_PATH=\"$PATH\"
export PATH=\"$HOME/bin:$PATH\" TMPDIR=\"$HOME/temporary\"
. \"$HOME/pb.sh\"
";

const CURL: &str = "\
#!/bin/sh
PATH=$REAL_PATH
exec curl \"$@\" --max-time 60 --noproxy '*'
";

/// A program of the folder `recorded`. It records its arguments, and runs the program of its name.
const RECORDER: &str = "\
#!/bin/sh
printf '%s\\0' \"$0\" \"$@\" >>\"$HOME/arguments\"
PATH=$HOME/bin:$REAL_PATH
exec \"${0##*/}\" \"$@\"
";

/// A person's shell with the function.
struct Shell<'a> {
    terminal: Terminal<'a>,
    name: &'static str,
}

/// Runs a test in both shells, each with a server of its own.
fn in_every_shell(test: impl Fn(&TestServer, &Shell<'_>)) {
    in_every_shell_with(&[], "", test);
}

/// Does the same, with a server of these flags that gives its function to the holder of this key.
fn in_every_shell_with(flags: &[&str], key: &str, test: impl Fn(&TestServer, &Shell<'_>)) {
    for name in ["sh", "bash"] {
        let server = TestServer::with(flags);
        let terminal = Terminal::of(&server);
        terminal.run("mkdir bin temporary").text();
        let function = server.request("GET", "/pb.sh");
        let function = match key {
            "" => function.send(),
            key => function.header("Authorization", key).send(),
        };
        for (file, content) in [("pb.sh", function.text()), ("bin/curl", CURL)] {
            terminal.folder.write(file, content);
        }
        terminal.run("chmod +x bin/curl").text();
        let shell = Shell { terminal, name };
        test(&server, &shell);
        let left = shell.terminal.run("ls temporary").text();
        assert_eq!(left, "", "{name}: temporary files");
    }
}

impl Shell<'_> {
    fn run(&self, script: &str) -> Printed {
        self.write("script", format!("{PROFILE}{script}\n"));
        self.terminal.run(&format!("{} script", self.name))
    }

    /// Runs a script that saves a paste; returns the path of the paste.
    #[track_caller]
    fn save(&self, script: &str) -> String {
        let url = self.run(script).text();
        let path = url.trim_end().splitn(4, '/').nth(3);
        let path = path.unwrap_or_else(|| panic!("{script}: no URL, but {url:?}"));
        assert!(path.len() == 12 && url.lines().count() == 1, "{url}");
        format!("/{path}")
    }

    /// Runs a command that fails; returns its error message.
    #[track_caller]
    fn fail(&self, command: &str) -> String {
        let stored = self.tokens();
        let script = format!("if {command} >printed 2>message; then echo succeeded; fi");
        assert_eq!(self.run(&script).text(), "", "{command}");
        assert_eq!(self.read("printed"), "", "{command}: standard output");
        assert_eq!(self.tokens(), stored, "{command}: the tokens changed");
        let message = self.read("message");
        assert!(message.ends_with('\n'), "{command}: {message:?}");
        message
    }

    /// Returns the command after which every program records its arguments in the file `arguments`. Then no other
    /// program is found.
    fn record(&self) -> &'static str {
        let programs = "awk cat curl grep head mkdir mktemp od rm sed stty tr";
        self.write("recorder", RECORDER);
        let copy = "cp recorder recorded/$name";
        let script =
            format!("mkdir recorded; for name in {programs}; do {copy}; done; chmod +x recorded/*");
        self.run(&script).text();
        "PATH=$HOME/recorded"
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.terminal.folder.write(name, content);
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.terminal.folder.read(name)).into_owned()
    }

    fn tokens(&self) -> String {
        let file = ".local/share/pb/tokens";
        self.terminal
            .run(&format!("if test -e {file}; then cat {file}; fi"))
            .text()
    }
}

#[test]
#[ignore = "needs curl"]
fn a_language_and_a_title_are_named_and_help_is_shown() {
    in_every_shell(|server, shell| {
        shell.write("file", "x = 1");
        let script = "pb -l go -t 'A title' file; pb --help; pb get --help >again";
        let printed = shell.run(script).text();
        let (url, usage) = printed.split_once('\n').unwrap();
        let id = url.rsplit('/').next().unwrap();
        let object = server.get(&format!("/api/v1/pastes/{id}"));
        let object: serde_json::Value = serde_json::from_slice(&object.body).unwrap();
        assert_eq!(
            (&object["title"], &object["language"]),
            (&"A title".into(), &"go".into())
        );
        assert!(usage.starts_with("usage: pb ") && usage.contains("-l LANGUAGE"));
        assert_eq!(shell.read("again"), usage);
    });
}

#[test]
fn the_function_has_at_most_forty_five_lines() {
    let (_, function) = FUNCTION.split_once("\npb()").unwrap();
    let lines = function.lines().filter(|it| !it.trim().is_empty()).count();
    assert!((1..=45).contains(&lines), "{lines}");
    assert!(FUNCTION.lines().all(|line| line.chars().count() <= 120));
}

#[test]
#[ignore = "needs curl"]
fn files_of_any_name_and_standard_input_come_back_exactly() {
    let bytes: Vec<u8> = (0..=255).chain(*b"\r\n\n").collect();
    in_every_shell(|server, shell| {
        for (name, argument, title) in [
            ("main.rs", "main.rs", "main.rs"),
            ("-dash", "-- -dash", "-dash"),
            ("-dash", "./-dash", "-dash"),
            (
                "a b;c,é=\"d\".rs",
                "'a b;c,é=\"d\".rs'",
                "a b;c,é=&#34;d&#34;.rs",
            ),
            ("new\nline", "'new\nline'", "new line"),
            ("@$HOME", "'@$HOME'", "@$HOME"),
        ] {
            shell.write(name, &bytes);
            let path = shell.save(&format!("pb {argument}"));
            let page = server.browse(&path);
            let shown = format!("<bdi>{title}</bdi>");
            assert!(page.text().contains(&shown), "{argument}");
            assert_eq!(server.get(&path).body, bytes, "{argument}");
            let read = shell.run(&format!("pb get $URL{path}"));
            assert_eq!(read.bytes(), bytes, "{argument}");
        }
        for script in [
            "cat main.rs | pb",
            "pb - <main.rs",
            "PB_URL=$URL/; pb main.rs",
        ] {
            let path = shell.save(script);
            assert_eq!(server.get(&path).body, bytes, "{script}");
        }
    });
}

#[test]
#[ignore = "needs curl"]
fn a_paste_has_the_expiry_and_the_views_that_were_asked_for() {
    in_every_shell(|server, shell| {
        let brief = shell.save("echo text | pb -e 2h");
        let burning = shell.save("echo secret | pb -b 1");
        assert_eq!(server.get(&burning).status, 405);
        let read = shell.run(&format!("pb get $URL{burning}"));
        assert_eq!(read.text(), "secret\n");
        let message = shell.fail(&format!("pb get $URL{burning}"));
        assert_eq!(message, server.get(&burning).text());
        server.advance(std::time::Duration::from_secs(2 * 3600 - 1));
        assert_eq!(server.get(&brief).status, 200);
        server.advance(std::time::Duration::from_secs(2));
        assert_eq!(server.get(&brief).status, 410);
    });
}

#[test]
#[ignore = "needs curl"]
fn a_link_is_read_as_its_target() {
    in_every_shell(|_server, shell| {
        let target = "https://example.org/long";
        let read = shell.run(&format!("pb get \"$(curl -F url={target} $URL)\""));
        assert_eq!(read.text(), format!("{target}\n"));
    });
}

#[test]
#[ignore = "needs curl"]
fn a_password_is_read_from_a_file() {
    in_every_shell(|server, shell| {
        shell.write("password", "pass \"$word\\ \n");
        shell.write("wrong", "wrong\n");
        let path = shell.save("echo secret | pb -P password -b 2");
        assert_eq!(server.get(&path).status, 405);
        let message = shell.fail(&format!("pb get -P wrong $URL{path}"));
        assert!(message.contains("password"), "{message}");
        for _ in 0..2 {
            let read = shell.run(&format!("pb get -P password $URL{path}"));
            assert_eq!(read.text(), "secret\n");
        }
        assert_eq!(server.get(&path).status, 410);
    });
}

#[test]
#[ignore = "needs curl"]
fn a_password_is_asked_for_without_echo() {
    in_every_shell(|server, shell| {
        shell.write("keys", "pass word\n");
        // The password is typed when the question is on the screen.
        let type_it = |script: &str| {
            shell.write("script", format!("{PROFILE}{script}\n"));
            let line = format!(
                "rm -f screen; for _ in $(seq 600); do grep -qs Password: screen && break; sleep 0.05; done | \
                 (cat; cat keys) | script -qefc '{} script' screen",
                shell.name
            );
            let shown = shell.terminal.run(&line).text();
            assert!(shown.contains("Password: "), "{shown}");
            assert!(!shown.contains("pass word"), "{shown}");
        };
        let only = shell.record();
        type_it(&format!(
            "{only}; echo secret | pb -p >saved; stty -a >terminal"
        ));
        let saved = shell.read("saved");
        let id = saved.trim_end().rsplit('/').next().unwrap_or_default();
        assert_eq!(server.get(&format!("/{id}")).status, 401);
        type_it(&format!("{only}; pb get $(cat saved) >printed"));
        assert_eq!(shell.read("printed"), "secret\n");
        let settings = shell.read("terminal");
        assert!(settings.contains(" echo "), "{settings}");
        assert!(!shell.read("arguments").contains("pass word"));
    });
}

#[test]
#[ignore = "needs curl"]
fn the_tokens_are_stored_for_their_owner_alone_and_delete_their_pastes() {
    in_every_shell(|server, shell| {
        let first = shell.save("umask 000; echo first | pb");
        let second = shell.save("echo second | pb");
        let folder = shell.terminal.folder.path().join(".local/share/pb");
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder.join("tokens")), 0o600);
        assert_eq!(mode(folder.clone()), 0o700);
        let tokens = shell.tokens();
        let urls = tokens.lines().filter_map(|line| line.split_once(' '));
        let urls: Vec<_> = urls.map(|(url, _)| url).collect();
        assert!(urls.len() == 2 && urls[0].ends_with(&first) && urls[1].ends_with(&second));
        shell.run(&format!("pb rm $URL{second}")).text();
        let status = [&first, &second].map(|path| server.get(path).status);
        assert_eq!(status, [200, 410]);
        shell.run(&format!("pb rm $URL{first}")).text();
        assert_eq!(server.get(&first).status, 410);
    });
}

#[test]
#[ignore = "needs curl"]
fn a_secret_of_its_own_lists_the_pastes_of_a_server_and_deletes_them_elsewhere() {
    in_every_shell(|server, shell| {
        shell.fail("pb ls");
        let saved = shell.save("umask 000; echo text | pb");
        let again = shell.save("echo text | pb");
        let owners = shell.terminal.folder.path().join(".local/share/pb/owners");
        let mode = std::fs::metadata(&owners).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // One secret, which both pastes belong to
        assert_eq!(std::fs::read_to_string(&owners).unwrap().lines().count(), 1);
        let list = shell.run("pb ls").text();
        let places = [&again, &saved].map(|path| list.find(path.as_str()));
        assert!(places[0].is_some() && places[0] < places[1], "{list}");
        // A machine with the secret and without the token
        shell
            .run("rm ~/.local/share/pb/tokens; echo >~/.local/share/pb/tokens")
            .text();
        shell.run(&format!("pb rm $URL{saved}")).text();
        assert_eq!(server.get(&saved).status, 410);
        // And no other server gets it
        shell.fail("PB_URL=http://127.0.0.1:1 pb ls");
    });
}

#[test]
#[ignore = "needs curl"]
fn no_program_gets_a_token_or_a_password_as_an_argument() {
    in_every_shell(|_server, shell| {
        shell.write("password", "hush-1234567\n");
        let only = shell.record();
        let path = shell.save(&format!("{only}; echo text | pb -P password -b 5 -e 2h"));
        let command = format!("({only}; pb get -P password $URL{path})");
        shell.run(&command).text();
        shell.run(&format!("({only}; pb ls)")).text();
        let owners = shell.read(".local/share/pb/owners");
        let owner = owners.trim_end().rsplit(' ').next().unwrap_or_default();
        let stored = shell.tokens();
        let token = stored.trim_end().rsplit(' ').next().unwrap_or_default();
        shell.run(&format!("({only}; pb rm $URL{path})")).text();
        shell.fail(&format!("({only}; pb rm $URL{path})"));
        let message = shell.fail(&format!("({only}; XDG_DATA_HOME=/dev/null pb password)"));
        let lost = message.trim_end().rsplit(' ').next().unwrap_or_default();
        let arguments = shell.read("arguments");
        for part in ["-X\0POST", "-X\0DELETE", "password=<password", &path] {
            assert!(arguments.contains(part), "{part} is not recorded");
        }
        for secret in ["hush-1234567", token, lost, owner] {
            let is_shown = arguments.contains(secret);
            assert!(secret.len() >= 12 && !is_shown, "{secret}");
        }
    });
}

#[test]
#[ignore = "needs curl"]
fn a_failure_prints_the_servers_sentence_and_changes_no_token() {
    in_every_shell(|server, shell| {
        shell.write("file", "text");
        shell.write("large", vec![b'x'; 2 << 20]);
        shell.write("empty", "");
        for command in [
            "pb -e soon file",
            "pb -b '' file",
            "pb -b 0 file",
            "pb -P empty file",
            "pb empty",
            "pb large",
            "pb missing",
            "pb .",
            "pb -P missing file",
            "pb -x file",
            "pb file missing",
            "pb get",
            "pb get file",
            "pb rm",
            "pb ls file",
            "pb rm $URL/0123456789ab",
            "PB_URL=http://127.0.0.1:1 pb file",
        ] {
            shell.fail(command);
        }
        assert_eq!(server.store.occupancy().pastes, 0);
        let path = shell.save("pb file");
        let message = shell.fail("pb get $URL/0123456789ab");
        assert_eq!(message, server.get("/0123456789ab").text());
        server.advance(std::time::Duration::from_secs(8 * 24 * 3600));
        let message = shell.fail(&format!("pb rm $URL{path}"));
        assert_eq!(message, server.get(&path).text());
    });
}

#[test]
#[ignore = "needs curl"]
fn the_usage_names_every_form() {
    in_every_shell(|_server, shell| {
        let usage = shell.run("pb -h").text();
        for part in ["pb [-e", "pb get", "pb wait", "pb ls", "pb rm"] {
            assert!(usage.contains(part), "{usage}");
        }
        for wrong in ["pb -x", "echo x | pb --expires 2h", "pb get --password x"] {
            assert!(shell.fail(wrong).ends_with(&usage), "{wrong}");
        }
    });
}
