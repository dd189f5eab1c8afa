//! A stream without a socket under the HTTP library. It notes what the library does.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_http::body::{BoxBody, SizedStream};
use actix_http::error::PayloadError;
use actix_http::{Error, HttpService, KeepAlive, Request, Response};
use actix_service::{Service as _, ServiceFactory as _, fn_service};
use actix_web::web::Bytes;
use futures_core::Stream as _;
use futures_util::stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use Event::{Accept, Arrive, End, Fail};

/// Bytes of a chunk of `/large`, and the least bytes of its response that are written at once.
pub(super) const CHUNK: usize = 16 * 1024;
pub(super) const WRITE_BUFFER: usize = 4 * CHUNK;

/// What happens to the stream before the library is polled.
pub(super) enum Event {
    Arrive(Vec<u8>),
    End,
    Fail,
    /// The client reads, or does not read, what is written.
    Accept(bool),
}

/// A stream that notes the calls of the library.
#[derive(Default)]
pub(super) struct Wire {
    arrived: VecDeque<Event>,
    is_blocked: bool,
    /// What the library did since it was last polled, in order.
    log: Vec<String>,
    /// The room in the library's buffer at each read, and the bytes of each write.
    pub(super) rooms: Vec<usize>,
    pub(super) writes: Vec<usize>,
    pub(super) written: Vec<u8>,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Wire>>);

impl Shared {
    fn note(&self, call: impl Into<String>) {
        self.0.borrow_mut().log.push(call.into());
    }
}

impl AsyncRead for Shared {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = &mut *self.0.borrow_mut();
        let (call, read) = match wire.arrived.pop_front() {
            Some(Arrive(mut bytes)) => {
                wire.rooms.push(buffer.remaining());
                let rest = bytes.split_off(bytes.len().min(buffer.remaining()));
                buffer.put_slice(&bytes);
                if !rest.is_empty() {
                    wire.arrived.push_front(Arrive(rest));
                }
                ("reads", Poll::Ready(Ok(())))
            }
            Some(End) => ("reads the end", Poll::Ready(Ok(()))),
            Some(Fail) => {
                let failure = io::ErrorKind::ConnectionAborted.into();
                ("fails to read", Poll::Ready(Err(failure)))
            }
            Some(Accept(_)) | None => ("waits for bytes", Poll::Pending),
        };
        wire.log.push(call.to_owned());
        read
    }
}

impl AsyncWrite for Shared {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.note("writes");
        let wire = &mut *self.0.borrow_mut();
        if wire.is_blocked {
            return Poll::Pending;
        }
        wire.writes.push(bytes.len());
        wire.written.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.note("flushes");
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.note("shuts down");
        Poll::Ready(Ok(()))
    }
}

/// Notes that a request was dropped before it was answered.
struct Dropped(Shared);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.note("drops the request");
    }
}

/// Answers as the path says, or at the second poll, as a deferred request does.
async fn answer(wire: Shared, mut request: Request) -> Result<Response<BoxBody>, Error> {
    wire.note(format!("starts {}", request.path()));
    let mut body = BoxBody::new("body");
    match request.path() {
        "/waits" => {
            let _dropped = Dropped(wire.clone());
            pending::<()>().await;
        }
        "/refuses" => (),
        "/reads" => {
            let mut payload = request.take_payload();
            while let Some(chunk) = poll_fn(|it| Pin::new(&mut payload).poll_next(it)).await {
                wire.note(match chunk {
                    Ok(chunk) => format!("gets {} bytes", chunk.len()),
                    Err(error) => format!("gets {error:?}"),
                });
            }
        }
        "/large" => {
            let chunk = || Ok::<_, PayloadError>(Bytes::from_static(&[b'x'; CHUNK]));
            let chunks = stream::iter([(); 20].map(|()| chunk()));
            body = BoxBody::new(SizedStream::new(20 * CHUNK as u64, chunks));
        }
        _ => {
            let mut was_polled = false;
            poll_fn(|_| match std::mem::replace(&mut was_polled, true) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            })
            .await;
        }
    }
    wire.note("answers");
    Ok(Response::ok().set_body(body))
}

/// Polls the library after each of these groups of events. Returns what it did then, and the stream.
pub(super) fn calls<const N: usize>(turns: [Vec<Event>; N]) -> ([String; N], Wire) {
    let wire = Shared::default();
    let of_requests = wire.clone();
    let service = fn_service(move |request| answer(of_requests.clone(), request));
    let turns = actix_web::rt::System::new().block_on(async {
        let service = HttpService::build()
            .client_request_timeout(Duration::ZERO)
            .keep_alive(KeepAlive::Os)
            .client_disconnect_timeout(Duration::from_secs(3600))
            .h1_write_buffer_size(WRITE_BUFFER)
            .h1(service);
        let service = service.new_service(()).await.unwrap();
        let mut connection = Some(Box::pin(service.call((wire.clone(), None))));
        turns.map(|events| {
            for event in events {
                let mut wire = wire.0.borrow_mut();
                match event {
                    Accept(is_accepted) => wire.is_blocked = !is_accepted,
                    event => wire.arrived.push_back(event),
                }
            }
            let context = &mut Context::from_waker(Waker::noop());
            match connection.as_mut().map(|it| it.as_mut().poll(context)) {
                Some(Poll::Pending) | None => (),
                Some(Poll::Ready(result)) => {
                    connection = None;
                    wire.note(if result.is_ok() { "ends" } else { "fails" });
                }
            }
            std::mem::take(&mut wire.0.borrow_mut().log).join(", ")
        })
    });
    (turns, wire.0.take())
}
