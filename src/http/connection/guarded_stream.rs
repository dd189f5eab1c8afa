//! The stream between the socket and the HTTP library. It gives the library one message at a time.
//!
//! The library decodes all bytes that it can read, even if the client does not read the responses. So this stream gives
//! it the bytes of one request. Those of the next one stay here until the response has left, as
//! [`ConnectionState`] decides.
//! Invariants:
//! - A client that reads nothing holds one response, and at most [`READ_SIZE`] bytes of further requests.
//! - The library keeps its buffers until the connection ends. The [slot](ConnectionSlot::set_buffered) counts large
//!   ones, and the system's buffer if further requests fill it.
//! - A read that was put off is woken when it is permitted again. Until then it does not wake itself.
//! - A head must arrive within 5 seconds of its first byte. The first head must arrive within 5 seconds of the
//!   connection's start. If a part of a head was read before the last response was sent, the 5 seconds start when that
//!   response is sent.
//! - A connection is closed when it has been idle for 75 seconds. A request that has arrived by then is answered.
//! - A stop ends a connection that discards a body.
//! - A head of more than [`MAX_HEAD`](crate::http::connection::MAX_HEAD) bytes is rejected.
//!
//! Cost: every byte of a head is looked at once more than by the library. Pipelined requests are copied.

use std::io;
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use actix_web::web::{Buf as _, BytesMut};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;
use crate::http::connection::state::{ConnectionState, ReadPermission};
use crate::http::connection::timer::Timer;
use crate::overload::{ConnectionSlot, Phase};

/// Maximum bytes of one read. The library's buffer mostly has this much free space. If it has more, the stream must
/// clear the bytes that it is about to fill.
const READ_SIZE: usize = 8 * 1024;

/// The stream reads ahead of a message while it has fewer bytes than this, in pieces of this size. Only a read notices
/// that the client has reset the connection.
const READ_AHEAD: usize = 4 * 1024;

/// What the system may hold of further requests while these are not read. It counts as a large buffer.
const UNREAD: usize = 128 * 1024;

/// The size of a buffer of the library that does not count as held.
const SMALL_BUFFER: usize = 8 * 1024;

/// The library reads no more while its buffer for reads has this many bytes.
const LARGEST_BUFFER: usize = 128 * 1024;

/// The free space that the library keeps in its buffer for reads.
const FREE_BYTES: usize = 1024;

/// The positions in [`GuardedStream::buffers`] of the library's buffers for reads and writes.
const READS: usize = 0;
const WRITES: usize = 1;

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
    pub(crate) state: Rc<ConnectionState>,
    clock: Clock,
    rejection: Arc<HeadRejection>,
    /// The waker of the task that reads and writes.
    waker: Option<Waker>,
    /// Bytes that were read, of later messages than the library has got.
    ahead: BytesMut,
    /// The bytes that the library got since it could last decode them.
    undecoded: usize,
    /// The sizes of the library's buffers for reads and writes.
    buffers: [usize; 2],
    /// True if a head was rejected. The rest of it is discarded.
    is_rejected: bool,
    /// True if the peer has read something since a write was last blocked.
    has_progressed: bool,
    /// Waits for the head, for the time without one, and after a refusal.
    timer: Timer,
}

impl GuardedStream {
    /// Returns the stream of a connection with this slot. `is_direct` is true if all requests are of the peer itself.
    pub(crate) fn new(
        stream: TcpStream,
        slot: ConnectionSlot,
        clock: Clock,
        rejection: Arc<HeadRejection>,
        is_direct: bool,
    ) -> Self {
        let state = ConnectionState::new(Arc::clone(&slot.handle), is_direct);
        Self {
            stream,
            slot,
            state: Rc::new(state),
            clock,
            rejection,
            waker: None,
            ahead: BytesMut::new(),
            undecoded: 0,
            buffers: [SMALL_BUFFER; 2],
            is_rejected: false,
            has_progressed: true,
            timer: Timer::default(),
        }
    }

    /// Returns an error if the connection was evicted. Gives back the rest of a response if others need its bytes. Both
    /// wake the task.
    fn check_evicted(&mut self, waker: &Waker) -> io::Result<()> {
        let is_known = |known: &Waker| known.will_wake(waker);
        if !self.waker.as_ref().is_some_and(is_known) {
            self.slot.handle.register(waker);
            self.waker = Some(waker.clone());
        }
        match self.slot.handle.is_called() {
            true => self.make_room(),
            false => Ok(()),
        }
    }

    fn make_room(&self) -> io::Result<()> {
        let handle = &self.slot.handle;
        if handle.is_revoked() && self.state.unsent.take().is_some() {
            self.slot.release_bytes();
        }
        match handle.is_evicted() {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }

    /// Returns an error if the head that the connection waits for is overdue. Otherwise the task is woken at the head's
    /// deadline.
    fn check_head(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(deadline) = self.state.head_deadline() else {
            return Ok(());
        };
        if self
            .timer
            .poll_until(deadline, &self.clock, context)
            .is_pending()
        {
            return Ok(());
        }
        if self.state.phase() == Phase::New && !self.is_rejected {
            // Nothing was written before, so the socket's buffer has room.
            let _ = self.stream.try_write(REQUEST_TIMEOUT);
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Returns whether the client still has to wait after a refusal. The task is woken when it has waited.
    fn is_delayed(&mut self, context: &mut Context<'_>) -> bool {
        let Some(time) = self.state.resumes() else {
            return false;
        };
        let timer = self.timer.poll_until(time, &self.clock, context);
        if timer.is_ready() {
            self.state.resume();
        }
        timer.is_pending()
    }

    /// Gives the library at most `max` bytes of the present message.
    fn pass_on(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        max: usize,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.ahead.is_empty() {
            let read = read_at_most(&mut self.stream, context, buffer, max);
            if !matches!(read, Poll::Ready(Ok(()))) {
                if read.is_pending() {
                    self.check_head(context)?;
                }
                return read;
            }
        } else {
            let length = max.min(self.ahead.len()).min(buffer.remaining());
            buffer.put_slice(&self.ahead[..length]);
            self.ahead.advance(length);
        }
        let bytes = &mut buffer.filled_mut()[before..];
        let taken = self.state.take(bytes, || self.clock.elapsed());
        self.undecoded = (self.undecoded + taken).min(LARGEST_BUFFER - FREE_BYTES);
        if taken < bytes.len() {
            let rest = std::mem::take(&mut self.ahead);
            self.ahead.extend_from_slice(&bytes[taken..]);
            self.ahead.extend_from_slice(&rest);
            buffer.set_filled(before + taken);
        } else if self.ahead.is_empty() {
            self.ahead = BytesMut::new();
        }
        self.record_buffer(READS, self.undecoded + FREE_BYTES);
        Poll::Ready(Ok(()))
    }

    /// Reads a little while the library may get nothing, so that a reset is noticed.
    fn read_ahead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.undecoded = 0;
        while self.ahead.len() < READ_AHEAD {
            let mut piece = [MaybeUninit::uninit(); READ_AHEAD];
            let mut piece = ReadBuf::uninit(&mut piece);
            let read = Pin::new(&mut self.stream).poll_read(context, &mut piece);
            if read?.is_pending() {
                if !self.ahead.is_empty() {
                    self.state.put_off_read();
                }
                return Poll::Pending;
            }
            // The end of the stream may be a half-close. It is read again after the response.
            if piece.filled().is_empty() {
                self.slot.end_wait();
                break;
            }
            self.ahead.extend_from_slice(piece.filled());
        }
        if self.state.has_whole_message() && self.ahead.len() >= READ_AHEAD {
            self.record_buffer(READS, UNREAD);
        }
        self.state.put_off_read();
        Poll::Pending
    }

    /// Notes that the library's buffer for reads or writes has this size. It doubles when it is full.
    fn record_buffer(&mut self, buffer: usize, bytes: usize) {
        if bytes > self.buffers[buffer] {
            self.buffers[buffer] = bytes.next_power_of_two();
            let large: usize = self.buffers.iter().map(|size| size - SMALL_BUFFER).sum();
            self.slot.set_buffered(large as u64);
        }
    }

    /// Sends the response to a head that is too large, once. The rest of the head is discarded until its deadline. If
    /// the connection were closed at once, the client might get a reset instead of the response.
    fn reject_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.is_rejected, true) && !self.state.may_discard() {
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

/// A connection whose peer does not read is reset, so that the system holds none of its bytes any longer.
impl Drop for GuardedStream {
    fn drop(&mut self) {
        if !self.has_progressed {
            let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_evicted(context.waker())?;
        if this.is_delayed(context) {
            return this.read_ahead(context);
        }
        match this.state.permit_read() {
            // The end of the stream: the library waits for no more of a body that it discards.
            ReadPermission::Body if this.state.may_discard() && this.slot.is_stopping() => {
                Poll::Ready(Ok(()))
            }
            ReadPermission::Body => this.pass_on(context, buffer, READ_SIZE),
            ReadPermission::Head(max) => this.pass_on(context, buffer, max.min(READ_SIZE)),
            ReadPermission::HeadTooLarge => this.reject_head(context),
            ReadPermission::Later => this.read_ahead(context),
        }
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
        this.record_buffer(WRITES, bytes.len());
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
        this.has_progressed = true;
        let has_more = !this.ahead.is_empty();
        if this.state.record_flush(has_more, || this.clock.elapsed()) {
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
