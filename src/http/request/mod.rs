//! The HTTP request, parsed once into a value that every handler receives.
//! [`Request`] holds the route, the response format, the client and the conditions. The options of a save, the address
//! of a paste and the credentials are parsed on demand.
//!
//! Invariants: client input becomes a type that is always valid, or a [`error::RequestError`].

mod accounts;
mod address;
pub(crate) mod api;
mod client;
mod conditions;
mod credentials;
mod error;
mod expiry_rules;
pub(crate) mod form;
mod format;
mod header_words;
mod host;
mod identity_cookie;
pub(crate) mod json;
mod method;
mod options;
mod preview;
pub(crate) mod query;
mod route;
mod save_option;
mod value;

pub(crate) use crate::page::Coding;
pub(crate) use value::{Parsed, Request};

pub(crate) use accounts::{
    Accounts, Claim, KeySource, key_cookie as request_key_cookie, key_cookie_name,
};
pub(crate) use address::{PasteAddress, file_in, id_in};
pub(crate) use client::{ClientIdentity, ClientResolver, is_forwarded};
pub(crate) use conditions::{ByteRange, Conditions};
pub(crate) use credentials::{
    Authorization, basic, bearer, bearer_owner, cookie_tokens, header_token, is_same_origin,
};
pub(crate) use error::RequestError;
pub(crate) use expiry_rules::{ExpiryRules, words_of_expiry};
pub(crate) use form::BodyKind;
pub(crate) use format::ResponseFormat;
pub(crate) use identity_cookie::IdentityCookie;
pub(crate) use method::Method;
pub(crate) use options::{has_options, header_password, named_language};
pub(crate) use preview::{FETCHING_AGENTS, PREVIEW_AGENTS, is_preview};
pub(crate) use route::{Audience, Cost, Pattern, Route};
pub(crate) use save_option::{
    SaveOption, SaveOptions, X_EXPIRES, X_PASSWORD, X_TOKEN, known_language, parse_password,
};
