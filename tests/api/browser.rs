//! Use of the pages in a real browser, with scripts and without.

mod asking;
mod base_path;
mod checker;
mod closed;
mod data;
mod documents;
mod drafts;
mod every_page;
mod files;
mod hostile;
mod images;
mod jobs;
mod journey;
mod lines;
mod links;
mod login;
mod logs;
mod looks;
mod mine;
mod operate;
mod owner;
mod patches;
mod phone;
mod picker;
mod pictures;
mod print;
mod reading;
mod recent;
mod sealed;
mod secrets;
mod writing;

use crate::chromium::Visitor;

/// Several lines with every special character of HTML, two writing directions, and no final line feed.
const TYPED: &str = "fn main() {\n    <b>&\"bold\"</b> &amp; 'quoted'\n\nسلام é\n}";

/// The time at which the paste on the page expires.
const EXPIRES: &str = "document.querySelector('.facts time[data-when=future]').dateTime";

/// Types a paste and saves it; returns its path.
fn save(visitor: &Visitor, text: &str, title: &str) -> String {
    visitor.open("/");
    visitor.type_into("#content", text);
    visitor.type_into("#title", title);
    visitor.choose("#lang", "rust");
    visitor.choose("#expires", "1h");
    visitor.click(".submit button");
    visitor.element(".listing");
    visitor.path()
}

/// Types a paste that burns or has a password, and saves it; returns its path.
fn save_closed(visitor: &Visitor, text: &str, burn: &str, password: &str) -> String {
    visitor.open("/");
    visitor.type_into("#content", text);
    visitor.click("#options summary");
    visitor.choose("#burn", burn);
    visitor.type_into("#password", password);
    visitor.click(".submit button");
    visitor.element(".saved");
    visitor.path()
}

/// Opens the menu of the page.
fn open_menu(visitor: &Visitor) {
    visitor.click("[popovertarget=menu]");
}

/// Deletes the paste of the open page, as its owner.
fn delete(visitor: &Visitor) {
    open_menu(visitor);
    visitor.click(".delete summary");
    visitor.click(".delete button");
    visitor.shows(".message h1", "Deleted");
}

/// Presses the button that opens a protected paste, with this password if the page asks for one. After a wrong password
/// the same page is shown again.
fn open_closed(visitor: &Visitor, password: &str) {
    if !password.is_empty() {
        visitor.type_into("#password", password);
    }
    visitor.follow(OPEN);
}

/// The button of [`open_closed`].
const OPEN: &str = ".gate form button:not([formaction])";
