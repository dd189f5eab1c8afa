//! The request that handlers receive.

use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use actix_web::dev::RequestHead;
use actix_web::http::header::{
    ACCESS_CONTROL_REQUEST_METHOD, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap,
};
use actix_web::http::uri::PathAndQuery;

use super::address::PasteAddress;
use super::client::{ClientIdentity, ClientResolver};
use super::conditions::Conditions;
use super::error::RequestError;
use super::form::{BodyKind, parameter};
use super::format::ResponseFormat;
use super::host::host;
use super::method::Method;
use super::route::{Cost, Route};
use super::save_option::X_TOKEN;
use crate::config::BaseUrl;
use crate::page::{Coding, Site};

/// The start of the paths whose responses and errors are JSON, whatever the client accepts.
const JSON_API: &str = "/api/v1";

/// What is parsed of every request when it arrives. It borrows nothing from the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parsed {
    pub(crate) method: Method,
    /// The response format that the client accepts.
    pub(crate) format: ResponseFormat,
    /// The client at the address that the request comes from. An account may be charged instead.
    pub(crate) client: ClientIdentity,
}

impl Parsed {
    /// Parses the head of a request for this path below the base path.
    pub(crate) fn of(
        method: Method,
        head: &RequestHead,
        path: &str,
        clients: &ClientResolver,
    ) -> Self {
        let headers = head.headers();
        Self {
            method,
            format: match path.strip_prefix(JSON_API) {
                Some("") => ResponseFormat::Json,
                Some(rest) if rest.starts_with('/') => ResponseFormat::Json,
                _ => ResponseFormat::of(headers),
            },
            client: clients.identity(head.peer_addr.map(|peer| peer.ip()), headers),
        }
    }
}

/// A parsed request. It is cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) head: &'a RequestHead,
    pub(crate) parsed: Parsed,
    pub(crate) route: Route<'a>,
    pub(crate) site: &'a Arc<Site>,
    /// The public URL of the server, if it is configured or reported by a trusted proxy.
    pub(crate) public: Option<&'a BaseUrl>,
    /// The path below the base path, still percent-encoded.
    pub(crate) path: &'a str,
}

impl Deref for Request<'_> {
    type Target = Parsed;

    fn deref(&self) -> &Parsed {
        &self.parsed
    }
}

impl<'a> Request<'a> {
    pub(crate) fn headers(&self) -> &'a HeaderMap {
        self.head.headers()
    }

    pub(crate) fn conditions(&self) -> Conditions<'a> {
        Conditions::of(self.method, self.headers())
    }

    /// The path before every link to this server: empty, or such as `/paste`.
    pub(crate) fn base_path(&self) -> &'a str {
        &self.site.base_path
    }

    /// The path and the query, still percent-encoded.
    pub(crate) fn path_and_query(&self) -> &'a str {
        let target = self.head.uri.path_and_query();
        target.map_or("/", PathAndQuery::as_str)
    }

    /// The address of the other end of the connection, which may be a proxy.
    pub(crate) fn peer(&self) -> Option<IpAddr> {
        self.head.peer_addr.map(|peer| peer.ip())
    }

    /// Returns true if browsers use this server over HTTPS, as its public URL says.
    pub(crate) fn is_https(&self) -> bool {
        self.public.is_some_and(BaseUrl::is_https)
    }

    /// The `Content-Length` in bytes; `None` for a chunked body.
    pub(crate) fn declared_length(&self) -> Option<usize> {
        let length = self.headers().get(CONTENT_LENGTH)?;
        length.to_str().ok()?.parse().ok()
    }

    /// The query without its `?`; empty if the request has none.
    pub(crate) fn query(&self) -> &'a str {
        self.head.uri.query().unwrap_or_default()
    }

    /// Rejects a query. To be called where its options would have no effect.
    pub(crate) fn reject_query(&self) -> Result<(), RequestError> {
        match self.query().is_empty() {
            true => Ok(()),
            false => Err(RequestError::NoQuery),
        }
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self.method, Method::Get | Method::Head)
    }

    /// Returns whether a browser asks if a page of another site may send a request.
    pub(crate) fn is_preflight(&self) -> bool {
        self.method == Method::Options && self.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    pub(crate) fn reads_html(&self) -> bool {
        self.format == ResponseFormat::Html
    }

    pub(crate) fn is_multipart(&self) -> bool {
        self.body_kind() == BodyKind::Multipart
    }

    /// Whether a header names the token of a paste.
    pub(crate) fn has_token(&self) -> bool {
        self.headers().contains_key(X_TOKEN)
    }

    /// Whether the handler of a route with this cost reads the body. The framework would read any other body to its
    /// end, however long it is, before the connection is reused.
    pub(crate) fn reads_body(&self, cost: Cost) -> bool {
        self.method == Method::Post || cost == Cost::Save
    }

    /// The address of the paste that the path names.
    pub(crate) fn address(&self) -> PasteAddress<'a> {
        PasteAddress::of(self.route.param)
    }

    /// The best content coding that the client accepts.
    pub(crate) fn coding(&self) -> Coding {
        Coding::of(self.headers(), false)
    }

    /// The `Content-Type`; empty if it is absent or not ASCII.
    pub(crate) fn content_type(&self) -> &'a str {
        self.headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The charset that the `Content-Type` of a body names.
    pub(crate) fn charset(&self) -> Option<String> {
        String::from_utf8(parameter(self.content_type().as_bytes(), "charset")?).ok()
    }

    /// The kind of the body, which selects its parser.
    pub(crate) fn body_kind(&self) -> BodyKind {
        BodyKind::of(self.method, self.content_type())
    }

    /// The host that the client addressed; `local` is the name of this server on its machine.
    ///
    /// # Errors
    /// If the host is not a valid authority.
    pub(crate) fn host(&self, local: &'a str) -> Result<&'a str, RequestError> {
        host(self.head, local)
    }
}
