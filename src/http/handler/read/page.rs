//! The page of a paste. It is made on a thread for blocking work. The page of an open paste is the same for every
//! reader without its token, so it is cached as it is sent, with an ETag.
//!
//! Invariants:
//!
//! - No page is rendered on a thread that handles requests.
//! - No more pages are rendered at once than there are cores, and clients take turns ([`TurnQueue`]). Each page takes
//!   bytes of the byte budget.
//! - An open page whose turn does not come is shown plain, without an ETag, and is not cached.
//! - A render takes [`RENDER_TIME`] of processor time at most. A page that ran out of time is shown plain, without
//!   an ETag. The next request tries once more, and that page is final.
//! - Lines are marked, and a log is narrowed, on the page that all readers get. So a cached page needs no other render.
//! - A page for the owner or of a protected paste is never cached.
//! - The page of a paste that was removed or changed meanwhile is dropped from the cache.
//!
//! Cost: a cached page takes one look-up. Its bytes are shared. To mark lines, it is decompressed and compressed again.
//!
//! [`TurnQueue`]: crate::overload::TurnQueue

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use actix_web::web::Bytes;

use super::file::NamedFile;
use crate::clock::processor_time;
use crate::fairness::ClientKey;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Coding, Conditions};
use crate::http::response::{
    HTML, NO_STORE, PRIVATE, VARY_ACCEPT_AND_CODING, end_saved, etag_of_page,
};
use crate::http::state::AppState;
use crate::http::transfer::{RenderPermit, ResponseReservation, bytes_body, run_blocking};
use crate::overload::Priority;
use crate::page::{self, Availability, CachedPage, PageKey, PasteHead, PastePage, Site};
use crate::paste::{LineRange, Paste, PasteId};
use crate::render::{RenderKey, Rendered, TimeBudget};

/// Maximum processor time of one render.
pub(super) const RENDER_TIME: Duration = Duration::from_millis(100);

/// A paste to show on a page, and the view that was requested.
pub(super) struct PageInput {
    pub(super) id: PasteId,
    /// The id as text.
    pub(super) text: String,
    /// The absolute address of the page.
    pub(super) url: String,
    /// The file that is shown alone.
    pub(super) file: Option<Box<NamedFile>>,
    pub(super) site: Arc<Site>,
    /// The paste. While the page is made, it is the file that is shown alone.
    pub(super) paste: Paste,
    pub(super) render_key: RenderKey,
    pub(super) lines: Option<LineRange>,
    /// The least level of the events that the page of a log shows.
    pub(super) level: Option<&'static str>,
    /// True if the client sent the owner's cookie. The header `X-Token` does not count here.
    pub(super) may_delete: bool,
    /// The token, if the client has just saved the paste here.
    pub(super) saved: Option<String>,
    /// See [`PastePage::changed`].
    pub(super) changed: Option<(usize, usize)>,
}

impl PageInput {
    /// Returns the path of the file that is shown alone.
    fn path(&self) -> Option<&str> {
        self.file.as_ref().map(|file| &*file.path)
    }

    /// Returns the key of the page. Returns `None` for a page of the owner, or with the token, which is not cached.
    fn key(&self, coding: Coding) -> Option<PageKey<'_>> {
        let is_shared = !self.may_delete && self.saved.is_none();
        is_shared.then(|| PageKey {
            revision: self.paste.revision(),
            deadline: self.paste.deadline(),
            render_key: self.render_key,
            coding,
            url: Cow::Borrowed(&self.url),
        })
    }
}

/// Responds with the page of the paste, or with 304 if the client has it.
pub(super) async fn page(
    context: &RequestContext<'_>,
    input: PageInput,
    conditions: Conditions<'_>,
) -> Result<HttpResponse, ApiError> {
    let (pages, coding) = (&context.state.pages, context.request.coding());
    let key = input.key(coding);
    let kept = key.as_ref().and_then(|key| pages.get(input.id, key));
    let kept = kept.filter(|page| page.is_final);
    if key.is_some() {
        pages.count_request(kept.is_some());
    }
    if let Some(page) = kept.filter(|_| input.lines.is_none() && input.level.is_none()) {
        let etag = etag_of_page(&page);
        return match conditions.is_known(&etag) {
            true => Ok(not_modified(etag)),
            false => {
                let body = bytes_body(context, Priority::Render, page.bytes).await?;
                Ok(page.coding.page().append_header((ETAG, etag)).body(body))
            }
        };
    }
    // Boxed: this future is large, and most pages are cached.
    Box::pin(make(context, PageMaker::new(context, input, coding))).await
}

/// Responds with a page that is not cached, or on which lines are marked or left out.
async fn make(context: &RequestContext<'_>, maker: PageMaker) -> Result<HttpResponse, ApiError> {
    // The bytes are reserved before the page is made. Otherwise a request that is rejected later would use a core, and
    // memory outside the budget.
    let estimate = match &maker.input.file {
        Some(file) => file.place.len().saturating_mul(3),
        None => maker.input.paste.bytes().len().saturating_mul(2),
    };
    let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
    // Without a turn, the page is shown plain rather than refused.
    let permit = reserved.acquire_render().await.ok();
    let (has_turn, saved) = (permit.is_some(), maker.input.saved.clone());
    let make = move || {
        let maker = maker.with_file();
        let page = if has_turn {
            maker.make()
        } else {
            maker.plain()
        };
        let bytes = page.bytes.clone();
        (page, bytes)
    };
    let (page, body) = reserved.make(permit, make).await?;
    let mut response = page.coding.page();
    match page.is_final.then(|| etag_of_page(&page)) {
        Some(etag) if context.request.conditions().is_known(&etag) => {
            return Ok(not_modified(etag));
        }
        Some(etag) => response.append_header((ETAG, etag)),
        None => response.insert_header((CACHE_CONTROL, NO_STORE)),
    };
    let request = &context.request;
    end_saved(
        &mut response,
        request,
        request.address().id,
        saved.as_deref(),
    );
    Ok(response.body(body))
}

/// Makes the response to a client that already has the page with this tag. Its headers replace those that
/// the browser stored. The content type selects the security policy of pages, which allows their script.
fn not_modified(etag: HeaderValue) -> HttpResponse {
    HttpResponse::NotModified()
        .append_header((ETAG, etag))
        .append_header((CACHE_CONTROL, PRIVATE))
        .append_header((CONTENT_TYPE, HTML))
        .append_header((VARY, VARY_ACCEPT_AND_CODING))
        .finish()
}

/// Makes the page of a paste that burns or has a password, for one client and without a cache. Returns `None` if the
/// reads are limited and the page cannot show the whole content, because the rest might be lost then. Returns `None`
/// also for an image that the page cannot show.
pub(super) async fn secret_page(
    context: &RequestContext<'_>,
    permit: RenderPermit,
    input: PageInput,
    left: Option<u8>,
) -> Option<(Coding, Bytes)> {
    let maker = PageMaker {
        availability: Availability::Restricted { reads_left: left },
        ..PageMaker::new(context, input, context.request.coding())
    };
    let make = move || {
        let _permit = permit;
        let rendered = maker.render();
        let page = maker.page(&rendered);
        page.is_sufficient()
            .then(|| maker.encode(page::paste(&page)))
    };
    let page = run_blocking("could not render a page", make).await;
    page.ok().flatten()
}

/// Makes one page of this input, and caches it.
struct PageMaker {
    input: PageInput,
    client: ClientKey,
    coding: Coding,
    availability: Availability,
    state: Arc<AppState>,
}

impl PageMaker {
    fn new(context: &RequestContext<'_>, input: PageInput, coding: Coding) -> Self {
        Self {
            availability: Availability::Open,
            input,
            client: context.charges.client(),
            coding,
            state: Arc::clone(&context.charges.state),
        }
    }

    /// Takes a copy of the file that is shown alone, in place of the whole paste.
    fn with_file(mut self) -> Self {
        if let Some(file) = &self.input.file {
            self.input.paste = file.copy(&self.input.paste);
        }
        self
    }

    fn key(&self) -> Option<PageKey<'_>> {
        self.input.key(self.coding)
    }

    /// Returns the cached page. No lines are marked on it.
    fn cached_final(&self) -> Option<CachedPage> {
        self.last_attempt().filter(|page| page.is_final)
    }

    fn last_attempt(&self) -> Option<CachedPage> {
        self.state.pages.get(self.input.id, &self.key()?)
    }

    /// Makes the page, with the lines marked and of the level that the reader asked for.
    fn make(&self) -> CachedPage {
        // Among clients that request an uncached page at once, one renders it. The others find it cached.
        let page = self.cached_final().unwrap_or_else(|| self.make_whole());
        let PageInput { lines, level, .. } = self.input;
        if lines.is_none() && level.is_none() {
            return page;
        }
        let Ok(mut html) = page.coding.decode(&page.bytes) else {
            return page;
        };
        if let Some(lines) = lines {
            let path = self.input.path().unwrap_or(&self.input.text);
            let raw = format!("{}/raw/{path}", self.input.site.base_path);
            html = page::mark_lines(&html, lines, &raw);
        }
        if let Some(level) = level {
            html = page::narrow(&html, level);
        }
        let (coding, bytes) = self.encode(html);
        CachedPage::new(coding, bytes, page.is_final)
    }

    /// Makes the page, and caches it if every reader may get it.
    fn make_whole(&self) -> CachedPage {
        let is_second = self.last_attempt().is_some();
        let rendered = self.render();
        // Another reader's attempt at the same time may have got further.
        if rendered.may_improve()
            && let Some(page) = self.cached_final()
        {
            return page;
        }
        let (coding, bytes) = self.encode(page::paste(&self.page(&rendered)));
        let Some(key) = self.key() else {
            return CachedPage::new(coding, bytes, false);
        };
        // A second attempt is final. Otherwise a text that always takes too long would be rendered for every reader.
        let is_final = !rendered.may_improve() || is_second;
        let page = CachedPage::new(coding, bytes, is_final);
        self.state
            .pages
            .insert(self.input.id, key, page.clone(), self.client);
        self.remove_if_changed();
        page
    }

    /// Makes a page without a turn: the cached one, or a plain one without compression.
    fn plain(&self) -> CachedPage {
        let kept = self.cached_final().map(|page| CachedPage {
            is_final: false,
            ..page
        });
        kept.unwrap_or_else(|| {
            let rendered = page::render(&self.input.paste, self.input.render_key, None, &|_| None);
            let html = page::paste(&self.page(&rendered));
            CachedPage::new(Coding::Identity, html.into(), false)
        })
    }

    fn render(&self) -> Rendered {
        let start = processor_time();
        let until = start.saturating_add(RENDER_TIME);
        let is_over = || processor_time() >= until;
        let input = &self.input;
        // On the page of a file, relative links lead to the pages of the others.
        let link = |written: &str| {
            let name = page::named(&input.file.as_ref()?.name, written)?;
            let path = page::file_path(&name);
            let fragment = written.find('#').map_or("", |at| &written[at..]);
            Some(
                [
                    &input.site.base_path,
                    "/",
                    &input.text,
                    "?file=",
                    &path,
                    fragment,
                ]
                .concat(),
            )
        };
        let budget = Some(TimeBudget::until(&is_over));
        let rendered = page::render(&input.paste, input.render_key, budget, &link);
        self.state
            .renders
            .count(processor_time().saturating_sub(start));
        rendered
    }

    /// Removes the cached page if its paste was removed or changed before the page was in the cache.
    fn remove_if_changed(&self) {
        let (now, PageInput { id, paste, .. }) = (self.state.now(), &self.input);
        if !self.state.app.store.is_current(now, *id, paste.revision()) {
            self.state.pages.remove(*id);
        }
    }

    /// Returns the page around the render.
    fn page<'a>(&'a self, rendered: &'a Rendered) -> PastePage<'a> {
        let input = &self.input;
        PastePage {
            site: &input.site,
            head: PasteHead {
                id: input.path().unwrap_or(&input.text),
                url: &input.url,
                may_delete: input.may_delete,
                saved: input.saved.as_deref(),
            },
            paste: &input.paste,
            rendered,
            availability: self.availability,
            changed: input.changed,
            file_of: input.file.as_ref().map(|_| &*input.text),
        }
    }

    fn encode(&self, html: String) -> (Coding, Bytes) {
        self.coding.encode(html.into_bytes())
    }
}
