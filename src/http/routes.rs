//! The table of routes, and the service that calls the handler of an admitted request.
//!
//! A new route is one row here and one file in [`super::handler`] or [`super::protocol`]. A request uses the first row
//! that matches its path, and in this row the first line that matches its method. The router of the framework is not
//! used: 40 resources of it cost more than the read of a paste.
//! Invariants: [`super::limiting`] finds the row of a request and admits the request before its handler is called. A
//! request whose body was not read to its end is held until its error is sent.

#[macro_use]
mod table;

pub(crate) mod find;

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::dev::{Payload, RequestHead, ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpRequest, HttpResponse};

use super::admission::{Charges, Floods, RequestContext};
use super::error::ApiError;
use super::handler::{
    about, action, api, asset, create, delete, editor, holders, login, mine, operate, read, report,
    save, static_page, update,
};
use super::protocol::{dpaste, gist, haste, mclogs, pastebin, pinnwand, privatebin, record};
use super::response::ErrorFormat;
use super::state::{AppState, ReportedServer, WorkerState};
use crate::account::Principal;
use crate::http::request::{Audience, Cost, Method, Parsed, Pattern, Request};
use crate::http::transfer::hold_request;

// The future of every request has room for `inlined` handlers, so only the most frequent ones are. The others are
// boxed. `or Put` saves a file of that name: `curl -T robots.txt` has to work on every route of a single segment.
routes! {
    "/raw/{id}" Raw {
        Get | Head => Read for Readers, read::get, inlined;
        Post => Read for Readers, action::post;
        Delete => Read for Removers, delete::delete;
    }
    "/" Home, or Put, errors as Home {
        Get | Head if privatebin::is_link => Read for Readers, privatebin::follow;
        Get | Head if Request::reads_html => Read for Savers, editor::new_paste;
        Get | Head => Read for Readers, static_page::help;
        Post => Save for Savers, save::save, inlined;
    }
    // No path is this one: a request for `/` is of this API if its header says so.
    "/?" PrivateBin, or Put, errors as PrivateBin {
        Get | Head => Read for Readers, privatebin::read;
        Post => Save for Savers, privatebin::post;
        Delete => Read for Removers, privatebin::delete;
    }
    "/help" Help, or Put {
        Get | Head => Read for Readers, static_page::help;
    }
    "/llms.txt" Llms, or Put {
        Get | Head => Read for Readers, static_page::help;
    }
    "/healthz" Health, or Put {
        Get | Head => Free for Anyone, static_page::health;
    }
    "/favicon.ico" Favicon, or Put {
        Get | Head => Free for Anyone, asset::favicon;
    }
    "/robots.txt" Robots, or Put {
        Get | Head => Free for Anyone, static_page::robots;
    }
    "/metrics" Metrics, or Put {
        Get | Head => Free for Operators, operate::metrics;
    }
    "/.well-known/security.txt" SecurityTxt {
        Get | Head => Read for Anyone, static_page::security_txt;
    }
    "/version" Version, or Put {
        Get | Head => Read for Readers, static_page::version;
    }
    "/login" Login, or Put {
        Get | Head => Read for Anyone, login::page;
        Post => Read for Anyone, login::log_in;
    }
    "/record" Records, or Put, errors as Record {
        Post => Save for Savers, record::save;
    }
    "/api" Api, or Put {
        Get | Head => Read for Readers, static_page::api;
    }
    "/ask" Ask, or Put {
        Get | Head => Read for Savers, editor::ask;
    }
    "/mine" Mine, or Put {
        Get | Head => Read for Readers, mine::list;
        Post => Save for Readers, mine::change;
    }
    "/mine/forget" Forget {
        Post => Save for Readers, mine::forget;
    }
    "/mine/device" Device {
        Get | Head => Read for Readers, mine::device::form;
        Post => Read for Readers, mine::device::pass_on;
    }
    "/operate" Operate, or Put {
        Get | Head => Free for Operators, operate::page;
        Post => Free for Operators, operate::act;
    }
    "/operate/pastes" Holders {
        Get | Head => Free for Operators, holders::list;
        Post => Free for Operators, holders::remove;
    }
    "/pb.sh" Pb, or Put {
        Get | Head => Read for Readers, static_page::pb;
    }
    "/sharex.sxcu" Sharex, or Put {
        Get | Head => Read for Readers, static_page::sharex;
    }
    "/api/openapi.json" OpenApi {
        Get | Head => Read for Readers, api::openapi;
    }
    "/api/v1/pastes" ApiPastes {
        Get | Head => Read for Readers, api::list;
        Post => Save for Savers, api::create;
    }
    "/api/v1/pastes/{id}" ApiPaste {
        Get | Head => Read for Readers, api::read;
        Patch => Save for Savers, api::update;
        Delete => Read for Removers, api::delete;
    }
    "/api/v1/pastes/{id}/answer" ApiAnswer {
        Post => Save for Readers, api::answer;
    }
    "/api/v1/pastes/{id}/read" ApiRead {
        Post => Read for Readers, api::read_protected;
    }
    "/api/v1/pastes/{id}/stats" ApiStats {
        Get | Head => Read for Readers, about::stats;
    }
    "/api/v1/paste" Pinnwand {
        Post => Save for Savers, pinnwand::save;
    }
    "/api/v3/gists" Gists, errors as Gist {
        Get | Head => Read for Readers, gist::list;
        Post => Save for Savers, gist::create;
    }
    "/api/v3/gists/{id}" Gist, errors as Gist {
        Get | Head => Read for Readers, gist::read;
        Patch | Post => Save for Savers, gist::update;
        Delete => Read for Removers, gist::delete;
    }
    "/api/graphql" GraphQl, errors as Gist {
        Post => Read for Readers, gist::graphql;
    }
    "/api/v1/operate" Status {
        Get | Head => Free for Operators, operate::status;
    }
    "/api/v1/operate/reports" Reports {
        Get | Head => Free for Operators, operate::reports;
    }
    "/api/v1/operate/reports/{id}" Dismissal {
        Delete => Free for Operators, operate::dismiss;
    }
    "/api/v1/operate/blocks" Blocks {
        Get | Head => Free for Operators, operate::blocks;
    }
    "/api/v1/operate/blocks/{sha256}" Block {
        Put => Free for Operators, operate::block;
        Delete => Free for Operators, operate::unblock;
    }
    "/api/v1/operate/pastes" ApiHolders {
        Get | Head => Free for Operators, holders::list;
        Post => Free for Operators, holders::remove;
    }
    "/assets/{name}" Asset {
        Get | Head if asset::exists => Free for Anyone, asset::asset;
        Get | Head => Read for Readers, asset::asset;
    }
    "/record/{key}" Record, errors as Record {
        Get | Head => Read for Readers, record::read;
    }
    "/raw/{id}/**" RawFile {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
    "/dl/{id}/**" DownloadFile {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
    "/dl/{id}" Download {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
        Delete => Read for Removers, delete::delete;
    }
    "/qr/{id}" Qr {
        Get | Head => Read for Readers, about::qr;
    }
    "/documents" Documents, or Put, errors as Haste {
        Post => Save for Savers, haste::save;
    }
    "/documents/{key}" Document, errors as Haste {
        Get | Head => Read for Readers, haste::read;
    }
    "/share/{id}" Share {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
    "/api/" Dpaste, errors as Dpaste {
        Post => Save for Savers, dpaste::save;
    }
    "/api/v2/" DpasteV2, errors as Dpaste {
        Post => Save for Savers, dpaste::save;
    }
    "/api/api_post.php" Pastebin, errors as Pastebin {
        Post => Save for Savers, pastebin::save;
    }
    "/diff" Compare, or Put {
        Get | Head => Read for Readers, read::diff::choose;
    }
    // Most requests are for a paste. All routes below have more segments.
    "/{id}+" Preview, or Put {
        Get | Head => Read for Readers, about::preview;
    }
    "/{id}" Paste {
        Get | Head => Read for Readers, read::get, inlined;
        Post => Read for Readers, action::post;
        Put if Request::has_token => Save for Savers, update::put;
        Put => Save for Savers, create::create;
        Delete => Read for Removers, delete::delete;
    }
    "/diff/{id}/{id}" Diff {
        Get | Head => Read for Readers, read::diff::diff;
    }
    "/{id}/language" Languages {
        Get | Head => Read for Readers, about::languages;
    }
    "/{id}/stats" Stats {
        Get | Head => Read for Readers, about::stats;
        Post => Read for Readers, about::enter_token;
    }
    "/{id}/delete" Deletion {
        Get | Head => Read for Removers, delete::ask;
    }
    "/{id}/edit" Edit {
        Get | Head => Read for Readers, editor::edit;
        Post if Request::is_multipart => Save for Savers, update::edit;
        Post => Save for Readers, about::enter_token;
    }
    "/{id}/report" Report {
        Get | Head => Read for Readers, report::form;
        Post => Save for Readers, report::send;
    }
    "/1/log" Mclogs, errors as Mclogs {
        Post => Save for Savers, mclogs::save;
    }
    "/1/raw/{id}" MclogsRaw, errors as Mclogs {
        Get | Head => Read for Readers, read::get;
    }
    "/{id}/*" PasteAs {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
    "/{id}/*/**" PasteFile {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
}

/// What the requests of one worker share.
pub(crate) struct Worker {
    pub(super) state: WorkerState,
    pub(super) floods: Floods,
    /// What the limiter hands over to [`handle`] with the request. Data of the request would cost an allocation and two
    /// searches.
    pub(super) admitted: Cell<Option<Admitted>>,
}

impl Worker {
    pub(crate) fn new(state: Arc<AppState>) -> Rc<Self> {
        Rc::new(Self {
            state: Rc::new(state),
            floods: Floods::default(),
            admitted: Cell::default(),
        })
    }
}

/// A request that the limiter has admitted.
pub(super) struct Admitted {
    /// The head of that request, by which it is known.
    pub(super) head: *const RequestHead,
    pub(super) endpoint: Endpoint,
    pub(super) parsed: Parsed,
    pub(super) principal: Principal,
    pub(super) charges: Rc<Charges>,
    pub(super) reported: Option<Box<ReportedServer>>,
}

/// Handles a request that the limiter has admitted, and no other. If its body was not read to its end, it is held until
/// the response is sent.
pub(crate) fn handle(
    worker: &Worker,
    http: ServiceRequest,
) -> impl Future<Output = Result<ServiceResponse, Error>> + use<> {
    let (http, payload) = http.into_parts();
    let admitted = worker.admitted.take();
    async move {
        let response = match admitted {
            Some(admitted) if std::ptr::eq(admitted.head, http.head()) => {
                answer(&http, payload, admitted).await
            }
            Some(_) | None => HttpResponse::InternalServerError().finish(),
        };
        Ok(ServiceResponse::new(http, response))
    }
}

async fn answer(http: &HttpRequest, payload: Payload, admitted: Admitted) -> HttpResponse {
    let (endpoint, charges) = (admitted.endpoint, &*admitted.charges);
    let shown = charges.state.shown(admitted.reported.as_deref());
    let (base_path, path) = (&charges.state.site.base_path, http.path());
    let path = below(base_path, path, admitted.parsed.method).unwrap_or(path);
    let request = endpoint.request(http.head(), path, admitted.parsed, shown);
    let mut context = RequestContext::new(charges, request, admitted.principal, payload);
    let clock = &charges.clock;
    let result = clock.follow(pin!(respond(endpoint, &mut context))).await;
    let payload = context.payload;
    let has_body = !matches!(payload, Payload::None);
    match result {
        Ok(response) if has_body && !request.reads_body(endpoint.cost(&request)) => {
            hold_request(response, payload)
        }
        Ok(response) => response,
        Err(error) => hold_request(error, payload),
    }
}

/// Returns the handler's response. After an error response, the request's body may be unread.
async fn respond(
    endpoint: Endpoint,
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, HttpResponse> {
    let request = context.request;
    if let Some(result) = endpoint.handle(context).await {
        return result;
    }
    let error = match request.public {
        Some(url) if endpoint == Endpoint::Outside => {
            ApiError::OutsideBasePath(url.as_str().to_owned())
        }
        // `curl -T FILE URL/DIR/` looks like a slug and a language.
        _ if endpoint == Endpoint::PasteAs && request.method == Method::Put => {
            ApiError::NothingSaved
        }
        _ => ApiError::unsupported(endpoint.methods(), request.method),
    };
    Err(error.into_response(endpoint.error_format(), &request))
}

/// Removes the base path. A probe asks the server itself about its health, without the path that a proxy adds.
fn below<'a>(base_path: &str, path: &'a str, method: Method) -> Option<&'a str> {
    match path.strip_prefix(base_path) {
        // Its clients add `/documents` to an address that ends in a slash.
        Some("//documents") => Some("/documents"),
        Some(below) if base_path.is_empty() || below.starts_with('/') => Some(below),
        Some("") => Some("/"),
        Some(_) | None => (path == "/healthz" && method.is_safe()).then_some(path),
    }
}

#[cfg(test)]
mod tests;
