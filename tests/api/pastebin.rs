//! The API of pastebin.com: its options, its response, and its errors.

use crate::client::Response;
use crate::forms::Forms;
use crate::server::TestServer;

const PATH: &str = "/api/api_post.php";

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

fn post(server: &TestServer, body: &str) -> Response {
    server.request("POST", PATH).form(body).send()
}

/// Asserts that the answer is an error in the form of pastebin.com.
#[track_caller]
fn assert_refused(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(
        answer.sentence().starts_with("Bad API request, "),
        "{answer:?}"
    );
}

#[test]
fn a_paste_is_saved_and_the_body_is_its_url_alone() {
    let server = TestServer::with(&["--base-url", "https://paste.example.org"]);
    // As pastebinit sends it
    let answer = post(
        &server,
        "api_paste_name=tit&api_paste_code=a%0D%0Ab&api_paste_private=1&api_paste_expire_date=1M&\
         api_paste_format=python&api_dev_key=0&api_user_key=&api_folder_key=&api_option=paste",
    );
    assert_eq!(answer.status, 200);
    let id = answer.text().strip_prefix("https://paste.example.org/");
    let id = id.expect("a URL");
    assert_eq!(id.len(), 12, "{id:?}");
    assert_eq!(server.get(&format!("/raw/{id}")).text(), "a\nb");
    let page = server.browse(&format!("/{id}"));
    assert!(page.text().contains("tit") && page.text().contains("Python"));
    let fields = [("api_option", "paste"), ("api_paste_code", "a")];
    let answer = server.request("POST", PATH).parts(&fields).send();
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn every_date_of_expiry_is_honoured_and_never_only_if_the_operator_allows_it() {
    let saved = |server: &TestServer, date: &str| {
        let form = format!("api_option=paste&api_paste_code=a&api_paste_expire_date={date}");
        post(server, &form)
    };
    let server = TestServer::with(&["--max-expiry", "never"]);
    let start = server.clock.timestamp().as_millis();
    for (date, seconds) in [
        ("10M", 600),
        ("1H", HOUR),
        ("1D", DAY),
        ("1W", 7 * DAY),
        ("2W", 14 * DAY),
        ("1M", 30 * DAY),
        ("6M", 180 * DAY),
        ("1Y", 365 * DAY),
        ("", 7 * DAY),
    ] {
        let expires = (start + seconds * 1000).to_string();
        let answer = saved(&server, date);
        assert_eq!(answer.header("x-expires"), Some(expires.as_str()), "{date}");
    }
    assert_eq!(saved(&server, "N").header("x-expires"), Some("never"));

    let server = TestServer::with(&["--max-expiry", "1h"]);
    assert_eq!(saved(&server, "1H").status, 200);
    for date in ["N", "1D", "1Y", "1h", "2H", "60", "n", "1M ", "%FF"] {
        let date = date.replace(' ', "+x");
        assert_refused(&saved(&server, &date), 400);
    }
    assert_eq!(server.store.occupancy().pastes, 1);
}

#[test]
fn a_refused_paste_says_bad_api_request_and_is_not_kept() {
    let server = TestServer::with(&["--max-paste-size", "1KiB"]);
    let many = "api_option=paste&".repeat(100_000);
    for (body, status) in [
        ("", 400),
        ("api_paste_code=a", 400),
        ("api_option=paste", 400),
        ("api_option=paste&api_paste_code=", 400),
        ("api_option=list&api_paste_code=a", 400),
        ("api_option=delete&api_user_key=k&api_paste_key=x", 400),
        ("api_option=paste&api_option=paste&api_paste_code=a", 400),
        ("api_option=paste&api_paste_code=a&api_paste_code=b", 400),
        ("api_option=paste&api_paste_code=a&api_paste_private=2", 400),
        (
            "api_option=paste&api_paste_code=a&api_paste_private=%FF",
            400,
        ),
        ("api_option=paste&api_paste_code=a&burn=1", 400),
        ("api_option=paste&api_paste_code=a&%FF=1", 400),
        ("api_option=paste&api_paste_code=a\nb", 400),
        ("{\"api_option\":\"paste\"}", 400),
        (&many, 413),
    ] {
        assert_refused(&post(&server, body), status);
    }
    let request = |method, path: &str| {
        server
            .request(method, path)
            .form("api_option=paste&api_paste_code=a")
    };
    let by_query = format!("{PATH}?password=x");
    assert_refused(&request("POST", &by_query).send(), 400);
    assert_refused(&request("POST", PATH).header("X-Burn", "1").send(), 400);
    assert_refused(&request("PUT", PATH).send(), 405);
    assert_refused(&server.browse(PATH), 405);
    assert_eq!(server.store.occupancy().pastes, 0);
}
