//! `GET /`: the editor for a browser, empty or with a copy of a paste in it; the how-to for everybody else.
//!
//! What it must not know: what the form looks like.
//! Invariants: to copy a paste is to read it, with the same limits.

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use super::answer::content;
use super::asker::Asker;
use super::coding::{Coding, Effort};
use super::negotiation::Wants;
use super::options::query_pairs;
use super::pages;
use super::problem::Problem;
use super::read::find;
use crate::limit::Class;
use crate::paste::Paste;
use crate::view::{self, EditorPage, Start};

pub(crate) async fn home(
    asker: &Asker<'_>,
    request: &HttpRequest,
) -> Result<HttpResponse, Problem> {
    if Wants::of(request.headers()) != Wants::Html {
        return pages::help(asker.service, request);
    }
    let original = original(asker, request)?;
    let start = match &original {
        Some(paste) => Some(start(paste)?),
        None => None,
    };
    let lifetimes = asker.service.limits.lifetimes;
    let page = view::editor(&EditorPage {
        max_size: &asker.service.max_size(),
        max_bytes: asker.service.limits.max_paste_size,
        default_lifetime: lifetimes.default_lifetime(),
        longest_lifetime: lifetimes.longest(),
        start,
    });
    let (coding, body) = Coding::of(request.headers()).code(page.into_bytes(), Effort::Once);
    let body = content(asker, Class::Render, Bytes::from(body)).await?;
    Ok(coding.page().body(body))
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
    Ok(Some(find(asker, request, id)?))
}

fn start(paste: &Paste) -> Result<Start<'_>, Problem> {
    Ok(Start {
        text: paste.text().ok_or(Problem::NotText)?,
        title: paste.title().map_or("", |title| title.as_str()),
        language: paste.language(),
    })
}
