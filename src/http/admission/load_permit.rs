//! The permit to load a paste from the disk or the engine, which a request keeps until it has its response.
//!
//! A loaded paste is held by its request. So without a bound, many requests that wait for bytes of the budget would hold
//! as many pastes that no budget counts.
//! Invariants: requests with a permit hold no more than the bytes of the budget together. A client has a quarter of the
//! permits at most, and a network half, so that a client whose requests wait delays no other.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::fairness::ClientKey;
use crate::http::connection::wait;
use crate::http::error::ApiError;
use crate::http::state::AppState;
use crate::overload::{ClientShare, Permit, Priority};

/// The longest wait for a permit. It is as long as the wait for bytes of the budget.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// A permit. It is given back when dropped.
pub(super) struct LoadPermit {
    _permit: Permit,
    _share: ClientShare,
}

/// Waits for a permit.
///
/// # Errors
/// [`ApiError::OverShare`] if the client does not get one within [`MAX_WAIT`] because of its own requests, and
/// [`ApiError::Overloaded`] if there is none.
pub(super) async fn acquire(state: &AppState, client: ClientKey) -> Result<LoadPermit, ApiError> {
    let overload = &state.overload;
    let mut end = pin!(wait(&state.clock, MAX_WAIT));
    let share = loop {
        // This subscribes before the attempt, so that it does not miss a share released in between.
        let mut released = pin!(overload.load_shares().released());
        if let Some(share) = overload.load_shares().try_take(client) {
            break share;
        }
        let is_over = poll_fn(|context| match end.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => released.as_mut().poll(context).map(|()| false),
        });
        if is_over.await {
            overload.count_over_share();
            return Err(ApiError::OverShare);
        }
    };
    let mut permit = pin!(Arc::clone(overload.load_permits()).acquire_owned());
    let acquired = poll_fn(|context| match permit.as_mut().poll(context) {
        Poll::Ready(permit) => Poll::Ready(permit.ok()),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    });
    let permit = acquired.await.ok_or_else(|| {
        overload.count_shed(Priority::Read);
        if state.shedding.record(state.clock.elapsed()) {
            tracing::warn!("overload started: rejecting requests for pastes that must be loaded");
        }
        ApiError::Overloaded
    })?;
    Ok(LoadPermit {
        _permit: permit,
        _share: share,
    })
}
