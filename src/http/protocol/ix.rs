//! ix.io: a form saves several pastes at once. Their fields are numbered, as in `f:1`, `ext:1` and `f:2`.
//!
//! `rm` and `id:1` act on a paste that exists and need its token, as every change does.
//! Invariants: all pastes are saved, or none. Each paste is charged as one save.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;

use crate::app::{Bearer, Created, Credentials};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::request::form::SaveForm;
use crate::http::request::{Cost, SaveOptions, X_TOKEN};
use crate::http::response::created_response;
use crate::paste::{Access, Draft};

/// Saves the pastes of a form. The response has one URL in each line, and one `X-Token` for each, in this order.
pub(super) async fn save(
    context: &mut RequestContext<'_>,
    base_url: &str,
    forms: Vec<SaveForm<'_>>,
    options: &SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let mut drafts = Vec::with_capacity(forms.len());
    for form in forms {
        drafts.push(create::draft_of_form(context, base_url, form, options.clone()).await?);
    }
    let mut saved = Vec::with_capacity(drafts.len());
    for (draft, access) in drafts {
        match create_next(context, draft, access, saved.is_empty()).await {
            Ok(created) => saved.push(created),
            Err(error) => {
                remove(context, &saved).await;
                return Err(error);
            }
        }
    }
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

/// Saves one paste. The request was charged for the first one.
async fn create_next(
    context: &mut RequestContext<'_>,
    draft: Draft,
    access: Access,
    is_first: bool,
) -> Result<Created, ApiError> {
    if !is_first {
        let size = draft.content.bytes().len();
        context.charges.admit(Cost::Save, Some(size)).await?;
    }
    context.create(draft, access).await
}

/// Deletes the pastes that were saved before one failed.
async fn remove(context: &RequestContext<'_>, saved: &[Created]) {
    for created in saved {
        let credentials = Credentials {
            token: Some(created.token.as_str()),
            cookies: Vec::new(),
            bearer: Bearer::Absent,
        };
        if let Some(id) = context.state.app.id(&created.id) {
            // If it fails, the paste was evicted, or the disk has failed, which is in the log.
            let app = &context.state.app;
            let _ = app.delete(context.now(), id, &credentials, |_| true).await;
        }
    }
}
