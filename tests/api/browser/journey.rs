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
async fn opens_the_menu(visitor: &Visitor<'_>, axe: &str, path: &str) {
    visitor.open(path).await;
    open_menu(visitor).await;
    breaks_no_rule(visitor, axe, "menu").await;
}

/// Asks for a code and takes it to a browser that the server does not know.
async fn take_to_another_device(visitor: &Visitor<'_>, axe: &str) {
    visitor.open("/mine").await;
    visitor.click("form[action='/mine/code'] button").await;
    visitor.shows("h1", "Another device").await;
    breaks_no_rule(visitor, axe, "a code").await;
    let code = visitor.text(".target").await;
    visitor.forget_cookies();
    visitor.open("/mine").await;
    visitor.click("a[href='/mine/device']").await;
    breaks_no_rule(visitor, axe, "enter a code").await;
    visitor.type_into("#code", "0000").await;
    visitor.follow(".gate form button").await;
    visitor.tells(".complaint", "not valid").await;
    breaks_no_rule(visitor, axe, "a wrong code").await;
    // This browser becomes an owner of its own, and then takes the list of the other one.
    save(visitor, TEXT, "of its own").await;
    visitor.open("/mine/device").await;
    visitor.type_into("#code", &code).await;
    visitor.click("#replace").await;
    breaks_no_rule(visitor, axe, "replace a list").await;
    visitor.click(".gate form button").await;
    visitor.is_at("/mine").await;
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn an_owner_saves_lists_extends_deletes_changes_the_device_and_is_forgotten() {
    let axe = axe();
    visit_server(server(), On, async |visitor| {
        let axe = &*axe;
        let gone = save(visitor, TEXT, "gone").await;
        visitor.element(".note code").await;
        breaks_no_rule(visitor, axe, "saved").await;
        let path = save(visitor, TEXT, "kept").await;
        opens_the_menu(visitor, axe, &path).await;
        visitor.click("#menu .delete summary").await;
        breaks_no_rule(visitor, axe, "asked before the deletion").await;
        // Extend one, delete the other
        visitor.open("/mine").await;
        visitor.click(".mine li:first-child input").await;
        breaks_no_rule(visitor, axe, "a list").await;
        visitor.choose("#expires", "1d").await;
        visitor.click("button[value=extend]").await;
        visitor
            .finds(&expires("first"), "2026-01-02T00:00:00Z")
            .await;
        visitor.click(".mine li:last-child input").await;
        visitor.click("button[value=delete]").await;
        visitor
            .finds("document.querySelectorAll('.mine li').length", 1)
            .await;
        visitor.open(&gone).await;
        visitor.tells(".message", "deleted by its owner").await;
        breaks_no_rule(visitor, axe, "deleted").await;
        // On another device, the owner finds the list and edits
        take_to_another_device(visitor, axe).await;
        visitor.shows(".mine bdi", "kept").await;
        visitor.open(&format!("{path}/edit")).await;
        visitor.element(".editor").await;
        breaks_no_rule(visitor, axe, "edit").await;
        // And is forgotten, with the pastes
        visitor.open("/mine").await;
        visitor.click("[name=pastes]").await;
        visitor.click("form[action='/mine/forget'] button").await;
        visitor.shows("h1", "Forgotten").await;
        breaks_no_rule(visitor, axe, "forgotten").await;
        visitor.open(&path).await;
        visitor.tells(".message", "deleted by its owner").await;
        visitor.open("/mine").await;
        visitor.tells("main", "is not the owner of any paste").await;
        breaks_no_rule(visitor, axe, "no list").await;
    });
}

#[test]
#[ignore = "needs chromium, chromedriver and axe-core"]
fn a_reported_paste_is_taken_down_and_saving_it_again_is_refused() {
    let axe = axe();
    visit_server(server(), On, async |visitor| {
        let axe = &*axe;
        let path = save(visitor, TEXT, "").await;
        visitor.forget_cookies();
        opens_the_menu(visitor, axe, &path).await;
        visitor.click("#menu a[href$='/report']").await;
        visitor.type_into("#reason", "Phishing").await;
        breaks_no_rule(visitor, axe, "report").await;
        visitor.click(".gate button").await;
        visitor.shows("h1", "Reported").await;
        breaks_no_rule(visitor, axe, "reported").await;
        operate(visitor).await;
        visitor.tells(".reported li", "Phishing").await;
        visitor.click(".reported [name=block]").await;
        breaks_no_rule(visitor, axe, "operate").await;
        visitor.click(".reported [value=remove]").await;
        visitor.element("[role=status]").await;
        breaks_no_rule(visitor, axe, "taken down").await;
        visitor.open(&path).await;
        visitor.tells(".message", "removed by the operator").await;
        breaks_no_rule(visitor, axe, "removed").await;
        visitor.open("/").await;
        visitor.type_into("#content", TEXT).await;
        visitor.click(".submit button").await;
        visitor.tells("#refusal", "blocks this content").await;
        breaks_no_rule(visitor, axe, "refused").await;
        let again = visitor.server.request("POST", "/").body(TEXT).send();
        assert_eq!(again.status, 451);
    });
}
