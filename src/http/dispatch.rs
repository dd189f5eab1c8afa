//! The table of routes, and the steps of a request: identify, charge, authorize, handle, respond, log.
//!
//! A new route is one row here and one file in [`super::handler`] or [`super::protocol`]. A request uses the first row
//! that matches its path, and in this row the first line that matches its method.
//! Invariants: every request gets exactly one response, and one line in the log unless it is a health check. Every
//! response carries the security headers. A request whose body was not read to its end is held until its error is sent.
//! Requests that are not valid HTTP/1.1 never arrive here. The HTTP library answers them with a bare 400 or 431, and
//! the stream answers heads that are too slow or too large.

#[macro_use]
mod table;

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use actix_http::HttpMessage as _;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, dev};

use super::access_log;
use super::admission::{Floods, RequestContext, authorize, identify};
use super::error::ApiError;
use super::handler::{
    about, action, api, asset, create, delete, editor, login, mine, operate, read, report, save,
    static_page, update,
};
use super::protocol::{dpaste, haste, pastebin, privatebin, record, rustypaste};
use super::refusals::{is_refused_read, may_flood, slow_down};
use super::response::{ErrorFormat, is_shared, preflight_response, protect, share};
use super::state::AppState;
use crate::clock::RequestClock;
use crate::config::BaseUrl;
use crate::http::connection::ConnectionState;
use crate::http::request::{Audience, Cost, Method, Pattern, Request, Route};
use crate::http::transfer::hold_request;
use crate::limit::NetworkPolicy;
use crate::operate::Labels;

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
        Get | Head => Read for Readers, rustypaste::version;
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
    "/api/v1/pastes/{id}/read" ApiRead {
        Post => Read for Readers, api::read_protected;
    }
    "/api/v1/pastes/{id}/stats" ApiStats {
        Get | Head => Read for Readers, api::stats;
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
    "/assets/{name}" Asset {
        Get | Head if asset::exists => Free for Anyone, asset::asset;
        Get | Head => Read for Readers, asset::asset;
    }
    "/record/{key}" Record, errors as Record {
        Get | Head => Read for Readers, record::read;
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
    "/{id}/edit" Edit {
        Get | Head => Read for Readers, editor::edit;
        Post if Request::is_multipart => Save for Savers, update::edit;
        Post => Save for Readers, about::enter_token;
    }
    "/{id}/report" Report {
        Get | Head => Read for Readers, report::form;
        Post => Save for Readers, report::send;
    }
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
    "/{id}/*" PasteAs {
        Get | Head => Read for Readers, read::get;
        Post => Read for Readers, action::post;
    }
}

/// Handles one request from its head to its response.
pub(crate) async fn serve(
    state: &AppState,
    floods: &Floods,
    http: &actix_http::Request,
    payload: dev::Payload,
) -> HttpResponse {
    let clock = RequestClock::new(&state.clock);
    let started = clock.elapsed();
    state.look_back(started);
    let method = Method::of(http.method());
    let (endpoint, path, route) = locate(&state.site.base_path, http.path(), method);
    let (endpoint, route) = match endpoint {
        Endpoint::Home if privatebin::is_spoken(http.headers()) => find("/?"),
        endpoint => (endpoint, route),
    };
    let reported = state.reported_url(http);
    let prefix = reported.as_ref().map_or("", BaseUrl::path);
    let site = (!prefix.is_empty()).then(|| state.site_below(prefix));
    let site = site.as_ref().unwrap_or(&state.site);
    let mut request = Request::parse(http, path, route, &state.clients, site);
    request.public = state.public.as_ref().or(reported.as_ref());
    let mut response = answer(state, &clock, endpoint, request, payload).await;
    let is_limited = response.status() == StatusCode::TOO_MANY_REQUESTS;
    if (is_limited || floods.is_any.get())
        && !endpoint.has_free_methods()
        && may_flood(method, http.headers())
    {
        floods.record(started, request.client.key, is_refused_read(&response));
    }
    if is_limited || request.client.policy == NetworkPolicy::Deny {
        let connection = http.conn_data::<Rc<ConnectionState>>();
        slow_down(connection, http.headers(), &response);
    }
    protect(&mut response);
    if let Some(cors) = state.cors.as_ref().filter(|_| is_shared(route)) {
        share(cors, http.headers(), &mut response);
    }
    endpoint.record(state, http, route, &response, started);
    response
}

/// Charges and answers a request. A request whose body was not read to its end is held until the response is sent.
async fn answer(
    state: &AppState,
    clock: &RequestClock<'_>,
    endpoint: Endpoint,
    request: Request<'_>,
    payload: dev::Payload,
) -> HttpResponse {
    let mut context = RequestContext::new(state, clock, request, payload);
    let result = clock.follow(pin!(respond(endpoint, &mut context))).await;
    let (mut charges, payload) = (context.charges, context.payload);
    let has_body = !matches!(payload, dev::Payload::None);
    let response = match result {
        Ok(response) if has_body && !request.reads_body(endpoint.cost(&request)) => {
            hold_request(response, payload)
        }
        Ok(response) => response,
        Err(error) => hold_request(error, payload),
    };
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        charges.cancel();
    }
    response
}

/// Finds the route below the base path, and removes that. A probe asks the server itself about its health, without the
/// path that a proxy adds.
pub(super) fn locate<'a>(
    base_path: &str,
    path: &'a str,
    method: Method,
) -> (Endpoint, &'a str, Route<'a>) {
    let below = match path.strip_prefix(base_path) {
        Some(below) if base_path.is_empty() || below.starts_with('/') => Some(below),
        Some("") => Some("/"),
        Some(_) | None => (path == "/healthz" && method.is_safe()).then_some(path),
    };
    let Some(below) = below else {
        return (Endpoint::Outside, path, Route::UNKNOWN);
    };
    let (endpoint, route) = find(below);
    (endpoint, below, route)
}

/// The series by which requests are counted: each route with each method. All methods that a route does not support are
/// one, so that clients cannot make more of them. Saves over termbin come first.
pub(crate) fn series() -> impl Iterator<Item = Labels> {
    let routes = PATTERNS.iter().map(|(pattern, _)| pattern.text);
    let routes = routes.chain([Route::UNKNOWN.pattern]);
    let of_route = |route| Method::ALL.map(|method| [method.name(), route]);
    [access_log::TERMBIN]
        .into_iter()
        .chain(routes.flat_map(of_route))
}

impl Endpoint {
    /// Logs and counts a request that was answered.
    pub(super) fn record(
        self,
        state: &AppState,
        http: &actix_http::Request,
        route: Route<'_>,
        response: &HttpResponse,
        started: Duration,
    ) {
        let method = Method::of(http.method());
        let took = state.clock.elapsed().saturating_sub(started);
        let (status, bytes) = (response.status(), access_log::bytes_of(response));
        if self != Self::Health || !method.is_safe() {
            let id = state.clients.request_id(http);
            access_log::line(method.name(), route.pattern, status, bytes, took, id);
        }
        let series = self.series(method);
        state.requests.count(series, status.as_u16(), bytes, took);
    }

    /// The index of a request in [`series`].
    fn series(self, method: Method) -> usize {
        let is_known = self.methods().contains(&method);
        let method = if is_known { method } else { Method::Other };
        let endpoint = match self {
            Self::Outside => Self::Unknown,
            inside => inside,
        };
        access_log::TERMBIN_SERIES + 1 + endpoint as usize * Method::ALL.len() + method as usize
    }
}

/// Finds the route of a path that is still percent-encoded and without its query. A target without a leading slash,
/// such as that of `PUT x.txt HTTP/1.1`, has no route. It is not a path (RFC 9112, section 3.2).
fn find(path: &str) -> (Endpoint, Route<'_>) {
    let initial = path.as_bytes().get(1).copied();
    PATTERNS
        .iter()
        .filter(|(pattern, _)| pattern.may_match(initial))
        .find_map(|(pattern, endpoint)| Some((*endpoint, pattern.route(path)?)))
        .unwrap_or((Endpoint::Unknown, Route::UNKNOWN))
}

/// Returns the response. After an error response, the request's body may be unread.
async fn respond(
    endpoint: Endpoint,
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, HttpResponse> {
    let request = context.request;
    let error_response = |error: ApiError| error.into_response(endpoint.error_format(), &request);
    // Health checks are answered even for a denied network.
    let is_health = endpoint == Endpoint::Health && request.is_read();
    if request.client.policy == NetworkPolicy::Deny && !is_health {
        return Err(error_response(ApiError::Denied));
    }
    let is_preflight =
        context.state.cors.is_some() && is_shared(request.route) && request.is_preflight();
    let audience = endpoint.audience(&request);
    if audience != Audience::Anyone && !is_preflight {
        identify(context).map_err(error_response)?;
    }
    let cost = endpoint.cost(&request);
    let admitted = context.charges.admit(cost, request.declared_length).await;
    admitted.map_err(error_response)?;
    if is_preflight {
        return Ok(preflight_response());
    }
    authorize(context, audience).map_err(error_response)?;
    match endpoint.handle(context).await {
        Some(result) => result,
        None => Err(error_response(match request.public {
            Some(url) if endpoint == Endpoint::Outside => {
                ApiError::OutsideBasePath(url.as_str().to_owned())
            }
            // `curl -T FILE URL/DIR/` looks like a slug and a language.
            _ if endpoint == Endpoint::PasteAs && request.method == Method::Put => {
                ApiError::NothingSaved
            }
            _ => ApiError::unsupported(endpoint.methods(), request.method),
        })),
    }
}

#[cfg(test)]
mod tests;
