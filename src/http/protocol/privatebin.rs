//! PrivateBin: the API on `/` of version 2, for texts that a client encrypts before it sends them.
//!
//! The limiter knows the API by a header, which a page of another site can send only if CORS allows it. A browser that
//! opens a link of one of the clients, `/?ID#KEY`, is sent to `/ID` and keeps the fragment.
//! Invariants: `adata` is returned byte for byte, because the encryption authenticates it. Only the read of a sealed
//! message uses up a view. An error is JSON with an integer as `status`, which one client depends on.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fields::{self, reject_options};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::delete::{confirmation, remove};
use crate::http::handler::read::unlock;
use crate::http::problem::ProblemType as T;
use crate::http::request::{Method, Request, words_of_expiry};
use crate::http::response::{JSON, NO_STORE, created_json, json_response, respond, see_other};
use crate::http::transfer::{ResponseReservation, json_body};
use crate::overload::Priority;
use crate::paste::{Access, Content, Expiry, IdCodec, Language, SealedMessage};

const X_REQUESTED_WITH: HeaderName = HeaderName::from_static("x-requested-with");
const BAD_EXPIRE: &str = "`expire` is not a lifetime. Send one such as `1day` or `never`.";
const NOT_SEALED: &str =
    "There is no encrypted paste at this URL. Open it in a browser, without the `?`.";
const DELETE_BY_POST: &str =
    "A `GET` deletes nothing. Send `pasteid` and `deletetoken` as JSON with `POST`.";

/// The body of a request that deletes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deletion {
    pasteid: String,
    deletetoken: String,
}

/// Handles `POST /`: saves, or deletes.
pub(crate) async fn post(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let limits = context.state.app.limits;
    let body = json_body(context).await?;
    if let Ok(deletion) = serde_json::from_slice(&body) {
        return delete_paste(context, &deletion).await;
    }
    reject_options(context)?;
    let (message, expire) = SealedMessage::from_request(&body)
        .map_err(|error| T::InvalidValue.says(error.to_string()))?;
    let sent = expire.as_deref().map(lifetime);
    let expiry = fields::expiry(limits.expiry_policy, "expire", sent, BAD_EXPIRE)?;
    let content = Content::from_text(&message.content(), limits.max_paste_size);
    let language = Some(Language::PLAIN);
    let created = fields::create(context, content, None, language, expiry).await?;
    let mut answer = answer(context, &created.id);
    answer["deletetoken"] = created.token.as_str().into();
    Ok(created_json(context, &created, &answer))
}

/// Handles `DELETE /`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let body = json_body(context).await?;
    let deletion = serde_json::from_slice(&body);
    let missing = "Send JSON with `pasteid` and `deletetoken` and nothing else.";
    let deletion = deletion.map_err(|_| T::MalformedRequest.says(missing))?;
    delete_paste(context, &deletion).await
}

async fn delete_paste(
    context: &RequestContext<'_>,
    deletion: &Deletion,
) -> Result<HttpResponse, ApiError> {
    remove(context, &deletion.pasteid, Some(&deletion.deletetoken)).await?;
    json_response(&answer(context, &deletion.pasteid))
}

/// Handles `GET /` with the paste in the query. A `HEAD` uses up no view.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    if request.query().starts_with("jsonld=") {
        // Without this schema, clients send version 1 of the format.
        return json_response(&json!({ "@context": { "v": { "@value": 2 } } }));
    }
    if request.query().contains("deletetoken=") {
        return Err(T::MalformedRequest.says(DELETE_BY_POST).into());
    }
    let text = paste_in(request.query()).ok_or(ApiError::NothingHere)?;
    let id = context.id(&text)?;
    let stored = context.peek(id).await?;
    if !stored.is_sealed() || stored.asked().is_some() {
        return Err(T::NotFound.says(NOT_SEALED).into());
    }
    let reserved = ResponseReservation::new(
        context,
        Priority::Read,
        stored.content_bytes().saturating_mul(2),
    );
    let reserved = reserved.await?;
    let deadline = stored.deadline().timestamp();
    let paste = match stored.access() {
        Access::Burn(_) if request.method != Method::Head => {
            unlock(context, id, &stored, &reserved, false, None)
                .await?
                .paste
        }
        _ => {
            let paste = stored.open().map_err(ApiError::protected)?;
            context.count_read(id);
            paste
        }
    };
    let mut answer = answer(context, &text);
    answer["meta"] = match deadline {
        Some(deadline) => json!({ "time_to_live": deadline.since(context.now()).as_secs() }),
        None => json!({}),
    };
    answer["comments"] = json!([]);
    answer["comment_count"] = 0.into();
    answer["comment_offset"] = 0.into();
    answer["@context"] = "?jsonld=paste".into();
    // The message is an object too: it follows these members as it is.
    let members = answer.to_string();
    let members = members.strip_suffix('}').unwrap_or_default();
    let message = paste.text().and_then(|text| text.strip_prefix('{'));
    let json = [members, ",", message.unwrap_or_default()].concat();
    let body = reserved.fill_regardless(json.into()).await;
    Ok(respond(StatusCode::OK, JSON, NO_STORE).body(body))
}

/// Returns whether a request for `/` is of this API.
pub(crate) fn is_spoken(headers: &HeaderMap) -> bool {
    let header = headers.get(X_REQUESTED_WITH);
    header.is_some_and(|value| value == "JSONHttpRequest")
}

/// Returns true for the query of a link that a client printed, here or before the paste moved here from PrivateBin.
pub(crate) fn is_link(request: &Request<'_>) -> bool {
    let is_id = |id: Cow<'_, str>| {
        id.len() == IdCodec::LENGTH || id.len() == 16 && id.bytes().all(|it| it.is_ascii_hexdigit())
    };
    !request.query().is_empty() && paste_in(request.query()).is_some_and(is_id)
}

/// Handles `GET` and `HEAD` of `/` in a browser that opens a link of a client. With the token it shows a button: a GET
/// deletes nothing.
pub(crate) async fn follow(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let id = paste_in(request.query()).unwrap_or_default();
    context.id(&id)?;
    let token = form_urlencoded::parse(request.query().as_bytes());
    match token.into_iter().find(|(name, _)| name == "deletetoken") {
        Some((_, token)) => Ok(confirmation(&request, &id, &token)),
        None => Ok(see_other(&[request.base_path(), "/", &id].concat()).finish()),
    }
}

/// The paste that a query names: as `pasteid`, or alone. Some programs write a `=` after it.
fn paste_in(query: &str) -> Option<Cow<'_, str>> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find_map(|(name, value)| match (&*name, &*value) {
        ("pasteid", _) => Some(value),
        (_, "") => Some(name),
        _ => None,
    })
}

/// The lifetime that a client chose, or `None` if it is none.
fn lifetime(text: &str) -> Option<Expiry> {
    words_of_expiry(text).parse().ok()
}

/// The members that every response has.
fn answer(context: &RequestContext<'_>, id: &str) -> Value {
    let url = [context.request.base_path(), "/?", id].concat();
    json!({ "status": 0, "id": id, "url": url })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_a_paste_in_three_ways() {
        for (query, paste) in [
            ("-bcd_fgh1234", Some("-bcd_fgh1234")),
            ("-bcd_fgh1234=", Some("-bcd_fgh1234")),
            ("pasteid=-bcd_fgh1234&deletetoken=a", Some("-bcd_fgh1234")),
            ("-bcd_fgh1234&utm_source=a", Some("-bcd_fgh1234")),
            ("from=-bcd_fgh1234", None),
            ("", None),
        ] {
            assert_eq!(paste_in(query).as_deref(), paste, "{query}");
        }
    }

    #[test]
    fn the_lifetimes_of_privatebin_are_known() {
        for (text, seconds) in [
            ("5min", 300),
            ("10min", 600),
            ("1hour", 3600),
            ("1day", 86_400),
            ("1week", 604_800),
            ("1month", 2_592_000),
            ("1year", 31_536_000),
        ] {
            assert_eq!(lifetime(text).and_then(Expiry::seconds), Some(seconds));
        }
        assert_eq!(lifetime("never"), Some(Expiry::Never));
        for text in ["", "day", "300", "1months", "0min"] {
            assert_eq!(lifetime(text), None, "{text}");
        }
    }
}
