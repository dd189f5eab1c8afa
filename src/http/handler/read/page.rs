//! The page of a paste: what costs time is rendered aside and kept, the rest put around it for each reader.
//!
//! What it must not know: how a page is made.
//! Invariants: no page is rendered on a thread that answers requests, nor more at once than there are cores, nor one
//! that is not counted as under way; a rendering takes [`RENDER_TIME`] of a processor at most, and is tried twice; what
//! was rendered of a paste that went meanwhile is forgotten.
//! Cost: a page that was rendered before takes a copy of it; in a coding that somebody asked for before, a copy of what
//! was coded then.

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

/// What a document may take of a processor.
const RENDER_TIME: Duration = Duration::from_millis(100);

/// A page of at least this size is put together and coded aside, too.
const LARGE: usize = 64 * 1024;

/// A paste for a reader.
pub(super) struct Reading {
    pub(super) id: PasteId,
    /// The id as it was written.
    pub(super) text: String,
    /// The paste's absolute address.
    pub(super) url: String,
    pub(super) paste: Paste,
    pub(super) shape: RenderKey,
    pub(super) highlighted: Option<LineRange>,
    /// Whether the reader has its token.
    pub(super) may_delete: bool,
}

/// The page.
pub(super) async fn page(
    context: &RequestContext<'_>,
    reading: Reading,
) -> Result<HttpResponse, ApiError> {
    let frame = Frame::new(context.state, reading, context.request.coding());
    if let Some((coding, bytes)) = frame.at_hand() {
        let body = bytes_body(context, Priority::Render, bytes).await?;
        return Ok(coding.page().body(body));
    }
    // Before it is made: what is made in vain costs a core, and memory that nobody counts.
    let estimate = frame.reading.paste.bytes().len().saturating_mul(2);
    let reserved = ResponseReservation::new(context, Priority::Render, estimate).await?;
    let permit = reserved.acquire_render().await?;
    // Of many who came at once for a page that nobody had seen, one renders it: the others let go at once.
    let (coding, body) = match frame.at_hand() {
        Some((coding, bytes)) => {
            drop(permit);
            (coding, reserved.fill(bytes).await?)
        }
        None => reserved.make(permit, move || frame.made()).await?,
    };
    Ok(coding.page().body(body))
}

/// The page of what was revealed to one reader: rendered for them alone and kept nowhere. None if a page cannot show all
/// of it, though the reader will not see it again.
pub(super) async fn secret_page(
    context: &RequestContext<'_>,
    permit: RenderPermit,
    reading: Reading,
    left: Option<u8>,
) -> Option<(Coding, Bytes)> {
    let coding = context.request.coding();
    let frame = Frame {
        availability: Availability::Restricted { reads_left: left },
        ..Frame::new(context.state, reading, coding)
    };
    let make = move || {
        let _turn = permit;
        let rendered = Arc::new(render(&frame.reading.paste, frame.reading.shape));
        let shows_all = left.is_none() || rendered.shows_all();
        shows_all.then(|| frame.around(&rendered))
    };
    let made = web::block(make).await;
    made.inspect_err(|error| tracing::error!(%error, "a page could not be made"))
        .ok()
        .flatten()
}

fn render(paste: &Paste, shape: RenderKey) -> Rendered {
    let until = processor_time().saturating_add(RENDER_TIME);
    let is_used_up = || processor_time() >= until;
    Rendered::new(paste, shape, TimeBudget::until(&is_used_up))
}

/// What is true of a paste for one reader at one moment, and where its page is kept.
struct Frame {
    reading: Reading,
    span: PasteTimes,
    coding: Coding,
    pages: Arc<PageCache>,
    store: Arc<Store>,
    clock: Clock,
    availability: Availability,
}

impl Frame {
    fn new(state: &AppState, reading: Reading, coding: Coding) -> Self {
        let paste = &reading.paste;
        Self {
            span: PasteTimes::of(state, paste.saved(), paste.deadline()),
            availability: Availability::Open,
            reading,
            coding,
            pages: Arc::clone(&state.pages),
            store: Arc::clone(state.app.store()),
            clock: state.clock.clone(),
        }
    }

    /// The page, if it takes next to no time.
    fn at_hand(&self) -> Option<(Coding, Bytes)> {
        let rendered = self.kept()?;
        (rendered.size() < LARGE).then(|| self.around(&rendered))
    }

    /// The page, however long it takes.
    fn made(&self) -> (Coding, Bytes) {
        self.around(&self.kept().unwrap_or_else(|| self.rendered()))
    }

    fn kept(&self) -> Option<Arc<Rendered>> {
        let kept = self.pages.get(self.reading.id, self.reading.shape);
        // Between a change and the moment that it is told of, what is kept is of the content before.
        kept.filter(|rendered| rendered.same_revision(&self.reading.paste))
    }

    /// What costs time, made now and kept.
    fn rendered(&self) -> Arc<Rendered> {
        let Reading { paste, shape, .. } = &self.reading;
        let first = render(paste, *shape);
        // The time may have gone into what is prepared once, and is there now. What still takes too long is kept as it
        // is: it would take as long for every reader.
        let rendered = match first.is_complete() {
            true => Arc::new(first),
            false => Arc::new(render(paste, *shape)),
        };
        self.keep(&rendered);
        rendered
    }

    /// Keeps it, or keeps it again when it has grown.
    fn keep(&self, rendered: &Arc<Rendered>) {
        let Reading { id, shape, .. } = self.reading;
        self.pages.insert(id, shape, rendered);
        // It may have gone, or changed, before there was something to forget.
        let now = self.clock.timestamp();
        let there = self.store.peek(now, id);
        if !there.is_ok_and(|kept| kept.is_still(&self.reading.paste)) {
            self.pages.remove(id);
        }
    }

    /// The page around what was rendered, and how it is coded.
    fn around(&self, rendered: &Arc<Rendered>) -> (Coding, Bytes) {
        let reading = &self.reading;
        let page = PastePage {
            id: &reading.text,
            url: &reading.url,
            paste: &reading.paste,
            rendered,
            age: self.span.age,
            expires_in: self.span.expires_in,
            expires_at: self.span.expires_at,
            highlighted: reading.highlighted,
            may_delete: reading.may_delete,
            availability: self.availability,
        };
        let (coding, body) = self.coded(&page, rendered).unwrap_or_else(|| {
            self.coding
                .code(page::paste(&page).into_bytes(), Effort::Dynamic)
        });
        (coding, Bytes::from(body))
    }

    /// The page put together of coded parts, which are kept with what was rendered.
    fn coded(&self, page: &PastePage<'_>, rendered: &Arc<Rendered>) -> Option<(Coding, Vec<u8>)> {
        let before = rendered.memory_size();
        let body = page::compressed_paste(page, self.coding.format()?)?;
        if rendered.memory_size() > before {
            self.keep(rendered);
        }
        Some((self.coding, body))
    }
}
