//! Opens the store that the configuration asks for: in memory, in a data directory, or in an engine that machines
//! share.
//!
//! Invariants: without a data directory nothing is written to disk. With one, the server does not start unless the
//! directory can be used as it was left, and the clock is never before the latest time that the database has seen.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::config::{ByteSize, Config, ConfigError, DataDir, KeyUse, ListFile, Secret, ValkeyUrls};
use crate::http::machine::ends_with_container;
use crate::paste::Timestamp;
use crate::store::memory::Budget;
use crate::store::seal::Keys;
use crate::store::sqlite::{self, Found, Opened};
use crate::store::{RemovalHook, Store, valkey};

/// A difference of clocks that is logged. Smaller ones are usual.
const LARGE_STEP: Duration = Duration::from_secs(60);

/// Prepares the data directory, if there is one. Returns the configured secret, the one that is kept in the directory,
/// or a random one.
///
/// # Errors
/// If the directory cannot be used, or the secret cannot be read or made.
pub(super) fn prepare(config: &Config) -> io::Result<Secret> {
    if let Some(data) = &config.data {
        refuse_foreign(data, &lists_of(config)).map_err(io::Error::other)?;
        data.create().map_err(io::Error::other)?;
        if ends_with_container(data.path()) {
            tracing::warn!(
                directory = data.path().display().to_string(),
                "the directory is not in a volume: pastes are lost with the container. Mount one there, such as by \
                 `docker run -v tidebin:/var/lib/tidebin`, or set TIDEBIN_DATA= to keep them in memory alone"
            );
        }
        if data.was_used() && !data.has_database() {
            tracing::warn!(
                directory = data.path().display().to_string(),
                "there are files of an earlier start but no tidebin.db, or an empty one: if this server had pastes, stop it and put the database back"
            );
        }
    } else if config.max_disk_is_unused {
        tracing::warn!("TIDEBIN_MAX_DISK has no effect without TIDEBIN_DATA");
    }
    match (&config.secret, &config.data) {
        (Some(secret), _) => Ok(secret.clone()),
        (None, Some(data)) => data.secret().map_err(io::Error::other),
        (None, None) => Secret::random(),
    }
}

fn lists_of(config: &Config) -> Vec<&ListFile> {
    let lists = [&config.keys_file, &config.networks_file];
    lists.into_iter().flatten().collect()
}

/// Refuses the directory of others, such as `/`, `/etc` or a home. One with a database or a secret is never refused.
///
/// # Errors
/// Returns an error that names a file which is neither tidebin's own nor one of these lists.
pub fn refuse_foreign(data: &DataDir, lists: &[&ListFile]) -> Result<(), ConfigError> {
    let is_list = |path: &Path| lists.iter().any(|list| list.path.starts_with(path));
    let mut files = fs::read_dir(data.path()).into_iter().flatten().flatten();
    match files.find(|file| !is_own(file) && !is_list(&file.path())) {
        Some(file) if !data.secret_file().is_file() && !data.has_database() => {
            let name = file.file_name();
            let problem =
                format!("has files of others, such as {name:?}. Name an empty directory.");
            Err(data.problem(data.path(), &problem))
        }
        _ => Ok(()),
    }
}

/// Returns true for what tidebin, an operator or a file system makes without a database, and for the hidden files of a
/// new user. The lock is empty, and the ballast has zeros.
fn is_own(file: &DirEntry) -> bool {
    let name = file.file_name();
    let name = name.to_string_lossy();
    let mut start = [0; 4096];
    let mut read = || File::open(file.path()).and_then(|mut it| it.read(&mut start));
    let is_file = file.file_type().is_ok_and(|it| it.is_file());
    match &*name {
        "keys" | "networks" | "lost+found" => true,
        "lock" => is_file && file.metadata().is_ok_and(|it| it.len() == 0),
        "ballast" => is_file && read().is_ok() && start == [0; 4096],
        _ => name.starts_with("tidebin") || is_file && name.starts_with('.'),
    }
}

/// Opens the store. The clock is set to the latest time that the database has seen, if that is later.
///
/// # Errors
/// If the data directory cannot be used. The message tells what to do.
pub(super) fn open(
    config: &Config,
    secret: &Secret,
    clock: &Clock,
    removal_hook: RemovalHook,
) -> io::Result<Store> {
    let memory = config.max_store_size;
    if let Some(urls) = &config.valkey {
        return open_valkey(config, urls, secret, clock, removal_hook);
    }
    let Some(data) = &config.data else {
        tracing::info!(
            "TIDEBIN_DATA is not set: pastes are in memory alone, and a restart loses them"
        );
        let clock = clock.clone();
        let clock = move || clock.timestamp();
        return Store::in_memory(Budget::new(memory), removal_hook, clock);
    };
    let start = clock.elapsed();
    let keys = Keys::new(&secret.derive(KeyUse::Storage));
    let opened = Opened::open(data.path(), config.max_disk, memory, keys);
    let opened = opened.map_err(io::Error::other)?;
    let behind = clock.catch_up_with(opened.last_seen);
    let changed = opened.last_shown.since(clock.timestamp());
    if changed > LARGE_STEP {
        let seconds = changed.as_secs();
        tracing::warn!(
            seconds,
            "the clock is behind what it showed when the server ran last: one of the two times is wrong. Pastes that \
             were saved then expire that much later"
        );
    } else if behind > LARGE_STEP {
        let seconds = behind.as_secs();
        tracing::warn!(
            seconds,
            "the clock is behind the last time the database has seen: that time is used instead"
        );
    }
    let took = clock.elapsed().saturating_sub(start);
    announce(data, config.max_disk, opened.found(clock.timestamp()), took);
    let (clock, mut watch) = (clock.clone(), ClockWatch::default());
    let clock = move || {
        let now = clock.timestamp();
        if let Some(seconds) = watch.step(clock.date(), now) {
            tracing::warn!(
                seconds,
                "the system clock was set: pastes expire by the former time until a restart"
            );
        }
        now
    };
    let store = sqlite::Store::start(opened, removal_hook, clock).map_err(io::Error::other)?;
    Ok(Store::Sqlite(store))
}

/// Opens the engine that keeps the pastes of several machines. The clock is set to the time of the engine.
fn open_valkey(
    config: &Config,
    urls: &ValkeyUrls,
    secret: &Secret,
    clock: &Clock,
    removal_hook: RemovalHook,
) -> io::Result<Store> {
    let keys = Keys::new(&secret.derive(KeyUse::Storage)).compressing_short_texts();
    let limits = (
        config.engine_deadline.unwrap_or(valkey::DEADLINE),
        config.pastes.max_paste_size,
    );
    let store = valkey::Store::open(urls.as_slice(), keys, limits, removal_hook, clock.clone());
    let store = store.map_err(io::Error::other)?;
    tracing::info!("the pastes are in the engine of TIDEBIN_VALKEY");
    Ok(Store::Valkey(Arc::new(store)))
}

/// The clock of a node follows that of the engine.
impl valkey::EngineClock for Clock {
    fn elapsed(&self) -> Duration {
        Self::elapsed(self)
    }

    fn follow(&self, time: Timestamp) {
        let seconds = self.difference(time).as_secs();
        // An answer may take a second.
        if seconds >= 2 {
            self.agree_with(time);
            tracing::warn!(
                seconds,
                "the clocks of this machine and of the engine differ: the time of the engine is used"
            );
        }
    }
}

/// Notices when the system clock is set while the server runs. The times of pastes do not follow it.
#[derive(Debug, Default)]
struct ClockWatch {
    /// How far the system clock was ahead of the time of pastes, in seconds.
    ahead: Option<i64>,
}

impl ClockWatch {
    /// Returns by how many seconds the system clock was set since the last call, if that is much.
    fn step(&mut self, system: Duration, now: Timestamp) -> Option<i64> {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let ahead = seconds(system) - seconds(now.since(Timestamp::default()));
        let step = ahead - *self.ahead.get_or_insert(ahead);
        if step.unsigned_abs() <= LARGE_STEP.as_secs() {
            return None;
        }
        self.ahead = Some(ahead);
        Some(step)
    }
}

/// Logs the findings in the data directory.
fn announce(data: &DataDir, max_disk: usize, found: Found, took: Duration) {
    tracing::info!(
        directory = data.path().display().to_string(),
        pastes = found.pastes,
        used = ByteSize(found.bytes).rounded_up().to_string(),
        max_disk = ByteSize(max_disk).to_string(),
        expired = found.expired,
        damaged = found.damaged,
        milliseconds = took.as_millis(),
        "the data directory is open"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Invocation;

    #[test]
    fn a_directory_of_others_is_refused_unless_a_server_was_used_in_it() {
        let name = format!("tidebin-foreign-{:016x}", getrandom::u64().unwrap());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("lost+found")).unwrap();
        let data = path.to_str().unwrap();
        let networks = format!("--networks=@{data}/lists/blocked");
        let refused = |names: &[&str], args: &[&str]| {
            for name in names {
                fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
                fs::write(path.join(name), "# x").unwrap();
            }
            let args = [&["tidebin", "--data", data], args].concat();
            let read = Invocation::from_parts(args.iter().map(Into::into), [], || Ok(Vec::new()));
            let Ok(Invocation::Serve(config)) = read else {
                panic!("{read:?}");
            };
            let refused = refuse_foreign(config.data.as_ref().unwrap(), &lists_of(&config));
            for folder in ["lists", ".ssh"] {
                let _ = fs::remove_dir_all(path.join(folder));
            }
            names
                .iter()
                .for_each(|name| _ = fs::remove_file(path.join(name)));
            refused.map_err(|error| error.to_string())
        };
        // Given files that tidebin, an operator or a file system puts there, then the directory is not refused
        let own = [
            ".bashrc",
            "keys",
            "networks",
            "tidebin.db.before-restore-1",
            "tidebin.sock",
        ];
        assert_eq!(refused(&own, &[]), Ok(()));
        // Given another file, then it is, and the file is named
        for name in ["passwd", "lock", "ballast", "2026-11-28.db"] {
            let expected = format!(
                "--data: {data:?} has files of others, such as {name:?}. Name an empty directory."
            );
            assert_eq!(refused(&[name], &[]), Err(expected));
        }
        // Unless a setting names it
        assert!(refused(&["lists/blocked"], &[]).is_err());
        assert!(refused(&[".ssh/config"], &[]).is_err());
        assert_eq!(refused(&["lists/blocked"], &[&networks]), Ok(()));
        // Or a server has started there
        for own in ["secret", "tidebin.db"] {
            assert_eq!(refused(&["passwd", own], &[]), Ok(()), "{own}");
        }
        // Also one whose secret is in the environment and whose database is lost
        fs::write(path.join("lock"), "").unwrap();
        fs::write(path.join("ballast"), [0; 5000]).unwrap();
        assert_eq!(refused(&["keys"], &[]), Ok(()));
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn a_step_of_the_system_clock_of_more_than_a_minute_is_noticed_once() {
        let mut watch = ClockWatch::default();
        let mut step = |system: u64, now: u64| {
            watch.step(
                Duration::from_secs(system),
                Timestamp::from_millis(now * 1000),
            )
        };
        assert_eq!(step(1_000_000, 1_000_000), None);
        assert_eq!(step(1_000_070, 1_000_010), None);
        assert_eq!(step(1_086_420, 1_000_020), Some(86_400));
        assert_eq!(step(1_086_430, 1_000_030), None);
        assert_eq!(step(1_000_040, 1_000_040), Some(-86_400));
    }
}
