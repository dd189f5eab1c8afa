//! Checks every response of the JSON API: it is one that the OpenAPI document describes.

use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use crate::client::{Request, Response};
use crate::server::{TestServer, Tier};

/// The name of the document in the references to its parts.
const NAME: &str = "http://tidebin.example/openapi.json";

/// The document of one server.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let answer = TestServer::of(Tier::Memory, &[]).get("/api/openapi.json");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    serde_json::from_slice(&answer.body).expect("the document is JSON")
});

/// Asserts that a response of the JSON API is one that the document describes.
pub fn check(request: &Request, answer: &Response) {
    let Some(path) = request.api_path() else {
        return;
    };
    let (content_type, pointer) = described(&request.method, path, answer.status);
    if request.is_head() {
        return;
    }
    if answer.header("retry-after").is_some() {
        let headers = &DOCUMENT["components"]["responses"]["Error"]["headers"];
        assert!(
            headers["Retry-After"].is_object() && answer.status >= 400,
            "{answer:?}"
        );
    }
    assert_eq!(answer.header("content-type"), content_type, "{answer:?}");
    match pointer {
        None => assert!(answer.body.is_empty(), "{answer:?}"),
        Some(pointer) => validate(&pointer, answer),
    }
}

/// The content type that the document names for a response, and the JSON pointer to its schema. Of an operation that
/// the document does not have, only errors are described.
fn described(method: &str, path: &str, status: u16) -> (Option<&'static str>, Option<String>) {
    let method = if method == "HEAD" { "get" } else { method }.to_lowercase();
    let segments = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let is_same = |template: &str| {
        let (template, path) = (segments(template), segments(path));
        let fits = |(a, b): (&String, &String)| a == b || a.starts_with('{');
        template.len() == path.len() && template.iter().zip(&path).all(fits)
    };
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let template = paths.keys().find(|template| is_same(template));
    let operation = template.map(|template| &paths[template][&method]);
    let Some(responses) = operation.and_then(|it| it["responses"].as_object()) else {
        assert!(status >= 400, "{method} {path} is not described");
        let problem = "/components/schemas/Problem".to_owned();
        return (Some("application/problem+json"), Some(problem));
    };
    let status = status.to_string();
    let key = match responses.contains_key(&status) {
        true => status,
        false => "default".to_owned(),
    };
    let escaped = template.expect("it was found").replace('/', "~1");
    let shared = responses[&key]["$ref"].as_str();
    let pointer = match shared.and_then(|shared| shared.strip_prefix('#')) {
        Some(shared) => shared.to_owned(),
        None => format!("/paths/{escaped}/{method}/responses/{key}"),
    };
    let response = DOCUMENT.pointer(&pointer).expect("a response");
    let Some(content) = response["content"].as_object() else {
        return (None, None);
    };
    let content_type = content.keys().next().expect("one content type");
    let of_type = content_type.replace('/', "~1");
    let schema = format!("{pointer}/content/{of_type}/schema");
    (Some(content_type), Some(schema))
}

/// Asserts that the body is valid under the schema at this JSON pointer.
fn validate(pointer: &str, answer: &Response) {
    let mut schemas = Schemas::new();
    let schema = compile(&mut schemas, pointer);
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    if let Err(error) = schemas.validate(&body, schema) {
        panic!("{error:#}\n{answer:?}");
    }
    let schema = DOCUMENT.pointer(pointer).expect("a schema");
    assert_members(schema, &body);
}

/// Asserts that the schema describes every member of the value. A schema may allow others, for clients of later
/// versions.
fn assert_members(schema: &Value, value: &Value) {
    if let Some(name) = schema["$ref"].as_str() {
        let schema = DOCUMENT.pointer(&name[1..]).expect("a schema");
        return assert_members(schema, value);
    }
    for item in value.as_array().into_iter().flatten() {
        assert_members(&schema["items"], item);
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let described = &schema["properties"][name];
        assert!(described.is_object(), "{name} is not described");
        assert_members(described, member);
    }
}

/// Compiles the schema at this JSON pointer.
pub fn compile(schemas: &mut Schemas, pointer: &str) -> SchemaIndex {
    let mut compiler = Compiler::new();
    compiler
        .add_resource(NAME, DOCUMENT.clone())
        .expect("a document");
    let location = format!("{NAME}#{pointer}");
    compiler.compile(&location, schemas).expect("a schema")
}
