//! The response for an error, in the format of its route. Most have the client's: a page, problem details (RFC 9457),
//! or plain text.

use actix_web::HttpResponse;
use actix_web::http::header::HeaderValue;
use serde_json::{Value, json};

use super::gate::login_page;
use super::headers::{HTML, JSON, TEXT, respond_error};
use super::json::Problem;
use crate::config::BaseUrl;
use crate::http::error::ApiError;
use crate::http::problem::{ProblemType, Row, Step};
use crate::http::request::{BodyKind, Method, Request, ResponseFormat};
use crate::page::{MessagePage, NextStep, to_html};
use crate::store::StoreError;

/// The format in which a route writes its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// A page, problem details or text, whichever the client accepts.
    Negotiated,
    /// The same, but that of [`Self::Haste`] for JSON that is sent to `/`.
    Home,
    /// JSON with a message and without a key: some clients look for the key and ignore the status.
    Haste,
    /// JSON with a message and an integer as `status`, which a client needs.
    PrivateBin,
    /// One line of text.
    Dpaste,
    /// One line of text that starts with `Bad API request`, which clients search for.
    Pastebin,
    /// JSON with a message and a code of the old API.
    Record,
    /// JSON with a message and the address of its explanation.
    Gist,
    /// JSON with `success` as false.
    Mclogs,
}

/// Codes of [`ErrorFormat::Record`].
const NO_RECORD: u16 = 1002;
const BAD_CONTENT: u16 = 1004;

impl ApiError {
    /// Makes the response.
    pub(crate) fn into_response(self, format: ErrorFormat, request: &Request<'_>) -> HttpResponse {
        let mut row = match self {
            Self::Store(StoreError::NotFound) if request.site.forgets => Self::LostInRestart.row(),
            _ => self.row(),
        };
        let sends_json = || request.method == Method::Post && request.body_kind() == BodyKind::Json;
        let object = |object: Value| (JSON, object.to_string());
        let (content_type, body) = match format {
            ErrorFormat::Home if !sends_json() => return self.negotiated(row, request),
            ErrorFormat::Negotiated => return self.negotiated(row, request),
            ErrorFormat::Home | ErrorFormat::Haste => object(json!({ "message": row.sentence })),
            ErrorFormat::Gist => {
                let about = row.problem_type.uri(request.public.map(BaseUrl::as_str));
                object(json!({ "message": row.sentence, "documentation_url": about }))
            }
            ErrorFormat::PrivateBin => object(json!({ "status": 1, "message": row.sentence })),
            ErrorFormat::Dpaste => (TEXT, [&*row.sentence, "\n"].concat()),
            ErrorFormat::Pastebin => (TEXT, ["Bad API request, ", &row.sentence, "\n"].concat()),
            ErrorFormat::Mclogs => object(json!({ "success": false, "error": row.sentence })),
            ErrorFormat::Record => {
                let of_type = match row.problem_type {
                    ProblemType::NotFound | ProblemType::Gone => NO_RECORD,
                    _ => BAD_CONTENT,
                };
                let code = row.record_code.unwrap_or(of_type);
                object(json!({ "code": code, "message": row.sentence }))
            }
        };
        respond_error(&mut row, content_type).body(body)
    }

    /// Makes the response in the client's format.
    fn negotiated(&self, mut row: Row, request: &Request<'_>) -> HttpResponse {
        if let Self::Access(error) = *self
            && error.needs_key()
            && request.is_read()
            && request.format == ResponseFormat::Html
        {
            return login_page(request, request.path_and_query(), None, Some(error));
        }
        let (content_type, body) = match request.format {
            ResponseFormat::Html => {
                let page = MessagePage {
                    site: request.site,
                    heading: row.heading,
                    sentence: row.page_sentence(),
                    next_step: next_step(row.step, request),
                    line: "",
                };
                (HTML, to_html(&page))
            }
            ResponseFormat::Json => (
                HeaderValue::from_static("application/problem+json"),
                self.details(request.public.map(BaseUrl::as_str), &row),
            ),
            ResponseFormat::Text => (TEXT, [&*row.sentence, "\n"].concat()),
        };
        respond_error(&mut row, content_type).body(body)
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

/// The next step for a person who sees the error in a browser.
fn next_step<'a>(step: Step, request: &Request<'a>) -> NextStep<'a> {
    let is_form = request.method == Method::Post;
    // Only the forms of the editor are multipart.
    let has_text = is_form && request.body_kind() == BodyKind::Multipart;
    let is_new = request.route.pattern == "/";
    match step {
        Step::Leave => NextStep::NewPaste,
        Step::Return => NextStep::Return,
        Step::LogIn => NextStep::LogIn { has_text },
        Step::ShowAll => NextStep::ShowAll,
        Step::Open if !request.route.param.is_empty() => NextStep::OpenPaste {
            id: request.route.param,
        },
        Step::Retry if has_text => NextStep::SendAgain { is_new },
        Step::Retry => NextStep::TryAgain,
        Step::Correct | Step::Open if has_text => NextStep::ChangeText { is_new },
        Step::Correct | Step::Open if is_form => NextStep::Return,
        Step::Correct | Step::Open => NextStep::NewPaste,
    }
}
