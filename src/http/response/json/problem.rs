//! The JSON object of an error.

use serde::Serialize;

/// An error, as problem details (RFC 9457).
#[derive(Serialize)]
pub(crate) struct Problem<'a> {
    /// The kind of problem: a URI reference. `/api` explains each type.
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
