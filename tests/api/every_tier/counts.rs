//! Counts: reads by hour and by day, for the owner.

use std::time::Duration;

use crate::forms::Forms;
use crate::server::TestServer;

const HOUR: Duration = Duration::from_secs(3600);

pub fn stats(server: &TestServer, id: &str, token: &str) -> serde_json::Value {
    let request = server.request("GET", &format!("/{id}/stats"));
    let request = request.header("Accept", "application/json");
    let answer = request.header("X-Token", token).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    serde_json::from_str(answer.text()).unwrap()
}

#[test]
fn reads_are_counted_by_hour_for_a_day_and_by_day_for_a_month() {
    let server = TestServer::start();
    let saved = server.save("x");
    for _ in 0..3 {
        server.get(&saved.path);
    }
    server.advance(HOUR);
    server.browse(&saved.path);
    server.get(&saved.raw());
    // None of these counts as a read.
    server.request("HEAD", &saved.path).send();
    server.get(&format!("/qr/{}", saved.id));
    let known = server.get(&saved.path);
    let etag = known.header("etag").unwrap();
    let request = server.request("GET", &saved.path);
    assert_eq!(request.header("If-None-Match", etag).send().status, 304);

    let counts = stats(&server, &saved.id, &saved.token);
    let hours = counts["by_hour"].as_array().unwrap();
    let days = counts["by_day"].as_array().unwrap();
    assert_eq!((hours.len(), days.len()), (24, 30));
    assert_eq!(counts["kind"], "paste");
    assert_eq!(counts["reads"], 6);
    assert_eq!((&hours[22], &hours[23]), (&3.into(), &3.into()));
    assert_eq!(days[29], 6);

    server.advance(24 * HOUR);
    let later = stats(&server, &saved.id, &saved.token);
    assert_eq!(later["reads"], 6);
    assert!(later["by_hour"].as_array().unwrap().iter().all(|n| *n == 0));
    assert_eq!(later["by_day"][28], 6);
}

#[test]
fn an_owners_readings_are_no_views_whatever_lines_they_mark() {
    let server = TestServer::start();
    let saved = server.save("a\nb\n");
    let page = |query: &str| {
        let request = server.request("GET", &format!("{}{query}", saved.path));
        let request = request.header("Accept", "text/html");
        request
            .header("Cookie", format!("token={}", saved.token))
            .send()
    };
    for (lines, views) in [("", "1 view"), ("?lines=2", "2 views")] {
        assert_eq!(server.browse(&format!("{}{lines}", saved.path)).status, 200);
        for query in ["", "?lines=2", ""] {
            let page = page(query);
            assert!(page.text().contains(views), "{query}: {page:?}");
        }
    }
    // Nor is the raw text or a download.
    for route in ["raw", "dl"] {
        let bytes = server.request("GET", &format!("/{route}/{}", saved.id));
        let own = bytes.header("Cookie", format!("token={}", saved.token));
        let own = own.header("Accept", "text/html").send();
        assert_eq!(own.text(), "a\nb\n");
    }
    // Nor is a page that the browser asks whether it changed.
    let asking = server
        .request("GET", &saved.path)
        .header("Accept", "text/html");
    let asking = asking.header("If-None-Match", "\"x\"");
    let asking = asking.header("Cookie", format!("token={}", saved.token));
    assert_eq!(asking.send().status, 200);
    // There are no such lines, so this is no view of anyone.
    assert_eq!(page("?lines=9").status, 404);
    let missing = server.browse(&format!("{}?lines=9", saved.path));
    assert_eq!(missing.status, 404);
    assert_eq!(stats(&server, &saved.id, &saved.token)["reads"], 2);
}

#[test]
fn a_terminal_gets_text_and_a_browser_a_chart() {
    let server = TestServer::start();
    let saved = server.save("x");
    server.get(&saved.path);
    let path = format!("/{}/stats", saved.id);
    let text = server.request("GET", &path).header("X-Token", &saved.token);
    let text = text.send();
    assert!(text.text().contains("\n1 view\n"), "{text:?}");
    let page = server.request("GET", &path).header("Accept", "text/html");
    let page = page
        .header("Cookie", format!("token={}", saved.token))
        .send();
    assert_eq!(page.status, 200);
    assert!(page.text().contains("<svg") && page.text().contains("no locations"));
}

#[test]
fn a_browser_without_the_token_is_asked_for_it_and_gets_a_cookie_for_this_paste() {
    let server = TestServer::start();
    let saved = server.save("x");
    for page in ["stats", "edit"] {
        let path = format!("/{}/{page}", saved.id);
        let asked = server.browse(&path);
        assert_eq!(asked.status, 401);
        assert!(asked.text().contains(&format!("action=\"{path}\"")));
        let enter = |token: &str| {
            let request = server.request("POST", &path).header("Accept", "text/html");
            request.form(format!("token={token}")).send()
        };
        assert_eq!(enter("wrong").status, 403);
        let entered = enter(&saved.token);
        assert_eq!(
            (entered.status, entered.header("location")),
            (303, Some(&*path))
        );
        let cookie = entered.header("set-cookie").unwrap();
        let mine = format!("token={}; Path=/{};", saved.token, saved.id);
        assert!(
            cookie.starts_with(&mine) && cookie.contains("HttpOnly"),
            "{cookie}"
        );
    }
}

#[test]
fn a_paste_that_burns_counts_its_reads_and_shows_how_many_are_left() {
    let server = TestServer::start();
    let answer = server.request("POST", "/?burn=3").body("x").send();
    let saved = crate::server::Saved::of(&answer);
    server.request("POST", &saved.path).send();
    server.get(&saved.path);
    let counts = stats(&server, &saved.id, &saved.token);
    assert_eq!(
        (&counts["reads"], &counts["reads_left"]),
        (&1.into(), &2.into())
    );
}
