//! Waiting, when the process is busy: for a place, for room, for a render; a short while, and then a refusal that says
//! when to come back.
//!
//! What it must not know: what the place is for.
//! Invariants: nobody waits longer than [`LONGEST`]; whoever waits holds no lock and no core; who holds the most of
//! what is short makes room, and does not queue in front of others; who is over their own share waits for their own
//! transfers alone, and is told so.
//! Cost: a lock for a moment when there is no need to wait, and one more for each step of waiting.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use super::problem::Problem;
use super::service::Service;
use super::timer::{wait, within};
use crate::limit::{Among, Class, Need, Permit, Taken, Transfer};

/// Who is not served after this long had better try again: answering everybody late helps nobody.
const LONGEST: Duration = Duration::from_millis(500);

/// After each of these who waits looks again, and whoever has to go for it by then is ended.
const STEP: Duration = Duration::from_millis(100);

/// A place for a body to be received.
pub(crate) async fn place(service: &Service, transfer: &Transfer) -> Result<Permit, Problem> {
    let places = service.overload.places();
    let press = || transfer.make_room(service.clock.elapsed(), Need::Place, Among::All, 1);
    let wanted = Wanted {
        class: Class::Save,
        press,
        now: || places.try_enter(),
        later: places.enter(),
    };
    wanted.get(service).await
}

/// Leave to render a page.
pub(crate) async fn render(service: &Service) -> Result<Permit, Problem> {
    let renders = service.overload.renders();
    let wanted = Wanted {
        class: Class::Render,
        press: || true,
        now: || renders.try_enter(),
        later: renders.enter(),
    };
    wanted.get(service).await
}

/// Room for so many bytes of a transfer.
pub(crate) async fn room(
    service: &Service,
    transfer: &Transfer,
    class: Class,
    bytes: usize,
) -> Result<Taken, Problem> {
    share(service, transfer, class, bytes).await?;
    let room = service.overload.room();
    let press = || {
        let now = service.clock.elapsed();
        let ceiling = room.short(class, bytes).unwrap_or(class);
        transfer.make_room(now, Need::Room(ceiling), Among::All, bytes)
    };
    let wanted = Wanted {
        class,
        press,
        now: || room.try_take(class, bytes),
        later: async { Some(room.take(class, bytes).await) },
    };
    let taken = wanted.get(service).await?;
    transfer.hold();
    Ok(taken)
}

/// Waits until these bytes are within the share of the transfer's client and network: in front of nobody, and for
/// nobody but their own to end.
async fn share(
    service: &Service,
    transfer: &Transfer,
    class: Class,
    bytes: usize,
) -> Result<(), Problem> {
    let mut waited = Duration::ZERO;
    while transfer.want(bytes).is_err() {
        let now = service.clock.elapsed();
        transfer.make_room(now, Need::Room(class), Among::OwnNetwork, bytes);
        if transfer.want(bytes).is_ok() {
            break;
        }
        if waited >= LONGEST {
            service.overload.count_crowded();
            return Err(Problem::Crowded);
        }
        wait(&service.clock, STEP).await;
        waited += STEP;
    }
    Ok(())
}

/// Something that there is too little of at times.
struct Wanted<Press, Now, Later> {
    class: Class,
    /// Ends who has to go for it; whether whoever wants it may queue.
    press: Press,
    /// What there is now.
    now: Now,
    /// What there will be, for whoever queues.
    later: Later,
}

impl<T, Press, Now, Later> Wanted<Press, Now, Later>
where
    Press: Fn() -> bool,
    Now: Fn() -> Option<T>,
    Later: Future<Output = Option<T>>,
{
    /// What there is now, or comes in time. Whoever holds the most does not queue, and gets what the others leave.
    async fn get(self, service: &Service) -> Result<T, Problem> {
        if let Some(given) = (self.now)() {
            return Ok(given);
        }
        let mut later = pin!(self.later);
        let mut queues = false;
        let mut waited = Duration::ZERO;
        while waited < LONGEST {
            queues |= (self.press)();
            if queues {
                if let Some(given) = within(&service.clock, STEP, later.as_mut()).await {
                    return given.ok_or(Problem::Overloaded);
                }
            } else {
                if let Some(given) = (self.now)() {
                    return Ok(given);
                }
                wait(&service.clock, STEP).await;
            }
            waited += STEP;
        }
        service.overload.count_shed(self.class);
        if service.shedding.happened(service.clock.elapsed()) {
            tracing::warn!(class = ?self.class, "overload begins: requests are turned away");
        }
        Err(Problem::Overloaded)
    }
}
