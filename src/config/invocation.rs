//! Invocations: the tasks that the command line can give to the process.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ArgMatches;

use super::sources::{self, Dotenv, Sources};
use super::{
    Config, ConfigError, DataDir, KeysFile, Secret, command, keys_file, setting, storage, values,
};
use crate::account::{KeyGrant, KeyName};

/// The task of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Run the server.
    Serve(Box<Config>),
    /// Check the health of the server that listens on this address, and exit with 0 or 1. The address may be an
    /// unspecified one (`0.0.0.0`).
    Healthcheck(SocketAddr),
    /// Copy the database in the directory into this new file.
    Backup(Database, PathBuf),
    /// Check the database in the directory, and exit with 0 or 1.
    Check(Check),
    /// Make, list or revoke keys.
    Key(KeyCommand),
    /// Print this text, which is the help or the version, and exit with 0.
    Print(String),
}

/// What `tidebin key` does, and the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCommand {
    /// Make a key.
    New(KeysFile, KeyGrant),
    /// Print the rights of each key.
    List(KeysFile),
    /// Remove a key.
    Revoke(KeysFile, KeyName),
}

/// The database that a subcommand works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// The directory and its budget.
    pub data: DataDir,
    /// The secret, if it is set. Otherwise the directory keeps it.
    pub secret: Option<Secret>,
}

/// What `tidebin check` needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The database to check.
    pub database: Database,
    /// The memory budget of the server that uses the directory.
    pub max_store_size: usize,
    /// The largest paste that the server accepts.
    pub max_paste_size: usize,
    /// Whether to remove pastes until they fit into the budget of disk.
    pub shrink: bool,
}

impl Invocation {
    /// Reads the command line, the environment and `.env` of this process.
    ///
    /// # Errors
    /// Returns an error if a flag, a variable or `.env` cannot be used.
    pub fn from_process() -> Result<Self, ConfigError> {
        Self::from_parts(std::env::args_os(), std::env::vars_os(), || {
            sources::read_dotenv(".env")
        })
    }

    /// Reads these values of the command line (the program's name first), of the environment and of `.env`.
    ///
    /// `.env` is read last, so that a broken one does not prevent the help from being printed.
    ///
    /// # Errors
    /// Returns an error if a flag, a variable or `.env` cannot be used.
    pub fn from_parts(
        args: impl IntoIterator<Item = OsString>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        dotenv: impl FnOnce() -> Result<Dotenv, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let mut flags = match command::command().try_get_matches_from(args) {
            Ok(flags) => flags,
            Err(answer) if !answer.use_stderr() => return Ok(Self::Print(answer.to_string())),
            Err(error) => return Err(usage(&error)),
        };
        let subcommand = flags.remove_subcommand();
        let Some((name, mut of_subcommand)) = subcommand else {
            let sources = Sources::new(vec![flags], environment, dotenv()?);
            return Config::read(&sources).map(|config| Self::Serve(Box::new(config)));
        };
        if name == "key" {
            let sources = |flags| dotenv().map(|dotenv| Sources::new(flags, environment, dotenv));
            return KeyCommand::read(of_subcommand, flags, sources).map(Self::Key);
        }
        let file: Option<PathBuf> = match name.as_str() {
            "backup" => of_subcommand.remove_one(command::FILE),
            _ => None,
        };
        let shrink = name == "check" && of_subcommand.get_flag(command::SHRINK_FLAG);
        let sources = Sources::new(vec![of_subcommand, flags], environment, dotenv()?);
        match (name.as_str(), file) {
            ("backup", Some(file)) => Ok(Self::Backup(Database::read(&sources)?, file)),
            ("check", _) if shrink && sources.is_default(&setting::MAX_DISK) => {
                let problem = "`tidebin check --shrink` removes pastes that do not fit into TIDEBIN_MAX_DISK. Set it: \
                               the default may be less than the server has.";
                Err(ConfigError::Usage(problem.to_owned()))
            }
            ("check", _) => Ok(Self::Check(Check {
                database: Database::read(&sources)?,
                max_store_size: sources.required(&setting::MAX_STORE_SIZE, values::budget)?,
                max_paste_size: sources.required(&setting::MAX_PASTE_SIZE, values::paste_size)?,
                shrink,
            })),
            // Only the address is read: a running server is still healthy when its `.env` is edited.
            _ => sources
                .required(&setting::ADDR, values::addr)
                .map(Self::Healthcheck),
        }
    }
}

impl KeyCommand {
    fn read(
        mut of_key: ArgMatches,
        flags: ArgMatches,
        sources: impl FnOnce(Vec<ArgMatches>) -> Result<Sources, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let (what, mut args) = of_key.remove_subcommand().ok_or(ConfigError::NoKeys)?;
        let mut text = |id| -> String { args.remove_one(id).unwrap_or_default() };
        let name = (what != "list").then(|| text(command::NAME));
        let grant =
            (what == "new").then(|| [command::RIGHTS, command::LIMIT, command::UNTIL].map(text));
        let sources = sources(vec![args, flags])?;
        sources.refuse_unknown_and_repeated()?;
        let file = keys_file::read_setting(&sources)?.ok_or(ConfigError::NoKeys)?;
        let name = name.map(|name| argument("NAME", &name)).transpose()?;
        Ok(match (name, grant) {
            (None, _) => Self::List(file),
            (Some(name), None) => Self::Revoke(file, name),
            (Some(name), Some([rights, limit, until])) => Self::New(
                file,
                KeyGrant {
                    name,
                    rights: argument("--rights", &rights)?,
                    multiplier: argument("--limit", &limit)?,
                    end: argument("--until", &until)?,
                },
            ),
        })
    }
}

/// Parses an argument of a subcommand.
fn argument<T: FromStr<Err = &'static str>>(name: &str, text: &str) -> Result<T, ConfigError> {
    text.parse().map_err(|problem| {
        let help = "See `tidebin key new --help`.";
        ConfigError::Usage(format!("{name}: {text:?} {problem}. {help}"))
    })
}

impl Database {
    /// Reads the settings of the directory as the server does, and creates nothing. A mistyped variable is refused,
    /// because a default would take its place.
    fn read(sources: &Sources) -> Result<Self, ConfigError> {
        sources.refuse_unknown_and_repeated()?;
        let (secret, data) = storage::data_dir::read_settings(sources)?;
        let data = data.ok_or(ConfigError::NoData)?;
        data.require_database()?;
        Ok(Self { data, secret })
    }
}

/// Returns the message of clap without its `error:`, because `main` has its own prefix.
fn usage(error: &clap::Error) -> ConfigError {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    ConfigError::Usage(message.trim_end().to_owned())
}
