//! How long a start takes after the server was killed while it saved.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tidebin::store::Tier;

use crate::full::{self, Full, KIBIBYTE, disk_for, memory_for};
use crate::savers::{Until, run as run_savers};
use crate::usage::Usage;
use crate::{number, text};

const ROUNDS: u64 = 3;

/// How long a child saves before it is killed.
const SAVING: Duration = Duration::from_secs(1);

/// Kills a process that saves into this directory, and opens it again, several times.
pub(crate) fn run(full: Full) {
    let Full {
        directory,
        store,
        count,
    } = full;
    store.close();
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(format!("saving={}", directory.path().display()))
            .args([
                format!("count={count}"),
                format!("first={}", (round + 2) << 32),
            ])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        std::thread::sleep(SAVING);
        child.kill().unwrap();
        child.wait().unwrap();
        let is_cold = round == ROUNDS - 1;
        if is_cold {
            directory.leave_page_cache();
        }
        let log = directory
            .path()
            .join("tidebin.db-wal")
            .metadata()
            .unwrap()
            .len();
        let used = Usage::now();
        let store = full::open(directory.path(), disk_for(count), memory_for(count));
        let (seconds, processor, _) = used.since();
        println!(
            "start after kill -9, {} pastes, {:.1} MB in the log, from the {}: {:.0} ms, {:.0} ms of processor time",
            store.occupancy().pastes,
            log as f64 / 1e6,
            if is_cold { "disk" } else { "page cache" },
            seconds * 1e3,
            processor / 1e3
        );
    }
}

/// Returns whether this process was started to be killed. If so, it saves for ever.
pub(crate) fn is_child() -> bool {
    let Some(path) = text("saving") else {
        return false;
    };
    let (count, first) = (number("count").unwrap(), number("first").unwrap());
    let store = full::open(&PathBuf::from(path), disk_for(count), memory_for(count));
    let store = Arc::new(store);
    println!("saving");
    run_savers(64, first, Until::Saved(u64::MAX), async move |n| {
        full::save(&store, n, KIBIBYTE).await;
    });
    true
}
