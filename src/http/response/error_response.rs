//! The response for an error, in the client's format: a page, problem details (RFC 9457), or plain text.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use super::headers::{HTML, NO_STORE, TEXT};
use crate::http::error::ApiError;
use crate::http::request::ResponseFormat;
use crate::page;

impl ApiError {
    /// Makes the response. It is never cached, as a missing paste may exist later.
    pub(crate) fn into_response(self, format: ResponseFormat) -> HttpResponse {
        let status = self.status();
        let reason = status.canonical_reason().unwrap_or("Refused");
        let sentence = self.sentence();
        let mut response = HttpResponse::build(status);
        response.insert_header((CACHE_CONTROL, NO_STORE));
        for header in self.headers() {
            response.insert_header(header);
        }
        match format {
            ResponseFormat::Html => {
                response
                    .insert_header((CONTENT_TYPE, HTML))
                    .body(page::message(&page::MessagePage {
                        heading: reason,
                        sentence: &sentence,
                    }))
            }
            ResponseFormat::Json => response
                .content_type("application/problem+json")
                .body(self.details(status, reason, &sentence)),
            ResponseFormat::Text => response
                .insert_header((CONTENT_TYPE, TEXT))
                .body(format!("{sentence}\n")),
        }
    }

    /// Problem details (RFC 9457). The type is `about:blank` if the status describes the problem. An exceeded rate
    /// limit has the type of draft-ietf-httpapi-ratelimit-headers.
    fn details(&self, status: StatusCode, reason: &str, sentence: &str) -> String {
        let mut details = serde_json::json!({
            "type": "about:blank", "title": reason, "status": status.as_u16(), "detail": sentence
        });
        if let Self::RateLimitExceeded(exceeded) = self {
            details["type"] =
                "https://iana.org/assignments/http-problem-types#quota-exceeded".into();
            details["violated-policies"] = [exceeded.policy()].into();
        }
        details.to_string()
    }
}
