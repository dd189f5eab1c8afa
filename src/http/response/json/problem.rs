//! The JSON object of an error.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::openapi::response::Response;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// An error, as problem details (RFC 9457).
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem<'a> {
    /// The kind of problem: a URI reference. `/api` explains each type.
    #[schema(format = "uri-reference")]
    pub(crate) r#type: String,
    /// The type in words.
    pub(crate) title: &'static str,
    /// The status of the response.
    pub(crate) status: u16,
    /// What happened, and what to do next.
    pub(crate) detail: &'a str,
    /// The rate limits that are exceeded, if any.
    #[serde(rename = "violated-policies", skip_serializing_if = "Vec::is_empty")]
    pub(crate) violated_policies: Vec<String>,
}

/// Every operation may fail with a problem.
impl IntoResponses for Problem<'_> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
        let response = ResponseBuilder::new()
            .description("An error. Its type says what happened.")
            .content("application/problem+json", problem.build());
        BTreeMap::from([("default".to_owned(), response.build().into())])
    }
}
