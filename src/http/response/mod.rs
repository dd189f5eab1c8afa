//! Responses: headers, content codings, file names and times.

pub(crate) mod coding;
pub(crate) mod disposition;
pub(crate) mod headers;
pub(crate) mod paste_times;
