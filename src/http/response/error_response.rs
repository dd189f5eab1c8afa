//! An error as an answer, in the format that the client reads: a page, problem details (RFC 9457), or a sentence.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use super::headers::{HTML, NO_STORE, TEXT};
use crate::http::error::ApiError;
use crate::http::request::ResponseFormat;
use crate::page;

impl ApiError {
    /// The answer, in the form the client can read. Never cached: what is missing now may be there next.
    pub(crate) fn into_response(self, format: ResponseFormat) -> HttpResponse {
        let status = self.status();
        let reason = status.canonical_reason().unwrap_or("Refused");
        let sentence = self.sentence();
        let mut answer = HttpResponse::build(status);
        answer.insert_header((CACHE_CONTROL, NO_STORE));
        for header in self.headers() {
            answer.insert_header(header);
        }
        match format {
            ResponseFormat::Html => answer
                .insert_header((CONTENT_TYPE, HTML))
                .body(page::message(&page::MessagePage {
                    heading: reason,
                    sentence: &sentence,
                })),
            ResponseFormat::Json => answer
                .content_type("application/problem+json")
                .body(self.details(status, reason, &sentence)),
            ResponseFormat::Text => answer
                .insert_header((CONTENT_TYPE, TEXT))
                .body(format!("{sentence}\n")),
        }
    }

    /// Problem details (RFC 9457). Where the status says which problem it is the type is `about:blank`; a limit has the
    /// type that draft-ietf-httpapi-ratelimit-headers gives it.
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
