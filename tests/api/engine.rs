//! A real Valkey or Redis server on a socket in a folder of its own. It is ended by its process id when dropped.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::PATIENCE;
use crate::folder::Folder;

/// A server without pastes.
#[derive(Debug)]
pub struct Engine {
    server: Child,
    folder: Folder,
}

impl Engine {
    /// Starts a server whose pastes will be in one shard, so that the budget of a test is not divided.
    pub fn start() -> Self {
        let engine = Self::empty(&[]);
        engine.ask("HSET tb:meta shards 1");
        engine
    }

    /// Starts an empty server with these options.
    pub fn empty(options: &[&str]) -> Self {
        Self::within(Folder::new("engine"), options)
    }

    fn within(folder: Folder, options: &[&str]) -> Self {
        let mut engine = Self {
            server: launch(&folder, options),
            folder,
        };
        engine.wait();
        engine
    }

    fn wait(&mut self) {
        let start = Instant::now();
        while UnixStream::connect(self.socket()).is_err() {
            let ended = self.server.try_wait().expect("its state is known");
            assert_eq!(ended, None, "the engine did not start");
            assert!(start.elapsed() < PATIENCE, "the engine does not start");
            std::thread::yield_now();
        }
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
        let mut stream = UnixStream::connect(self.socket()).expect("the engine listens");
        let patience = Some(Duration::from_secs(10));
        stream.set_read_timeout(patience).expect("a timeout");
        stream
            .write_all(format!("{command}\r\n").as_bytes())
            .expect("it is sent");
        let mut line = String::new();
        BufReader::new(stream)
            .read_line(&mut line)
            .expect("an answer");
        assert!(!line.starts_with('-'), "{command}: {line}");
        line.trim_end().to_owned()
    }

    /// Ends the server without a warning, and starts it again with what it had written to its log.
    pub fn kill_and_restart(&mut self, options: &[&str]) {
        self.kill();
        self.server = launch(&self.folder, options);
        self.wait();
    }

    /// Ends the server without a warning.
    pub fn kill(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_file(self.socket());
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

fn launch(folder: &Folder, options: &[&str]) -> Child {
    let launch = |program: &str| {
        Command::new(program)
            .args(["--port", "0", "--unixsocket", "s", "--save", "", "--dir"])
            .arg(folder.path())
            .args(options)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
    };
    launch("valkey-server")
        .or_else(|_| launch("redis-server"))
        .expect("valkey-server or redis-server is installed")
}
