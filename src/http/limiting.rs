//! The limiter: the middleware in front of all handlers.
//!
//! It identifies the client of a request, charges its limits, checks its rights, and refuses the request or passes it
//! on. It gives back what a refusal of the server has cost, and completes, counts and logs the response.
//!
//! Invariants: every request gets exactly one response, and one line in the log unless it is a health check. Every
//! response carries the security headers. A request whose body was not read to its end is held until its error is sent.
//! A request is in flight for its connection until the whole response is in the connection's buffer. One of an evicted
//! connection is not handled. A small body that was sent with its head is whole when the handler gets it.
//! Requests that are not valid HTTP/1.1 never arrive here. The HTTP library answers them with a bare 400 or 431, and
//! the stream answers heads that are too slow or too large.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use actix_http::HttpMessage as _;
use actix_web::body::BoxBody;
use actix_web::dev::{Payload, RequestHead, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, HeaderValue, RETRY_AFTER, UPGRADE};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest, HttpResponse};

use super::access_log;
use super::admission::{Charges, RequestContext, authorize, identify, is_refused_read, may_flood};
use super::connection::{BodyLength, ConnectionState, InFlightGuard};
use super::error::ApiError;
use super::request::{Audience, Cost, Method, Parsed, is_forwarded};
use super::response::{NO_STORE, TEXT, is_shared, preflight_response, protect, respond, share};
use super::routes::find::locate;
use super::routes::{Admitted, Endpoint, Worker};
use super::state::AppState;
use super::transfer::{AnswerBody, hold_request};
use crate::account::Principal;
use crate::limit::NetworkPolicy;

/// Answers a request: refuses it, or passes it on.
pub(crate) async fn limit(
    worker: Rc<Worker>,
    mut http: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<AnswerBody>, Error> {
    let connection = http.conn_data::<Rc<ConnectionState>>().cloned();
    // Without a connection, as in a test, nothing polls a deferred request again.
    let may_defer = connection.is_some();
    let connection = connection.unwrap_or_default();
    let body = body_length(&mut http);
    let in_flight = InFlightGuard::start(Rc::clone(&connection), body);
    let (http, payload) = http.into_parts();
    let has_body = body != BodyLength::Known(0);
    let payload = in_flight.watch(payload);
    let payload = if has_body { payload } else { Payload::None };
    // The response of an evicted connection would not be sent, so the request must change nothing.
    let refusal = if in_flight.is_evicted() {
        Some(HttpResponse::ServiceUnavailable().finish())
    } else {
        refuse_flood(&worker, &http)
    };
    let response = match refusal {
        Some(refusal) => ServiceResponse::new(http, refusal),
        None => {
            if may_defer && has_body {
                InFlightGuard::defer().await;
            }
            answer(&worker, connection, http, payload, next).await?
        }
    };
    Ok(response.map_body(|_, body| AnswerBody::new(body, in_flight)))
}

/// Identifies, charges and authorizes a request. Answers it, and completes the response.
async fn answer(
    worker: &Worker,
    connection: Rc<ConnectionState>,
    http: HttpRequest,
    payload: Payload,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let (state, head) = (&worker.state, http.head());
    let (method, endpoint, path) = locate(&state.site.base_path, head);
    let parsed = Parsed::of(method, head, path, &state.clients);
    let charges = Rc::new(Charges::new(Rc::clone(state), parsed.client, connection));
    let started = charges.elapsed();
    state.look_back(started);
    let reported = state.reported(head);
    let shown = state.shown(reported.as_deref());
    let request = endpoint.request(head, path, parsed, shown);
    let is_shared = state.cors.is_some() && is_shared(request.route);
    let is_save = !request.is_read() && endpoint.cost(&request) == Cost::Save;
    let mut context = RequestContext::new(&charges, request, Principal::Anonymous, payload);
    let admitted = charges
        .clock
        .follow(pin!(admit(endpoint, &mut context)))
        .await;
    let (principal, payload) = (context.principal, context.payload);
    let answered = match admitted {
        Ok(()) => {
            worker.admitted.set(Some(Admitted {
                head,
                endpoint,
                parsed,
                principal,
                charges: Rc::clone(&charges),
                reported,
            }));
            next.call(ServiceRequest::from_parts(http, payload)).await?
        }
        Err(refusal) => ServiceResponse::new(http, hold_request(refusal, payload)),
    };
    if answered.status() == StatusCode::SERVICE_UNAVAILABLE {
        charges.cancel();
    }
    drop(charges);
    let (http, mut response) = answered.into_parts();
    let headers = http.headers();
    let is_limited = response.status() == StatusCode::TOO_MANY_REQUESTS;
    if (is_limited || worker.floods.is_any.get())
        && !endpoint.has_free_methods()
        && may_flood(method, headers, state.accounts.user_header.as_ref())
    {
        let (client, is_refused) = (parsed.client.key, is_refused_read(&response));
        worker.floods.record(started, client, is_refused);
    }
    if is_limited || parsed.client.policy == NetworkPolicy::Deny {
        slow_down(&http, &response);
    }
    protect(&mut response);
    if let Some(cors) = state.cors.as_ref().filter(|_| is_shared) {
        share(cors, headers, &mut response);
    }
    if is_save {
        state.requests.count_save(response.status().as_u16());
    }
    record((method, endpoint), state, http.head(), &response, started);
    Ok(ServiceResponse::new(http, response))
}

/// Returns the response of a request that is not passed on. After that, its body is unread.
async fn admit(endpoint: Endpoint, context: &mut RequestContext<'_>) -> Result<(), HttpResponse> {
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
    if audience != Audience::Anyone
        && !is_preflight
        && let Err(refused) = identify(context)
    {
        let admitted = context.charges.admit(Cost::Read, None).await;
        return Err(error_response(admitted.err().unwrap_or(refused)));
    }
    let cost = endpoint.cost(&request);
    let declared = match cost {
        Cost::Save => request.declared_length(),
        Cost::Free | Cost::Read => None,
    };
    let admitted = context.charges.admit(cost, declared).await;
    admitted.map_err(error_response)?;
    if is_preflight {
        return Err(preflight_response());
    }
    authorize(context, audience).map_err(error_response)
}

/// Returns the length of the body as the library reads it. A body without an end is none: to the library, one that asks
/// for a websocket ends with the connection.
fn body_length(http: &mut ServiceRequest) -> BodyLength {
    if matches!(http.parts().1, Payload::None) {
        return BodyLength::Known(0);
    }
    if http.chunked().unwrap_or(false) {
        return BodyLength::Chunked;
    }
    let is_websocket = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"websocket");
    if http.headers().get_all(UPGRADE).any(is_websocket) {
        return BodyLength::Known(0);
    }
    let length = http.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.trim().parse().ok());
    BodyLength::Known(length.unwrap_or(0))
}

/// Returns a refusal if the client floods, before the request is looked at further. It says less than other refusals.
fn refuse_flood(worker: &Worker, http: &HttpRequest) -> Option<HttpResponse> {
    let (state, head) = (&worker.state, http.head());
    let now = worker.floods.is_any.get().then(|| state.clock.elapsed())?;
    let (method, endpoint, _) = locate(&state.site.base_path, head);
    let user = state.accounts.user_header.as_ref();
    if endpoint.has_free_methods() || !may_flood(method, &head.headers, user) {
        return None;
    }
    let peer = head.peer_addr.map(|peer| peer.ip());
    let client = state.clients.identity(peer, &head.headers);
    worker.floods.is_flooding(now, client.key).then(|| {
        let mut refusal = respond(StatusCode::TOO_MANY_REQUESTS, TEXT, NO_STORE)
            .insert_header((RETRY_AFTER, HeaderValue::from_static("1")))
            .body("Too many requests. Try again in 1 second.\n");
        protect(&mut refusal);
        slow_down(http, &refusal);
        record((method, endpoint), state, head, &refusal, now);
        refusal
    })
}

/// Lets the client wait after a refusal, unless a proxy has passed the request on.
fn slow_down(http: &HttpRequest, response: &HttpResponse) {
    if let Some(connection) = http.conn_data::<Rc<ConnectionState>>()
        && !is_forwarded(http.headers())
    {
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        connection.refuse(Duration::from_secs(seconds.unwrap_or(1)));
    }
}

/// Logs and counts a request that was answered.
fn record(
    (method, endpoint): (Method, Endpoint),
    state: &AppState,
    head: &RequestHead,
    response: &HttpResponse,
    started: Duration,
) {
    let took = state.clock.elapsed().saturating_sub(started);
    let (status, bytes) = (response.status(), access_log::bytes_of(response));
    if endpoint != Endpoint::Health || !method.is_safe() {
        let id = state.clients.request_id(head);
        access_log::line(method.name(), endpoint.pattern(), status, bytes, took, id);
    }
    let series = endpoint.series(method);
    state.requests.count(series, status.as_u16(), bytes, took);
}

#[cfg(test)]
mod tests;
