//! Who learns of a slug: its owner and the operator, but no client without a right.

use std::time::Duration;

use serde_json::Value;

use super::{Slugs, form, json};
use crate::forms::Forms;
use crate::operate::{ADMIN, as_operator};
use crate::server::Tier;

#[test]
fn the_list_the_reports_and_the_operator_know_a_paste_by_its_slug() {
    let flags = ["--contact", "abuse@bin.example", "--admin-token", ADMIN];
    let mut it = Slugs::start(&flags);
    for slug in ["notes", "more-notes"] {
        assert_eq!(it.save(slug, slug).status, 201);
    }
    let report = form(it.server.request("POST", "/notes/report"), "reason=spam");
    assert_eq!(report.send().status, 200);
    if Tier::chosen() != Tier::Memory {
        it = Slugs {
            server: it.server.restart(),
            ..it
        };
    }
    // Then the list has the slugs
    let list = json(&it.with_key("GET", "/api/v1/pastes").send());
    assert_eq!(list["pastes"][0]["id"], "more-notes");
    assert_eq!(list["pastes"][1]["url"], Value::from(it.url("notes")));
    let mine = it
        .with_key("GET", "/mine")
        .header("Accept", "text/html")
        .send();
    assert!(mine.text().contains("href=\"/more-notes\""), "{mine:?}");
    // And the queue too
    let queue = as_operator(it.server.request("GET", "/api/v1/operate/reports")).send();
    assert_eq!(
        json(&queue)["pastes"][0]["url"],
        Value::from(it.url("notes"))
    );
    // And the operator removes one by its address
    let act = |body: &str| {
        let request = as_operator(it.server.request("POST", "/operate"));
        form(request.header("Sec-Fetch-Site", "same-origin"), body)
            .send()
            .status
    };
    let url = it.url("notes").replace(':', "%3A").replace('/', "%2F");
    assert_eq!(act(&format!("act=dismiss&paste={url}")), 303);
    assert_eq!(act(&format!("act=remove&paste={url}.txt")), 303);
    assert_eq!(act("act=remove&paste=raw/more-notes"), 303);
    for path in ["/notes", "/more-notes"] {
        assert!(
            it.server
                .get(path)
                .sentence()
                .contains("removed by the operator")
        );
    }
}

#[test]
fn a_report_is_not_about_a_later_paste_with_the_same_slug() {
    let flags = ["--contact", "abuse@bin.example", "--admin-token", ADMIN];
    let it = Slugs::start(&flags);
    let reports = || {
        let queue = as_operator(it.server.request("GET", "/api/v1/operate/reports")).send();
        json(&queue)["pastes"].as_array().map(Vec::len)
    };
    assert_eq!(it.save("notes", "bad").status, 201);
    let report = form(it.server.request("POST", "/notes/report"), "reason=spam");
    assert_eq!(report.send().status, 200);
    assert_eq!(reports(), Some(1));
    // When the slug is free again, and belongs to another paste
    assert_eq!(it.delete("/notes"), 200);
    it.server.advance(Duration::from_secs(86_400));
    assert_eq!(it.save("notes", "good").status, 201);
    assert_eq!(reports(), Some(0));
}

#[test]
fn a_private_server_tells_nothing_of_a_slug_without_a_key() {
    let it = Slugs::start(&["--access", "private"]);
    assert_eq!(it.save("notes", "x").status, 201);
    for form in [
        "/SLUG",
        "/raw/SLUG",
        "/SLUG/stats",
        "/SLUG+",
        "/SLUG/rs",
        "/api/v1/pastes/SLUG",
    ] {
        let [known, unknown] = ["notes", "other"].map(|slug| {
            let answer = it.server.get(&form.replace("SLUG", slug));
            (answer.status, answer.text().replace(slug, "SLUG"))
        });
        assert_eq!(known.0, 401);
        assert_eq!(known, unknown, "{form}");
    }
}

#[test]
fn a_browser_is_told_to_change_a_slug_that_is_taken() {
    let it = Slugs::start(&[]);
    assert_eq!(it.save("notes", "x").status, 201);
    let save = it.with_key("POST", "/").header("Accept", "text/html");
    let refused = save.parts(&[("slug", "notes"), ("file", "x")]).send();
    assert_eq!(refused.status, 409);
    let page = refused.text();
    assert!(page.contains("<h1>Address taken</h1>"), "{page}");
    assert!(page.contains("Go back in your browser to change it."));
    assert!(!page.contains("send it again") && !page.contains("Try again"));
}
