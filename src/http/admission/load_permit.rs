//! The turn to load a paste from the disk or the engine, which a request keeps until it has its response.
//!
//! A loaded paste is held by its request. So without a bound, many requests that wait for bytes of the budget would hold
//! as many pastes that no budget counts.
//! Invariants: requests with a turn hold no more than the bytes of the budget together. A client has a quarter of the
//! turns at most, and a network half, so that a client whose requests wait delays no other.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::fairness::ClientKey;
use crate::http::connection::wait;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::overload::{Priority, Turn};

/// The longest wait for a turn. It is as long as the wait for bytes of the budget.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// The use of each turn. So the network that loaded least lately is next.
const USE: Duration = Duration::from_millis(1);

/// Waits for a turn.
///
/// # Errors
/// [`ApiError::Overloaded`] if the client does not get one within [`MAX_WAIT`].
pub(super) async fn acquire(state: &AppState, client: ClientKey) -> Result<Turn, ApiError> {
    let (loads, now) = (state.overload.loads(), state.clock.elapsed());
    let mut turn = pin!(loads.enter(now, client, USE));
    let mut end = pin!(wait(&state.clock, MAX_WAIT));
    let acquired = poll_fn(|context| match turn.as_mut().poll(context) {
        Poll::Ready(turn) => Poll::Ready(turn.ok()),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    });
    let mut turn = acquired.await.ok_or_else(|| state.shed(Priority::Read))?;
    turn.set_use(USE);
    Ok(turn)
}
