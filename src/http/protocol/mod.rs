//! Protocols: the interfaces of other pastebins.

pub(crate) mod record;
