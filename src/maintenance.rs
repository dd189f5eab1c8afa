//! The subcommands that work on a data directory or on keys: `tidebin backup`, `restore`, `check` and `key`.
//!
//! Invariants: all results are printed on standard output, in plain lines. A secret is never printed, only where it is.
//! A new key is printed once.

use std::error::Error;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::account::{Key, KeyGrant, KeyRing};
use crate::clock::Clock;
use crate::config::{ByteSize, Config, ConfigError, DataDir, KeyCommand, KeyUse, ListFile, Secret};
use crate::store::seal::Keys;
use crate::store::sqlite::{self, Backup, Failure, Limits, Stop};

/// The name of the database in a data directory.
const DATABASE: &str = "tidebin.db";

/// How often a terminal is told how far long work is.
const TICK: Duration = Duration::from_millis(250);

/// Writes a backup. Says which secret opens it, because a backup without its secret is worthless.
///
/// # Errors
/// Fails if there is no backup then.
pub fn backup(
    data: &DataDir,
    secret: Option<Secret>,
    file: &Path,
    stop: &Stop,
) -> Result<(), Box<dyn Error>> {
    let keys = known_keys(data, secret.as_ref())?;
    let kept = data.secret_file();
    let backup = telling(&data.path().join(DATABASE), stop, || {
        sqlite::backup(data.path(), file, keys.as_ref(), stop)
    });
    let backup = backup.map_err(stopped("There is no backup, and no part of one is left."))?;
    if let Err(error) = sqlite::note_backup(data.path()) {
        let path = data.path().display();
        let line =
            format!("The metrics do not show this backup: {path} cannot be written: {error}");
        writeln!(io::stderr(), "{line}")?;
    }
    let secret = match secret.is_none() && keys.is_some() {
        true => format!("in {}", kept.display()),
        false => "the TIDEBIN_SECRET of the server".to_owned(),
    };
    let contents = told(file, backup);
    let line = format!("{contents} A restore needs the secret too: {secret}. Keep it apart.");
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Restores a backup, and prints the next step.
///
/// # Errors
/// Fails if the database was not replaced.
pub fn restore(
    data: &DataDir,
    secret: Option<Secret>,
    file: &Path,
    stop: &Stop,
) -> Result<(), Box<dyn Error>> {
    let keys = known_keys(data, secret.as_ref())?;
    let restored = telling(file, stop, || {
        sqlite::restore(data.path(), file, keys.as_ref(), stop)
    });
    let restored = restored.map_err(stopped("The database is as it was."));
    let (contents, former) = restored?;
    let mut stdout = io::stdout().lock();
    if let Some(former) = former {
        writeln!(stdout, "The former database is {}.", former.display())?;
    }
    let contents = told(&data.path().join(DATABASE), contents);
    let next = match keys {
        Some(_) => "Start the server.".to_owned(),
        None => format!(
            "Put the secret of the backup into {}, or set TIDEBIN_SECRET. Then start the server.",
            data.secret_file().display()
        ),
    };
    Ok(writeln!(stdout, "{contents} {next}")?)
}

/// Does work that reads this file, and tells on a terminal how much it has read, because it may take long.
fn telling<T>(file: &Path, stop: &Stop, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let size = |bytes| ByteSize(usize::try_from(bytes).unwrap_or(usize::MAX)).rounded_up();
    let all = file.metadata().map_or(0, |it| it.len());
    let (end, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let read = size(bytes_read().min(all));
                let hint = match stop.load(Ordering::Relaxed) {
                    true => "Stopping.",
                    false => "Ctrl+C stops it.",
                };
                let (all, file) = (size(all), file.display());
                let _ = write!(
                    io::stderr(),
                    "\r\x1b[KRead {read} of {all} of {file}. {hint}"
                );
            }
            let _ = write!(io::stderr(), "\r\x1b[K");
        });
        let done = work();
        drop(end);
        done
    })
}

/// Returns how many bytes this process has read, if the system tells.
fn bytes_read() -> u64 {
    let told = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let read = told.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Says of work that was stopped what is left.
fn stopped(left: &str) -> impl FnOnce(Failure) -> Box<dyn Error> {
    move |failure| match failure {
        Failure::Stopped => format!("Stopped. {left}").into(),
        failure => failure.into(),
    }
}

/// Returns the keys of the secret that is set, or is in the directory, if there is one.
fn known_keys(data: &DataDir, secret: Option<&Secret>) -> Result<Option<Keys>, ConfigError> {
    match secret {
        Some(secret) => Ok(Some(keys_of(secret))),
        None if data.secret_file().exists() => Ok(Some(keys_of(&data.secret()?))),
        None => Ok(None),
    }
}

fn told(file: &Path, backup: Backup) -> String {
    let size = ByteSize(backup.bytes).rounded_up();
    let (file, pastes) = (file.display(), backup.pastes);
    let plural = if pastes == 1 { "" } else { "s" };
    format!("{file} has {pastes} paste{plural} in {size}.")
}

/// Checks a database, and prints the findings.
///
/// # Errors
/// Fails if the check found something wrong, or cannot be made.
pub fn check(
    data: &DataDir,
    config: &Config,
    shrink: bool,
    stop: &Stop,
) -> Result<(), Box<dyn Error>> {
    let keys = match &config.secret {
        Some(secret) => keys_of(secret),
        None => keys_of(&data.secret()?),
    };
    let limits = Limits::new(config.max_disk, config.max_store_size)?;
    let largest = config.pastes.max_paste_size;
    let now = Clock::system().timestamp();
    let report = telling(&data.path().join(DATABASE), stop, || {
        sqlite::check(data.path(), limits, largest, keys, now, shrink, stop)
    });
    let left = match shrink {
        true => "What it had removed stays removed.",
        false => "Nothing was changed.",
    };
    let report = report.map_err(stopped(left))?;
    write!(io::stdout(), "{}", report.text)?;
    match report.faults {
        0 => Ok(()),
        _ => Err("The check found damage, or a budget that is too small: see above.".into()),
    }
}

/// Makes, lists or revokes keys. A new key is the only line on standard output.
///
/// # Errors
/// Fails if the file of keys cannot be read or changed.
pub fn key(file: &ListFile, command: &KeyCommand) -> Result<(), Box<dyn Error>> {
    const RELOAD: &str = "Send the server SIGHUP to make it read the file again.";
    match command {
        KeyCommand::New(grant, takes_over) => {
            if grant.end.has_passed(Clock::system().timestamp()) {
                let end = grant.end;
                return Err(format!("--until: {end} is over. Use today or a later day.").into());
            }
            let mut random = [0; 16];
            getrandom::fill(&mut random)?;
            let (key, text) = Key::from_random(grant.clone(), random);
            file.add_key(&key, *takes_over)?;
            writeln!(io::stdout(), "{text}")?;
            let hint = "This key is shown only once, so keep it now.";
            Ok(writeln!(io::stderr(), "{hint} {RELOAD}")?)
        }
        KeyCommand::List => {
            let mut stdout = io::stdout().lock();
            for key in file.read::<KeyRing>()?.iter() {
                let KeyGrant {
                    name,
                    rights,
                    multiplier,
                    end,
                } = &key.grant;
                writeln!(stdout, "{name} {rights} {multiplier} {end}")?;
            }
            Ok(())
        }
        KeyCommand::Revoke(name) => {
            file.revoke_key(name)?;
            Ok(writeln!(
                io::stderr(),
                "The key {name} is revoked. {RELOAD}"
            )?)
        }
    }
}

fn keys_of(secret: &Secret) -> Keys {
    Keys::new(&secret.derive(KeyUse::Storage))
}
