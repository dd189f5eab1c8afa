//! The socket of a termbin client: it reads the text, notices its end, and sends the answer.
//!
//! Invariants: a text ends when the client closes its sending side, or sends nothing for [`IDLE`]. The socket is closed
//! before its slot is released. An evicted connection reads nothing more.

use std::future::poll_fn;
use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::error::PayloadError;
use actix_web::rt::net::TcpStream;
use actix_web::web::{Bytes, BytesMut};
use futures_core::Stream;
use tokio::io::ReadBuf;

use crate::clock::Clock;
use crate::http::connection::Timer;
use crate::overload::{ConnectionSlot, Phase};

/// A client that sends nothing for this long has sent everything: most do not close their sending side. This is the
/// time of termbin.com.
pub(super) const IDLE: Duration = Duration::from_secs(5);

/// The time that a client may continue to send after the answer, before its connection is closed. It might get a reset
/// instead of the answer otherwise.
const LINGER: Duration = Duration::from_secs(5);

/// The most bytes of one read.
const CHUNK: usize = 16 * 1024;

/// A client's socket.
pub(super) struct Socket {
    /// This field is dropped before the slot, because the slot counts open sockets.
    pub(super) stream: TcpStream,
    pub(super) slot: ConnectionSlot,
    pub(super) clock: Clock,
}

/// The text that a client sends, as the body of a save.
pub(super) struct Text {
    socket: Rc<Socket>,
    timer: Timer,
    /// The time at which the text ends, if the client sends nothing until then.
    end: Option<Duration>,
}

impl Socket {
    /// Waits for the first byte. Returns false if the client sends none in time. Until then the connection counts as
    /// idle, and may be evicted.
    ///
    /// # Errors
    /// If the connection was evicted or reset.
    pub(super) async fn has_text(&self) -> io::Result<bool> {
        let (mut timer, end) = (Timer::default(), self.after(IDLE));
        let mut byte = [0];
        let has_text = poll_fn(|context| {
            self.check_evicted(context)?;
            match self.stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
                Poll::Ready(length) => Poll::Ready(length.map(|length| length > 0)),
                Poll::Pending => timer
                    .poll_until(end, &self.clock, context)
                    .map(|()| Ok(false)),
            }
        })
        .await?;
        if has_text {
            self.slot.handle.enter(Phase::Answering, Duration::ZERO);
        }
        Ok(has_text)
    }

    /// Sends the answer. Then discards all further bytes of the client, until the client closes the connection too.
    pub(super) async fn answer(&self, line: &str) {
        // Nothing was written before, so the socket's buffer has room.
        let _ = self.stream.try_write(line.as_bytes());
        let _ = socket2::SockRef::from(&self.stream).shutdown(Shutdown::Write);
        for phase in [Phase::Sending, Phase::Idle] {
            self.slot.handle.enter(phase, self.clock.elapsed());
        }
        let (mut timer, end) = (Timer::default(), self.after(LINGER));
        poll_fn(|context| {
            // Polled first: a client that always sends more would otherwise never be closed.
            while timer.poll_until(end, &self.clock, context).is_pending() {
                match ready!(self.poll_read(context)) {
                    Ok(chunk) if !chunk.is_empty() => {}
                    Ok(_) | Err(_) => break,
                }
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Reads a chunk. An empty one is the end.
    fn poll_read(&self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        self.check_evicted(context)?;
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            let mut chunk = BytesMut::zeroed(CHUNK);
            match self.stream.try_read(&mut chunk) {
                Ok(length) => {
                    chunk.truncate(length);
                    return Poll::Ready(Ok(chunk.freeze()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    fn after(&self, length: Duration) -> Duration {
        self.clock.elapsed().saturating_add(length)
    }

    /// Returns an error if the connection was evicted. An eviction wakes the task.
    fn check_evicted(&self, context: &Context<'_>) -> io::Result<()> {
        self.slot.handle.register(context.waker());
        match self.slot.handle.is_evicted() {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }
}

impl Text {
    pub(super) fn of(socket: &Rc<Socket>) -> Self {
        Self {
            socket: Rc::clone(socket),
            timer: Timer::default(),
            end: None,
        }
    }
}

impl Stream for Text {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        match this.socket.poll_read(context) {
            Poll::Ready(Ok(chunk)) if chunk.is_empty() => Poll::Ready(None),
            Poll::Ready(read) => {
                this.end = None;
                Poll::Ready(Some(read.map_err(PayloadError::Io)))
            }
            Poll::Pending => {
                let end = *this.end.get_or_insert_with(|| this.socket.after(IDLE));
                let timer = this.timer.poll_until(end, &this.socket.clock, context);
                timer.map(|()| None)
            }
        }
    }
}
