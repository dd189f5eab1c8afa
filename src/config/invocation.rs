//! Invocations: the tasks that the command line can give to the process.

use std::ffi::OsString;
use std::iter::successors;
use std::path::PathBuf;

use clap::ArgMatches;

use super::sources::{self, Dotenv, Sources};
use super::{
    BaseUrl, Config, ConfigError, DataDir, ListFile, ListenAddr, Secret, command, contradictions,
};
use crate::account::{KeyGrant, KeyName};
use crate::hidden::Hidden;
use crate::paste::ExpiryPolicy;

/// The task of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Run the server.
    Serve(Box<Config>),
    /// Check the health of the server that listens on this address, and exit with 0 or 1. The address may be an
    /// unspecified one (`0.0.0.0`).
    Healthcheck(ListenAddr),
    /// Copy the database in the directory into this new file. The secret is the one that is set, if one is.
    Backup(DataDir, Option<Secret>, PathBuf),
    /// Put this backup in the place of the database in the directory. The secret is the one that is set, if one is.
    Restore(DataDir, Option<Secret>, PathBuf),
    /// Check the database in the directory, and exit with 0 or 1. If the flag is true, remove pastes until the rest
    /// fits.
    Check(DataDir, Box<Config>, bool),
    /// Make, list or revoke keys in the file.
    Key(ListFile, KeyCommand),
    /// Ask the running server, as its operator.
    Ask(OperatorAccess, Question),
    /// Print this text, which is the help or the version, and exit with 0.
    Print(String),
}

/// What `tidebin key` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCommand {
    /// Make a key. If the flag is true, it gets the pastes of a revoked one of its name.
    New(KeyGrant, bool),
    /// Print the rights of each key.
    List,
    /// Remove a key.
    Revoke(KeyName),
}

/// What a subcommand asks the running server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Who holds how much, or what this one holds. With a reason, all of that is removed.
    Pastes(Option<String>, Option<String>),
    /// To remove the pastes of this key, which is revoked in the file.
    Revoke(ListFile, KeyName),
}

/// How a subcommand asks the running server, as its operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorAccess {
    /// Where the server listens.
    pub addr: ListenAddr,
    /// The path of the server, which is its base path.
    pub base_path: String,
    /// The operator's token.
    pub(crate) token: Hidden<String>,
}

impl Invocation {
    /// Reads the command line, the environment and `.env` of this process.
    ///
    /// # Errors
    /// Returns an error if a flag, a variable or `.env` cannot be used.
    pub fn from_process() -> Result<Self, ConfigError> {
        let dotenv = || sources::read_dotenv(sources::DOTENV);
        Self::from_parts(std::env::args_os(), std::env::vars_os(), dotenv)
    }

    /// Reads these values of the command line (the program's name first), of the environment and of `.env`.
    ///
    /// `.env` is read last, so that a broken one does not prevent the help from being printed.
    ///
    /// # Errors
    /// Returns all faults of flags, variables and `.env`, as far as they can be known.
    pub fn from_parts(
        args: impl IntoIterator<Item = OsString>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        dotenv: impl FnOnce() -> Result<Dotenv, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let args: Vec<OsString> = args.into_iter().collect();
        let (flags, mut faults) = match command::command().try_get_matches_from(&args) {
            Ok(flags) => (flags, Vec::new()),
            Err(answer) if !answer.use_stderr() => return Ok(Self::Print(answer.to_string())),
            Err(error) => {
                let tolerant = command::command().ignore_errors(true);
                let flags = tolerant.try_get_matches_from(&args).unwrap_or_default();
                (flags, vec![usage(&error)])
            }
        };
        let dotenv = dotenv().unwrap_or_else(|ConfigError(more)| {
            faults.extend(more);
            Dotenv::new()
        });
        let is_complete = faults.is_empty();
        // The command, its subcommand, and that of `key`, each with its flags.
        let levels = successors(Some(("", &flags)), |(_, flags)| flags.subcommand());
        let levels: Vec<(&str, &ArgMatches)> = levels.collect();
        let (subcommand, args) = levels.last().copied().unwrap_or(("", &flags));
        let mut sources = Sources::merge(&levels, environment, dotenv);
        if subcommand == "healthcheck" {
            // A running server is still healthy when its `.env` is edited.
            sources.faults.clear();
        }
        let config = sources.parse(command::settings_of(subcommand));
        faults.append(&mut sources.faults);
        if !is_complete {
            return Err(ConfigError(faults));
        }
        faults.extend(contradictions::find(&config, &sources));
        match Self::of(subcommand, config, args, &sources) {
            Ok(invocation) if faults.is_empty() => Ok(invocation),
            other => {
                faults.extend(other.err().into_iter().flat_map(|ConfigError(more)| more));
                Err(ConfigError(faults))
            }
        }
    }

    /// Returns the invocation of a subcommand with these arguments, or of the server.
    fn of(
        subcommand: &str,
        mut config: Config,
        args: &ArgMatches,
        sources: &Sources,
    ) -> Result<Self, ConfigError> {
        let file = || get(args, command::FILE);
        match subcommand {
            "healthcheck" => Ok(Self::Healthcheck(config.addr)),
            "backup" => Ok(Self::Backup(database(&config)?, config.secret, file()?)),
            "restore" => Ok(Self::Restore(data_dir(&config)?, config.secret, file()?)),
            "check" => {
                let shrink = args.get_flag(command::SHRINK_FLAG);
                if shrink && sources.is_default("MAX_DISK") {
                    let fault = "`tidebin check --shrink` removes pastes that do not fit into TIDEBIN_MAX_DISK. Set \
                                 it: the default may be less than the server has.";
                    return Err(fault.to_owned().into());
                }
                let data = database(&config)?;
                Ok(Self::Check(data, Box::new(config), shrink))
            }
            "new" => {
                let grant = KeyGrant {
                    name: get(args, command::NAME)?,
                    rights: get(args, command::RIGHTS)?,
                    multiplier: get(args, command::LIMIT)?,
                    end: get(args, command::UNTIL)?,
                };
                let takes_over = args.get_flag(command::TAKE_OVER);
                let new = KeyCommand::New(grant, takes_over);
                Ok(Self::Key(keys_file(config)?, new))
            }
            "list" => Ok(Self::Key(keys_file(config)?, KeyCommand::List)),
            "revoke" => {
                let name = get(args, command::NAME)?;
                if args.get_flag(command::WITH_PASTES) {
                    let access = operator_access(&config, sources)?;
                    let revoke = Question::Revoke(keys_file(config)?, name);
                    return Ok(Self::Ask(access, revoke));
                }
                Ok(Self::Key(keys_file(config)?, KeyCommand::Revoke(name)))
            }
            "pastes" => {
                let text = |name| args.get_one(name).cloned();
                let pastes = Question::Pastes(text(command::OF), text(command::REMOVE));
                Ok(Self::Ask(operator_access(&config, sources)?, pastes))
            }
            _ => {
                let ExpiryPolicy { default, longest } = config.pastes.expiry_policy;
                config.pastes.expiry_policy = ExpiryPolicy::new(default, longest);
                config.max_disk_is_unused =
                    config.data.is_none() && !sources.is_default("MAX_DISK");
                if let Some(file) = &config.keys_file {
                    config.keys = file.read()?;
                }
                Ok(Self::Serve(Box::new(config)))
            }
        }
    }
}

/// Returns the value of an argument that a subcommand requires or has a default for.
fn get<T: Clone + Send + Sync + 'static>(args: &ArgMatches, name: &str) -> Result<T, ConfigError> {
    let value = args.get_one(name).cloned();
    value.ok_or_else(|| format!("{name} is missing").into())
}

/// Returns the directory, in which a server has made a database.
fn database(config: &Config) -> Result<DataDir, ConfigError> {
    let data = data_dir(config)?;
    data.require_database()?;
    Ok(data)
}

fn data_dir(config: &Config) -> Result<DataDir, ConfigError> {
    let fault = "TIDEBIN_DATA is not set. Set it to the data directory of the server, such as /var/lib/tidebin.";
    config.data.clone().ok_or_else(|| fault.to_owned().into())
}

fn operator_access(config: &Config, sources: &Sources) -> Result<OperatorAccess, ConfigError> {
    let fault = "TIDEBIN_ADMIN_TOKEN is not set. Set it to the operator's token of the server.";
    let base_url = config.base_url.as_ref();
    Ok(OperatorAccess {
        addr: config.addr.clone(),
        base_path: base_url.map_or("", BaseUrl::path).to_owned(),
        token: Hidden(sources.text("ADMIN_TOKEN").ok_or(fault.to_owned())?),
    })
}

fn keys_file(config: Config) -> Result<ListFile, ConfigError> {
    let fault = "TIDEBIN_KEYS is not set. Set it to the file of keys of the server, such as /var/lib/tidebin/keys.";
    config.keys_file.ok_or_else(|| fault.to_owned().into())
}

/// Returns the message of clap without its `error:`, because `main` has its own prefix.
fn usage(error: &clap::Error) -> String {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    // An argument may have escape sequences for the terminal.
    let is_unsafe = |c: char| c.is_control() && c != '\n';
    message.trim_end().replace(is_unsafe, "\u{fffd}")
}
