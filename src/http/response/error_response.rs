//! The response for an error, in the client's format: a page, problem details (RFC 9457), or plain text.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use super::gate::login_page;
use super::headers::{HTML, NO_STORE, TEXT};
use super::json::Problem;
use crate::config::BaseUrl;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::{BodyKind, Method, Request, RequestError, ResponseFormat};
use crate::page::{self, NextStep};

impl ApiError {
    /// Makes the response. It is never cached, as a missing paste may exist later.
    pub(crate) fn into_response(self, request: &Request<'_>) -> HttpResponse {
        if let Self::Access(error) = self
            && error.needs_key()
            && request.is_read()
            && request.format == ResponseFormat::Html
        {
            return login_page(request, request.path_and_query(), None, Some(error));
        }
        let sentence = self.sentence();
        let mut response = HttpResponse::build(self.status());
        response.append_header((CACHE_CONTROL, NO_STORE));
        for header in self.headers() {
            response.append_header(header);
        }
        match request.format {
            ResponseFormat::Html => {
                response
                    .append_header((CONTENT_TYPE, HTML))
                    .body(page::message(&page::MessagePage {
                        base_path: request.base_path(),
                        heading: self.heading(),
                        sentence: &self.page_sentence(),
                        next_step: self.next_step(request),
                    }))
            }
            ResponseFormat::Json => response
                .content_type("application/problem+json")
                .body(self.details(request.public.map(BaseUrl::as_str), &sentence)),
            ResponseFormat::Text => response
                .append_header((CONTENT_TYPE, TEXT))
                .body([&*sentence, "\n"].concat()),
        }
    }

    /// The heading of the page. Programs get the title of the problem type instead.
    pub(crate) fn heading(&self) -> &'static str {
        match self.status() {
            _ if matches!(self, Self::OperatorOnly | Self::WrongOperatorPassword) => {
                "Operator only"
            }
            _ if matches!(self, Self::TooManyBlocks) => "List full",
            _ if matches!(self, Self::SlugTaken) => "Address taken",
            StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS => "Blocked",
            StatusCode::UNAUTHORIZED if matches!(self, Self::Access(_)) => "Key needed",
            StatusCode::BAD_REQUEST => "That did not work",
            StatusCode::UNAUTHORIZED => "Password or token needed",
            StatusCode::FORBIDDEN => "Not allowed",
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::METHOD_NOT_ALLOWED => "Not possible this way",
            StatusCode::REQUEST_TIMEOUT => "Upload too slow",
            StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED => "Changed meanwhile",
            StatusCode::GONE => "No longer available",
            StatusCode::PAYLOAD_TOO_LARGE => "Too large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Not supported",
            StatusCode::RANGE_NOT_SATISFIABLE => "Past the end",
            StatusCode::TOO_MANY_REQUESTS => "Too many requests",
            StatusCode::INTERNAL_SERVER_ERROR => "Disk error",
            StatusCode::SERVICE_UNAVAILABLE => "Busy right now",
            StatusCode::INSUFFICIENT_STORAGE => "Disk full",
            // No error has another status.
            _ => "Something went wrong",
        }
    }

    /// The next step for a person who sees the error in a browser.
    fn next_step<'a>(&self, request: &Request<'a>) -> NextStep<'a> {
        let is_form = request.method == Method::Post;
        // Only the forms of the editor are multipart.
        let has_text = is_form && request.body_kind() == BodyKind::Multipart;
        let is_new = request.route.pattern == "/";
        match self {
            Self::Missing
            | Self::NothingHere
            | Self::NothingSaved
            | Self::OutsideBasePath(_)
            | Self::Gone(_) => NextStep::NewPaste,
            Self::Access(AccessError::CrossSite) => NextStep::Return,
            Self::Access(_) => NextStep::LogIn { has_text },
            Self::NoSuchLines | Self::Request(RequestError::Lines) => NextStep::ShowAll,
            Self::NotALink | Self::NotText if !request.route.param.is_empty() => {
                NextStep::OpenPaste {
                    id: request.route.param,
                }
            }
            _ if self.may_pass() && has_text => NextStep::SendAgain { is_new },
            _ if self.may_pass() => NextStep::TryAgain,
            _ if has_text => NextStep::ChangeText { is_new },
            _ if is_form => NextStep::Return,
            _ => NextStep::NewPaste,
        }
    }

    /// Returns whether the same request may succeed later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self.status(),
            StatusCode::TOO_MANY_REQUESTS
                | StatusCode::INTERNAL_SERVER_ERROR
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::INSUFFICIENT_STORAGE
                | StatusCode::REQUEST_TIMEOUT
        ) || matches!(
            self,
            Self::Changed
                | Self::TooManyBlocks
                | Self::Denied
                | Self::Interrupted
                | Self::OperatorOnly
                | Self::WrongOperatorPassword
        )
    }

    /// Problem details (RFC 9457).
    fn details(&self, public_url: Option<&str>, sentence: &str) -> String {
        let problem_type = self.problem_type();
        let problem = Problem {
            r#type: problem_type.uri(public_url),
            title: problem_type.title(),
            status: self.status().as_u16(),
            detail: sentence,
            violated_policies: match self {
                Self::RateLimitExceeded(exceeded) => vec![exceeded.policy()],
                _ => Vec::new(),
            },
        };
        serde_json::to_string(&problem).unwrap_or_default()
    }
}
