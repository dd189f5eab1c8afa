//! Parsers of values. Each takes the text of a setting, and returns its typed value or a phrase that describes the
//! problem.
//!
//! Invariants: a phrase follows the value ("is zero") and does not repeat it, because the value may be a secret.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::path::Path;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::{ByteSize, LogFormat, Redirect, Secret, ValkeyUrls, is_authority};
use crate::account::InstanceAccess;
use crate::paste::{Expiry, ExpiryError, TokenHash};

pub(super) fn addr(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "is not an IP address with a port")
}

pub(super) fn secret(text: &str) -> Result<Secret, &'static str> {
    Secret::new(text).ok_or("is too long")
}

/// Parses the addresses of the engine. The error is a phrase that follows the name of the setting.
pub(super) fn valkey_urls(text: &str) -> Result<ValkeyUrls, &'static str> {
    ValkeyUrls::parse(text)
}

fn size_up_to(largest: ByteSize, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(ByteSize(0)) => Err("is zero".to_owned()),
        Ok(size) if size > largest => Err(format!("is more than {largest}")),
        Ok(ByteSize(bytes)) => Ok(bytes),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a memory budget of at most 64 GiB. The store reserves its tables at the start, and a typing error should not
/// reserve all memory of the machine.
pub(super) fn budget(text: &str) -> Result<usize, String> {
    size_up_to(ByteSize(64 << 30), text)
}

/// Parses the budget of an engine, which has the memory of other machines.
pub(super) fn engine_budget(text: &str) -> Result<usize, String> {
    size_up_to(ByteSize(usize::MAX), text)
}

/// Parses the budget of the data directory. A smaller one would leave little room beside the files of the database
/// itself.
pub(super) fn disk_budget(text: &str) -> Result<usize, String> {
    const LEAST: ByteSize = ByteSize(64 << 20);
    match size_up_to(ByteSize(usize::MAX), text)? {
        bytes if bytes < LEAST.0 => Err(format!("is less than {LEAST}")),
        bytes => Ok(bytes),
    }
}

/// Parses a memory budget that may be zero.
pub(super) fn budget_or_zero(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(ByteSize(0)) => Ok(0),
        _ => budget(text),
    }
}

/// Parses the size limit of a paste: at most 1 GiB, so that offsets and counts within a paste fit 32 bits.
pub(super) fn paste_size(text: &str) -> Result<usize, String> {
    size_up_to(ByteSize(1 << 30), text)
}

/// Parses an expiry. A number without a unit is in seconds. A request must have the unit. A setting may omit it,
/// because the documentation of the setting names the unit.
pub(super) fn expiry(text: &str) -> Result<Expiry, String> {
    let parsed = match text.parse() {
        Err(ExpiryError::NoUnit) => match text.trim().parse() {
            Ok(seconds) => Expiry::from_seconds(seconds),
            Err(_) => Err(ExpiryError::Overflow),
        },
        parsed => parsed,
    };
    parsed.map_err(|error| match error {
        ExpiryError::NoUnit => ExpiryError::Malformed.to_string(),
        error => error.to_string(),
    })
}

/// Parses the name of a header (RFC 9110, section 5.1). Upper and lower case are kept.
pub(super) fn header_name(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 64;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match text.len() {
        1..=LONGEST if text.bytes().all(is_token) => Ok(text.to_owned()),
        _ => Err("is not a header name"),
    }
}

/// Parses the name of the header in which a proxy names the user. Headers that every client or proxy sends name none.
pub(super) fn user_header(text: &str) -> Result<String, &'static str> {
    const OTHERS: [&str; 8] = [
        "authorization",
        "cookie",
        "forwarded",
        "host",
        "origin",
        "user-agent",
        "x-forwarded-for",
        "x-real-ip",
    ];
    match OTHERS.contains(&&*text.to_ascii_lowercase()) {
        true => Err("is a header with another meaning"),
        false => header_name(text),
    }
}

/// Parses the operator's token. It must be usable as a bearer token, and too long to be guessed.
pub(super) fn admin_token(text: &str) -> Result<TokenHash, &'static str> {
    match text.len() {
        _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err("has a space or a character that is not printable ASCII")
        }
        0..16 => Err("is too short"),
        16..=1024 => Ok(TokenHash::of(text)),
        _ => Err("is too long"),
    }
}

/// The address at which the operator takes reports, as a URI: `mailto:…` or `https://…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact(String);

impl Contact {
    /// Returns the URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.0
    }
}

/// Parses the address for reports. RFC 9116 (section 2.5.3) wants a URI, and `https` for web pages.
pub(super) fn contact(text: &str) -> Result<Contact, &'static str> {
    const LONGEST: usize = 320;
    let is_printed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    if text.len() > LONGEST {
        return Err("is too long");
    }
    if !text.bytes().all(is_printed) {
        return Err("has a character that no address has");
    }
    if let Some(rest) = text.strip_prefix("https://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return match is_authority(authority) {
            true => Ok(Contact(text.to_owned())),
            false => Err("has no valid host"),
        };
    }
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    match address.split_once('@') {
        Some((name, host)) if !name.is_empty() && is_authority(host) && !host.contains(':') => {
            Ok(Contact(["mailto:", address].concat()))
        }
        _ => Err("is neither an e-mail address nor a URL with https"),
    }
}

/// Reads a text file. The message of an error is a phrase that follows its path.
pub(super) fn read_file(path: &Path, largest: ByteSize) -> io::Result<String> {
    let cannot =
        |error: io::Error| io::Error::new(error.kind(), format!("cannot be read ({error})"));
    let unusable = |problem: &str| io::Error::new(ErrorKind::InvalidData, problem);
    // Opening a pipe would wait for a writer, possibly for ever.
    if !fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(unusable("is not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(largest.0 as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() > largest.0 {
        return Err(unusable(&format!("is larger than {largest}")));
    }
    String::from_utf8(bytes).map_err(|_| unusable("is not UTF-8 text"))
}

pub(super) fn access(text: &str) -> Result<InstanceAccess, &'static str> {
    match text {
        "open" => Ok(InstanceAccess::Open),
        "save-by-key" => Ok(InstanceAccess::SaveByKey),
        "private" => Ok(InstanceAccess::Private),
        _ => Err("is not an access"),
    }
}

pub(super) fn redirect(text: &str) -> Result<Redirect, &'static str> {
    match text {
        "direct" => Ok(Redirect::Direct),
        "preview" => Ok(Redirect::Preview),
        "off" => Ok(Redirect::Off),
        _ => Err("is not a way to answer short links"),
    }
}

/// Returns true for `on`.
pub(super) fn images(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("is neither on nor off"),
    }
}

/// Parses a log filter. Each of its directives must be a level, or contain `=` or `[`. A word alone would be the name
/// of a target, so that a mistyped level would silence the log.
pub(super) fn log(text: &str) -> Result<String, &'static str> {
    let is_level = |word: &str| word.trim().parse::<LevelFilter>().is_ok();
    let is_unambiguous = |directive: &str| directive.contains(['=', '[']) || is_level(directive);
    match EnvFilter::builder().parse(text) {
        Ok(_) if text.split(',').all(is_unambiguous) => Ok(text.to_owned()),
        Ok(_) | Err(_) => Err("is not a log filter"),
    }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, &'static str> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("is not a log format"),
    }
}
