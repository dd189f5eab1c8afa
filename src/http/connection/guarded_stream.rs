//! The stream under the HTTP library, which reads no more than can be answered.
//!
//! The library decodes all that it can read, and goes on reading for a client that takes no answers. So this stream
//! reads in batches, and the library answers after each. It reads nothing while the client takes nothing of an answer,
//! and little while a request is answered that wants no body.
//! Invariants:
//! - A read that may go on is woken; one that may not does not wake itself.
//! - A head has 5 seconds. They start with its first byte, or with the connection for the first head. If a part of it
//!   may have been read before the last answer was sent, they start when that is sent. This holds too after a request
//!   whose body may not be whole.
//! - A head that exceeds [`mod@crate::http::connection::head_backlog`] is rejected.
//!
//! Cost: a search through the bytes read.

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

/// Bytes of one read. They limit the number of requests that are decoded at once. The library mostly has room for this
/// many, and a read of fewer bytes than it has room for must clear them first.
const READ_SIZE: usize = 8 * 1024;

/// The answer to a first head that takes too long.
const REQUEST_TIMEOUT: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The server's reaction to a head that is too large.
pub(crate) struct HeadRejection {
    /// All bytes of the answer. The connection is closed after it.
    pub(crate) answer: Vec<u8>,
    /// Charges the client at this address for the request.
    pub(crate) charge: Box<dyn Fn(Option<IpAddr>) + Send + Sync>,
}

/// A connection's stream.
pub(crate) struct GuardedStream {
    /// Dropped before the slot, which counts open sockets.
    stream: TcpStream,
    slot: ConnectionSlot,
    state: Rc<ConnectionState>,
    clock: Clock,
    rejection: Arc<HeadRejection>,
    /// The waker of the task that reads and writes.
    waker: Option<Waker>,
    batch: ReadBatch,
    /// A head was rejected, and the rest of it is discarded.
    is_rejected: bool,
    /// The peer has taken something since a write was last blocked.
    has_progressed: bool,
    head_timer: HeadTimer,
}

impl GuardedStream {
    /// The stream of a connection with this slot.
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

    /// The state of the connection.
    pub(crate) fn state(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.state)
    }

    /// Returns an error if the connection was evicted. The task is woken when it is.
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

    /// Has a deferred request polled again, if the library has not polled it before it writes.
    fn wake_deferred(&self, context: &Context<'_>) {
        if self.state.take_deferred() {
            context.waker().wake_by_ref();
        }
    }

    /// Returns an error if the head that the connection waits for is overdue. The task is woken when it may be.
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

    /// Answers a head that is too large, once. The rest of the head is discarded until its time is over: a client whose
    /// connection is closed while it sends may get a reset instead of the answer.
    fn reject_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.is_rejected, true) {
            let peer = self.stream.peer_addr().ok();
            (self.rejection.charge)(peer.map(|peer| peer.ip()));
            // All earlier answers were sent, so the socket's buffer has room.
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

/// Reads at most `max` bytes.
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

    /// The library flushes when the stream has taken all that it has to write.
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
