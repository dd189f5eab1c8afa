//! The headers of responses that may be compressed (RFC 9110, sections 8.4 and 12.5.3).
//!
//! The bytes of pastes are never compressed, so they and their ranges are the saved ones.

use actix_web::HttpResponseBuilder;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_ENCODING, HeaderValue, VARY};

use crate::http::request::Coding;
use crate::http::response::headers::{HTML, PRIVATE, VARY_ACCEPT_AND_CODING, respond};

impl Coding {
    /// Sets Content-Encoding and Vary.
    pub(crate) fn set_headers(self, response: &mut HttpResponseBuilder) {
        let name = match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        };
        if let Some(name) = name {
            response.append_header((CONTENT_ENCODING, HeaderValue::from_static(name)));
        }
        response.append_header((VARY, VARY_ACCEPT_AND_CODING));
    }

    /// Starts a response with a page in this coding.
    pub(crate) fn page(self) -> HttpResponseBuilder {
        let mut response = respond(StatusCode::OK, HTML, PRIVATE);
        self.set_headers(&mut response);
        response
    }
}
