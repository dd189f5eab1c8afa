//! The bytes of a paste: all of them, a byte range, or a range of lines.

use std::ops::Range;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, ETAG,
    HeaderValue,
};
use actix_web::web::Bytes;

use super::file::{NamedFile, content_of};
use super::{ReadPlan, Representation};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{ByteRange, Method};
use crate::http::response::{NO_CACHE, attachment, content_type_of, etag};
use crate::http::transfer::paste_body;
use crate::page::file_name;
use crate::paste::{ContentSlice, LineRange, Paste};

/// Finds the byte range of the lines. If no lines are requested, the range is all of the content.
pub(super) fn selection(
    content: ContentSlice<'_>,
    lines: Option<LineRange>,
) -> Result<Range<usize>, ApiError> {
    match lines {
        Some(lines) => content.find_lines(lines).ok_or(ApiError::NoSuchLines),
        None => Ok(0..content.bytes().len()),
    }
}

/// Makes the response to a client that already has the bytes with this tag.
fn not_modified(etag: &HeaderValue) -> HttpResponse {
    HttpResponse::NotModified()
        .append_header((ETAG, etag.clone()))
        .append_header((CACHE_CONTROL, NO_CACHE))
        .finish()
}

/// Responds with the requested bytes of the paste or of a file in it, or with 304 if the client has those of an open
/// paste.
pub(super) async fn bytes(
    context: &RequestContext<'_>,
    whole: &Paste,
    file: Option<Box<NamedFile>>,
    plan: &ReadPlan<'_>,
) -> Result<HttpResponse, ApiError> {
    let (request, representation) = (context.request, plan.representation);
    let content = content_of(file.as_deref(), whole);
    let start = file.as_ref().map_or(0, |file| file.place.start);
    let selected = selection(content, plan.lines)?;
    let etag = etag(content, whole.saved(), context.state.site.images);
    if whole.counts_on_get() && plan.conditions.is_known(&etag) {
        return Ok(not_modified(&etag));
    }
    let range = plan.conditions.byte_range(&etag, selected.len());
    let (status, part) = match range {
        ByteRange::Whole => (StatusCode::OK, selected.clone()),
        ByteRange::Part(ref part) => (
            StatusCode::PARTIAL_CONTENT,
            selected.start + part.start..selected.start + part.end,
        ),
        ByteRange::PastTheEnd => return Err(ApiError::NoSuchRange(selected.len())),
    };
    let mut response = HttpResponse::build(status);
    response
        .append_header((
            CONTENT_TYPE,
            content_type_of(content, representation.is_image(context)),
        ))
        .append_header((CACHE_CONTROL, NO_CACHE))
        .append_header((ACCEPT_RANGES, HeaderValue::from_static("bytes")))
        .append_header((ETAG, etag));
    if let ByteRange::Part(part) = range {
        let (first, last) = (part.start, part.end - 1);
        let value = format!("bytes {first}-{last}/{}", selected.len());
        response.append_header((CONTENT_RANGE, value));
    }
    if representation == Representation::Download {
        let name = file.map(|file| file.download_name());
        let name = name.unwrap_or_else(|| file_name(whole, request.address().id));
        response.append_header((CONTENT_DISPOSITION, attachment(&name)));
    }
    let part = start + part.start..start + part.end;
    Ok(response.body(match request.method {
        // The body of a HEAD response is never sent, so it is not counted.
        Method::Head => BoxBody::new(Bytes::from_owner(Arc::clone(whole.bytes())).slice(part)),
        _ => paste_body(context, whole, part).await?,
    }))
}
