//! The subcommands that work on a data directory or on keys: `tidebin backup`, `tidebin check` and `tidebin key`.
//!
//! Invariants: all results are printed on standard output, in plain lines. A secret is never printed, only where it is.
//! A new key is printed once.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use crate::account::{Key, KeyGrant, KeyRing};
use crate::clock::Clock;
use crate::config::{ByteSize, Config, DataDir, KeyCommand, KeyUse, ListFile, Secret};
use crate::store::seal::Keys;
use crate::store::sqlite;

/// Writes a backup. Says which secret opens it, because a backup without its secret is worthless.
///
/// # Errors
/// Fails if there is no backup then.
pub fn backup(data: &DataDir, secret: Option<&Secret>, file: &Path) -> Result<(), Box<dyn Error>> {
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

/// Checks a database, and prints the findings.
///
/// # Errors
/// Fails if the check found something wrong, or cannot be made.
pub fn check(data: &DataDir, config: &Config, shrink: bool) -> Result<(), Box<dyn Error>> {
    let keys = match &config.secret {
        Some(secret) => keys_of(secret),
        None => keys_of(&data.secret()?),
    };
    let now = Clock::system().timestamp();
    let report = sqlite::check(
        data.path(),
        config.max_disk,
        config.max_store_size,
        config.max_paste_size,
        keys,
        now,
        shrink,
    )?;
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
        KeyCommand::New(grant) => {
            if grant.end.has_passed(Clock::system().timestamp()) {
                let end = grant.end;
                return Err(format!("--until: {end} is over. Use today or a later day.").into());
            }
            let mut random = [0; 16];
            getrandom::fill(&mut random)?;
            let (key, text) = Key::from_random(grant.clone(), random);
            file.add_key(&key)?;
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
