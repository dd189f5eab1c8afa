//! The sources of values, in order of precedence: flags, the environment, `.env`, the default in the table.
//!
//! Invariants:
//! - Nothing is written to the process environment, and only the `.env` of the working directory is read.
//! - An empty value counts as unset, so that `TIDEBIN_SECRET=${SECRET}` in a compose file works without that variable.
//! - A setting has at most one value per source.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::Read;

use clap::ArgMatches;

use super::error::{ConfigError, ValueOrigin, ValueSource};
use super::setting::{ADDR, DefaultValue, PREFIX, Setting, TABLE};
use crate::spelling;

/// The variables of a `.env` file, in the order of the file.
pub type Dotenv = Vec<(String, String)>;

/// All sources of this process.
pub(super) struct Sources {
    /// The flags of the subcommand, if there is one, and those before it.
    flags: Vec<ArgMatches>,
    /// The variables whose names have the prefix of settings. A name that is not UTF-8 gets replacement characters, so
    /// it is not the name of any setting.
    environment: Vec<(String, OsString)>,
    /// The variables of `.env` with the prefix of settings.
    dotenv: Dotenv,
}

impl Sources {
    pub(super) fn new(
        flags: Vec<ArgMatches>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        mut dotenv: Dotenv,
    ) -> Self {
        dotenv.retain(|(name, _)| name.starts_with(PREFIX));
        let environment = environment
            .into_iter()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .collect();
        Self {
            flags,
            environment,
            dotenv,
        }
    }

    /// Refuses variables that have the prefix of settings but no setting's name: most of them are mistyped. Also
    /// refuses variables that `.env` sets twice.
    pub(super) fn refuse_unknown_and_repeated(&self) -> Result<(), ConfigError> {
        for (name, value) in &self.environment {
            if !is_of_kubernetes(name, value) {
                refuse_unknown(name, ValueSource::Environment)?;
            }
        }
        for (at, (name, _)) in self.dotenv.iter().enumerate() {
            refuse_unknown(name, ValueSource::Dotenv)?;
            if self.dotenv[..at].iter().any(|(before, _)| before == name) {
                return Err(ConfigError::Twice(ValueOrigin {
                    name: name.clone(),
                    source: ValueSource::Dotenv,
                }));
            }
        }
        Ok(())
    }

    /// Returns the value of a setting. Returns `None` if the setting is unset and has no default.
    pub(super) fn optional<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ConfigError> {
        let found = self.optional_with_origin(setting, parse)?;
        Ok(found.map(|(value, _)| value))
    }

    /// Returns the value of a setting that has a default.
    pub(super) fn required<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, ConfigError> {
        self.required_with_origin(setting, parse)
            .map(|(value, _)| value)
    }

    /// Returns the same as [`Self::optional`], with the origin of the value.
    pub(super) fn optional_with_origin<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<(T, ValueOrigin)>, ConfigError> {
        let Some((value, origin)) = self.find(setting) else {
            return Ok(None);
        };
        let Some(text) = value.to_str() else {
            let lossy = value.to_string_lossy();
            return Err(ConfigError::invalid(
                setting,
                origin,
                &lossy,
                "is not UTF-8",
            ));
        };
        match parse(text) {
            Ok(parsed) => Ok(Some((parsed, origin))),
            Err(problem) => Err(ConfigError::invalid(setting, origin, text, problem)),
        }
    }

    /// Returns the same as [`Self::required`], with the origin of the value.
    pub(super) fn required_with_origin<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<(T, ValueOrigin), ConfigError> {
        let found = self.optional_with_origin(setting, parse)?;
        Ok(found.expect("the table gives a default to a setting that is required"))
    }

    /// Returns true if nothing sets this setting, so that its default is used.
    pub(super) fn is_default(&self, setting: &Setting) -> bool {
        let found = self.find(setting);
        found.is_none_or(|(_, origin)| origin.source == ValueSource::Default)
    }

    fn find(&self, setting: &Setting) -> Option<(&OsStr, ValueOrigin)> {
        let variable = setting.variable();
        // A subcommand has only the flags that it reads.
        let mut flags = self.flags.iter();
        let flag = flags.find_map(|flags| flags.try_get_one::<OsString>(setting.suffix).ok()?);
        let in_environment = self.environment.iter().find(|(name, _)| *name == variable);
        let in_dotenv = self.dotenv.iter().find(|(name, _)| *name == variable);
        let default = match setting.default {
            DefaultValue::Value(value) => Some(OsStr::new(value)),
            DefaultValue::Missing(_) => None,
        };
        let (value, source) = [
            (flag.map(OsString::as_os_str), ValueSource::Flag),
            (
                in_environment.map(|(_, value)| value.as_os_str()),
                ValueSource::Environment,
            ),
            (
                in_dotenv.map(|(_, value)| OsStr::new(value)),
                ValueSource::Dotenv,
            ),
            (default, ValueSource::Default),
        ]
        .into_iter()
        .find_map(|(value, source)| {
            let value = value.filter(|value| !value.is_empty())?;
            Some((value, source))
        })?;
        let name = match source {
            ValueSource::Flag => format!("--{}", setting.flag()),
            ValueSource::Environment | ValueSource::Dotenv | ValueSource::Default => variable,
        };
        Some((value, ValueOrigin { name, source }))
    }
}

/// Returns true for the variables that Kubernetes sets for a service named `tidebin`, such as
/// `TIDEBIN_PORT=tcp://10.0.0.1:8088`, `TIDEBIN_PORT_8088_TCP_ADDR` and `TIDEBIN_SERVICE_HOST`. No setting may have
/// such a name. `TIDEBIN_PORT=8088` is a mistake of the operator.
fn is_of_kubernetes(name: &str, value: &OsStr) -> bool {
    let starts_with_digit = |rest: &str| rest.starts_with(|it: char| it.is_ascii_digit());
    let is_of_port = |rest: &str| rest.strip_prefix('_').is_some_and(starts_with_digit);
    match name.strip_prefix("TIDEBIN_PORT") {
        Some("") => value.to_str().is_some_and(|url| url.contains("://")),
        Some(rest) => is_of_port(rest),
        None => ["TIDEBIN_SERVICE_HOST", "TIDEBIN_SERVICE_PORT"]
            .iter()
            .any(|start| name.starts_with(start)),
    }
}

fn refuse_unknown(name: &str, source: ValueSource) -> Result<(), ConfigError> {
    let mut known = TABLE.iter().map(|setting| setting.variable());
    if known.any(|variable| variable == name) {
        return Ok(());
    }
    Err(ConfigError::Unknown {
        origin: ValueOrigin {
            name: name.to_owned(),
            source,
        },
        nearest: nearest(name),
    })
}

/// Returns the setting that this variable most likely means, if its name is similar.
fn nearest(name: &str) -> Option<String> {
    let suffix = name.strip_prefix(PREFIX).unwrap_or(name);
    // Other servers call a part of the address so.
    if matches!(suffix, "PORT" | "HOST" | "BIND" | "LISTEN") {
        return Some(ADDR.variable());
    }
    let suffixes = TABLE.iter().map(|setting| setting.suffix);
    spelling::nearest(suffix, suffixes).map(|suffix| [PREFIX, suffix].concat())
}

/// Reads the variables of the file at this path. Returns no variables if the file does not exist.
///
/// `dotenvy::dotenv` would search every parent directory, and it would write to the process environment.
pub(super) fn read_dotenv(path: &str) -> Result<Dotenv, ConfigError> {
    match dotenvy::from_path_iter(path) {
        Ok(variables) => collect_dotenv(variables),
        Err(error) if error.not_found() => Ok(Vec::new()),
        Err(error) => Err(ConfigError::DotenvUnreadable(error.to_string())),
    }
}

/// Collects the variables of a file.
///
/// The message of dotenvy is replaced, because it quotes the line, which may hold a secret. The new message names the
/// variable before that line, because dotenvy reports no line numbers.
///
/// # Errors
/// Returns an error if the file cannot be read, or for its first malformed line.
pub(super) fn collect_dotenv<R: Read>(variables: dotenvy::Iter<R>) -> Result<Dotenv, ConfigError> {
    let mut read = Dotenv::new();
    for variable in variables {
        match variable {
            Ok(variable) => read.push(variable),
            Err(dotenvy::Error::LineParse(..)) => {
                let after = read.pop().map(|(name, _)| name);
                return Err(ConfigError::DotenvLine { after });
            }
            Err(error) => return Err(ConfigError::DotenvUnreadable(error.to_string())),
        }
    }
    Ok(read)
}
