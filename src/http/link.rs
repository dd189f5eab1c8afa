//! Short links: saving where one leads, leading there, and showing where it would lead.
//!
//! What it must not know: what an address may look like ([`LinkTarget`] decides).
//! Invariants: a link leads to `http` and `https` alone and never back here, so links cannot lead in a circle: where one
//! leads is fixed before it has an address of its own, and never changes; only a GET of its own address is a click.

use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use actix_web::{HttpRequest, HttpResponse};

use super::asker::Asker;
use super::headers::{HTML, NO_STORE, TEXT};
use super::host;
use super::lifespan::Lifespan;
use super::negotiation::Wants;
use super::option_error::OptionError;
use super::options::Options;
use super::owner::has_cookie;
use super::problem::Problem;
use super::read::Address;
use crate::config::Redirect;
use crate::page::{self, LinkPage};
use crate::paste::{Access, Content, Draft, Language, LinkTarget, PasteId, StoredPaste};

/// What is to be kept of an address that somebody sent.
pub(crate) fn draft(
    asker: &Asker<'_>,
    request: &HttpRequest,
    address: &[u8],
    options: &Options,
) -> Result<(Draft, Access), Problem> {
    let service = asker.service;
    if service.redirect == Redirect::Off {
        return Err(Problem::NoLinks);
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
        content: content.map_err(|_| Problem::Empty)?,
        title: options.title(),
        language: Language::PLAIN,
        expiry: options.expiry(service.limits.expiry_policy),
    };
    Ok((draft, Access::Link))
}

/// `GET` and `HEAD` of `/{id}`, if that is a link.
pub(crate) fn follow(
    asker: &Asker<'_>,
    request: &HttpRequest,
    address: &Address<'_>,
    kept: StoredPaste,
) -> Result<HttpResponse, Problem> {
    count_click(asker, request, address.id, &kept)?;
    match asker.service.redirect {
        Redirect::Preview => page(asker, request, address.text, kept),
        Redirect::Direct | Redirect::Off => {
            let link = kept.open().map_err(Problem::closed)?;
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
    asker: &Asker<'_>,
    request: &HttpRequest,
    id: PasteId,
    seen: &StoredPaste,
) -> Result<(), Problem> {
    if request.method() != Method::HEAD {
        let service = asker.service;
        service.store.read(service.now(), id, seen)?;
    }
    Ok(())
}

/// `GET` and `HEAD` of `/{id}+`: where it leads, without going there.
pub(crate) fn preview(
    asker: &Asker<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, Problem> {
    let id = asker.id(text)?;
    let kept = asker.peek(id)?;
    match kept.access() {
        Access::Link => page(asker, request, text, kept),
        Access::Open | Access::Burn(_) | Access::Locked(_) => Err(Problem::NotALink),
    }
}

fn page(
    asker: &Asker<'_>,
    request: &HttpRequest,
    id: &str,
    kept: StoredPaste,
) -> Result<HttpResponse, Problem> {
    let service = asker.service;
    let span = Lifespan::of(service, kept.saved(), kept.deadline());
    let may_delete = has_cookie(request, kept.token());
    let link = kept.open().map_err(Problem::closed)?;
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
    Ok(match Wants::of(request.headers()) {
        Wants::Html => answer
            .insert_header((CONTENT_TYPE, HTML))
            .body(page::link(&page)),
        Wants::Json | Wants::Text => answer
            .insert_header((CONTENT_TYPE, TEXT))
            .body(page::link_text(&page)),
    })
}
