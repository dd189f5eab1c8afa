//! `/metrics`: its readers, and its numbers.

use std::io::Write;
use std::time::Duration;

use tidebin::overload::Priority;

use crate::client::{Response, connect, until};
use crate::server::{TestServer, Tier};

pub(crate) const TOKEN: &str = "correct-horse-battery";

/// A server with an operator, and these flags.
pub(crate) fn start(flags: &[&str]) -> TestServer {
    TestServer::with(&[&["--admin-token", TOKEN], flags].concat())
}

/// Requests the metrics with this bearer token.
pub(crate) fn scrape(server: &TestServer, token: &str) -> Response {
    let request = server.request("GET", "/metrics");
    request
        .header("Authorization", format!("Bearer {token}"))
        .send()
}

/// The value of the sample with this name and these labels.
#[track_caller]
fn value(server: &TestServer, sample: &str) -> f64 {
    let response = scrape(server, TOKEN);
    assert_eq!(response.status, 200, "{response:?}");
    let text = response.text();
    let found = text
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    found
        .unwrap_or_else(|| panic!("no {sample}: {text}"))
        .parse()
        .unwrap()
}

/// The sample of the stored pastes.
pub(crate) const STORED_PASTES: &str = "tidebin_store_pastes{tier=\"memory\"}";

#[test]
fn the_operator_gets_requests_by_method_route_and_status() {
    let server = start(&[]);
    let saved = server.save("x");
    server.get(&saved.path);
    server.get(&saved.path);
    server.get("/AAAAAAAAAAAA");
    for (labels, count) in [
        ("method=\"POST\",route=\"/\",status=\"201\"", 1.0),
        ("method=\"GET\",route=\"/{id}\",status=\"200\"", 2.0),
        ("method=\"GET\",route=\"/{id}\",status=\"404\"", 1.0),
    ] {
        let sample = format!("tidebin_requests_total{{{labels}}}");
        assert_eq!(value(&server, &sample), count);
    }
    let all = "tidebin_request_duration_seconds_count{method=\"GET\",route=\"/{id}\"}";
    assert_eq!(value(&server, all), 3.0);
}

#[test]
fn every_page_of_the_operator_is_401_without_a_token_and_403_with_a_wrong_one() {
    // A client cannot tell from these whether the server has an operator's token.
    for server in [start(&[]), TestServer::start()] {
        for path in [
            "/metrics",
            "/operate",
            "/api/v1/operate",
            "/api/v1/operate/blocks",
            "/api/v1/operate/reports",
        ] {
            let none = server.get(path);
            let challenge = "Basic realm=\"tidebin operator\", charset=\"UTF-8\"";
            assert_eq!(
                (none.status, none.header("www-authenticate")),
                (401, Some(challenge))
            );
            let wrong = server.request("GET", path);
            let wrong = wrong
                .header("Authorization", "Bearer correct-horse-batterz")
                .send();
            assert_eq!(wrong.status, 403, "{path}");
            assert!(!wrong.text().contains("tidebin_"));
        }
    }
}

#[test]
fn a_stranger_is_charged_for_each_try_and_the_operator_is_not() {
    let server = start(&[
        "--limit-read",
        "rate 1/s burst 3",
        "--limit-miss",
        "rate 1/s burst 2",
    ]);
    let operators = [0; 9].map(|_| scrape(&server, TOKEN).status);
    assert_eq!(operators, [200; 9]);
    // A client that guessed as often as it may gets no token compared.
    let wrong = [0, 1, 2].map(|_| scrape(&server, "guess").status);
    assert_eq!(wrong, [403, 403, 429]);
    assert_eq!(scrape(&server, TOKEN).status, 429);
    server.advance(Duration::from_secs(10));
    let none = [0; 4].map(|_| server.get("/metrics").status);
    assert_eq!(none, [401, 401, 401, 429]);
}

#[test]
fn clients_cannot_make_more_series() {
    let server = start(&[]);
    for (method, path) in [
        ("BREW", "/"),
        ("MEW", "/"),
        ("PATCH", "/"),
        ("GET", "/a/b/c"),
        ("GET", "/x/y/z"),
        ("GET", "/\"\\n"),
    ] {
        server.request(method, path).send();
    }
    let text = scrape(&server, TOKEN);
    let requests = text
        .text()
        .lines()
        .filter(|line| line.starts_with("tidebin_requests_total"));
    let mut labels: Vec<&str> = requests
        .map(|line| line.split_once(' ').unwrap().0)
        .collect();
    labels.sort_unstable();
    assert_eq!(
        labels,
        [
            "tidebin_requests_total{method=\"GET\",route=\"/{id}\",status=\"404\"}",
            "tidebin_requests_total{method=\"OTHER\",route=\"-\",status=\"404\"}",
            "tidebin_requests_total{method=\"OTHER\",route=\"/\",status=\"405\"}",
        ]
    );
}

#[test]
fn saves_reads_removals_and_pages_are_counted() {
    let server = start(&[]);
    let saved = server.save("twelve bytes");
    server.save("to be burnt");
    let change = server.request("PUT", &saved.path);
    let change = change.header("X-Token", &saved.token).body("five.");
    assert_eq!(change.send().status, 200);
    for _ in 0..3 {
        assert_eq!(server.browse(&saved.path).status, 200);
    }
    let delete = server.request("DELETE", &saved.path);
    delete.header("X-Token", &saved.token).send();
    for (sample, expected) in [
        ("tidebin_saves_total{kind=\"new\"}", 2.0),
        ("tidebin_saves_total{kind=\"change\"}", 1.0),
        ("tidebin_saved_bytes_total", 12.0 + 11.0 + 5.0),
        ("tidebin_reads_total", 3.0),
        (STORED_PASTES, 1.0),
        ("tidebin_pastes_removed_total{reason=\"deleted\"}", 1.0),
        ("tidebin_page_cache_requests_total{result=\"miss\"}", 1.0),
        ("tidebin_page_cache_requests_total{result=\"hit\"}", 2.0),
        ("tidebin_page_render_seconds_count", 1.0),
        // The clock of the test stands at the start.
        ("process_start_time_seconds", 1_767_225_600.0),
    ] {
        assert_eq!(value(&server, sample), expected, "{sample}");
    }
    // The other connections end, and that of the scrape is left.
    until(|| value(&server, "tidebin_connections") == 1.0);
    assert!(value(&server, "process_resident_memory_bytes") > 1e6);
    assert!(value(&server, "process_cpu_seconds_total") > 0.0);
}

#[test]
fn a_server_with_a_data_directory_tells_of_both_tiers_and_of_commits() {
    let server = TestServer::of(Tier::Disk, &["--admin-token", TOKEN]);
    server.save("x");
    server.save("y");
    for tier in ["memory", "disk"] {
        let pastes = format!("tidebin_store_pastes{{tier=\"{tier}\"}}");
        assert_eq!(value(&server, &pastes), 2.0);
        let [used, budget] = ["used", "budget"].map(|what| {
            value(
                &server,
                &format!("tidebin_store_{what}_bytes{{tier=\"{tier}\"}}"),
            )
        });
        assert!(0.0 < used && used < budget, "{tier}");
    }
    assert_eq!(value(&server, "tidebin_commits_total"), 2.0);
    assert_eq!(value(&server, "tidebin_sweeper_delay_seconds"), 0.0);
}

#[test]
fn a_scrape_during_overload_is_answered_and_tells_of_it() {
    // Given a server with no room for bytes, pages and delays
    let server = start(&["--max-in-flight", "1MiB", "--max-paste-size", "512KiB"]);
    let saved = server.save(vec![b'x'; 100 << 10]);
    let taken = server.take_bytes(Priority::Read, 1024);
    let pages = server.take_all(&server.overload.renders);
    let delays: Vec<_> = std::iter::from_fn(|| server.overload.wait_permit()).collect();
    // When a read is refused
    let mut reader = connect(server.addr);
    let read = server.request("GET", &format!("/api/v1/pastes/{}", saved.id));
    reader.write_all(&read.bytes()).unwrap();
    server.until("waits for bytes", |load| load.transfers == taken.len() + 1);
    for _ in 0..100 {
        server.advance(Duration::from_millis(10));
        assert_eq!(scrape(&server, TOKEN).status, 200);
    }
    assert_eq!(Response::read(&mut reader, false).status, 503);
    // Then the metrics say so
    let refused = "tidebin_overload_refused_total{class=\"read\"}";
    assert_eq!(value(&server, refused), 1.0);
    let [used, budget] = ["tidebin_in_flight_bytes", "tidebin_in_flight_budget_bytes"]
        .map(|sample| value(&server, sample));
    assert_eq!((used, budget), (f64::from(1 << 20), f64::from(1 << 20)));
    let status =
        "tidebin_requests_total{method=\"GET\",route=\"/api/v1/pastes/{id}\",status=\"503\"}";
    assert_eq!(value(&server, status), 1.0);
    drop((taken, pages, delays));
}

#[test]
fn a_refusal_is_counted_by_its_rule() {
    let server = start(&["--limit-save", "rate 1/s burst 9, quota 2/1d"]);
    let saves = [0; 3].map(|_| server.request("POST", "/").body("x").send().status);
    assert_eq!(saves, [201, 201, 429]);
    for (rule, count) in [(1, 0.0), (2, 1.0)] {
        let labels = format!("action=\"save\",rule=\"{rule}\",of=\"client\"");
        let sample = format!("tidebin_limit_refused_total{{{labels}}}");
        assert_eq!(value(&server, &sample), count);
    }
}
