//! Where pastes are kept: a data directory or an engine, with the secret that both need.

pub(super) mod data_dir;
pub(super) mod valkey_urls;
