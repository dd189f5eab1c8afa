//! Waiting, when the process is busy: for a place, for room, for a render; a short while, and then a refusal that says
//! when to come back.
//!
//! What it must not know: what the place is for.
//! Invariants: nobody waits longer than [`LONGEST`]; whoever waits holds no lock and no core; while somebody waits, one
//! slow transfer after the other is ended for them.
//! Cost: nothing beyond the semaphore when there is no need to wait.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::problem::Problem;
use super::service::Service;
use super::timer::within;
use crate::limit::{Class, Need, Permit, Taken};

/// Who is not served after this long had better try again: answering everybody late helps nobody.
const LONGEST: Duration = Duration::from_millis(500);

/// After each of these, one more slow transfer is ended.
const STEP: Duration = Duration::from_millis(100);

/// A place for a body to be received.
pub(crate) async fn place(service: &Service) -> Result<Permit, Problem> {
    let places = &service.overload.places;
    let later = permit(places);
    let now = Arc::clone(places).try_acquire_owned().ok();
    first(service, Class::Save, Some(Need::Place), now, later).await
}

/// Leave to render a page.
pub(crate) async fn render(service: &Service) -> Result<Permit, Problem> {
    let renders = &service.overload.renders;
    let now = Arc::clone(renders).try_acquire_owned().ok();
    first(service, Class::Render, None, now, permit(renders)).await
}

/// Room for so many bytes.
pub(crate) async fn room(service: &Service, class: Class, bytes: usize) -> Result<Taken, Problem> {
    let room = &service.overload.room;
    let now = room.try_take(class, bytes);
    first(
        service,
        class,
        Some(Need::Room),
        now,
        room.take(class, bytes),
    )
    .await
}

async fn permit(semaphore: &Arc<Semaphore>) -> Option<Permit> {
    Arc::clone(semaphore).acquire_owned().await.ok()
}

/// What there is now, or comes in time.
async fn first<T>(
    service: &Service,
    class: Class,
    need: Option<Need>,
    now: Option<T>,
    later: impl Future<Output = impl Into<Option<T>>>,
) -> Result<T, Problem> {
    if let Some(given) = now {
        return Ok(given);
    }
    let mut later = pin!(later);
    let mut waited = Duration::ZERO;
    while waited < LONGEST {
        if let Some(need) = need {
            service.overload.cut_slowest(service.clock.elapsed(), need);
        }
        if let Some(given) = within(&service.clock, STEP, later.as_mut()).await {
            // Nothing comes only from a semaphore that was closed, and none ever is.
            return given.into().ok_or(Problem::Overloaded);
        }
        waited += STEP;
    }
    service.overload.count_shed(class);
    if service.shedding.happened(service.clock.elapsed()) {
        tracing::warn!(?class, "overload begins: requests are turned away");
    }
    Err(Problem::Overloaded)
}
