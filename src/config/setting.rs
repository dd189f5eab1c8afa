//! Settings: the table that is the source of flags, variables, help, `.env.example` and `docs/configuration.md`.
//!
//! Invariants: every default is a valid value. No text contains a line break or a `|`, which would end a cell of the
//! documented table. The table has one row per setting, in the order of the documentation.

/// The prefix of every variable.
pub(super) const PREFIX: &str = "TIDEBIN_";

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The variable without its prefix: `MAX_PASTE_SIZE`. The name of the flag is derived from it.
    pub(super) suffix: &'static str,
    /// The placeholder of the value in the help.
    pub(super) placeholder: &'static str,
    pub(super) default: DefaultValue,
    /// The allowed form of the value, as a phrase that follows "Use".
    pub(super) form: &'static str,
    /// The meaning of the setting, in one line of at most two sentences.
    pub(super) help: &'static str,
    /// True if messages must not show the value.
    pub(super) secret: bool,
}

/// The value of a setting that is not set.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DefaultValue {
    /// The default.
    Value(&'static str),
    /// There is no default. The phrase describes the behaviour without a value.
    Missing(&'static str),
}

const SIZE_FORM: &str = "`64KiB`, `1MiB`, `2GiB` or a number of bytes";
const DURATION_FORM: &str = "`90s`, `10m`, `2h`, `7d`, `4w`, a number of seconds or `never`";

pub(super) const ADDR: Setting = Setting {
    suffix: "ADDR",
    placeholder: "IP:PORT",
    default: DefaultValue::Value("127.0.0.1:8088"),
    form: "an IP address and a port, such as `127.0.0.1:8088` or `[::]:8088`",
    help: "Address to listen on. Port 0 picks a free port and logs it.",
    secret: false,
};

pub(super) const BASE_URL: Setting = Setting {
    suffix: "BASE_URL",
    placeholder: "URL",
    default: DefaultValue::Missing("from the request"),
    form: "`https://paste.example.org` or `https://example.org/paste`",
    help: "Public URL of this server, used in links. It may have a path.",
    secret: false,
};

pub(super) const TCP_ADDR: Setting = Setting {
    suffix: "TCP_ADDR",
    placeholder: "IP:PORT",
    default: DefaultValue::Missing("none"),
    form: "an IP address and a port, such as `0.0.0.0:9999`",
    help: "Address where `nc HOST PORT` saves, as on termbin.com. Needs a base URL.",
    secret: false,
};

pub(super) const SECRET: Setting = Setting {
    suffix: "SECRET",
    placeholder: "TEXT",
    default: DefaultValue::Missing("random at each start, or kept in the data directory"),
    form: "at most 1024 bytes; at least 32 characters if pastes are kept",
    help: "Secret key for ids and stored pastes. A flag would be visible in `ps`.",
    secret: true,
};

pub(super) const DATA: Setting = Setting {
    suffix: "DATA",
    placeholder: "DIR",
    default: DefaultValue::Missing("none, pastes live in memory alone"),
    form: "a directory, such as `/var/lib/tidebin`",
    help: "Directory in which pastes outlive a restart.",
    secret: false,
};

pub(super) const MAX_DISK: Setting = Setting {
    suffix: "MAX_DISK",
    placeholder: "SIZE",
    default: DefaultValue::Value("1GiB"),
    form: "`512MiB`, `4GiB` or a number of bytes",
    help: "Disk space for all files in the data directory, at least 64MiB.",
    secret: false,
};

pub(super) const VALKEY: Setting = Setting {
    suffix: "VALKEY",
    placeholder: "URL",
    default: DefaultValue::Missing("none, one machine"),
    form: "`redis://USER:PASSWORD@HOST`, `rediss://HOST` or `unix:///PATH`",
    help: "Valkey or Redis server for several machines. A flag would be in `ps`.",
    secret: true,
};

pub(super) const MAX_PASTE_SIZE: Setting = Setting {
    suffix: "MAX_PASTE_SIZE",
    placeholder: "SIZE",
    default: DefaultValue::Value("1MiB"),
    form: SIZE_FORM,
    help: "Largest size of a paste, at most 1GiB.",
    secret: false,
};

pub(super) const MAX_STORE_SIZE: Setting = Setting {
    suffix: "MAX_STORE_SIZE",
    placeholder: "SIZE",
    default: DefaultValue::Value("128MiB"),
    form: SIZE_FORM,
    help: "Memory for all pastes together, on one machine at most 64GiB.",
    secret: false,
};

pub(super) const MAX_PAGE_CACHE: Setting = Setting {
    suffix: "MAX_PAGE_CACHE",
    placeholder: "SIZE",
    default: DefaultValue::Value("16MiB"),
    form: "`64KiB`, `1MiB`, a number of bytes or `0`",
    help: "Memory for rendered pages, or `0` for no cache.",
    secret: false,
};

pub(super) const MAX_IN_FLIGHT: Setting = Setting {
    suffix: "MAX_IN_FLIGHT",
    placeholder: "SIZE",
    default: DefaultValue::Value("32MiB"),
    form: SIZE_FORM,
    help: "Memory for uploads and large responses in progress, at most 64GiB.",
    secret: false,
};

pub(super) const DEFAULT_EXPIRY: Setting = Setting {
    suffix: "DEFAULT_EXPIRY",
    placeholder: "DURATION",
    default: DefaultValue::Value("7d"),
    form: DURATION_FORM,
    help: "Time until a paste expires, unless the request sets it.",
    secret: false,
};

pub(super) const MAX_EXPIRY: Setting = Setting {
    suffix: "MAX_EXPIRY",
    placeholder: "DURATION",
    default: DefaultValue::Value("30d"),
    form: DURATION_FORM,
    help: "Longest time until expiry that a request may set.",
    secret: false,
};

pub(super) const REDIRECT: Setting = Setting {
    suffix: "REDIRECT",
    placeholder: "HOW",
    default: DefaultValue::Value("direct"),
    form: "`direct`, `preview` or `off`",
    help: "Short links: redirect, show the target first, or reject new ones.",
    secret: false,
};

pub(super) const IMAGES: Setting = Setting {
    suffix: "IMAGES",
    placeholder: "HOW",
    default: DefaultValue::Value("off"),
    form: "`on` or `off`",
    help: "Show PNG, JPEG, GIF, WebP and AVIF images, or only offer the download.",
    secret: false,
};

const RULES_FORM: &str = "rules such as `rate 1/s burst 30, quota 2000/1d`, or `off`";

pub(super) const LIMIT_SAVE: Setting = Setting {
    suffix: "LIMIT_SAVE",
    placeholder: "RULES",
    default: DefaultValue::Value("rate 1/s burst 30, quota 2000/1d, quota 64MiB/1d"),
    form: "rules such as `rate 2/s burst 9 wait 2s, quota 64MiB/1d`, or `off`",
    help: "Limits for saves, per client.",
    secret: false,
};

pub(super) const LIMIT_READ: Setting = Setting {
    suffix: "LIMIT_READ",
    placeholder: "RULES",
    default: DefaultValue::Value("rate 100/s burst 1000"),
    form: RULES_FORM,
    help: "Limits for all other requests, per client.",
    secret: false,
};

pub(super) const LIMIT_MISS: Setting = Setting {
    suffix: "LIMIT_MISS",
    placeholder: "RULES",
    default: DefaultValue::Value("rate 1/s burst 60"),
    form: RULES_FORM,
    help: "Limits for wrong slugs, tokens, keys and secrets, per client.",
    secret: false,
};

pub(super) const LIMIT_PASSWORD: Setting = Setting {
    suffix: "LIMIT_PASSWORD",
    placeholder: "RULES",
    default: DefaultValue::Value("rate 1/10s burst 10"),
    form: RULES_FORM,
    help: "Limits for wrong passwords, per client.",
    secret: false,
};

pub(super) const TRUSTED_PROXIES: Setting = Setting {
    suffix: "TRUSTED_PROXIES",
    placeholder: "LIST",
    default: DefaultValue::Missing("none"),
    form: "IP addresses and networks, such as `127.0.0.1, 10.0.0.0/8, ::1`",
    help: "Proxies trusted to report the client address.",
    secret: false,
};

pub(super) const PROXY_HEADER: Setting = Setting {
    suffix: "PROXY_HEADER",
    placeholder: "NAME",
    default: DefaultValue::Value("X-Forwarded-For"),
    form: "`X-Forwarded-For`, `Forwarded`, `X-Real-IP` or another header name",
    help: "Header in which trusted proxies report the client address.",
    secret: false,
};

pub(super) const NETWORKS: Setting = Setting {
    suffix: "NETWORKS",
    placeholder: "LIST",
    default: DefaultValue::Missing("none"),
    form: "`10.0.0.0/8 allow, 203.0.113.0/24 deny, ::/0 limit x10` or `@file`",
    help: "Networks to exempt, block, or give a multiple of the limits.",
    secret: false,
};

pub(super) const ADMIN_TOKEN: Setting = Setting {
    suffix: "ADMIN_TOKEN",
    placeholder: "TEXT",
    default: DefaultValue::Missing("none"),
    form: "16 to 1024 characters of printable ASCII without spaces",
    help: "Operator's password, for `/operate`, `/metrics` and deletion.",
    secret: true,
};

pub(super) const ACCESS: Setting = Setting {
    suffix: "ACCESS",
    placeholder: "WHO",
    default: DefaultValue::Value("open"),
    form: "`open`, `save-by-key` or `private`",
    help: "Who needs a key: no one, those who save, or all who save or read.",
    secret: false,
};

pub(super) const KEYS: Setting = Setting {
    suffix: "KEYS",
    placeholder: "FILE",
    default: DefaultValue::Missing("none"),
    form: "a file that `tidebin key new` makes, such as `/etc/tidebin/keys`",
    help: "File of keys. It has only their hashes.",
    secret: false,
};

pub(super) const AUTH_HEADER: Setting = Setting {
    suffix: "AUTH_HEADER",
    placeholder: "NAME",
    default: DefaultValue::Missing("none"),
    form: "a header name, such as `Remote-User`",
    help: "Header that trusted proxies overwrite with the name of the user.",
    secret: false,
};

pub(super) const CONTACT: Setting = Setting {
    suffix: "CONTACT",
    placeholder: "ADDRESS",
    default: DefaultValue::Missing("none, readers cannot report pastes"),
    form: "an e-mail address, or a URL that starts with `https://`",
    help: "Address for reports. With it, every paste has a link to report it.",
    secret: false,
};

pub(super) const LOG: Setting = Setting {
    suffix: "LOG",
    placeholder: "FILTER",
    default: DefaultValue::Value("info"),
    form: "a level or tracing filter, such as `warn` or `info,tidebin=debug`",
    help: "Log level or filter.",
    secret: false,
};

pub(super) const LOG_FORMAT: Setting = Setting {
    suffix: "LOG_FORMAT",
    placeholder: "FORMAT",
    default: DefaultValue::Value("text"),
    form: "`text` or `json`",
    help: "Log format: text for people, JSON for programs.",
    secret: false,
};

/// All settings.
pub(super) const TABLE: [&Setting; 29] = [
    &ADDR,
    &BASE_URL,
    &TCP_ADDR,
    &SECRET,
    &DATA,
    &MAX_DISK,
    &VALKEY,
    &MAX_PASTE_SIZE,
    &MAX_STORE_SIZE,
    &MAX_PAGE_CACHE,
    &MAX_IN_FLIGHT,
    &DEFAULT_EXPIRY,
    &MAX_EXPIRY,
    &REDIRECT,
    &IMAGES,
    &LIMIT_SAVE,
    &LIMIT_READ,
    &LIMIT_MISS,
    &LIMIT_PASSWORD,
    &TRUSTED_PROXIES,
    &PROXY_HEADER,
    &NETWORKS,
    &ADMIN_TOKEN,
    &ACCESS,
    &KEYS,
    &AUTH_HEADER,
    &CONTACT,
    &LOG,
    &LOG_FORMAT,
];

impl Setting {
    /// The environment variable: `TIDEBIN_MAX_PASTE_SIZE`.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.suffix)
    }

    /// The flag without its two dashes: `max-paste-size`.
    pub(super) fn flag(&self) -> String {
        self.suffix.to_ascii_lowercase().replace('_', "-")
    }

    /// Returns the default as the documentation shows it: `1MiB`, or `from the request`.
    pub(super) fn default_in_words(&self) -> &'static str {
        match self.default {
            DefaultValue::Value(words) | DefaultValue::Missing(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_the_table_breaks_a_line_or_a_cell() {
        for row in TABLE {
            for text in [row.form, row.help, row.default_in_words()] {
                assert!(!text.contains(['|', '\n']) && !text.is_empty(), "{text:?}");
            }
        }
    }

    #[test]
    fn flags_and_variables_are_made_of_the_same_name() {
        assert_eq!(MAX_PASTE_SIZE.flag(), "max-paste-size");
        assert_eq!(MAX_PASTE_SIZE.variable(), "TIDEBIN_MAX_PASTE_SIZE");
    }
}
