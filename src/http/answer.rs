//! Bodies of answers: content in chunks, and refusals that keep an unread request open.
//!
//! What it must not know: what is answered.
//! Invariants: an answer of bytes holds the paste's own, never a copy of them (a page or a record is one); its length is
//! known beforehand.
//! Why chunks: the framework copies a body into its write buffer as it comes. A large one at once would make that
//! buffer as large as the paste; in chunks it stays small, and a slow reader pins the shared bytes alone.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, dev};

/// Measured with a write buffer of 128 KiB: 16 KiB chunks cost a 100 KiB answer less than one piece does.
const CHUNK: usize = 16 * 1024;

/// Part of a paste's content as a body.
pub(crate) struct ContentBody(Bytes);

impl ContentBody {
    /// These bytes of the content, without a copy.
    pub(crate) fn new(content: &Arc<[u8]>, range: std::ops::Range<usize>) -> Self {
        Self(Bytes::from_owner(Arc::clone(content)).slice(range))
    }
}

impl MessageBody for ContentBody {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.0.len().min(CHUNK);
        Poll::Ready(Some(Ok(self.0.split_to(length))))
    }

    /// What fits one chunk is handed over whole, which spares a boxed stream.
    fn try_into_bytes(self) -> Result<Bytes, Self> {
        if self.0.len() <= CHUNK {
            Ok(self.0)
        } else {
            Err(self)
        }
    }
}

/// A body that holds on to the request's own until it is sent.
///
/// A request whose body nobody holds is read to its end, however long it is, before the connection serves another or
/// closes. One that is still held when its answer is complete is closed instead: the answer goes out, the client may
/// send for a few more seconds into the void, and then reads the answer instead of a reset.
struct HoldingRequest {
    body: BoxBody,
    _request: dev::Payload,
}

impl MessageBody for HoldingRequest {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

/// The same answer, holding the request's body until it is sent.
pub(crate) fn hold_request(answer: HttpResponse, request: dev::Payload) -> HttpResponse {
    answer.map_body(|_, body| {
        BoxBody::new(HoldingRequest {
            body,
            _request: request,
        })
    })
}
