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

use super::{BaseUrl, ByteSize, Cors, ListenAddr, LogFormat};
use crate::account::InstanceAccess;
use crate::page::Redirect;
use crate::paste::{Encryption, Expiry, ExpiryError, LinkTarget, TokenHash};

pub(super) fn addr(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "is not an IP address with a port")
}

/// Parses the address of a TCP socket, or the path of a Unix socket.
pub(super) fn listen_addr(text: &str) -> Result<ListenAddr, &'static str> {
    match text.strip_prefix("unix:") {
        Some(path) if path.starts_with('/') && !path.ends_with('/') => {
            Ok(ListenAddr::Unix(path.into()))
        }
        Some(_) => Err("is not an absolute path of a file"),
        None => addr(text).map(ListenAddr::Tcp),
    }
}

/// Parses a number of bytes from `least` to `most`.
pub(super) fn size(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let largest = format!("is more than {}", ByteSize(most));
    match text.parse() {
        Ok(ByteSize(0)) if least > 0 => Err("is zero".to_owned()),
        Ok(ByteSize(bytes)) if bytes < least => Err(format!("is less than {}", ByteSize(least))),
        Ok(ByteSize(bytes)) if bytes > most => Err(largest),
        Ok(ByteSize(bytes)) => Ok(bytes),
        Err(ByteSize::TOO_LARGE) => Err(largest),
        Err(error) => Err(str::to_owned(error)),
    }
}

/// Parses an expiry. A number without a unit is in seconds. A request must have the unit. A setting may omit it,
/// because the documentation of the setting names the unit.
pub(super) fn expiry(text: &str) -> Result<Expiry, ExpiryError> {
    match text.parse() {
        Err(ExpiryError::NoUnit) => format!("{}s", text.trim()).parse(),
        parsed => parsed,
    }
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
    match &*text.to_ascii_lowercase() {
        "authorization" | "cookie" | "forwarded" | "host" | "origin" | "user-agent"
        | "x-forwarded-for" | "x-real-ip" => Err("is a header with another meaning"),
        _ => header_name(text),
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

/// Parses the address for reports, as a URI: `mailto:…` or `https://…`. RFC 9116 (section 2.5.3) wants a URI, and
/// `https` for web pages.
pub(super) fn contact(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 320;
    let is_printed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let is_url = |url: &str| LinkTarget::parse(url).is_ok();
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    // The host of an address stands alone.
    let is_host = |host: &str| {
        !host.contains([':', '/', '?', '#', '%']) && is_url(&format!("https://{host}"))
    };
    match address.split_once('@') {
        _ if text.len() > LONGEST => Err("is longer than 320 bytes"),
        _ if !text.bytes().all(is_printed) => Err("has a character that no address has"),
        _ if text.starts_with("https://") && is_url(text) => Ok(text.to_owned()),
        _ if text.starts_with("https://") => Err("has no valid host"),
        Some((name, host)) if !name.is_empty() && is_host(host) => {
            Ok(["mailto:", address].concat())
        }
        _ => Err("is neither an e-mail address nor a URL with https"),
    }
}

/// Parses a text that pages show: the name of the site, or of a link.
pub(super) fn site_name(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 40;
    match text.trim() {
        "" => Err("has no text"),
        text if text.chars().any(char::is_control) => Err("has a control character"),
        text if text.chars().count() > LONGEST => Err("is too long"),
        text => Ok(text.to_owned()),
    }
}

/// Parses links: each is a text and a URL, or an e-mail address. A comma in a URL is written as `%2C`.
pub(super) fn links(text: &str) -> Result<Vec<(String, String)>, &'static str> {
    const MOST: usize = 8;
    let link = |link: &str| -> Result<_, &'static str> {
        let (name, url) = link.split_once('=').ok_or("has a link without `=`")?;
        let url = url.trim();
        let is_url = contact(url).is_ok() || LinkTarget::parse(url).is_ok();
        let url = is_url.then(|| contact(url).unwrap_or_else(|_| url.to_owned()));
        Ok((site_name(name)?, url.ok_or("has a link without a URL")?))
    };
    let links: Vec<_> = text.split(',').map(link).collect::<Result<_, _>>()?;
    match links.len() {
        0..=MOST => Ok(links),
        _ => Err("has more than 8 links"),
    }
}

/// Reads a text file. The message of an error is a phrase that follows its path.
pub(super) fn read_file(path: &Path, largest: ByteSize) -> io::Result<String> {
    let cannot = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, "does not exist"),
        kind => io::Error::new(kind, format!("cannot be read ({error})")),
    };
    let unusable = |problem: &str| io::Error::new(ErrorKind::InvalidData, problem);
    // Opening a pipe would wait for a writer, possibly for ever.
    if !fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(unusable("is not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    let mut file = file.take(largest.0 as u64 + 1);
    file.read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > largest.0 {
        return Err(unusable(&format!("is larger than {largest}")));
    }
    String::from_utf8(bytes).map_err(|_| unusable("is not UTF-8 text"))
}

/// Parses origins (RFC 6454), or `*` for all.
pub(super) fn cors(text: &str) -> Result<Cors, &'static str> {
    if text == "*" {
        return Ok(Cors::Any);
    }
    let origin = |text: &str| match text.trim().parse::<BaseUrl>() {
        Ok(url) if url.path().is_empty() => Ok(url.as_str().to_owned()),
        Ok(_) => Err("has a path"),
        Err(problem) => Err(problem),
    };
    let origins = text.split(',').map(origin).collect::<Result<_, _>>();
    origins.map(Cors::Origins)
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

/// The names of some values.
type Choices<T> = &'static [(&'static str, T)];

pub(super) const ACCESSES: Choices<InstanceAccess> = &[
    ("open", InstanceAccess::Open),
    ("save-by-key", InstanceAccess::SaveByKey),
    ("private", InstanceAccess::Private),
];

pub(super) const REDIRECTS: Choices<Redirect> = &[
    ("direct", Redirect::Direct),
    ("preview", Redirect::Preview),
    ("off", Redirect::Off),
];

pub(super) const ENCRYPTIONS: Choices<Encryption> = &[
    ("on", Encryption::On),
    ("off", Encryption::Off),
    ("default", Encryption::Default),
];

pub(super) const LOG_FORMATS: Choices<LogFormat> =
    &[("text", LogFormat::Text), ("json", LogFormat::Json)];

pub(super) const SWITCH: Choices<bool> = &[("on", true), ("off", false)];

/// Returns the value with this name.
pub(super) fn choose<T: Copy>(text: &str, choices: Choices<T>) -> Result<T, &'static str> {
    let chosen = choices.iter().find(|(name, _)| *name == text);
    chosen.map(|(_, value)| *value).ok_or("is not a choice")
}
