//! Reading: a paste as a page, as its bytes, or as a file; a short link leads on.
//!
//! Invariants: bytes are exactly those saved. Content that a browser would run is never named as such: text is
//! `text/plain`, the rest an octet stream. HEAD and 304 leave no trace.

mod bytes;
mod page;
mod protected;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};

use crate::config::Redirect;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{ByteRange, Method, PasteAddress, ResponseFormat, query};
use crate::http::response::{NO_STORE, TEXT, etag, link_page};
use crate::paste::{Access, Language, LineRange, Password, Paste, PasteId, StoredPaste};
use crate::render::RenderKey;
use page::Reading;

/// The form in which a paste is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// A page for a client that reads HTML, else the bytes.
    Negotiated,
    /// The bytes.
    Raw,
    /// The bytes, to be stored as a file.
    Download,
}

/// `GET` and `HEAD` of `/{id}`.
pub(crate) async fn negotiated(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    get(context, Representation::Negotiated).await
}

/// `GET` and `HEAD` of `/raw/{id}`.
pub(crate) async fn raw(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    get(context, Representation::Raw).await
}

/// `GET` and `HEAD` of `/dl/{id}`.
pub(crate) async fn download(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    get(context, Representation::Download).await
}

/// A `POST` that asks for nothing but to read. Of a paste that everybody may read it is the same as a GET.
pub(crate) async fn post(
    context: &RequestContext<'_>,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let address = context.request.address();
    let id = context.id(address.id)?;
    let stored = context.peek(id)?;
    match stored.access() {
        Access::Open | Access::Link => get(context, representation).await,
        Access::Burn(_) | Access::Locked(_) => {
            protected::open(context, id, address, stored, representation, password).await
        }
    }
}

/// What may yet refuse the read, or answer it without one, is judged before by a look that leaves no trace.
async fn get(
    context: &RequestContext<'_>,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let address = request.address();
    let id = context.id(address.id)?;
    let lines = query::lines(request.query())?;
    let as_page = representation.is_page(request.format);
    if let Some(answer) = answer_without_read(context, id, lines, as_page)? {
        return Ok(answer);
    }
    let base_url = as_page
        .then(|| context.state.base_url(&request))
        .transpose()?;
    let stored = context.read(id)?;
    match stored.access() {
        Access::Open => {}
        Access::Link if representation != Representation::Negotiated => {}
        Access::Link => return follow(context, id, address, stored),
        Access::Burn(_) | Access::Locked(_) => {
            let looking = protected::look(context, id, address, stored, representation);
            // Rare, and large: the usual read does not carry it.
            return Box::pin(looking).await;
        }
    }
    if let Some(base_url) = base_url {
        let reading = reading(context, id, address, stored, &base_url, lines)?;
        return page::page(context, reading).await;
    }
    let paste = stored.open().map_err(ApiError::protected)?;
    bytes::bytes(context, address, &paste, lines, representation).await
}

/// The answer that needs no read: the client has the bytes already, or asks for lines or bytes past their end.
fn answer_without_read(
    context: &RequestContext<'_>,
    id: PasteId,
    lines: Option<LineRange>,
    as_page: bool,
) -> Result<Option<HttpResponse>, ApiError> {
    let conditions = context.request.conditions;
    if lines.is_none() && (as_page || !conditions.any_of_read()) {
        return Ok(None);
    }
    let seen = context.peek(id)?;
    let (Access::Open, Ok(seen)) = (seen.access(), seen.open()) else {
        // Lines and tags are of content that is read, not of what is protected or leads elsewhere.
        return Ok(None);
    };
    let length = bytes::selection(&seen, lines)?.len();
    if as_page {
        return Ok(None);
    }
    let etag = etag(&seen);
    if conditions.is_known(&etag) {
        return Ok(Some(bytes::not_modified(&etag)));
    }
    match conditions.byte_range(&etag, length) {
        ByteRange::Whole | ByteRange::Part(_) => Ok(None),
        ByteRange::PastTheEnd => Err(ApiError::NoSuchRange(length)),
    }
}

/// The paste for a reader of its page.
fn reading(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    base_url: &str,
    lines: Option<LineRange>,
) -> Result<Reading, ApiError> {
    let may_delete = context.owner_cookie(stored.token()).is_some();
    let paste: Paste = stored.open().map_err(ApiError::protected)?;
    let language = address.language.unwrap_or(paste.language());
    Ok(Reading {
        id,
        text: address.id.to_owned(),
        url: format!("{base_url}/{}", address.id),
        shape: shape_of(context, language, lines)?,
        highlighted: lines,
        may_delete,
        paste,
    })
}

/// How a page shows a paste of this language. Lines are marked where there are lines.
fn shape_of(
    context: &RequestContext<'_>,
    language: Language,
    highlighted: Option<LineRange>,
) -> Result<RenderKey, ApiError> {
    let shape = RenderKey::new(language, query::asks_for_source(context.request.query())?);
    Ok(match highlighted {
        Some(_) => shape.with_lines(),
        None => shape,
    })
}

/// Leads on, or shows where a link leads. A GET counts as a click, a HEAD does not.
fn follow(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let state = context.state;
    if context.request.method != Method::Head {
        state.app.consume(context.now(), id, &stored)?;
    }
    match state.redirect {
        Redirect::Preview => link_page(context, address.id, stored),
        Redirect::Direct | Redirect::Off => {
            let link = stored.open().map_err(ApiError::protected)?;
            let target = link.text().unwrap_or_default();
            Ok(HttpResponse::Found()
                .insert_header((LOCATION, target))
                .insert_header((CACHE_CONTROL, NO_STORE))
                .insert_header((CONTENT_TYPE, TEXT))
                .body(format!("{target}\n")))
        }
    }
}

impl Representation {
    /// Whether a client that reads this format gets a page.
    fn is_page(self, format: ResponseFormat) -> bool {
        self == Self::Negotiated && format == ResponseFormat::Html
    }
}
