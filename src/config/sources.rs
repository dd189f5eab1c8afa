//! Sources: where the text of a setting is found. Flags go before the environment, it before `.env`, it before the
//! table's default.
//!
//! What it must not know: what a setting means.
//! Invariants: nothing is written to the process environment, and no `.env` but the working directory's is read; an
//! empty value counts as unset, so that `TIDEBIN_SECRET=${SECRET}` of a compose file works without the variable; in
//! one source a setting has one value.
//! Cost: a few hundred string comparisons, once a start.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::Read;

use clap::ArgMatches;

use super::error::{ConfigError, Place, Source};
use super::setting::{Fallback, PREFIX, Setting, TABLE};

/// Kubernetes gives every pod variables about a service: one named `tidebin` brings `TIDEBIN_PORT_8088_TCP` and
/// `TIDEBIN_SERVICE_HOST`. No setting may begin like them.
const FOREIGN: [&str; 2] = ["TIDEBIN_PORT", "TIDEBIN_SERVICE_"];

/// All that was given to the process.
pub(super) struct Sources {
    flags: ArgMatches,
    /// Those of our prefix. A name that is not UTF-8 has replacement characters, which no setting has.
    environment: Vec<(String, OsString)>,
    /// Those of our prefix.
    dotenv: Vec<(String, String)>,
}

impl Sources {
    pub(super) fn new(
        flags: ArgMatches,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        mut dotenv: Vec<(String, String)>,
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

    /// Refuses names that are no setting, a mistyped one above all, and lines of `.env` that contradict each other.
    pub(super) fn refuse_surprises(&self) -> Result<(), ConfigError> {
        for (name, _) in &self.environment {
            refuse_unknown(name, Source::Environment)?;
        }
        for (at, (name, _)) in self.dotenv.iter().enumerate() {
            refuse_unknown(name, Source::Dotenv)?;
            if self.dotenv[..at].iter().any(|(before, _)| before == name) {
                return Err(ConfigError::Twice(Place {
                    name: name.clone(),
                    source: Source::Dotenv,
                }));
            }
        }
        Ok(())
    }

    /// The setting's value, and where it was found, unless it is unset and has no default.
    pub(super) fn optional<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<(T, Place)>, ConfigError> {
        let Some((value, place)) = self.find(setting) else {
            return Ok(None);
        };
        let Some(text) = value.to_str() else {
            let lossy = value.to_string_lossy();
            return Err(ConfigError::invalid(setting, place, &lossy, "is not UTF-8"));
        };
        match parse(text) {
            Ok(parsed) => Ok(Some((parsed, place))),
            Err(problem) => Err(ConfigError::invalid(setting, place, text, problem)),
        }
    }

    /// The value of a setting that has a default, and where it was found.
    pub(super) fn required<T, E: Display>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<(T, Place), ConfigError> {
        let found = self.optional(setting, parse)?;
        Ok(found.expect("the table gives a default to a setting that is required"))
    }

    fn find(&self, setting: &Setting) -> Option<(&OsStr, Place)> {
        let variable = setting.variable();
        let flag = self.flags.get_one::<OsString>(setting.suffix);
        let in_environment = self.environment.iter().find(|(name, _)| *name == variable);
        let in_dotenv = self.dotenv.iter().find(|(name, _)| *name == variable);
        let default = match setting.default {
            Fallback::Value(value) => Some(OsStr::new(value)),
            Fallback::Missing(_) => None,
        };
        let (value, source) = [
            (flag.map(OsString::as_os_str), Source::Flag),
            (
                in_environment.map(|(_, value)| value.as_os_str()),
                Source::Environment,
            ),
            (
                in_dotenv.map(|(_, value)| OsStr::new(value)),
                Source::Dotenv,
            ),
            (default, Source::Default),
        ]
        .into_iter()
        .find_map(|(value, source)| {
            let value = value.filter(|value| !value.is_empty())?;
            Some((value, source))
        })?;
        let name = match source {
            Source::Flag => format!("--{}", setting.flag()),
            Source::Environment | Source::Dotenv | Source::Default => variable,
        };
        Some((value, Place { name, source }))
    }
}

fn refuse_unknown(name: &str, source: Source) -> Result<(), ConfigError> {
    let known = || TABLE.iter().map(|setting| setting.variable());
    if known().any(|variable| variable == name)
        || FOREIGN.iter().any(|prefix| name.starts_with(prefix))
    {
        return Ok(());
    }
    let nearest = known()
        .min_by_key(|variable| strsim::damerau_levenshtein(variable, name))
        .expect("the table is not empty");
    Err(ConfigError::Unknown {
        place: Place {
            name: name.to_owned(),
            source,
        },
        nearest,
    })
}

/// The variables of the file at this path; none if there is no such file.
///
/// Not `dotenvy::dotenv`: it looks for the file in every parent directory, and it writes to the process environment.
pub(super) fn read_dotenv(path: &str) -> Result<Vec<(String, String)>, ConfigError> {
    match dotenvy::from_path_iter(path) {
        Ok(variables) => collect_dotenv(variables),
        Err(error) if error.not_found() => Ok(Vec::new()),
        Err(error) => Err(ConfigError::DotenvUnreadable(error.to_string())),
    }
}

/// The variables that dotenvy finds, up to the end or the first line that it does not understand.
///
/// Its own message is not passed on: it has the text of the line, and that may be a secret. It knows no line numbers.
pub(super) fn collect_dotenv<R: Read>(
    variables: dotenvy::Iter<R>,
) -> Result<Vec<(String, String)>, ConfigError> {
    let mut read: Vec<(String, String)> = Vec::new();
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
