//! A real Prometheus scrapes the server with the files of `deploy/prometheus`, and `promtool` checks them and the
//! metrics.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::client::{Request, wait_for};
use crate::folder::Folder;
use crate::free_port::free_address;
use crate::keys::KeysFile;
use crate::metrics::{STORED_PASTES, TOKEN, scrape, start};
use crate::nginx::Passed;
use crate::process::tidebin;
use crate::server::TestServer;

const ALERTS: &str = include_str!("../../deploy/prometheus/alerts.yml");

/// A running Prometheus with a folder of its own.
struct Prometheus {
    process: Child,
    addr: SocketAddr,
    _folder: Folder,
}

impl Prometheus {
    /// Starts it with the configuration in `deploy`, with other paths, another address, and a short interval.
    fn scraping(server: &TestServer, key: &str) -> Self {
        let folder = Folder::new("prometheus");
        let path = folder.path().display().to_string();
        let config = include_str!("../../deploy/prometheus/prometheus.yml")
            .replace("/etc/prometheus/tidebin", &path)
            .replace("127.0.0.1:8088", &server.addr.to_string())
            .replace("scrape_interval: 15s", "scrape_interval: 200ms");
        let config = format!("global:\n  evaluation_interval: 200ms\n{config}");
        folder.write("prometheus.yml", config);
        folder.write("alerts.yml", ALERTS);
        folder.write("token", format!("{key}\n"));
        promtool(&folder, &["check", "config", "prometheus.yml"], "");
        let addr = free_address();
        let process = Command::new("prometheus")
            .current_dir(folder.path())
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address={addr}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("prometheus starts");
        Self {
            process,
            addr,
            _folder: folder,
        }
    }

    /// The answer of its API, or `None` while it does not listen.
    fn ask(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(self.addr).ok()?;
        let request = Request::new(self.addr, "GET", path).header("Connection", "close");
        std::io::Write::write_all(&mut stream, &request.bytes()).ok()?;
        let body = Passed::read(&mut stream).body;
        let (from, to) = (body.find('{')?, body.rfind('}')?);
        serde_json::from_str(&body[from..=to]).ok()
    }

    /// Waits until this query has this value.
    #[track_caller]
    fn until(&mut self, query: &str, expected: &str) {
        let query = utf8_percent_encode(query, NON_ALPHANUMERIC);
        let path = format!("/api/v1/query?query={query}");
        wait_for(|| {
            let ended = self.process.try_wait().expect("a child");
            assert_eq!(ended, None, "it ended");
            match self.ask(&path).unwrap_or_default() {
                answer if answer["data"]["result"][0]["value"][1] == expected => Ok(()),
                answer => Err(answer),
            }
        });
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Runs `promtool` in a folder, with this input, and asserts that it finds nothing wrong.
#[track_caller]
fn promtool(folder: &Folder, args: &[&str], input: &str) {
    folder.write("input", input);
    let input = std::fs::File::open(folder.path().join("input")).expect("it was written");
    let output = Command::new("promtool")
        .current_dir(folder.path())
        .args(args)
        .stdin(input)
        .output()
        .expect("promtool starts");
    assert!(output.status.success(), "{args:?}: {output:?}");
}

#[test]
#[ignore = "needs prometheus"]
fn prometheus_scrapes_the_server_with_a_key_that_reads_metrics_alone() {
    let file = KeysFile::new();
    let key = file.make(&["prometheus", "--rights", "metrics"]);
    let server = start(&["--keys", file.path()]);
    for content in ["a", "b", "c"] {
        server.save(content);
    }
    let mut prometheus = Prometheus::scraping(&server, &key);
    prometheus.until("up{job=\"tidebin\"}", "1");
    let saves = "tidebin_requests_total{route=\"/\",method=\"POST\",status=\"201\"}";
    prometheus.until(saves, "3");
    prometheus.until(STORED_PASTES, "3");
    let rules = prometheus.ask("/api/v1/rules").expect("it listens");
    let rules = rules["data"]["groups"][0]["rules"]
        .as_array()
        .expect("rules");
    assert_eq!(rules.len(), 8);
}

#[test]
#[ignore = "needs prometheus"]
fn prometheus_learns_from_a_backup_when_it_was_made_and_fires_without_one() {
    let folder = Folder::new("backup");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, file) = (path("data"), path("copy.db"));
    let server = start(&["--data", &data]);
    let mut prometheus = Prometheus::scraping(&server, TOKEN);
    prometheus.until("tidebin_disk_full", "0");
    // Given no backup yet
    prometheus.until("tidebin_last_backup_timestamp_seconds", "0");
    prometheus.until("count(ALERTS{alertname=\"TidebinBackupOld\"})", "1");
    // When one fails, then nothing changes
    let backup = |file: &str| {
        let args = ["backup", "--data", &data, file];
        tidebin(&args).output().expect("it runs").status.success()
    };
    assert!(!backup(&path("none/copy.db")));
    assert!(!folder.path().join("data/tidebin.last-backup").exists());
    // When one is made, then its time is known
    assert!(backup(&file));
    let age = "time() - tidebin_last_backup_timestamp_seconds < bool 600";
    prometheus.until(age, "1");
}

#[test]
#[ignore = "needs prometheus"]
fn promtool_finds_nothing_wrong_in_the_metrics() {
    let folder = Folder::new("promtool");
    let server = start(&["--limit-save", "rate 9/s burst 9, quota 9/1d"]);
    // The first scrape has families without a request.
    let first = scrape(&server, TOKEN);
    promtool(&folder, &["check", "metrics"], first.text());
    let saved = server.save("x");
    server.browse(&saved.path);
    server.get("/AAAAAAAAAAAA");
    let later = scrape(&server, TOKEN);
    promtool(&folder, &["check", "metrics"], later.text());
    assert!(later.body.len() > first.body.len());
}

#[test]
#[ignore = "needs prometheus"]
fn each_alert_fires_in_the_state_that_it_is_about_and_not_else() {
    let folder = Folder::new("alerts");
    folder.write("alerts.yml", ALERTS);
    folder.write("alerts_test.yml", include_str!("fixtures/alerts_test.yml"));
    promtool(&folder, &["check", "rules", "alerts.yml"], "");
    promtool(&folder, &["test", "rules", "alerts_test.yml"], "");
}
