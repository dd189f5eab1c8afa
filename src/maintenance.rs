//! The subcommands that work on a data directory: `tidebin backup` and `tidebin check`.
//!
//! Invariants: what is found or made is printed on standard output, in plain lines. A secret is never printed, only
//! where it is.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use crate::clock::Clock;
use crate::config::{ByteSize, Check, Database, KeyUse, Secret};
use crate::store::sqlite;
use crate::store::sqlite::seal::Keys;

/// Writes a backup. Says which secret opens it, because a backup without its secret is worthless.
///
/// # Errors
/// Fails if there is no backup then.
pub fn backup(database: &Database, file: &Path) -> Result<(), Box<dyn Error>> {
    let Database { data, secret } = database;
    let kept = data.secret_file();
    let (keys, place) = match secret {
        Some(secret) => (Some(keys_of(secret)), None),
        None if kept.exists() => (Some(keys_of(&data.secret()?)), Some(&kept)),
        None => (None, None),
    };
    let backup = sqlite::backup(data.path(), file, keys.as_ref())?;
    let secret = match place {
        Some(kept) => format!("in {}", kept.display()),
        None => "the TIDEBIN_SECRET of the server".to_owned(),
    };
    let size = ByteSize(backup.bytes).rounded_up();
    let (file, pastes) = (file.display(), backup.pastes);
    let plural = if pastes == 1 { "" } else { "s" };
    let line = format!(
        "{file} has {pastes} paste{plural} in {size}. A restore needs the secret too: {secret}. Keep it apart."
    );
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Checks a database, and prints what is found.
///
/// # Errors
/// Fails if the check found something wrong, or cannot be made.
pub fn check(check: &Check) -> Result<(), Box<dyn Error>> {
    let Database { data, secret } = &check.database;
    let secret = match secret {
        Some(secret) => secret.clone(),
        None => data.secret()?,
    };
    let keys = keys_of(&secret);
    let now = Clock::system().timestamp();
    let report = sqlite::check(
        data.path(),
        data.max_disk,
        check.max_store_size,
        check.max_paste_size,
        keys,
        now,
        check.shrink,
    )?;
    write!(io::stdout(), "{report}")?;
    match report.is_fine() {
        true => Ok(()),
        false => Err("The check found damage, or a budget that is too small: see above.".into()),
    }
}

fn keys_of(secret: &Secret) -> Keys {
    Keys::new(&secret.derive(KeyUse::Storage))
}
