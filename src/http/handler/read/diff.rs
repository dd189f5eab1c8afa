//! `/diff/{id}/{id}` compares two pastes, or the files of them that the query names as `a` and `b`. `/diff` asks a browser
//! which ones.
//!
//! Invariants: a comparison is charged as two reads, and counts as a view of both pastes, after every step that can
//! fail. It shows open texts alone, so it uses up no view of a paste that burns. It takes as much of a core as a page,
//! and waits for its turn among them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, LOCATION};
use actix_web::web;

use super::file::{NamedFile, content_of};
use super::page::RENDER_TIME;
use crate::clock::{Clock, processor_time};
use crate::detection::language_of;
use crate::http::admission::RequestContext;
use crate::http::error::{ApiError, NotComparable};
use crate::http::request::{Coding, Cost, PasteAddress, ResponseFormat, file_in, id_in, query};
use crate::http::response::{NO_STORE, TEXT, page_or_text, respond};
use crate::http::transfer::ResponseReservation;
use crate::overload::Priority;
use crate::page::{self, ComparePage, DiffPage, DiffSide, Site, file_path};
use crate::paste::{Access, Archive, Encoding, Language, Paste, PasteId};
use crate::render::{ComparedText, Rendered, TimeBudget, changed_lines, unified_diff};

/// How long the lines are compared. After that, the diff may be longer than necessary.
const COMPARE_TIME: Duration = Duration::from_millis(100);

/// One of the two pastes, or a file of it.
struct Side {
    id: PasteId,
    /// The id as text, and the file.
    path: String,
    /// The name, or the id if the paste has none.
    name: String,
    paste: Paste,
    file: Option<Box<NamedFile>>,
}

/// Handles `GET` and `HEAD` of `/diff`: the form, or a redirect to the comparison that it names.
pub(crate) async fn choose(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let named = |name| query::value(request.query(), name).map(Option::unwrap_or_default);
    let named = [named("a")?, named("b")?];
    let base_url = context.state.base_url(&request)?;
    let ids = named.each_ref().map(|text| {
        let id = id_in(text, &base_url, request.base_path())?;
        context.state.app.id(id).map(|_| id)
    });
    let [old, new] = ids;
    if let (Some(old), Some(new)) = (old, new) {
        let files = query_of([file_in(&named[0], old), file_in(&named[1], new)]);
        let comparison = format!("{}/diff/{old}/{new}", request.base_path());
        let comparison = [comparison, files]
            .join("?")
            .trim_end_matches(['?', '&'])
            .to_owned();
        return Ok(HttpResponse::SeeOther()
            .insert_header((LOCATION, comparison))
            .insert_header((CACHE_CONTROL, NO_STORE))
            .finish());
    }
    let mut entries = named.iter().zip(ids);
    let page = ComparePage {
        site: request.site,
        old: &named[0],
        new: &named[1],
        is_wrong: entries.any(|(text, id)| !text.trim().is_empty() && id.is_none()),
        base_url: &base_url,
    };
    Ok(page_or_text(&mut HttpResponse::Ok(), request.format, &page))
}

/// Returns the start of a query that names these files.
fn query_of(names: [Option<Cow<'_, str>>; 2]) -> String {
    let named =
        |(key, name): (_, Option<Cow<'_, str>>)| Some(format!("{key}={}&", file_path(&name?)));
    ["a", "b"]
        .into_iter()
        .zip(names)
        .filter_map(named)
        .collect()
}

/// Handles `GET` and `HEAD` of `/diff/{id}/{id}`.
pub(crate) async fn diff(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    context.charges.admit(Cost::Read, None).await?;
    let request = context.request;
    let (old, new) = request.route.param.split_once('/').unwrap_or_default();
    let named = |name| query::value(request.query(), name);
    let [a, b] = [named("a")?, named("b")?];
    let sides = [
        side(context, old, a.as_deref()).await?,
        side(context, new, b.as_deref()).await?,
    ];
    let files = query_of([a, b]);
    let ids = sides.each_ref().map(|side| side.id);
    let bytes: usize = sides.iter().map(|side| side.paste.bytes().len()).sum();
    let reserved = ResponseReservation::new(context, Priority::Render, bytes * 2).await?;
    let permit = reserved.acquire_render().await?;
    let state = Arc::clone(&context.charges.state);
    let is_split = query::has(request.query(), "view", "split")?;
    let is_page = request.format == ResponseFormat::Html;
    let page = is_page.then(|| (Arc::clone(request.site), request.coding()));
    let make = move || {
        let start = processor_time();
        let (diff, is_coarse) = compare(&sides, &state.clock);
        let Some((site, coding)) = page else {
            return (None, diff.into());
        };
        let html = page_of((&diff, is_coarse), &sides, (&files, is_split), &site);
        state.renders.count(processor_time().saturating_sub(start));
        let (coding, bytes) = coding.encode(html.into_bytes());
        (Some(coding), bytes)
    };
    let (coding, body) = reserved.make(permit, make).await?;
    for id in ids {
        context.count_read(id);
    }
    let text = || respond(StatusCode::OK, TEXT, NO_STORE);
    let mut response = coding.map_or_else(text, Coding::page);
    Ok(response.insert_header((CACHE_CONTROL, NO_STORE)).body(body))
}

/// Returns how many lines a change of this text adds and removes. Returns `None` if counting them would take long, or its
/// turn does not come.
pub(crate) async fn count_changes(
    context: &RequestContext<'_>,
    old: Paste,
    new: Vec<u8>,
) -> Option<(usize, usize)> {
    refuse_incomparable([old.bytes(), &new]).ok()?;
    let size = old.bytes().len() + new.len();
    let reserved = ResponseReservation::new(context, Priority::Render, size).await;
    let permit = reserved.ok()?.acquire_render().await.ok()?;
    let count = move || {
        let _permit = permit;
        let new = std::str::from_utf8(&new).ok()?;
        Some(changed_lines(old.text()?, new, COMPARE_TIME))
    };
    web::block(count).await.ok().flatten()
}

/// Checks that these are texts of moderate size, and no files.
///
/// # Errors
/// If one is not.
pub(crate) fn refuse_incomparable(texts: [&[u8]; 2]) -> Result<(), ApiError> {
    if texts.iter().any(|text| Archive::of(text).is_some()) {
        return Err(ApiError::NotComparable(NotComparable::Binary));
    }
    let is_comparable = |text: &&[u8]| ComparedText::is_comparable(text, Encoding::Utf8);
    match texts.iter().all(is_comparable) {
        true => Ok(()),
        false => Err(ApiError::NotComparable(NotComparable::TooLarge)),
    }
}

/// Returns the difference between a stored text and one in the editor, which are [comparable](refuse_incomparable).
pub(crate) fn difference(old: &Paste, new: &str) -> Rendered {
    let [old_text, new] = [("saved", old.text().unwrap_or_default()), ("edited", new)]
        .map(|(name, text)| ComparedText { name, text });
    let diff = unified_diff(old_text, new, COMPARE_TIME);
    let until = processor_time().saturating_add(RENDER_TIME);
    let is_over = || processor_time() >= until;
    Rendered::of_diff(&diff, language_of(old), false, TimeBudget::until(&is_over))
}

/// Returns the paste with this address, or this file of it, if it is an open text of moderate size. This does not count
/// as a view.
async fn side(
    context: &RequestContext<'_>,
    segment: &str,
    name: Option<&str>,
) -> Result<Side, ApiError> {
    let address = PasteAddress::of(segment);
    let id = context.id(address.id)?;
    let stored = context.peek(id).await?;
    let refuse = |reason| Err(ApiError::NotComparable(reason));
    match stored.access() {
        Access::Open if stored.is_sealed() => return refuse(NotComparable::Binary),
        Access::Open => {}
        Access::Link => return refuse(NotComparable::Link),
        Access::Burn(_) | Access::Locked(_) => return refuse(NotComparable::Protected),
    }
    let paste = stored.open().map_err(ApiError::protected)?;
    let archive = || paste.archive().and_then(Result::ok);
    let file = name.map(|name| NamedFile::of(archive(), paste.bytes(), address.id, name));
    let file = file.transpose()?;
    let content = content_of(file.as_deref(), &paste);
    let is_text = content.encoding() == Encoding::Utf8 || content.charset().is_some();
    if !is_text || Archive::of(content.bytes()).is_some() {
        return refuse(NotComparable::Binary);
    }
    if !ComparedText::is_comparable(content.bytes(), content.encoding()) {
        return refuse(NotComparable::TooLarge);
    }
    let path = file
        .as_ref()
        .map_or(address.id, |file| &file.path)
        .to_owned();
    let name = file.as_ref().map(|file| file.name.clone());
    let name = name
        .or_else(|| page::name_of(&paste))
        .unwrap_or_else(|| path.clone());
    Ok(Side {
        id,
        path,
        name,
        paste,
        file,
    })
}

/// Returns the unified diff, and whether the time was too short for the shortest one.
fn compare(sides: &[Side; 2], clock: &Clock) -> (String, bool) {
    let texts = sides
        .each_ref()
        .map(|side| content_of(side.file.as_deref(), &side.paste).decoded());
    let [old, new] = [0, 1].map(|at| ComparedText {
        name: &sides[at].name,
        text: &texts[at],
    });
    let start = clock.elapsed();
    let diff = unified_diff(old, new, COMPARE_TIME);
    (diff, clock.elapsed().saturating_sub(start) >= COMPARE_TIME)
}

/// Returns the page of a comparison. The lines have the colours of the new paste's language.
fn page_of(
    (diff, is_coarse): (&str, bool),
    sides: &[Side; 2],
    (files, is_split): (&str, bool),
    site: &Site,
) -> String {
    let until = processor_time().saturating_add(RENDER_TIME);
    let is_over = || processor_time() >= until;
    let language = match &sides[1].file {
        Some(file) => file.language().unwrap_or(Language::PLAIN),
        None => language_of(&sides[1].paste),
    };
    let budget = TimeBudget::until(&is_over);
    let [old, new] = sides.each_ref().map(|side| DiffSide {
        path: &side.path,
        name: &side.name,
    });
    page::diff(&DiffPage {
        site,
        old,
        new,
        rendered: &Rendered::of_diff(diff, language, is_split, budget),
        files,
        is_equal: diff.is_empty(),
        is_coarse,
    })
}
