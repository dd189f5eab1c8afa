//! `/record`: the JSON API of the pastebin server of 2019 that preceded this one.
//!
//! Invariants: responses and errors have the fields and codes that its clients know, and also the headers of every save
//! (X-Token, X-Expires). The body is parsed as JSON whatever its content type is. An unknown member or option is
//! rejected, so a paste meant to burn or to be protected is not published.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::{Deserialize, Serialize};

use super::fields::{self, too_many_seconds};
use super::haste::{key_response, restricted};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::Header;
use crate::http::request::json::without_bom;
use crate::http::request::{Method, Request, has_options};
use crate::http::response::{JSON, NO_STORE, PRIVATE, respond};
use crate::http::transfer::{json_body, made_body};
use crate::overload::Priority;
use crate::paste::{Access, Content, Draft, Expiry, Language, Title};

/// The body of a save.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRecord {
    title: String,
    lang: String,
    content: String,
    /// The lifetime in seconds.
    expiration: u64,
}

#[derive(Serialize)]
struct Record<'a> {
    title: &'a str,
    lang: &'a str,
    content: &'a str,
    /// The time of the save, in seconds since 1970.
    saving_time: u64,
    /// Seconds from the save to the expiry; zero if the paste never expires.
    expiration: u64,
    /// The number of reads, this one included.
    view_count: u32,
}

/// An error of this API: a code of the old API, and the status and message of this server.
pub(crate) struct Failure {
    status: StatusCode,
    code: u16,
    message: String,
    headers: Vec<Header>,
}

const BAD_KEY: u16 = 1001;
const NO_RECORD: u16 = 1002;
const BAD_EXPIRATION: u16 = 1003;
const BAD_CONTENT: u16 = 1004;

const INVALID_KEY: &str = "The key in the URL is not valid. Check it for typos.";
const NOT_A_RECORD: &str = "The body is not a record: JSON with only `title`, `lang`, `content` and `expiration` in seconds. To protect a paste, \
     use `curl -F file=@FILE -F 'password=<pw.txt' URL`, and to burn it, `-F burn=1`.";
const NOT_TEXT: &str = "This paste is not text. Replace `/record/` in its URL with `/raw/`.";
const ZERO_EXPIRATION: &str =
    "`expiration` is zero. Send the number of seconds until the paste expires.";

/// `POST /record`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, Failure> {
    let (request, limits) = (context.request, context.state.app.limits());
    if !request.query().is_empty() || has_options(request.headers()) {
        return Err(Failure::bad_content(NOT_A_RECORD));
    }
    let max = limits.max_paste_size;
    let body = json_body(context).await?;
    // An array would be read as the members in their order.
    let record = Some(without_bom(&body)).filter(|body| body.trim_ascii_start().starts_with(b"{"));
    let record: Option<NewRecord> = record.and_then(|body| serde_json::from_slice(body).ok());
    let record = record.ok_or_else(|| Failure::bad_content(NOT_A_RECORD))?;
    let sent = Expiry::from_seconds(record.expiration).ok();
    let too_long = |longest| too_many_seconds("expiration", longest);
    let expiry = fields::expiry(sent, limits.expiry_policy, ZERO_EXPIRATION, too_long)
        .map_err(|message| Failure::bad_expiration(message.into_owned()))?;
    let draft = Draft {
        slug: None,
        content: Content::from_text(&record.content, max)
            .map_err(|error| ApiError::content(error, max))?,
        title: Title::new(&record.title),
        language: Some(Language::from_name(&record.lang).unwrap_or(Language::PLAIN)),
        expiry,
    };
    let created = context.create(draft, Access::Open).await?;
    Ok(key_response(context, &created))
}

/// `GET` and `HEAD` of `/record/{key}`.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, Failure> {
    let key = context.request.address().id;
    let id = context.id(key).map_err(|error| match error {
        ApiError::Missing => Failure::bad_key(),
        error => error.into(),
    })?;
    let paste = context.peek(id).await?.open().map_err(Failure::protected)?;
    let content = paste.text().ok_or_else(Failure::not_text)?;
    let is_view = paste.counts_on_get() && context.request.method == Method::Get;
    if is_view {
        context.count_read(id);
    }
    let expiry = paste
        .deadline()
        .timestamp()
        .map_or(0, |deadline| deadline.since(paste.saved()).as_secs());
    let record = Record {
        title: paste.title().map(Title::as_str).unwrap_or_default(),
        lang: paste.language().name(),
        content,
        saving_time: paste.saved().as_millis() / 1000,
        expiration: expiry,
        view_count: paste.reads().saturating_add(is_view.into()),
    };
    let make = || serde_json::to_string(&record).map_err(|_| ApiError::Unavailable);
    let estimate = content.len().saturating_mul(2);
    let body = made_body(context, Priority::Read, estimate, make).await?;
    Ok(respond(StatusCode::OK, JSON, PRIVATE).body(body))
}

/// Every message of this API that is not the sentence of an [`ApiError`].
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    let fixed = [INVALID_KEY, NOT_A_RECORD, NOT_TEXT, ZERO_EXPIRATION];
    let longest = Expiry::from_seconds(86_400).unwrap_or(Expiry::Never);
    let fixed = fixed.map(str::to_owned).into_iter();
    fixed
        .chain([too_many_seconds("expiration", longest)])
        .collect()
}

impl Failure {
    fn bad_key() -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code: BAD_KEY,
            message: INVALID_KEY.to_owned(),
            headers: Vec::new(),
        }
    }

    fn bad_expiration(message: String) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code: BAD_EXPIRATION,
            message,
            headers: Vec::new(),
        }
    }

    fn bad_content(message: &str) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code: BAD_CONTENT,
            message: message.to_owned(),
            headers: Vec::new(),
        }
    }

    /// A record cannot be read if its paste burns or has a password.
    fn protected(access: Access) -> Self {
        Self {
            message: restricted(access, "/record"),
            ..ApiError::protected(access).into()
        }
    }

    /// The content is binary. A record holds text, so the bytes would not survive the round trip.
    fn not_text() -> Self {
        Self {
            status: StatusCode::NOT_ACCEPTABLE,
            code: BAD_CONTENT,
            message: NOT_TEXT.to_owned(),
            headers: Vec::new(),
        }
    }

    /// The response; this protocol has one format.
    pub(crate) fn into_response(self, _: &Request<'_>) -> HttpResponse {
        let Self {
            status,
            code,
            message,
            headers,
        } = self;
        let mut response = HttpResponse::build(status);
        for header in headers {
            response.insert_header(header);
        }
        response
            .insert_header((CACHE_CONTROL, NO_STORE))
            .insert_header((CONTENT_TYPE, JSON))
            .body(serde_json::json!({ "code": code, "message": message }).to_string())
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        let code = match error {
            ApiError::Missing | ApiError::Gone(_) => NO_RECORD,
            _ => BAD_CONTENT,
        };
        let row = error.row();
        Self {
            status: row.status,
            code,
            message: row.sentence.into_owned(),
            headers: row.headers,
        }
    }
}
