//! A gate: so many may be inside at once, and the others come in as those leave.
//!
//! What it must not know: what is done inside, how long anybody waits.
//! Invariants: whoever waits is let in first come, first served; nobody gets past those who wait.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets so many in at once.
#[derive(Debug)]
pub struct Gate {
    semaphore: Arc<Semaphore>,
    most: usize,
}

/// Leave to be inside; given back when dropped.
pub type Permit = OwnedSemaphorePermit;

impl Gate {
    /// For so many.
    pub(super) fn new(most: usize) -> Self {
        Self {
            semaphore: Arc::new(Semaphore::new(most)),
            most,
        }
    }

    /// In, if nobody has to be waited for.
    #[must_use]
    pub fn try_enter(&self) -> Option<Permit> {
        Arc::clone(&self.semaphore).try_acquire_owned().ok()
    }

    /// In, as soon as there is a free place. None comes only of a gate that was closed, and none ever is.
    pub async fn enter(&self) -> Option<Permit> {
        Arc::clone(&self.semaphore).acquire_owned().await.ok()
    }

    /// How many are inside.
    pub(super) fn inside(&self) -> usize {
        self.most - self.semaphore.available_permits()
    }
}
