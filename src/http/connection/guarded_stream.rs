//! The stream between the socket and the HTTP library. It reads no more requests than the library can answer.
//!
//! The library decodes all bytes that it can read, even if the client does not read the responses. So this stream reads
//! in batches, and the library answers after each batch. It stops reading while the client does not read the response,
//! and reads at most 4 KiB while a request without a body is answered.
//! Invariants:
//! - A refused read is woken when it is permitted again. Until then it does not wake itself.
//! - A head must arrive within 5 seconds of its first byte. The first head must arrive within 5 seconds of the
//!   connection's start. A part of the head may have been read before the last response was sent. Then the 5 seconds
//!   start when that response is sent. A part that was read with the end of a body is noticed at the head's next byte.
//! - A connection is closed when it has been idle for 75 seconds. A request that has arrived by then is answered.
//! - A head that exceeds [`mod@crate::http::connection::head_backlog`] is rejected.
//!
//! Cost: every byte read is searched for the ends of lines and the starts of requests.

use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::{fmt, io};

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;
use crate::http::connection::head_timer::HeadTimer;
use crate::http::connection::read_batch::ReadBatch;
use crate::http::connection::slot::ConnectionSlot;
use crate::http::connection::state::{ConnectionState, ReadPermission};

/// Maximum bytes of one read. The maximum limits the number of requests that are decoded at once. The library's buffer
/// mostly has this much free space. If it has more, the stream must clear the bytes that it is about to fill.
const READ_SIZE: usize = 8 * 1024;

/// The response to a first head that takes too long.
const REQUEST_TIMEOUT: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The reaction of the stream to a head that is too large.
pub(crate) struct HeadRejection {
    /// All bytes of the response. The connection is closed afterwards.
    pub(crate) answer: Vec<u8>,
    /// The stream calls this to charge the client at this address.
    pub(crate) charge: Box<dyn Fn(Option<IpAddr>) + Send + Sync>,
}

/// A connection's stream.
pub(crate) struct GuardedStream {
    /// This field is dropped before the slot, because the slot counts open sockets.
    stream: TcpStream,
    slot: ConnectionSlot,
    state: Rc<ConnectionState>,
    clock: Clock,
    rejection: Arc<HeadRejection>,
    /// The waker of the task that reads and writes.
    waker: Option<Waker>,
    batch: ReadBatch,
    /// True if a head was rejected. The rest of it is discarded.
    is_rejected: bool,
    /// True if the peer has read something since a write was last blocked.
    has_progressed: bool,
    head_timer: HeadTimer,
}

impl GuardedStream {
    /// Returns the stream of a connection with this slot.
    pub(crate) fn new(
        stream: TcpStream,
        slot: ConnectionSlot,
        clock: Clock,
        rejection: Arc<HeadRejection>,
    ) -> Self {
        let handle = Arc::clone(slot.handle());
        Self {
            stream,
            slot,
            state: Rc::new(ConnectionState::new(handle, clock.elapsed())),
            clock,
            rejection,
            waker: None,
            batch: ReadBatch::default(),
            is_rejected: false,
            has_progressed: true,
            head_timer: HeadTimer::default(),
        }
    }

    /// Returns the state of the connection.
    pub(crate) fn state(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.state)
    }

    /// Returns an error if the connection was evicted. An eviction wakes the task.
    fn check_evicted(&mut self, waker: &Waker) -> io::Result<()> {
        let is_known = |known: &Waker| known.will_wake(waker);
        if !self.waker.as_ref().is_some_and(is_known) {
            self.slot.handle().register(waker);
            self.waker = Some(waker.clone());
        }
        match self.slot.handle().is_evicted() {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }

    /// Wakes the task so that the library polls a deferred request again. This is needed if the library writes before
    /// that second poll.
    fn wake_deferred(&self, context: &Context<'_>) {
        if self.state.take_deferred() {
            context.waker().wake_by_ref();
        }
    }

    /// Returns an error if the head that the connection waits for is overdue. Otherwise the task is woken at the head's
    /// deadline.
    fn check_head(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let overdue = self
            .head_timer
            .poll_overdue(&self.state, &self.clock, context);
        let Some(head) = overdue else {
            return Ok(());
        };
        if head.is_first && !self.is_rejected {
            // Nothing was written before, so the socket's buffer has room.
            let _ = self.stream.try_write(REQUEST_TIMEOUT);
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Sends the response to a head that is too large, once. The rest of the head is discarded until its deadline. If
    /// the connection were closed at once, the client might get a reset instead of the response.
    fn reject_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.is_rejected, true) {
            let peer = self.stream.peer_addr().ok();
            (self.rejection.charge)(peer.map(|peer| peer.ip()));
            // All earlier responses were sent, so the socket's buffer has room.
            let _ = self.stream.try_write(&self.rejection.answer);
        }
        let mut discarded = [0; 4 * 1024];
        loop {
            let mut discarded = ReadBuf::new(&mut discarded);
            match Pin::new(&mut self.stream).poll_read(context, &mut discarded) {
                Poll::Ready(Ok(())) if !discarded.filled().is_empty() => (),
                Poll::Ready(_) => return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
                Poll::Pending => {
                    self.check_head(context)?;
                    return Poll::Pending;
                }
            }
        }
    }
}

fn read_at_most(
    stream: &mut TcpStream,
    context: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
    max: usize,
) -> Poll<io::Result<()>> {
    if buffer.remaining() <= max {
        return Pin::new(stream).poll_read(context, buffer);
    }
    let mut part = ReadBuf::new(buffer.initialize_unfilled_to(max));
    let read = Pin::new(stream).poll_read(context, &mut part);
    let length = part.filled().len();
    buffer.advance(length);
    read
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_evicted(context.waker())?;
        let max = match this.state.permit_read() {
            ReadPermission::UpTo(max) => max.min(READ_SIZE),
            ReadPermission::Held => {
                this.batch = ReadBatch::default();
                return Poll::Pending;
            }
            // The library has looked at all bytes read, and has not found the end of the head.
            ReadPermission::BacklogFull if this.batch.is_empty() => {
                return this.reject_head(context);
            }
            ReadPermission::BacklogFull => 0,
        };
        if max == 0 || this.batch.is_full() {
            this.batch = ReadBatch::default();
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let read = read_at_most(&mut this.stream, context, buffer, max);
        match read {
            Poll::Ready(Ok(())) => {
                let bytes = &buffer.filled()[before..];
                this.batch.record(bytes);
                this.state.record_read(bytes, || this.clock.elapsed());
            }
            Poll::Ready(Err(_)) => (),
            Poll::Pending => {
                this.batch = ReadBatch::default();
                this.check_head(context)?;
            }
        }
        read
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.check_evicted(context.waker())?;
        this.wake_deferred(context);
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        if written.is_ready() {
            this.has_progressed = true;
        } else if std::mem::take(&mut this.has_progressed) {
            this.state.set_blocked(this.clock.elapsed());
        }
        written
    }

    /// The library flushes only after the stream has accepted all bytes that it has to write. So a flush shows that the
    /// peer does not block the response, and perhaps that the response is complete. Then the time limit of the next
    /// head starts.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_evicted(context.waker())?;
        this.wake_deferred(context);
        this.has_progressed = true;
        if this.state.record_flush(|| this.clock.elapsed()) {
            this.check_head(context)?;
        }
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_evicted(context.waker())?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}

impl fmt::Debug for GuardedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedStream").field(&self.state).finish()
    }
}
