//! Configuration: what the operator asks for, read once at the start.
//!
//! The only reader of the environment, of `.env` and of the files that settings name. What it must not know: what
//! becomes of the values; of the other rooms it uses only the values that settings are made of, in `paste` and `limit`.
//! It prints nothing: `main` does.
//! Invariants: a [`Config`] holds no value that cannot be used; whatever is mistyped stops the start with a message
//! that names it, and never becomes a default in silence. One table (`setting`) is the source of the flags, the
//! help, `.env.example` and README's table.
//! Cost: paid once, before anything is served; a file of networks again whenever it is read again.

mod allocator;
mod base_url;
mod byte_size;
mod command;
mod documents;
mod error;
mod keys;
mod networks_file;
mod secret;
mod setting;
mod sources;
#[cfg(test)]
mod tests;
mod values;

pub use allocator::settle_allocator;
pub(crate) use base_url::is_authority;
pub use base_url::{BaseUrl, BaseUrlError};
pub use byte_size::{ByteSize, ByteSizeError};
pub use documents::{env_example, readme_table};
pub use error::{ConfigError, Place, Source};
pub use keys::KeyUse;
pub use networks_file::NetworksFile;
pub use secret::Secret;

use std::ffi::OsString;
use std::net::SocketAddr;

use crate::limit::{Action, NetworkPolicies, RulesByAction, TrustedProxies};
use crate::paste::{ExpiryPolicy, TokenHash};
use sources::Sources;

/// The variables that a `.env` file sets, in its order.
type Dotenv = Vec<(String, String)>;

/// What the process was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// To serve.
    Serve(Box<Config>),
    /// To ask the server at this address whether it serves, and to end with 0 or 1. The address is the one it listens
    /// at, so it may be an unspecified one (`0.0.0.0`).
    Healthcheck(SocketAddr),
    /// To print this, help or version, and to end with 0.
    Print(String),
}

/// The settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where to listen; port 0 picks one.
    pub addr: SocketAddr,
    /// The public address; if none, answers use the request's.
    pub base_url: Option<BaseUrl>,
    /// The key of ids; if none, a random one is to be made.
    pub secret: Option<Secret>,
    /// The largest content, in bytes; at least one.
    pub max_paste_size: usize,
    /// The memory budget of the store, in bytes; at least one.
    pub max_store_size: usize,
    /// The memory budget of rendered pages, in bytes; zero keeps none.
    pub max_page_cache: usize,
    /// The memory budget of bodies and large answers under way, in bytes; at least one.
    pub max_in_flight: usize,
    /// The lifetime of a paste when none is asked for, and the longest.
    pub expiry_policy: ExpiryPolicy,
    /// What becomes of short links.
    pub redirect: Redirect,
    /// What a client may do.
    pub limits: RulesByAction,
    /// The proxies whose word on who is asking is taken.
    pub trusted_proxies: TrustedProxies,
    /// The name of the header in which they say it.
    pub proxy_header: String,
    /// What is decided about networks.
    pub networks: NetworkPolicies,
    /// The file that the networks came from and can be read from again.
    pub networks_file: Option<NetworksFile>,
    /// What is kept of the token that deletes any paste.
    pub admin_token: Option<TokenHash>,
    /// What is logged: a filter of tracing that was parsed once already.
    pub log: String,
    /// How it is logged.
    pub log_format: LogFormat,
}

/// What becomes of short links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// They lead on at once.
    Direct,
    /// They show where they lead first.
    Preview,
    /// None is saved.
    Off,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A line for people.
    Text,
    /// A JSON object a line, for machines.
    Json,
}

impl Invocation {
    /// From the command line, the environment and `.env` of this process.
    pub fn from_process() -> Result<Self, ConfigError> {
        Self::read(std::env::args_os(), std::env::vars_os(), || {
            sources::read_dotenv(".env")
        })
    }

    /// From a command line (the program's name first), an environment and the variables of a `.env`.
    pub fn from_parts(
        args: impl IntoIterator<Item = OsString>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        dotenv: Vec<(String, String)>,
    ) -> Result<Self, ConfigError> {
        Self::read(args, environment, || Ok(dotenv))
    }

    /// `.env` is read late, so that a broken one does not keep the help from being read.
    fn read(
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
            // Only the address is looked at: a running server is not ill because its `.env` was edited meanwhile.
            Some((_healthcheck, flags)) => Sources::new(flags, environment, dotenv()?)
                .required(&setting::ADDR, values::addr)
                .map(|(addr, _)| Self::Healthcheck(addr)),
            None => Config::read(&Sources::new(flags, environment, dotenv()?))
                .map(|config| Self::Serve(Box::new(config))),
        }
    }
}

impl Config {
    fn read(sources: &Sources) -> Result<Self, ConfigError> {
        sources.refuse_surprises()?;
        let (networks, networks_file) = networks_file::read_setting(sources)?;
        Ok(Self {
            addr: sources.required(&setting::ADDR, values::addr)?.0,
            base_url: sources
                .optional(&setting::BASE_URL, str::parse)?
                .map(|(url, _)| url),
            secret: sources
                .optional(&setting::SECRET, values::secret)?
                .map(|(secret, _)| secret),
            max_paste_size: sources
                .required(&setting::MAX_PASTE_SIZE, values::paste_size)?
                .0,
            max_store_size: sources
                .required(&setting::MAX_STORE_SIZE, values::budget)?
                .0,
            max_page_cache: sources
                .required(&setting::MAX_PAGE_CACHE, values::budget_or_none)?
                .0,
            max_in_flight: sources.required(&setting::MAX_IN_FLIGHT, values::budget)?.0,
            expiry_policy: expiry_policy(sources)?,
            redirect: sources.required(&setting::REDIRECT, values::redirect)?.0,
            limits: limits(sources)?,
            trusted_proxies: sources
                .optional(&setting::TRUSTED_PROXIES, str::parse)?
                .map(|(proxies, _)| proxies)
                .unwrap_or_default(),
            proxy_header: sources
                .required(&setting::PROXY_HEADER, values::header_name)?
                .0,
            networks,
            networks_file,
            admin_token: sources
                .optional(&setting::ADMIN_TOKEN, values::admin_token)?
                .map(|(token, _)| token),
            log: sources.required(&setting::LOG, values::log)?.0,
            log_format: sources
                .required(&setting::LOG_FORMAT, values::log_format)?
                .0,
        })
    }
}

fn expiry_policy(sources: &Sources) -> Result<ExpiryPolicy, ConfigError> {
    let (mut given, default) = sources.required(&setting::DEFAULT_EXPIRY, values::expiry)?;
    let (longest, max) = sources.required(&setting::MAX_EXPIRY, values::expiry)?;
    if default.source == Source::Default {
        // Who allows a day at most need not say that a week is not the default then.
        given = given.min(longest);
    }
    ExpiryPolicy::new(given, longest).ok_or_else(|| ConfigError::DefaultBeyondMax {
        default,
        max,
        expiry_policy: [given.to_string(), longest.to_string()],
    })
}

fn limits(sources: &Sources) -> Result<RulesByAction, ConfigError> {
    let rules = |setting, action| {
        let read = sources.required(setting, |text| values::rules(text, action));
        read.map(|(rules, _)| rules)
    };
    Ok(RulesByAction {
        save: rules(&setting::LIMIT_SAVE, Action::Save)?,
        read: rules(&setting::LIMIT_READ, Action::Read)?,
        miss: rules(&setting::LIMIT_MISS, Action::Miss)?,
        password: rules(&setting::LIMIT_PASSWORD, Action::Password)?,
    })
}

/// The message of clap without its `error:`; whoever prints it has a beginning of their own.
fn usage(error: &clap::Error) -> ConfigError {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    ConfigError::Usage(message.trim_end().to_owned())
}
