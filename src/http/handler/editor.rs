//! The editor page: `GET /` in a browser, empty or with a copy of a paste, and `GET /{id}/edit` for the owner of a
//! paste.
//!
//! Several files are copied too, and changed if this server has written their archive: another one has more than they.
//! Invariants: copying a paste is a read of it, with the same limits. The text of a paste that burns or is protected is
//! not shown.
//!
//! Why a rejected change gives its text back: the editor of a stored paste is never cached. So a browser that goes back
//! to it may show the stored text, or the paste does not exist any more. A rejected link gives its URL back, because its
//! form is folded in a page to which the browser goes back.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use actix_web::{HttpResponse, HttpResponseBuilder};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::account::InstanceAccess;
use crate::app::{ForbiddenChange, Unauthorized};
use crate::detection::language_of;
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::read::diff::{difference, refuse_incomparable};
use crate::http::problem::Step;
use crate::http::request::form::{crlf_to_lf, multipart};
use crate::http::request::{Audience, ResponseFormat, SaveOptions, query};
use crate::http::response::{NO_STORE, THUMBNAIL_POLICY, ask_for_token};
use crate::http::transfer::{ResponseReservation, bytes_body};
use crate::overload::Priority;
use crate::page::{self, AskPage, Coding, EditedPaste, EditorPage, Prefill};
use crate::paste::{Access, ArchivedFile, Encoding, Language, Paste, ReadsLeft};
use crate::store::StoreError;

/// Handles `GET /` in a browser.
pub(crate) async fn new_paste(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let mut form = new_editor(context);
    let (mut response, body) = match original(context).await? {
        None => {
            preset(context, &mut form)?;
            let page = page::editor(&form).into_bytes();
            let (coding, page) = context.request.coding().encode(page);
            let body = bytes_body(context, Priority::Render, page).await?;
            (editor_head(context, coding), body)
        }
        Some(paste) => {
            let size = paste.bytes().len();
            let make = move || {
                let prefill = prefill(&paste);
                page::editor(&EditorPage { prefill, ..form })
            };
            editor_with(context, size, make).await?
        }
    };
    Ok(response.body(body))
}

/// Fills the form with the options in the query, but never with a text, which another site could make a visitor save.
fn preset(context: &RequestContext<'_>, form: &mut EditorPage<'_>) -> Result<(), ApiError> {
    let query = context.request.query();
    if query.is_empty() {
        return Ok(());
    }
    let options = SaveOptions::preset(query, context.expiry_rules())?;
    form.prefill = Some(Prefill {
        title: options.title.unwrap_or_default().into(),
        language: options.language,
        expiry: options.expiry,
        burn: options.burn.map(ReadsLeft::get),
        ..Prefill::default()
    });
    Ok(())
}

/// Handles `GET` and `HEAD` of `/ask`.
pub(crate) async fn ask(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.refuse_question()?;
    let policy = context.state.app.limits.expiry_policy;
    let site = context.request.site;
    let page = page::to_html(&AskPage { site, policy });
    let (coding, page) = context.request.coding().encode(page.into_bytes());
    let body = bytes_body(context, Priority::Render, page).await?;
    Ok(coding.page().body(body))
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
    if stored.is_sealed() {
        return Err(ForbiddenChange::Sealed.into());
    }
    let paste = stored.open().ok();
    if let Some(paste) = &paste {
        let archive = paste.archive().and_then(Result::ok);
        let is_ours = archive.is_none_or(|archive| archive.is_ours(paste.bytes()));
        if is_no_text(paste) || !is_ours {
            return Err(ApiError::NotText);
        }
    }
    let size = paste.as_ref().map_or(0, |paste| paste.bytes().len());
    let (form, id) = (new_editor(context), id.to_owned());
    let make = move || {
        page::editor(&EditorPage {
            edited: Some(EditedPaste { id: &id, access }),
            prefill: paste.as_ref().and_then(prefill),
            ..form
        })
    };
    let (mut response, body) = editor_with(context, size, make).await?;
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
    if stored.is_sealed() {
        return Err(ForbiddenChange::Sealed.into());
    }
    let paste = stored.open().map_err(ApiError::protected)?;
    match is_no_text(&paste) {
        true => Err(ApiError::NotText),
        false => Ok(Some(paste)),
    }
}

/// Returns whether the paste is neither a text nor several files.
fn is_no_text(paste: &Paste) -> bool {
    match paste.archive() {
        Some(archive) => archive.is_err(),
        None => paste.encoding() != Encoding::Utf8,
    }
}

fn prefill(paste: &Paste) -> Option<Prefill<'_>> {
    let title = paste.title().map_or("", |title| title.as_str()).into();
    if let Some(Ok(archive)) = paste.archive() {
        let encoded =
            |file: ArchivedFile<'_>| (file.name.into(), BASE64_STANDARD.encode(file.content));
        return Some(Prefill {
            files: archive.into_files().map(encoded).collect(),
            title,
            ..Prefill::default()
        });
    }
    Some(Prefill {
        text: paste.text()?.into(),
        title,
        language: Some(language_of(paste)),
        ..Prefill::default()
    })
}

/// The empty editor of a new paste, with the settings that its form depends on.
fn new_editor(context: &RequestContext<'_>) -> EditorPage<'static> {
    EditorPage {
        site: Arc::clone(context.request.site),
        edited: None,
        is_private: context.state.accounts.access == InstanceAccess::Private,
        lists_recent: context.identity_cookie().is_none() && matches!(context.owner(), Ok(None)),
        slugs: context.principal.may_choose_slugs(),
        limits: context.state.app.limits,
        prefill: None,
        difference: None,
        complaint: None,
    }
}

/// Starts the response with an editor that holds a text of this size. Its bytes are reserved before it is made: it costs
/// as much as the page of that text.
async fn editor_with(
    context: &RequestContext<'_>,
    size: usize,
    make: impl FnOnce() -> String + Send + 'static,
) -> Result<(HttpResponseBuilder, BoxBody), ApiError> {
    let (estimate, coding) = (size.saturating_mul(2), context.request.coding());
    let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
    let permit = reserved.acquire_render().await?;
    let make = move || coding.encode(make().into_bytes());
    let (coding, body) = reserved.make(permit, make).await?;
    Ok((editor_head(context, coding), body))
}

/// Starts the response with an editor's page.
fn editor_head(context: &RequestContext<'_>, coding: Coding) -> HttpResponseBuilder {
    let mut response = coding.page();
    if context.state.site.images {
        response.insert_header((CONTENT_SECURITY_POLICY, THUMBNAIL_POLICY));
    }
    response
}

/// Returns whether a browser gets its text or its URL back. It does if the same request would be rejected again. A form
/// on another site cannot make this server show a text.
pub(super) fn gives_back(context: &RequestContext<'_>, error: &ApiError) -> bool {
    let is_ours = context.request.format == ResponseFormat::Html && context.is_same_origin();
    is_ours && error.row().step != Step::Retry
}

/// Responds to a rejected change or link with the editor, which holds the text or the URL in `body`. It saves a new
/// paste if the client cannot change this one: `access` is `None`, or the paste does not exist any more.
///
/// # Errors
/// The same error, if the body has neither.
pub(super) async fn give_text_back(
    context: &RequestContext<'_>,
    error: ApiError,
    access: Option<Access>,
    body: &[u8],
) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let sent = sent_fields(context, body);
    if sent.text.is_empty() && sent.url.is_empty() {
        return Err(error);
    }
    let access = access.filter(|_| {
        !matches!(
            error,
            ApiError::Store(StoreError::NotFound | StoreError::Gone(_))
        )
    });
    let (form, size) = (new_editor(context), sent.text.len());
    let (id, complaint) = (request.route.param.to_owned(), complaint(&error));
    let make = move || {
        page::editor(&EditorPage {
            edited: access.map(|access| EditedPaste { id: &id, access }),
            prefill: Some(sent),
            complaint: Some(&complaint),
            ..form
        })
    };
    let (mut response, body) = editor_with(context, size, make).await?;
    let row = error.row();
    for header in row.headers {
        response.insert_header(header);
    }
    response
        .status(row.status)
        .insert_header((CACHE_CONTROL, NO_STORE));
    Ok(response.body(body))
}

/// Why the change was rejected, and what to do with the text.
fn complaint(error: &ApiError) -> Cow<'static, str> {
    Cow::Borrowed(match error {
        ApiError::Store(StoreError::NotFound | StoreError::Gone(_)) => {
            "This paste no longer exists. Save your text as a new paste; set a password again if it had one."
        }
        ApiError::Unauthorized(Unauthorized::NoToken | Unauthorized::WrongToken) => {
            "This browser does not have the token of this paste. Save your text as a new paste; set a password again if it \
             had one."
        }
        error => return error.row().page_sentence().to_owned().into(),
    })
}

/// Responds with the editor, which holds the fields in `body` and how their text differs from the stored one. Nothing
/// is shown of a paste that a GET does not show either.
pub(super) async fn compare(
    context: &RequestContext<'_>,
    body: &[u8],
) -> Result<HttpResponse, ApiError> {
    let id = context.request.route.param.to_owned();
    let stored = context.peek(context.id(&id)?).await?;
    let access = stored.access();
    let paste = stored.open().map_err(ApiError::protected)?;
    let mut sent = sent_fields(context, body);
    if let Some(text) = stored_if_same(&paste, sent.text.as_bytes()) {
        sent.text = text.to_owned().into();
    }
    refuse_incomparable([paste.bytes(), sent.text.as_bytes()])?;
    let size = sent.text.len().saturating_add(paste.bytes().len());
    let form = new_editor(context);
    let make = move || {
        page::editor(&EditorPage {
            edited: Some(EditedPaste { id: &id, access }),
            difference: Some(difference(&paste, &sent.text)),
            prefill: Some(sent),
            ..form
        })
    };
    let (mut response, body) = editor_with(context, size, make).await?;
    response.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(response.body(body))
}

/// Returns the stored text if a form shows the new one alike: a browser sends each line end as a line feed.
pub(super) fn stored_if_same<'a>(old: &'a Paste, new: &[u8]) -> Option<&'a str> {
    let text = old.text().filter(|text| text.contains('\r'))?;
    let shown = text.replace("\r\n", "\n").replace('\r', "\n");
    (shown.as_bytes() == new).then_some(text)
}

/// Reads the fields of the editor that it shows again, even if other fields are wrong.
fn sent_fields(context: &RequestContext<'_>, body: &[u8]) -> Prefill<'static> {
    let mut sent = Prefill::default();
    let mut has_windows_ends = false;
    let parts = multipart::Parts::of(context.request.content_type(), body);
    for part in parts.into_iter().flatten().flatten() {
        // A file is still on the disk of the person.
        if part.file_name.is_some() {
            continue;
        }
        let value = crlf_to_lf(Cow::Borrowed(part.content));
        let value = String::from_utf8_lossy(&value).into_owned();
        match &*part.name {
            "content" => sent.text = value.into(),
            "ends" => has_windows_ends = true,
            "title" => sent.title = value.into(),
            "url" => sent.url = value.into(),
            "lang" => sent.language = Language::from_name(&value),
            "expires" => {
                sent.expiry = context.expiry_rules().parse(Some(&value)).ok().flatten();
            }
            _ => {}
        }
    }
    if has_windows_ends {
        sent.text = sent.text.replace('\n', "\r\n").into();
    }
    sent
}
