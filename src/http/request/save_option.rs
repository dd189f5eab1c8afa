//! The options of a save: the value of each, its parser, and its names in headers, in the query, in a form and in JSON.
//! A new option is one field of [`SaveOptions`] and one row of [`OPTIONS`].
//!
//! Invariants: a parser leaves an option as it is if the value counts as absent.

use actix_web::http::header::HeaderName;

use super::error::RequestError;
use super::expiry_rules::{ExpiryRules, LEAST_EPOCH_MILLIS};
use super::form::one_line;
use super::query::whole_number;
use crate::paste::{Charset, Expiry, Language, Password, ReadsLeft, Slug};
use crate::spelling;

/// The token of a paste. The response to a save contains it, and requests to delete or change the paste send it.
pub(crate) const X_TOKEN: HeaderName = HeaderName::from_static("x-token");
/// In a response: the expiry time of a paste, in milliseconds since 1970. In a request: the requested lifetime.
pub(crate) const X_EXPIRES: HeaderName = HeaderName::from_static("x-expires");
pub(crate) const X_PASSWORD: HeaderName = HeaderName::from_static("x-password");

/// The options of one save. An empty language, title, expiry or file name counts as absent.
#[derive(Default, Clone)]
pub(crate) struct SaveOptions {
    pub(crate) expiry: Option<Expiry>,
    pub(crate) language: Option<Language>,
    /// The charset of a content that is not UTF-8.
    pub(crate) charset: Option<Charset>,
    pub(crate) title: Option<String>,
    /// The number of reads after which the paste is deleted.
    pub(crate) burn: Option<ReadsLeft>,
    pub(crate) password: Option<Password>,
    /// The address that the client chose, for the holders of keys.
    pub(crate) slug: Option<Slug>,
    /// The name of the uploaded file. It supplies the title and the language if they are absent.
    pub(crate) file_name: Option<String>,
}

/// The names of an option, and how its value is read.
pub(crate) struct SaveOption {
    /// The name in the query, as error messages show it.
    pub(crate) name: &'static str,
    /// The names of its field in a form. The first one is also that in the query.
    pub(crate) fields: &'static [&'static str],
    pub(super) headers: &'static [&'static str],
    /// The name of its member in the JSON of the API, and the allowed values there. Empty if it has none.
    pub(crate) member: (&'static str, &'static str),
    /// Returns the value of this JSON as a form has it. Returns `None` if it is not valid.
    pub(crate) json: fn(&str) -> Option<String>,
    /// The allowed values, as error messages describe them.
    pub(crate) allowed: &'static str,
    /// Maximum size of its field in bytes, far above that of any valid value.
    pub(crate) longest: usize,
    /// Whether an empty value is an error: ignoring it could publish the paste. A browser sends every field of a form,
    /// so from a browser it counts as absent.
    pub(crate) needs_value: bool,
    /// Whether a form in JSON may have a number.
    pub(crate) is_number: bool,
    pub(super) parse: fn(&mut SaveOptions, &[u8], ExpiryRules) -> Result<(), RequestError>,
}

/// The options, in the order in which they are parsed.
pub(crate) static OPTIONS: &[SaveOption] = &[
    SaveOption {
        name: "title",
        fields: &["title", "name", "description"],
        headers: &["x-title"],
        member: ("title", "a string, or `null` for none"),
        allowed: "one line of text, at most 64 KiB",
        // A long file name is not an error: a title is truncated later.
        longest: 64 * 1024,
        parse: |it, value, _| set(&mut it.title, text(value)),
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "lang",
        fields: &["lang", "language", "syntax", "lexer", "extension", "ext"],
        headers: &["x-lang"],
        member: (
            "language",
            "the name of a language such as `rust`, or a file ending such as `rs`",
        ),
        json: |json| string(json).filter(|name| Language::from_name(name.trim()).is_some()),
        allowed: "the name of a language such as `rust`, at most 1 KiB",
        parse: |it, value, _| {
            let language = text(value).map(|name| known_language(&name));
            set(&mut it.language, language.transpose()?)
        },
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "charset",
        fields: &["charset"],
        headers: &["x-charset"],
        allowed: "the name of a charset such as `cp850`, at most 1 KiB",
        parse: |it, value, _| {
            let known = |name: String| Charset::named(&name).ok_or(RequestError::Charset);
            set(&mut it.charset, text(value).map(known).transpose()?)
        },
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "expires",
        fields: &["expires", "expire", "expiration", "expiry"],
        headers: &[
            "x-expires",
            "expire",
            "expires",
            "x-expire",
            "expiry",
            "max-days",
        ],
        member: (
            "expires",
            "a number of seconds, or a string such as `\"7d\"` or `\"never\"`",
        ),
        json: expiry,
        allowed: "a number with a unit such as `7d`, or `never`",
        is_number: true,
        parse: |it, value, rules| set(&mut it.expiry, rules.parse(text(value).as_deref())?),
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "burn",
        fields: &["burn", "read", "burn-after-reading", "burn_after_reading"],
        headers: &["x-burn", "max-downloads"],
        member: (
            "burn",
            "the number of views after which the paste is deleted, from 1 to 100",
        ),
        json: |json| reads(json).map(|_| json.to_owned()),
        allowed: "a number of views from 1 to 100",
        needs_value: true,
        is_number: true,
        parse: |it, value, _| {
            let reads = std::str::from_utf8(value).ok().and_then(reads);
            set(&mut it.burn, Some(reads.ok_or(RequestError::Reads)?))
        },
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "password",
        fields: &["password"],
        headers: &["x-password", "wastebin-password"],
        member: ("password", "a string of 1 to 1024 bytes"),
        allowed: "a text of 1 to 1024 bytes",
        longest: usize::MAX,
        needs_value: true,
        parse: |it, value, _| set(&mut it.password, Some(parse_password(value)?)),
        ..SaveOption::TEXT
    },
    SaveOption {
        name: "slug",
        fields: &["slug"],
        headers: &["x-slug"],
        member: (
            "slug",
            "the address, for holders of keys: 3 to 64 characters of `a` to `z`, `0` to `9` and `-`",
        ),
        allowed: "3 to 64 characters of `a` to `z`, `0` to `9` and `-`",
        parse: |it, value, _| {
            let slug = text(value).map(|text| Slug::parse(text.trim()));
            set(&mut it.slug, slug.transpose().map_err(RequestError::Slug)?)
        },
        ..SaveOption::TEXT
    },
    // No field or query parameter has it: an upload has it in its disposition or path.
    SaveOption {
        name: "filename",
        headers: &["filename"],
        parse: |it, value, _| set(&mut it.file_name, text(value)),
        ..SaveOption::TEXT
    },
];

/// A bit for the first letter of each header in [`OPTIONS`]. Most headers of a request have another, and cost only
/// this.
const INITIALS: u32 = {
    let (mut initials, mut option) = (0, 0);
    while option < OPTIONS.len() {
        let (headers, mut header) = (OPTIONS[option].headers, 0);
        while header < headers.len() {
            initials |= 1 << (headers[header].as_bytes()[0] & 31);
            header += 1;
        }
        option += 1;
    }
    initials
};

impl SaveOption {
    /// An option without names.
    const TEXT: Self = Self {
        name: "",
        fields: &[],
        headers: &[],
        member: ("", ""),
        json: string,
        allowed: "anything",
        longest: 1024,
        needs_value: false,
        is_number: false,
        parse: |_, _, _| Ok(()),
    };

    /// The option that a header sets; `name` is in lower case.
    pub(crate) fn of_header(name: &str) -> Option<&'static Self> {
        let initial = name.bytes().next()? & 31;
        if INITIALS >> initial & 1 == 0 {
            return None;
        }
        OPTIONS.iter().find(|option| option.headers.contains(&name))
    }

    pub(crate) fn of_query(name: &str) -> Option<&'static Self> {
        let mut options = OPTIONS.iter();
        options.find(|option| option.fields.first() == Some(&name))
    }
}

/// Replaces the value of an option, unless the new one counts as absent.
fn set<T>(option: &mut Option<T>, value: Option<T>) -> Result<(), RequestError> {
    *option = value.or(option.take());
    Ok(())
}

/// The text of a value. One that is not UTF-8 is Latin-1, as headers were once. Returns `None` if it is blank.
fn text(value: &[u8]) -> Option<String> {
    let latin_1 = || value.iter().copied().map(char::from).collect();
    let text = std::str::from_utf8(value).map_or_else(|_| latin_1(), str::to_owned);
    Some(text).filter(|text| !text.trim().is_empty())
}

/// The language with this name.
///
/// # Errors
/// If there is none.
pub(crate) fn known_language(name: &str) -> Result<Language, RequestError> {
    Language::from_name(name.trim()).ok_or_else(|| {
        let known = Language::all().map(Language::name);
        RequestError::Language(spelling::nearest(name.trim(), known))
    })
}

fn reads(text: &str) -> Option<ReadsLeft> {
    whole_number(text).and_then(ReadsLeft::new)
}

/// Parses a password. A final line end does not belong to it: one that was read from a file has one.
///
/// # Errors
/// If it is empty or too long.
pub(crate) fn parse_password(value: &[u8]) -> Result<Password, RequestError> {
    Password::new(one_line(value)).map_err(RequestError::Password)
}

fn string(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// The expiry in JSON. A number is in seconds, unless it is a time in milliseconds since 1970.
fn expiry(json: &str) -> Option<String> {
    match serde_json::from_str::<u64>(json) {
        Ok(seconds) if seconds < LEAST_EPOCH_MILLIS => Some(format!("{seconds}s")),
        Ok(millis) => Some(millis.to_string()),
        Err(_) => string(json).filter(|text| {
            let seconds: Result<u64, _> = text.parse();
            !seconds.is_ok_and(|seconds| seconds < LEAST_EPOCH_MILLIS)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_utf_8_is_latin_1() {
        for value in [&b"caf\xe9"[..], "café".as_bytes()] {
            assert_eq!(text(value).as_deref(), Some("café"));
        }
        assert_eq!(text(b" "), None);
    }
}
