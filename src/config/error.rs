//! Errors of the configuration: why the process does not start.
//!
//! Invariants: a message names the flag or the variable, the source of its value, the problem, and the allowed form of
//! the value. No message contains the value of a secret or a line of `.env`, which may hold one.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use super::setting::Setting;

/// The maximum number of characters that a message shows of a value. A longer value is truncated: it may be a whole
/// file, pasted by mistake.
const SHOWN_CHARS: usize = 60;

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// The command line is malformed; the message explains its use.
    Usage(String),
    /// A variable has the prefix of settings, but no setting has its name.
    Unknown {
        /// The variable and the source of its value.
        origin: ValueOrigin,
        /// The setting with the most similar name, if one is similar.
        nearest: Option<String>,
    },
    /// The value of a setting does not have the allowed form.
    Invalid {
        /// The setting and the source of its value.
        origin: ValueOrigin,
        /// The value in quotes, or `the value` if it may be a secret.
        value: String,
        /// The problem, as a phrase that follows the value.
        problem: String,
        /// The allowed form.
        form: &'static str,
    },
    /// The default lifetime of pastes is longer than the longest allowed one.
    DefaultBeyondMax {
        /// The source of the default lifetime.
        default: ValueOrigin,
        /// The source of the longest lifetime.
        max: ValueOrigin,
        /// Both lifetimes, the default first.
        expiry_policy: [String; 2],
    },
    /// The secret is too short for data that is stored on disk.
    ShortSecret {
        /// The source of the secret.
        secret: ValueOrigin,
        /// The source of the data directory.
        data: ValueOrigin,
    },
    /// The nodes of an engine need one secret.
    NoSecret(ValueOrigin),
    /// Pastes are kept in one place.
    TwoStores {
        /// The source of the engine.
        valkey: ValueOrigin,
        /// The source of the data directory.
        data: ValueOrigin,
    },
    /// The data directory or a file in it cannot be used.
    Data {
        /// The source of the data directory.
        origin: ValueOrigin,
        /// The directory or the file.
        path: PathBuf,
        /// The problem and what to do, as a phrase that follows the path.
        problem: String,
    },
    /// A port without HTTP needs the public address: its clients name no host.
    NoBaseUrl(ValueOrigin),
    /// The subcommand needs a data directory, and none is set.
    NoData,
    /// The subcommand needs a file of keys, and none is set.
    NoKeys,
    /// No client can be known, but only known clients may use the server.
    NoAccess(ValueOrigin),
    /// Any client could name itself a user, because no proxy is trusted.
    UntrustedUsers(ValueOrigin),
    /// A port without HTTP cannot ask for keys.
    TcpWithoutKeys {
        /// The source of the port's address.
        tcp_addr: ValueOrigin,
        /// The source of the access.
        access: ValueOrigin,
    },
    /// `.env` sets a variable twice.
    Twice(ValueOrigin),
    /// A line of `.env` is malformed.
    DotenvLine {
        /// The variable set before that line, if any.
        after: Option<String>,
    },
    /// `.env` exists, but cannot be read.
    DotenvUnreadable(String),
}

/// A setting and the source of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueOrigin {
    pub(super) name: String,
    pub(super) source: ValueSource,
}

/// The sources of the values of settings, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueSource {
    /// The command line.
    Flag,
    /// The process environment.
    Environment,
    /// The file `.env` in the working directory.
    Dotenv,
    /// The default in the table of settings.
    Default,
}

impl ConfigError {
    /// Returns the error for a value with this problem. It hides the value if that may be a secret.
    pub(super) fn invalid(
        setting: &Setting,
        origin: ValueOrigin,
        value: &str,
        problem: impl fmt::Display,
    ) -> Self {
        // The text before an `@` in an address may be a password. A leading `@` names a file.
        let hidden = setting.secret || value.find('@').is_some_and(|at| at > 0);
        let value = match value.char_indices().nth(SHOWN_CHARS) {
            _ if hidden => "the value".to_owned(),
            Some((end, _)) => format!("{:?}…", &value[..end]),
            None => format!("{value:?}"),
        };
        Self::Invalid {
            origin,
            value,
            problem: problem.to_string(),
            form: setting.form,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) => f.write_str(message),
            Self::Unknown { origin, nearest } => {
                write!(f, "{origin} is not a setting")?;
                if let Some(nearest) = nearest {
                    write!(f, ": did you mean {nearest}?")?;
                } else {
                    f.write_str(".")?;
                }
                f.write_str(" Run `tidebin --help` to see all settings.")
            }
            Self::Invalid {
                origin,
                value,
                problem,
                form,
            } => write!(f, "{origin}: {value} {problem}. Use {form}."),
            Self::DefaultBeyondMax {
                default,
                max,
                expiry_policy: [given, longest],
            } => write!(
                f,
                "{default} is {given}, but {max} is only {longest}. Lower the first or raise the second."
            ),
            Self::ShortSecret { secret, data } => write!(
                f,
                "{secret} has fewer than 32 characters, and {data} needs a longer one. \
                 Use the output of `openssl rand -hex 32`, or with TIDEBIN_DATA unset it: then the directory keeps a random one."
            ),
            Self::NoSecret(origin) => write!(
                f,
                "{origin} needs TIDEBIN_SECRET, the same on all machines. Use the output of `openssl rand -hex 32`."
            ),
            Self::TwoStores { valkey, data } => write!(
                f,
                "{valkey} and {data} are both set, but pastes are kept in one place. Unset one of them."
            ),
            Self::Data {
                origin,
                path,
                problem,
            } => write!(f, "{origin}: {path:?} {problem}"),
            Self::NoBaseUrl(origin) => write!(
                f,
                "{origin} needs TIDEBIN_BASE_URL. Set it to the public URL, such as `https://paste.example.org`."
            ),
            Self::NoData => f.write_str(
                "TIDEBIN_DATA is not set. Set it to the data directory of the server, such as /var/lib/tidebin.",
            ),
            Self::NoKeys => f.write_str(
                "TIDEBIN_KEYS is not set. Set it to the file of keys of the server, such as /etc/tidebin/keys.",
            ),
            Self::NoAccess(origin) => write!(
                f,
                "{origin} needs TIDEBIN_KEYS or TIDEBIN_AUTH_HEADER, or no client could use the server. Make a key with \
                 `tidebin key new NAME --keys FILE`, and set TIDEBIN_KEYS to FILE."
            ),
            Self::UntrustedUsers(origin) => write!(
                f,
                "{origin} needs TIDEBIN_TRUSTED_PROXIES, or any client could name itself a user. Set it to the address \
                 of your proxy."
            ),
            Self::TcpWithoutKeys { tcp_addr, access } => write!(
                f,
                "{tcp_addr} needs {access} to be `open`, because texts that arrive there have no key. Unset one of them."
            ),
            Self::Twice(origin) => write!(f, "{origin} is set twice. Remove one of the lines."),
            Self::DotenvLine { after } => {
                match after {
                    Some(name) => write!(f, ".env: the setting after {name} is malformed.")?,
                    None => f.write_str(".env: the first setting is malformed.")?,
                }
                f.write_str(
                    " Use NAME=value, with quotes around a value with spaces: NAME='a value'.",
                )
            }
            Self::DotenvUnreadable(cause) => write!(
                f,
                ".env cannot be read ({cause}). Make it a readable text file, or remove it."
            ),
        }
    }
}

impl Error for ConfigError {}

/// Prints the name as the operator wrote it: `--addr`, or `TIDEBIN_ADDR (from .env)`.
impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.source {
            ValueSource::Flag => write!(f, "{name}"),
            ValueSource::Environment => write!(f, "{name} (from the environment)"),
            ValueSource::Dotenv => write!(f, "{name} (from .env)"),
            ValueSource::Default => write!(f, "{name} (by default)"),
        }
    }
}
