//! The OpenAPI document of the JSON API.

use boon::Schemas;
use serde_json::Value;

use crate::openapi::compile;
use crate::server::TestServer;
use crate::terminal::Terminal;

#[test]
fn a_response_that_the_document_does_not_describe_is_found() {
    let mut schemas = Schemas::new();
    let schema = compile(&mut schemas, "/components/schemas/PasteCounts");
    let counts = |hours: usize, reads: Value| {
        serde_json::json!({
            "kind": "paste", "reads": reads, "reads_left": null, "by_hour": vec![0; hours], "by_day": vec![0; 30],
            "saved": 0, "expires": null
        })
    };
    for (object, is_valid) in [
        (counts(24, 1.into()), true),
        (counts(23, 1.into()), false),
        (counts(24, "1".into()), false),
        (serde_json::json!({}), false),
    ] {
        assert_eq!(
            schemas.validate(&object, schema).is_ok(),
            is_valid,
            "{object}"
        );
    }
}

#[test]
fn the_document_names_this_server_and_every_route_of_the_api() {
    let server = TestServer::with(&["--base-url", "https://bin.example"]);
    let document: Value = serde_json::from_slice(&server.get("/api/openapi.json").body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"][0]["url"], "https://bin.example");
    let paths = document["paths"].as_object().unwrap();
    let routes = paths.iter().flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys();
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    let routes: Vec<String> = routes.collect();
    assert_eq!(
        routes,
        [
            "GET /api/v1/operate",
            "GET /api/v1/operate/blocks",
            "DELETE /api/v1/operate/blocks/{sha256}",
            "PUT /api/v1/operate/blocks/{sha256}",
            "GET /api/v1/operate/pastes",
            "POST /api/v1/operate/pastes",
            "GET /api/v1/operate/reports",
            "DELETE /api/v1/operate/reports/{id}",
            "GET /api/v1/pastes",
            "POST /api/v1/pastes",
            "DELETE /api/v1/pastes/{id}",
            "GET /api/v1/pastes/{id}",
            "PATCH /api/v1/pastes/{id}",
            "POST /api/v1/pastes/{id}/answer",
            "POST /api/v1/pastes/{id}/read",
            "GET /api/v1/pastes/{id}/stats",
        ]
    );
}

#[test]
#[ignore = "needs openapi-spec-validator of PyPI"]
fn a_foreign_validator_accepts_the_document() {
    let server = TestServer::start();
    let terminal = Terminal::of(&server);
    let command =
        "curl -s $URL/api/openapi.json >document.json && openapi-spec-validator document.json";
    assert_eq!(terminal.run(command).text(), "document.json: OK\n");
}
