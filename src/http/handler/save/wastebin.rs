//! wastebin: `POST /` with a JSON object that has the text and its options. Its members are the fields of a form.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::request::SaveOptions;
use crate::http::request::form::SaveForm;
use crate::http::response::{JSON, created_response};
use crate::paste::Language;

/// Saves the paste of a form in JSON. `options` are those outside the body.
pub(super) async fn save(
    context: &mut RequestContext<'_>,
    form: SaveForm<'_>,
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let extension = form.options.text("lang").filter(|it| is_path_ending(it));
    let extension = extension.map(Cow::into_owned);
    let (draft, access) = create::draft_of_form(context, form, options).await?;
    let created = context.create(draft, access).await?;
    let ending = extension.map_or(String::new(), |extension| format!(".{extension}"));
    let path = format!("{}/{}{ending}", context.request.base_path(), created.id);
    Ok(created_response(context, &created, StatusCode::OK)
        .insert_header((CONTENT_TYPE, JSON))
        .body(serde_json::json!({ "path": path }).to_string()))
}

/// Returns whether this is a language that can stand in a path as it is, unlike `c#`.
fn is_path_ending(extension: &str) -> bool {
    let stands_in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte);
    extension.bytes().all(stands_in_path) && Language::from_name(extension).is_some()
}
