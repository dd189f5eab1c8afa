//! The service that the HTTP library calls for each request.
//!
//! Invariants: a request is in flight for its connection until the whole response is in the connection's buffer. One of
//! an evicted connection is not handled. A small body that was sent with its head is whole when the handler gets it.

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
    // Its response would not be sent, so the request must change nothing.
    if in_flight.as_ref().is_some_and(InFlightGuard::is_evicted) {
        return Err(HttpResponse::ServiceUnavailable().finish());
    }
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
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use actix_http::HttpService;
    use actix_service::Service as _;
    use actix_web::rt;

    use super::*;
    use crate::clock::Clock;
    use crate::config::Invocation;
    use crate::http::Server;
    use crate::http::connection::{ConnectionSlots, GuardedStream, HeadRejection};

    /// A connection, and its client.
    fn connection() -> (rt::net::TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        accepted.set_nonblocking(true).unwrap();
        (rt::net::TcpStream::from_std(accepted).unwrap(), client)
    }

    #[test]
    fn a_request_of_an_evicted_connection_changes_nothing() {
        let args = ["tidebin", "--addr", "127.0.0.1:0"]
            .map(Into::into)
            .to_vec();
        let invocation = Invocation::from_parts(args, [], || Ok(Vec::new()));
        let Ok(Invocation::Serve(config)) = invocation else {
            panic!("no configuration");
        };
        let server = Server::bind(*config, Clock::manual()).unwrap();
        let (state, store) = (Arc::clone(&server.state), server.store());
        rt::System::new().block_on(async {
            // Given a connection that is evicted when its head has been read
            let slot = ConnectionSlots::new(Clock::manual(), 1).acquire(None);
            slot.handle.evict();
            let rejection = HeadRejection {
                answer: Vec::new(),
                charge: Box::new(|_| ()),
            };
            let (evicted, _) = connection();
            let clock = Clock::manual();
            let evicted = GuardedStream::new(evicted, slot, clock, Arc::new(rejection), true);
            let service = HttpService::build()
                .on_connect_ext(move |_: &rt::net::TcpStream, data| {
                    _ = data.insert(Rc::clone(&evicted.state));
                })
                .h1(application(state));
            let service = service.new_service(()).await.unwrap();
            // When its request starts
            let (stream, mut client) = connection();
            let save = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
            client.write_all(save).unwrap();
            client.shutdown(std::net::Shutdown::Write).unwrap();
            let _ = service.call((stream, None)).await;
            // Then it is not handled
            let mut response = String::new();
            client.read_to_string(&mut response).unwrap();
            assert!(response.starts_with("HTTP/1.1 503"), "{response}");
        });
        assert_eq!(store.occupancy().pastes, 0);
    }

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
