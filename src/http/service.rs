//! What the handlers share, and the way of every request through them.
//!
//! What it must not know: sockets, workers, signals.
//! Invariants: every request gets exactly one answer and one line in the log; every answer is protected; a request
//! whose body was not read to its end is held until its refusal is sent. What is no request of HTTP/1.1 never
//! comes here: the HTTP library answers it with a bare 400, 408 or 431.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{HeaderValue, TRANSFER_ENCODING};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, dev};

use crate::clock::Clock;
use crate::config::{BaseUrl, ByteSize, Redirect};
use crate::http::access_log;
use crate::http::admission::context::RequestContext;
use crate::http::admission::incident::Incident;
use crate::http::error::api_error::ApiError;
use crate::http::handler::encryption::KeyMemories;
use crate::http::handler::read::Representation;
use crate::http::handler::{
    action, asset, create, delete, editor, link, qr, read, static_page, stats, update,
};
use crate::http::protocol::record;
use crate::http::request::client::ClientResolver;
use crate::http::request::format::ResponseFormat;
use crate::http::request::host;
use crate::http::request::route::{Cost, Route};
use crate::http::response::headers;
use crate::http::response::headers::X_TOKEN;
use crate::http::transfer::request_body::declared_length;
use crate::http::transfer::response_body::hold_request;
use crate::limit::{Limiter, NetworkPolicy};
use crate::overload::Overload;
use crate::paste::{ExpiryPolicy, IdCodec, Timestamp, TokenHash};
use crate::render::PageCache;
use crate::store::Store;

/// What a saver may ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of content.
    pub(crate) max_paste_size: usize,
    pub(crate) expiry_policy: ExpiryPolicy,
}

/// One for the process, shared by all workers.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) store: Arc<Store>,
    pub(crate) ids: IdCodec,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    /// What becomes of short links.
    pub(crate) redirect: Redirect,
    /// The operator's public address, if told.
    pub(crate) public: Option<BaseUrl>,
    /// Who is asking, and what is decided about them.
    pub(crate) clients: ClientResolver,
    /// What is kept of the operator's token, if there is one.
    pub(crate) operator: Option<TokenHash>,
    pub(crate) limiter: Arc<Limiter>,
    /// The rules for saves, as whoever has their figures as they are is told them; none if there are none.
    pub(crate) save_policies: Option<HeaderValue>,
    /// While clients are refused by their limits.
    pub(crate) limiting: Incident,
    /// While requests are turned away because there is too much to do.
    pub(crate) shedding: Incident,
    /// What was rendered lately.
    pub(crate) pages: Arc<PageCache>,
    pub(crate) overload: Arc<Overload>,
    pub(crate) key_memories: Arc<KeyMemories>,
}

impl Service {
    /// Answers one request.
    pub(crate) async fn serve(
        &self,
        request: HttpRequest,
        mut payload: dev::Payload,
    ) -> HttpResponse {
        let started = self.clock.elapsed();
        self.tell_what_is_over(started);
        let route = Route::of(request.path());
        let mut context = RequestContext::new(self, self.clients.who(&request));
        let mut answer = match self
            .answer(&mut context, &request, route, &mut payload)
            .await
        {
            Ok(answer) if is_unread(&request, route) => hold_request(answer, payload),
            Ok(answer) => answer,
            Err(refusal) => hold_request(refusal, payload),
        };
        if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
            context.cancel();
        }
        headers::protect(&mut answer);
        access_log::request(
            request.method(),
            route,
            &answer,
            self.clock.elapsed().saturating_sub(started),
        );
        answer
    }

    /// All routes and methods. A refusal is an answer too, but one whose request may be unread.
    async fn answer(
        &self,
        context: &mut RequestContext<'_>,
        request: &HttpRequest,
        route: Route<'_>,
        payload: &mut dev::Payload,
    ) -> Result<HttpResponse, HttpResponse> {
        let format = ResponseFormat::of(request.headers());
        let method = request.method();
        let is_read = method == Method::GET || method == Method::HEAD;
        // Whoever watches over the server asks this, from wherever.
        let is_health = is_read && route == Route::Health;
        if context.who.treatment == NetworkPolicy::Deny && !is_health {
            return Err(refusal(ApiError::Denied, route, format));
        }
        let declared = declared_length(request);
        context
            .admit(route.cost(method), declared)
            .await
            .map_err(|error| refusal(error, route, format))?;
        if !route.methods().contains(method) {
            return Err(ApiError::method(route).into_response(format));
        }
        let answer = match route {
            Route::Record(key) => {
                return record::read(context, request, key)
                    .await
                    .map_err(record::Failure::into_response);
            }
            Route::Records if method == Method::POST => {
                return record::save(context, request, payload)
                    .await
                    .map_err(record::Failure::into_response);
            }
            Route::Home if is_read => editor::home(context, request).await,
            Route::Help if is_read => static_page::help(self, request),
            Route::Health if is_read => Ok(static_page::health()),
            Route::Robots if is_read => Ok(static_page::robots()),
            Route::Favicon if is_read => Ok(static_page::favicon()),
            Route::Asset(name) => asset::asset(name, request.headers()),
            Route::Raw(id) if is_read => {
                read::read(context, request, id, Representation::Raw).await
            }
            Route::Download(id) if is_read => {
                read::read(context, request, id, Representation::Download).await
            }
            Route::Qr(id) => qr::qr(context, request, id),
            Route::Paste(id) if is_read => {
                read::read(context, request, id, Representation::Negotiated).await
            }
            Route::Preview(id) if is_read => link::preview(context, request, id),
            Route::Stats(id) if is_read => stats::stats(context, request, id),
            Route::Stats(id) => stats::enter(context, request, payload, id, "stats").await,
            Route::Edit(id) if is_read => editor::edit(context, request, id).await,
            Route::Edit(id) => update::by_editor(context, request, payload, id).await,
            Route::Paste(id) | Route::Raw(id) | Route::Download(id) if method == Method::DELETE => {
                delete::delete(context, request, id, None)
            }
            Route::Raw(id) => {
                action::post(context, request, payload, id, Representation::Raw).await
            }
            Route::Download(id) => {
                action::post(context, request, payload, id, Representation::Download).await
            }
            Route::Paste(id) if method == Method::POST => {
                action::post(context, request, payload, id, Representation::Negotiated).await
            }
            Route::Paste(id) if request.headers().contains_key(X_TOKEN) => {
                update::by_put(context, request, payload, id).await
            }
            // What is left of the methods above is POST to `/` and PUT to any one segment.
            Route::Home
            | Route::Help
            | Route::Health
            | Route::Robots
            | Route::Favicon
            | Route::Records
            | Route::Preview(_)
            | Route::Paste(_) => create::save(context, request, payload).await,
            Route::Unknown => Err(ApiError::Missing),
        };
        answer.map_err(|error| error.into_response(format))
    }

    /// One line in the log for each episode that has ended, with the first request after it.
    fn tell_what_is_over(&self, now: Duration) {
        for (incident, what) in [(&self.limiting, "limiting"), (&self.shedding, "overload")] {
            if let Some(over) = incident.poll_end(now) {
                let seconds = over.lasted.as_secs();
                tracing::info!(refused = over.times, seconds, "{what} is over");
            }
        }
    }

    /// The time, as the store counts it.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::since_start(self.clock.elapsed())
    }

    /// The date of a moment, in milliseconds since 1970. Reckoned from today's date each time, so that a wall clock
    /// set right after the start is right here too.
    pub(crate) fn epoch_millis(&self, timestamp: Timestamp) -> u64 {
        let now = self.now();
        let date = self.clock.date();
        let date = (date + timestamp.since(now)).saturating_sub(now.since(timestamp));
        u64::try_from(date.as_millis()).unwrap_or(u64::MAX)
    }

    /// The address to put before ids, without a slash at its end.
    pub(crate) fn base_url<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> Result<Cow<'a, str>, ApiError> {
        match &self.public {
            Some(url) => Ok(Cow::Borrowed(url.as_str())),
            None => host::of(request).map(|host| Cow::Owned(["http://", &host].concat())),
        }
    }

    /// The largest paste, for people.
    pub(crate) fn max_size(&self) -> String {
        ByteSize(self.limits.max_paste_size).to_string()
    }
}

/// The answer to a request that no handler is to see, in the form that the route's clients can read.
fn refusal(error: ApiError, route: Route<'_>, format: ResponseFormat) -> HttpResponse {
    match route {
        Route::Records | Route::Record(_) => record::Failure::from(error).into_response(),
        Route::Home
        | Route::Help
        | Route::Health
        | Route::Favicon
        | Route::Robots
        | Route::Asset(_)
        | Route::Raw(_)
        | Route::Download(_)
        | Route::Qr(_)
        | Route::Paste(_)
        | Route::Preview(_)
        | Route::Stats(_)
        | Route::Edit(_)
        | Route::Unknown => error.into_response(format),
    }
}

/// Whether a request has a body that no handler reads: it would be read to its end, however long that is, before the
/// connection serves another.
fn is_unread(request: &HttpRequest, route: Route<'_>) -> bool {
    let has_body = request.headers().contains_key(TRANSFER_ENCODING)
        || declared_length(request).is_some_and(|length| length > 0);
    let is_read = request.method() == Method::POST || route.cost(request.method()) == Cost::Save;
    has_body && !is_read
}
