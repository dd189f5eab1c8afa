//! Configuration: the operator's settings, read once at the start.
//!
//! This module must not know how the values are used. It uses only the modules `paste`, `limit` and `account`, because
//! some settings have their types. It does not print: `main` does.
//! Invariants: only this module reads the environment, `.env` and the files that settings name. Every value in a
//! [`Config`] is usable. A mistyped setting stops the start with a message that names it; its default is not used
//! instead. One table (`setting`) is the source of the flags, the help, `.env.example` and `docs/configuration.md`.
//! Cost: the settings are read once, before the server accepts connections. A networks file is read again at each
//! reload.

mod allocator;
mod base_url;
mod command;
mod error;
mod invocation;
mod keys;
mod keys_file;
mod networks_file;
mod secret;
mod setting;
mod sources;
mod storage;
#[cfg(test)]
mod tests;
mod values;

pub use allocator::{return_freed_blocks_from, return_freed_memory};
pub(crate) use base_url::is_authority;
pub use base_url::{BaseUrl, BaseUrlError};
pub use error::{ConfigError, ValueOrigin, ValueSource};
pub use invocation::{Check, Database, Invocation, KeyCommand};
pub use keys::KeyUse;
pub use keys_file::KeysFile;
pub use networks_file::NetworksFile;
pub use secret::Secret;
pub use sources::Dotenv;
pub use storage::data_dir::DataDir;
pub use storage::valkey_urls::ValkeyUrls;
pub use values::Contact;

pub use crate::byte_size::{ByteSize, ByteSizeError};

use std::net::SocketAddr;

use crate::account::{InstanceAccess, KeyRing};
use crate::limit::{Action, NetworkPolicies, Rules, RulesByAction, TrustedProxies};
use crate::paste::{ExpiryPolicy, TokenHash};
use sources::Sources;
use storage::{data_dir, valkey_urls};

/// The settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The address to listen on. With port 0 the operating system picks a free port.
    pub addr: SocketAddr,
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
    /// True if a budget of disk is set without a data directory, so that it has no effect.
    pub max_disk_is_unused: bool,
    /// The largest content of a paste, in bytes; at least one.
    pub max_paste_size: usize,
    /// The memory budget of the store, in bytes; at least one.
    pub max_store_size: usize,
    /// The memory budget of the page cache, in bytes; zero turns the cache off.
    pub max_page_cache: usize,
    /// The memory budget of uploads and large responses in progress, in bytes; at least one.
    pub max_in_flight: usize,
    /// The default lifetime of a paste, and the longest.
    pub expiry_policy: ExpiryPolicy,
    /// How short links behave.
    pub redirect: Redirect,
    /// True if pages show images.
    pub images: bool,
    /// The rate limits of a client.
    pub limits: RulesByAction,
    /// The proxies that are trusted to report the client's address.
    pub trusted_proxies: TrustedProxies,
    /// The name of the header in which trusted proxies report the client's address.
    pub proxy_header: String,
    /// The networks that are exempt from limits, are blocked, or have multiplied limits.
    pub networks: NetworkPolicies,
    /// The file that the networks came from, for reloading.
    pub networks_file: Option<NetworksFile>,
    /// The hash of the operator's token, which allows removing and blocking any paste.
    pub admin_token: Option<TokenHash>,
    /// Who may use the server.
    pub access: InstanceAccess,
    /// The keys, which are none without a file.
    pub keys: KeyRing,
    /// The file that the keys came from, for reloading.
    pub keys_file: Option<KeysFile>,
    /// The name of the header in which trusted proxies name the user.
    pub auth_header: Option<String>,
    /// The operator's address for reports. If it is `None`, pastes cannot be reported.
    pub contact: Option<Contact>,
    /// The log filter, as a valid directive of tracing.
    pub log: String,
    /// The format of log lines.
    pub log_format: LogFormat,
}

/// How short links behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// A link redirects at once.
    Direct,
    /// A link opens a page that shows its target.
    Preview,
    /// Saving a link is refused.
    Off,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

impl Config {
    fn read(sources: &Sources) -> Result<Self, ConfigError> {
        sources.refuse_unknown_and_repeated()?;
        let (secret, data) = data_dir::read_settings(sources)?;
        let valkey = valkey_urls::read_settings(sources, data.as_ref())?;
        let (networks, networks_file) = networks_file::read_setting(sources)?;
        let base_url = sources.optional(&setting::BASE_URL, str::parse)?;
        let (access, access_origin) =
            sources.required_with_origin(&setting::ACCESS, values::access)?;
        let tcp_addr = match sources.optional_with_origin(&setting::TCP_ADDR, values::addr)? {
            Some((_, origin)) if base_url.is_none() => return Err(ConfigError::NoBaseUrl(origin)),
            Some((_, tcp_addr)) if access != InstanceAccess::Open => {
                let access = access_origin;
                return Err(ConfigError::TcpWithoutKeys { tcp_addr, access });
            }
            found => found.map(|(addr, _)| addr),
        };
        let trusted_proxies: TrustedProxies = sources
            .optional(&setting::TRUSTED_PROXIES, str::parse)?
            .unwrap_or_default();
        let auth_header =
            match sources.optional_with_origin(&setting::AUTH_HEADER, values::user_header)? {
                Some((_, origin)) if trusted_proxies == TrustedProxies::default() => {
                    return Err(ConfigError::UntrustedUsers(origin));
                }
                found => found.map(|(name, _)| name),
            };
        let keys_file = keys_file::read_setting(sources)?;
        if access != InstanceAccess::Open && keys_file.is_none() && auth_header.is_none() {
            return Err(ConfigError::NoAccess(access_origin));
        }
        let keys = keys_file.as_ref().map(KeysFile::read).transpose()?;
        Ok(Self {
            addr: sources.required(&setting::ADDR, values::addr)?,
            base_url,
            tcp_addr,
            max_disk_is_unused: data.is_none() && !sources.is_default(&setting::MAX_DISK),
            secret,
            data,
            max_paste_size: sources.required(&setting::MAX_PASTE_SIZE, values::paste_size)?,
            max_store_size: match valkey {
                Some(_) => sources.required(&setting::MAX_STORE_SIZE, values::engine_budget)?,
                None => sources.required(&setting::MAX_STORE_SIZE, values::budget)?,
            },
            valkey,
            max_page_cache: sources.required(&setting::MAX_PAGE_CACHE, values::budget_or_zero)?,
            max_in_flight: sources.required(&setting::MAX_IN_FLIGHT, values::budget)?,
            expiry_policy: expiry_policy(sources)?,
            redirect: sources.required(&setting::REDIRECT, values::redirect)?,
            images: sources.required(&setting::IMAGES, values::images)?,
            limits: limits(sources)?,
            trusted_proxies,
            proxy_header: sources.required(&setting::PROXY_HEADER, values::header_name)?,
            networks,
            networks_file,
            admin_token: sources.optional(&setting::ADMIN_TOKEN, values::admin_token)?,
            access,
            keys: keys.unwrap_or_default(),
            keys_file,
            auth_header,
            contact: sources.optional(&setting::CONTACT, values::contact)?,
            log: sources.required(&setting::LOG, values::log)?,
            log_format: sources.required(&setting::LOG_FORMAT, values::log_format)?,
        })
    }
}

fn expiry_policy(sources: &Sources) -> Result<ExpiryPolicy, ConfigError> {
    let (mut given, default) =
        sources.required_with_origin(&setting::DEFAULT_EXPIRY, values::expiry)?;
    let (longest, max) = sources.required_with_origin(&setting::MAX_EXPIRY, values::expiry)?;
    if default.source == ValueSource::Default {
        // An operator who lowers the longest lifetime to a day need not lower the default of a week too.
        given = given.min(longest);
    }
    ExpiryPolicy::new(given, longest).ok_or_else(|| ConfigError::DefaultBeyondMax {
        default,
        max,
        expiry_policy: [given.to_string(), longest.to_string()],
    })
}

fn limits(sources: &Sources) -> Result<RulesByAction, ConfigError> {
    let rules = |setting, action| sources.required(setting, |text| Rules::parse(text, action));
    Ok(RulesByAction {
        save: rules(&setting::LIMIT_SAVE, Action::Save)?,
        read: rules(&setting::LIMIT_READ, Action::Read)?,
        miss: rules(&setting::LIMIT_MISS, Action::Miss)?,
        password: rules(&setting::LIMIT_PASSWORD, Action::Password)?,
    })
}
