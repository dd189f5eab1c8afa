//! A request in flight: a guard that lives until the response is complete, and the request's body.
//!
//! The body tells the connection when the handler asks for more. So the connection reads no more than the handler
//! needs.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_core::Stream;

use crate::http::connection::message::BodyLength;
use crate::http::connection::state::ConnectionState;

/// A request that is being answered. Dropping the guard means that the response is complete.
pub(crate) struct InFlightGuard(Rc<ConnectionState>);

impl InFlightGuard {
    /// Notes that a request with a body of this length is being answered. The request ends when the guard is dropped.
    pub(crate) fn start(connection: Rc<ConnectionState>, body: BodyLength) -> Self {
        connection.start_request(body);
        Self(connection)
    }

    /// Returns whether the connection was evicted, perhaps before the request was counted.
    pub(crate) fn is_evicted(&self) -> bool {
        self.0.handle.is_evicted()
    }

    /// Wraps the request's body, so that the connection is read when the handler asks for more of the body.
    pub(crate) fn watch(&self, body: dev::Payload) -> dev::Payload {
        match body {
            dev::Payload::None => body,
            dev::Payload::H1 { .. } | dev::Payload::Stream { .. } => dev::Payload::Stream {
                payload: Box::pin(WatchedBody {
                    body,
                    connection: Rc::clone(&self.0),
                    has_ended: false,
                }),
            },
        }
    }

    /// Defers a request with a body until the library polls the request for the second time.
    ///
    /// The first poll is when the library has decoded the head, the second when it has decoded all bytes read. A small
    /// body is whole by then, so the handler does not have to wait for the body.
    pub(crate) async fn defer() {
        let mut was_polled = false;
        poll_fn(|_| match std::mem::replace(&mut was_polled, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.end_request();
    }
}

/// A request's body. It fails with an overflow if its chunks consist mostly of framing.
struct WatchedBody {
    body: dev::Payload,
    connection: Rc<ConnectionState>,
    has_ended: bool,
}

impl WatchedBody {
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<<Self as Stream>::Item>> {
        let next = Pin::new(&mut self.body).poll_next(context);
        self.has_ended |= matches!(next, Poll::Ready(None | Some(Err(_))));
        next
    }
}

impl Stream for WatchedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.poll_chunk(context);
        if !self.has_ended && self.connection.is_mostly_framing() {
            return Poll::Ready(Some(Err(PayloadError::Overflow)));
        }
        match &next {
            Poll::Pending => self.connection.wait_for_body(),
            Poll::Ready(Some(Ok(_))) => self.connection.receive_chunk(),
            Poll::Ready(None | Some(Err(_))) => (),
        }
        next
    }
}

/// A handler may drop the body before it has read all of it.
impl Drop for WatchedBody {
    fn drop(&mut self) {
        let context = &mut Context::from_waker(Waker::noop());
        while !self.has_ended {
            if self.poll_chunk(context).is_pending() {
                return self.connection.abandon_body();
            }
        }
    }
}
