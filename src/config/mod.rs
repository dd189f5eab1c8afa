//! Configuration: the operator's settings, read once at the start.
//!
//! This module must not know how the values are used. It uses only the modules `paste`, `limit`, `account` and `page`,
//! because some settings have their types. It does not print: `main` does.
//! Invariants: only this module reads the environment, `.env` and the files that settings name. Every value in a
//! [`Config`] is usable. A mistyped setting stops the start with a message that names it; its default is not used
//! instead. One table (`setting`) is the source of the flags, the help, `.env.example` and `docs/configuration.md`.
//! Cost: the settings are read once, before the server accepts connections. The files of networks and of keys are
//! read again at each reload.

mod base_url;
mod command;
mod contradictions;
mod data_dir;
mod error;
mod invocation;
mod keys_file;
mod list_file;
mod secret;
mod setting;
mod sources;
#[cfg(test)]
mod tests;
mod valkey_urls;
mod values;

pub use base_url::BaseUrl;
pub use data_dir::DataDir;
pub use error::ConfigError;
pub use invocation::{Invocation, KeyCommand, OperatorAccess, Question};
pub use list_file::ListFile;
pub use secret::{KeyUse, Secret};
#[cfg(test)]
pub(crate) use sources::parse_dotenv;
pub use sources::{Dotenv, configures_allocator, is_dotenv_hidden};
pub use valkey_urls::ValkeyUrls;

pub use crate::byte_size::ByteSize;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::account::{InstanceAccess, KeyRing};
use crate::limit::{NetworkPolicies, RulesByAction, TrustedProxies};
use crate::page::Site;
use crate::paste::{PasteLimits, TokenHash};

/// The settings of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The address to listen on. With port 0 the operating system picks a free port.
    pub addr: ListenAddr,
    /// The public address. If it is `None`, links in responses use the address of the request.
    pub base_url: Option<BaseUrl>,
    /// The address on which texts are saved without HTTP. If it is set, `base_url` is set too.
    pub tcp_addr: Option<SocketAddr>,
    /// The secret from which all keys derive. If it is `None`, the server makes a random one, or takes that of the data
    /// directory.
    pub secret: Option<Secret>,
    /// The directory in which pastes are stored on disk. If it is `None`, they live in memory alone.
    pub data: Option<DataDir>,
    /// The engine that keeps the pastes of several machines, if there is one.
    pub valkey: Option<ValkeyUrls>,
    /// How long the engine may be silent during a call, if that is not the usual time. No setting changes it.
    pub engine_deadline: Option<Duration>,
    /// The budget of all files in the data directory, in bytes.
    pub max_disk: usize,
    /// True if a budget of disk is set without a data directory, so that it has no effect.
    pub max_disk_is_unused: bool,
    /// The limits for new and changed pastes. The largest content has at least one byte.
    pub pastes: PasteLimits,
    /// The memory budget of the store, in bytes; at least one.
    pub max_store_size: usize,
    /// The memory budget of the page cache, in bytes; zero turns the cache off.
    pub max_page_cache: usize,
    /// The memory budget of uploads and large responses in progress, in bytes; at least one.
    pub max_in_flight: usize,
    /// The rate limits of a client.
    pub limits: RulesByAction,
    /// The proxies that are trusted to report the client's address.
    pub trusted_proxies: TrustedProxies,
    /// The name of the header in which trusted proxies report the client's address.
    pub proxy_header: String,
    /// The networks that are exempt from limits, are blocked, or have multiplied limits.
    pub networks: NetworkPolicies,
    /// The file that the networks came from, for reloading.
    pub networks_file: Option<ListFile>,
    /// The hash of the operator's token, which allows removing and blocking any paste.
    pub admin_token: Option<TokenHash>,
    /// Who may use the server.
    pub access: InstanceAccess,
    /// The keys, which are none without a file.
    pub keys: KeyRing,
    /// The file that the keys came from, for reloading.
    pub keys_file: Option<ListFile>,
    /// The name of the header in which trusted proxies name the user.
    pub auth_header: Option<String>,
    /// The origins whose pages may use the server from a browser.
    pub cors: Option<Cors>,
    /// What pages show of the server. Its path and its loss of pastes follow from other settings.
    pub site: Site,
    /// The log filter, as a valid directive of tracing.
    pub log: String,
    /// The format of log lines.
    pub log_format: LogFormat,
}

/// The origins whose pages may use the server from a browser (CORS).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cors {
    /// Every page.
    Any,
    /// Pages of these origins, written as browsers write them.
    Origins(Vec<String>),
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object per line, for machines.
    Json,
}

/// An address to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddr {
    /// A TCP socket.
    Tcp(SocketAddr),
    /// A Unix socket at this path.
    Unix(PathBuf),
}

impl Default for ListenAddr {
    fn default() -> Self {
        Self::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)))
    }
}

impl fmt::Display for ListenAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
