//! `POST /`, which many pastebins share: the body tells for which of them it was written.
//!
//! A raw body gets 201, a form 200 with one URL in a line. A urlencoded form of a pastebin for browsers gets a redirect
//! to the paste instead, because its clients read the URL from there. wastebin's JSON gets JSON.
//! Invariants: a body that may be of two protocols is refused or stored as it is, and never stored with fewer
//! restrictions than it asks for.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;

use super::{haste, ix, wastebin};
use crate::app::Created;
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::{create, delete, update};
use crate::http::request::form::{Form, Origin};
use crate::http::request::{Audience, BodyKind, Method, Request, ResponseFormat, SaveOptions};
use crate::http::response::created_response;
use crate::http::transfer::{save_body, save_form};
use crate::paste::Access;

/// An error, in the format of the protocol that the request uses.
pub(crate) struct Failure {
    error: ApiError,
    /// Whether the body is wastebin's for certain.
    is_wastebin: bool,
}

/// Handles `POST /`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, Failure> {
    let request = context.request;
    let options = SaveOptions::of(&request, context.expiry_rules()).map_err(ApiError::from)?;
    let base_url = context.state.base_url(&request)?;
    let kind = request.body_kind();
    let body = save_body(context, kind).await?;
    if kind == BodyKind::Json && wastebin::is_paste(&body) {
        let saving = wastebin::save(context, &body, options);
        return saving.await.map_err(|error| Failure {
            error,
            is_wastebin: true,
        });
    }
    let form = save_form(kind, request.content_type(), &body).map_err(ApiError::from)?;
    Ok(match form {
        None => create::raw(context, &base_url, &body, &options).await?,
        Some(form) => answer(context, &base_url, kind, form, options).await?,
    })
}

/// Carries out the request of the form.
async fn answer(
    context: &mut RequestContext<'_>,
    base_url: &str,
    kind: BodyKind,
    form: Form<'_>,
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    match form {
        Form::SaveSeveral(forms) => ix::save(context, base_url, forms, &options).await,
        Form::Replace(paste, form) => update::replace(context, &paste, form, options).await,
        Form::Remove(paste) => {
            authorize(context, Audience::Readers)?;
            context.charges.recheck_miss_limit()?;
            delete::delete_with(context, &paste.id, paste.token.as_deref()).await
        }
        Form::Save(form) => {
            let origin = form.origin;
            let (draft, access) = create::draft_of_form(context, form, options).await?;
            if context.request.format != ResponseFormat::Text {
                context.adopt_browser()?;
            }
            let created = context.create(draft, access).await?;
            let is_redirected = kind == BodyKind::Urlencoded
                && origin != Origin::Terminal
                && context.request.format == ResponseFormat::Text;
            match is_redirected {
                true => Ok(redirect(context, base_url, &created, access)),
                false => create::form_response(context, base_url, &created, access),
            }
        }
    }
}

/// Redirects a program to the paste. Some programs do not resolve a relative address.
fn redirect(
    context: &RequestContext<'_>,
    base_url: &str,
    created: &Created,
    access: Access,
) -> HttpResponse {
    let preview = if access == Access::Link { "+" } else { "" };
    created_response(context, created, StatusCode::SEE_OTHER)
        .append_header((LOCATION, create::url(base_url, created) + preview))
        .body(create::url_line(base_url, created))
}

impl Failure {
    pub(crate) fn into_response(self, request: &Request<'_>) -> HttpResponse {
        let Self { error, is_wastebin } = self;
        let sends_json = request.method == Method::Post
            && request.body_kind() == BodyKind::Json
            && request.format == ResponseFormat::Text;
        match is_wastebin || sends_json {
            true => haste::Failure::from(error).into_response(request),
            false => error.into_response(request),
        }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self {
            error,
            is_wastebin: false,
        }
    }
}
