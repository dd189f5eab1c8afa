//! The request as handlers get it.

use std::net::SocketAddr;

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING};

use super::address::PasteAddress;
use super::client::{ClientIdentity, ClientResolver};
use super::coding::Coding;
use super::conditions::Conditions;
use super::error::RequestError;
use super::form::BodyKind;
use super::format::ResponseFormat;
use super::host::host;
use super::method::Method;
use super::route::Route;

/// One request; cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    http: &'a HttpRequest,
    pub(crate) method: Method,
    pub(crate) route: Route<'a>,
    /// The format of the answer that the client can read.
    pub(crate) format: ResponseFormat,
    pub(crate) client: ClientIdentity,
    pub(crate) conditions: Conditions<'a>,
    /// Bytes that the body says it has; `None` if it comes in chunks.
    pub(crate) declared_length: Option<usize>,
}

impl<'a> Request<'a> {
    /// The request of this route.
    pub(crate) fn parse(http: &'a HttpRequest, route: Route<'a>, clients: &ClientResolver) -> Self {
        let headers = http.headers();
        let method = Method::of(http.method());
        Self {
            http,
            method,
            route,
            format: ResponseFormat::of(headers),
            client: clients.identify(http),
            conditions: Conditions::of(method, headers),
            declared_length: declared_length(headers),
        }
    }

    /// The headers.
    pub(crate) fn headers(&self) -> &'a HeaderMap {
        self.http.headers()
    }

    /// The path as it was written, percent-encoded.
    pub(crate) fn path(&self) -> &'a str {
        self.http.path()
    }

    /// The query without its question mark; empty if there is none.
    pub(crate) fn query(&self) -> &'a str {
        self.http.query_string()
    }

    /// Whether it is a GET or a HEAD.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.method, Method::Get | Method::Head)
    }

    /// Whether it has a body.
    pub(crate) fn has_body(&self) -> bool {
        self.headers().contains_key(TRANSFER_ENCODING)
            || self.declared_length.is_some_and(|length| length > 0)
    }

    /// The paste's address in its path.
    pub(crate) fn address(&self) -> PasteAddress<'a> {
        PasteAddress::of(self.route.param)
    }

    /// The best coding that the client accepts.
    pub(crate) fn coding(&self) -> Coding {
        Coding::of(self.headers())
    }

    /// The `Content-Type`; empty if there is none.
    pub(crate) fn content_type(&self) -> &'a str {
        self.headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// How its body is to be read.
    pub(crate) fn body_kind(&self) -> BodyKind {
        BodyKind::of(self.method, self.content_type())
    }

    /// The host that the client says it reached.
    pub(crate) fn host(&self, local: SocketAddr) -> Result<String, RequestError> {
        host(self.http, local)
    }
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
