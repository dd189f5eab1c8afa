//! `GET /`: the editor for a browser, empty or with a copy of a paste in it; the how-to for everybody else; and the
//! editor of a paste for who saved it.
//!
//! What it must not know: what the form looks like.
//! Invariants: to copy a paste is to read it, with the same limits.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use super::answer::{Reserved, content};
use super::asker::Asker;
use super::coding::{Coding, Effort};
use super::headers::NO_STORE;
use super::negotiation::Wants;
use super::option_error::OptionError;
use super::options::query_pairs;
use super::owner::is_owner;
use super::problem::Problem;
use super::read::find;
use super::{pages, stats};
use crate::config::Redirect;
use crate::overload::Priority;
use crate::page::{self, EditorMode, EditorPage, Start};
use crate::paste::{Access, ExpiryPolicy, Paste};

pub(crate) async fn home(
    asker: &Asker<'_>,
    request: &HttpRequest,
) -> Result<HttpResponse, Problem> {
    if Wants::of(request.headers()) != Wants::Html {
        return pages::help(asker.service, request);
    }
    let coding = Coding::of(request.headers());
    let form = Form::new(asker);
    let (coding, body) = match original(asker, request)? {
        None => {
            let (coding, page) = form.page(EditorMode::New, None, coding);
            (coding, content(asker, Priority::Render, page).await?)
        }
        Some(paste) => {
            // Before it is made: a large text takes as long as the page that shows it.
            let estimate = paste.bytes().len().saturating_mul(2);
            let reserved = Reserved::new(asker, Priority::Render, estimate).await?;
            let make = move || form.page(EditorMode::New, start(&paste), coding);
            let leave = reserved.leave().await?;
            reserved.make(leave, make).await?
        }
    };
    Ok(coding.page().body(body))
}

/// `GET /{id}/edit`: a paste in the editor, for who saved it. What is not for every look is not shown here either.
pub(crate) async fn edit(
    asker: &Asker<'_>,
    request: &HttpRequest,
    text: &str,
) -> Result<HttpResponse, Problem> {
    let kept = asker.peek(asker.id(text)?)?;
    if let Err(problem) = is_owner(asker, request, kept.token(), None) {
        return stats::ask(request, &format!("/{text}/edit"), problem);
    }
    let access = kept.access();
    if access == Access::Link {
        return Err(OptionError::LinkStays.into());
    }
    let paste = kept.open().ok();
    if paste.as_ref().is_some_and(|paste| paste.text().is_none()) {
        return Err(Problem::NotText);
    }
    let size = paste.as_ref().map_or(0, |paste| paste.bytes().len());
    let reserved = Reserved::new(asker, Priority::Render, size.saturating_mul(2)).await?;
    let coding = Coding::of(request.headers());
    let (form, id) = (Form::new(asker), text.to_owned());
    let make = move || {
        let purpose = EditorMode::Edit { id: &id, access };
        form.page(purpose, paste.as_ref().and_then(start), coding)
    };
    let leave = reserved.leave().await?;
    let (coding, body) = reserved.make(leave, make).await?;
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
    fn new(asker: &Asker<'_>) -> Self {
        let limits = asker.service.limits;
        Self {
            links: asker.service.redirect != Redirect::Off,
            max_size: asker.service.max_size(),
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
        let (coding, body) = coding.code(page.into_bytes(), Effort::Once);
        (coding, Bytes::from(body))
    }
}

/// The paste that the query names, if it names one. Other names in it are nobody's.
fn original(asker: &Asker<'_>, request: &HttpRequest) -> Result<Option<Paste>, Problem> {
    if request.query_string().is_empty() {
        return Ok(None);
    }
    let named = query_pairs(request.query_string())?.find(|(name, _)| name == "from");
    let Some((_, id)) = named else {
        return Ok(None);
    };
    // The route is not one that looks up, so nobody has asked yet whether this client may.
    asker.look_again()?;
    let id = asker.id(&id)?;
    let paste = find(asker, request, id)?;
    match paste.text() {
        Some(_) => Ok(Some(paste)),
        None => Err(Problem::NotText),
    }
}

fn start(paste: &Paste) -> Option<Start<'_>> {
    Some(Start {
        text: paste.text()?,
        title: paste.title().map_or("", |title| title.as_str()),
        language: paste.language(),
    })
}
