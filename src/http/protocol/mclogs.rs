//! mclo.gs: the API to which launchers and servers of Minecraft send their logs.
//!
//! Invariants: a save answers 200 with `success` and the URL. An error is JSON with `success` as false, whatever the
//! client accepts.

use actix_web::HttpResponse;

use super::fields::{self, fields, reject_options};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::problem::ProblemType as T;
use crate::http::request::form::Fields;
use crate::http::request::{BodyKind, json};
use crate::http::response::created_json;
use crate::http::transfer::save_body_or_gzip;

/// The last two are ignored: they say which program sent the log.
const FIELDS: [&str; 3] = ["content", "source", "metadata"];

const NO_CONTENT: &str = "Required field 'content' is empty. Send the log in it.";
const NOT_A_LOG: &str = "The body is not JSON with only `content`, `source` and `metadata`.";

/// Handles `POST /1/log`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    reject_options(context)?;
    let base_url = context.state.base_url(&request)?;
    let kind = match request.body_kind() {
        BodyKind::Raw => BodyKind::Urlencoded,
        kind => kind,
    };
    let body = save_body_or_gzip(context, kind).await?;
    let fields = match kind {
        BodyKind::Json => of_json(&body).ok_or_else(|| T::MalformedRequest.says(NOT_A_LOG))?,
        BodyKind::Multipart | BodyKind::Urlencoded | BodyKind::Raw => {
            fields(&FIELDS, request.content_type(), &body)?
        }
    };
    let (names, expiry) = (
        ["content", "", ""],
        context.state.app.limits.expiry_policy.default,
    );
    let created = fields::save(context, &fields, names, expiry, NO_CONTENT).await?;
    let deadline = created.paste.deadline().timestamp();
    let answer = serde_json::json!({
        "success": true,
        "id": created.id,
        "url": create::url(&base_url, &created),
        "raw": format!("{base_url}/1/raw/{}", created.id),
        "expires": deadline.map(|deadline| deadline.as_millis() / 1000),
        "token": created.token.as_str(),
    });
    Ok(created_json(context, &created, &answer))
}

/// The content in JSON. Other members than those of a log are rejected.
fn of_json(body: &[u8]) -> Option<Fields<'_>> {
    let mut fields = Fields::default();
    let is_log = json::members(body, |name, value| match name {
        "content" => serde_json::from_str(value)
            .is_ok_and(|content: String| fields.set_text("content", content.into()).is_ok()),
        name => FIELDS.contains(&name),
    });
    is_log.then_some(fields)
}
