//! Responses: headers, content codings, validators, file names, errors as answers, and the pages that more than one
//! handler answers with.

pub(crate) mod coding;
pub(crate) mod created;
pub(crate) mod disposition;
mod error_response;
pub(crate) mod etag;
pub(crate) mod headers;
pub(crate) mod link_page;
pub(crate) mod owner_cookie;
pub(crate) mod paste_times;
pub(crate) mod protected_page;
pub(crate) mod token_page;
