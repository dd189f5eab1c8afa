//! Reports: the form of a reader, and the list of the operator.

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::operate::{ADMIN, as_operator};
use crate::server::{Saved, TestServer, Tier};

const FLAGS: [&str; 4] = ["--contact", "abuse@bin.example", "--admin-token", ADMIN];

fn report(server: &TestServer, saved: &Saved, reason: &str) -> Request {
    let request = server.request("POST", &format!("{}/report", saved.path));
    request.form(format!("reason={reason}"))
}

fn queue(server: &TestServer) -> serde_json::Value {
    let list = as_operator(server.request("GET", "/api/v1/operate/reports")).send();
    assert_eq!(list.status, 200, "{list:?}");
    let list: serde_json::Value = serde_json::from_str(list.text()).expect("JSON");
    list["pastes"].clone()
}

#[test]
fn a_report_reaches_the_operator_and_survives_a_restart() {
    // Given a paste, and a server with a data directory
    let server = TestServer::of(Tier::Disk, &FLAGS);
    let saved = server.save("phishing page");
    // When a reader reports it
    let reported = report(&server, &saved, "steals+passwords%0Aof+a+bank").send();
    assert_eq!((reported.status, reported.text()), (200, "Reported.\n"));
    // And again, from the same network
    let again = report(&server, &saved, "again").send();
    let sentence = "Your network has reported this paste already. The first report is kept.\n";
    assert_eq!((again.status, again.text()), (200, sentence));
    // Then the operator sees the first, after a restart too
    let server = server.restart();
    let list = queue(&server);
    assert_eq!(list[0]["id"], saved.path[1..]);
    assert_eq!(list[0]["networks"], 1);
    assert_eq!(
        list[0]["reports"][0]["reason"],
        "steals passwords of a bank"
    );
    // And dismisses it, once. The paste stays
    let dismiss = || {
        let path = format!("/api/v1/operate/reports{}", saved.path);
        as_operator(server.request("DELETE", &path)).send().status
    };
    assert_eq!([dismiss(), dismiss()], [204, 404]);
    assert_eq!(queue(&server), serde_json::json!([]));
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn reports_are_counted_by_network_and_leave_with_their_paste() {
    let server = TestServer::unlimited(&FLAGS);
    let (one, two) = (server.save("one"), server.save("two"));
    let send = |saved: &Saved, from: &str| report(&server, saved, "spam").from(from).send().status;
    assert_eq!(send(&one, "192.0.2.1"), 200);
    // A network counts once for a paste, however many of its clients report it.
    for from in [
        "198.51.100.1",
        "198.51.100.1",
        "198.51.100.2",
        "203.0.113.1",
    ] {
        assert_eq!(send(&two, from), 200);
    }
    let list = queue(&server);
    assert_eq!(list[0]["id"], two.path[1..]);
    assert_eq!(list[0]["networks"], 2);
    assert_eq!(list[1]["networks"], 1);
    assert!(!list.to_string().contains("198.51"), "{list}");
    // When the owner deletes a paste, its reports go
    let delete = server.request("DELETE", &two.path);
    assert_eq!(delete.header("X-Token", &two.token).send().status, 200);
    assert_eq!(queue(&server).as_array().unwrap().len(), 1);
    // And so they do when it expires
    server.advance(std::time::Duration::from_secs(8 * 86_400));
    assert_eq!(queue(&server), serde_json::json!([]));
}

#[test]
fn every_page_of_a_paste_leads_to_the_form_if_the_operator_has_an_address() {
    let server = TestServer::with(&FLAGS);
    let open = server.save("x");
    let burning = Saved::of(&server.request("POST", "/?burn=1").body("x").send());
    let link = server.request("POST", "/");
    let link = Saved::of(&link.form("url=https%3A%2F%2Fa.example%2F").send());
    for (path, saved) in [
        (open.path.clone(), &open),
        (burning.path.clone(), &burning),
        (format!("{}+", link.path), &link),
    ] {
        let report = format!("{}/report", saved.path);
        let page = server.browse(&path);
        assert!(
            page.text().contains(&format!("href=\"{report}\"")),
            "{path}"
        );
        let form = server.browse(&report);
        assert_eq!(form.status, 200);
        assert!(form.text().contains("abuse@bin.example"));
        // Looking at the form is no view.
        assert!(server.get(&report).text().contains("curl -F 'reason=…'"));
    }
    let sent = report(&server, &open, "spam")
        .header("Accept", "text/html")
        .send();
    assert_eq!(sent.status, 200);
    assert!(sent.text().contains("<h1>Reported</h1>"));
}

#[test]
fn without_an_address_there_are_no_reports_and_no_link() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let saved = server.save("x");
    assert!(!server.browse(&saved.path).text().contains("/report"));
    assert_eq!(server.browse(&format!("{}/report", saved.path)).status, 404);
    assert_eq!(report(&server, &saved, "spam").send().status, 404);
    assert_eq!(server.get("/.well-known/security.txt").status, 404);
    assert_eq!(queue(&server), serde_json::json!([]));
}

#[test]
fn bad_reports_are_refused_with_a_sentence_and_count_as_saves() {
    let flags = [&FLAGS[..], &["--limit-save", "rate 1/s burst 4"]].concat();
    let server = TestServer::limited(&flags);
    let saved = server.save("x");
    let refused = |answer: Response, status: u16, part: &str| {
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.sentence().contains(part), "{answer:?}");
    };
    refused(
        report(&server, &saved, "").send(),
        400,
        "`reason` is missing",
    );
    let long = report(&server, &saved, &"x".repeat(301));
    refused(long.send(), 400, "at most 300 characters");
    let other = report(&server, &saved, "spam").header("Sec-Fetch-Site", "cross-site");
    refused(other.send(), 403, "another site");
    let limited = report(&server, &saved, "spam").send();
    assert_eq!(limited.status, 429);
    assert_eq!(queue(&server), serde_json::json!([]));
}

#[test]
fn security_txt_names_the_operator() {
    let server = TestServer::with(&FLAGS);
    let file = server.get("/.well-known/security.txt");
    assert_eq!(
        file.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let lines: Vec<_> = file.text().lines().collect();
    assert_eq!(lines[0], "Contact: mailto:abuse@bin.example");
    assert!(lines[1].starts_with("Expires: ") && lines[1].ends_with('Z'));
    assert!(lines[3].starts_with("Canonical: http://127.0.0.1:"));
}
