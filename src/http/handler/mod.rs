//! Handlers: one file for each resource or action. [`action`] and [`save`] choose another one by the form in the body, and
//! the [`editor`] gives back what [`save`] or [`update`] refuses. Those of the JSON API and of the operator share their
//! work with the page for the same use.

pub(crate) mod about;
pub(crate) mod action;
pub(crate) mod api;
pub(crate) mod asset;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod editor;
pub(crate) mod holders;
pub(crate) mod login;
pub(crate) mod mine;
pub(crate) mod operate;
pub(crate) mod read;
pub(crate) mod report;
pub(crate) mod save;
pub(crate) mod static_page;
pub(crate) mod update;
