//! A Valkey or Redis server on a socket in a folder of its own. It is ended by its process id when dropped.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use redis::{Client, Connection};

pub(crate) struct Engine {
    server: Child,
    folder: PathBuf,
    connection: Connection,
}

impl Engine {
    pub(crate) fn start() -> Self {
        let folder = std::env::temp_dir().join(format!("tidebin-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let launch = |program: &str| {
            Command::new(program)
                .args(["--port", "0", "--unixsocket", "s", "--save", "", "--dir"])
                .arg(&folder)
                .args(["--maxmemory", "4gb", "--maxmemory-policy", "volatile-lru"])
                .current_dir(&folder)
                .stdout(Stdio::null())
                .spawn()
        };
        let server = launch("valkey-server").or_else(|_| launch("redis-server"));
        let server = server.expect("valkey-server or redis-server is installed");
        let client = Client::open(format!("unix://{}/s", folder.display())).unwrap();
        let start = Instant::now();
        let connection = loop {
            match client.get_connection() {
                Ok(connection) => break connection,
                Err(error) => assert!(start.elapsed() < Duration::from_secs(10), "{error}"),
            }
        };
        Self {
            server,
            folder,
            connection,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("unix://{}/s", self.folder.display())
    }

    pub(crate) fn version(&mut self) -> String {
        let version = self.info("server", "valkey_version:");
        match version.is_empty() {
            true => format!("Redis {}", self.info("server", "redis_version:")),
            false => format!("Valkey {version}"),
        }
    }

    pub(crate) fn clear(&mut self) {
        // Valkey would free the memory later, while a bench measures it.
        let mut flush = redis::cmd("FLUSHALL");
        flush.arg("SYNC").exec(&mut self.connection).unwrap();
    }

    pub(crate) fn reset_stats(&mut self) {
        redis::cmd("CONFIG")
            .arg("RESETSTAT")
            .exec(&mut self.connection)
            .unwrap();
    }

    pub(crate) fn used_memory(&mut self) -> u64 {
        self.info("memory", "used_memory:").parse().unwrap()
    }

    /// The engine's time for these commands since the statistics were reset, divided by a number of operations, in
    /// microseconds.
    pub(crate) fn time_of_all(&mut self, commands: &[&str], operations: u64) -> f64 {
        let mut sum = 0.0;
        for command in commands {
            sum += self.stat(command, "usec=").unwrap_or(0.0);
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of operations")]
        let operations = operations as f64;
        sum / operations
    }

    /// The engine's time for its own commands with this number of bytes, in microseconds. They come as those of a node:
    /// many at once, each for another key.
    pub(crate) fn time_of_set_and_get(&mut self, count: u64, bytes: usize) -> [f64; 2] {
        const AT_ONCE: u64 = 64;
        let content = vec![7_u8; bytes];
        self.reset_stats();
        for command in ["SET", "GET"] {
            for first in (0..count).step_by(64) {
                let mut commands = redis::pipe();
                for number in first..count.min(first + AT_ONCE) {
                    commands.cmd(command).arg(format!("bench:{number}"));
                    if command == "SET" {
                        commands.arg(&content);
                    }
                    commands.ignore();
                }
                commands.exec(&mut self.connection).unwrap();
            }
        }
        let times = ["set", "get"].map(|it| self.stat(it, "usec_per_call=").unwrap());
        self.clear();
        times
    }

    fn stat(&mut self, command: &str, name: &str) -> Option<f64> {
        let stats = self.info("commandstats", &format!("cmdstat_{command}:"));
        let mut fields = stats.split(',');
        fields.find_map(|it| it.strip_prefix(name))?.parse().ok()
    }

    fn info(&mut self, section: &str, field: &str) -> String {
        let mut info = redis::cmd("INFO");
        let info: String = info.arg(section).query(&mut self.connection).unwrap();
        let found = info.lines().find_map(|line| line.strip_prefix(field));
        found.unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
