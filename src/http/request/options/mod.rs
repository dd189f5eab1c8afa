//! The options of a save: expiry, language, title, reads and password, from the query, the headers or a form.
//!
//! Invariants: an option that cannot be understood refuses the save, before the body is read where it is known by then.
//! The option nearest to the content wins: a form field over the query, the query over a header.

mod save_option;

pub(crate) use save_option::SaveOption;

use actix_web::http::header::{HeaderMap, HeaderValue};
use percent_encoding::percent_decode_str;

use crate::http::request::error::RequestError;
use crate::http::request::form::{FormError, SaveForm, one_line};
use crate::http::request::format::ResponseFormat;
use crate::http::request::query;
use crate::http::request::route::file_name;
use crate::http::request::value::Request;
use crate::paste::{Expiry, ExpiryError, ExpiryPolicy, Language, Password, ReadsLeft, Title};

/// The options of one save. An empty one counts as not given.
#[derive(Default)]
pub(crate) struct SaveOptions {
    pub(crate) expiry: Option<Expiry>,
    language: Option<String>,
    title: Option<String>,
    /// How often the paste may be read.
    pub(crate) burn: Option<ReadsLeft>,
    pub(crate) password: Option<Password>,
    /// The name of the file, which gives title and language where nothing else does.
    file_name: Option<String>,
}

/// Options as they were written, one place for each [`SaveOption`].
type Written = [Option<Vec<u8>>; SaveOption::COUNT];

impl SaveOptions {
    /// The options in the query and the headers of a request.
    pub(crate) fn of(request: &Request<'_>, policy: ExpiryPolicy) -> Result<Self, RequestError> {
        let headers = Self::parse(in_headers(request.headers())?, policy)?;
        let query = match request.query() {
            "" => Self::default(),
            query => Self::parse(in_query(query)?, policy)?,
        };
        Ok(query.or(headers))
    }

    /// These options and the name of the file in the path of a `PUT`.
    pub(crate) fn with_file_name(self, path: &str) -> Self {
        let name = file_name(path);
        Self {
            file_name: name.map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()),
            ..self
        }
    }

    /// These options, overridden by those of a form. A browser sends every field, so an empty one was left out there.
    /// From any other client an empty password is a mistake that would publish something.
    pub(crate) fn with_form(
        self,
        form: &mut SaveForm<'_>,
        policy: ExpiryPolicy,
        format: ResponseFormat,
    ) -> Result<Self, RequestError> {
        let is_meant = |is_empty: bool| format != ResponseFormat::Html || !is_empty;
        let burn = form.burn.take().filter(|it| is_meant(it.is_empty()));
        let password = form.password.take().filter(|it| is_meant(it.is_empty()));
        let form = Self {
            expiry: parse_expiry(form.expires.take().as_deref(), policy)?,
            language: given(form.language.take()),
            title: given(form.title.take()),
            burn: burn.map(|it| parse_burn(&it)).transpose()?,
            password: password.map(|it| parse_password(&it)).transpose()?,
            file_name: given(form.file_name.take()),
        };
        Ok(form.or(self))
    }

    /// These options, and `other` where they say nothing.
    fn or(self, other: Self) -> Self {
        Self {
            expiry: self.expiry.or(other.expiry),
            language: self.language.or(other.language),
            title: self.title.or(other.title),
            burn: self.burn.or(other.burn),
            password: self.password.or(other.password),
            file_name: self.file_name.or(other.file_name),
        }
    }

    fn parse(written: Written, policy: ExpiryPolicy) -> Result<Self, RequestError> {
        let [expires, language, title, burn, password] = written;
        let text = |bytes: Option<Vec<u8>>| {
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Self {
            expiry: parse_expiry(text(expires).as_deref(), policy)?,
            language: given(text(language)),
            title: given(text(title)),
            burn: text(burn).map(|it| parse_burn(&it)).transpose()?,
            password: password.map(|it| parse_password(&it)).transpose()?,
            file_name: None,
        })
    }

    /// The title: as given, else the file's name.
    pub(crate) fn title(&self) -> Option<Title> {
        let given = self.title.as_deref().and_then(Title::new);
        given.or_else(|| self.file_name.as_deref().and_then(Title::from_file_name))
    }

    /// The language: as told, else by the content; plain text if neither is known.
    pub(crate) fn language(&self, content: &[u8]) -> Language {
        match self.told_language() {
            Some(given) if self.language.is_some() => given,
            Some(named) => named.or_terminal_output(content),
            None => Language::detect(content).unwrap_or(Language::PLAIN),
        }
    }

    /// The language as given, plain text if unknown; else by the name of the file or the title.
    pub(crate) fn told_language(&self) -> Option<Language> {
        match &self.language {
            Some(name) => Some(Language::from_name(name.trim()).unwrap_or(Language::PLAIN)),
            None => [&self.file_name, &self.title]
                .into_iter()
                .flatten()
                .find_map(|name| Language::from_file_name(name)),
        }
    }
}

/// The options in the headers, in one pass over them.
fn in_headers(headers: &HeaderMap) -> Result<Written, RequestError> {
    let mut written = Written::default();
    for (name, value) in headers {
        let Some(option) = SaveOption::of_header(name.as_str()) else {
            continue;
        };
        let value = HeaderValue::as_bytes(value);
        match &mut written[option as usize] {
            empty @ None => *empty = Some(value.to_vec()),
            // An expiry may come under two of its names.
            Some(before) if option == SaveOption::Expires && *before == value => {}
            Some(_) => return Err(FormError::RepeatedField(option.name()).into()),
        }
    }
    Ok(written)
}

/// The options in the query. An unknown name is refused, so that a mistyped `burn` publishes nothing.
fn in_query(query: &str) -> Result<Written, RequestError> {
    let mut written = Written::default();
    for (name, value) in query::pairs(query)? {
        let option = SaveOption::of_query(&name).ok_or_else(|| FormError::unknown_option(&name))?;
        let value = match option {
            SaveOption::Password => one_line(value.as_bytes()).to_vec(),
            SaveOption::Expires | SaveOption::Language | SaveOption::Title | SaveOption::Burn => {
                value.into_owned().into_bytes()
            }
        };
        if written[option as usize].replace(value).is_some() {
            return Err(FormError::RepeatedField(option.name()).into());
        }
    }
    Ok(written)
}

/// The password in the headers of a read, its exact bytes.
pub(crate) fn header_password(headers: &HeaderMap) -> Result<Option<Password>, RequestError> {
    let mut values = headers.get_all("x-password");
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => parse_password(value.as_bytes()).map(Some),
        (Some(_), Some(_)) => Err(FormError::RepeatedField("password").into()),
    }
}

/// Whether the headers give an option of a save.
pub(crate) fn has_options(headers: &HeaderMap) -> bool {
    headers
        .keys()
        .any(|name| SaveOption::of_header(name.as_str()).is_some())
}

/// The password of these bytes.
pub(crate) fn parse_password(bytes: &[u8]) -> Result<Password, RequestError> {
    Password::new(bytes).map_err(RequestError::Password)
}

/// A number of reads, of digits alone.
fn parse_burn(text: &str) -> Result<ReadsLeft, RequestError> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let reads = digits.and_then(|digits| digits.parse().ok());
    reads.and_then(ReadsLeft::new).ok_or(RequestError::Reads)
}

/// An expiry that the policy allows.
pub(crate) fn parse_expiry(
    text: Option<&str>,
    policy: ExpiryPolicy,
) -> Result<Option<Expiry>, RequestError> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(expiry) if policy.allows(expiry) => Ok(Some(expiry)),
        Ok(_) | Err(ExpiryError::Overflow) => Err(RequestError::ExpiryTooLong(policy.longest())),
        Err(error) => Err(RequestError::Expiry(error)),
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}
