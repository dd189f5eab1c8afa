//! pastebin.com: `api_post.php`, a form that saves.
//!
//! Invariants: a save answers 200 with the URL and nothing else. An error is a line that starts with `Bad API request`,
//! which clients search for. A private paste is rejected: here anyone with the URL could read it.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use super::fields::{self, fields, form_kind, reject_options, text};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::problem::ProblemType as T;
use crate::http::response::created_response;
use crate::http::transfer::save_body;
use crate::paste::Expiry;

/// The last three are ignored: there are no accounts, so no keys and no folders.
const FIELDS: [&str; 9] = [
    "api_option",
    "api_paste_code",
    "api_paste_name",
    "api_paste_format",
    "api_paste_private",
    "api_paste_expire_date",
    "api_dev_key",
    "api_user_key",
    "api_folder_key",
];

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// The values of `api_paste_expire_date` and their seconds. `N`, never, is none of them.
const EXPIRE_DATES: [(&str, u64); 8] = [
    ("10M", HOUR / 6),
    ("1H", HOUR),
    ("1D", DAY),
    ("1W", 7 * DAY),
    ("2W", 14 * DAY),
    ("1M", 30 * DAY),
    ("6M", 180 * DAY),
    ("1Y", 365 * DAY),
];

const BAD_OPTION: &str = "invalid api_option. Send `api_option=paste`.";
const NO_CODE: &str = "api_paste_code was empty. Send the text in it.";
const BAD_PRIVATE: &str = "invalid api_paste_private: everyone with the URL can read a paste here. Send `1`, or protect it with \
     `curl -F file=@FILE -F 'password=<pw.txt' URL`.";
const BAD_EXPIRE_DATE: &str =
    "invalid api_paste_expire_date. Send `10M`, `1H`, `1D`, `1W`, `2W`, `1M`, `6M`, `1Y` or `N`.";

/// Handles `POST /api/api_post.php`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, policy) = (context.request, context.state.app.limits.expiry_policy);
    reject_options(context)?;
    let base_url = context.state.base_url(&request)?;
    let body = save_body(context, form_kind(context)).await?;
    let fields = fields(&FIELDS, request.content_type(), &body)?;
    if fields.get("api_option") != Some(b"paste") {
        return Err(T::InvalidValue.says(BAD_OPTION).into());
    }
    // Public and unlisted pastes are accepted. Every paste here is unlisted.
    if !matches!(
        text(&fields, "api_paste_private").as_deref(),
        None | Some("0" | "1")
    ) {
        return Err(T::InvalidValue.says(BAD_PRIVATE).into());
    }
    let sent = text(&fields, "api_paste_expire_date").map(|sent| match &*sent {
        "N" => Some(Expiry::Never),
        sent => {
            let (_, seconds) = EXPIRE_DATES.iter().find(|(known, _)| *known == sent)?;
            Expiry::from_seconds(*seconds).ok()
        }
    });
    let expiry = fields::expiry(policy, "api_paste_expire_date", sent, BAD_EXPIRE_DATE)?;
    let names = ["api_paste_code", "api_paste_name", "api_paste_format"];
    let created = fields::save(context, &fields, names, expiry, NO_CODE).await?;
    let url = create::url(&base_url, &created);
    Ok(created_response(context, &created, StatusCode::OK).body(url))
}
