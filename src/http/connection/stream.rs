//! The stream under the HTTP library, which reads no more than can be answered.
//!
//! The library decodes whatever it can read into requests, however many are queued, and goes on reading for a client
//! that takes no answers. So this stream is read in turns: of the bytes of some requests, then the library answers
//! those; none while the client does not take what was written, or while a request is answered that wants no body.
//! What it must not know: requests, but that each has a version in its first line.
//! Invariants: no read is left asleep that may go on, and none wakes itself that may not; a head has [`HEAD_TIMEOUT`]
//! from its first byte, the first one from the beginning of the connection, and one that began to come before an answer
//! had gone from then on. So has a connection whose last request had a body that may not have been all that came.
//! Of a head that has not ended no more is read than [`mod@crate::http::connection::large_head`] lets, and it is refused.
//! Cost: a look through what is read; a timer a connection, set again at most once each [`HEAD_TIMEOUT`].

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use std::{fmt, io};

use actix_web::rt::net::TcpStream;
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;
use crate::http::connection::large_head::HeadRejection;
use crate::http::connection::slot::ConnectionSlot;
use crate::http::connection::state::{ConnectionState, Reading};
use crate::http::connection::timer::wait_until;

/// A client that takes longer for the head of a request is sent away.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of one read: as many requests as these can be at most are decoded at once. As many as the library has room
/// for, mostly: less than there is room for has to be cleared before it is read.
const PIECE: usize = 8 * 1024;

/// Bytes of one turn: what of a body comes with its head is not waited for. Half of what the library buffers, which
/// must never be full of what it does not look at.
const TURN: usize = 64 * 1024;

/// Requests that end a turn.
const REQUESTS: usize = 16;

/// Finds what every request has in its first line.
static VERSION: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new(b"HTTP/1."));

/// The answer to a first head that did not come.
const TOO_SLOW: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A connection's stream.
pub(crate) struct GuardedStream {
    /// Dropped before its place: what is open is counted.
    stream: TcpStream,
    place: ConnectionSlot,
    wire: Rc<ConnectionState>,
    clock: Clock,
    rejection: Arc<HeadRejection>,
    /// The task that reads and writes.
    task: Option<Waker>,
    /// Bytes and requests that this turn has brought.
    turn: (usize, usize),
    /// A head was too large: what comes goes into the void.
    is_refused: bool,
    /// The peer has taken something since a write last had to wait.
    has_moved: bool,
    /// Wakes the task when a head may have taken too long.
    timer: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

impl GuardedStream {
    /// The stream of a connection that has this place.
    pub(crate) fn new(
        stream: TcpStream,
        place: ConnectionSlot,
        clock: Clock,
        rejection: Arc<HeadRejection>,
    ) -> Self {
        let handle = Arc::clone(place.handle());
        Self {
            stream,
            place,
            wire: Rc::new(ConnectionState::new(handle, clock.elapsed())),
            clock,
            rejection,
            task: None,
            turn: (0, 0),
            is_refused: false,
            has_moved: true,
            timer: None,
        }
    }

    /// What it is doing.
    pub(crate) fn wire(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.wire)
    }

    /// An error if somebody else has ended it, of which its task hears here.
    fn hear(&mut self, task: &Waker) -> io::Result<()> {
        if !self
            .task
            .as_ref()
            .is_some_and(|known| known.will_wake(task))
        {
            self.place.handle().register(task);
            self.task = Some(task.clone());
        }
        match self.place.handle().is_evicted() {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }

    /// Whether the library has enough to answer.
    fn is_turn_over(&self) -> bool {
        let (bytes, requests) = self.turn;
        bytes >= TURN || requests > REQUESTS
    }

    /// Notes what was read.
    fn has_read(&mut self, bytes: &[u8]) {
        self.turn.0 += bytes.len();
        self.turn.1 += VERSION.find_iter(bytes).count();
        self.wire.has_read(bytes, || self.clock.elapsed());
    }

    /// Has a request that was put off asked again, if the library has not done that by now.
    fn ask_again(&self, context: &Context<'_>) {
        if self.wire.has_put_off() {
            context.waker().wake_by_ref();
        }
    }

    /// Waits for what is missing of a head; an error if it took too long.
    fn wait_for_head(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while let Some(head) = self.wire.head() {
            let until = head.since.saturating_add(HEAD_TIMEOUT);
            let clock = &self.clock;
            let timer = self.timer.get_or_insert_with(|| {
                let clock = clock.clone();
                Box::pin(async move { wait_until(&clock, until).await })
            });
            if timer.as_mut().poll(context).is_pending() {
                return Ok(());
            }
            // It may have been set for an earlier head.
            self.timer = None;
            if self.clock.elapsed() >= until {
                if head.is_first && !self.is_refused {
                    // Nothing was written before, so the buffers have room.
                    let _ = self.stream.try_write(TOO_SLOW);
                }
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Tells once that a head is too large. The rest of it goes into the void as long as it is waited for: whoever is
    /// closed while it sends may never read what it was told.
    fn refuse_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.is_refused, true) {
            let peer = self.stream.peer_addr().ok();
            (self.rejection.charge)(peer.map(|peer| peer.ip()));
            // All that was written before has gone, so the buffers have room.
            let _ = self.stream.try_write(&self.rejection.answer);
        }
        let mut void = [0; 4 * 1024];
        loop {
            let mut void = ReadBuf::new(&mut void);
            match Pin::new(&mut self.stream).poll_read(context, &mut void) {
                Poll::Ready(Ok(())) if !void.filled().is_empty() => (),
                Poll::Ready(_) => return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
                Poll::Pending => {
                    self.wait_for_head(context)?;
                    return Poll::Pending;
                }
            }
        }
    }
}

/// Reads at most so many bytes.
fn read_at_most(
    stream: &mut TcpStream,
    context: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
    most: usize,
) -> Poll<io::Result<()>> {
    if buffer.remaining() <= most {
        return Pin::new(stream).poll_read(context, buffer);
    }
    let mut piece = ReadBuf::new(buffer.initialize_unfilled_to(most));
    let read = Pin::new(stream).poll_read(context, &mut piece);
    let length = piece.filled().len();
    buffer.advance(length);
    read
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        line.hear(context.waker())?;
        let most = match line.wire.may_read() {
            Reading::Allowed(most) => most.min(PIECE),
            Reading::Held => {
                line.turn = (0, 0);
                return Poll::Pending;
            }
            // Nothing was read since the library has last looked at what there is.
            Reading::Full if line.turn == (0, 0) => return line.refuse_head(context),
            Reading::Full => 0,
        };
        if most == 0 || line.is_turn_over() {
            line.turn = (0, 0);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let read = read_at_most(&mut line.stream, context, buffer, most);
        match read {
            Poll::Ready(Ok(())) => line.has_read(&buffer.filled()[before..]),
            Poll::Ready(Err(_)) => (),
            Poll::Pending => {
                line.turn = (0, 0);
                if let Err(error) = line.wait_for_head(context) {
                    return Poll::Ready(Err(error));
                }
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
        let line = self.get_mut();
        line.hear(context.waker())?;
        line.ask_again(context);
        let written = Pin::new(&mut line.stream).poll_write(context, bytes);
        if written.is_ready() {
            line.has_moved = true;
        } else if std::mem::take(&mut line.has_moved) {
            line.wire.block(line.clock.elapsed());
        }
        written
    }

    /// The library flushes when the stream has taken all that it has to write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        line.hear(context.waker())?;
        line.ask_again(context);
        line.has_moved = true;
        if line.wire.flush(|| line.clock.elapsed()) {
            line.wait_for_head(context)?;
        }
        Pin::new(&mut line.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        line.hear(context.waker())?;
        Pin::new(&mut line.stream).poll_shutdown(context)
    }
}

impl fmt::Debug for GuardedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Line").field(&self.wire).finish()
    }
}
