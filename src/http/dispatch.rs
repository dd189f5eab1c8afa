//! The table of routes, and the way of a request through it: charge, handle, answer, log.
//!
//! A new route is one row here and one file in [`super::handler`] or [`super::protocol`]. Of the rows of a route, and of
//! the lines of a row, the first that fits decides.
//! Invariants: every request gets exactly one answer and one line in the log; every answer carries the headers that
//! protect it. A request whose body was not read to its end is held until its refusal is sent. Bytes that are not a
//! request of HTTP/1.1 never come here: the HTTP library answers them with a bare 400 or 431. Nor do heads that are
//! too slow or too large, which the stream answers.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, dev};

use super::admission::RequestContext;
use super::error::ApiError;
use super::handler::{
    asset, create, delete, editor, enter_token, preview, qr, read, static_page, stats, update,
};
use super::protocol::record;
use super::request::Request;
use super::response::protect;
use super::state::AppState;
use super::{access_log, action};
use crate::http::request::{BodyKind, Cost, Method, ResponseFormat, Route, X_TOKEN};
use crate::http::transfer::hold_request;
use crate::limit::NetworkPolicy;

/// Makes of the table: the patterns, the methods and the cost of each route, its handlers, and how it answers errors.
macro_rules! routes {
    ($($pattern:literal $name:ident, errors of $error:ty {
        $($($method:ident)|+ $(if $guard:path)? => $cost:ident, $handler:path;)+
    })+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Endpoint {
            $($name,)+
            Unknown,
        }

        const PATTERNS: &[(&str, Endpoint)] = &[$(($pattern, Endpoint::$name)),+];

        impl Endpoint {
            /// The methods that it takes; one with a condition stands twice.
            fn methods(self) -> &'static [Method] {
                match self {
                    $(Self::$name => &[$($(Method::$method),+),+],)+
                    Self::Unknown => &[],
                }
            }

            /// What a request costs; one with a method that it does not take is a read.
            fn cost(self, request: &Request<'_>) -> Cost {
                match (self, request.method) {
                    $($((Self::$name, $(Method::$method)|+) $(if $guard(request))? => Cost::$cost,)+)+
                    (_, _) => Cost::Read,
                }
            }

            /// The answer of the handler, or its refusal; `None` if it does not take the method.
            async fn handle(
                self,
                context: &mut RequestContext<'_>,
            ) -> Option<Result<HttpResponse, HttpResponse>> {
                let format = context.request.format;
                Some(match (self, context.request.method) {
                    $($((Self::$name, $(Method::$method)|+) $(if $guard(&context.request))? => {
                        $handler(context).await.map_err(|error| error.into_response(format))
                    })+)+
                    (_, _) => return None,
                })
            }

            /// An error that its handlers do not make, in the form that its clients read.
            fn refuse(self, error: ApiError, format: ResponseFormat) -> HttpResponse {
                match self {
                    $(Self::$name => <$error>::from(error).into_response(format),)+
                    Self::Unknown => error.into_response(format),
                }
            }
        }
    };
}

// `PUT` to any one segment saves a file of that name, fixed routes included: so does `curl -T robots.txt`.
routes! {
    "/" Home, errors of ApiError {
        Get | Head if reads_html => Read, editor::new_paste;
        Get | Head => Read, static_page::help;
        Post | Put => Save, create::create;
    }
    "/help" Help, errors of ApiError {
        Get | Head => Read, static_page::help;
        Put => Save, create::create;
    }
    "/healthz" Health, errors of ApiError {
        Get | Head => Free, static_page::health;
        Put => Save, create::create;
    }
    "/favicon.ico" Favicon, errors of ApiError {
        Get | Head => Free, static_page::favicon;
        Put => Save, create::create;
    }
    "/robots.txt" Robots, errors of ApiError {
        Get | Head => Free, static_page::robots;
        Put => Save, create::create;
    }
    "/record" Records, errors of record::Failure {
        Post => Save, record::save;
        Put => Save, create::create;
    }
    "/assets/{name}" Asset, errors of ApiError {
        Get | Head if asset::exists => Free, asset::asset;
        Get | Head => Read, asset::asset;
    }
    "/record/{key}" Record, errors of record::Failure {
        Get | Head => LookUp, record::read;
    }
    "/raw/{id}" Raw, errors of ApiError {
        Get | Head => LookUp, read::raw;
        Post => LookUp, action::raw;
        Delete => LookUp, delete::delete;
    }
    "/dl/{id}" Download, errors of ApiError {
        Get | Head => LookUp, read::download;
        Post => LookUp, action::download;
        Delete => LookUp, delete::delete;
    }
    "/qr/{id}" Qr, errors of ApiError {
        Get | Head => LookUp, qr::qr;
    }
    "/{id}/stats" Stats, errors of ApiError {
        Get | Head => LookUp, stats::stats;
        Post => LookUp, enter_token::enter_token;
    }
    "/{id}/edit" Edit, errors of ApiError {
        Get | Head => LookUp, editor::edit;
        Post if is_multipart => Save, update::edit;
        Post => Save, enter_token::enter_token;
    }
    "/{id}+" Preview, errors of ApiError {
        Get | Head => LookUp, preview::preview;
        Put => Save, create::create;
    }
    "/{id}" Paste, errors of ApiError {
        Get | Head => LookUp, read::negotiated;
        Post => LookUp, action::negotiated;
        Put if has_token => Save, update::put;
        Put => Save, create::create;
        Delete => LookUp, delete::delete;
    }
}

fn reads_html(request: &Request<'_>) -> bool {
    request.format == ResponseFormat::Html
}

fn is_multipart(request: &Request<'_>) -> bool {
    request.body_kind() == BodyKind::Multipart
}

fn has_token(request: &Request<'_>) -> bool {
    request.headers().contains_key(X_TOKEN)
}

/// Answers one request.
pub(crate) async fn serve(
    state: &AppState,
    http: HttpRequest,
    payload: dev::Payload,
) -> HttpResponse {
    let started = state.clock.elapsed();
    state.log_ended_incidents(started);
    let (endpoint, route) = find(http.path());
    let request = Request::parse(&http, route, &state.clients);
    let mut context = RequestContext::new(state, request, payload);
    let answered = answer(endpoint, &mut context).await;
    let RequestContext {
        mut charges,
        payload,
        ..
    } = context;
    let mut answer = match answered {
        Ok(answer) if is_unread(&request, endpoint) => hold_request(answer, payload),
        Ok(answer) => answer,
        Err(refusal) => hold_request(refusal, payload),
    };
    if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
        charges.cancel();
    }
    protect(&mut answer);
    let took = state.clock.elapsed().saturating_sub(started);
    access_log::request(request.method, route, &answer, took);
    answer
}

/// The route of a path as it stands in the request, without the query. A path without its slash is taken as one segment.
fn find(path: &str) -> (Endpoint, Route<'_>) {
    let unknown = (Endpoint::Unknown, Route::UNKNOWN);
    let mut patterns = PATTERNS.iter();
    match path {
        "" => find("/"),
        _ if path.starts_with('/') => patterns
            .find_map(|(pattern, endpoint)| Some((*endpoint, Route::matching(pattern, path)?)))
            .unwrap_or(unknown),
        _ if path.contains('/') => unknown,
        segment => {
            let route = Route {
                pattern: "/{id}",
                param: segment,
            };
            (Endpoint::Paste, route)
        }
    }
}

/// The answer, or a refusal: an answer too, but one whose request may be unread.
async fn answer(
    endpoint: Endpoint,
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, HttpResponse> {
    let request = context.request;
    let refuse = |error| endpoint.refuse(error, request.format);
    // Monitoring asks for the health from wherever.
    let is_health = endpoint == Endpoint::Health && request.is_read();
    if request.client.policy == NetworkPolicy::Deny && !is_health {
        return Err(refuse(ApiError::Denied));
    }
    let admitted = context
        .charges
        .admit(endpoint.cost(&request), request.declared_length)
        .await;
    admitted.map_err(refuse)?;
    match endpoint.handle(context).await {
        Some(answered) => answered,
        None => Err(method_not_allowed(endpoint).into_response(request.format)),
    }
}

/// The error of a method that this route does not take; an unknown route takes none.
fn method_not_allowed(endpoint: Endpoint) -> ApiError {
    let mut methods: Vec<&str> = endpoint.methods().iter().map(|it| it.name()).collect();
    let mut seen = Vec::new();
    methods.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    match methods.is_empty() {
        true => ApiError::Missing,
        false => ApiError::Method(methods.join(", ")),
    }
}

/// Whether a request has a body that no handler reads: it would be read to its end, however long that is, before the
/// connection serves another.
fn is_unread(request: &Request<'_>, endpoint: Endpoint) -> bool {
    let is_read = request.method == Method::Post || endpoint.cost(request) == Cost::Save;
    !is_read && request.has_body()
}

#[cfg(test)]
mod tests;
