//! Quotas of saves: each admits as much as its figures say, whatever other rules stand beside it.

use crate::server::TestServer;

/// More saves than any rule of the grid has to admit.
const ASKS: usize = 40;

/// Returns how many of [`ASKS`] saves of so many bytes are admitted.
fn admitted(rules: &str, bytes: usize) -> usize {
    let server = TestServer::with(&["--limit-save", rules]);
    let save = server.request("POST", "/").body("x".repeat(bytes));
    let statuses = (0..ASKS).map(|_| save.send().status);
    let (saved, refused): (Vec<u16>, Vec<u16>) = statuses.partition(|status| *status == 201);
    assert!(refused.iter().all(|it| *it == 429), "{rules}: {refused:?}");
    saved.len()
}

#[test]
fn quotas_of_any_size_admit_what_they_say_beside_each_other() {
    for (requests, by_requests) in [
        ("rate 1000/s burst 1000", ASKS),
        ("quota 5/1d", 5),
        ("quota 1000000000000/5w", ASKS),
    ] {
        for (bytes, by_bytes) in [("quota 24B/1h", 3), ("quota 16384GiB/1d", ASKS)] {
            let rules = format!("{requests}, {bytes}");
            assert_eq!(admitted(&rules, 8), by_requests.min(by_bytes), "{rules}");
        }
    }
}
