//! The observable behaviour of the server, over real sockets: one file per subject.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test that meets the unexpected should stop, and its helpers are for this binary"
)]

mod allocator;
mod attacks;
mod backup;
mod bad_input;
mod base_path;
mod behind_proxy;
mod browser;
mod caddy;
mod cards;
mod chromium;
mod client;
mod client_programs;
mod clients;
mod coding;
mod connections;
mod cors;
mod crash;
mod curl;
mod deploy;
mod detection;
mod diff;
mod dpaste;
mod engine;
mod every_tier;
mod files;
mod folder;
mod forms;
mod framing;
mod free_port;
mod gist;
mod guessing;
mod hangups;
mod haste;
mod heads;
mod images;
mod ix;
mod json_api;
mod keep_alive;
mod keys;
mod language;
mod limits;
mod links;
mod locking;
mod markup;
mod messages;
mod metrics;
mod misses;
mod nginx;
mod openapi;
mod operate;
mod operate_page;
mod other_clients;
mod other_sites;
mod outside;
mod page_cache;
mod pages;
mod pastebin;
mod pb;
mod place;
mod privatebin;
mod process;
mod programs;
mod prometheus;
mod protocols;
mod races;
mod reading;
mod record;
mod refusing;
mod reports;
mod restart;
mod rounds;
mod saved;
mod saving;
mod schemas;
mod secrets_twin;
mod server;
mod shared;
mod shared_cache;
mod silent;
mod slow;
mod stopping;
mod strangers;
mod termbin;
mod terminal;
mod unheard;
mod unix_socket;
mod waiting;
mod wastebin;
mod ways_in;
