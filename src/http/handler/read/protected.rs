//! Reading a paste that burns or is protected.
//!
//! Invariants: no look uses up a read or shows anything of the content, whatever the route and the method, so link
//! previews, scanners and reloads cost nothing. All that may yet refuse a read is done before it is counted: the
//! password, the memory for the answer, the permit to render its page. From then on it is answered, whole: as a file
//! where a page cannot show it so. No cache keeps it, ours included. Bytes that are not encrypted take no permit: among
//! many clients behind one address none waits for another.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, HttpResponseBuilder};

use super::page::{Reading, secret_page};
use super::{Representation, shape_of};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Method, PasteAddress, ResponseFormat, header_password};
use crate::http::response::{NO_STORE, attachment, content_type_of, protected_page};
use crate::http::transfer::{Decrypted, ResponseReservation, decrypt};
use crate::overload::Priority;
use crate::paste::{Access, Password, Paste, PasteId, StoredPaste};
use crate::store::Consumed;

/// `GET` and `HEAD`: tells how to read it. A GET with the password of a paste that does not burn is a read.
pub(super) async fn look(
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
        ResponseFormat::Html => protected_page(context, address, &stored, None),
        ResponseFormat::Json | ResponseFormat::Text => Err(ApiError::protected(access)),
    }
}

/// Uses up a read. A person with the wrong password is asked again.
pub(super) async fn open(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let opened = opened(context, id, address, &stored, representation, password).await;
    let refused = match opened {
        Err(refused @ (ApiError::WrongPassword | ApiError::NoPassword)) => refused,
        answered => return answered,
    };
    match context.request.format {
        ResponseFormat::Html => {
            protected_page(context, address, &stored, Some(&refused.sentence()))
        }
        ResponseFormat::Json | ResponseFormat::Text => Err(refused),
    }
}

async fn opened(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: &StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let as_page = representation.is_page(request.format);
    let url = format!("{}/{}", state.base_url(&request)?, address.id);
    let language = address.language.unwrap_or(stored.language());
    let shape = shape_of(context, language, None)?;
    let priority = match as_page {
        true => Priority::Render,
        false => Priority::Read,
    };
    let estimate = size_of_answer(stored, as_page);
    let reserved = ResponseReservation::new(context, priority, estimate).await?;
    let (permit, decrypted) = match stored.encrypted() {
        Some(encrypted) => {
            let Decrypted {
                content,
                title,
                permit,
            } = decrypted(context, &reserved, encrypted, password).await?;
            (Some(permit), Some((content, title)))
        }
        None if as_page => (Some(reserved.acquire_render().await?), None),
        None => (None, None),
    };
    let Consumed { paste, left } = state.app.consume(context.now(), id, stored)?;
    let paste = match decrypted {
        Some((content, title)) => paste.with_decrypted(content, title),
        None => paste,
    };
    if as_page && let Some(permit) = permit {
        // The last read has no source to look at later.
        let shape = left.map_or(shape, |_| shape.with_lines());
        let reading = Reading {
            id,
            text: address.id.to_owned(),
            url,
            shape,
            highlighted: None,
            may_delete: context.owner_cookie(paste.token()).is_some(),
            paste: paste.clone(),
        };
        if let Some((coding, page)) = secret_page(context, permit, reading, left).await {
            let mut answer = coding.page();
            answer.insert_header((CACHE_CONTROL, NO_STORE));
            return Ok(answer.body(reserved.fill_regardless(page).await));
        }
    }
    // Content that a page cannot show whole is not shown in part: the rest could never be had.
    let as_file = representation == Representation::Download || as_page;
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes()));
    Ok(head(&paste, address, as_file).body(reserved.fill_regardless(bytes).await))
}

/// Bytes that an answer takes, about: the content, and as much again where it is decrypted or put on a page.
fn size_of_answer(stored: &StoredPaste, as_page: bool) -> usize {
    let times = match as_page || stored.encrypted().is_some() {
        true => 2,
        false => 1,
    };
    stored.content_bytes().saturating_mul(times)
}

/// The head of an answer of bytes.
fn head(paste: &Paste, address: PasteAddress<'_>, as_file: bool) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CONTENT_TYPE, content_type_of(paste.encoding())))
        .insert_header((CACHE_CONTROL, NO_STORE));
    if as_file {
        answer.insert_header((CONTENT_DISPOSITION, attachment(paste, address.id)));
    }
    answer
}

/// The decrypted content, and the permit that it was decrypted under.
async fn decrypted(
    context: &RequestContext<'_>,
    reserved: &ResponseReservation<'_>,
    encrypted: &Arc<[u8]>,
    password: Option<Password>,
) -> Result<Decrypted, ApiError> {
    let Some(password) = password else {
        // Charged as an attempt: it is the cheapest one.
        drop(context.charges.charge_password_attempt()?);
        return Err(ApiError::NoPassword);
    };
    let permit = reserved.acquire_render().await?;
    decrypt(context, permit, password, Arc::clone(encrypted)).await
}
