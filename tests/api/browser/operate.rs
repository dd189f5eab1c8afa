//! The operator: a reader reports a paste, and the operator removes it and blocks its content.

use super::save;
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::operate::ADMIN;
use crate::server::TestServer;

/// A server whose pastes can be reported and removed.
pub fn moderated() -> TestServer {
    TestServer::with(&["--contact", "abuse@bin.example", "--admin-token", ADMIN])
}

/// Opens the operator's page.
pub fn operate(visitor: &Visitor) {
    visitor.open_with(ADMIN, "/operate");
    visitor.shows("h1", "Operate");
}

#[test]
#[ignore = "needs chromium"]
fn a_reported_paste_is_removed_and_its_content_cannot_be_saved_again() {
    visit_server(moderated(), On, moderate);
}

/// Reports a paste, removes it as the operator, and allows its content again.
pub(super) fn moderate(visitor: &Visitor) {
    // Given a paste that a reader reports
    let text = "this page steals passwords\n";
    let path = save(visitor, text, "");
    visitor.forget_cookies();
    visitor.open(&path);
    visitor.click("footer a[href$='/report']");
    visitor.shows("h1", "Report this paste");
    visitor.type_into("#reason", "Phishing");
    visitor.click(".gate button");
    visitor.shows("h1", "Reported");
    // When the operator removes it and blocks its content
    operate(visitor);
    visitor.tells(".reported li", "Phishing");
    visitor.click(".reported [name=block]");
    visitor.click(".reported [value=remove]");
    visitor.tells("[role=status]", "saving its content again is refused");
    // Then it is gone, and cannot be saved again
    visitor.open(&path);
    visitor.tells(".message", "removed by the operator");
    visitor.open("/");
    visitor.type_into("#content", text);
    visitor.click(".submit button");
    let refusal = match visitor.scripts {
        On => "#refusal",
        Off => ".message",
    };
    visitor.tells(refusal, "blocks this content");
    // Until the operator allows it
    operate(visitor);
    visitor.click("form [aria-label^=Unblock]");
    visitor.tells("[role=status]", "can be saved again");
    save(visitor, text, "");
}
