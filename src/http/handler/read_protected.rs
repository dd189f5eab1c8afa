//! Reading what is not for every look: locked, or to be read only so often.
//!
//! What it must not know: how a read is counted.
//! Invariants: whatever may yet refuse the read is done before it is counted: the password, the room for the answer, the
//! turn to make its page. From then on it is answered, whole: as a file where a page cannot show it so. No cache keeps
//! it, ours included. Bytes that were not sealed take no turn: of many who share an address nobody waits for another.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::handler::encryption::{self, Unlocked};
use crate::http::handler::paste_page::{Reading, secret_page};
use crate::http::handler::protected;
use crate::http::handler::read::{Address, Representation, content_type, read, shape_of};
use crate::http::request::format::ResponseFormat;
use crate::http::request::owner::has_cookie;
use crate::http::response::disposition::attachment;
use crate::http::response::headers::NO_STORE;
use crate::http::transfer::response_body::ResponseReservation;
use crate::overload::Priority;
use crate::paste::{Access, Password, Paste, StoredPaste};
use crate::render::Shape;
use crate::store::Read;

/// A `POST` that asks for nothing but to read: of what anybody may read the same as a GET.
pub(crate) async fn reveal(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    segment: &str,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let address = Address::parse(context, segment)?;
    let kept = context.peek(address.id)?;
    match kept.access() {
        Access::Open | Access::Link => read(context, request, segment, representation).await,
        Access::Burn(_) | Access::Locked(_) => {
            closed(context, request, &address, kept, representation, password).await
        }
    }
}

/// The same of what is closed; a person with the wrong password is asked again.
pub(crate) async fn closed(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let refused = match opened(context, request, address, &kept, representation, password).await {
        Err(refused @ (ApiError::WrongPassword | ApiError::NoPassword)) => refused,
        answered => return answered,
    };
    match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => {
            protected::page(context, request, address, &kept, Some(&refused.sentence()))
        }
        ResponseFormat::Json | ResponseFormat::Text => Err(refused),
    }
}

async fn opened(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: &StoredPaste,
    representation: Representation,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let as_page = representation.is_page(request);
    let url = format!("{}/{}", service.base_url(request)?, address.text);
    let shape = shape_of(request, address.language.unwrap_or(kept.language()), None)?;
    let class = if as_page {
        Priority::Render
    } else {
        Priority::Read
    };
    let reserved = ResponseReservation::new(context, class, room(kept, as_page)).await?;
    let (permit, unlocked) = match kept.sealed() {
        Some(sealed) => {
            let unlocked = unlock(context, &reserved, sealed, password).await?;
            let Unlocked {
                content,
                title,
                permit,
            } = unlocked;
            (Some(permit), Some((content, title)))
        }
        None if as_page => (Some(reserved.acquire_render().await?), None),
        None => (None, None),
    };
    let Read { paste, left } = service.store.read(service.now(), address.id, kept)?;
    let paste = match unlocked {
        Some((content, title)) => paste.unlocked(content, title),
        None => paste,
    };
    if as_page && let Some(permit) = permit {
        // What is gone after this has no source to look at later.
        let shape = left.map_or(shape, |_| shape.with_lines());
        let reading = reading(request, address, paste.clone(), url, shape);
        if let Some((coding, page)) = secret_page(context, request, permit, reading, left).await {
            let mut answer = coding.page();
            answer.insert_header((CACHE_CONTROL, NO_STORE));
            return Ok(answer.body(reserved.fill_in_any_case(page).await));
        }
    }
    // What a page cannot show whole is not shown in part: the rest could never be had.
    let as_file = representation == Representation::Download || as_page;
    let bytes = Bytes::from_owner(Arc::clone(paste.bytes()));
    Ok(head(&paste, address, as_file).body(reserved.fill_in_any_case(bytes).await))
}

/// Bytes that an answer takes, about: content, and as much again where it is unlocked or put on a page.
fn room(kept: &StoredPaste, as_page: bool) -> usize {
    let times = if as_page || kept.sealed().is_some() {
        2
    } else {
        1
    };
    kept.content_bytes().saturating_mul(times)
}

fn reading(
    request: &HttpRequest,
    address: &Address<'_>,
    paste: Paste,
    url: String,
    shape: Shape,
) -> Reading {
    Reading {
        id: address.id,
        text: address.text.to_owned(),
        url,
        shape,
        marked: None,
        may_delete: has_cookie(request, paste.token()),
        paste,
    }
}

/// The head of an answer of bytes.
fn head(paste: &Paste, address: &Address<'_>, as_file: bool) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CONTENT_TYPE, content_type(paste.encoding())))
        .insert_header((CACHE_CONTROL, NO_STORE));
    if as_file {
        answer.insert_header((CONTENT_DISPOSITION, attachment(paste, address.text)));
    }
    answer
}

/// What was sealed, and the turn that it was unlocked in.
async fn unlock(
    context: &RequestContext<'_>,
    reserved: &ResponseReservation<'_>,
    sealed: &Arc<[u8]>,
    password: Option<Password>,
) -> Result<Unlocked, ApiError> {
    let Some(password) = password else {
        // Charged as a guess: it is the cheapest one.
        drop(context.charge_password_attempt()?);
        return Err(ApiError::NoPassword);
    };
    let permit = reserved.acquire_render().await?;
    encryption::unlock(context, permit, password, Arc::clone(sealed)).await
}
