//! Configuration: what the operator asks for.
//!
//! What it must not know: what becomes of the values.
//! Invariants: each type holds no value that cannot be used.

mod base_url;
mod byte_size;
mod secret;

pub use base_url::{BaseUrl, BaseUrlError};
pub use byte_size::{ByteSize, ByteSizeError};
pub use secret::Secret;
