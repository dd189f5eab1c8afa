//! The options of a save (expiry, language, title, burn count and password) from the query, the headers or a form.
//!
//! Invariants:
//! - An invalid option rejects the save, and so does an unknown one in the query, or an unknown header that asks for
//!   less. An option outside the body is checked before the body is read.
//! - A form field overrides the query, and the query overrides a header.

mod expiry_rules;
mod save_option;

pub(crate) use expiry_rules::{ExpiryRules, LEAST_EPOCH_MILLIS};
pub(crate) use save_option::SaveOption;
use save_option::asks_for_less;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use crate::http::request::error::RequestError;
use crate::http::request::form::{FormError, SaveForm, one_line};
use crate::http::request::format::ResponseFormat;
use crate::http::request::query;
use crate::http::request::route::file_name;
use crate::http::request::value::Request;
use crate::paste::{Expiry, Language, Password, ReadsLeft, Slug, Title};

/// The options of one save. An empty language, title, expiry or file name counts as absent.
#[derive(Default, Clone)]
pub(crate) struct SaveOptions {
    pub(crate) expiry: Option<Expiry>,
    language: Option<String>,
    title: Option<String>,
    /// The number of reads after which the paste is deleted.
    pub(crate) burn: Option<ReadsLeft>,
    pub(crate) password: Option<Password>,
    /// The address that the client chose.
    pub(crate) slug: Option<Slug>,
    /// The name of the uploaded file. It supplies the title and the language if they are absent.
    file_name: Option<String>,
}

/// Unparsed option values, indexed by [`SaveOption`].
type RawOptions = [Option<Vec<u8>>; SaveOption::COUNT];

impl SaveOptions {
    /// The options in the query and the headers of a request.
    ///
    /// # Errors
    /// If an option is invalid, repeated, or unknown in the query.
    pub(crate) fn of(request: &Request<'_>, rules: ExpiryRules) -> Result<Self, RequestError> {
        let (headers, query) = (request.headers(), request.query());
        // Most saves have no options, and looking at names alone is fast.
        let headers = match sets_options(headers)? {
            true => Self::parse(header_options(headers)?, rules)?,
            false => Self::default(),
        };
        match query {
            "" => Ok(headers),
            query => Ok(Self::parse(query_options(query)?, rules)?.or(headers)),
        }
    }

    /// Adds the file name from the path of a `PUT`, unless a header names the file.
    pub(crate) fn with_file_name(self, path: &str) -> Self {
        let decoded = |name| percent_decode_str(name).decode_utf8_lossy().into_owned();
        Self {
            file_name: self.file_name.or_else(|| file_name(path).map(decoded)),
            ..self
        }
    }

    /// Overrides these options with those of a form.
    /// A browser sends every field of a form, so an empty field from a browser counts as absent. An empty password from
    /// any other client is an error: ignoring it would publish the paste unprotected.
    pub(crate) fn with_form(
        self,
        form: &mut SaveForm<'_>,
        rules: ExpiryRules,
        format: ResponseFormat,
    ) -> Result<Self, RequestError> {
        let is_sent = |is_empty: bool| format != ResponseFormat::Html || !is_empty;
        let burn = form.burn.take().filter(|it| is_sent(it.is_empty()));
        let password = form.password.take().filter(|it| is_sent(it.is_empty()));
        let form = Self {
            expiry: rules.parse(form.expires.take().as_deref())?,
            language: non_blank(form.language.take()),
            title: non_blank(form.title.take()),
            burn: burn.map(|it| parse_burn(&it)).transpose()?,
            password: password.map(|it| parse_password(&it)).transpose()?,
            slug: parse_slug(form.slug.take())?,
            // The header is explicit, while clients name every part of a form.
            file_name: self.file_name.clone().or(non_blank(form.file_name.take())),
        };
        Ok(form.or(self))
    }

    /// Fills absent options from `other`.
    fn or(self, other: Self) -> Self {
        Self {
            expiry: self.expiry.or(other.expiry),
            language: self.language.or(other.language),
            title: self.title.or(other.title),
            burn: self.burn.or(other.burn),
            password: self.password.or(other.password),
            slug: self.slug.or(other.slug),
            file_name: self.file_name.or(other.file_name),
        }
    }

    fn parse(raw: RawOptions, rules: ExpiryRules) -> Result<Self, RequestError> {
        let [expires, language, title, burn, password, slug, file_name] = raw;
        let text = |bytes: Option<Vec<u8>>| {
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Self {
            expiry: rules.parse(text(expires).as_deref())?,
            language: non_blank(text(language)),
            title: non_blank(text(title)),
            burn: text(burn).map(|it| parse_burn(&it)).transpose()?,
            password: password.map(|it| parse_password(&it)).transpose()?,
            slug: parse_slug(text(slug))?,
            file_name: non_blank(text(file_name)),
        })
    }

    /// The given title, or else the file name.
    pub(crate) fn title(&self) -> Option<Title> {
        let given = self.title.as_deref().and_then(Title::new);
        given.or_else(|| self.file_name.as_deref().and_then(Title::from_file_name))
    }

    /// The language the client named, or plain text if that name is unknown.
    pub(crate) fn named_language(&self) -> Option<Language> {
        self.language.as_deref().map(named_language)
    }

    /// The language the client named, or plain text if that name is unknown. Without a name, the file name or the title
    /// determines the language of this content. Returns `None` if neither does.
    pub(crate) fn language(&self, content: &[u8]) -> Option<Language> {
        match self.named_language() {
            Some(language) => Some(language),
            None => [&self.file_name, &self.title]
                .into_iter()
                .flatten()
                .find_map(|name| Language::from_file_name(name))
                .map(|named| named.or_terminal_output(content)),
        }
    }
}

/// The language with this name, or plain text if the name is unknown.
pub(crate) fn named_language(name: &str) -> Language {
    Language::from_name(name.trim()).unwrap_or(Language::PLAIN)
}

/// Collects the options in the headers, in one pass.
fn header_options(headers: &HeaderMap) -> Result<RawOptions, RequestError> {
    let mut raw = RawOptions::default();
    for (name, value) in headers {
        let Some(option) = SaveOption::of_header(name.as_str()) else {
            continue;
        };
        let value = HeaderValue::as_bytes(value);
        match &mut raw[option as usize] {
            free @ None => *free = Some(value.to_vec()),
            // The expiry may be sent under two header names with the same value.
            Some(earlier) if option == SaveOption::Expires && *earlier == value => {}
            Some(_) => return Err(FormError::RepeatedField(option.name()).into()),
        }
    }
    Ok(raw)
}

/// Collects the options in the query. An unknown name is an error: a mistyped `burn` must not publish the paste.
fn query_options(query: &str) -> Result<RawOptions, RequestError> {
    let mut raw = RawOptions::default();
    for (name, value) in query::pairs(query)? {
        let option = SaveOption::of_query(&name).ok_or_else(|| FormError::unknown_option(&name))?;
        let value = match option {
            SaveOption::Password => one_line(value.as_bytes()).to_vec(),
            SaveOption::Expires
            | SaveOption::Language
            | SaveOption::Title
            | SaveOption::Burn
            | SaveOption::Slug
            | SaveOption::FileName => value.into_owned().into_bytes(),
        };
        if raw[option as usize].replace(value).is_some() {
            return Err(FormError::RepeatedField(option.name()).into());
        }
    }
    Ok(raw)
}

/// The password in the headers of a read, byte for byte.
pub(crate) fn header_password(headers: &HeaderMap) -> Result<Option<Password>, RequestError> {
    let both = ["x-password", "wastebin-password"].map(|name| headers.get_all(name));
    let mut values = both.into_iter().flatten();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => parse_password(value.as_bytes()).map(Some),
        (Some(_), Some(_)) => Err(FormError::RepeatedField("password").into()),
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
            return Err(RequestError::unknown_header(name));
        }
        sets |= is_option;
    }
    Ok(sets)
}

pub(crate) fn parse_password(bytes: &[u8]) -> Result<Password, RequestError> {
    Password::new(bytes).map_err(RequestError::Password)
}

/// Parses a number of reads. Only digits are accepted: `str::parse` also allows a leading `+`.
fn parse_burn(text: &str) -> Result<ReadsLeft, RequestError> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let reads = digits.and_then(|digits| digits.parse().ok());
    reads.and_then(ReadsLeft::new).ok_or(RequestError::Reads)
}

/// Parses a slug. An empty one counts as absent.
fn parse_slug(text: Option<String>) -> Result<Option<Slug>, RequestError> {
    let slug = non_blank(text).map(|text| Slug::parse(text.trim()));
    slug.transpose().map_err(RequestError::Slug)
}

fn non_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}
