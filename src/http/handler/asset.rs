//! `GET /assets/{name}`: style sheet, script and mark, coded beforehand.
//!
//! What it must not know: what is in them.
//! Invariants: under a name there are only ever the same bytes, so whoever has them need never ask again.
//! Cost: coded once, with the most effort, aside from the start: some 50 ms of a core; then nothing is copied.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::Bytes;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Coding, Request};
use crate::http::response::Effort;
use crate::page::{self, Asset};

/// A file in every coding.
struct Coded {
    asset: &'static Asset,
    brotli: (Coding, Bytes),
    gzip: (Coding, Bytes),
}

static ALL: LazyLock<[Coded; 3]> = LazyLock::new(|| page::assets().map(Coded::of));

/// Codes them all, unless that was done: before a visitor has to wait for it.
pub(crate) fn prepare() {
    LazyLock::force(&ALL);
}

/// Whether there is an asset of the name in this path.
pub(crate) fn exists(request: &Request<'_>) -> bool {
    page::asset(request.route.param).is_some()
}

/// `GET /assets/{name}`.
pub(crate) async fn asset(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    // Assets are not coded before a client asks for one that exists.
    page::asset(request.route.param).ok_or(ApiError::Missing)?;
    let found = ALL
        .iter()
        .find(|coded| coded.asset.name == request.route.param);
    found
        .map(|coded| coded.answer(request.coding()))
        .ok_or(ApiError::Missing)
}

impl Coded {
    fn of(asset: &'static Asset) -> Self {
        let coded = |coding: Coding| {
            let (coding, bytes) = coding.code(asset.bytes.to_vec(), Effort::Static);
            (coding, Bytes::from(bytes))
        };
        Self {
            asset,
            brotli: coded(Coding::Brotli),
            gzip: coded(Coding::Gzip),
        }
    }

    fn answer(&self, coding: Coding) -> HttpResponse {
        let (coding, bytes) = match coding {
            Coding::Brotli => self.brotli.clone(),
            Coding::Gzip => self.gzip.clone(),
            Coding::Identity => (Coding::Identity, Bytes::from_static(self.asset.bytes)),
        };
        let mut answer = HttpResponse::Ok();
        answer
            .insert_header((CONTENT_TYPE, self.asset.content_type))
            .insert_header((
                CACHE_CONTROL,
                HeaderValue::from_static("public, max-age=31536000, immutable"),
            ));
        coding.tell(&mut answer);
        answer.body(bytes)
    }
}
