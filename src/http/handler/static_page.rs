//! Responses that do not depend on pastes: the help, the page of the API, `robots.txt`, the health check, and files
//! that make other programs save here.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_DISPOSITION, HeaderValue};

use crate::account::InstanceAccess;
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType;
use crate::http::request::{FETCHING_AGENTS, PREVIEW_AGENTS, Request, ResponseFormat};
use crate::http::response::{JSON, NO_CACHE, TEXT, respond};
use crate::page::{self, ApiPage, HelpPage, Page, Problem, Site};

/// The shell function `pb`, which saves at [`PB_URL`] by default.
const PB: &str = include_str!("../../../docs/pb.sh");
const PB_URL: &str = "http://127.0.0.1:8088";

/// Handles `GET /help`, and `GET /` from a client that does not accept HTML: the help as a page or as text. `/llms.txt` is
/// the text with what only programs need to know.
pub(crate) async fn help(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let base_url = &state.base_url(&request)?;
    let page = HelpPage {
        site: request.site,
        base_url,
        limits: state.app.limits,
        needs_key: state.accounts.access != InstanceAccess::Open,
        slugs: state.accounts.file.is_some() || state.accounts.user_header.is_some(),
    };
    if request.route.pattern != "/llms.txt" {
        return Ok(page_or_text(&request, &page));
    }
    Ok(text(format!(
        "{}\n\
         Agents   Accept: text/markdown or text/plain gets exact bytes, never a page\n         \
         {base_url}/api/openapi.json  the JSON API; errors are application/problem+json\n         \
         after a 429, wait for the seconds in Retry-After\n",
        page.text()
    )))
}

/// Handles `GET /api`: how to use the JSON API, and the types of problems.
pub(crate) async fn api(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let (state, request) = (context.state, context.request);
    let types = ProblemType::ALL.iter().map(|it| it.about());
    let problems = types.map(|about| Problem {
        name: about.name,
        status: about.status.as_u16(),
        meaning: about.meaning,
    });
    let page = ApiPage {
        site: request.site,
        base_url: &state.base_url(&request)?,
        needs_key: state.accounts.access != InstanceAccess::Open,
        problems: &problems.collect::<Vec<_>>(),
    };
    Ok(page_or_text(&request, &page))
}

/// Handles `GET /pb.sh`: the shell function that saves on this server by default.
pub(crate) async fn pb(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = context.state.base_url(&context.request)?;
    Ok(text(PB.replace(PB_URL, &base_url)))
}

/// Handles `GET /sharex.sxcu`: the settings that make ShareX save on this server.
pub(crate) async fn sharex(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_url = context.state.base_url(&context.request)?;
    let settings = serde_json::json!({
        "Version": "14.0.0",
        "DestinationType": "ImageUploader, TextUploader, FileUploader",
        "RequestMethod": "POST",
        "RequestURL": format!("{base_url}/"),
        "Headers": { "Accept": "application/json" },
        "Body": "MultipartFormData",
        "FileFormName": "file",
        "URL": "{json:url}",
        "DeletionURL": "{json:delete_url}",
        "ErrorMessage": "{json:detail}",
    });
    Ok(respond(StatusCode::OK, JSON, NO_CACHE)
        .insert_header((
            CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"tidebin.sxcu\""),
        ))
        .body(settings.to_string()))
}

/// Handles `GET /healthz`.
pub(crate) async fn health(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Ok(text("ok\n".to_owned()))
}

/// Handles `GET /version`, as rustypaste has it.
pub(crate) async fn version(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Ok(text(Site::VERSION.to_owned() + "\n"))
}

/// Handles `GET /robots.txt`. It asks crawlers to stay away, as pastes are for readers who were sent the address. Chats
/// where it was sent may show a card of it, and agents that a reader gave it may fetch it.
pub(crate) async fn robots(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let base_path = context.request.base_path();
    let agents = PREVIEW_AGENTS.iter().chain(&FETCHING_AGENTS);
    let agents: String = agents.map(|name| format!("User-agent: {name}\n")).collect();
    Ok(text(format!(
        "{agents}Allow: {base_path}/\n\nUser-agent: *\nDisallow: {base_path}/\n"
    )))
}

/// Handles `GET /.well-known/security.txt` (RFC 9116): how to reach the operator.
pub(crate) async fn security_txt(
    context: &mut RequestContext<'_>,
) -> Result<HttpResponse, ApiError> {
    let state = context.state;
    let contact = state.site.contact.as_ref().ok_or(ApiError::NothingHere)?;
    let base_url = state.base_url(&context.request)?;
    let now = context.now().as_millis();
    Ok(text(page::security_txt(contact, &base_url, now)))
}

fn page_or_text(request: &Request<'_>, page: &impl Page) -> HttpResponse {
    match request.format {
        ResponseFormat::Html => {
            let html = page::to_html(page).into_bytes();
            let (coding, body) = request.coding().encode(html);
            coding.page().body(body)
        }
        ResponseFormat::Json | ResponseFormat::Text => text(page.text()),
    }
}

fn text(body: String) -> HttpResponse {
    respond(StatusCode::OK, TEXT, NO_CACHE).body(body)
}
