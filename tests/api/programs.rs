//! The files that make other programs save on this server.

use serde_json::Value;

use crate::forms::Forms;
use crate::server::TestServer;

const PUBLIC: &str = "https://bin.example";

#[test]
fn the_shell_function_saves_on_the_server_that_serves_it() {
    for (flags, url) in [
        (&[][..], None),
        (&["--base-url", PUBLIC][..], Some(PUBLIC.to_owned())),
    ] {
        let server = TestServer::with(flags);
        let url = url.unwrap_or_else(|| format!("http://{}", server.addr));
        let file = include_str!("../../docs/pb.sh");
        assert_eq!(file.matches("http://127.0.0.1:8088").count(), 1);
        let expected = file.replace("http://127.0.0.1:8088", &url);
        let answer = server.get("/pb.sh");
        assert_eq!((answer.status, answer.text()), (200, expected.as_str()));
        let content_type = answer.header("content-type");
        assert_eq!(content_type, Some("text/plain; charset=utf-8"));
    }
}

#[test]
fn the_settings_of_sharex_save_a_file_and_find_its_url() {
    let server = TestServer::start();
    let answer = server.get("/sharex.sxcu");
    let settings: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(settings["RequestURL"], format!("http://{}/", server.addr));
    assert_eq!(settings["Body"], "MultipartFormData");
    let field = settings["FileFormName"].as_str().unwrap();
    let form = format!(
        "--b\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"a.png\"\r\n\
         Content-Type: image/png\r\n\r\n\u{0}\r\n--b--\r\n"
    );
    let headers = settings["Headers"].as_object().unwrap();
    let mut request = server.request(settings["RequestMethod"].as_str().unwrap(), "/");
    for (name, value) in headers {
        request = request.header(name, value.as_str().unwrap());
    }
    let request = request.header("Content-Type", "multipart/form-data; boundary=b");
    let saved: Value = serde_json::from_slice(&request.body(form).send().body).unwrap();
    // The settings name the member of the object that has the URL.
    assert_eq!(settings["URL"], "{json:url}");
    let path = saved["url"].as_str().unwrap().rsplit('/').next().unwrap();
    assert_eq!(server.get(&format!("/raw/{path}")).body, b"\0");
    assert_eq!(settings["DeletionURL"], "{json:delete_url}");
    let deletion = saved["delete_url"].as_str().unwrap();
    let token = saved["token"].as_str().unwrap();
    let expected = format!("http://{}/{path}/delete#{token}", server.addr);
    assert_eq!(deletion, expected);
    let page = server.browse(&format!("/{path}/delete"));
    assert!(page.text().contains("name=\"token\"") && !page.text().contains(token));
    let deletes = format!("delete=1&token={token}");
    let form = server.request("POST", &format!("/{path}")).form(&deletes);
    assert_eq!(form.send().status, 200);
    assert_eq!(server.get(&format!("/{path}/delete")).status, 200);
    let refused = server
        .request("POST", "/")
        .header("Accept", "application/json");
    let problem: Value = serde_json::from_slice(&refused.send().body).unwrap();
    assert_eq!(settings["ErrorMessage"], "{json:detail}");
    assert!(problem["detail"].is_string());
}

#[test]
fn the_page_of_the_api_explains_every_type_of_problem() {
    let server = TestServer::with(&["--base-url", PUBLIC]);
    let page = server.browse("/api");
    let text = server.get("/api");
    for part in [PUBLIC, "/api/v1/pastes", "openapi.json"] {
        assert!(page.text().contains(part) && text.text().contains(part));
    }
    let refused = server.request("GET", "/api/v1/nothing").send();
    let problem: Value = serde_json::from_slice(&refused.body).unwrap();
    let (url, name) = problem["type"].as_str().unwrap().split_once('#').unwrap();
    assert_eq!(url, format!("{PUBLIC}/api"));
    assert!(page.text().contains(&format!("id=\"{name}\"")));
    assert!(text.text().contains(name));
}
