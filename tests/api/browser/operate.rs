//! The operator: a reader reports a paste, and the operator removes it and blocks its content.

use super::{open_menu, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit_server};
use crate::operate::ADMIN;
use crate::server::TestServer;

/// A server whose pastes can be reported and removed.
pub fn moderated() -> TestServer {
    TestServer::with(&["--contact", "abuse@bin.example", "--admin-token", ADMIN])
}

/// Opens the operator's page.
pub async fn operate(visitor: &Visitor<'_>) {
    visitor.open_with(ADMIN, "/operate").await;
    visitor.shows("h1", "Operate").await;
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_reported_paste_is_removed_and_its_content_cannot_be_saved_again() {
    for scripts in [On, Off] {
        visit_server(moderated(), scripts, async |visitor| {
            // Given a paste that a reader reports
            let text = "this page steals passwords\n";
            let path = save(visitor, text, "").await;
            visitor.forget_cookies();
            visitor.open(&path).await;
            open_menu(visitor).await;
            visitor.click("#menu a[href$='/report']").await;
            visitor.shows("h1", "Report this paste").await;
            visitor.type_into("#reason", "Phishing").await;
            visitor.click(".gate button").await;
            visitor.shows("h1", "Reported").await;
            // When the operator removes it and blocks its content
            operate(visitor).await;
            visitor.tells(".reported li", "Phishing").await;
            visitor.click(".reported [name=block]").await;
            visitor.click(".reported [value=remove]").await;
            visitor
                .tells("[role=status]", "saving its content again is refused")
                .await;
            // Then it is gone, and cannot be saved again
            visitor.open(&path).await;
            visitor.tells(".message", "removed by the operator").await;
            visitor.open("/").await;
            visitor.type_into("#content", text).await;
            visitor.click(".submit button").await;
            let refusal = match scripts {
                On => "#refusal",
                Off => ".message",
            };
            visitor.tells(refusal, "blocks this content").await;
            // Until the operator allows it
            operate(visitor).await;
            visitor.click("form [aria-label^=Unblock]").await;
            visitor.tells("[role=status]", "can be saved again").await;
            save(visitor, text, "").await;
        });
    }
}
