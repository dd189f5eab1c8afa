//! The sources of values, merged into one map. In order of precedence: flags, the environment, `.env`, the default in
//! the table.
//!
//! Invariants:
//! - Nothing is parsed before all sources are merged, so that all faults are told at once.
//! - Nothing is written to the process environment, and only the `.env` of the working directory is read.
//! - An empty value counts as unset, so that `TIDEBIN_SECRET=${SECRET}` in a compose file works without that variable.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::ErrorKind;
use std::{env, fs};

use clap::ArgMatches;

use super::Config;
use super::error::{ConfigError, ValueOrigin};
use super::setting::{DefaultValue, PREFIX, Setting, TABLE};
use crate::spelling;

/// The variables by which an operator configures the C library's allocator (`mallopt(3)`).
const ALLOCATOR_VARIABLES: [&str; 4] = [
    "MALLOC_ARENA_MAX",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "GLIBC_TUNABLES",
];

/// The file of variables in the working directory.
pub(super) const DOTENV: &str = ".env";

/// The variables of a `.env` file, in the order of the file.
pub type Dotenv = Vec<(String, String)>;

/// The values of the settings that are set.
#[derive(Default)]
pub(super) struct Sources {
    /// The values that are not empty and what messages call their settings, by the names of the settings.
    values: BTreeMap<&'static str, (OsString, String)>,
    /// A message for each fault that was found so far.
    pub(super) faults: Vec<String>,
    /// The settings whose values could not be parsed.
    failed: Vec<&'static str>,
}

impl Sources {
    /// Merges the flags of the command line and its subcommands, the environment and `.env`.
    ///
    /// A variable that has the prefix of settings but no setting's name is a fault: most of them are mistyped. So is a
    /// variable that `.env` sets twice. A name that is not UTF-8 gets replacement characters, so it is not the name of
    /// any setting.
    pub(super) fn merge(
        flags: &[(&str, &ArgMatches)],
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        dotenv: Dotenv,
    ) -> Self {
        let (mut merged, mut of_file) = (Self::default(), BTreeSet::new());
        for (name, value) in dotenv {
            if name.starts_with(PREFIX) && !of_file.insert(name.clone()) {
                let fault = format!("{name} (from .env) is set twice. Remove one of the lines.");
                merged.faults.push(fault);
            } else {
                merged.add_variable(&name, value.into(), ".env");
            }
        }
        for (name, value) in environment {
            merged.add_variable(&name.to_string_lossy(), value, "the environment");
        }
        for setting in TABLE {
            // A subcommand has only the flags that it reads.
            let given = |(_, it): &(_, &ArgMatches)| it.try_get_one(setting.name).ok()?.cloned();
            let value: Option<OsString> = flags.iter().rev().find_map(given);
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let found = (value, format!("--{}", setting.flag()));
                merged.values.insert(setting.name, found);
            }
        }
        merged
    }

    fn add_variable(&mut self, name: &str, value: OsString, source: &str) {
        let Some(suffix) = name.strip_prefix(PREFIX) else {
            return;
        };
        let told = format!("{name} (from {source})");
        match Setting::named(suffix) {
            Some(_) if value.is_empty() => {}
            Some(setting) => _ = self.values.insert(setting.name, (value, told)),
            None if is_of_kubernetes(name, &value) => {}
            None => self.faults.push(unknown(&told, suffix)),
        }
    }

    /// Parses the values of these settings. All others have their type's default.
    pub(super) fn parse(&mut self, settings: Vec<&'static Setting>) -> Config {
        let mut config = Config::default();
        for setting in settings {
            let value = match (self.values.get(setting.name), &setting.default) {
                (Some((value, _)), _) => value.as_os_str(),
                (None, DefaultValue::Value(value)) => OsStr::new(value),
                (None, DefaultValue::Missing(_)) => continue,
            };
            let origin = self.origin(setting);
            let text = value.to_str().ok_or_else(|| "is not UTF-8".to_owned());
            let parsed = text.and_then(|text| (setting.parse)(&mut config, text, &origin));
            if let Err(problem) = parsed {
                let fault = origin.refuse(&value.to_string_lossy(), problem);
                self.faults.push(fault);
                self.failed.push(setting.name);
            }
        }
        config
    }

    /// Returns the text of this setting, if it is set.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (value, _) = self.values.get(name)?;
        value.to_str().map(str::to_owned)
    }

    /// Returns true if the value of this setting could not be parsed.
    pub(super) fn has_failed(&self, name: &str) -> bool {
        self.failed.contains(&name)
    }

    /// Returns true if nothing sets this setting, so that its default is used.
    pub(super) fn is_default(&self, name: &str) -> bool {
        !self.values.contains_key(name)
    }

    /// Returns the origin of the value of this setting.
    pub(super) fn origin(&self, setting: &Setting) -> ValueOrigin {
        ValueOrigin {
            name: match self.values.get(setting.name) {
                Some((_, told)) => told.clone(),
                None => format!("{} (by default)", setting.variable()),
            },
            form: setting.form,
            is_secret: setting.is_secret,
        }
    }
}

/// Returns true if the operator configured the C library's allocator. Then it should be left alone.
pub fn configures_allocator() -> bool {
    let is_set = |variable| env::var_os(variable).is_some();
    ALLOCATOR_VARIABLES.into_iter().any(is_set)
}

/// Returns true for the variables that Kubernetes sets for each service. The ones of a service whose name starts with
/// `tidebin` have the prefix of settings: `TIDEBIN_WEB_PORT=tcp://10.0.0.1:8088`, `TIDEBIN_WEB_PORT_8088_TCP_ADDR` and
/// `TIDEBIN_WEB_SERVICE_HOST`. No setting may have such a name. `TIDEBIN_PORT=8088` is a mistake of the operator.
fn is_of_kubernetes(name: &str, value: &OsStr) -> bool {
    let is_of_port = |rest: &str| {
        let mut words = rest.split('_');
        let is_number = words.next().is_some_and(|word| word.parse::<u16>().is_ok());
        is_number && matches!(words.next(), Some("TCP" | "UDP" | "SCTP"))
    };
    let value = value.to_string_lossy();
    let is_url = matches!(value.split_once("://"), Some(("tcp" | "udp" | "sctp", _)));
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || name.split("_PORT_").skip(1).any(is_of_port)
        || name.ends_with("_PORT") && is_url
}

/// Returns the message for a variable that is not a setting. It suggests the one that is most likely meant.
fn unknown(told: &str, suffix: &str) -> String {
    let nearest = match suffix {
        // Other servers call a part of the address so.
        "PORT" | "HOST" | "BIND" | "LISTEN" => Some("ADDR"),
        _ => spelling::nearest(suffix, TABLE.iter().map(|setting| setting.name)),
    };
    let meant = nearest.map(|name| format!(": did you mean {PREFIX}{name}?"));
    let meant = meant.as_deref().unwrap_or(".");
    format!("{told} is not a setting{meant} Run `tidebin --help` to see all settings.")
}

/// Returns true if this user may not search the working directory, so that it is unknown whether there is a `.env`.
pub fn is_dotenv_hidden() -> bool {
    let found = fs::symlink_metadata(DOTENV);
    found.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

/// Reads the variables of the file at this path. Returns no variables if the file does not exist, or is hidden.
///
/// `dotenvy::dotenv` would search every parent directory, and it would write to the process environment.
pub(super) fn read_dotenv(path: &str) -> Result<Dotenv, ConfigError> {
    match fs::read(path) {
        Ok(text) => parse_dotenv(&text),
        Err(error) if error.kind() == ErrorKind::NotFound || is_dotenv_hidden() => {
            Ok(Dotenv::new())
        }
        Err(error) => Err(unreadable(&error)),
    }
}

/// Parses the text of a file. Some editors start it with a byte order mark.
///
/// The message of dotenvy is replaced, because it quotes the line, which may hold a secret. The new message has the
/// number of the line, which dotenvy does not report.
///
/// # Errors
/// Returns an error if the text is not UTF-8, if a setting is malformed, or if a `$` in one names no variable that is
/// set: dotenvy would remove it and the name, and a password would be shorter.
pub(crate) fn parse_dotenv(text: &[u8]) -> Result<Dotenv, ConfigError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = str::from_utf8(text).map_err(|error| unreadable(&error))?;
    let refuse = |at: usize, problem: &str| {
        let line = text[..at].matches('\n').count() + 1;
        Err(format!(".env: line {line} {problem}").into())
    };
    let mut signs = text.match_indices('$').map(|(at, _)| at);
    if let Some(at) = signs.find(|at| loses_text(&text[..*at], &text[at + 1..])) {
        let form = "Put the value in single quotes: NAME='pa$$ word'.";
        return refuse(at, &format!("has a `$` that names no variable. {form}"));
    }
    let is_valid = |text: &str| variables(text).all(|variable| variable.is_ok());
    if !is_valid(text) {
        // The malformed setting starts where the longest valid part ends.
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let start = ends.rev().find(|end| is_valid(&text[..*end])).unwrap_or(0);
        let form = "Use NAME=value, with quotes around a value with spaces: NAME='a value'.";
        return refuse(start, &format!("is malformed. {form}"));
    }
    Ok(variables(text).flatten().collect())
}

/// Returns true if a setting loses the `$` between these texts, because no variable of that name is set before.
///
/// dotenvy is asked whether the `$` is quoted, escaped or in a comment: if not, a marker appears in its place.
fn loses_text(before: &str, after: &str) -> bool {
    const MARKER: &str = "\u{fdd0}";
    let name = match after.strip_prefix('{') {
        Some(braced) => braced.split('}').next(),
        None => after.split(|c: char| !c.is_alphanumeric()).next(),
    };
    let name = name.unwrap_or_default();
    let is_name = |(it, _): (String, String)| it == name;
    let lines = before.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let is_set = env::var_os(name).is_some() || variables(lines).flatten().any(is_name);
    let marked = format!("MARKER.={MARKER}\n{before}${{MARKER.}}{after}");
    let is_marked =
        |(name, value): (String, String)| name.starts_with(PREFIX) && value.contains(MARKER);
    !is_set && variables(&marked).flatten().any(is_marked)
}

fn variables(text: &str) -> impl Iterator<Item = dotenvy::Result<(String, String)>> {
    dotenvy::from_read_iter(text.as_bytes())
}

fn unreadable(cause: &dyn Display) -> ConfigError {
    let directory = env::current_dir().unwrap_or_default();
    let directory = directory.display();
    let fault = format!(
        ".env in {directory} cannot be read ({cause}). Make it a readable text file, or remove it."
    );
    fault.into()
}
