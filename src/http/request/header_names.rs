//! The header names specific to tidebin. Headers that only set a save option are in [`super::SaveOption`].

use actix_web::http::header::HeaderName;

/// The owner token of a paste. The response to a save contains it, and requests to delete or change the paste send it.
pub(crate) const X_TOKEN: HeaderName = HeaderName::from_static("x-token");
/// In a response: the expiry time of a paste, in milliseconds since 1970. In a request: the requested lifetime.
pub(crate) const X_EXPIRES: HeaderName = HeaderName::from_static("x-expires");
pub(crate) const X_PASSWORD: HeaderName = HeaderName::from_static("x-password");
