//! Handlers: one file for each thing that a client asks for.

pub(crate) mod action;
pub(crate) mod asset;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod editor;
pub(crate) mod encryption;
pub(crate) mod link;
pub(crate) mod paste_page;
pub(crate) mod protected;
pub(crate) mod qr;
pub(crate) mod read;
pub(crate) mod read_protected;
pub(crate) mod static_page;
pub(crate) mod stats;
pub(crate) mod update;
