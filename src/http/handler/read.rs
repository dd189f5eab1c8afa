//! Reading: a paste as a page, as its bytes, or as a file.
//!
//! What it must not know: how a page is made.
//! Invariants: the bytes are exactly those saved; what a browser would run is never named as such: text is
//! `text/plain`, the rest an octet stream; HEAD and 304 leave no trace; what is not for every look is not answered here.

use std::ops::Range;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, ETAG,
    HeaderValue,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::paste_page::{Reading, page};
use crate::http::handler::{link, protected};
use crate::http::request::conditions::{self, ByteRange};
use crate::http::request::format::ResponseFormat;
use crate::http::request::options::query_pairs;
use crate::http::request::owner::has_cookie;
use crate::http::response::disposition::attachment;
use crate::http::response::headers::{NO_CACHE, OCTETS, TEXT};
use crate::http::transfer::response_body::content;
use crate::overload::Priority;
use crate::paste::{Access, Encoding, Language, LineRange, Paste, PasteId, StoredPaste};
use crate::render::Shape;
use crate::store::{ConsumeError, NotFound};

/// As what a paste is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// A page for who names HTML, else the bytes.
    Negotiated,
    /// The bytes.
    Raw,
    /// The bytes, to be stored as a file.
    Download,
}

impl Representation {
    /// Whether this request is answered with a page.
    pub(crate) fn is_page(self, request: &HttpRequest) -> bool {
        self == Self::Negotiated && ResponseFormat::of(request.headers()) == ResponseFormat::Html
    }
}

/// A paste's address, taken apart.
pub(crate) struct Address<'a> {
    pub(crate) id: PasteId,
    /// The last segment of its path as it was written.
    pub(crate) segment: &'a str,
    /// The id as it was written, which is the only way it can be written.
    pub(crate) text: &'a str,
    /// The language that an ending asks for; none if there is no ending, or an unknown one.
    pub(crate) language: Option<Language>,
}

/// `GET` and `HEAD` of `/{id}`, `/raw/{id}` and `/dl/{id}`.
///
/// Whatever may yet refuse the read, or answer it without one, is judged before by a look that leaves no trace.
pub(crate) async fn read(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let address = Address::parse(context, segment)?;
    let lines = lines(request)?;
    let as_page = representation.is_page(request);
    if let Some(answered) = answered_by_look(context, request, address.id, lines, as_page)? {
        return Ok(answered);
    }
    let base_url = as_page
        .then(|| context.service.base_url(request))
        .transpose()?;
    let found = found(context, request, address.id)?;
    match found.access() {
        Access::Open => {}
        Access::Link if representation != Representation::Negotiated => {}
        Access::Link => return link::follow(context, request, &address, found),
        Access::Burn(_) | Access::Locked(_) => {
            let looking = protected::look(context, request, &address, found, representation);
            // Seldom, and large: the usual read does not carry it.
            return Box::pin(looking).await;
        }
    }
    if let Some(base_url) = base_url {
        let reading = reading(request, &address, found, &base_url, lines)?;
        return page(context, request, reading).await;
    }
    let paste = found.open().map_err(ApiError::closed)?;
    bytes(context, request, &address, &paste, lines, representation).await
}

/// The answer that needs no read: who has the bytes already, or asks for what lies past their end.
fn answered_by_look(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    id: PasteId,
    lines: Option<LineRange>,
    as_page: bool,
) -> Result<Option<HttpResponse>, ApiError> {
    if lines.is_none() && (as_page || !conditions::is_conditional(request)) {
        return Ok(None);
    }
    let seen = context.peek(id)?;
    match (seen.access(), seen.open()) {
        (Access::Open, Ok(seen)) if as_page => selection(&seen, lines).map(|_| None),
        (Access::Open, Ok(seen)) => judge(request, &seen, lines),
        // Lines and tags are of what is read, not of what is closed or leads elsewhere.
        (_, _) => Ok(None),
    }
}

/// The paste for a reader of its page.
fn reading(
    request: &HttpRequest,
    address: &Address<'_>,
    found: StoredPaste,
    base_url: &str,
    lines: Option<LineRange>,
) -> Result<Reading, ApiError> {
    let may_delete = has_cookie(request, found.token());
    let paste = found.open().map_err(ApiError::closed)?;
    let language = address.language.unwrap_or(paste.language());
    Ok(Reading {
        id: address.id,
        text: address.text.to_owned(),
        url: format!("{base_url}/{}", address.text),
        shape: shape_of(request, language, lines)?,
        marked: lines,
        may_delete,
        paste,
    })
}

/// Refuses what lies past the end, and answers who has the bytes already.
fn judge(
    request: &HttpRequest,
    paste: &Paste,
    lines: Option<LineRange>,
) -> Result<Option<HttpResponse>, ApiError> {
    let length = selection(paste, lines)?.len();
    let etag = conditions::etag(paste);
    if conditions::is_known(request, &etag) {
        return Ok(Some(not_modified(&etag)));
    }
    match conditions::byte_range(request, &etag, length) {
        ByteRange::Whole | ByteRange::Part(_) => Ok(None),
        ByteRange::PastTheEnd => Err(ApiError::NoSuchRange(length)),
    }
}

/// Where the lines asked for lie; all of the bytes if none were.
fn selection(paste: &Paste, lines: Option<LineRange>) -> Result<Range<usize>, ApiError> {
    match lines {
        Some(lines) => lines.find_in(paste.bytes()).ok_or(ApiError::NoSuchLines),
        None => Ok(0..paste.bytes().len()),
    }
}

/// Looks the paste up, if whoever has the id may read it; only a GET is a read.
pub(crate) fn find(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    id: PasteId,
) -> Result<Paste, ApiError> {
    let found = found(context, request, id)?;
    found.open().map_err(ApiError::closed)
}

fn found(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    id: PasteId,
) -> Result<StoredPaste, NotFound> {
    match *request.method() {
        Method::HEAD => context.peek(id),
        _ => context.find(id),
    }
}

/// The paste, if whoever has the id may read it, with no trace of having been looked at.
pub(crate) fn look(context: &RequestContext<'_>, id: PasteId) -> Result<Paste, ApiError> {
    context.peek(id)?.open().map_err(ApiError::closed)
}

impl<'a> Address<'a> {
    pub(crate) fn parse(context: &RequestContext<'_>, segment: &'a str) -> Result<Self, ApiError> {
        let (text, ending) = match segment.split_once('.') {
            Some((text, ending)) => (text, Some(ending)),
            None => (segment, None),
        };
        let id = context.id(text)?;
        let language = ending.and_then(Language::named);
        Ok(Self {
            id,
            segment,
            text,
            language,
        })
    }
}

/// The id in a segment, ending or none.
pub(crate) fn id_of(context: &RequestContext<'_>, segment: &str) -> Result<PasteId, ApiError> {
    Address::parse(context, segment).map(|address| address.id)
}

/// The range of lines asked for. Other names in the query of a read are nobody's: readers of other pastebins append
/// what theirs understands.
fn lines(request: &HttpRequest) -> Result<Option<LineRange>, ApiError> {
    if request.query_string().is_empty() {
        return Ok(None);
    }
    let mut ranges = query_pairs(request.query_string())?.filter(|(name, _)| name == "lines");
    match (ranges.next(), ranges.next()) {
        (None, _) => Ok(None),
        (Some((_, range)), None) => range.parse().map(Some).map_err(|_| ApiError::BadLines),
        (Some(_), Some(_)) => Err(ApiError::BadLines),
    }
}

/// As what a page shows a paste of this language. Lines are marked where there are lines.
pub(crate) fn shape_of(
    request: &HttpRequest,
    language: Language,
    marked: Option<LineRange>,
) -> Result<Shape, ApiError> {
    let mut query = query_pairs(request.query_string())?;
    let asks_for_source = query.any(|(name, value)| name == "view" && value == "source");
    let shape = Shape::new(language, asks_for_source);
    Ok(match marked {
        Some(_) => shape.with_lines(),
        None => shape,
    })
}

fn not_modified(etag: &HeaderValue) -> HttpResponse {
    HttpResponse::NotModified()
        .insert_header((ETAG, etag.clone()))
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .finish()
}

async fn bytes(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    paste: &Paste,
    lines: Option<LineRange>,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let selected = selection(paste, lines)?;
    let etag = conditions::etag(paste);
    let range = conditions::byte_range(request, &etag, selected.len());
    let (status, part) = match range {
        ByteRange::Whole => (StatusCode::OK, selected.clone()),
        ByteRange::Part(ref part) => (
            StatusCode::PARTIAL_CONTENT,
            selected.start + part.start..selected.start + part.end,
        ),
        ByteRange::PastTheEnd => return Err(ApiError::NoSuchRange(selected.len())),
    };
    let mut answer = HttpResponse::build(status);
    answer
        .insert_header((CONTENT_TYPE, content_type(paste.encoding())))
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .insert_header((ACCEPT_RANGES, HeaderValue::from_static("bytes")))
        .insert_header((ETAG, etag));
    if let ByteRange::Part(part) = range {
        let (first, last) = (part.start, part.end - 1);
        answer.insert_header((
            CONTENT_RANGE,
            format!("bytes {first}-{last}/{}", selected.len()),
        ));
    }
    if representation == Representation::Download {
        answer.insert_header((CONTENT_DISPOSITION, attachment(paste, address.text)));
    }
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes())).slice(part);
    Ok(answer.body(match *request.method() {
        // Its body is never sent.
        Method::HEAD => BoxBody::new(bytes),
        _ => content(context, Priority::Read, bytes).await?,
    }))
}

pub(crate) fn content_type(encoding: Encoding) -> HeaderValue {
    match encoding {
        Encoding::Utf8 => TEXT,
        Encoding::Binary => OCTETS,
    }
}

impl From<ConsumeError> for ApiError {
    fn from(not_read: ConsumeError) -> Self {
        match not_read {
            ConsumeError::NotFound(absent) => absent.into(),
            ConsumeError::Changed => Self::Changed,
        }
    }
}

impl From<NotFound> for ApiError {
    fn from(absent: NotFound) -> Self {
        match absent {
            NotFound::Unknown => Self::Missing,
            NotFound::Gone(reason) => Self::Gone(reason),
        }
    }
}
