//! `GET /api/openapi.json`: the OpenAPI document, made from the handlers and their types.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Components, Server};

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::response::{JSON, NO_CACHE, Problem};

/// The document without the parts that depend on the server.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "tidebin",
        version = "1",
        description = "Saves, reads, changes and deletes pastes. Times are in milliseconds since 1970.",
        license(name = "MIT")
    ),
    paths(
        super::create::create,
        super::list::list,
        super::read::read,
        super::read::read_protected,
        super::update::update,
        super::delete::delete,
        super::stats::stats,
        super::operate::status,
        super::operate::reports,
        super::operate::dismiss,
        super::operate::blocks,
        super::operate::block,
        super::operate::unblock
    ),
    components(schemas(Problem))
)]
struct Document;

/// Handles `GET` and `HEAD` of `/api/openapi.json`.
pub(crate) async fn openapi(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = context.state.base_url(&context.request)?;
    let mut document = Document::openapi();
    document.servers = Some(vec![Server::new(base_url)]);
    let token = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Token")));
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let components = document.components.get_or_insert_with(Components::new);
    components.add_security_scheme("token", token);
    for name in ["owner", "operator", "key"] {
        components.add_security_scheme(name, bearer.clone());
    }
    let json = document.to_json().map_err(|_| ApiError::Unavailable)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, JSON))
        .insert_header((CACHE_CONTROL, NO_CACHE))
        .body(json))
}
