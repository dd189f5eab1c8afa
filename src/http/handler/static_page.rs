//! Responses that do not depend on pastes: the help, `robots.txt`, the health check and the icon.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};

use crate::config::Redirect;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::ResponseFormat;
use crate::http::response::{NO_CACHE, TEXT};
use crate::page::{self, Effort, HelpPage};

/// Handles `GET /help`, and `GET /` from a client that does not accept HTML: the help as a page or as text.
pub(crate) async fn help(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let policy = state.app.limits().expiry_policy;
    let page = HelpPage {
        base_url: &state.base_url(&request)?,
        max_size: &state.max_size(),
        default_expiry: policy.default_expiry(),
        longest_expiry: policy.longest(),
        links: state.redirect != Redirect::Off,
    };
    Ok(match request.format {
        ResponseFormat::Html => {
            let html = page::help(&page).into_bytes();
            let (coding, body) = request.coding().encode(html, Effort::Dynamic);
            coding.page().body(body)
        }
        ResponseFormat::Json | ResponseFormat::Text => text(page::help_text(&page)),
    })
}

/// Handles `GET /healthz`.
pub(crate) async fn health(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Ok(text("ok\n".to_owned()))
}

/// Handles `GET /robots.txt`. It asks crawlers to stay away, as pastes are for readers who were sent the address.
pub(crate) async fn robots(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Ok(text("User-agent: *\nDisallow: /\n".to_owned()))
}

/// Handles `GET /favicon.ico`, which browsers request even if no page names it.
pub(crate) async fn favicon(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    // Caching for one hour avoids most requests. A new icon is still seen soon after an update of the server.
    Ok(HttpResponse::Ok()
        .insert_header((
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ))
        .content_type(page::FAVICON.content_type)
        .body(page::FAVICON.bytes))
}

fn text(body: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .insert_header((CONTENT_TYPE, TEXT))
        .body(body)
}
