//! Options of a save: lifetime, language and title, and who may read it, from the query, the headers or a form.
//!
//! What it must not know: how the content came.
//! Invariants: an option that cannot be understood refuses the save, before the body is read where it can be known by
//! then: nothing is kept for other than was asked. What is written nearest to the content wins: a form field over the
//! query, the query over a header.

use std::borrow::Cow;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use percent_encoding::percent_decode_str;

use crate::http::error::api_error::ApiError;
use crate::http::error::option_error::OptionError;
use crate::http::request::form::{FormError, SaveForm, one_line};
use crate::http::request::format::ResponseFormat;
use crate::http::response::headers::{LIFETIME, X_BURN, X_LANG, X_PASSWORD, X_TITLE};
use crate::paste::{Expiry, ExpiryError, ExpiryPolicy, Language, Password, ReadsLeft, Title};

/// Options as they were written; an empty one counts as not given.
#[derive(Default)]
pub(crate) struct Options {
    /// Already understood: a wrong one is refused before the body is read.
    expiry: Option<Expiry>,
    language: Option<String>,
    title: Option<String>,
    /// Already understood, as the lifetime.
    burn: Option<ReadsLeft>,
    password: Option<Password>,
    /// The name of the file, which gives what is not said: title and language.
    file_name: Option<String>,
}

impl Options {
    /// The options in the query, headers and path of a request.
    pub(crate) fn of(
        request: &HttpRequest,
        file_name: Option<&str>,
        policy: ExpiryPolicy,
    ) -> Result<Self, ApiError> {
        let header = |name, option| header(request, name, option);
        let mut options = Self {
            expiry: expiry(header_expiry(request)?, policy)?,
            language: given(header(X_LANG, "lang")?),
            title: given(header(X_TITLE, "title")?),
            burn: header(X_BURN, "burn")?
                .map(|reads| burn(&reads))
                .transpose()?,
            password: header_password(request)?,
            file_name: file_name
                .map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()),
        };
        options.add_query(request.query_string(), policy)?;
        Ok(options)
    }

    fn add_query(&mut self, query: &str, policy: ExpiryPolicy) -> Result<(), ApiError> {
        let (mut expires, mut language, mut title) = (None, None, None);
        let (mut reads, mut secret) = (None, None);
        for (name, value) in query_pairs(query)? {
            let (place, name) = match &*name {
                "expires" => (&mut expires, "expires"),
                "lang" => (&mut language, "lang"),
                "title" => (&mut title, "title"),
                "burn" => (&mut reads, "burn"),
                "password" => (&mut secret, "password"),
                unknown => return Err(FormError::unknown_option(unknown).into()),
            };
            if place.replace(value.into_owned()).is_some() {
                return Err(FormError::RepeatedField(name).into());
            }
        }
        self.expiry = expiry(expires, policy)?.or(self.expiry);
        self.language = given(language).or(self.language.take());
        self.title = given(title).or(self.title.take());
        if let Some(reads) = reads {
            self.burn = Some(burn(&reads)?);
        }
        if let Some(secret) = secret {
            self.password = Some(password(one_line(secret.as_bytes()))?);
        }
        Ok(())
    }

    /// These options, overridden by those of a form. What is empty in a browser's was left out: it sends every field.
    /// From anybody else an empty password is a mistake that would publish something.
    pub(crate) fn with_form(
        self,
        form: &mut SaveForm<'_>,
        policy: ExpiryPolicy,
        format: ResponseFormat,
    ) -> Result<Self, ApiError> {
        let is_meant = |is_empty: bool| format != ResponseFormat::Html || !is_empty;
        let reads = form.burn.take().filter(|it| is_meant(it.is_empty()));
        let secret = form.password.take().filter(|it| is_meant(it.is_empty()));
        Ok(Self {
            burn: reads.map(|it| burn(&it)).transpose()?.or(self.burn),
            password: secret
                .map(|it| password(&it))
                .transpose()?
                .or(self.password),
            expiry: expiry(form.expires.take(), policy)?.or(self.expiry),
            language: given(form.language.take()).or(self.language),
            title: given(form.title.take()).or(self.title),
            file_name: given(form.file_name.take()).or(self.file_name),
        })
    }

    /// How long the paste stays.
    pub(crate) fn expiry(&self, policy: ExpiryPolicy) -> Expiry {
        self.expiry.unwrap_or(policy.default_expiry())
    }

    /// How long it stays, if that was said.
    pub(crate) fn given_expiry(&self) -> Option<Expiry> {
        self.expiry
    }

    /// How often it may be read, if that was said.
    pub(crate) fn burn(&self) -> Option<ReadsLeft> {
        self.burn
    }

    /// What it is to be sealed under, if it is.
    pub(crate) fn password(&self) -> Option<Password> {
        self.password.clone()
    }

    /// Refuses what would keep others from reading: for what everybody may read.
    pub(crate) fn refuse_secrecy(&self) -> Result<(), OptionError> {
        match self {
            Self { burn: Some(_), .. } => Err(OptionError::LinkBurns),
            Self {
                password: Some(_), ..
            } => Err(OptionError::LinkLocked),
            Self { .. } => Ok(()),
        }
    }

    /// Its title: as given, else the file's name.
    pub(crate) fn title(&self) -> Option<Title> {
        let given = self.title.as_deref().and_then(Title::new);
        given.or_else(|| self.file_name.as_deref().and_then(Title::from_file_name))
    }

    /// Its language: as told, else by its content; plain text if neither is known.
    pub(crate) fn language(&self, content: &[u8]) -> Language {
        match self.told_language() {
            Some(given) if self.language.is_some() => given,
            Some(named) => named.or_terminal_output(content),
            None => Language::of_content(content).unwrap_or(Language::PLAIN),
        }
    }

    /// The language as given, plain text if unknown; else what the file's name or the title tells.
    pub(crate) fn told_language(&self) -> Option<Language> {
        match &self.language {
            Some(name) => Some(Language::named(name.trim()).unwrap_or(Language::PLAIN)),
            None => [&self.file_name, &self.title]
                .into_iter()
                .flatten()
                .find_map(|name| Language::of_file(name)),
        }
    }
}

/// The decoded pairs of a query. Refused if a `%` starts no code or the text is not UTF-8: what is read otherwise than
/// it was meant is worse than what is refused.
pub(crate) fn query_pairs(
    query: &str,
) -> Result<impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)>, ApiError> {
    let is_code = |rest: &str| {
        rest.as_bytes()
            .get(..2)
            .is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    };
    let well_formed =
        query.split('%').skip(1).all(is_code) && percent_decode_str(query).decode_utf8().is_ok();
    well_formed
        .then(|| form_urlencoded::parse(query.as_bytes()))
        .ok_or(ApiError::BadQuery)
}

/// The password of a request, if its header has one; its exact bytes.
pub(crate) fn header_password(request: &HttpRequest) -> Result<Option<Password>, ApiError> {
    let mut values = request.headers().get_all(X_PASSWORD);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => Ok(Some(password(value.as_bytes())?)),
        (Some(_), Some(_)) => Err(FormError::RepeatedField("password").into()),
    }
}

/// The password of these bytes.
pub(crate) fn password(bytes: &[u8]) -> Result<Password, OptionError> {
    Password::new(bytes).map_err(OptionError::Password)
}

/// Digits alone, of a number that may be asked for.
fn burn(text: &str) -> Result<ReadsLeft, OptionError> {
    let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let reads = digits.and_then(|digits| digits.parse().ok());
    reads.and_then(ReadsLeft::new).ok_or(OptionError::Reads)
}

/// The value of a header, replaced where it is not UTF-8.
fn header(
    request: &HttpRequest,
    name: HeaderName,
    option: &'static str,
) -> Result<Option<String>, ApiError> {
    let mut values = request.headers().get_all(name);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => Ok(Some(String::from_utf8_lossy(value.as_bytes()).into_owned())),
        (Some(_), Some(_)) => Err(FormError::RepeatedField(option).into()),
    }
}

/// What the headers say of how long it shall stay, under any of their names; refused if they disagree.
fn header_expiry(request: &HttpRequest) -> Result<Option<String>, ApiError> {
    let mut said = None;
    for name in LIFETIME {
        let Some(text) = header(request, name, "expires")? else {
            continue;
        };
        if said.as_ref().is_some_and(|said| *said != text) {
            return Err(FormError::RepeatedField("expires").into());
        }
        said = Some(text);
    }
    Ok(said)
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

pub(crate) fn expiry(
    text: Option<String>,
    policy: ExpiryPolicy,
) -> Result<Option<Expiry>, ApiError> {
    let Some(text) = given(text) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(expiry) if policy.allows(expiry) => Ok(Some(expiry)),
        Ok(_) | Err(ExpiryError::Overflow) => Err(ApiError::TooLong(policy.longest())),
        Err(error) => Err(ApiError::BadExpiry(error)),
    }
}
