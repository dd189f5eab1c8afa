//! Settings: the table that is the source of flags, variables, help, `.env.example` and `docs/configuration.md`.
//!
//! A new setting is one row here and one field of [`Config`], or of what it carries as one value: limits, or the site.
//! Invariants: every default is a valid value. No text contains a line break or a `|`, which would end a cell of the
//! documented table. The table has one row per setting, in the order of the documentation.

use std::fmt::Display;

use super::error::ValueOrigin;
use super::list_file::{MOST_KEYS, MOST_NETWORKS};
use super::values::{
    ACCESSES, ENCRYPTIONS, LOG_FORMATS, REDIRECTS, SWITCH, addr, admin_token, choose, contact,
    cors, expiry, header_name, links, listen_addr, log, site_name, size, user_header,
};
use super::{BaseUrl, Config, DataDir, ListFile, Secret, ValkeyUrls};
use crate::limit::Action::{Miss, Password, Read, Save};
use crate::limit::{NetworkPolicies, Rules, TrustedProxies};
use DefaultValue::{Missing, Value};

/// The prefix of every variable.
pub(super) const PREFIX: &str = "TIDEBIN_";

/// One row of the table.
pub(super) struct Setting {
    /// The variable without its prefix: `MAX_PASTE_SIZE`. The name of the flag is derived from it.
    pub(super) name: &'static str,
    /// The placeholder of the value in the help.
    pub(super) placeholder: &'static str,
    pub(super) default: DefaultValue,
    /// The allowed form of the value, as a phrase that follows "Use".
    pub(super) form: &'static str,
    /// The meaning of the setting, in one line of at most two sentences.
    pub(super) help: &'static str,
    /// True if messages must not show the value.
    pub(super) is_secret: bool,
    pub(super) parse: Parse,
}

/// Parses a value and puts it into its field. The error is a phrase that follows the value and does not repeat it.
type Parse = fn(&mut Config, &str, &ValueOrigin) -> Result<(), String>;

/// The value of a setting that is not set.
pub(super) enum DefaultValue {
    /// The default.
    Value(&'static str),
    /// There is no default. The phrase describes the behaviour without a value.
    Missing(&'static str),
}

const SIZE_FORM: &str = "`64KiB`, `1MiB`, `10MB` or a number of bytes";
const DURATION_FORM: &str = "`90s`, `10m`, `2h`, `7d`, `4w`, `1y`, a number of seconds or `never`";
const RULES_FORM: &str = "rules such as `rate 1/s burst 30, quota 2000/1d`, or `off`";

/// The largest paste: offsets and counts within a paste fit 32 bits.
const MAX_PASTE: usize = 1 << 30;

/// The largest memory budget. The store reserves its tables at the start, and a typing error should not reserve all
/// memory of the machine.
const MAX_MEMORY: usize = 64 << 30;

/// The smallest budget of the data directory. A smaller one would leave little room beside the files of the database
/// itself.
const MIN_DISK: usize = 64 << 20;

/// The largest budget of the data directory. The index of a larger one could exceed the largest memory budget.
const MAX_DISK: usize = 2 << 40;

/// All settings.
pub(super) static TABLE: &[Setting] = &[
    Setting::new("ADDR", "ADDRESS", Value("127.0.0.1:8088"))
        .form("an IP address and a port, such as `[::]:8088`, or `unix:/PATH`")
        .help("Address to listen on. Port 0 picks a free port and logs it.")
        .parse(|config, text, _| set(&mut config.addr, listen_addr(text))),
    Setting::new("BASE_URL", "URL", Missing("from the request"))
        .form("`https://paste.example.org` or `https://example.org/paste`")
        .help("Public URL of this server, used in links. It may have a path.")
        .parse(|config, text, _| set(&mut config.base_url, text.parse::<BaseUrl>())),
    Setting::new("TCP_ADDR", "IP:PORT", Missing("none"))
        .form("an IP address and a port, such as `0.0.0.0:9999`")
        .help("Address where `nc HOST PORT` saves, as on termbin.com. Needs a base URL.")
        .parse(|config, text, _| set(&mut config.tcp_addr, addr(text))),
    Setting::new(
        "SECRET",
        "TEXT",
        Missing("random at each start, or kept in the data directory"),
    )
    .form("at most 1024 bytes; at least 32 characters if pastes are kept")
    .help("Secret key for ids and stored pastes. A flag would be visible in `ps`.")
    .secret()
    .parse(|config, text, _| set(&mut config.secret, Secret::new(text).ok_or("is too long"))),
    Setting::new("DATA", "DIR", Missing("none, pastes live in memory alone"))
        .form("a directory, such as `/var/lib/tidebin`")
        .help("Directory in which pastes outlive a restart.")
        .parse(|config, text, origin| {
            config.data = Some(DataDir::new(text, origin));
            Ok(())
        }),
    Setting::new("MAX_DISK", "SIZE", Value("1GiB"))
        .form("`512MiB`, `4GiB` or a number of bytes")
        .help("Disk space for all files in the data directory, 64MiB to 2048GiB.")
        .parse(|config, text, _| set(&mut config.max_disk, size(text, MIN_DISK, MAX_DISK))),
    Setting::new("VALKEY", "URL", Missing("none, one machine"))
        .form("`redis://USER:PASSWORD@HOST`, `rediss://HOST` or `unix:///PATH`")
        .help("Valkey or Redis server for several machines. A flag would be in `ps`.")
        .secret()
        .parse(|config, text, _| set(&mut config.valkey, ValkeyUrls::parse(text))),
    Setting::new("MAX_PASTE_SIZE", "SIZE", Value("1MiB"))
        .form(SIZE_FORM)
        .help("Largest size of a paste, at most 1GiB.")
        .parse(|config, text, _| set(&mut config.pastes.max_paste_size, size(text, 1, MAX_PASTE))),
    Setting::new("MAX_STORE_SIZE", "SIZE", Value("128MiB"))
        .form(SIZE_FORM)
        .help("Memory for all pastes, at most 64GiB. An engine has its own limit.")
        .parse(|config, text, _| set(&mut config.max_store_size, size(text, 1, MAX_MEMORY))),
    Setting::new("MAX_PAGE_CACHE", "SIZE", Value("16MiB"))
        .form("`64KiB`, `1MiB`, a number of bytes or `0`")
        .help("Memory for rendered pages, or `0` for no cache.")
        .parse(|config, text, _| set(&mut config.max_page_cache, size(text, 0, MAX_MEMORY))),
    Setting::new("MAX_IN_FLIGHT", "SIZE", Value("32MiB"))
        .form(SIZE_FORM)
        .help("Memory for uploads and large responses in progress, at most 64GiB.")
        .parse(|config, text, _| set(&mut config.max_in_flight, size(text, 1, MAX_MEMORY))),
    Setting::new("DEFAULT_EXPIRY", "DURATION", Value("7d"))
        .form(DURATION_FORM)
        .help("Time until a paste expires, unless the request sets it.")
        .parse(|config, text, _| set(&mut config.pastes.expiry_policy.default, expiry(text))),
    Setting::new("MAX_EXPIRY", "DURATION", Value("1y"))
        .form(DURATION_FORM)
        .help("Longest time until expiry that a request may set.")
        .parse(|config, text, _| set(&mut config.pastes.expiry_policy.longest, expiry(text))),
    Setting::new("REDIRECT", "HOW", Value("direct"))
        .form("`direct`, `preview` or `off`")
        .help("Short links: redirect, show the target first, or reject new ones.")
        .parse(|config, text, _| set(&mut config.site.redirect, choose(text, REDIRECTS))),
    Setting::new("IMAGES", "HOW", Value("off"))
        .form("`on` or `off`")
        .help("Show PNG, JPEG, GIF, WebP and AVIF images, or only offer the download.")
        .parse(|config, text, _| set(&mut config.site.images, choose(text, SWITCH))),
    Setting::new("ENCRYPTION", "HOW", Value("on"))
        .form("`on`, `off` or `default`")
        .help("New encrypted pastes: allow, reject, or tick the editor's box.")
        .parse(|config, text, _| set(&mut config.pastes.encryption, choose(text, ENCRYPTIONS))),
    Setting::new(
        "LIMIT_SAVE",
        "RULES",
        Value("rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d"),
    )
    .form("rules such as `rate 2/s burst 9 wait 2s, quota 64MiB/1d`, or `off`")
    .help("Limits for saves, per client.")
    .parse(|config, text, _| set(&mut config.limits.save, Rules::parse(text, Save))),
    Setting::new("LIMIT_READ", "RULES", Value("rate 100/s burst 1000"))
        .form(RULES_FORM)
        .help("Limits for all other requests, per client.")
        .parse(|config, text, _| set(&mut config.limits.read, Rules::parse(text, Read))),
    Setting::new("LIMIT_MISS", "RULES", Value("rate 1/s burst 60"))
        .form(RULES_FORM)
        .help("Limits for wrong slugs, tokens, keys and owner's secrets, per client.")
        .parse(|config, text, _| set(&mut config.limits.miss, Rules::parse(text, Miss))),
    Setting::new("LIMIT_PASSWORD", "RULES", Value("rate 1/10s burst 10"))
        .form(RULES_FORM)
        .help("Limits for wrong passwords, per client.")
        .parse(|config, text, _| set(&mut config.limits.password, Rules::parse(text, Password))),
    Setting::new("TRUSTED_PROXIES", "LIST", Missing("none"))
        .form("IP addresses and networks, such as `127.0.0.1, 10.0.0.0/8, ::1`")
        .help("Proxies trusted to report the client address.")
        .parse(|config, text, _| set(&mut config.trusted_proxies, text.parse::<TrustedProxies>())),
    Setting::new("PROXY_HEADER", "NAME", Value("X-Forwarded-For"))
        .form("`X-Forwarded-For`, `Forwarded`, `X-Real-IP` or another header name")
        .help("Header in which trusted proxies report the client address.")
        .parse(|config, text, _| set(&mut config.proxy_header, header_name(text))),
    Setting::new("NETWORKS", "LIST", Missing("none"))
        .form("`10.0.0.0/8 allow, 203.0.113.0/24 deny, ::/0 limit x10` or `@file`")
        .help("Networks to exempt, block, or give a multiple of the limits.")
        .parse(|config, text, origin| {
            let path = text.strip_prefix('@');
            config.networks_file =
                path.map(|path| ListFile::new(text, path, origin, MOST_NETWORKS));
            match &config.networks_file {
                Some(file) => set(&mut config.networks, file.list::<NetworkPolicies>()),
                None => set(&mut config.networks, text.parse::<NetworkPolicies>()),
            }
        }),
    Setting::new("ADMIN_TOKEN", "TEXT", Missing("none"))
        .form("16 to 1024 characters of printable ASCII without spaces")
        .help("Operator's token, for `/operate`, `/metrics` and deletion.")
        .secret()
        .parse(|config, text, _| set(&mut config.admin_token, admin_token(text))),
    Setting::new("ACCESS", "WHO", Value("open"))
        .form("`open`, `save-by-key` or `private`")
        .help("Who needs a key: no one, those who save, or all who save or read.")
        .parse(|config, text, _| set(&mut config.access, choose(text, ACCESSES))),
    Setting::new("KEYS", "FILE", Missing("none"))
        .form("a file that `tidebin key new` makes, such as `/var/lib/tidebin/keys`")
        .help("File of keys. It has only their hashes.")
        .parse(|config, text, origin| {
            config.keys_file = Some(ListFile::new(text, text, origin, MOST_KEYS));
            Ok(())
        }),
    Setting::new("AUTH_HEADER", "NAME", Missing("none"))
        .form("a header name, such as `Remote-User`")
        .help("Header that trusted proxies overwrite with the name of the user.")
        .parse(|config, text, _| set(&mut config.auth_header, user_header(text))),
    Setting::new("CORS", "ORIGINS", Missing("none"))
        .form("origins such as `https://a.example, https://b.example:8443`, or `*`")
        .help("Other sites whose pages may save and read here, without cookies.")
        .parse(|config, text, _| set(&mut config.cors, cors(text))),
    Setting::new(
        "CONTACT",
        "ADDRESS",
        Missing("none, readers cannot report pastes"),
    )
    .form("an e-mail address, or a URL that starts with `https://`")
    .help("Address for reports. With it, every paste has a link to report it.")
    .parse(|config, text, _| set(&mut config.site.contact, contact(text))),
    Setting::new("SITE_NAME", "NAME", Value("tidebin"))
        .form("1 to 40 characters")
        .help("Name of the site on its pages.")
        .parse(|config, text, _| set(&mut config.site.name, site_name(text))),
    Setting::new("LINKS", "LIST", Missing("none"))
        .form("`Imprint=https://example.org/imprint, Help=me@a.example`")
        .help("Links at the foot of every page.")
        .parse(|config, text, _| set(&mut config.site.links, links(text))),
    Setting::new("LOG", "FILTER", Value("info"))
        .form("a level or tracing filter, such as `warn` or `info,tidebin=debug`")
        .help("Log level or filter.")
        .parse(|config, text, _| set(&mut config.log, log(text))),
    Setting::new("LOG_FORMAT", "FORMAT", Value("text"))
        .form("`text` or `json`")
        .help("Log format: text for people, JSON for programs.")
        .parse(|config, text, _| set(&mut config.log_format, choose(text, LOG_FORMATS))),
];

/// Puts a value into its field, if it was parsed.
fn set<F: From<T>, T>(field: &mut F, parsed: Result<T, impl Display>) -> Result<(), String> {
    *field = parsed.map_err(|problem| problem.to_string())?.into();
    Ok(())
}

impl Setting {
    const fn new(name: &'static str, placeholder: &'static str, default: DefaultValue) -> Self {
        Self {
            name,
            placeholder,
            default,
            form: "",
            help: "",
            is_secret: false,
            parse: |_, _, _| Ok(()),
        }
    }

    const fn form(self, form: &'static str) -> Self {
        Self { form, ..self }
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    const fn secret(self) -> Self {
        Self {
            is_secret: true,
            ..self
        }
    }

    const fn parse(self, parse: Parse) -> Self {
        Self { parse, ..self }
    }

    /// Returns the setting with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|setting| setting.name == name)
    }

    /// The environment variable: `TIDEBIN_MAX_PASTE_SIZE`.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// The flag without its two dashes: `max-paste-size`.
    pub(super) fn flag(&self) -> String {
        self.name.to_ascii_lowercase().replace('_', "-")
    }

    /// Returns the default as the documentation shows it: `1MiB`, or `from the request`.
    pub(super) fn default_in_words(&self) -> &'static str {
        match self.default {
            Value(words) | Missing(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_the_table_is_missing_or_breaks_a_line_or_a_cell() {
        for row in TABLE {
            for text in [row.form, row.help, row.default_in_words()] {
                assert!(!text.contains(['|', '\n']) && !text.is_empty(), "{text:?}");
            }
        }
    }

    #[test]
    fn flags_and_variables_are_made_of_the_same_name() {
        let setting = Setting::named("MAX_PASTE_SIZE").expect("a setting");
        assert_eq!(setting.flag(), "max-paste-size");
        assert_eq!(setting.variable(), "TIDEBIN_MAX_PASTE_SIZE");
    }
}
