//! The addresses of pastes: random ids, and slugs that people choose.

mod id;
mod slug;

pub use id::{IdCodec, PasteId};
pub use slug::{Slug, SlugError};
