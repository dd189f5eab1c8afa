//! The page that asks for a paste's token.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::http::error::ApiError;
use crate::http::request::{Request, ResponseFormat};
use crate::http::response::headers::{HTML, NO_STORE};
use crate::page::{self, TokenPage};

/// Asks a browser for the token that `action` needs. Any other client gets the error.
pub(crate) fn ask_for_token(
    request: &Request<'_>,
    action: &str,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let is_page = request.format == ResponseFormat::Html;
    let complaint = match error {
        ApiError::NoToken if is_page => None,
        ApiError::WrongToken if is_page => Some(error.page_sentence()),
        error => return Err(error),
    };
    let page = page::ask_token(&TokenPage {
        base_path: request.base_path(),
        action,
        heading: "Owner only",
        sentence: "Enter the token you got when you saved this paste.",
        complaint: complaint.as_deref(),
    });
    let status = match complaint {
        None => StatusCode::UNAUTHORIZED,
        Some(_) => StatusCode::FORBIDDEN,
    };
    let mut response = HttpResponse::build(status);
    for header in error.headers() {
        response.insert_header(header);
    }
    Ok(response
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_TYPE, HTML))
        .body(page))
}
