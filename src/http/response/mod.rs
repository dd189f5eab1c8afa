//! Responses: headers, content codings, validators, file names, error responses, and the pages that several handlers
//! share.

mod before_paste;
mod cors;
mod created;
mod disposition;
mod error_response;
mod etag;
mod gate;
mod headers;
mod json;
mod large_head;

pub(crate) use before_paste::{link_page, protected_page, sealed_page};
pub(crate) use cors::{is_shared, preflight_response, share};
pub(crate) use created::{
    created_json, created_response, end_saved, no_owner_cookie, owner_cookie, saved_cookie,
};
pub(crate) use disposition::attachment;
pub(crate) use error_response::ErrorFormat;
pub(crate) use etag::{etag, etag_of_open, etag_of_page};
pub(crate) use gate::{ask_for_token, key_cookie, login_page, no_key_cookie};
pub(crate) use headers::{
    EMBEDDED_IMAGE_POLICY, HTML, JSON, NO_CACHE, NO_STORE, PRIVATE, SVG, TEXT, THUMBNAIL_POLICY,
    VARY_ACCEPT_AND_CODING, content_type_of, expires, no_content, page_or_text, protect, respond,
    see_other,
};
pub(crate) use json::{PasteCounts, PasteList, PasteObject, json_response, json_size, json_text};
pub(crate) use large_head::large_head_response;
