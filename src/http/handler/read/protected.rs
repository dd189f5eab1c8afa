//! Reading a protected paste: its reads are limited because it burns, or it has a password, or both.
//!
//! Invariants: a GET or HEAD uses up no read of a paste that burns, and shows nothing without the password. So link
//! previews, scanners and reloads use up no read. The server does every step that can fail before it counts the read.
//! It checks the password, reserves memory for the response, and gets the render permit. A paste that burns has used up
//! its read before it is sent: a client that hangs up loses it. After the read is counted, the server sends the whole
//! content. It sends a file if a page cannot show all of the content. No cache stores the content, neither this
//! server's nor a proxy's. Content that is not encrypted needs no render permit to be sent as bytes. So clients behind
//! one address do not wait for each other.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY};
use actix_web::web::Bytes;

use super::file::{NamedFile, named};
use super::page::{PageInput, secret_page};
use super::{Representation, render_key};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Method, PasteAddress, ResponseFormat, header_password};
use crate::http::response::{
    EMBEDDED_IMAGE_POLICY, NO_STORE, attachment, content_type_of, protected_page, respond,
    sealed_page,
};
use crate::http::transfer::{RenderPermit, ResponseReservation, decrypt};
use crate::overload::Priority;
use crate::page::file_name;
use crate::paste::{Access, Password, Paste, PasteId, StoredPaste};
use crate::store::Consumed;

/// Handles `GET` and `HEAD`: the response explains how to read the paste. A GET with the password opens a paste that
/// does not burn.
pub(super) async fn prompt(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    representation: Representation,
) -> Result<HttpResponse, ApiError> {
    let (request, access) = (context.request, stored.access());
    if access == Access::Locked(None)
        && request.method == Method::Get
        && let Some(password) = header_password(request.headers())?
    {
        return open(context, id, address, stored, representation, Some(password)).await;
    }
    match request.format {
        ResponseFormat::Html if stored.is_sealed() => sealed_page(context, address.id, &stored),
        ResponseFormat::Html => protected_page(context, address, &stored, None),
        ResponseFormat::Json | ResponseFormat::Text => Err(ApiError::protected(access)),
    }
}

/// Reads the paste. This uses up one read of a paste that burns. A browser that sent no password or a wrong one gets
/// the form again.
pub(super) async fn open(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let response = read_protected(context, id, address, &stored, representation, password).await;
    let complaint = match &response {
        Err(error @ ApiError::WrongPassword) => error.row().sentence,
        Err(ApiError::NoPassword) => "Enter the password.".into(),
        _ => return response,
    };
    match context.request.format {
        ResponseFormat::Html => protected_page(context, address, &stored, Some(&complaint)),
        ResponseFormat::Json | ResponseFormat::Text => response,
    }
}

async fn read_protected(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: &StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let as_page = representation.is_page(request.format);
    let base_url = state.base_url(&request)?;
    let key = |language| render_key(context, language, None);
    // What is wrong in the query is found before a view is used up.
    key(None)?;
    let priority = match as_page {
        true => Priority::Render,
        false => Priority::Read,
    };
    // The content, and it once more if it is decrypted or shown on a page. The page of a file has a copy of it.
    let is_twice = as_page || stored.encrypted().is_some();
    let factor = 1 + usize::from(is_twice) + usize::from(as_page && address.segment != address.id);
    let estimate = stored.content_bytes().saturating_mul(factor);
    let reserved = ResponseReservation::new(context, priority, estimate).await?;
    let may_delete = context.shows_owner(stored);
    let Unlocked {
        paste,
        file,
        left,
        permit,
    } = unlock(context, id, stored, &reserved, as_page, password).await?;
    let name = file.as_ref().map(|file| file.download_name());
    let copy = file.as_ref().map(|file| file.copy(&paste));
    let paste = copy.unwrap_or(paste);
    if as_page && let Some(permit) = permit {
        // A paste that burns has no separate source view, so this page shows the source with its lines.
        let path = file.as_ref().map_or(address.id, |file| &file.path);
        let of_address = address.language.filter(|_| file.is_none());
        let key = key(of_address.or(paste.named_language()))?;
        let key = left.map_or(key, |_| key.with_lines());
        let input = PageInput {
            id,
            text: address.id.to_owned(),
            url: [&base_url, "/", path].concat(),
            file,
            site: Arc::clone(request.site),
            render_key: key,
            lines: None,
            level: None,
            may_delete,
            saved: None,
            changed: None,
            paste: paste.clone(),
        };
        if let Some((coding, page)) = secret_page(context, permit, input, left).await {
            let mut response = coding.page();
            response.insert_header((CACHE_CONTROL, NO_STORE));
            if paste.content().image().is_some() {
                response.insert_header((CONTENT_SECURITY_POLICY, EMBEDDED_IMAGE_POLICY));
            }
            return Ok(response.body(reserved.fill_regardless(page).await));
        }
    }
    // If a page cannot show the whole content, the server sends it as a file. The client could not read the rest later.
    let as_file = representation == Representation::Download || as_page;
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes()));
    let as_image = representation.is_image(context);
    let content_type = content_type_of(paste.content(), as_image);
    let mut response = respond(StatusCode::OK, content_type, NO_STORE);
    if as_file {
        let name = name.unwrap_or_else(|| file_name(&paste, address.id));
        response.insert_header((CONTENT_DISPOSITION, attachment(&name)));
    }
    Ok(response.body(reserved.fill_regardless(bytes).await))
}

/// A paste whose read was counted.
pub(crate) struct Unlocked {
    /// The paste with its decrypted content.
    pub(crate) paste: Paste,
    /// The file of it that the request names.
    file: Option<Box<NamedFile>>,
    /// See [`Consumed::left`].
    pub(crate) left: Option<u8>,
    /// `None` if nothing was decrypted and the caller asked for no permit.
    permit: Option<RenderPermit>,
}

/// Decrypts the paste if it has a password, and then counts the read. A request without the password is charged as a
/// password attempt, too.
pub(crate) async fn unlock(
    context: &RequestContext<'_>,
    id: PasteId,
    stored: &StoredPaste,
    reserved: &ResponseReservation<'_>,
    needs_permit: bool,
    password: Option<Password>,
) -> Result<Unlocked, ApiError> {
    let (permit, decrypted) = match stored.encrypted() {
        Some(encrypted) => {
            let Some(password) = password else {
                // Without this charge, a client could send such requests without limit.
                context.charges.charge_password_attempt()?;
                return Err(ApiError::NoPassword);
            };
            let permit = reserved.acquire_key().await?;
            let encrypted = Arc::clone(encrypted);
            let (permit, opened) = decrypt(context, permit, password, encrypted).await?;
            (Some(permit), Some(opened))
        }
        None if needs_permit => (Some(reserved.acquire_render().await?), None),
        None => (None, None),
    };
    let content = match &decrypted {
        Some((content, _)) => content.bytes(),
        None => &stored.data().bytes,
    };
    let file = named(&context.request, content, stored.access())?;
    reserved.set_last_read()?;
    let consuming = context.state.app.consume(context.now(), id, stored);
    let Consumed { paste, left } = consuming.await?;
    let paste = match decrypted {
        Some((content, title)) => paste.with_decrypted(content, title),
        None => paste,
    };
    Ok(Unlocked {
        paste,
        file,
        left,
        permit,
    })
}
