//! A run of wrk against a server: its results, and their cost for the server.

use std::process::Command;

use super::Server;

/// A script that prints the results at the end of a run, in a line that is easy to parse. It costs no time per request.
const SUMMARY: &str = "
function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('\\nsummary %d %d %d %d %d %d\\n', summary.requests, summary.duration, broken,
    errors.status, latency:percentile(50), latency:percentile(99)))
end
";

/// The version of wrk, such as `4.1.0`, if it is installed.
pub fn version() -> Option<String> {
    let output = Command::new("wrk").arg("-v").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = text.split_whitespace().nth(1)?;
    Some(name.trim_start_matches("debian/").to_owned())
}

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Load {
    pub requests: f64,
    pub seconds: f64,
    /// The number of failed connections and of late responses.
    pub broken: f64,
    /// The number of responses with a status of 400 and above.
    pub refused: f64,
    /// The median latency of all responses, in milliseconds.
    pub p50: f64,
    /// The 99th percentile of the latencies, in milliseconds.
    pub p99: f64,
    /// The processor time of the server during the run, in microseconds.
    pub processor: f64,
}

impl Server {
    /// Runs wrk with this script and these arguments to its end.
    pub fn load(&self, script: &str, args: &[String]) -> Load {
        let file = std::env::temp_dir().join(format!(
            "tidebin-bench-{}-{:?}.lua",
            std::process::id(),
            std::thread::current().id()
        ));
        std::fs::write(&file, format!("{script}{SUMMARY}")).unwrap();
        let before = self.processor_time();
        let output = Command::new("wrk")
            .args(["-t1", "-s"])
            .arg(&file)
            .args(args)
            .arg(format!("http://{}/", self.address))
            .output()
            .unwrap();
        let processor = self.processor_time() - before;
        std::fs::remove_file(&file).unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        Load::read(&said, processor).unwrap_or_else(|| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            unreachable!("wrk did not end well: {said}{complaint}")
        })
    }
}

impl Load {
    fn read(said: &str, processor: f64) -> Option<Self> {
        let line = said.lines().find_map(|line| line.strip_prefix("summary "));
        let figures: Result<Vec<f64>, _> = line?.split(' ').map(str::parse).collect();
        let [requests, micros, broken, refused, p50, p99] = figures.ok()?.try_into().ok()?;
        Some(Self {
            requests,
            seconds: micros / 1e6,
            broken,
            refused,
            p50: p50 / 1e3,
            p99: p99 / 1e3,
            processor,
        })
    }

    /// Successful responses per second.
    pub fn goodput(&self) -> f64 {
        (self.requests - self.refused) / self.seconds
    }
}
