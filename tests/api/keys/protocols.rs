//! The other pastebins' APIs on a server that asks for keys: each has errors in its own form.

use super::{bearer, server};

#[test]
fn each_protocol_refuses_a_save_without_a_key_in_its_own_form() {
    let (server, _file, key) = server("save-by-key");
    let form = "application/x-www-form-urlencoded";
    for (saves, (path, content_type, body, error_type, start)) in (0..).zip([
        (
            "/documents",
            "text/plain",
            "x",
            "application/json",
            "{\"message\":\"Saving needs a key",
        ),
        (
            "/record",
            "application/json",
            r#"{"title":"","lang":"","content":"x","expiration":9}"#,
            "application/json",
            "{",
        ),
        (
            "/api/",
            form,
            "content=x",
            "text/plain",
            "Saving needs a key",
        ),
        (
            "/api/api_post.php",
            form,
            "api_option=paste&api_dev_key=k&api_paste_code=x",
            "text/plain",
            "Bad API request, ",
        ),
        (
            "/",
            "application/json",
            r#"{"text":"x","extension":null,"expires":9,"burn_after_reading":false}"#,
            "application/json",
            "{",
        ),
        (
            "/api/v1/pastes",
            "application/json",
            r#"{"content":"x"}"#,
            "application/problem+json",
            "{\"type\":\"/api#key-required\"",
        ),
    ]) {
        let request = server.request("POST", path).body(body);
        let request = request.header("Content-Type", content_type);
        let refused = request.clone().send();
        assert_eq!(refused.status, 401, "{path} {refused:?}");
        let found = refused.header("content-type").unwrap();
        assert!(found.starts_with(error_type), "{path} {refused:?}");
        assert!(refused.text().starts_with(start), "{path} {refused:?}");
        assert!(
            refused.text().contains("Saving needs a key here."),
            "{path} {refused:?}"
        );
        assert_eq!(server.store.occupancy().pastes, saves);
        let saved = bearer(request, &key).send();
        assert!(saved.status < 400, "{path} {saved:?}");
        assert_eq!(server.store.occupancy().pastes, saves + 1);
    }
}
