//! Cross-origin resource sharing: pages of other sites may save and read, if the operator allows their origin.
//!
//! Invariants: no response allows credentials. So browsers send no cookies for such a page, or hide the response.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap, HeaderValue, ORIGIN, VARY,
};

use crate::config::Cors;
use crate::http::request::Route;

/// Any header except the credentials of a browser. `*` does not include `Authorization` (Fetch standard, section 3.3.4).
const ANY_HEADER: &str = "*, Authorization";

/// How long a browser remembers the answer to a preflight, in seconds. Some remember it for two hours at most.
const MAX_AGE: &str = "86400";

/// Returns whether pages of other sites may use the route: to save, to read, and by the JSON API.
pub(crate) fn is_shared(route: Route<'_>) -> bool {
    matches!(route.pattern, "/" | "/?" | "/{id}" | "/raw/{id}")
        || route.pattern.starts_with("/api/v1/pastes")
}

/// Responds to a preflight, which asks for the permission to send another request.
pub(crate) fn preflight_response() -> HttpResponse {
    HttpResponse::build(StatusCode::NO_CONTENT)
        .append_header((
            ACCESS_CONTROL_ALLOW_METHODS,
            "GET, HEAD, POST, PUT, PATCH, DELETE",
        ))
        .append_header((ACCESS_CONTROL_ALLOW_HEADERS, ANY_HEADER))
        .append_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE))
        .finish()
}

/// Lets the page that sent the request read the response, if its origin is allowed.
pub(crate) fn share(cors: &Cors, request: &HeaderMap, response: &mut HttpResponse) {
    let headers = response.headers_mut();
    let allowed = match cors {
        Cors::Any => HeaderValue::from_static("*"),
        Cors::Origins(origins) => {
            let vary = headers
                .get(VARY)
                .map_or("", |vary| vary.to_str().unwrap_or("*"));
            if let Ok(vary) = HeaderValue::try_from(format!("{vary}, Origin")) {
                headers.insert(VARY, vary);
            }
            let origin = request.get(ORIGIN);
            match origin.filter(|origin| origins.iter().any(|known| *origin == known)) {
                Some(origin) => origin.clone(),
                None => return,
            }
        }
    };
    headers.append(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
    headers.append(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
}
