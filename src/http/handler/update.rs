//! Updating a paste: new content under the same address, a new title, or a new expiry.
//!
//! Invariants: only the owner may update a paste. A rejected update changes nothing. An update with `If-Match` changes
//! only the content that the header names.

use std::borrow::Cow;
use std::pin::pin;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION, SET_COOKIE};

use crate::app::{ForbiddenChange, UseCases};
use crate::http::admission::{RequestContext, authorize};
use crate::http::error::ApiError;
use crate::http::handler::editor::{compare, give_text_back, gives_back, stored_if_same};
use crate::http::handler::read::diff::count_changes;
use crate::http::request::form::{self, ActionForm, ExistingPaste, SaveForm};
use crate::http::request::{
    Audience, BodyKind, RequestError, ResponseFormat, SaveOptions, known_language,
};
use crate::http::response::{NO_STORE, TEXT, etag_of_open, expires, owner_cookie};
use crate::http::transfer::{content_of, encrypt, form_content, reject_form, save_body};
use crate::paste::{
    Access, Change, Paste, PasteId, Revision, StoredPaste, Timestamp, Title, TitleChange, TokenHash,
};
use crate::store::StoreError;

/// Handles `PUT /{id}` with a token: the body is the new content.
pub(crate) async fn put(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.address().id;
    let owned = load_owned(context, text, None).await?;
    let options = SaveOptions::of(&context.request, context.expiry_rules())?;
    let body = save_body(context, BodyKind::Raw).await?;
    reject_form(context.request.content_type(), &body)?;
    let revision = change_content(context, &owned, &body, options, false).await?;
    response(context, (owned.id, revision), text, None).await
}

/// Replaces the content of the paste that a form sent to `/` names. `options` are those outside the form.
pub(crate) async fn replace(
    context: &mut RequestContext<'_>,
    paste: &ExistingPaste,
    form: SaveForm<'_>,
    options: SaveOptions,
) -> Result<HttpResponse, ApiError> {
    let owned = load_owned(context, &paste.id, paste.token.as_deref()).await?;
    let (_, revision) = change_by_form_content(context, &owned, form, options, None).await?;
    response(context, (owned.id, revision), &paste.id, None).await
}

/// Handles `POST /{id}/edit`: the form of the editor. A browser gets its text back if the same request would be
/// rejected again. With `?compare`, the form is shown again with the difference, and nothing changes.
pub(crate) async fn edit(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let text = context.request.address().id;
    let is_ours = context.request.format == ResponseFormat::Html && context.is_same_origin();
    if context.request.query() == "compare" && is_ours {
        load_owned(context, text, None).await?;
        let body = save_body(context, BodyKind::Multipart).await?;
        return Box::pin(compare(context, &body)).await;
    }
    let owned = match load_owned(context, text, None).await {
        Err(error) if !gives_back(context, &error) => return Err(error),
        owned => owned,
    };
    let options = SaveOptions::of(&context.request, context.expiry_rules())?;
    let body = save_body(context, BodyKind::Multipart).await?;
    let access = owned.as_ref().ok().map(|owned| owned.access);
    let changing = async {
        let owned = owned?;
        let form = form::parse_multipart(context.request.content_type(), &body)?;
        let stored = context.peek(owned.id).await?;
        // A program that sends a text means its line ends.
        let is_editor = context.request.format != ResponseFormat::Text;
        let old = stored.open().ok();
        let old = old.filter(|_| owned.access == Access::Open && is_editor);
        let form = form.single()?;
        let (new, revision) =
            change_by_form_content(context, &owned, form, options, old.as_ref()).await?;
        let changed = match &old {
            Some(old) => count_changes(context, old.clone(), new.into_owned()).await,
            None => None,
        };
        response(context, (owned.id, revision), text, changed).await
    };
    match changing.await {
        Err(error) if gives_back(context, &error) => {
            // Boxed: this future is large, and most changes do not need it.
            Box::pin(give_text_back(context, error, access, &body)).await
        }
        result => result,
    }
}

/// Returns the new content and its revision. The content of the editor is the stored one, `old`, if the form shows them
/// alike.
async fn change_by_form_content<'f>(
    context: &mut RequestContext<'_>,
    owned: &OwnedPaste,
    form: SaveForm<'f>,
    options: SaveOptions,
    old: Option<&'f Paste>,
) -> Result<(Cow<'f, [u8]>, Revision), ApiError> {
    if form.is_link {
        return Err(ForbiddenChange::LinkTarget.into());
    }
    if form.is_question {
        return Err(RequestError::SeveralContents.into());
    }
    let format = context.request.format;
    let options = options.with_form(&form.options, context.expiry_rules(), format)?;
    // The editor shows the title of an open paste only. For any other paste the field is empty, whatever the title is.
    let is_untitled = form.is_untitled && owned.access == Access::Open;
    let content = form_content(form, format);
    let old = old.filter(|_| options.file_name.is_none());
    let same = old.and_then(|old| stored_if_same(old, &content));
    let content = same.map_or(content, |text| text.as_bytes().into());
    let revision = change_content(context, owned, &content, options, is_untitled).await?;
    Ok((content, revision))
}

/// Handles `POST /{id}` with a title, a language or an expiry.
pub(crate) async fn change_by_form(
    context: &RequestContext<'_>,
    form: &ActionForm,
) -> Result<HttpResponse, ApiError> {
    context.refuse_read_only()?;
    let text = context.request.address().id;
    let owned = load_owned(context, text, form.text("token").as_deref()).await?;
    let title = |text: &str| Title::new(text).map_or(TitleChange::Remove, TitleChange::Set);
    let language = form.text("lang").map(|name| known_language(&name));
    let change = Change {
        of: owned.of,
        token: Some(owned.token),
        title: form.title().as_deref().map_or(TitleChange::Keep, title),
        language: language.transpose()?,
        expiry: context
            .expiry_rules()
            .parse(form.text("expires").as_deref())?,
        ..Change::default()
    };
    let updating = context.state.app.update(context.now(), owned.id, &change);
    let revision = updating.await?;
    response(context, (owned.id, revision), text, None).await
}

/// A paste that the client owns.
pub(crate) struct OwnedPaste {
    pub(crate) id: PasteId,
    pub(super) access: Access,
    /// See [`Change::of`].
    pub(crate) of: Option<Timestamp>,
    /// See [`Change::token`].
    pub(super) token: TokenHash,
}

/// Loads the paste with this id if the client owns it. `token` is the token from a form. Checks the request's
/// conditions on its content. The content is not kept, since the new one may take long to arrive.
/// To replace a content, a client need not be allowed to read. Such a client does not learn which pastes exist: each
/// that is not its own is answered alike, and is a miss.
pub(crate) async fn load_owned(
    context: &RequestContext<'_>,
    text: &str,
    token: Option<&str>,
) -> Result<OwnedPaste, ApiError> {
    let may_read = authorize(context, Audience::Readers);
    if may_read.is_err() {
        context.charges.check_misses()?;
        // Otherwise only a paste that exists would wait for a permit.
        context.permit_listing().await?;
    }
    let finding = async {
        let id = context.id(text)?;
        let stored = context.peek(id).await?;
        context.authorize_owner(&stored, token)?;
        Ok((id, stored))
    };
    let (id, stored) = match (finding.await, may_read) {
        (Ok(found), _) => found,
        (Err(error), Ok(())) => return Err(error),
        (Err(error), Err(forbidden)) => {
            if !context.is_guess(&error) {
                context.charges.charge_miss();
            }
            return Err(forbidden);
        }
    };
    let of = expected_save_time(context, &stored)?;
    let (access, token) = (stored.access(), *stored.token());
    drop(stored);
    // A request that waits for its client must not keep the permit that loading the paste took.
    context.load_permit.take();
    Ok(OwnedPaste {
        id,
        access,
        of,
        token,
    })
}

/// Returns the save time of the content that the request's conditions name. Returns `None` without such a condition.
/// The store checks the time again, as the content may change before the update is stored.
fn expected_save_time(
    context: &RequestContext<'_>,
    stored: &StoredPaste,
) -> Result<Option<Timestamp>, ApiError> {
    let conditions = context.request.conditions();
    if !conditions.names_content() {
        return Ok(None);
    }
    match conditions.accept(etag_of_open(stored, context.state.site.images).as_ref()) {
        true => Ok(Some(stored.saved())),
        false => Err(StoreError::ContentChanged.into()),
    }
}

/// Replaces the content, and returns its revision. If `is_untitled`, the title is removed, unless the options or a file name give a new one.
pub(crate) async fn change_content(
    context: &mut RequestContext<'_>,
    owned: &OwnedPaste,
    content: &[u8],
    options: SaveOptions,
    is_untitled: bool,
) -> Result<Revision, ApiError> {
    refuse_slug(&options)?;
    let given = content_of(context, content, &options)?;
    let mut title = options.title();
    let (has_password, has_burn) = (options.password.is_some(), options.burn.is_some());
    UseCases::check_new_content(owned.access, has_password, has_burn)?;
    // An encrypted title names no language later.
    let language = match &options.password {
        Some(_) => options.language(),
        None => options.language,
    };
    let given = match &options.password {
        Some(password) => {
            // Boxed: this future is large, and most updates do not need it.
            Box::pin(encrypt(context, password.clone(), title.take(), given)).await?
        }
        None => given,
    };
    let change = Change {
        of: owned.of,
        token: Some(owned.token),
        content: Some(given),
        title: title_change(title, is_untitled),
        language,
        expiry: options.expiry,
    };
    let updating = context.state.app.update(context.now(), owned.id, &change);
    context
        .charges
        .settle_after(content.len(), pin!(updating))
        .await
}

/// Refuses the option that no change may have. It names every option, so that the compiler asks what a change does with
/// a new one.
pub(super) fn refuse_slug(options: &SaveOptions) -> Result<(), ForbiddenChange> {
    let SaveOptions {
        slug,
        expiry: _,
        burn: _,
        password: _,
        language: _,
        charset: _,
        title: _,
        file_name: _,
    } = options;
    match slug {
        Some(_) => Err(ForbiddenChange::Slug),
        None => Ok(()),
    }
}

/// The change to this title, or its removal if `is_untitled`.
pub(super) fn title_change(title: Option<Title>, is_untitled: bool) -> TitleChange {
    match title {
        Some(title) => TitleChange::Set(title),
        None if is_untitled => TitleChange::Remove,
        None => TitleChange::Keep,
    }
}

/// Responds to an update. A browser is redirected to the paste, which tells how many lines were added and removed.
async fn response(
    context: &RequestContext<'_>,
    (id, revision): (PasteId, Revision),
    text: &str,
    changed: Option<(usize, usize)>,
) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let base_url = state.base_url(&request)?;
    let stored = context.peek(id).await?;
    let told = changed.map(|(added, removed)| format!("{text}?changed={added}-{removed}"));
    let page = told.as_deref().unwrap_or(text);
    let mut response = match request.format {
        ResponseFormat::Html => HttpResponse::SeeOther(),
        // The editor's script reads the address from the response and opens that address itself.
        ResponseFormat::Json | ResponseFormat::Text => HttpResponse::Ok(),
    };
    if request.format != ResponseFormat::Text {
        response.insert_header((LOCATION, format!("{}/{page}", request.base_path())));
    }
    // A later change can be told to expect this content, unless another one was made meanwhile.
    if stored.revision() == revision
        && let Some(tag) = etag_of_open(&stored, state.site.images)
    {
        response.insert_header((ETAG, tag));
    }
    // The cookie lives as long as the paste, whose expiry may be later now. An owner does not need it.
    if let Some(token) = context.owner_cookie(stored.token())
        && context.browser_owner().is_none()
    {
        let cookie = owner_cookie(context, text, token, stored.deadline());
        response.insert_header((SET_COOKIE, cookie));
    }
    Ok(response
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header(expires(stored.deadline()))
        .body(format!("{base_url}/{text}\n")))
}
