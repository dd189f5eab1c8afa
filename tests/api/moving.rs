//! The scripts of `deploy/import`, which move the pastes of other pastebins: about a thousand in the form of each.

mod files;
mod haste;
mod privatebin;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::client::Request;
use crate::folder::Folder;
use crate::free_port::free_address;
use crate::keys::KeysFile;
use crate::server::TestServer;

/// A server, a key that may save 400 pastes at once and 100 a second, and a folder where a script runs.
struct Import {
    server: TestServer,
    folder: Folder,
    _keys: KeysFile,
    base: &'static str,
    script: &'static str,
    arguments: Vec<String>,
}

impl Import {
    fn start(script: &'static str, arguments: &[&str]) -> Self {
        Self::below("", script, arguments)
    }

    /// A server with this base path.
    fn below(base: &'static str, script: &'static str, arguments: &[&str]) -> Self {
        let (keys, folder) = (KeysFile::new(), Folder::new("import"));
        let key = keys.make(&["import", "--limit", "x100"]);
        folder.write("key.header", format!("Authorization: Bearer {key}\n"));
        let flags = ["--keys", keys.path(), "--max-expiry", "never"];
        let url = format!("https://paste.example.org{base}");
        let limit = ["--limit-save", "rate 1/s burst 4", "--base-url", &url];
        Self {
            server: TestServer::limited(&[flags.as_slice(), &limit].concat()),
            folder,
            _keys: keys,
            base,
            script,
            arguments: arguments.iter().copied().map(str::to_owned).collect(),
        }
    }

    /// Writes these files below the folder.
    fn write(&self, files: &[(&str, &str)]) {
        for (path, content) in files {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    /// The script, which sleeps until it gets a line.
    fn command(&self) -> Command {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/import");
        // A program that runs in the background may ignore the signal of Ctrl+C.
        let asleep = "import runpy, signal, sys, time; time.sleep = lambda _: sys.stdin.readline(); del sys.argv[0]; \
             signal.signal(signal.SIGINT, signal.default_int_handler); sys.path[0] = sys.argv[0].rpartition('/')[0]; runpy.run_path(sys.argv[0], run_name='__main__')";
        let mut command = Command::new("python3");
        command
            .args(["-B", "-c", asleep])
            .arg(scripts.join(self.script))
            .arg(format!("http://{}{}/", self.server.addr, self.base))
            .arg("key.header")
            .args(&self.arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the script to its end. Returns what it printed, and what it left out.
    #[track_caller]
    fn run(&self) -> (String, String) {
        let output: Output = self.command().output().expect("python3 runs");
        let [printed, left] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success(), "{left}");
        (printed, left)
    }

    /// Starts the script, and returns it once it waits for the limit of saves. On a busy machine it may wait for the
    /// server before, and then goes on.
    fn until_it_waits(&self) -> Child {
        let mut script = self.command().spawn().expect("python3 runs");
        let stdin = script.stdin.as_mut().unwrap();
        let told = BufReader::new(script.stderr.as_mut().unwrap()).lines();
        let is_limited = told.map(Result::unwrap).any(|line| {
            let is_limit = line.starts_with("Waiting 1 seconds: You can save");
            if !is_limit && line.starts_with("Waiting ") {
                stdin.write_all(b"\n").unwrap();
            }
            is_limit
        });
        assert!(is_limited);
        script
    }

    /// Runs the script to its end. It is ended twice before, and the last line of the journal was not written whole.
    fn run_interrupted(&self) -> (String, String) {
        for signal in [Signal::KILL, Signal::INT] {
            let mut script = self.until_it_waits();
            kill_process(Pid::from_child(&script), signal).expect("it runs");
            assert!(!script.wait().unwrap().success());
            let journal = self.folder.path().join("moved.map");
            let journal = OpenOptions::new().write(true).open(journal).unwrap();
            let length = journal.metadata().unwrap().len();
            journal.set_len(length - 9).unwrap();
            self.server.advance(Duration::from_secs(4));
        }
        self.run()
    }

    fn get(&self, path: &str) -> Request {
        self.server.request("GET", path)
    }

    /// The bytes at this path.
    #[track_caller]
    fn read(&self, path: &str) -> Vec<u8> {
        let read = self.get(path).send();
        assert_eq!(read.status, 200, "{path}: {read:?}");
        read.body
    }

    fn pastes(&self) -> usize {
        self.server.store.occupancy().pastes
    }
}

#[test]
#[ignore = "needs python3"]
fn a_script_has_the_limits_of_its_key_and_waits_as_long_as_the_server_says() {
    let import = Import::start("files.py", &["upload"]);
    let files: Vec<_> = (0..450).map(|it| format!("upload/file-{it}")).collect();
    let files: Vec<_> = files.iter().map(|path| (&**path, "x")).collect();
    import.write(&files);
    let mut script = import.until_it_waits();
    assert_eq!(import.pastes(), 400);
    import.server.advance(Duration::from_secs(1));
    script.stdin.take().unwrap().write_all(b"\n").unwrap();
    let output = script.wait_with_output().unwrap();
    assert_eq!(
        output.stdout,
        b"450 saved, 0 were saved before, 0 left out\n"
    );
    assert_eq!(import.pastes(), 450);
}

#[test]
#[ignore = "needs python3"]
fn a_script_stops_with_a_sentence_if_its_key_is_wrong_or_there_is_no_server() {
    let mut import = Import::start("files.py", &["upload"]);
    import.write(&[
        ("upload/a.txt", "x"),
        ("key.header", "Authorization: Bearer tbk_wrong\n"),
    ]);
    let assert_stopped = |import: &Import, start: &str| {
        let stopped = import.command().output().unwrap();
        let told = String::from_utf8(stopped.stderr).unwrap();
        assert_eq!((stopped.status.code(), import.pastes()), (Some(1), 0));
        assert!(
            told.starts_with(start) && told.ends_with("Run it again to go on.\n"),
            "{told}"
        );
    };
    assert_stopped(&import, "Stopped at /a.txt: This key is not valid");
    let addr = std::mem::replace(&mut import.server.addr, free_address());
    assert_stopped(&import, "Stopped: ");
    import.server.addr = addr;
    // And a folder that is not there is no import that has nothing to do
    import.arguments = vec!["elsewhere".to_owned()];
    let stopped = import.command().output().unwrap();
    assert_eq!(
        (stopped.status.code(), &*stopped.stderr),
        (Some(1), &b"Found no pastes there.\n"[..])
    );
}
