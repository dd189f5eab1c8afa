//! `GET /`: the editor for a browser, empty or with a copy of a paste in it; the how-to for everybody else; and the
//! editor of a paste for who saved it.
//!
//! What it must not know: what the form looks like.
//! Invariants: to copy a paste is to read it, with the same limits.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use crate::config::Redirect;
use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::error::option_error::OptionError;
use crate::http::handler::read::find;
use crate::http::handler::{static_page, stats};
use crate::http::request::format::ResponseFormat;
use crate::http::request::options::query_pairs;
use crate::http::request::owner::authorize_owner;
use crate::http::response::coding::{Coding, Effort};
use crate::http::response::headers::NO_STORE;
use crate::http::transfer::response_body::{ResponseReservation, content};
use crate::overload::Priority;
use crate::page::{self, EditorMode, EditorPage, Start};
use crate::paste::{Access, ExpiryPolicy, Paste};

pub(crate) async fn home(
    context: &RequestContext<'_>,
    request: &HttpRequest,
) -> Result<HttpResponse, ApiError> {
    if ResponseFormat::of(request.headers()) != ResponseFormat::Html {
        return static_page::help(context.service, request);
    }
    let coding = Coding::of(request.headers());
    let form = Form::new(context);
    let (coding, body) = match original(context, request)? {
        None => {
            let (coding, page) = form.page(EditorMode::New, None, coding);
            (coding, content(context, Priority::Render, page).await?)
        }
        Some(paste) => {
            // Before it is made: a large text takes as long as the page that shows it.
            let estimate = paste.bytes().len().saturating_mul(2);
            let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
            let make = move || form.page(EditorMode::New, start(&paste), coding);
            let acquire_render = reserved.acquire_render().await?;
            reserved.make(acquire_render, make).await?
        }
    };
    Ok(coding.page().body(body))
}

/// `GET /{id}/edit`: a paste in the editor, for who saved it. What is not for every look is not shown here either.
pub(crate) async fn edit(
    context: &RequestContext<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    let kept = context.peek(context.id(text)?)?;
    if let Err(error) = authorize_owner(context, request, kept.token(), None) {
        return stats::ask(request, &format!("/{text}/edit"), error);
    }
    let access = kept.access();
    if access == Access::Link {
        return Err(OptionError::LinkStays.into());
    }
    let paste = kept.open().ok();
    if paste.as_ref().is_some_and(|paste| paste.text().is_none()) {
        return Err(ApiError::NotText);
    }
    let size = paste.as_ref().map_or(0, |paste| paste.bytes().len());
    let reserved =
        ResponseReservation::new(context, Priority::Render, size.saturating_mul(2)).await?;
    let coding = Coding::of(request.headers());
    let (form, id) = (Form::new(context), text.to_owned());
    let make = move || {
        let purpose = EditorMode::Edit { id: &id, access };
        form.page(purpose, paste.as_ref().and_then(start), coding)
    };
    let acquire_render = reserved.acquire_render().await?;
    let (coding, body) = reserved.make(acquire_render, make).await?;
    let mut answer = coding.page();
    answer.insert_header((CACHE_CONTROL, NO_STORE));
    Ok(answer.body(body))
}

/// What the form says about the limits.
struct Form {
    links: bool,
    max_size: String,
    max_bytes: usize,
    expiry_policy: ExpiryPolicy,
}

impl Form {
    fn new(context: &RequestContext<'_>) -> Self {
        let limits = context.service.limits;
        Self {
            links: context.service.redirect != Redirect::Off,
            max_size: context.service.max_size(),
            max_bytes: limits.max_paste_size,
            expiry_policy: limits.expiry_policy,
        }
    }

    fn page(
        &self,
        purpose: EditorMode<'_>,
        start: Option<Start<'_>>,
        coding: Coding,
    ) -> (Coding, Bytes) {
        let page = page::editor(&EditorPage {
            max_size: &self.max_size,
            max_bytes: self.max_bytes,
            default_expiry: self.expiry_policy.default_expiry(),
            longest_expiry: self.expiry_policy.longest(),
            start,
            purpose,
            links: self.links,
        });
        let (coding, body) = coding.code(page.into_bytes(), Effort::Dynamic);
        (coding, Bytes::from(body))
    }
}

/// The paste that the query names, if it names one. Other names in it are nobody's.
fn original(
    context: &RequestContext<'_>,
    request: &HttpRequest,
) -> Result<Option<Paste>, ApiError> {
    if request.query_string().is_empty() {
        return Ok(None);
    }
    let named = query_pairs(request.query_string())?.find(|(name, _)| name == "from");
    let Some((_, id)) = named else {
        return Ok(None);
    };
    // The route is not one that looks up, so nobody has asked yet whether this client may.
    context.recheck_miss_limit()?;
    let id = context.id(&id)?;
    let paste = find(context, request, id)?;
    match paste.text() {
        Some(_) => Ok(Some(paste)),
        None => Err(ApiError::NotText),
    }
}

fn start(paste: &Paste) -> Option<Start<'_>> {
    Some(Start {
        text: paste.text()?,
        title: paste.title().map_or("", |title| title.as_str()),
        language: paste.language(),
    })
}
