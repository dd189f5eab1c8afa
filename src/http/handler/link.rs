//! Short links: saving where one leads, leading there, and showing where it would lead.
//!
//! What it must not know: what an address may look like ([`LinkTarget`] decides).
//! Invariants: a link leads to `http` and `https` alone and never back here, so links cannot lead in a circle: where one
//! leads is fixed before it has an address of its own, and never changes; only a GET of its own address is a click.

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use actix_web::{HttpRequest, HttpResponse};

use crate::config::Redirect;
use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::error::option_error::OptionError;
use crate::http::handler::read::Address;
use crate::http::request::format::ResponseFormat;
use crate::http::request::host;
use crate::http::request::options::Options;
use crate::http::request::owner::has_cookie;
use crate::http::response::headers::{HTML, NO_STORE, TEXT};
use crate::http::response::paste_times::PasteTimes;
use crate::page::{self, LinkPage};
use crate::paste::{Access, Content, Draft, Language, LinkTarget, PasteId, StoredPaste};

/// What is to be kept of an address that somebody sent.
pub(crate) fn draft(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &[u8],
    options: &Options,
) -> Result<(Draft, Access), ApiError> {
    let service = context.service;
    if service.redirect == Redirect::Off {
        return Err(ApiError::NoLinks);
    }
    options.refuse_secrecy()?;
    let text = std::str::from_utf8(address).unwrap_or_default();
    let target = LinkTarget::parse(text).map_err(OptionError::LinkTarget)?;
    let public = service.base_url(request)?;
    let public = public.split_once("://").map_or(&*public, |(_, host)| host);
    if target.leads_to(public) || target.leads_to(&host::of(request)?) {
        return Err(OptionError::LeadsHere.into());
    }
    let content = Content::new(target.as_str().as_bytes(), LinkTarget::MAX_BYTES);
    let draft = Draft {
        content: content.map_err(|_| ApiError::Empty)?,
        title: options.title(),
        language: Language::PLAIN,
        expiry: options.expiry(service.limits.expiry_policy),
    };
    Ok((draft, Access::Link))
}

/// `GET` and `HEAD` of `/{id}`, if that is a link.
pub(crate) fn follow(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    count_click(context, request, address.id, &kept)?;
    match context.service.redirect {
        Redirect::Preview => page(context, request, address.text, kept),
        Redirect::Direct | Redirect::Off => {
            let link = kept.open().map_err(ApiError::closed)?;
            let target = link.text().unwrap_or_default();
            Ok(HttpResponse::Found()
                .insert_header((LOCATION, target))
                .insert_header((CACHE_CONTROL, NO_STORE))
                .insert_header((CONTENT_TYPE, TEXT))
                .body(format!("{target}\n")))
        }
    }
}

/// Counts whoever came to be led on; where they are shown the way first, that they came is all that is known.
fn count_click(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    id: PasteId,
    seen: &StoredPaste,
) -> Result<(), ApiError> {
    if request.method() != Method::HEAD {
        let service = context.service;
        service.store.read(service.now(), id, seen)?;
    }
    Ok(())
}

/// `GET` and `HEAD` of `/{id}+`: where it leads, without going there.
pub(crate) fn preview(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    let id = context.id(text)?;
    let kept = context.peek(id)?;
    match kept.access() {
        Access::Link => page(context, request, text, kept),
        Access::Open | Access::Burn(_) | Access::Locked(_) => Err(ApiError::NotALink),
    }
}

fn page(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    id: &str,
    kept: StoredPaste,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let span = PasteTimes::of(service, kept.saved(), kept.deadline());
    let may_delete = has_cookie(request, kept.token());
    let link = kept.open().map_err(ApiError::closed)?;
    let page = LinkPage {
        id,
        url: &format!("{}/{id}", service.base_url(request)?),
        target: link.text().unwrap_or_default(),
        title: link.title().map(|title| title.as_str()),
        age: span.age,
        clicks: link.reads(),
        expires_in: span.expires_in,
        expires_at: span.expires_at,
        may_delete,
    };
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(match ResponseFormat::of(request.headers()) {
        ResponseFormat::Html => answer
            .insert_header((CONTENT_TYPE, HTML))
            .body(page::link(&page)),
        ResponseFormat::Json | ResponseFormat::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body(page::link_text(&page)),
    })
}
