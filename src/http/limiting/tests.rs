//! Tests of the limiter as a middleware, in front of a service of the test or of the table of routes.

use std::cell::Cell;
use std::future::ready;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use actix_http::HttpService;
use actix_service::{Service, ServiceFactory, map_config};
use actix_web::dev::{AppConfig, fn_service};
use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, init_service};
use actix_web::{App, rt};

use super::*;
use crate::account::{Key, KeyEnd, KeyGrant, Rights};
use crate::clock::Clock;
use crate::config::Invocation;
use crate::http::Server;
use crate::http::connection::{GuardedStream, HeadRejection};
use crate::http::routes::{PATTERNS, handle};
use crate::limit::Multiplier;
use crate::page;

fn server(args: &[&str]) -> Server {
    let args = ["tidebin", "--addr=127.0.0.1:0"].iter().chain(args);
    match Invocation::from_parts(args.map(Into::into), [], || Ok(Vec::new())) {
        Ok(Invocation::Serve(config)) => Server::bind(*config, Clock::manual()).unwrap(),
        other => panic!("not a configuration: {other:?}"),
    }
}

/// A middleware as it stands in front of the handlers.
macro_rules! limiter {
    ($worker:expr) => {{
        let worker = Rc::clone(&$worker);
        from_fn(move |http, next| limit(Rc::clone(&worker), http, next))
    }};
}

/// Sends these requests one after the other through the limiter, with the status that the service behind it answers
/// with. Returns the status that the client gets, and whether the service was asked.
fn statuses(server: &Server, requests: Vec<(TestRequest, u16)>) -> Vec<(u16, bool)> {
    rt::System::new().block_on(async {
        let mut answers = Vec::new();
        for (request, status) in requests {
            let worker = Worker::new(Arc::clone(&server.state));
            let was_asked = Rc::new(Cell::new(false));
            let asked = Rc::clone(&was_asked);
            let service = fn_service(move |http: ServiceRequest| {
                asked.set(true);
                let status = StatusCode::from_u16(status).unwrap();
                ready(Ok(http.into_response(HttpResponse::new(status))))
            });
            let app = App::new().wrap(limiter!(worker)).default_service(service);
            let app = init_service(app).await;
            let peer = SocketAddr::from(([192, 0, 2, 1], 50_000));
            let request = request.peer_addr(peer).to_request();
            let answer = app.call(request).await.unwrap();
            answers.push((answer.status().as_u16(), was_asked.get()));
        }
        answers
    })
}

#[test]
fn a_request_over_its_limit_does_not_reach_the_service() {
    let server = server(&["--limit-save=quota 2/1d", "--limit-read=off"]);
    let save = || TestRequest::post().uri("/");
    let read = TestRequest::get().uri("/AAAAAAAAAAAA");
    let answers = statuses(
        &server,
        vec![(save(), 201), (save(), 201), (save(), 201), (read, 404)],
    );
    assert_eq!(
        answers,
        [(201, true), (201, true), (429, false), (404, true)]
    );
}

#[test]
fn a_save_that_the_server_cannot_do_is_given_back() {
    let server = server(&["--limit-save=quota 1/1d"]);
    let save = || TestRequest::post().uri("/");
    let answers = statuses(
        &server,
        vec![(save(), 503), (save(), 503), (save(), 201), (save(), 201)],
    );
    assert_eq!(
        answers,
        [(503, true), (503, true), (201, true), (429, false)]
    );
}

#[test]
fn a_request_without_the_right_key_does_not_reach_the_service() {
    let (server, key) = private_server("limiting");
    let read = || TestRequest::get().uri("/AAAAAAAAAAAA");
    let with = |key: &str| read().insert_header(("authorization", format!("Bearer {key}")));
    let answers = statuses(
        &server,
        vec![(read(), 200), (with("wrong"), 200), (with(&key), 200)],
    );
    assert_eq!(answers, [(401, false), (401, false), (200, true)]);
}

#[test]
fn a_request_that_the_limiter_has_not_admitted_is_not_handled() {
    let server = server(&[]);
    rt::System::new().block_on(async {
        // Given a limiter that asks the service for another request in between
        let worker = Worker::new(Arc::clone(&server.state));
        let handlers = Rc::clone(&worker);
        let between = from_fn(move |http: ServiceRequest, next: Next<BoxBody>| {
            let other = TestRequest::get().uri("/help").to_srv_request();
            let other = handle(&handlers, other);
            async move {
                let other = other.await?;
                let own = next.call(http).await?;
                assert_eq!(
                    [other.status(), own.status()],
                    [StatusCode::INTERNAL_SERVER_ERROR; 2]
                );
                Ok::<_, Error>(own)
            }
        });
        let handlers = Rc::clone(&worker);
        let app = App::new()
            .wrap(between)
            .wrap(limiter!(worker))
            .default_service(fn_service(move |http| handle(&handlers, http)));
        let app = init_service(app).await;
        // Then the other one does not get what was admitted, nor does anyone get it later
        let help = TestRequest::get().uri("/help").to_request();
        let answer = app.call(help).await.unwrap();
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    });
}

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
    let server = server(&[]);
    let was_asked = Rc::new(Cell::new(false));
    rt::System::new().block_on(async {
        // Given a connection that is evicted when its head has been read
        let overload = &server.state.overload;
        overload.limit_connections(0);
        let slot = overload.connect(Duration::ZERO, None);
        let rejection = HeadRejection {
            answer: Vec::new(),
            charge: Box::new(|_| ()),
        };
        let (evicted, _) = connection();
        let clock = Clock::manual();
        let evicted = GuardedStream::new(evicted, slot, clock, Arc::new(rejection), true);
        let worker = Worker::new(Arc::clone(&server.state));
        let asked = Rc::clone(&was_asked);
        let service = fn_service(move |http: ServiceRequest| {
            asked.set(true);
            ready(Ok(http.into_response(HttpResponse::new(StatusCode::OK))))
        });
        let app = App::new().wrap(limiter!(worker)).default_service(service);
        let service = HttpService::build()
            .on_connect_ext(move |_: &rt::net::TcpStream, data| {
                _ = data.insert(Rc::clone(&evicted.state));
            })
            .h1(map_config(app, |()| AppConfig::default()));
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
    assert!(!was_asked.get());
}

#[test]
fn the_future_that_each_request_allocates_and_copies_is_small() {
    fn bytes<F>(_: impl FnOnce(Rc<Worker>, ServiceRequest, Next<BoxBody>) -> F) -> usize {
        size_of::<F>()
    }
    let bytes = bytes(limit);
    assert!(
        bytes <= 2048,
        "{bytes} bytes: box the parts that most requests do not need"
    );
}

/// A private server with one key, and the text of that.
fn private_server(name: &str) -> (Server, String) {
    let directory = std::env::temp_dir().join(format!("tidebin-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let grant = KeyGrant {
        name: "alice".parse().unwrap(),
        rights: Rights::default(),
        multiplier: Multiplier::ONE,
        end: KeyEnd::default(),
    };
    let (key, text) = Key::from_random(grant, [7; 16]);
    let file = directory.join("keys");
    std::fs::write(&file, key.line()).unwrap();
    let keys = format!("--keys={}", file.display());
    let limits = ["--limit-read=off", "--limit-save=off"];
    let server = server(&["--access=private", limits[0], limits[1], &keys]);
    std::fs::remove_dir_all(&directory).unwrap();
    (server, text)
}

#[test]
fn a_private_server_answers_no_route_without_a_key_but_the_way_in() {
    let (server, _) = private_server("routes");
    let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
    ];
    let style = format!("/assets/{}", page::STYLE.name);
    let patterns = PATTERNS.iter();
    let examples = patterns.map(|(pattern, _)| pattern.example("0123456789AB"));
    let paths: Vec<String> = examples
        .chain([style.clone(), "/a/b/c".to_owned()])
        .collect();
    let mut open = Vec::new();
    rt::System::new().block_on(async {
        let worker = Worker::new(Arc::clone(&server.state));
        let handlers = Rc::clone(&worker);
        let app = App::new()
            .wrap(limiter!(worker))
            .default_service(fn_service(move |http| handle(&handlers, http)));
        let app = init_service(app).await;
        for path in &paths {
            for (method, accept) in methods
                .iter()
                .flat_map(|it| [(it, "*/*"), (it, "text/html")])
            {
                let http = TestRequest::with_uri(path)
                    .method(method.parse().unwrap())
                    .insert_header(("Accept", accept));
                let response = app.call(http.to_request()).await.unwrap();
                match response.status() {
                    StatusCode::UNAUTHORIZED => {}
                    _ => open.push(format!("{method} {path}")),
                }
            }
        }
    });
    open.dedup();
    let expected = [
        "GET /healthz",
        "HEAD /healthz",
        "GET /favicon.ico",
        "HEAD /favicon.ico",
        "GET /robots.txt",
        "HEAD /robots.txt",
        "GET /.well-known/security.txt",
        "HEAD /.well-known/security.txt",
        "GET /login",
        "HEAD /login",
        &format!("GET {style}"),
        &format!("HEAD {style}"),
    ];
    assert_eq!(open, expected);
}
