//! What the command line asks the process to do.

use std::ffi::OsString;
use std::net::SocketAddr;

use super::sources::{self, Dotenv, Sources};
use super::{Config, ConfigError, command, setting, values};

/// The task of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Run the server.
    Serve(Box<Config>),
    /// Ask the server that listens on this address whether it serves, and exit with 0 or 1. The address may be an
    /// unspecified one (`0.0.0.0`).
    Healthcheck(SocketAddr),
    /// Print this help or version, and exit with 0.
    Print(String),
}

impl Invocation {
    /// Reads the command line, the environment and `.env` of this process.
    ///
    /// # Errors
    /// If a flag, a variable or `.env` cannot be used.
    pub fn from_process() -> Result<Self, ConfigError> {
        Self::from_parts(std::env::args_os(), std::env::vars_os(), || {
            sources::read_dotenv(".env")
        })
    }

    /// Reads this command line (the program's name first), this environment and this `.env`.
    ///
    /// `.env` is read last, so that a broken one does not prevent the help from being printed.
    ///
    /// # Errors
    /// If a flag, a variable or `.env` cannot be used.
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
        match flags.remove_subcommand() {
            // Only the address is read: a running server is still healthy when its `.env` is edited.
            Some((_healthcheck, flags)) => Sources::new(flags, environment, dotenv()?)
                .required(&setting::ADDR, values::addr)
                .map(Self::Healthcheck),
            None => Config::read(&Sources::new(flags, environment, dotenv()?))
                .map(|config| Self::Serve(Box::new(config))),
        }
    }
}

/// Returns the message of clap without its `error:`, because `main` has its own prefix.
fn usage(error: &clap::Error) -> ConfigError {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    ConfigError::Usage(message.trim_end().to_owned())
}
