//! Invocations: the tasks that the command line can give to the process.

use std::ffi::OsString;
use std::net::SocketAddr;

use super::sources::{self, Dotenv, Sources};
use super::{Config, ConfigError, command, setting, values};

/// The task of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Run the server.
    Serve(Box<Config>),
    /// Check the health of the server that listens on this address, and exit with 0 or 1. The address may be an
    /// unspecified one (`0.0.0.0`).
    Healthcheck(SocketAddr),
    /// Print this text, which is the help or the version, and exit with 0.
    Print(String),
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
