//! Whole ways of a visitor: without scripts, and from one device to another.

use super::closed::{burn, lock};
use super::mine::list;
use super::operate::moderate;
use super::save;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::visit_server;
use crate::operate::ADMIN;
use crate::server::TestServer;

const TEXT: &str = "fn main() {}\n";

/// A server as browsers see it over HTTPS, whose pastes can be reported and removed.
pub(super) fn server() -> TestServer {
    TestServer::with(&[
        "--base-url",
        "https://bin.example",
        "--contact",
        "abuse@bin.example",
        "--admin-token",
        ADMIN,
    ])
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_pastes_are_listed_burned_locked_reported_and_removed() {
    visit_server(server(), Off, |visitor| {
        list(visitor);
        burn(visitor);
        lock(visitor);
        moderate(visitor);
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_owner_takes_the_list_to_another_device_and_is_forgotten_with_the_pastes() {
    visit_server(server(), On, |visitor| {
        // Given a list and the secret of its owner
        let path = save(visitor, TEXT, "kept");
        visitor.open("/mine");
        visitor.click("form[action='/mine/device'] button");
        visitor.shows("h1", "Another device");
        let secret = visitor.text(".target");
        // When a browser that the server does not know enters a wrong secret
        visitor.forget_cookies();
        visitor.open("/mine");
        visitor.click("a[href='/mine/device']");
        visitor.type_into("#secret", "0000");
        visitor.follow(".gate form button");
        visitor.tells(".complaint", "No pastes belong");
        // And becomes an owner of its own, which replaces its list by the other one
        save(visitor, TEXT, "of its own");
        visitor.open("/mine/device");
        visitor.type_into("#secret", &secret);
        visitor.click("#replace");
        visitor.follow(".gate form button");
        // Then it has the list, and may edit
        visitor.is_at("/mine");
        visitor.shows(".mine bdi", "kept");
        visitor.open(&format!("{path}/edit"));
        visitor.element(".editor");
        // And forgets it with the pastes
        visitor.open("/mine");
        visitor.click("[name=pastes]");
        visitor.click("form[action='/mine/forget'] button");
        visitor.shows("h1", "Forgotten");
        visitor.open(&path);
        visitor.tells(".message", "deleted by its owner");
        visitor.open("/mine");
        visitor.tells("main", "is not the owner of any paste");
    });
}
