//! `GET /assets/{name}`: style sheet, script and logo, compressed.
//!
//! Invariants: a name always has the same bytes, so a client that has the bytes does not request them again.
//! Cost: the first request for a file in a coding compresses it at the highest quality. All files in all codings together
//! take about 50 ms. All other responses copy nothing.

use std::sync::{LazyLock, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use actix_web::web::Bytes;

use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{Coding, Request};
use crate::http::response::respond;
use crate::page::{self, Asset, Effort};

/// A file in every content coding that was requested.
struct CodedAsset {
    asset: &'static Asset,
    brotli: OnceLock<(Coding, Bytes)>,
    gzip: OnceLock<(Coding, Bytes)>,
}

static ASSETS: LazyLock<Vec<CodedAsset>> =
    LazyLock::new(|| page::assets().map(CodedAsset::of).into());

/// Returns true if the path names an asset.
pub(crate) fn exists(request: &Request<'_>) -> bool {
    page::asset(request.route.param).is_some()
}

/// `GET /assets/{name}`.
pub(crate) async fn asset(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let asset = page::asset(request.route.param).ok_or(ApiError::NothingHere)?;
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    response(asset, request.coding(), forever)
}

/// `GET /favicon.ico`, which browsers request even if no page names it.
pub(crate) async fn favicon(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    // Caching for one hour avoids most requests. A new icon is still seen soon after an update of the server.
    let one_hour = HeaderValue::from_static("public, max-age=3600");
    response(&page::FAVICON, context.request.coding(), one_hour)
}

fn response(asset: &Asset, coding: Coding, caching: HeaderValue) -> Result<HttpResponse, ApiError> {
    let coded = ASSETS.iter().find(|coded| coded.asset == asset);
    let coded = coded.ok_or(ApiError::NothingHere)?;
    let (coding, bytes) = coded.bytes(coding);
    let mut response = respond(
        StatusCode::OK,
        HeaderValue::from_static(asset.content_type),
        caching,
    );
    coding.set_headers(&mut response);
    Ok(response.body(bytes))
}

impl CodedAsset {
    const fn of(asset: &'static Asset) -> Self {
        Self {
            asset,
            brotli: OnceLock::new(),
            gzip: OnceLock::new(),
        }
    }

    fn bytes(&self, coding: Coding) -> (Coding, Bytes) {
        let coded = match coding {
            Coding::Brotli => &self.brotli,
            Coding::Gzip => &self.gzip,
            Coding::Identity => return (coding, Bytes::from_static(self.asset.bytes)),
        };
        let encode = || coding.encode(self.asset.bytes.to_vec(), Effort::Static);
        coded.get_or_init(encode).clone()
    }
}
