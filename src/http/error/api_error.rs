//! Problems: everything that may be refused, with its status and a sentence that says what to do next.
//!
//! What it must not know: who asks. Causes that are no business of a client's go to the log where they are met.
//! Invariants: every problem has a status of its own deciding (the match is exhaustive); a sentence never repeats
//! what a client sent beyond an option's name, so it is never a way to show somebody else's text.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};

use crate::config::ByteSize;
use crate::http::error::option_error::OptionError;
use crate::http::error::rate_limit::{Header, RateLimitExceeded};
use crate::http::request::form::FormError;
use crate::http::request::format::ResponseFormat;
use crate::http::request::route::Route;
use crate::http::response::headers::{HTML, NO_STORE, TEXT};
use crate::overload::{PAUSES_OF_CLIENT, QuotaError};
use crate::page;
use crate::paste::{Access, Expiry, ExpiryError};
use crate::store::Reason;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiError {
    /// Nothing to save.
    Empty,
    /// More than is taken; holds the limit in bytes.
    TooLarge(usize),
    /// A body that is compressed.
    Compressed,
    /// A body that says that it is a part.
    Partial,
    /// A form that is none, or that says too little or too much.
    Form(FormError),
    /// A query or a header that is not text.
    BadQuery,
    /// A lifetime that is none.
    BadExpiry(ExpiryError),
    /// A lifetime beyond the longest.
    TooLong(Expiry),
    /// A `lines` that is no range of lines.
    BadLines,
    /// What is not text, for an editor of text.
    NotText,
    /// A range of lines past the end.
    NoSuchLines,
    /// A byte range past the end; holds the length.
    NoSuchRange(usize),
    /// A body that ended before its end.
    Interrupted,
    /// A Host that is none.
    BadHost,
    /// A form to a paste that does not say what to do.
    NothingToDo,
    /// A form that changes a paste, with more beside it than a form can change.
    BesideAChange,
    /// Another content than the one that was named.
    Stale,
    /// No paste there, or nothing at all.
    Missing,
    /// No paste there any more.
    Gone(Reason),
    /// A paste that may be read only so often, asked for by a method that reads nothing.
    OnlyByPost {
        /// Whether it needs a password too.
        locked: bool,
    },
    /// A locked paste without a password.
    NoPassword,
    /// A locked paste with a password of something else.
    WrongPassword,
    /// A paste whose content was changed while it was read.
    Changed,
    /// What is no link, asked where it leads.
    NotALink,
    /// A link, where none are saved.
    NoLinks,
    /// Options that cannot be.
    Option(OptionError),
    /// What only the owner may do, without a token.
    NoToken,
    /// The same with a token of something else.
    WrongToken,
    /// A deletion with a bearer token that is not the operator's, and no other.
    NotOperator,
    /// A client in a network that the operator shut out.
    Denied,
    /// A method that this route does not take; holds the value of Allow.
    Method(String),
    /// No free id was found.
    Busy,
    /// A body that came too slowly to be waited for.
    TooSlow,
    /// As many bodies of one client pause as may, and this one does too.
    TooManyPauses,
    /// One client has too much under way at once.
    Crowded,
    /// There is too much to do for everybody.
    Overloaded,
    /// More than a rule allows.
    RateLimitExceeded(RateLimitExceeded),
}

impl ApiError {
    /// The problem of a method that this route does not take.
    pub(crate) fn method(route: Route<'_>) -> Self {
        match route.methods() {
            [] => Self::Missing,
            methods => {
                let names: Vec<&str> = methods.iter().map(|method| method.as_str()).collect();
                Self::Method(names.join(", "))
            }
        }
    }

    /// The problem of a look at a paste that may not be had so.
    pub(crate) fn closed(access: Access) -> Self {
        match access {
            Access::Burn(_) => Self::OnlyByPost { locked: false },
            Access::Locked(Some(_)) => Self::OnlyByPost { locked: true },
            Access::Open | Access::Link | Access::Locked(None) => Self::NoPassword,
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Empty
            | Self::Partial
            | Self::Form(_)
            | Self::BadQuery
            | Self::BadExpiry(_)
            | Self::TooLong(_)
            | Self::BadLines
            | Self::NotText
            | Self::Interrupted
            | Self::BadHost
            | Self::Option(_)
            | Self::NothingToDo
            | Self::BesideAChange => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Compressed => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NoSuchRange(_) => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::NoSuchLines | Self::NotALink | Self::Missing => StatusCode::NOT_FOUND,
            Self::Gone(_) => StatusCode::GONE,
            Self::NoPassword | Self::WrongPassword | Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Stale => StatusCode::PRECONDITION_FAILED,
            Self::Changed => StatusCode::CONFLICT,
            Self::WrongToken | Self::NotOperator | Self::Denied | Self::NoLinks => {
                StatusCode::FORBIDDEN
            }
            Self::Method(_) | Self::OnlyByPost { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::RateLimitExceeded(over) if over.is_for_good() => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyPauses | Self::Crowded | Self::RateLimitExceeded(_) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::Busy | Self::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What happened and what to do next.
    pub(crate) fn sentence(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Empty => {
                "There is nothing to save: send the text as the body, as in `cmd | curl --data-binary @- URL`."
            }
            Self::TooLarge(limit) => {
                let limit = ByteSize(*limit);
                return format!("This is more than {limit}, the most that is taken here: send less, or compress it first.").into();
            }
            Self::Compressed => "No body is unpacked here: send it without Content-Encoding.",
            Self::Partial => "A part would replace all: send the whole without Content-Range.",
            Self::Form(error) => return error.to_string().into(),
            Self::BadQuery => {
                "The query is not readable: write it as name=value, percent-encoded, joined by `&`."
            }
            Self::BadExpiry(error) => {
                return format!(
                    "`expires` is not a lifetime, {error}: write `90s`, `10m`, `2h`, `7d` or `4w`."
                )
                .into();
            }
            Self::TooLong(longest) => {
                return format!("`expires` is longer than {}, the longest kept here: ask for `{longest}` or less.", longest.in_words()).into();
            }
            Self::BadLines => {
                "`lines` is not a range of lines: write `lines=10-20`, or `lines=10` for one."
            }
            Self::NotText => {
                "This paste is not text and cannot be edited here: download it instead."
            }
            Self::NoSuchLines => "The paste has fewer lines than that: ask for an earlier range.",
            Self::NoSuchRange(_) => {
                "The paste has fewer bytes than that: ask for an earlier range."
            }
            Self::Interrupted => "The body ended too early and nothing was kept: send it again.",
            Self::BadHost => {
                "The Host header is not a host name: send the name and port you connected to."
            }
            Self::NothingToDo => {
                "Say in a form what to do with this paste: `delete`, `title` or `expires`; to read it send no option, in the \
                 query neither, but a password as `X-Password`."
            }
            Self::BesideAChange => {
                "A form changes `title` and `expires` alone, and nothing was changed: leave out everything else in it, the \
                 headers and the query, or send new content with `curl -T`."
            }
            Self::Missing => {
                "There is no such paste here: check the address for a missing or mistyped character."
            }
            Self::Gone(reason) => why(*reason),
            Self::OnlyByPost { locked: false } => {
                "This paste may be read only so often, so no GET shows it: read it with `curl -X POST URL`."
            }
            Self::OnlyByPost { locked: true } => {
                "This paste is locked and may be read only so often: read it with `curl -X POST -H 'X-Password: …' URL`."
            }
            Self::NoPassword => {
                "This paste is locked: send its password, as in `curl -H 'X-Password: …' URL`."
            }
            Self::WrongPassword => {
                "This is not the password of this paste: ask whoever gave you its address for it."
            }
            Self::Stale => {
                "This paste is not, or is no longer, what `If-Match` names: read it again, then change that."
            }
            Self::Changed => "This paste was changed at this very moment: ask for it again.",
            Self::NotALink => "This is no short link: leave out the `+` to read it.",
            Self::NoLinks => {
                "Short links are not saved here: save the address as a text in `file` instead."
            }
            Self::Option(error) => return error.to_string().into(),
            Self::NoToken => "This needs the token that came with the paste: send it as `X-Token`.",
            Self::WrongToken => {
                "This is not the token of this paste: send the X-Token that came when it was saved."
            }
            Self::NotOperator => {
                "This bearer token is not the operator's: send the right one, or the paste's own token as `X-Token`."
            }
            Self::Denied => {
                "Your network is shut out here: use another, or ask whoever runs this server to let it in."
            }
            Self::Method(allowed) => {
                return format!("This address does not take that method: use one of {allowed}.")
                    .into();
            }
            Self::Busy => "No free address was found just now: try again in a second.",
            Self::RateLimitExceeded(over) => return over.sentence().into(),
            Self::TooSlow => {
                "The body came too slowly and nothing was kept: send it at 1 KiB a second or more, or in chunks."
            }
            Self::TooManyPauses => {
                return format!("This upload pauses, as {PAUSES_OF_CLIENT} of yours or too many of your network do already, and nothing was kept: finish one of those first.").into();
            }
            Self::Crowded => {
                "Too many of your transfers are under way: wait for one of them to end, then try again."
            }
            Self::Overloaded => {
                "There is too much to do just now and nothing was kept: try again in 2 seconds."
            }
        })
    }

    /// The headers that a program needs to do what the sentence says.
    pub(crate) fn headers(&self) -> Vec<Header> {
        let (name, value) = match self {
            Self::RateLimitExceeded(over) => return over.headers().map_or(Vec::new(), Vec::from),
            Self::Method(allowed) => (ALLOW, allowed.clone()),
            Self::OnlyByPost { .. } => (ALLOW, "POST, DELETE".to_owned()),
            Self::NoPassword | Self::WrongPassword => (WWW_AUTHENTICATE, "X-Password".to_owned()),
            Self::NoToken => (WWW_AUTHENTICATE, "X-Token".to_owned()),
            Self::NoSuchRange(length) => (CONTENT_RANGE, format!("bytes */{length}")),
            Self::Busy | Self::Crowded => (RETRY_AFTER, "1".to_owned()),
            Self::Overloaded => (RETRY_AFTER, "2".to_owned()),
            Self::Empty
            | Self::TooLarge(_)
            | Self::Compressed
            | Self::Partial
            | Self::Form(_)
            | Self::BadQuery
            | Self::BadExpiry(_)
            | Self::TooLong(_)
            | Self::BadLines
            | Self::NotText
            | Self::NoSuchLines
            | Self::Interrupted
            | Self::BadHost
            | Self::NothingToDo
            | Self::BesideAChange
            | Self::Stale
            | Self::Missing
            | Self::Gone(_)
            | Self::Changed
            | Self::NotALink
            | Self::NoLinks
            | Self::Option(_)
            | Self::WrongToken
            | Self::NotOperator
            | Self::Denied
            | Self::TooSlow
            // Nobody knows when one of those that pause ends.
            | Self::TooManyPauses => return Vec::new(),
        };
        HeaderValue::try_from(value)
            .map(|value| vec![(name, value)])
            .unwrap_or_default()
    }

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
        if let Self::RateLimitExceeded(over) = self {
            details["type"] =
                "https://iana.org/assignments/http-problem-types#quota-exceeded".into();
            details["violated-policies"] = [over.policy()].into();
        }
        details.to_string()
    }
}

/// Why a paste is gone, and whom to ask.
fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Expired => {
            "This paste is gone, its time had come: ask whoever gave you its address to save it again."
        }
        Reason::Burned => {
            "This paste is gone, it burned with its last read: ask whoever gave you its address to save it again."
        }
        Reason::Deleted => {
            "This paste is gone, whoever saved it deleted it: ask them if you need it."
        }
        Reason::Evicted => {
            "This paste is gone, it made room for newer ones: ask whoever gave you its address to save it again."
        }
    }
}

impl From<QuotaError> for ApiError {
    fn from(refused: QuotaError) -> Self {
        match refused {
            QuotaError::Share => Self::Crowded,
            QuotaError::Cut => Self::Overloaded,
        }
    }
}

impl From<OptionError> for ApiError {
    fn from(error: OptionError) -> Self {
        Self::Option(error)
    }
}

impl From<FormError> for ApiError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::NoContent => Self::Empty,
            error => Self::Form(error),
        }
    }
}
