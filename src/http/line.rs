//! The stream under the HTTP library, which reads no more than can be answered.
//!
//! The library decodes whatever it can read into requests, however many are queued, and goes on reading for a client
//! that takes no answers. So this stream is read in turns: of the bytes of some requests, then the library answers
//! those; none while the client does not take what was written, or while a request is answered that wants no body.
//! What it must not know: requests, but that each has a version in its first line.
//! Invariants: no read is left asleep that may go on, and none wakes itself that may not; a head has [`HEAD_TIMEOUT`]
//! from its first byte, the first one from the beginning of the connection.
//! Cost: a look through what is read; a timer a connection, set again at most once each [`HEAD_TIMEOUT`].

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connections::Place;
use super::timer::wait_until;
use super::wire::{Reading, Wire};
use crate::clock::Clock;

/// A client that takes longer for the head of a request is sent away.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of one read: as many requests as these can be at most are decoded at once.
const PIECE: usize = 4 * 1024;

/// Bytes of one turn: what of a body comes with its head is not waited for. Half of what the library buffers, which
/// must never be full of what it does not look at.
const TURN: usize = 64 * 1024;

/// Requests that end a turn.
const REQUESTS: usize = 16;

/// What every request has in its first line.
const VERSION: &[u8] = b"HTTP/1.";

/// The answer to a first head that did not come.
const TOO_SLOW: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A connection's stream.
pub(crate) struct Line {
    stream: TcpStream,
    place: Place,
    clock: Clock,
    /// Bytes and requests that this turn has brought.
    turn: (usize, usize),
    /// Something was written that the peer has not taken.
    is_blocked: bool,
    /// Wakes the task when a head may have taken too long.
    timer: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

impl Line {
    /// The stream of a connection that has this place.
    pub(crate) fn new(stream: TcpStream, place: Place, clock: Clock) -> Self {
        Self {
            stream,
            place,
            clock,
            turn: (0, 0),
            is_blocked: false,
            timer: None,
        }
    }

    /// What it is doing.
    pub(crate) fn wire(&self) -> Arc<Wire> {
        Arc::clone(self.place.wire())
    }

    /// Whether the library has enough to answer.
    fn is_turn_over(&self) -> bool {
        let (bytes, requests) = self.turn;
        bytes >= TURN || requests > REQUESTS
    }

    /// Notes what was read.
    fn has_read(&mut self, bytes: &[u8]) {
        self.turn.0 += bytes.len();
        self.turn.1 += memmem::find_iter(bytes, VERSION).count();
        self.place
            .wire()
            .has_read(bytes.len(), || self.clock.elapsed());
    }

    /// Waits for what is missing of a head; an error if it took too long.
    fn wait_for_head(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while let Some(head) = self.place.wire().head() {
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
                if head.is_first {
                    // Nothing was written before, so the buffers have room.
                    let _ = self.stream.try_write(TOO_SLOW);
                }
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Notes whether the peer takes what is written.
    fn block(&mut self, is_blocked: bool) {
        if self.is_blocked != is_blocked {
            self.is_blocked = is_blocked;
            self.place.wire().stall(is_blocked);
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

impl AsyncRead for Line {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        let most = match line.place.wire().may_read(context.waker()) {
            Reading::Allowed(most) => most.min(PIECE),
            Reading::Held => {
                line.turn = (0, 0);
                return Poll::Pending;
            }
            Reading::Ended => return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
        };
        if line.is_turn_over() {
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

impl AsyncWrite for Line {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let line = self.get_mut();
        if line.place.wire().is_ended() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let written = Pin::new(&mut line.stream).poll_write(context, bytes);
        if written.is_pending() {
            line.block(true);
        }
        written
    }

    /// The library flushes when the stream has taken all that it has to write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let line = self.get_mut();
        line.block(false);
        Pin::new(&mut line.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Line").field(self.place.wire()).finish()
    }
}
