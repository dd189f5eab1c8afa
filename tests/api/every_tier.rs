//! Requests to a paste that change what is stored: views that burn, changes, counts, deletions, lists of owners, slugs;
//! and the quotas that count it. `tests/run` runs these tests also with pastes on disk and in an engine.

mod asking;
pub mod burning;
pub mod changing;
pub mod counts;
mod deleting;
pub mod owners;
mod quotas;
pub mod receipts;
mod reported;
pub mod slugs;
