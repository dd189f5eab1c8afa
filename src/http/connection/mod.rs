//! Connections: a stream under the HTTP library that bounds slow clients, and a place for each connection.

pub(crate) mod file_limit;
pub(crate) mod handle;
pub(crate) mod large_head;
pub(crate) mod registry;
pub(crate) mod slot;
pub(crate) mod state;
pub(crate) mod stream;
pub(crate) mod timer;
