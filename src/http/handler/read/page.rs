//! The page of a paste. Its slow part is rendered on a thread for blocking work and cached. The rest is assembled
//! around it for each request.
//!
//! Invariants:
//!
//! - No page is rendered on a thread that handles requests.
//! - No more pages are rendered at once than there are cores. Each takes bytes of the byte budget.
//! - A render takes [`RENDER_TIME`] of processor time at most. An incomplete render is tried once more.
//! - The render of a paste that was removed or changed meanwhile is dropped from the cache.
//!
//! Cost: a cached page is copied once. If it was requested in the same content coding before, the cache holds it
//! compressed.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::{self, Bytes};

use crate::clock::{Clock, processor_time};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::Coding;
use crate::http::response::{Effort, PasteTimes};
use crate::http::state::AppState;
use crate::http::transfer::{RenderPermit, ResponseReservation, bytes_body};
use crate::overload::Priority;
use crate::page::{self, Availability, PastePage};
use crate::paste::{LineRange, Paste, PasteId};
use crate::render::{PageCache, RenderKey, Rendered, TimeBudget};
use crate::store::Store;

/// Maximum processor time of one render.
const RENDER_TIME: Duration = Duration::from_millis(100);

/// The smallest page, in bytes, that is also assembled and compressed on a thread for blocking work.
const LARGE: usize = 64 * 1024;

/// A paste to show on a page, and the view that was requested.
pub(super) struct PageInput {
    pub(super) id: PasteId,
    /// The id as text.
    pub(super) text: String,
    /// The paste's absolute address.
    pub(super) url: String,
    pub(super) paste: Paste,
    pub(super) render_key: RenderKey,
    pub(super) highlighted: Option<LineRange>,
    /// True if the client has the token of the paste.
    pub(super) may_delete: bool,
}

/// Responds with the page of the paste.
pub(super) async fn page(
    context: &RequestContext<'_>,
    input: PageInput,
) -> Result<HttpResponse, ApiError> {
    let frame = Frame::new(context.state, input, context.request.coding());
    if let Some((coding, bytes)) = frame.small_cached_page() {
        let body = bytes_body(context, Priority::Render, bytes).await?;
        return Ok(coding.page().body(body));
    }
    // The bytes are reserved before the page is made. Otherwise a request that is rejected later would use a core, and
    // memory outside the budget.
    let estimate = frame.input.paste.bytes().len().saturating_mul(2);
    let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
    let permit = reserved.acquire_render().await?;
    // Among clients that request an uncached page at once, one renders it. The others find it cached and release their
    // permit.
    let (coding, body) = match frame.small_cached_page() {
        Some((coding, bytes)) => {
            drop(permit);
            (coding, reserved.fill(bytes).await?)
        }
        None => reserved.make(permit, move || frame.build()).await?,
    };
    Ok(coding.page().body(body))
}

/// Makes the page of a paste that burns or has a password, for one client and without a cache. Returns `None` if the
/// reads are limited and the page cannot show the whole content. The rest might be lost then.
pub(super) async fn secret_page(
    context: &RequestContext<'_>,
    permit: RenderPermit,
    input: PageInput,
    left: Option<u8>,
) -> Option<(Coding, Bytes)> {
    let coding = context.request.coding();
    let frame = Frame {
        availability: Availability::Restricted { reads_left: left },
        ..Frame::new(context.state, input, coding)
    };
    let make = move || {
        let _permit = permit;
        let rendered = Arc::new(render(&frame.input.paste, frame.input.render_key));
        let shows_all = left.is_none() || rendered.shows_all();
        shows_all.then(|| frame.assemble(&rendered))
    };
    let page = web::block(make).await;
    page.inspect_err(|error| tracing::error!(%error, "could not render a page"))
        .ok()
        .flatten()
}

fn render(paste: &Paste, render_key: RenderKey) -> Rendered {
    let until = processor_time().saturating_add(RENDER_TIME);
    let is_over = || processor_time() >= until;
    Rendered::new(paste, render_key, TimeBudget::until(&is_over))
}

/// The input of one page: the paste, its times, and the cache of rendered pages.
struct Frame {
    input: PageInput,
    times: PasteTimes,
    coding: Coding,
    pages: Arc<PageCache>,
    store: Arc<Store>,
    clock: Clock,
    availability: Availability,
}

impl Frame {
    fn new(state: &AppState, input: PageInput, coding: Coding) -> Self {
        let paste = &input.paste;
        Self {
            times: PasteTimes::of(state, paste.saved(), paste.deadline()),
            availability: Availability::Open,
            input,
            coding,
            pages: Arc::clone(&state.pages),
            store: Arc::clone(state.app.store()),
            clock: state.clock.clone(),
        }
    }

    /// Returns the page if it is cached and small enough to be assembled on this thread.
    fn small_cached_page(&self) -> Option<(Coding, Bytes)> {
        let rendered = self.cached()?;
        (rendered.size() < LARGE).then(|| self.assemble(&rendered))
    }

    /// Makes the page, even if that takes long.
    fn build(&self) -> (Coding, Bytes) {
        self.assemble(&self.cached().unwrap_or_else(|| self.render_and_cache()))
    }

    fn cached(&self) -> Option<Arc<Rendered>> {
        let cached = self.pages.get(self.input.id, self.input.render_key);
        // Right after an update, the cache may still hold the previous content.
        cached.filter(|rendered| rendered.same_revision(&self.input.paste))
    }

    /// Renders the slow part and caches it.
    fn render_and_cache(&self) -> Arc<Rendered> {
        let PageInput {
            paste, render_key, ..
        } = &self.input;
        let first = render(paste, *render_key);
        // The first attempt may have spent its time on one-time preparations, which are done now. A second incomplete
        // render is cached, because another attempt would not get further.
        let rendered = match first.is_complete() {
            true => Arc::new(first),
            false => Arc::new(render(paste, *render_key)),
        };
        self.cache(&rendered);
        rendered
    }

    /// Caches the render. To be called again when the render uses more memory.
    fn cache(&self, rendered: &Arc<Rendered>) {
        let PageInput { id, render_key, .. } = self.input;
        self.pages.insert(id, render_key, rendered);
        // The paste may have been removed or changed before the render was in the cache.
        let now = self.clock.timestamp();
        let there = self.store.peek(now, id);
        if !there.is_ok_and(|cached| cached.is_still(&self.input.paste)) {
            self.pages.remove(id);
        }
    }

    /// Assembles the page around the render. Returns the page and its content coding.
    fn assemble(&self, rendered: &Arc<Rendered>) -> (Coding, Bytes) {
        let input = &self.input;
        let page = PastePage {
            id: &input.text,
            url: &input.url,
            paste: &input.paste,
            rendered,
            age: self.times.age,
            expires_in: self.times.expires_in,
            expires_at: self.times.expires_at,
            highlighted: input.highlighted,
            may_delete: input.may_delete,
            availability: self.availability,
        };
        let (coding, body) = self.compressed(&page, rendered).unwrap_or_else(|| {
            self.coding
                .encode(page::paste(&page).into_bytes(), Effort::Dynamic)
        });
        (coding, Bytes::from(body))
    }

    /// Assembles the page from compressed parts, which are cached with the render. Returns `None` if the page is not to
    /// be compressed.
    fn compressed(
        &self,
        page: &PastePage<'_>,
        rendered: &Arc<Rendered>,
    ) -> Option<(Coding, Vec<u8>)> {
        let before = rendered.memory_size();
        let body = page::compressed_paste(page, self.coding.format()?)?;
        if rendered.memory_size() > before {
            self.cache(rendered);
        }
        Some((self.coding, body))
    }
}
