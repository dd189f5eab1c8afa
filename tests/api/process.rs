//! The program itself: its start, its log, its health check and its stop.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::{Request, connect};
use crate::folder::Folder;
use crate::server::Saved;

/// The program without the environment of this process and without a `.env`.
pub fn tidebin(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidebin"));
    command
        .args(args)
        .env_clear()
        .current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A running program.
pub struct Running {
    child: Child,
    log: BufReader<ChildStderr>,
    addr: SocketAddr,
}

/// Ends the program even if the test fails.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub fn start(args: &[&str]) -> Self {
        Self::start_with(args, &[])
    }

    /// Starts the program with these environment variables only.
    pub fn start_with(args: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = tidebin(&[&["--addr", "127.0.0.1:0"], args].concat());
        let mut child = command
            .envs(environment.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut log = BufReader::new(child.stderr.take().expect("it has a log"));
        let (mut line, mut told) = (String::new(), String::new());
        // A line about the data directory may come first.
        while !line.contains("http://") {
            told += &line;
            line.clear();
            let read = log.read_line(&mut line).expect("the log is text");
            assert!(read > 0, "it ended before it listened: {told}");
        }
        let addr = line.split("http://").nth(1).and_then(|rest| {
            rest.split([' ', '"', ':'])
                .next()
                .zip(rest.split(':').nth(1))
        });
        let (host, port) = addr.unwrap_or_else(|| panic!("no address in {line:?}"));
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        Self {
            child,
            log,
            addr: format!("{host}:{port}").parse().expect("an address"),
        }
    }

    pub fn send(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).expect("it runs");
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Waits for the next line of the program's log.
    pub fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.log.read_line(&mut line).expect("the log is text");
        line
    }

    /// Waits until the program ends. Returns its exit code and the rest of its log.
    pub fn wait(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.log.read_to_string(&mut log).expect("the log is text");
        (self.child.wait().expect("it ends").code(), log)
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.addr, method, path)
    }
}

/// The bytes of the process in memory, without the pages of its program file, which the system drops and reads again.
pub fn resident_bytes(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.unwrap().trim().parse::<usize>().unwrap() * 1024
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

#[test]
fn the_line_of_a_request_is_logged_while_the_server_runs() {
    let mut running = Running::start(&["--log", "info"]);
    assert_eq!(running.request("GET", "/help").send().status, 200);
    let line = running.next_line();
    assert!(
        line.contains("INFO request method=\"GET\" route=\"/help\""),
        "{line}"
    );
}

#[test]
fn a_stop_tells_how_many_pastes_are_lost_or_kept() {
    let folder = Folder::new("kept");
    let data = folder.path().join("data").display().to_string();
    for (args, end) in [
        (
            &[][..],
            "stopped: the pastes in memory are lost pastes=2 used=",
        ),
        (&["--data", &data], "the database is closed pastes=2 used="),
    ] {
        let running = Running::start(args);
        for content in ["x", "y"] {
            let saved = running.request("POST", "/").body(content).send();
            assert_eq!(saved.status, 201);
        }
        running.send(Signal::TERM);
        let (code, log) = running.wait();
        assert_eq!(code, Some(0));
        let told: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("pastes="))
            .collect();
        assert!(matches!(told[..], [line] if line.contains(end)), "{log}");
    }
}

#[test]
fn a_bad_setting_stops_the_start_and_is_named() {
    for (args, environment, words) in [
        (
            &["--max-paste-size", "12 parsecs"][..],
            ("A", "b"),
            &["--max-paste-size", "64KiB"][..],
        ),
        (
            &[],
            ("TIDEBIN_MAX_EXPIRY", "soon"),
            &["TIDEBIN_MAX_EXPIRY", "7d"],
        ),
        (
            &[],
            ("TIDEBIN_MAX_PASTE_SIZ", "1MiB"),
            &["TIDEBIN_MAX_PASTE_SIZ", "TIDEBIN_MAX_PASTE_SIZE"],
        ),
        (
            &["--max-store-size", "256KiB"],
            ("TIDEBIN_MAX_IN_FLIGHT", "1MiB"),
            &[
                "tidebin: TIDEBIN_MAX_STORE_SIZE (256 KiB) is too small",
                "tidebin: TIDEBIN_MAX_IN_FLIGHT (1 MiB) is too small",
                "TIDEBIN_MAX_PASTE_SIZE",
            ],
        ),
        (
            &["--max-store-size", "1000000GiB"],
            ("A", "b"),
            &["--max-store-size", "64 GiB"],
        ),
        (&["--log", "inof"], ("A", "b"), &["--log", "inof"]),
        (
            &["--addr", "192.0.2.1:1"],
            ("A", "b"),
            &[
                "192.0.2.1:1",
                "Use an address of this machine, ",
                "TIDEBIN_ADDR",
            ],
        ),
    ] {
        let output = tidebin(args)
            .env(environment.0, environment.1)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        for word in words {
            assert!(
                message(&output).contains(word),
                "no {word} in {}",
                message(&output)
            );
        }
    }
}

#[test]
fn every_command_works_in_a_folder_that_its_user_may_not_search() {
    // Given a folder whose `.env` cannot be looked for
    let folder = Folder::new("hidden");
    folder.write(".env", "rubbish");
    let run = |args: &[&str]| {
        // Root may search every folder until it gives this right away.
        let drop = match rustix::process::geteuid().is_root() {
            true => "setpriv --bounding-set=-all --inh-caps=-all",
            false => "",
        };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("chmod 0 . && exec {drop} \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_tidebin")).args(args);
        command
            .env_remove("TIDEBIN_DATA")
            .current_dir(folder.path());
        command
    };
    // When commands run there, then they do what they can do without a `.env`
    let check = message(&run(&["check"]).output().unwrap());
    assert!(
        check.starts_with("tidebin: TIDEBIN_DATA is not set."),
        "{check}"
    );
    let made = run(&["key", "new", "alice", "--keys", "/no/keys"])
        .output()
        .unwrap();
    assert!(message(&made).contains("--keys: \"/no/keys\""), "{made:?}");
    // And a server says so in its log
    let mut server = run(&["--addr", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let first = log.next().unwrap_or_default();
    assert!(first.contains("WARN no .env was looked for: "), "{first}");
    assert!(log.any(|line| line.contains("listening")));
    server.kill().unwrap();
    server.wait().unwrap();
    // But a `.env` that is there and cannot be read stops every command
    let mode = PermissionsExt::from_mode(0o700);
    fs::set_permissions(folder.path(), mode).unwrap();
    fs::remove_file(folder.path().join(".env")).unwrap();
    fs::create_dir(folder.path().join(".env")).unwrap();
    let mut check = tidebin(&["check"]);
    let refused = message(&check.current_dir(folder.path()).output().unwrap());
    let expected = format!(
        "tidebin: .env in {} cannot be read (",
        folder.path().display()
    );
    assert!(refused.starts_with(&expected), "{refused}");
}

#[test]
fn help_is_printed_and_exits_with_0() {
    let output = tidebin(&["--help"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("TIDEBIN_MAX_STORE_SIZE")
    );
}

#[test]
fn the_health_check_exits_with_0_while_the_server_serves_and_else_with_1() {
    let running = Running::start(&[]);
    let addr = running.addr.to_string();
    let check = || {
        tidebin(&["healthcheck"])
            .env("TIDEBIN_ADDR", &addr)
            .output()
            .unwrap()
    };
    assert_eq!(check().status.code(), Some(0));
    running.send(Signal::TERM);
    assert_eq!(running.wait().0, Some(0));
    assert_eq!(check().status.code(), Some(1));
}

#[test]
fn the_log_has_a_line_per_request_and_never_a_secret() {
    let running = Running::start(&[]);
    let answer = running
        .request("POST", "/?title=hidden-title")
        .body("hidden-content")
        .send();
    let saved = Saved::of(&answer);
    running
        .request("GET", &saved.path)
        .header("X-Token", "hidden-header")
        .send();
    let locked = running
        .request("POST", "/?burn=1&password=hidden-password")
        .body("hidden-content")
        .send();
    let locked = Saved::of(&locked);
    for password in ["hidden-guess", "hidden-password"] {
        let read = running.request("POST", &locked.path);
        read.header("X-Password", password).send();
    }
    running
        .request("GET", "/raw/hidden-path?hidden=query")
        .send();
    running.request("HIDDEN-METHOD", "/").send();
    running
        .request("DELETE", &saved.path)
        .header("X-Token", &saved.token)
        .send();
    for rubbish in [
        "GET / HTTP/1.1\r\nhidden",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhidden",
        "hidden\r\n\r\n",
    ] {
        let mut stream = connect(running.addr);
        stream.write_all(rubbish.as_bytes()).unwrap();
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    running.send(Signal::TERM);
    let (code, log) = running.wait();
    assert_eq!(code, Some(0));
    for line in [
        "INFO request method=\"POST\" route=\"/\" status=201 bytes=",
        "INFO request method=\"GET\" route=\"/{id}\" status=200 bytes=14 ms=",
        "INFO request method=\"POST\" route=\"/{id}\" status=401",
        "INFO request method=\"POST\" route=\"/{id}\" status=200 bytes=14 ms=",
        "INFO request method=\"GET\" route=\"/raw/{id}\" status=404",
        "INFO request method=\"OTHER\" route=\"/\" status=405",
        "INFO request method=\"DELETE\" route=\"/{id}\" status=200",
    ] {
        assert!(log.contains(line), "no {line} in {log}");
    }
    for secret in [
        "hidden",
        "HIDDEN",
        &saved.id,
        &saved.token,
        &locked.id,
        &locked.token,
        "127.0.0.1",
        "WARN",
        "ERROR",
    ] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

#[test]
fn json_lines_are_json() {
    let running = Running::start(&["--log-format", "json"]);
    running.request("GET", "/help").send();
    running.send(Signal::INT);
    let (code, log) = running.wait();
    assert_eq!(code, Some(0));
    let line: serde_json::Value =
        serde_json::from_str(log.lines().next().expect("a line")).unwrap();
    assert_eq!(
        (&line["method"], &line["route"], &line["status"]),
        (&"GET".into(), &"/help".into(), &200.into())
    );
}
