//! The page that asks for a paste's token.

use actix_web::HttpResponse;

use crate::app::Unauthorized;
use crate::http::error::ApiError;
use crate::http::request::{Request, ResponseFormat};
use crate::http::response::headers::{HTML, respond_error};
use crate::page::{self, TokenPage};

/// Asks a browser for the token that `action` needs. Any other client gets the error.
pub(crate) fn ask_for_token(
    request: &Request<'_>,
    action: &str,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let is_page = request.format == ResponseFormat::Html;
    let is_wrong = match error {
        ApiError::Unauthorized(Unauthorized::NoToken) if is_page => false,
        ApiError::Unauthorized(Unauthorized::WrongToken) if is_page => true,
        error => return Err(error),
    };
    let mut row = error.row();
    let complaint = is_wrong.then(|| row.page_sentence());
    let page = page::to_html(&TokenPage {
        base_path: request.base_path(),
        action,
        heading: "Owner only",
        sentence: "Enter the token you got when you saved this paste.",
        complaint,
    });
    Ok(respond_error(&mut row, HTML).body(page))
}
