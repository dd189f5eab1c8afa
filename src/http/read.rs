//! Reading: a paste as a page, as its bytes, or as a file.
//!
//! What it must not know: how a page is made.
//! Invariants: the bytes are exactly those saved; what a browser would run is never named as such: text is
//! `text/plain`, the rest an octet stream; HEAD and 304 leave no trace.

use std::ops::Range;

use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, COOKIE, ETAG,
    HeaderValue,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};

use super::answer::ContentBody;
use super::conditional::{self, ByteRange};
use super::disposition::attachment;
use super::headers::{HTML, NO_CACHE, OCTETS, PRIVATE, TEXT};
use super::negotiation::Wants;
use super::options::query_pairs;
use super::problem::Problem;
use super::service::Service;
use crate::paste::{Encoding, Language, LineRange, Paste, PasteId, TokenHash};
use crate::store::Absent;
use crate::view::{self, PastePage};

/// As what a paste is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A page for who names HTML, else the bytes.
    Negotiated,
    /// The bytes.
    Raw,
    /// The bytes, to be stored as a file.
    Download,
}

/// A paste's address, taken apart.
struct Address<'a> {
    id: PasteId,
    /// The id as it was written, which is the only way it can be written.
    text: &'a str,
    /// The language that an ending asks for; none if there is no ending, or an unknown one.
    language: Option<Language>,
}

/// `GET` and `HEAD` of `/{id}`, `/raw/{id}` and `/dl/{id}`.
///
/// Whatever may yet refuse the read, or answer it without one, is judged before by a look that leaves no trace.
pub(crate) fn read(
    service: &Service,
    request: &HttpRequest,
    segment: &str,
    shape: Shape,
) -> Result<HttpResponse, Problem> {
    let address = Address::parse(service, segment)?;
    let lines = lines(request)?;
    if shape == Shape::Negotiated && Wants::of(request.headers()) == Wants::Html {
        let url = format!("{}/{}", service.base_url(request)?, address.text);
        if lines.is_some() {
            selection(&service.store.peek(service.now(), address.id)?, lines)?;
        }
        let paste = find(service, request, address.id)?;
        return Ok(page(service, request, &address, &paste, &url, lines));
    }
    if lines.is_some() || conditional::is_conditional(request) {
        let paste = service.store.peek(service.now(), address.id)?;
        if let Some(not_modified) = judge(request, &paste, lines)? {
            return Ok(not_modified);
        }
    }
    let paste = find(service, request, address.id)?;
    bytes(request, &address, &paste, lines, shape)
}

/// Refuses what lies past the end, and answers who has the bytes already.
fn judge(
    request: &HttpRequest,
    paste: &Paste,
    lines: Option<LineRange>,
) -> Result<Option<HttpResponse>, Problem> {
    let length = selection(paste, lines)?.len();
    let etag = conditional::etag(paste);
    if conditional::is_known(request, &etag) {
        return Ok(Some(not_modified(&etag)));
    }
    match conditional::byte_range(request, &etag, length) {
        ByteRange::Whole | ByteRange::Part(_) => Ok(None),
        ByteRange::PastTheEnd => Err(Problem::NoSuchRange(length)),
    }
}

/// Where the lines asked for lie; all of the bytes if none were.
fn selection(paste: &Paste, lines: Option<LineRange>) -> Result<Range<usize>, Problem> {
    match lines {
        Some(lines) => lines.find_in(paste.bytes()).ok_or(Problem::NoSuchLines),
        None => Ok(0..paste.bytes().len()),
    }
}

/// Looks the paste up; only a GET is a read.
pub(crate) fn find(service: &Service, request: &HttpRequest, id: PasteId) -> Result<Paste, Absent> {
    if request.method() == Method::HEAD {
        service.store.peek(service.now(), id)
    } else {
        service.store.find(service.now(), id)
    }
}

impl<'a> Address<'a> {
    fn parse(service: &Service, segment: &'a str) -> Result<Self, Problem> {
        let (text, ending) = match segment.split_once('.') {
            Some((text, ending)) => (text, Some(ending)),
            None => (segment, None),
        };
        let id = service.ids.decode(text).ok_or(Problem::Missing)?;
        let language = ending.and_then(Language::named);
        Ok(Self { id, text, language })
    }
}

/// The id in a segment, ending or none.
pub(crate) fn id_of(service: &Service, segment: &str) -> Result<PasteId, Problem> {
    Address::parse(service, segment).map(|address| address.id)
}

/// The range of lines asked for. Other names in the query of a read are nobody's: readers of other pastebins append
/// what theirs understands.
fn lines(request: &HttpRequest) -> Result<Option<LineRange>, Problem> {
    if request.query_string().is_empty() {
        return Ok(None);
    }
    let mut ranges = query_pairs(request.query_string())?.filter(|(name, _)| name == "lines");
    match (ranges.next(), ranges.next()) {
        (None, _) => Ok(None),
        (Some((_, range)), None) => range.parse().map(Some).map_err(|_| Problem::BadLines),
        (Some(_), Some(_)) => Err(Problem::BadLines),
    }
}

fn page(
    service: &Service,
    request: &HttpRequest,
    address: &Address<'_>,
    paste: &Paste,
    url: &str,
    marked: Option<LineRange>,
) -> HttpResponse {
    let now = service.now();
    let deadline = paste.deadline().moment();
    let owns = |token| paste.token().matches(&TokenHash::of(token));
    let html = view::paste(&PastePage {
        id: address.text,
        url,
        paste,
        language: address.language.unwrap_or(paste.language()),
        age: now.since(paste.saved()),
        expires_in: deadline.map(|deadline| deadline.since(now)),
        expires_at: deadline.map(|deadline| service.epoch_millis(deadline)),
        marked,
        may_delete: cookie_token(request).is_some_and(owns),
    });
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((CONTENT_TYPE, HTML))
        .body(html)
}

/// The token that a browser got when it saved this paste, in the cookie that it sends to this paste alone.
pub(crate) fn cookie_token(request: &HttpRequest) -> Option<&str> {
    let cookies = request
        .headers()
        .get_all(COOKIE)
        .flat_map(|value| value.to_str());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .find_map(|cookie| cookie.trim().strip_prefix("token="))
}

fn not_modified(etag: &HeaderValue) -> HttpResponse {
    HttpResponse::NotModified()
        .insert_header((ETAG, etag.clone()))
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .finish()
}

fn bytes(
    request: &HttpRequest,
    address: &Address<'_>,
    paste: &Paste,
    lines: Option<LineRange>,
    shape: Shape,
) -> Result<HttpResponse, Problem> {
    let selected = selection(paste, lines)?;
    let etag = conditional::etag(paste);
    let range = conditional::byte_range(request, &etag, selected.len());
    let (status, part) = match range {
        ByteRange::Whole => (StatusCode::OK, selected.clone()),
        ByteRange::Part(ref part) => (
            StatusCode::PARTIAL_CONTENT,
            selected.start + part.start..selected.start + part.end,
        ),
        ByteRange::PastTheEnd => return Err(Problem::NoSuchRange(selected.len())),
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
    if shape == Shape::Download {
        answer.insert_header((CONTENT_DISPOSITION, attachment(paste, address.text)));
    }
    Ok(answer.body(ContentBody::new(paste.bytes(), part)))
}

fn content_type(encoding: Encoding) -> HeaderValue {
    match encoding {
        Encoding::Utf8 => TEXT,
        Encoding::Binary => OCTETS,
    }
}

impl From<Absent> for Problem {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Unknown => Self::Missing,
            Absent::Gone(reason) => Self::Gone(reason),
        }
    }
}
