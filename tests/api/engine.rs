//! A real Valkey or Redis server on a socket in a folder of its own. It is ended by its process id when dropped, and
//! also when the process of the tests ends or is killed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::folder::Folder;

/// How long a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server without pastes.
#[derive(Debug)]
pub struct Engine {
    server: Mutex<Child>,
    folder: Folder,
}

impl Engine {
    /// Starts a server.
    pub fn start() -> Self {
        Self::empty(&[])
    }

    /// Starts an empty server with these options.
    pub fn empty(options: &[&str]) -> Self {
        let folder = Folder::new("engine");
        Self {
            server: Mutex::new(launch_on_socket(&folder, options)),
            folder,
        }
    }

    /// Lets this time pass for all that expires. No real time passes, so keys expire a moment too early.
    pub fn pass(&self, time: Duration) {
        let millis = time.as_millis();
        self.ask(&format!(
            "EVAL \"for _,k in ipairs(redis.call('KEYS','*')) do local t=redis.call('PTTL',k) if t>0 then redis.call('PEXPIRE',k,t-{millis}) end end return 1\" 0"
        ));
    }

    /// Returns the number of stored pastes.
    pub fn pastes(&self) -> usize {
        let count = self.ask("EVAL \"return #redis.call('KEYS','tb:{????????????????}')\" 0");
        let count = count.strip_prefix(':').expect("a number");
        count.parse().expect("a number")
    }

    fn server(&self) -> MutexGuard<'_, Child> {
        self.server.lock().expect("no test panics with it")
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    /// The address, as `TIDEBIN_VALKEY` takes it.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Sends a command without spaces in its words, and returns the first line of the answer.
    pub fn ask(&self, command: &str) -> String {
        let line = self.answer(command);
        assert!(!line.starts_with('-'), "{command}: {line}");
        line
    }

    /// Sends a command as [`Engine::ask`] does, and returns also an error.
    pub fn answer(&self, command: &str) -> String {
        let [line] = self.lines(command);
        line
    }

    /// Sends a command, and returns the first lines of the answer.
    pub fn lines<const N: usize>(&self, command: &str) -> [String; N] {
        let mut stream = UnixStream::connect(self.socket()).expect("the engine listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
            .write_all(format!("{command}\r\n").as_bytes())
            .expect("it is sent");
        let mut lines = BufReader::new(stream).lines();
        [(); N].map(|()| lines.next().expect("a line").expect("an answer"))
    }

    /// Ends the process without a warning.
    pub fn kill(&self) {
        let mut server = self.server();
        let _ = server.kill();
        let _ = server.wait();
        let _ = std::fs::remove_file(self.socket());
    }

    /// Starts a killed server again, with what it wrote to its log.
    pub fn restart(&self, options: &[&str]) {
        *self.server() = launch_on_socket(&self.folder, options);
    }

    /// Stops the process where it is. It answers nothing until it is resumed.
    pub fn hang(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes the process.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.server().id()).expect("a process id");
        let pid = Pid::from_raw(pid).expect("a process id");
        kill_process(pid, signal).expect("the process runs");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

fn launch_on_socket(folder: &Folder, options: &[&str]) -> Child {
    launch(
        folder,
        &[&["--port", "0", "--unixsocket", "s"], options].concat(),
    )
}

/// Starts the process of a server with these options, and waits until it listens and has read its log. It keeps its
/// files in the folder.
pub fn launch(folder: &Folder, options: &[&str]) -> Child {
    let launch = |program: &str| {
        Command::new(program)
            .args(["--save", "", "--dir"])
            .arg(folder.path())
            .args(["--maxmemory", "256mb", "--maxmemory-policy", "volatile-lru"])
            .args(options)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
    };
    let mut server = launch("valkey-server")
        .or_else(|_| launch("redis-server"))
        .expect("valkey-server or redis-server is installed");
    let guard = Guard::of(&server, folder);
    let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut lines = output.by_ref().lines().map_while(Result::ok);
    // The line begins with other words if the server listens on a socket.
    let is_ready = lines.any(|line| line.contains("eady to accept connections"));
    assert!(is_ready, "the engine did not start");
    thread::spawn(move || {
        let _ = io::copy(&mut output, &mut io::sink());
        drop(guard);
    });
    server
}

/// A shell that kills a server and removes its folder once its own input ends, as it does when the process of the tests
/// ends or is killed. It is ended before that when dropped.
struct Guard(Child);

impl Guard {
    fn of(server: &Child, folder: &Folder) -> Self {
        let end = "trap : HUP INT TERM; read -r _; kill -KILL \"$1\"; rm -rf \"$2\"";
        let guard = Command::new("sh")
            .args(["-c", end, "sh"])
            .arg(server.id().to_string())
            .arg(folder.path())
            .stdin(Stdio::piped())
            .spawn();
        Self(guard.expect("a shell"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        // This closes its input too, after it has ended.
        let _ = self.0.wait();
    }
}
