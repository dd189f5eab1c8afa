//! The headers of responses that may be compressed (RFC 9110, sections 8.4 and 12.5.3).
//!
//! The bytes of pastes are never compressed, so they and their ranges are the saved ones.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::http::request::Coding;
use crate::http::response::headers::{HTML, PRIVATE, VARY_ACCEPT_AND_CODING};

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
        let mut response = HttpResponse::Ok();
        response
            .append_header((CACHE_CONTROL, PRIVATE))
            .append_header((CONTENT_TYPE, HTML));
        self.set_headers(&mut response);
        response
    }
}
