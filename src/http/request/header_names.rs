//! Headers of tidebin's own that are read or written by name. Those that only give an option of a save are in
//! [`super::SaveOption`].

use actix_web::http::header::HeaderName;

/// The token of a paste: told when it was saved, sent to delete or change it.
pub(crate) const X_TOKEN: HeaderName = HeaderName::from_static("x-token");
/// In an answer: when a paste expires, in milliseconds since 1970. In a request: how long it is stored.
pub(crate) const X_EXPIRES: HeaderName = HeaderName::from_static("x-expires");
/// The password of a paste.
pub(crate) const X_PASSWORD: HeaderName = HeaderName::from_static("x-password");
