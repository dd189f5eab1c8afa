//! What the stream relies on in the HTTP library. `Cargo.toml` pins the version of the library, and a new version has
//! to pass these tests.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_http::{HttpService, KeepAlive, Request, Response};
use actix_service::{Service as _, ServiceFactory as _, fn_service};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What the library did, in order.
type Log = Rc<RefCell<Vec<String>>>;

/// A stream that notes the calls of the library.
struct Noted {
    /// The pieces that it has for the library.
    pieces: Vec<&'static [u8]>,
    accepts: Rc<RefCell<bool>>,
    log: Log,
}

impl Noted {
    fn note(&self, call: &str) {
        self.log.borrow_mut().push(call.to_owned());
    }
}

impl AsyncRead for Noted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.pieces.is_empty() {
            self.note("waits for bytes");
            return Poll::Pending;
        }
        self.note("reads");
        buffer.put_slice(self.pieces.remove(0));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Noted {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.note("writes");
        match *self.accepts.borrow() {
            true => Poll::Ready(Ok(bytes.len())),
            false => Poll::Pending,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.note("flushes");
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Gives the library these pieces. Returns what it does until it waits, while nothing is accepted, and then while
/// everything is.
fn calls(pieces: &[&'static [u8]]) -> [Vec<String>; 2] {
    let log = Log::default();
    let accepts = Rc::new(RefCell::new(false));
    let stream = Noted {
        pieces: pieces.to_vec(),
        accepts: Rc::clone(&accepts),
        log: Rc::clone(&log),
    };
    let answered = Rc::clone(&log);
    let answer = move |request: Request| {
        let answered = Rc::clone(&answered);
        answered
            .borrow_mut()
            .push(format!("starts {}", request.path()));
        let mut has_waited = false;
        // As a deferred request does: it ends when it is polled again.
        std::future::poll_fn(move |_| match std::mem::replace(&mut has_waited, true) {
            true => {
                answered.borrow_mut().push("answers".to_owned());
                Poll::Ready(Ok::<_, actix_http::Error>(Response::ok().set_body("body")))
            }
            false => Poll::Pending,
        })
    };
    actix_web::rt::System::new().block_on(async {
        let service = HttpService::build()
            .keep_alive(KeepAlive::Os)
            .h1(fn_service(answer));
        let service = service.new_service(()).await.unwrap();
        let mut connection = Box::pin(service.call((stream, None)));
        let context = &mut Context::from_waker(Waker::noop());
        [false, true].map(|is_accepted| {
            *accepts.borrow_mut() = is_accepted;
            let polled = connection.as_mut().poll(context);
            assert!(polled.is_pending(), "{polled:?} {:?}", log.borrow());
            log.take()
        })
    })
}

#[test]
fn the_library_flushes_when_the_whole_response_was_accepted_and_not_before() {
    let [before, after] = calls(&[b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"]);
    let expected = ["reads", "waits for bytes", "starts /a", "answers", "writes"];
    assert_eq!(before, expected);
    assert_eq!(after, ["waits for bytes", "writes", "flushes"]);
}

#[test]
fn the_library_reads_until_there_is_no_more_and_decodes_all_of_it() {
    let [before, _] = calls(&[
        b"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HT",
        b"TP/1.1\r\nHost: h\r\n\r\n",
    ]);
    let expected = [
        "reads",
        "reads",
        "waits for bytes",
        "starts /a",
        "answers",
        "starts /b",
        "writes",
    ];
    assert_eq!(before, expected, "so the stream must not give it both");
}

#[test]
fn the_library_polls_a_request_again_after_it_has_decoded_its_body() {
    let [before, _] = calls(&[b"PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"]);
    let expected = ["reads", "waits for bytes", "starts /a", "answers", "writes"];
    assert_eq!(before, expected);
}
