//! Settings that contradict each other.
//!
//! Invariants: a contradiction is told only if all settings that it depends on could be parsed.

use super::setting::Setting;
use super::sources::Sources;
use super::{Config, ListenAddr};
use crate::account::InstanceAccess;
use crate::limit::TrustedProxies;
use crate::paste::ExpiryPolicy;

/// Returns a message for each contradiction.
pub(super) fn find(config: &Config, sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    let parsed = |setting| !sources.has_failed(setting);
    let told = |name| Setting::named(name).map_or(String::new(), |it| sources.origin(it).name);
    let (data, valkey) = (config.data.as_ref(), config.valkey.as_ref());
    let needs = |name, what: &str| format!("{} needs {what}", told(name));
    let both = |[first, second]: [_; 2], why| {
        let (first, second) = (told(first), told(second));
        format!("{first} and {second} are both set, {why}. Unset one of them.")
    };
    if data.is_some() && valkey.is_some() {
        found.push(both(["VALKEY", "DATA"], "but pastes are kept in one place"));
    }
    match &config.secret {
        Some(secret) if !secret.is_long() && (data.is_some() || valkey.is_some()) => {
            let store = data.map_or("VALKEY", |_| "DATA");
            found.push(format!(
                "{} has fewer than 32 characters, and {} needs a longer one. Use the output of `openssl rand -hex 32`, \
                 or with TIDEBIN_DATA unset it: then the directory keeps a random one.",
                told("SECRET"),
                told(store)
            ));
        }
        None if valkey.is_some() && data.is_none() && parsed("SECRET") => {
            let secret = "TIDEBIN_SECRET, the same on all machines. Use the output of `openssl rand -hex 32`.";
            found.push(needs("VALKEY", secret));
        }
        Some(_) | None => {}
    }
    if config.tcp_addr.is_some() && config.base_url.is_none() && parsed("BASE_URL") {
        let url =
            "TIDEBIN_BASE_URL. Set it to the public URL, such as `https://paste.example.org`.";
        found.push(needs("TCP_ADDR", url));
    }
    if config.access != InstanceAccess::Open {
        let access = told("ACCESS");
        if config.tcp_addr.is_some() {
            let why = "because texts that arrive there have no key. Unset one of them.";
            found.push(needs("TCP_ADDR", &format!("{access} to be `open`, {why}")));
        }
        let has_users = config.auth_header.is_some() || !parsed("AUTH_HEADER");
        if config.keys_file.is_none() && !has_users {
            found.push(format!(
                "{access} needs TIDEBIN_KEYS or TIDEBIN_AUTH_HEADER, or no client could use the server. Make a key with \
                 `tidebin key new NAME --keys FILE`, and set TIDEBIN_KEYS to FILE."
            ));
        }
    }
    // A subcommand has no header, and the one of the default need not be read.
    let header = match &*config.proxy_header {
        _ if config.auth_header.is_some() => Some("AUTH_HEADER"),
        "" | "X-Forwarded-For" => None,
        _ => Some("PROXY_HEADER"),
    };
    let trusts_none = config.trusted_proxies == TrustedProxies::default();
    // Peers on a Unix socket are trusted.
    let is_tcp = matches!(config.addr, ListenAddr::Tcp(_)) && parsed("ADDR");
    let is_ignored = trusts_none && is_tcp && parsed("TRUSTED_PROXIES");
    if let Some(header) = header.filter(|_| is_ignored) {
        let proxies = "TIDEBIN_TRUSTED_PROXIES, because that header of any other client is ignored. Set it to the \
                       address of your proxy.";
        found.push(needs(header, proxies));
    }
    if config.cors.is_some() && config.auth_header.is_some() {
        let why = "so pages of other sites could act as the user whom the proxy knows";
        found.push(both(["CORS", "AUTH_HEADER"], why));
    }
    // An operator who lowers the longest lifetime to a day need not lower the default of a week too.
    let is_chosen = !sources.is_default("DEFAULT_EXPIRY");
    let ExpiryPolicy { default, longest } = config.pastes.expiry_policy;
    if default > longest && is_chosen && parsed("DEFAULT_EXPIRY") && parsed("MAX_EXPIRY") {
        found.push(format!(
            "{} is {default}, but {} is only {longest}. Lower the first or raise the second.",
            told("DEFAULT_EXPIRY"),
            told("MAX_EXPIRY")
        ));
    }
    found
}
