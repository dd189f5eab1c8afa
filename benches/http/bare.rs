//! The bare handler, the minimal work of a server: it reads the body and returns a constant.

use std::process::Command;

use actix_web::http::{Method, StatusCode};
use actix_web::{App, HttpResponse, HttpServer, web};

use crate::load::Server;

/// The size of the response to a save in bytes: a URL.
const ADDRESS: usize = 36;

/// Parses the status and the size of the response from an argument such as `bare=200,1024`.
pub(crate) fn constant(word: &str) -> Option<(StatusCode, usize)> {
    let (status, size) = word.strip_prefix("bare=")?.split_once(',')?;
    let status = StatusCode::from_u16(status.parse().ok()?).ok()?;
    Some((status, size.parse().ok()?))
}

/// Starts a bare server in a process of its own.
pub(crate) fn start(status: u16, size: usize) -> Server {
    let this = std::env::current_exe().unwrap();
    Server::start(Command::new(this).arg(format!("bare={status},{size}")))
}

/// Serves this response to all requests except saves. The response to a save has the size of a URL.
pub(crate) fn serve((status, size): (StatusCode, usize)) {
    let content = web::Bytes::from("x".repeat(size));
    let address = web::Bytes::from("x".repeat(ADDRESS));
    let serve = async move {
        let app = move || {
            let (content, address) = (content.clone(), address.clone());
            let handler = move |method: Method, _body: web::Bytes| {
                let (status, body) = match method {
                    Method::POST => (StatusCode::CREATED, address.clone()),
                    _ => (status, content.clone()),
                };
                async move {
                    let mut answer = HttpResponse::build(status);
                    match status {
                        StatusCode::NOT_MODIFIED => answer.finish(),
                        _ => answer.content_type("text/plain; charset=utf-8").body(body),
                    }
                }
            };
            App::new()
                .app_data(web::PayloadConfig::new(4 << 20))
                .default_service(web::to(handler))
        };
        let server = HttpServer::new(app)
            .tcp_nodelay(true)
            .bind(("127.0.0.1", 0))
            .unwrap();
        eprintln!("http://{}", server.addrs()[0]);
        server.run().await.unwrap();
    };
    actix_web::rt::System::new().block_on(serve);
}
