//! The page of a paste: what costs time is rendered aside and kept, the rest put around it for each reader.
//!
//! What it must not know: how a page is made.
//! Invariants: no page is rendered on a thread that answers requests, nor more at once than there are cores, nor one
//! that is not counted as under way; a rendering takes [`RENDER_TIME`] of a processor at most, and is tried twice; what
//! was rendered of a paste that went meanwhile is forgotten.
//! Cost: a page that was rendered before takes a copy of it.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};

use super::answer::{Reserved, content};
use super::asker::Asker;
use super::coding::{Coding, Effort};
use super::problem::Problem;
use super::service::Service;
use crate::clock::processor_time;
use crate::limit::Class;
use crate::paste::{LineRange, Moment, Paste, PasteId};
use crate::view::{self, Allowance, PageCache, PastePage, Rendered, Shape};

/// What a document may take of a processor.
const RENDER_TIME: Duration = Duration::from_millis(100);

/// A page of at least this size is put together aside, too.
const LARGE: usize = 64 * 1024;

/// A paste for a reader.
pub(crate) struct Reading {
    pub(crate) id: PasteId,
    /// The id as it was written.
    pub(crate) text: String,
    /// The paste's absolute address.
    pub(crate) url: String,
    pub(crate) paste: Paste,
    pub(crate) shape: Shape,
    pub(crate) marked: Option<LineRange>,
    /// Whether the reader has its token.
    pub(crate) may_delete: bool,
}

/// The page.
pub(crate) async fn page(
    asker: &Asker<'_>,
    request: &HttpRequest,
    reading: Reading,
) -> Result<HttpResponse, Problem> {
    let service = asker.service;
    let (id, shape) = (reading.id, reading.shape);
    let coding = Coding::of(request.headers());
    let kept = service.pages.find(id, shape);
    if let Some(kept) = &kept
        && kept.size() < LARGE
    {
        let (coding, body) = Frame::new(service, reading).around(kept, coding);
        let body = content(asker, Class::Render, body).await?;
        return Ok(coding.page().body(body));
    }
    // Before it is made: what is made in vain costs a core, and memory that nobody counts.
    let estimate = reading.paste.bytes().len().saturating_mul(2);
    let reserved = Reserved::new(asker, Class::Render, estimate).await?;
    let leave = reserved.leave().await?;
    // Of many who came at once for a page that nobody had seen, one renders it: the others let go at once.
    let kept = kept.or_else(|| service.pages.find(id, shape));
    if let Some(kept) = &kept
        && kept.size() < LARGE
    {
        drop(leave);
        let (coding, body) = Frame::new(service, reading).around(kept, coding);
        return Ok(coding.page().body(reserved.fill(body).await?));
    }
    let (pages, store) = (Arc::clone(&service.pages), Arc::clone(&service.store));
    let clock = service.clock.clone();
    let frame = Frame::new(service, reading);
    let make = move || {
        let rendered = kept.unwrap_or_else(|| rendered(&pages, &frame.reading));
        // It may have gone before there was something to forget.
        let now = Moment::since_start(clock.elapsed());
        if store.peek(now, id).is_err() {
            pages.forget(id);
        }
        frame.around(&rendered, coding)
    };
    let (coding, body) = reserved.make(leave, make).await?;
    Ok(coding.page().body(body))
}

/// What costs time: made now and kept, unless somebody else did so while this one waited for a core.
fn rendered(pages: &PageCache, reading: &Reading) -> Arc<Rendered> {
    let (id, shape) = (reading.id, reading.shape);
    pages.find(id, shape).unwrap_or_else(|| {
        let first = render(&reading.paste, shape);
        // The time may have gone into what is prepared once, and is there now. What still takes too long is kept as it
        // is: it would take as long for every reader.
        let rendered = match first.is_complete() {
            true => Arc::new(first),
            false => Arc::new(render(&reading.paste, shape)),
        };
        pages.keep(id, shape, &rendered);
        rendered
    })
}

fn render(paste: &Paste, shape: Shape) -> Rendered {
    let until = processor_time().saturating_add(RENDER_TIME);
    let is_used_up = || processor_time() >= until;
    Rendered::new(paste, shape, Allowance::until(&is_used_up))
}

/// What is true of a paste for one reader at one moment.
struct Frame {
    reading: Reading,
    age: Duration,
    expires_in: Option<Duration>,
    expires_at: Option<u64>,
}

impl Frame {
    fn new(service: &Service, reading: Reading) -> Self {
        let now = service.now();
        let deadline = reading.paste.deadline().moment();
        Self {
            age: now.since(reading.paste.saved()),
            expires_in: deadline.map(|deadline| deadline.since(now)),
            expires_at: deadline.map(|deadline| service.epoch_millis(deadline)),
            reading,
        }
    }

    /// The page around what was rendered, and how it is coded.
    fn around(&self, rendered: &Rendered, coding: Coding) -> (Coding, Bytes) {
        let reading = &self.reading;
        let page = view::paste(&PastePage {
            id: &reading.text,
            url: &reading.url,
            paste: &reading.paste,
            rendered,
            age: self.age,
            expires_in: self.expires_in,
            expires_at: self.expires_at,
            marked: reading.marked,
            may_delete: reading.may_delete,
        });
        let (coding, body) = coding.code(page.into_bytes(), Effort::Once);
        (coding, Bytes::from(body))
    }
}
