//! Reading a paste: as a page, as its bytes, or as a file. A short link redirects.
//!
//! Invariants: the bytes are exactly the saved ones. No content type lets a browser run the content: text is
//! `text/plain`, an image has its type if the operator shows images, and everything else is an octet stream. HEAD, 304,
//! the image on a page, and the pages and bytes of an open paste for its owner's browser are not counted as reads.

mod bytes;
pub(crate) mod diff;
mod file;
mod page;
mod protected;

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;

use crate::account::InstanceAccess;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::request::{
    Conditions, Method, PasteAddress, Request, ResponseFormat, is_preview, query,
};
use crate::http::response::{NO_STORE, TEXT, link_page, respond, sealed_page};
use crate::page::Redirect;
use crate::paste::{Access, Language, LineRange, Password, Paste, PasteId, StoredPaste};
use crate::render::RenderKey;
use file::NamedFile;
use page::PageInput;
pub(crate) use protected::{Unlocked, unlock};

/// The representation of a paste that a route serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// A page for a client that accepts HTML, else the bytes.
    Negotiated,
    /// The bytes.
    Raw,
    /// The bytes as a file download.
    Download,
}

/// Handles a `POST` that reads. For an open paste it is the same as a GET.
pub(crate) async fn post(
    context: &RequestContext<'_>,
    password: Option<Password>,
) -> Result<HttpResponse, ApiError> {
    let address = context.request.address();
    let id = context.id(address.id)?;
    let representation = Representation::of(&context.request)?;
    let stored = context.peek(id).await?;
    match stored.access() {
        Access::Open | Access::Link => get(context).await,
        Access::Burn(_) if stored.asks() => get(context).await,
        // Its script fetches the message. A form, even of another site, uses up nothing.
        Access::Burn(_) if context.request.format == ResponseFormat::Html && stored.is_sealed() => {
            sealed_page(context, address.id, &stored)
        }
        Access::Burn(_) | Access::Locked(_) => {
            protected::open(context, id, address, stored, representation, password).await
        }
    }
}

/// Handles `GET` and `HEAD` of a paste's routes. The read is counted after every check that could reject it or respond
/// without a read.
pub(crate) async fn get(context: &RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let address = context.request.address();
    let id = context.id(address.id)?;
    let plan = ReadPlan::new(context, address)?;
    let stored = match plan.counts {
        Counting::AtOnce => context.read(id).await?,
        Counting::WithPage | Counting::WithResponse => context.peek(id).await?,
    };
    let access = stored.access();
    match access {
        Access::Open => {}
        Access::Burn(_) if stored.asks() => {}
        Access::Link if plan.representation != Representation::Negotiated => {}
        Access::Link => return follow(context, id, address, stored, plan.is_preview).await,
        Access::Burn(_) | Access::Locked(_) => {
            let prompt = protected::prompt(context, id, address, stored, plan.representation);
            // Boxed: this future is large, and most reads do not need it.
            return Box::pin(prompt).await;
        }
    }
    let is_owner = plan.may_own && context.shows_owner(&stored);
    // A card of an encrypted paste would show its ciphertext.
    let base_url = plan.base_url.as_ref();
    let base_url = base_url.filter(|_| !plan.is_preview || !stored.is_sealed());
    let (response, is_embedded) = match base_url {
        Some(_) if stored.is_sealed() => {
            // Its script fetches the message without another view.
            if access == Access::Open && plan.counts != Counting::AtOnce && !is_owner {
                context.count_read(id);
            }
            return sealed_page(context, address.id, &stored);
        }
        Some(base_url) => {
            let input = page_input(context, id, address, stored, base_url, &plan, is_owner)?;
            if plan.counts == Counting::WithPage && !is_owner {
                context.count_read(id);
            }
            (page::page(context, input, plan.conditions).await?, false)
        }
        None => {
            let is_sealed = plan.is_embedded && stored.is_sealed();
            let paste = stored.open().map_err(ApiError::protected)?;
            let file = plan.named_file(context, &paste)?;
            let is_image = paste.content().image().is_some() && context.state.site.images;
            let is_embedded = plan.is_embedded && is_image || is_sealed;
            (
                bytes::bytes(context, &paste, file, &plan).await?,
                is_embedded,
            )
        }
    };
    let is_known = response.status() == StatusCode::NOT_MODIFIED;
    let is_read = access == Access::Open && !is_embedded && !is_known && !plan.is_preview;
    if plan.counts == Counting::WithResponse && is_read && !is_owner {
        context.count_read(id);
    }
    Ok(response)
}

/// What a GET or HEAD asks for, before the paste is known.
struct ReadPlan<'a> {
    representation: Representation,
    conditions: Conditions<'a>,
    lines: Option<LineRange>,
    may_name_file: bool,
    /// The address of the server, if the client gets a page.
    base_url: Option<Cow<'a, str>>,
    /// Whether the page of the paste shows an image or decrypts a message, so that it was read before.
    is_embedded: bool,
    /// Whether the client shows a card of the link. It gets the page of an open paste, which is no view.
    is_preview: bool,
    /// Whether the client is a browser and may be the paste's owner, whose views are not counted.
    may_own: bool,
    counts: Counting,
}

/// When a read is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// When the paste is loaded.
    AtOnce,
    /// Once the lines exist that the page marks, or it is known that the reader is not the paste's owner.
    WithPage,
    /// When the response shows that this is a read: what the client has already is none, nor is an error.
    WithResponse,
}

impl<'a> ReadPlan<'a> {
    fn new(context: &'a RequestContext<'_>, address: PasteAddress<'_>) -> Result<Self, ApiError> {
        let request = context.request;
        let query = request.query();
        let lines = query::lines(query)?;
        let representation = Representation::of(&request)?;
        let is_preview = representation == Representation::Negotiated
            && request.format == ResponseFormat::Text
            && context.state.accounts.access != InstanceAccess::Private
            && is_preview(request.headers());
        let is_page = is_preview || representation.is_page(request.format);
        let may_own = request.format == ResponseFormat::Html && context.may_own();
        let base_url = is_page.then(|| context.state.base_url(&request));
        let may_name_file = !query.is_empty() || address.segment.len() > address.id.len();
        let is_embedded =
            representation == Representation::Raw && query::value(query, "embedded")?.is_some();
        let conditions = request.conditions();
        let counts = match lines {
            _ if is_embedded || is_preview || may_name_file || conditions.any_of_read() => {
                Counting::WithResponse
            }
            Some(_) if is_page => Counting::WithPage,
            None if !may_own => Counting::AtOnce,
            None if is_page => Counting::WithPage,
            _ => Counting::WithResponse,
        };
        Ok(Self {
            representation,
            conditions,
            lines,
            may_name_file,
            base_url: base_url.transpose()?,
            is_embedded,
            is_preview,
            may_own,
            counts,
        })
    }

    /// Returns the file of this paste that the client asks for.
    fn named_file(
        &self,
        context: &RequestContext<'_>,
        paste: &Paste,
    ) -> Result<Option<Box<NamedFile>>, ApiError> {
        match self.may_name_file {
            true => file::named(&context.request, paste.bytes(), paste.access()),
            false => Ok(None),
        }
    }
}

/// Collects the input of the paste's page.
fn page_input(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    base_url: &str,
    plan: &ReadPlan<'_>,
    may_delete: bool,
) -> Result<PageInput, ApiError> {
    let lines = plan.lines;
    let saved = context.just_saved(&stored)?.map(str::to_owned);
    let paste = stored.open().map_err(ApiError::protected)?;
    let file = plan.named_file(context, &paste)?;
    let language = match &file {
        Some(file) => file.language(),
        None => address.language.or(paste.named_language()),
    };
    bytes::selection(file::content_of(file.as_deref(), &paste), lines)?;
    let path = file.as_ref().map_or(address.id, |file| &file.path);
    Ok(PageInput {
        id,
        text: address.id.to_owned(),
        url: [base_url, "/", path].concat(),
        site: Arc::clone(context.request.site),
        render_key: render_key(context, language, lines)?,
        lines,
        level: level(context.request.query()),
        may_delete: may_delete && file.is_none(),
        saved,
        changed: if may_delete { changed(context)? } else { None },
        paste,
        file,
    })
}

/// Returns how many lines the query says that a change added and removed, as in `changed=2-1`.
fn changed(context: &RequestContext<'_>) -> Result<Option<(usize, usize)>, ApiError> {
    let told = query::value(context.request.query(), "changed")?;
    let numbers = |told: Cow<'_, str>| {
        let (added, removed) = told.split_once('-')?;
        Some((query::whole_number(added)?, query::whole_number(removed)?))
    };
    Ok(told.and_then(numbers))
}

/// Returns how a page shows a paste of this language. `None` is the language that will be detected. A range of lines
/// needs the view that has lines.
fn render_key(
    context: &RequestContext<'_>,
    language: Option<Language>,
    lines: Option<LineRange>,
) -> Result<RenderKey, ApiError> {
    let query = context.request.query();
    let key = RenderKey::new(language, query::has(query, "view", "source")?);
    Ok(match lines {
        Some(_) => key.with_lines(),
        None if query::has(query, "view", "split")? => key.split(),
        None => key,
    })
}

/// The least level of a log's events that the query asks for. What is none is ignored, as other names are.
fn level(query: &str) -> Option<&'static str> {
    let is_asked = |level: &&str| query::has(query, "level", level) == Ok(true);
    ["error", "warning", "info", "debug"]
        .into_iter()
        .find(is_asked)
}

/// Redirects to the target of a link, or shows it. A GET counts as a click, a HEAD or one for a card does not.
async fn follow(
    context: &RequestContext<'_>,
    id: PasteId,
    address: PasteAddress<'_>,
    stored: StoredPaste,
    is_preview: bool,
) -> Result<HttpResponse, ApiError> {
    let state = context.state;
    if context.request.method != Method::Head && !is_preview {
        state.app.consume(context.now(), id, &stored).await?;
    }
    match state.site.redirect {
        Redirect::Preview => link_page(context, address.id, stored),
        Redirect::Direct | Redirect::Off => {
            let link = stored.open().map_err(ApiError::protected)?;
            let target = link.text().unwrap_or_default();
            Ok(respond(StatusCode::FOUND, TEXT, NO_STORE)
                .insert_header((LOCATION, target))
                .body(format!("{target}\n")))
        }
    }
}

impl Representation {
    /// That of the route, or the file if the query asks for it.
    fn of(request: &Request<'_>) -> Result<Self, ApiError> {
        let query = request.query();
        Ok(match request.route.pattern {
            _ if query::has(query, "download", "true")? => Self::Download,
            "/raw/{id}" | "/raw/{id}/**" | "/1/raw/{id}" => Self::Raw,
            "/dl/{id}" | "/dl/{id}/**" => Self::Download,
            _ => Self::Negotiated,
        })
    }

    /// Returns true if an image is sent as its type.
    fn is_image(self, context: &RequestContext<'_>) -> bool {
        self == Self::Raw && context.state.site.images
    }

    /// Returns true if a client that asked for this format gets a page.
    fn is_page(self, format: ResponseFormat) -> bool {
        self == Self::Negotiated && format == ResponseFormat::Html
    }
}
