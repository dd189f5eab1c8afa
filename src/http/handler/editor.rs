//! The editor page: `GET /` in a browser, empty or with a copy of a paste, and `GET /{id}/edit` for the owner of a
//! paste.
//!
//! Invariants: copying a paste is a read of it, with the same limits. The text of a paste that burns or is protected is
//! not shown.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

use crate::app::ForbiddenChange;
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::request::{Audience, query};
use crate::http::response::{NO_STORE, ask_for_token, coded_editor, editor_head, new_editor};
use crate::http::transfer::{ResponseReservation, bytes_body};
use crate::overload::Priority;
use crate::page::{EditedPaste, EditorPage, Prefill};
use crate::paste::{Access, Encoding, Paste};

/// Handles `GET /` in a browser.
pub(crate) async fn new_paste(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let coding = context.request.coding();
    let form = new_editor(context);
    let (coding, body) = match original(context).await? {
        None => {
            let (coding, page) = coded_editor(&form, coding);
            (coding, bytes_body(context, Priority::Render, page).await?)
        }
        Some(paste) => {
            // The bytes are reserved before the page is made: the editor of a large text costs as much as the page of
            // that text.
            let estimate = paste.bytes().len().saturating_mul(2);
            let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
            let make = move || {
                let prefill = prefill(&paste);
                coded_editor(&EditorPage { prefill, ..form }, coding)
            };
            let permit = reserved.acquire_render().await?;
            reserved.make(permit, make).await?
        }
    };
    Ok(editor_head(context, coding).body(body))
}

/// Handles `GET /{id}/edit`: the editor for a stored paste.
pub(crate) async fn edit(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (request, id) = (context.request, context.request.route.param);
    let stored = context.peek(context.id(id)?).await?;
    if let Err(error) = context.authorize_owner(&stored, None) {
        return ask_for_token(&request, &format!("/{id}/edit"), error);
    }
    let access = stored.access();
    if access == Access::Link {
        return Err(ForbiddenChange::LinkTarget.into());
    }
    let paste = stored.open().ok();
    if paste.as_ref().is_some_and(is_binary) {
        return Err(ApiError::NotText);
    }
    let size = paste.as_ref().map_or(0, |paste| paste.bytes().len());
    let reserved =
        ResponseReservation::new(context, Priority::Render, size.saturating_mul(2)).await?;
    let (form, id, coding) = (new_editor(context), id.to_owned(), request.coding());
    let make = move || {
        let page = EditorPage {
            edited: Some(EditedPaste { id: &id, access }),
            prefill: paste.as_ref().and_then(prefill),
            ..form
        };
        coded_editor(&page, coding)
    };
    let permit = reserved.acquire_render().await?;
    let (coding, body) = reserved.make(permit, make).await?;
    let mut response = editor_head(context, coding);
    response.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(response.body(body))
}

/// Reads the paste that the query names as `from`. Returns `None` if the query has no `from`. Other names in the query
/// are ignored.
async fn original(context: &RequestContext<'_>) -> Result<Option<Paste>, ApiError> {
    let Some(id) = query::value(context.request.query(), "from")? else {
        return Ok(None);
    };
    // The route is for savers, and a key that saves may not read.
    authorize(context, Audience::Readers)?;
    let stored = context.read(context.id(&id)?).await?;
    let paste = stored.open().map_err(ApiError::protected)?;
    match is_binary(&paste) {
        true => Err(ApiError::NotText),
        false => Ok(Some(paste)),
    }
}

fn is_binary(paste: &Paste) -> bool {
    paste.encoding() == Encoding::Binary
}

fn prefill(paste: &Paste) -> Option<Prefill<'_>> {
    Some(Prefill {
        text: paste.text()?.into(),
        title: paste.title().map_or("", |title| title.as_str()).into(),
        language: paste.language(),
    })
}
