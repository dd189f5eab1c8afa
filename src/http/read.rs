//! Reading: a paste as a page, as its bytes, or as a file.
//!
//! What it must not know: how a page is made.
//! Invariants: the bytes are exactly those saved; what a browser would run is never named as such: text is
//! `text/plain`, the rest an octet stream; HEAD and 304 leave no trace.

use std::ops::Range;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, COOKIE, ETAG,
    HeaderValue,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use super::answer::content;
use super::asker::Asker;
use super::conditional::{self, ByteRange};
use super::disposition::attachment;
use super::headers::{NO_CACHE, OCTETS, TEXT};
use super::negotiation::Wants;
use super::options::query_pairs;
use super::paste_page::{Reading, page};
use super::problem::Problem;
use crate::limit::Class;
use crate::paste::{Encoding, Language, LineRange, Paste, PasteId, TokenHash};
use crate::store::Absent;
use crate::view::Shape;

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
pub(crate) async fn read(
    asker: &Asker<'_>,
    request: &HttpRequest,
    segment: &str,
    representation: Representation,
) -> Result<HttpResponse, Problem> {
    let service = asker.service;
    let address = Address::parse(asker, segment)?;
    let lines = lines(request)?;
    if representation == Representation::Negotiated && Wants::of(request.headers()) == Wants::Html {
        let url = format!("{}/{}", service.base_url(request)?, address.text);
        if lines.is_some() {
            selection(&look(asker, address.id)?, lines)?;
        }
        let paste = find(asker, request, address.id)?;
        let owns = |token: &str| paste.token().matches(&TokenHash::of(token));
        let reading = Reading {
            id: address.id,
            text: address.text.to_owned(),
            url,
            shape: shape_of(request, address.language.unwrap_or(paste.language()), lines)?,
            marked: lines,
            may_delete: cookie_token(request).is_some_and(owns),
            paste,
        };
        return page(asker, request, reading).await;
    }
    if lines.is_some() || conditional::is_conditional(request) {
        let paste = look(asker, address.id)?;
        if let Some(not_modified) = judge(request, &paste, lines)? {
            return Ok(not_modified);
        }
    }
    let paste = find(asker, request, address.id)?;
    bytes(asker, request, &address, &paste, lines, representation).await
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

/// Looks the paste up, if whoever has the id may read it; only a GET is a read.
pub(crate) fn find(
    asker: &Asker<'_>,
    request: &HttpRequest,
    id: PasteId,
) -> Result<Paste, Problem> {
    let found = match *request.method() {
        Method::HEAD => asker.peek(id)?,
        _ => asker.find(id)?,
    };
    found.open().map_err(Problem::Closed)
}

/// The paste, if whoever has the id may read it, with no trace of having been looked at.
pub(crate) fn look(asker: &Asker<'_>, id: PasteId) -> Result<Paste, Problem> {
    asker.peek(id)?.open().map_err(Problem::Closed)
}

impl<'a> Address<'a> {
    fn parse(asker: &Asker<'_>, segment: &'a str) -> Result<Self, Problem> {
        let (text, ending) = match segment.split_once('.') {
            Some((text, ending)) => (text, Some(ending)),
            None => (segment, None),
        };
        let id = asker.id(text)?;
        let language = ending.and_then(Language::named);
        Ok(Self { id, text, language })
    }
}

/// The id in a segment, ending or none.
pub(crate) fn id_of(asker: &Asker<'_>, segment: &str) -> Result<PasteId, Problem> {
    Address::parse(asker, segment).map(|address| address.id)
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

/// As what a page shows a paste of this language. Lines are marked where there are lines.
fn shape_of(
    request: &HttpRequest,
    language: Language,
    marked: Option<LineRange>,
) -> Result<Shape, Problem> {
    let mut query = query_pairs(request.query_string())?;
    let asks_for_source = query.any(|(name, value)| name == "view" && value == "source");
    let shape = Shape::new(language, asks_for_source);
    Ok(match marked {
        Some(_) => shape.with_lines(),
        None => shape,
    })
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

async fn bytes(
    asker: &Asker<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    paste: &Paste,
    lines: Option<LineRange>,
    representation: Representation,
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
    if representation == Representation::Download {
        answer.insert_header((CONTENT_DISPOSITION, attachment(paste, address.text)));
    }
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes())).slice(part);
    Ok(answer.body(match *request.method() {
        // Its body is never sent.
        Method::HEAD => BoxBody::new(bytes),
        _ => content(asker, Class::Read, bytes).await?,
    }))
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
