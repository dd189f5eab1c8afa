//! ix.io: a form saves several pastes at once. Their fields are numbered, as in `f:1`, `ext:1` and `f:2`.
//!
//! `rm` and `id:1` act on a paste that exists and need its token, as every change does.
//! Invariants: all pastes are saved, or none. Each paste is charged as one save, before any
//! password becomes a key.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::request::RequestError;
use crate::http::request::form::SaveForm;
use crate::http::request::{SaveOptions, X_TOKEN};
use crate::http::response::created_response;

/// Saves the pastes of a form. The response has one URL in each line, and one `X-Token` for each, in this order.
pub(super) async fn save(
    context: &mut RequestContext<'_>,
    base_url: &str,
    forms: Vec<SaveForm<'_>>,
    options: &SaveOptions,
) -> Result<HttpResponse, ApiError> {
    if options.slug.is_some() {
        return Err(RequestError::SeveralContents.into());
    }
    // Charged before any password is turned into a key, which is costly.
    let bytes = forms.iter().map(|form| form.content.len()).sum();
    let further = forms.len().saturating_sub(1);
    context.charges.admit_further(further, bytes).await?;
    let mut drafts = Vec::with_capacity(forms.len());
    for form in forms {
        drafts.push(create::draft_of_form(context, form, options.clone()).await?);
    }
    let saved = context.create_all(drafts).await?;
    let lines = saved.iter().map(|it| create::url_line(base_url, it));
    let body: String = lines.collect();
    let [first, rest @ ..] = saved.as_slice() else {
        return Err(ApiError::Unavailable);
    };
    let mut response = created_response(context, first, StatusCode::OK);
    for created in rest {
        response.append_header((X_TOKEN, created.token.as_str()));
    }
    Ok(response.body(body))
}
