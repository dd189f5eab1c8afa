//! Values: the text of a setting turned into what it means, or a phrase that says why not.
//!
//! What it must not know: where the text comes from.
//! Invariants: a phrase reads on after the value ("is zero") and does not repeat it, since the value may be a secret.

use std::net::SocketAddr;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::{ByteSize, LogFormat, Redirect, Secret};
use crate::limit::{Action, RuleError, Rules};
use crate::paste::{Expiry, ExpiryError, TokenHash};

pub(super) fn addr(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "is not an IP address with a port")
}

pub(super) fn secret(text: &str) -> Result<Secret, &'static str> {
    Secret::new(text).ok_or("is too long")
}

pub(super) fn size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(ByteSize(0)) => Err("is zero".to_owned()),
        Ok(ByteSize(bytes)) => Ok(bytes),
        Err(error) => Err(error.to_string()),
    }
}

/// At most 64 GiB: the store reserves its tables at the start, and a slip of the finger should not take the machine's
/// memory with it.
pub(super) fn budget(text: &str) -> Result<usize, String> {
    const LARGEST: ByteSize = ByteSize(64 << 30);
    match size(text)? {
        bytes if bytes > LARGEST.0 => Err(format!("is more than {LARGEST}")),
        bytes => Ok(bytes),
    }
}

/// The same of what may be left out altogether.
pub(super) fn budget_or_none(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(ByteSize(0)) => Ok(0),
        _ => budget(text),
    }
}

/// At most 1 GiB: offsets and counts within a paste then fit 32 bits.
pub(super) fn paste_size(text: &str) -> Result<usize, String> {
    const LARGEST: ByteSize = ByteSize(1 << 30);
    match size(text)? {
        bytes if bytes > LARGEST.0 => Err(format!("is more than {LARGEST}")),
        bytes => Ok(bytes),
    }
}

/// Here, unlike in a request, a number without a unit is in seconds: the form says so where it is asked for.
pub(super) fn expiry(text: &str) -> Result<Expiry, String> {
    let parsed = match text.parse() {
        Err(ExpiryError::NoUnit) => match text.trim().parse() {
            Ok(seconds) => Expiry::from_seconds(seconds),
            Err(_) => Err(ExpiryError::Overflow),
        },
        parsed => parsed,
    };
    parsed.map_err(|error| match error {
        ExpiryError::NoUnit | ExpiryError::Malformed => "is not a duration".to_owned(),
        ExpiryError::Zero => "is zero".to_owned(),
        ExpiryError::Overflow => "is too long".to_owned(),
    })
}

/// The name of a header (RFC 9110, section 5.1), as it is written.
pub(super) fn header_name(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 64;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match text.len() {
        1..=LONGEST if text.bytes().all(is_token) => Ok(text.to_owned()),
        _ => Err("is not the name of a header"),
    }
}

/// Only what can be sent as a bearer, and long enough not to be guessed by trying.
pub(super) fn admin_token(text: &str) -> Result<TokenHash, &'static str> {
    match text.len() {
        _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err("has a blank or a character that is not printable ASCII")
        }
        0..16 => Err("is too short"),
        16..=1024 => Ok(TokenHash::of(text)),
        _ => Err("is too long"),
    }
}

pub(super) fn redirect(text: &str) -> Result<Redirect, &'static str> {
    match text {
        "direct" => Ok(Redirect::Direct),
        "preview" => Ok(Redirect::Preview),
        "off" => Ok(Redirect::Off),
        _ => Err("is nothing that a short link does"),
    }
}

pub(super) fn rules(text: &str, action: Action) -> Result<Rules, RuleError> {
    Rules::parse(text, action)
}

/// A word alone would be a filter too, for everything of a program's part of that name: a mistyped level would silence
/// the log.
pub(super) fn log(text: &str) -> Result<String, &'static str> {
    let is_level = |word: &str| word.trim().parse::<LevelFilter>().is_ok();
    let is_meant = |directive: &str| directive.contains(['=', '[']) || is_level(directive);
    match EnvFilter::builder().parse(text) {
        Ok(_) if text.split(',').all(is_meant) => Ok(text.to_owned()),
        Ok(_) | Err(_) => Err("is not a tracing filter"),
    }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, &'static str> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("is not a format of the log"),
    }
}
