//! The options of a save (expiry, language, title, burn count and password) from the query, the headers or a form.
//!
//! Invariants:
//! - An invalid option rejects the save, and so does an unknown one in the query, or an unknown header that asks for
//!   less. An option outside the body is checked before the body is read.
//! - A form field overrides the query, and the query overrides a header.
//!
//! Cost: the headers of a save without options are looked at once, by their names alone.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use super::error::RequestError;
use super::expiry_rules::ExpiryRules;
use super::form::{Fields, repeated};
use super::format::ResponseFormat;
use super::header_words::asks_for_less;
use super::query;
use super::save_option::{OPTIONS, SaveOption, SaveOptions, parse_password};
use super::value::Request;
use crate::paste::{Language, Password, Title};

const PRESETS: [&str; 4] = ["title", "lang", "expires", "burn"];

impl SaveOptions {
    /// The options in the query and the headers of a request.
    ///
    /// # Errors
    /// If an option is invalid, repeated, or unknown in the query.
    pub(crate) fn of(request: &Request<'_>, rules: ExpiryRules) -> Result<Self, RequestError> {
        let (headers, query) = (request.headers(), request.query());
        let mut options = Self::default();
        if sets_options(headers)? {
            options.set(&header_options(headers)?, rules, false)?;
        }
        if !query.is_empty() {
            options.set(&query_options(query)?, rules, false)?;
        }
        Ok(options)
    }

    /// The options with which a link to the editor fills its form. Names without a field there are ignored.
    ///
    /// # Errors
    /// If one is invalid.
    pub(crate) fn preset(query: &str, rules: ExpiryRules) -> Result<Self, RequestError> {
        let mut options = Self::default();
        for (name, value) in query::pairs(query)? {
            let option = SaveOption::of_query(&name).filter(|it| PRESETS.contains(&it.name));
            if let Some(option) = option.filter(|_| !value.is_empty()) {
                (option.parse)(&mut options, value.as_bytes(), rules)?;
            }
        }
        Ok(options)
    }

    /// Adds the file name from the path of a `PUT`, if it has one segment, unless a header names the file.
    pub(crate) fn with_file_name(mut self, path: &str) -> Self {
        let name = path.strip_prefix('/');
        let name = name.filter(|name| !name.is_empty() && !name.contains('/'));
        let decoded = |name| percent_decode_str(name).decode_utf8_lossy().into_owned();
        self.file_name = self.file_name.or_else(|| name.map(decoded));
        self
    }

    /// Overrides these options with those of a form. A file name in the headers stays: it is explicit, while clients
    /// name every part of a form.
    pub(crate) fn with_form(
        mut self,
        form: &Fields<'_>,
        rules: ExpiryRules,
        format: ResponseFormat,
    ) -> Result<Self, RequestError> {
        let file_name = self.file_name.clone();
        self.set(form, rules, format == ResponseFormat::Html)?;
        self.file_name = file_name.or(self.file_name);
        Ok(self)
    }

    /// Parses these values.
    fn set(
        &mut self,
        values: &Fields<'_>,
        rules: ExpiryRules,
        is_browser: bool,
    ) -> Result<(), RequestError> {
        for option in OPTIONS {
            match values.get(option.name) {
                Some(value) if !(is_browser && value.is_empty()) => {
                    (option.parse)(self, value, rules)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The given title, or else the file name.
    pub(crate) fn title(&self) -> Option<Title> {
        let given = self.title.as_deref().and_then(Title::new);
        given.or_else(|| self.file_name.as_deref().and_then(Title::from_file_name))
    }

    /// The language the client named. Without a name, the file name or the title determines it. Returns `None` if
    /// neither does, or if its ending says little.
    pub(crate) fn language(&self) -> Option<Language> {
        let of_file = self.file_name.as_deref().and_then(Language::from_sure_name);
        let of_title = || self.title.as_deref().and_then(Language::from_sure_title);
        self.language.or(of_file).or_else(of_title)
    }
}

/// The language with this name, or plain text if the name is unknown, as another pastebin's client expects.
pub(crate) fn named_language(name: &str) -> Language {
    Language::from_name(name.trim()).unwrap_or(Language::PLAIN)
}

/// Collects the options in the headers.
fn header_options(headers: &HeaderMap) -> Result<Fields<'_>, RequestError> {
    let mut options = Fields::default();
    for (name, value) in headers {
        let Some(option) = SaveOption::of_header(name.as_str()) else {
            continue;
        };
        let value = HeaderValue::as_bytes(value);
        // The expiry may be sent under two header names with the same value.
        if option.name != "expires" || options.get(option.name) != Some(value) {
            options.set(option.name, value.into())?;
        }
    }
    Ok(options)
}

/// Collects the options in the query. An unknown name is an error: a mistyped `burn` must not publish the paste.
fn query_options(query: &str) -> Result<Fields<'_>, RequestError> {
    let mut options = Fields::default();
    for (name, value) in query::pairs(query)? {
        let option = SaveOption::of_query(&name).ok_or_else(|| {
            let known = OPTIONS.iter().filter_map(|it| it.fields.first().copied());
            RequestError::unknown(RequestError::UnknownOption, &name, known)
        })?;
        options.set_text(option.name, value)?;
    }
    Ok(options)
}

/// The password in the headers of a read, byte for byte.
pub(crate) fn header_password(headers: &HeaderMap) -> Result<Option<Password>, RequestError> {
    let mut options = OPTIONS.iter();
    let names = options.find(|option| option.name == "password");
    let names = names.map_or(&[][..], |option| option.headers);
    let mut values = names.iter().flat_map(|name| headers.get_all(*name));
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => parse_password(value.as_bytes()).map(Some),
        (Some(_), Some(_)) => Err(repeated("password")),
    }
}

/// Returns whether the headers contain a save option, or ask for one that does not exist.
pub(crate) fn has_options(headers: &HeaderMap) -> bool {
    !matches!(sets_options(headers), Ok(false))
}

/// Returns whether the headers contain a save option.
///
/// # Errors
/// If another header asks for less than an open paste. If it were ignored, the paste could be published.
fn sets_options(headers: &HeaderMap) -> Result<bool, RequestError> {
    let mut sets = false;
    for name in headers.keys().map(HeaderName::as_str) {
        let is_option = SaveOption::of_header(name).is_some();
        if !is_option && asks_for_less(name) {
            return Err(RequestError::UnknownHeader(RequestError::printable(name)));
        }
        sets |= is_option;
    }
    Ok(sets)
}
