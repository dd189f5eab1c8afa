//! Saving: from a raw body, a named file or a form, to an answer with the paste's address.
//!
//! What it must not know: how pastes are kept.
//! Invariants: nothing is kept unless the request came whole and all of it was understood; the token is told once, to
//! the saver alone.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, dev};

use crate::fairness::ClientKey;
use crate::http::admission::context::RequestContext;
use crate::http::error::api_error::ApiError;
use crate::http::error::rate_limit::Header;
use crate::http::handler::{encryption, link};
use crate::http::random::random;
use crate::http::request::form::{self, FormError, SaveForm, json};
use crate::http::request::format::ResponseFormat;
use crate::http::request::options::Options;
use crate::http::request::owner::cookie;
use crate::http::request::route::Route;
use crate::http::response::headers::{NO_STORE, TEXT, X_EXPIRES, X_TOKEN};
use crate::http::service::Service;
use crate::http::transfer::request_body::collect;
use crate::paste::{
    Access, Content, ContentError, Deadline, Draft, PasteId, StoredPaste, Timestamp, Token,
};
use crate::store::{InsertError, Store};

/// What a form may hold beside its content: names, titles, delimiters.
const FORM_OVERHEAD: usize = 64 * 1024;

/// When a paste goes out that does not.
const NEVER: HeaderValue = HeaderValue::from_static("never");

/// New ids tried before giving up. With 10^7 pastes kept, one try in 10^12 meets a taken id.
const TRIES: usize = 4;

/// A paste that was just kept, and what only its saver is told.
pub(crate) struct Saved {
    /// Its id as text.
    pub(crate) id: String,
    token: Token,
    deadline: Deadline,
}

/// How a body is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Raw,
    Multipart,
    /// Labelled as a form, which curl and wget also do with what is none.
    Urlencoded,
}

/// `POST /`, `PUT /` and `PUT /NAME`.
pub(crate) async fn save(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
) -> Result<HttpResponse, ApiError> {
    let service = context.service;
    let policy = service.limits.expiry_policy;
    let file_name = Route::file_name(request.path());
    let options = Options::of(request, file_name, policy)?;
    let base_url = service.base_url(request)?;
    let kind = BodyKind::of(request);
    let max = service.limits.max_paste_size;
    let body = read_body(context, request, payload, kind, max).await?;
    let form = match kind {
        BodyKind::Raw => {
            refuse_unread_json(request, &body, &options)?;
            None
        }
        BodyKind::Multipart => Some(form::multipart::parse(content_type(request), &body)?),
        BodyKind::Urlencoded => form::urlencoded::parse(&body)?,
    };
    let format = ResponseFormat::of(request.headers());
    match form {
        None => {
            let (draft, access) = draft(context, &body, &options).await?;
            let saved = keep(context, draft, access)?;
            let line = saved.line(&base_url);
            let mut answer = saved.answer(context, StatusCode::CREATED);
            Ok(answer.insert_header((LOCATION, line.trim_end())).body(line))
        }
        Some(mut form) => {
            let options = options.with_form(&mut form, policy, format)?;
            let (draft, access) = match form.is_link {
                true => link::draft(context, request, &form.content, &options)?,
                false => draft(context, &typed_in_browser(form, format), &options).await?,
            };
            let leads_on = access == Access::Link;
            let saved = keep(context, draft, access)?;
            Ok(match format {
                // Or the browser would leave at once for where it leads.
                ResponseFormat::Html if leads_on => {
                    saved.lead(context, &base_url, "+", StatusCode::SEE_OTHER)
                }
                ResponseFormat::Html => saved.lead(context, &base_url, "", StatusCode::SEE_OTHER),
                ResponseFormat::Json if leads_on => {
                    saved.lead(context, &base_url, "+", StatusCode::OK)
                }
                // The script of the editor follows by itself.
                ResponseFormat::Json => saved.lead(context, &base_url, "", StatusCode::OK),
                ResponseFormat::Text => {
                    let line = saved.line(&base_url);
                    saved.answer(context, StatusCode::OK).body(line)
                }
            })
        }
    }
}

impl BodyKind {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let content_type = content_type(request);
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        // What is PUT is a file, whatever it is labelled.
        if request.method() == actix_web::http::Method::PUT {
            Self::Raw
        } else if form::multipart::is_multipart(content_type) {
            Self::Multipart
        } else if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Self::Urlencoded
        } else {
            Self::Raw
        }
    }
}

pub(crate) fn content_type(request: &HttpRequest) -> &str {
    request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// The body, within what its kind may take: an encoded form is up to three times as large as its content, but the
/// first chunk shows whether it can be one.
pub(crate) async fn read_body(
    context: &mut RequestContext<'_>,
    request: &HttpRequest,
    payload: &mut dev::Payload,
    kind: BodyKind,
    max: usize,
) -> Result<Bytes, ApiError> {
    let wrapped = |content: usize| content.saturating_add(FORM_OVERHEAD);
    let limit = |start: &[u8]| match kind {
        BodyKind::Multipart => wrapped(max),
        BodyKind::Urlencoded if form::urlencoded::may_be_form(start) => {
            wrapped(max.saturating_mul(3))
        }
        BodyKind::Urlencoded | BodyKind::Raw => max,
    };
    collect(context, request, payload, max, limit).await
}

/// Refuses JSON that asks for what would keep others from reading it, unless the options ask for the same: nothing is
/// read from JSON, and it would be published as it stands.
pub(crate) fn refuse_unread_json(
    request: &HttpRequest,
    body: &[u8],
    options: &Options,
) -> Result<(), FormError> {
    if !json::is_json(content_type(request)) {
        return Ok(());
    }
    let asks = json::Asks::of(body);
    let is_unread =
        (asks.password && options.password().is_none()) || (asks.burn && options.burn().is_none());
    match is_unread {
        true => Err(FormError::UnreadJson),
        false => Ok(()),
    }
}

/// The content of a form. What a person typed into a browser has its line ends as CR LF, which nobody typed.
pub(crate) fn typed_in_browser<'a>(form: SaveForm<'a>, format: ResponseFormat) -> Cow<'a, [u8]> {
    match format {
        ResponseFormat::Html if !form.is_file => form::crlf_to_lf(form.content),
        ResponseFormat::Html | ResponseFormat::Json | ResponseFormat::Text => form.content,
    }
}

/// What is to be kept of a content, and how it may be had.
async fn draft(
    context: &RequestContext<'_>,
    content: &[u8],
    options: &Options,
) -> Result<(Draft, Access), ApiError> {
    let limits = context.service.limits;
    let max = limits.max_paste_size;
    let mut draft = Draft {
        content: Content::new(content, max).map_err(|error| refusal(error, max))?,
        title: options.title(),
        language: options.language(content),
        expiry: options.expiry(limits.expiry_policy),
    };
    let access = match (options.password(), options.burn()) {
        (None, None) => Access::Open,
        (None, Some(reads)) => Access::Burn(reads),
        (Some(password), reads) => {
            // Seldom, and large: the usual save does not carry it.
            let title = draft.title.take();
            let sealing = Box::pin(encryption::seal(context, password, title, draft.content));
            draft.content = sealing.await?;
            Access::Locked(reads)
        }
    };
    Ok((draft, access))
}

/// Keeps a draft under a fresh id and token.
pub(crate) fn keep(
    context: &mut RequestContext<'_>,
    draft: Draft,
    access: Access,
) -> Result<Saved, ApiError> {
    let service = context.service;
    let token = Token::from_random(random()?);
    let now = service.now();
    let kept = StoredPaste::new(draft, access, now, token.hash());
    let (deadline, size) = (kept.deadline(), kept.content_bytes());
    let ids = std::iter::repeat_with(|| random().map(PasteId::from_random));
    let id = keep_under_free_id(&service.store, now, context.who.client, &kept, ids)?;
    context.keep(size);
    Ok(Saved {
        id: service.ids.encode(id),
        token,
        deadline,
    })
}

/// Keeps the paste under the first id that is free, of a few.
fn keep_under_free_id(
    store: &Store,
    now: Timestamp,
    holder: ClientKey,
    kept: &StoredPaste,
    ids: impl Iterator<Item = Result<PasteId, ApiError>>,
) -> Result<PasteId, ApiError> {
    for id in ids.take(TRIES) {
        let id = id?;
        match store.save(now, holder, id, kept.clone()) {
            Ok(()) => return Ok(id),
            Err(InsertError::TooLarge) => return Err(ApiError::TooLarge(store.largest())),
            Err(InsertError::IdTaken) => {}
        }
    }
    tracing::error!(tries = TRIES, "no free id was found");
    Err(ApiError::Busy)
}

pub(crate) fn refusal(error: ContentError, max: usize) -> ApiError {
    match error {
        ContentError::Empty => ApiError::Empty,
        ContentError::TooLarge => ApiError::TooLarge(max),
    }
}

/// The header that tells when a paste goes out.
pub(crate) fn expires_header(service: &Service, deadline: Deadline) -> Header {
    let value = deadline.timestamp().map_or(NEVER, |timestamp| {
        HeaderValue::from(service.epoch_millis(timestamp))
    });
    (X_EXPIRES, value)
}

impl Saved {
    /// An answer that tells what every saver is told.
    pub(crate) fn answer(
        &self,
        context: &RequestContext<'_>,
        status: StatusCode,
    ) -> HttpResponseBuilder {
        let service = context.service;
        let mut answer = HttpResponse::build(status);
        answer
            .insert_header((CONTENT_TYPE, TEXT))
            .insert_header((CACHE_CONTROL, NO_STORE))
            .insert_header((X_TOKEN, self.token.as_str()));
        answer.insert_header(expires_header(service, self.deadline));
        for header in context.standing().into_iter().flatten() {
            answer.insert_header(header);
        }
        answer
    }

    /// Its address, in a line.
    fn line(&self, base_url: &str) -> String {
        [base_url, "/", &self.id, "\n"].concat()
    }

    /// Leads a browser to the page, with the token as a cookie that goes back to that page alone. The address is
    /// relative: a page may only lead to its own origin, and the public one may be another than the browser used.
    fn lead(
        &self,
        context: &RequestContext<'_>,
        base_url: &str,
        page: &str,
        status: StatusCode,
    ) -> HttpResponse {
        let Self { id, token, .. } = self;
        let cookie = cookie(context, base_url, id, token.as_str(), self.deadline);
        self.answer(context, status)
            .insert_header((LOCATION, format!("/{id}{page}")))
            .insert_header((SET_COOKIE, cookie))
            .body(self.line(base_url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::{Expiry, Language};
    use crate::store::Budget;

    const HOLDER: ClientKey = ClientKey {
        network: 0,
        client: 0,
    };

    fn paste() -> StoredPaste {
        let content = Content::new(b"x", 1).unwrap();
        let draft = Draft {
            content,
            title: None,
            language: Language::PLAIN,
            expiry: Expiry::Never,
        };
        let token = Token::from_random([0; 16]).hash();
        StoredPaste::new(draft, Access::Open, Timestamp::default(), token)
    }

    #[test]
    fn a_taken_id_is_tried_again_a_few_times_and_then_the_save_is_refused_for_now() {
        let store = Store::new(Budget::new(Budget::LEAST));
        let id = |byte: u8| Ok(PasteId::from_random([byte; 8]));
        let keep = |ids: &[u8]| {
            keep_under_free_id(
                &store,
                Timestamp::default(),
                HOLDER,
                &paste(),
                ids.iter().map(|byte| id(*byte)),
            )
        };
        assert_eq!(keep(&[1]), id(1));
        assert_eq!(keep(&[1, 1, 1, 2]), id(2));
        assert_eq!(keep(&[1, 2, 1, 2, 3]), Err(ApiError::Busy));
        assert_eq!(store.occupancy().pastes, 2);
    }
}
