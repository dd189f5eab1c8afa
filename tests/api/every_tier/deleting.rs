//! Deletion: possible with the token and by no other way.

use crate::forms::Forms;
use crate::server::{Saved, TestServer};

#[test]
fn the_token_deletes_a_paste_and_the_next_read_reports_it() {
    let server = TestServer::start();
    let saved = server.save("x");
    let answer = server
        .request("DELETE", &saved.path)
        .header("X-Token", &saved.token)
        .send();
    assert_eq!((answer.status, answer.text()), (200, "Deleted.\n"));
    let gone = server.get(&saved.path);
    assert_eq!(gone.status, 410);
    assert!(gone.sentence().contains("deleted by its owner"));
    let again = server
        .request("DELETE", &saved.path)
        .header("X-Token", &saved.token)
        .send();
    assert_eq!(again.status, 410);
}

#[test]
fn a_delete_without_a_token_is_401_with_a_challenge_and_with_a_wrong_one_403() {
    let server = TestServer::start();
    let (saved, other) = (server.save("x"), server.save("y"));
    let none = server.request("DELETE", &saved.path).send();
    assert_eq!(
        (none.status, none.header("www-authenticate")),
        (401, Some("X-Token"))
    );
    for wrong in [other.token.as_str(), "", "x", &saved.token[1..]] {
        let answer = server
            .request("DELETE", &saved.path)
            .header("X-Token", wrong)
            .send();
        assert_eq!(answer.status, 403, "{wrong:?}");
    }
    let bearer = format!("Bearer {}", saved.token);
    let by_bearer = server
        .request("DELETE", &saved.path)
        .header("Authorization", bearer)
        .send();
    assert_eq!(by_bearer.status, 403);
    assert!(
        by_bearer
            .sentence()
            .starts_with("This is not the operator's token.")
    );
    assert_eq!(server.get(&saved.path).status, 200);
}

#[test]
fn a_form_deletes_by_its_token_field_or_by_the_cookie_of_this_paste() {
    let server = TestServer::start();
    let form = |saved: &Saved, body: &str| {
        let request = server.request("POST", &saved.path);
        request.form(body)
    };
    let (by_field, by_cookie) = (server.save("x"), server.save("y"));
    assert_eq!(form(&by_field, "delete=1").send().status, 401);
    assert_eq!(form(&by_field, "delete=1&token=wrong").send().status, 403);
    assert_eq!(
        form(&by_field, &format!("token={}", by_field.token))
            .send()
            .status,
        400
    );
    assert_eq!(
        form(&by_field, &format!("delete=&token={}", by_field.token))
            .send()
            .status,
        200
    );
    assert_eq!(server.get(&by_field.path).status, 410);

    let cookie = format!("other=1; token={}", by_cookie.token);
    let page = form(&by_cookie, "delete=1")
        .header("Cookie", cookie)
        .header("Accept", "text/html")
        .send();
    assert_eq!(page.status, 200);
    assert!(page.text().contains("Deleted"));
    assert!(page.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(server.get(&by_cookie.path).status, 410);
}

#[test]
fn the_right_cookie_counts_among_foreign_cookies_of_the_same_name() {
    let server = TestServer::limited(&["--limit-miss", "rate 1/s burst 3"]);
    let saved = server.save("x");
    let wrong = |count: usize| "token=theirs-theirs-theirs-x; ".repeat(count);
    let delete = |cookies: String| {
        let request = server.request("POST", &saved.path);
        let request = request.header("Cookie", cookies).form("delete=1");
        request.send().status
    };
    // The owner's page offers deletion, and viewing it is not charged as a miss.
    let page = server.request("GET", &saved.path);
    let page = page.header("Accept", "text/html");
    let mine = format!("{}token={}", wrong(7), saved.token);
    let page = page.header("Cookie", &mine).send();
    assert!(!page.text().contains("name=\"token\""));
    // All wrong cookies of a request count as one guess. At most eight cookies are checked.
    assert_eq!(delete(wrong(8)), 403);
    assert_eq!(delete(format!("{}{mine}", wrong(1))), 403);
    assert_eq!(delete(mine), 200);
    let missing = |_| server.get("/no-slug").status;
    assert_eq!([0, 1].map(missing), [404, 429]);
}

const ADMIN: &str = "correct-horse-battery";

/// Asserts that each form of the 410 names the operator, and not the owner.
#[track_caller]
fn assert_removed_by_operator(server: &TestServer, path: &str) {
    let gone = |accept: &str| server.request("GET", path).header("Accept", accept).send();
    for accept in ["*/*", "application/json", "text/html"] {
        let answer = gone(accept);
        assert_eq!(answer.status, 410);
        assert!(
            answer.text().contains("removed by the operator"),
            "{answer:?}"
        );
        assert!(!answer.text().contains("owner"), "{answer:?}");
    }
}

#[test]
fn the_operators_bearer_token_deletes_any_paste_by_delete_or_by_form() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let bearer = format!("Bearer {ADMIN}");
    let (by_method, by_form, with_token) = (server.save("x"), server.save("y"), server.save("z"));
    let delete = server
        .request("DELETE", &by_method.path)
        .header("Authorization", &bearer);
    assert_eq!(delete.send().status, 200);
    let form = server
        .request("POST", &by_form.path)
        .header("Authorization", format!("bearer {ADMIN}"));
    assert_eq!(form.clone().form("token=x").send().status, 400);
    assert_eq!(form.form("delete=1").send().status, 200);
    let wrong_token = server
        .request("DELETE", &with_token.path)
        .header("Authorization", &bearer)
        .header("X-Token", "wrong");
    assert_eq!(wrong_token.send().status, 200);
    for saved in [by_method, by_form, with_token] {
        assert_removed_by_operator(&server, &saved.path);
        let again = server
            .request("DELETE", &saved.path)
            .header("Authorization", &bearer);
        assert_eq!(again.send().status, 410);
    }
}

#[test]
fn the_operators_token_is_not_a_pastes_token_and_is_off_by_default() {
    let server = TestServer::with(&["--admin-token", ADMIN]);
    let saved = server.save("x");
    let as_token = server
        .request("DELETE", &saved.path)
        .header("X-Token", ADMIN);
    assert_eq!(as_token.send().status, 403);

    let server = TestServer::start();
    let saved = server.save("x");
    let bearer = server
        .request("DELETE", &saved.path)
        .header("Authorization", format!("Bearer {ADMIN}"));
    // The same response as to a wrong token, so it does not show whether there is an operator's token.
    assert_eq!(bearer.send().status, 403);
}
