//! The permit to load a paste from the disk, which a request keeps until it has its response.
//!
//! A loaded paste enters the memory of the store, and others leave it. So without a bound, many requests that wait for
//! bytes of the budget would hold as many pastes that no budget counts.
//! Invariant: requests with a permit hold no more than the bytes of the budget together.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::http::connection::wait;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::overload::{Permit, Priority};

/// The longest wait for a permit. It is as long as the wait for bytes of the budget.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// Waits for a permit.
///
/// # Errors
/// [`ApiError::Overloaded`] if there is none within [`MAX_WAIT`].
pub(super) async fn acquire(state: &AppState) -> Result<Permit, ApiError> {
    let mut permit = pin!(Arc::clone(state.overload.load_permits()).acquire_owned());
    let mut end = pin!(wait(&state.clock, MAX_WAIT));
    let acquired = poll_fn(|context| match permit.as_mut().poll(context) {
        Poll::Ready(permit) => Poll::Ready(permit.ok()),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    });
    acquired.await.ok_or_else(|| {
        state.overload.count_shed(Priority::Read);
        if state.shedding.record(state.clock.elapsed()) {
            tracing::warn!("overload started: rejecting requests for pastes on disk");
        }
        ApiError::Overloaded
    })
}
