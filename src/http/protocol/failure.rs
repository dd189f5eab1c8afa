//! The error of a protocol: the status, message and headers of this server, in the form that the protocol's clients
//! read.

use std::borrow::Cow;
use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};

use super::fields::FieldError;
use crate::http::error::ApiError;
use crate::http::problem::Header;
use crate::http::request::Request;
use crate::http::response::NO_STORE;
use crate::paste::ContentError;

/// The form in which a protocol writes its errors.
pub(crate) trait ErrorForm {
    /// The `Content-Type` of an error.
    const CONTENT_TYPE: HeaderValue;

    /// The body of an error with this message.
    fn body(message: &str) -> String;
}

/// An error in the form `F`.
pub(crate) struct Failure<F> {
    status: StatusCode,
    message: Cow<'static, str>,
    headers: Vec<Header>,
    form: PhantomData<F>,
}

impl<F: ErrorForm> Failure<F> {
    pub(super) fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            message: message.into(),
            headers: Vec::new(),
            form: PhantomData,
        }
    }

    pub(super) fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// An error of content that is missing, empty or too large. `missing` is the message if there is none.
    pub(super) fn content(error: ContentError, missing: &'static str, max: usize) -> Self {
        match error {
            ContentError::Empty => Self::bad_request(missing),
            ContentError::TooLarge => ApiError::TooLarge(max).into(),
        }
    }

    /// The response; a protocol has one format.
    pub(crate) fn into_response(self, _: &Request<'_>) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for header in self.headers {
            response.insert_header(header);
        }
        response
            .insert_header((CACHE_CONTROL, NO_STORE))
            .insert_header((CONTENT_TYPE, F::CONTENT_TYPE))
            .body(F::body(&self.message))
    }
}

impl<F: ErrorForm, E: Into<ApiError>> From<E> for Failure<F> {
    fn from(error: E) -> Self {
        let row = error.into().row();
        Self {
            headers: row.headers,
            ..Self::new(row.status, row.sentence)
        }
    }
}

impl<F: ErrorForm> From<FieldError> for Failure<F> {
    fn from(error: FieldError) -> Self {
        Self::bad_request(error.to_string())
    }
}
