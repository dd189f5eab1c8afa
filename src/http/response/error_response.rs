//! The response for an error, in the client's format: a page, problem details (RFC 9457), or plain text.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;

use super::gate::login_page;
use super::headers::{HTML, TEXT, response_of};
use super::json::Problem;
use crate::config::BaseUrl;
use crate::http::error::{AccessError, ApiError};
use crate::http::problem::Row;
use crate::http::request::{BodyKind, Method, Request, RequestError, ResponseFormat};
use crate::page::{self, NextStep};

impl ApiError {
    /// Makes the response.
    pub(crate) fn into_response(self, request: &Request<'_>) -> HttpResponse {
        if let Self::Access(error) = self
            && error.needs_key()
            && request.is_read()
            && request.format == ResponseFormat::Html
        {
            return login_page(request, request.path_and_query(), None, Some(error));
        }
        let row = self.row();
        let mut response = response_of(&row);
        match request.format {
            ResponseFormat::Html => {
                response
                    .append_header((CONTENT_TYPE, HTML))
                    .body(page::message(&page::MessagePage {
                        base_path: request.base_path(),
                        heading: row.heading,
                        next_step: self.next_step(request),
                        sentence: &row.page_sentence(),
                    }))
            }
            ResponseFormat::Json => response
                .content_type("application/problem+json")
                .body(self.details(request.public.map(BaseUrl::as_str), &row)),
            ResponseFormat::Text => response
                .append_header((CONTENT_TYPE, TEXT))
                .body([&*row.sentence, "\n"].concat()),
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
            self.row().status,
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
    fn details(&self, public_url: Option<&str>, row: &Row) -> String {
        let problem = Problem {
            r#type: row.problem_type.uri(public_url),
            title: row.problem_type.about().title,
            status: row.status.as_u16(),
            detail: &row.sentence,
            violated_policies: match self {
                Self::RateLimitExceeded(exceeded) => vec![exceeded.policy()],
                _ => Vec::new(),
            },
        };
        serde_json::to_string(&problem).unwrap_or_default()
    }
}
