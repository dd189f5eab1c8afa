//! Use of the pages in a real browser, with scripts and without.

mod access;
mod base_path;
mod closed;
mod data;
mod documents;
mod drafts;
mod hostile;
mod images;
mod journey;
mod links;
mod login;
mod logs;
mod looks;
mod mine;
mod operate;
mod owner;
mod patches;
mod picker;
mod pictures;
mod print;
mod reading;
mod recent;
mod secrets;
mod writing;

use crate::chromium::Visitor;

/// Several lines with every special character of HTML, two writing directions, and no final line feed.
const TYPED: &str = "fn main() {\n    <b>&\"bold\"</b> &amp; 'quoted'\n\nسلام é\n}";

/// The time at which the paste on the page expires.
const EXPIRES: &str = "document.querySelector('.facts time[data-when=future]').dateTime";

/// Types a paste and saves it; returns its path.
async fn save(visitor: &Visitor<'_>, text: &str, title: &str) -> String {
    visitor.open("/").await;
    visitor.type_into("#content", text).await;
    visitor.type_into("#title", title).await;
    visitor.choose("#lang", "rust").await;
    visitor.choose("#expires", "1h").await;
    visitor.click(".submit button").await;
    visitor.element(".listing").await;
    visitor.path().await
}

/// Types a paste that burns or has a password, and saves it; returns its path.
async fn save_closed(visitor: &Visitor<'_>, text: &str, burn: &str, password: &str) -> String {
    visitor.open("/").await;
    visitor.type_into("#content", text).await;
    visitor.choose("#burn", burn).await;
    visitor.type_into("#password", password).await;
    visitor.click(".submit button").await;
    visitor.element(".gate").await;
    visitor.path().await
}

/// Opens the menu of the page.
async fn open_menu(visitor: &Visitor<'_>) {
    visitor.click("[popovertarget=menu]").await;
}

/// Switches the wrapping of lines, which is in the menu.
async fn toggle_wrap(visitor: &Visitor<'_>) {
    visitor
        .evaluate("document.querySelector('#wrap').click()")
        .await;
}

/// Deletes the paste of the open page, as its owner.
async fn delete(visitor: &Visitor<'_>) {
    open_menu(visitor).await;
    visitor.click(".delete summary").await;
    visitor.click(".delete button").await;
    visitor.shows(".message h1", "Deleted").await;
}

/// Presses the button that opens a protected paste, with this password if the page asks for one. After a wrong password
/// the same page is shown again.
async fn open_closed(visitor: &Visitor<'_>, password: &str) {
    if !password.is_empty() {
        visitor.type_into("#password", password).await;
    }
    visitor.follow(OPEN).await;
}

/// The button of [`open_closed`].
const OPEN: &str = ".gate form button:not(.quiet)";
