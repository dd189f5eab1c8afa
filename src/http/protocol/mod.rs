//! Protocols: the APIs of other pastebins.

pub(crate) mod record;
