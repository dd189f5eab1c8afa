//! The service that the HTTP library calls for each request.
//!
//! Invariants: a request is in flight for its connection until the whole response is in the connection's buffer. A
//! small body that was sent with its head is whole when the handler gets it.

use std::rc::Rc;
use std::sync::Arc;

use actix_http::{HttpMessage as _, Request, Response};
use actix_service::{ServiceFactory, fn_service};
use actix_web::HttpResponse;
use actix_web::dev::Payload;
use actix_web::http::Version;
use actix_web::http::header::{CONTENT_LENGTH, HeaderValue, UPGRADE};

use super::dispatch::{locate, serve};
use super::refusals::{may_flood, short_refusal, slow_down};
use super::state::AppState;
use crate::http::admission::Floods;
use crate::http::connection::{BodyLength, ConnectionState, InFlightGuard};
use crate::http::request::Method;
use crate::http::transfer::AnswerBody;

/// The service for the connections of one worker.
pub(crate) fn application(
    state: Arc<AppState>,
) -> impl ServiceFactory<
    Request,
    Config = (),
    Response = Response<AnswerBody>,
    Error = HttpResponse,
    InitError = (),
> {
    // Requests share the worker's reference. All workers would write to one counter of references otherwise.
    let worker = Rc::new((state, Floods::default()));
    // Boxed, because each connection has room for the future of a request, also while it is idle.
    fn_service(move |request| Box::pin(answer(Rc::clone(&worker), request)))
}

async fn answer(
    worker: Rc<(Arc<AppState>, Floods)>,
    mut request: Request,
) -> Result<Response<AnswerBody>, HttpResponse> {
    let (state, floods) = &*worker;
    let connection = request.conn_data::<Rc<ConnectionState>>().cloned();
    let in_flight = connection.map(|it| InFlightGuard::start(it, body_length(&mut request)));
    let payload = request.take_payload();
    let has_body = !matches!(payload, Payload::None);
    let payload = match &in_flight {
        Some(in_flight) => in_flight.watch(payload),
        None => payload,
    };
    if let Some(refusal) = refuse_flood(state, floods, &request) {
        return Err(refusal);
    }
    if let Some(in_flight) = in_flight.as_ref().filter(|_| has_body) {
        in_flight.defer().await;
    }
    let response = serve(state, floods, &request, payload).await;
    let (response, body) = Response::from(response).into_parts();
    Ok(response.set_body(AnswerBody::new(body, in_flight)))
}

/// Returns the length of the body as the library reads it.
fn body_length(request: &mut Request) -> BodyLength {
    if matches!(request.payload(), Payload::None) {
        return BodyLength::Known(0);
    }
    // In HTTP/1.0, the library ignores the header of chunked bodies.
    if request.version() == Version::HTTP_11 && request.chunked().unwrap_or(false) {
        return BodyLength::Chunked;
    }
    let is_websocket = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"websocket");
    if request.headers().get_all(UPGRADE).any(is_websocket) {
        return BodyLength::Unbounded;
    }
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.trim().parse().ok());
    length.map_or(BodyLength::Unbounded, BodyLength::Known)
}

/// Returns a refusal if the client floods, before the request is looked at further.
fn refuse_flood(state: &AppState, floods: &Floods, request: &Request) -> Option<HttpResponse> {
    let now = floods.is_any.get().then(|| state.clock.elapsed())?;
    let (method, headers) = (Method::of(request.method()), request.headers());
    let (endpoint, _, route) = locate(&state.site.base_path, request.path(), method);
    if endpoint.has_free_methods() || !may_flood(method, headers) {
        return None;
    }
    let peer = request.peer_addr().map(|peer| peer.ip());
    let client = state.clients.identity(peer, headers);
    floods.is_flooding(now, client.key).then(|| {
        let response = short_refusal();
        slow_down(
            request.conn_data::<Rc<ConnectionState>>(),
            headers,
            &response,
        );
        endpoint.record(state, request, route, &response, now);
        response
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_future_that_each_request_allocates_and_copies_is_small() {
        fn bytes<F>(_: impl FnOnce(Rc<(Arc<AppState>, Floods)>, Request) -> F) -> usize {
            size_of::<F>()
        }
        let bytes = bytes(answer);
        assert!(
            bytes <= 4096,
            "{bytes} bytes: box the parts that most requests do not need"
        );
    }
}
