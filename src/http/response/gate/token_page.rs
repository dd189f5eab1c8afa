//! The page that asks for a paste's token.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;

use crate::http::error::ApiError;
use crate::http::request::{Request, ResponseFormat};
use crate::http::response::headers::{HTML, response_of};
use crate::page::{self, TokenPage};

/// Asks a browser for the token that `action` needs. Any other client gets the error.
pub(crate) fn ask_for_token(
    request: &Request<'_>,
    action: &str,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let is_page = request.format == ResponseFormat::Html;
    if !is_page || !matches!(error, ApiError::NoToken | ApiError::WrongToken) {
        return Err(error);
    }
    let row = error.row();
    let mut response = response_of(&row);
    let complaint = (error == ApiError::WrongToken).then(|| row.page_sentence());
    let page = page::ask_token(&TokenPage {
        base_path: request.base_path(),
        action,
        heading: "Owner only",
        sentence: "Enter the token you got when you saved this paste.",
        complaint: complaint.as_deref(),
    });
    Ok(response.insert_header((CONTENT_TYPE, HTML)).body(page))
}
