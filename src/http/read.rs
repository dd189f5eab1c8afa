//! Reading: a paste as a page, as its bytes, or as a file.
//!
//! What it must not know: how a page is made.
//! Invariants: the bytes are exactly those saved; what a browser would run is never named as such: text is
//! `text/plain`, the rest an octet stream; HEAD and 304 leave no trace.

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
pub(crate) enum Form {
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
pub(crate) fn read(
    service: &Service,
    request: &HttpRequest,
    segment: &str,
    form: Form,
) -> Result<HttpResponse, Problem> {
    let address = Address::parse(service, segment)?;
    let lines = lines(request)?;
    if form == Form::Negotiated && Wants::of(request.headers()) == Wants::Html {
        let paste = find(service, request, address.id)?;
        return page(service, request, &address, &paste, lines);
    }
    if conditional::has_condition(request) {
        let paste = service.store.peek(service.now(), address.id)?;
        let etag = conditional::etag(&paste);
        if conditional::is_known(request, &etag) {
            return Ok(not_modified(&etag));
        }
    }
    let paste = find(service, request, address.id)?;
    bytes(request, &address, &paste, lines, form)
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
    marked: Option<LineRange>,
) -> Result<HttpResponse, Problem> {
    if marked.is_some_and(|lines| lines.find_in(paste.bytes()).is_none()) {
        return Err(Problem::NoSuchLines);
    }
    let now = service.now();
    let url = format!("{}/{}", service.base_url(request)?, address.text);
    let html = view::paste(&PastePage {
        id: address.text,
        url: &url,
        paste,
        language: address.language.unwrap_or(paste.language()),
        age: now.since(paste.saved()),
        expires_in: paste
            .deadline()
            .moment()
            .map(|deadline| deadline.since(now)),
        expires_at: paste
            .deadline()
            .moment()
            .map(|deadline| service.epoch_millis(deadline)),
        marked,
        may_delete: cookie_token(request)
            .is_some_and(|token| paste.token().matches(&TokenHash::of(token))),
    });
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((CONTENT_TYPE, HTML))
        .body(html))
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
    form: Form,
) -> Result<HttpResponse, Problem> {
    let selected = match lines {
        Some(lines) => lines.find_in(paste.bytes()).ok_or(Problem::NoSuchLines)?,
        None => 0..paste.bytes().len(),
    };
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
    if form == Form::Download {
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
