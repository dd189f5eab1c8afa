//! The whole way of an owner, and that of a report. No page on the way breaks a rule of axe-core, with its dialogs
//! open.

use super::access::{axe, breaks_no_rule};
use super::mine::expires;
use super::operate::operate;
use super::{open_menu, save};
use crate::chromium::Scripts::On;
use crate::chromium::{Visitor, visit_server};
use crate::operate::ADMIN;
use crate::server::TestServer;

const TEXT: &str = "fn main() {}\n";

/// A server as browsers see it over HTTPS, whose pastes can be reported and removed.
fn server() -> TestServer {
    TestServer::with(&[
        "--base-url",
        "https://bin.example",
        "--contact",
        "abuse@bin.example",
        "--admin-token",
        ADMIN,
    ])
}

/// Opens the menu of a paste's page.
fn opens_the_menu(visitor: &Visitor, axe: &str, path: &str) {
    visitor.open(path);
    open_menu(visitor);
    breaks_no_rule(visitor, axe, "menu");
}

/// Asks for a code and takes it to a browser that the server does not know.
fn take_to_another_device(visitor: &Visitor, axe: &str) {
    visitor.open("/mine");
    visitor.click("form[action='/mine/code'] button");
    visitor.shows("h1", "Another device");
    breaks_no_rule(visitor, axe, "a code");
    let code = visitor.text(".target");
    visitor.forget_cookies();
    visitor.open("/mine");
    visitor.click("a[href='/mine/device']");
    breaks_no_rule(visitor, axe, "enter a code");
    visitor.type_into("#code", "0000");
    visitor.follow(".gate form button");
    visitor.tells(".complaint", "not valid");
    breaks_no_rule(visitor, axe, "a wrong code");
    // This browser becomes an owner of its own, and then takes the list of the other one.
    save(visitor, TEXT, "of its own");
    visitor.open("/mine/device");
    visitor.type_into("#code", &code);
    visitor.click("#replace");
    breaks_no_rule(visitor, axe, "replace a list");
    visitor.click(".gate form button");
    visitor.is_at("/mine");
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn an_owner_saves_lists_extends_deletes_changes_the_device_and_is_forgotten() {
    let axe = axe();
    visit_server(server(), On, |visitor| {
        let axe = &*axe;
        let gone = save(visitor, TEXT, "gone");
        visitor.element(".note code");
        breaks_no_rule(visitor, axe, "saved");
        let path = save(visitor, TEXT, "kept");
        opens_the_menu(visitor, axe, &path);
        visitor.click("#menu .delete summary");
        breaks_no_rule(visitor, axe, "asked before the deletion");
        // Extend one, delete the other
        visitor.open("/mine");
        visitor.click(".mine li:first-child input");
        breaks_no_rule(visitor, axe, "a list");
        visitor.choose("#expires", "1d");
        visitor.click("button[value=extend]");
        visitor.finds(&expires("first"), "2026-01-02T00:00:00Z");
        visitor.click(".mine li:last-child input");
        visitor.click("button[value=delete]");
        visitor.finds("document.querySelectorAll('.mine li').length", 1);
        visitor.open(&gone);
        visitor.tells(".message", "deleted by its owner");
        breaks_no_rule(visitor, axe, "deleted");
        // On another device, the owner finds the list and edits
        take_to_another_device(visitor, axe);
        visitor.shows(".mine bdi", "kept");
        visitor.open(&format!("{path}/edit"));
        visitor.element(".editor");
        breaks_no_rule(visitor, axe, "edit");
        // And is forgotten, with the pastes
        visitor.open("/mine");
        visitor.click("[name=pastes]");
        visitor.click("form[action='/mine/forget'] button");
        visitor.shows("h1", "Forgotten");
        breaks_no_rule(visitor, axe, "forgotten");
        visitor.open(&path);
        visitor.tells(".message", "deleted by its owner");
        visitor.open("/mine");
        visitor.tells("main", "is not the owner of any paste");
        breaks_no_rule(visitor, axe, "no list");
    });
}

#[test]
#[ignore = "needs chromium and axe-core"]
fn a_reported_paste_is_taken_down_and_saving_it_again_is_refused() {
    let axe = axe();
    visit_server(server(), On, |visitor| {
        let axe = &*axe;
        let path = save(visitor, TEXT, "");
        visitor.forget_cookies();
        opens_the_menu(visitor, axe, &path);
        visitor.click("#menu a[href$='/report']");
        visitor.type_into("#reason", "Phishing");
        breaks_no_rule(visitor, axe, "report");
        visitor.click(".gate button");
        visitor.shows("h1", "Reported");
        breaks_no_rule(visitor, axe, "reported");
        operate(visitor);
        visitor.tells(".reported li", "Phishing");
        visitor.click(".reported [name=block]");
        breaks_no_rule(visitor, axe, "operate");
        visitor.click(".reported [value=remove]");
        visitor.element("[role=status]");
        breaks_no_rule(visitor, axe, "taken down");
        visitor.open(&path);
        visitor.tells(".message", "removed by the operator");
        breaks_no_rule(visitor, axe, "removed");
        visitor.open("/");
        visitor.type_into("#content", TEXT);
        visitor.click(".submit button");
        visitor.tells("#refusal", "blocks this content");
        breaks_no_rule(visitor, axe, "refused");
        let again = visitor.server.request("POST", "/").body(TEXT).send();
        assert_eq!(again.status, 451);
    });
}
