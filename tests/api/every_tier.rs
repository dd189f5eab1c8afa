//! Each kind of request to a paste, restarts and crashes. `tests/run` runs these tests also with pastes on disk and in an
//! engine.

pub mod burning;
pub mod counts;
mod crash;
mod deleting;
mod restart;
