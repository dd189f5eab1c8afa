//! `/operate`: the operator's page, its forms, and who may send them.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::client::{Request, Response};
use crate::forms::Forms;
use crate::operate::{ADMIN, as_operator};
use crate::server::{Saved, TestServer};

const FLAGS: [&str; 4] = ["--contact", "abuse@bin.example", "--admin-token", ADMIN];

/// The credential that a browser sends once it has asked for it.
fn basic(password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("operator:{password}")))
}

/// A form of the page, as a browser sends it.
fn form(server: &TestServer, body: &str) -> Request {
    let request = server.request("POST", "/operate");
    let request = request.header("Authorization", basic(ADMIN));
    request.header("Accept", "text/html").form(body)
}

fn from_own_page(request: Request) -> Response {
    request.header("Sec-Fetch-Site", "same-origin").send()
}

fn page(server: &TestServer) -> Response {
    let request = server
        .request("GET", "/operate")
        .header("Accept", "text/html");
    request.header("Authorization", basic(ADMIN)).send()
}

#[test]
fn a_browser_is_asked_for_the_operators_token_and_wrong_ones_are_limited() {
    let server = TestServer::limited(&["--admin-token", ADMIN, "--limit-miss", "rate 1/s burst 2"]);
    let none = server.browse("/operate");
    assert_eq!(none.status, 401);
    let challenge = none.header("www-authenticate").unwrap();
    assert!(challenge.starts_with("Basic realm=\"tidebin operator\""));
    let right = page(&server);
    assert_eq!(right.status, 200);
    assert_eq!(right.header("cache-control"), Some("no-store"));
    assert!(right.text().contains("<h1>Operate</h1>"));
    let guess = || {
        let request = server.request("GET", "/operate");
        request
            .header("Authorization", basic("wrong"))
            .send()
            .status
    };
    assert_eq!([guess(), guess(), guess()], [401, 401, 429]);
}

#[test]
fn the_password_of_the_browser_does_nothing_on_any_other_route() {
    let server = TestServer::with(&FLAGS);
    let saved = server.save("x");
    let delete = server.request("DELETE", &saved.path);
    let refused = delete.header("Authorization", basic(ADMIN)).send();
    assert_eq!(refused.status, 401);
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn a_paste_is_removed_by_its_address_in_every_form() {
    let server = TestServer::with(&FLAGS);
    for address in [
        "ID",
        "/ID",
        "http://127.0.0.1:8088/ID",
        "https://pastebin0123/raw/ID",
        "/ID.rs",
        "/ID/notes.txt",
        "/ID%2B",
        "+https://bin.example/dl/ID?lines=1%23L2+",
    ] {
        let saved = server.save("x");
        let address = address.replace("ID", &saved.path[1..]);
        let removed = from_own_page(form(&server, &format!("act=remove&paste={address}")));
        assert_eq!(removed.status, 303, "{address}: {removed:?}");
        let location = format!("/operate?done=removed&paste={}", saved.id);
        assert_eq!(removed.header("location"), Some(&*location));
        assert_eq!(server.get(&saved.path).status, 410);
    }
    for (body, status) in [
        ("act=remove&paste=http://127.0.0.1/help", 400),
        ("act=remove&paste=www.bin.example/notes", 400),
        ("act=remove", 400),
        ("act=remove&paste=unknown&block=no", 400),
        ("act=burn&paste=x", 400),
        ("paste=x", 400),
        ("act=remove&act=block", 400),
        ("act=remove&password=x", 400),
        ("act=block&sha256=abc", 400),
        ("act=dismiss&paste=0123456789AB", 400),
        ("act=dismiss&paste=unknown", 404),
    ] {
        assert_eq!(from_own_page(form(&server, body)).status, status, "{body}");
    }
}

#[test]
fn an_address_removes_no_paste_that_it_only_mentions_and_block_0_blocks_nothing() {
    let server = TestServer::with(&FLAGS);
    let victim = server.save("innocent");
    for address in [
        "http://bin.example/evil%23ID",
        "http://bin.example/evil?ID",
        "http://bin.example/evil.ID",
        "http://bin.example/evil/ID",
        "ID.bin.example/evil",
    ] {
        let address = address.replace("ID", &victim.id);
        let act = form(
            &server,
            &format!("act=remove&block=1&paste={address}&reason=x"),
        );
        let refused = from_own_page(act);
        assert!(matches!(refused.status, 400 | 404), "{address} {refused:?}");
        assert_eq!(server.get(&victim.path).status, 200, "{address}");
    }
    // When the form says not to block
    let body = format!("act=remove&block=0&paste={}", victim.id);
    let removed = from_own_page(form(&server, &body));
    // Then the page says what was removed, and the same content can be saved
    let back = server.request("GET", removed.header("location").unwrap());
    let back = back.header("Accept", "text/html");
    let back = back.header("Authorization", basic(ADMIN)).send();
    let said = format!("The paste was removed. <code>/{}</code>", victim.id);
    assert!(back.text().contains(&said), "{}", back.text());
    let again = server.request("POST", "/").body("innocent").send();
    assert_eq!(again.status, 201);
}

#[test]
fn a_reported_paste_is_removed_and_blocked_from_the_page_and_unblocked_again() {
    // Given a reported paste
    let server = TestServer::with(&FLAGS);
    let save = server.request("POST", "/").header("X-Title", "\u{202e}<i>");
    let saved = Saved::of(&save.body("bad").send());
    assert_eq!(server.get(&saved.path).status, 200);
    let report = server.request("POST", &format!("{}/report", saved.path));
    assert_eq!(report.form("reason=spam+%3Cb%3E").send().status, 200);
    let shown = page(&server);
    assert!(
        shown.text().contains("spam &#60;b&#62;"),
        "{}",
        shown.text()
    );
    for fact in [
        "Reported from 1 network",
        "3 bytes",
        "1 view<",
        "<b><bdi>[U+202E]&#60;i&#62;</bdi></b> <bdi>bad</bdi>",
    ] {
        assert!(shown.text().contains(fact), "{fact} {}", shown.text());
    }
    // When the operator removes and blocks it
    let body = format!("act=remove&paste={}&block=1&reason=known", &saved.path[1..]);
    let removed = from_own_page(form(&server, &body));
    let location = format!("/operate?done=removed-and-blocked&paste={}", saved.id);
    assert_eq!(removed.header("location"), Some(&*location));
    // Then the report has left, and the content is on the list
    let shown = page(&server);
    assert!(shown.text().contains("No paste is reported.") && shown.text().contains("known"));
    assert_eq!(server.request("POST", "/").body("bad").send().status, 451);
    // And it can be saved once it is unblocked
    let listed = shown
        .text()
        .split("name=\"sha256\" value=\"")
        .nth(1)
        .unwrap();
    let body = format!("act=unblock&sha256={}", &listed[..64]);
    assert_eq!(from_own_page(form(&server, &body)).status, 303);
    assert_eq!(server.request("POST", "/").body("bad").send().status, 201);
}

#[test]
fn an_act_on_the_second_page_of_the_reports_leads_back_to_it() {
    let server = TestServer::with(&FLAGS);
    let act = server.request("POST", "/operate?page=2");
    let saved = server.save("x");
    let act = as_operator(act.form(format!("act=remove&paste={}", saved.id)));
    let removed = act.send();
    let location = removed.header("location");
    let back = format!("/operate?done=removed&paste={}&page=2", saved.id);
    assert_eq!(location, Some(&*back));
}

#[test]
fn the_numbers_of_the_last_hour_and_day_are_those_of_the_requests() {
    // Given two saves and a refused one in one minute
    let server = TestServer::limited(&["--admin-token", ADMIN, "--limit-save", "quota 2/1d"]);
    let save = |text: &str| server.request("POST", "/").body(text).send().status;
    assert_eq!([save("a"), save("b"), save("c")], [201, 201, 429]);
    // And none for an hour and a half
    server.advance(Duration::from_secs(90 * 60));
    // When the operator asks
    let status = as_operator(server.request("GET", "/api/v1/operate")).send();
    let status: serde_json::Value = serde_json::from_str(status.text()).unwrap();
    // Then they were in the hour before
    let counts = |of: &str, what: &str| {
        let counts = status[of][what].as_array().unwrap();
        let counts: Vec<_> = counts.iter().map(|count| count.as_u64().unwrap()).collect();
        (counts.len(), counts.iter().sum::<u64>())
    };
    assert_eq!(counts("by_minute", "saves"), (60, 0));
    assert_eq!(counts("by_hour", "saves"), (24, 2));
    assert_eq!(counts("by_hour", "refused"), (24, 1));
    assert_eq!(status["pastes"], 2);
    assert_eq!(status["limited"], 1);
    // And a terminal gets the same as text
    let text = as_operator(server.request("GET", "/operate")).send();
    assert!(text.text().contains("Saves: 2\n"), "{}", text.text());
    assert!(
        text.text()
            .contains("Last 24 hours: 2 saves, at most 2 per hour")
    );
}

#[test]
fn a_file_named_operate_can_be_saved_and_a_bearer_token_needs_no_origin() {
    let server = TestServer::with(&FLAGS);
    let put = server.request("PUT", "/operate").body("x").send();
    assert_eq!(put.status, 201);
    let saved = Saved::of(&put);
    let request = server.request("POST", "/operate").header("Origin", "null");
    let body = format!("act=remove&paste={}", &saved.path[1..]);
    assert_eq!(as_operator(request.body(body)).send().status, 303);
}

#[test]
fn below_a_base_path_the_forms_stay_below_it() {
    let base_url = ["--base-url", "https://example.org/paste"];
    let server = TestServer::with(&[&FLAGS[..], &base_url].concat());
    let get = |path: &str| {
        let request = server.request("GET", path).header("Accept", "text/html");
        request.header("Authorization", basic(ADMIN)).send()
    };
    let saved = server.request("POST", "/paste/").body("x").send();
    let id = saved.text().trim().rsplit('/').next().unwrap().to_owned();
    let form = get(&format!("/paste/{id}/report"));
    assert!(
        form.text()
            .contains(&format!("action=\"/paste/{id}/report\""))
    );
    assert!(
        get("/paste/operate")
            .text()
            .contains("action=\"/paste/operate\"")
    );
    let request = server
        .request("POST", "/paste/operate")
        .header("Authorization", basic(ADMIN));
    let removed = request
        .form(format!("act=remove&paste=https://example.org/paste/{id}"))
        .send();
    let location = format!("/paste/operate?done=removed&paste={id}");
    assert_eq!(removed.header("location"), Some(&*location));
    assert_eq!(get(&format!("/paste/{id}")).status, 410);
}
