//! Gists: GitHub's REST API of them (version 3), for `gh gist` and other clients that know a host of one's own.
//!
//! A gist is a paste. Its files are an archive, and its description is the title. One file without a description is
//! that text alone, and its title is the name of the file. `public` is read by nobody: every gist is found by its link.
//! Invariants: a change needs a key or an owner's secret, and a token that is neither is refused, whatever it asks for.
//! A change replaces the content that it was made from, or nothing.
//! Cost: a change reads the paste, and keeps its files while it is stored.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::date::Utc;
use crate::http::admission::RequestContext;
use crate::http::error::{AccessError, ApiError, Challenge};
use crate::http::handler::{create, delete, update};
use crate::http::problem::{ProblemType as T, Row};
use crate::http::request::json::without_bom;
use crate::http::request::{Authorization, RequestError, SaveOptions};
use crate::http::response::{
    JSON, NO_STORE, created_response, json_response, json_size, json_text, no_content, respond,
};
use crate::http::transfer::{json_body, made_body};
use crate::overload::Priority;
use crate::page::{file_name, file_path};
use crate::paste::{Access, Archive, Language, Paste, StoredPaste, Title, TokenHash};

const NOT_A_GIST: &str =
    "The body is no gist. Send JSON such as `{\"files\": {\"notes.txt\": {\"content\": \"…\"}}}`.";
const NO_TEXT: &str = "A new file has no `content`. Send its text.";
const NO_FILE: &str = "A gist without a file cannot be kept. Send a file, or delete the gist.";
const NOT_OPEN: &str = "This paste burns, has a password or is a short link, so it is no gist. Open its address in a browser.";
const STAYS_OPEN: &str =
    "A gist neither burns nor has a password. Save the files with `curl -F` instead.";
const NO_OWNER: &str =
    "A gist needs an owner. Send a key or an owner's secret, as in `GH_ENTERPRISE_TOKEN`.";
const NO_LIST: &str =
    "Gists cannot be listed here. `GET /api/v1/pastes` has the list of your pastes.";
const NO_GRAPHQL: &str = "This server answers no GraphQL. To change a gist, send `PATCH /api/v3/gists/ID` with `curl`; `GET /api/v1/pastes` has \
     the list of your pastes.";

/// Whose gists those of other owners are.
const STRANGER: &str = "anonymous";
const OWNER: &str = "owner";

/// The body of a request. Other members are ignored, as GitHub does.
#[derive(Deserialize)]
struct SentGist {
    description: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, Option<SentFile>>,
}

/// A new or changed file. `null` removes one.
#[derive(Deserialize)]
struct SentFile {
    content: Option<String>,
    filename: Option<String>,
}

/// The files of a gist, with their names.
#[derive(Default)]
struct Gist<'a> {
    description: Cow<'a, str>,
    files: Vec<(Cow<'a, str>, Cow<'a, [u8]>)>,
}

impl<'a> Gist<'a> {
    /// Returns the gist that this paste is.
    fn of(paste: &'a Paste, id: &str) -> Self {
        let Some(Ok(archive)) = paste.archive() else {
            // Its title is the name that its file came with.
            let is_name = |title: &&str| !title.contains(char::is_whitespace);
            let title = paste.title().map(Title::as_str).filter(is_name);
            let name = title.map_or_else(|| file_name(paste, id), str::to_owned);
            return Self {
                description: "".into(),
                files: vec![(name.into(), (&**paste.bytes()).into())],
            };
        };
        let files = archive.into_files();
        Self {
            description: paste.title().map_or("", Title::as_str).into(),
            files: files.map(|file| (file.name, file.content)).collect(),
        }
    }

    /// Changes the gist. All names are those before the change, so that two files may swap theirs.
    fn change(&mut self, mut sent: SentGist) -> Result<(), Row> {
        if let Some(description) = sent.description {
            self.description = description.into();
        }
        let known = std::mem::take(&mut self.files);
        for (name, content) in known {
            let Some(change) = sent.files.remove(&*name) else {
                self.files.push((name, content));
                continue;
            };
            let Some(file) = change else { continue };
            let name = file.filename.map_or(name, Cow::Owned);
            let text = file.content.map(|text| text.into_bytes().into());
            self.files.push((name, text.unwrap_or(content)));
        }
        for (name, file) in sent.files {
            let Some(file) = file else { continue };
            let content = file.content.ok_or_else(|| T::InvalidValue.says(NO_TEXT))?;
            let name = file.filename.unwrap_or(name);
            self.files.push((name.into(), content.into_bytes().into()));
        }
        Ok(())
    }

    /// Returns the content and the title of the paste that this gist is.
    fn into_paste(mut self) -> Result<(Vec<u8>, Option<String>), ApiError> {
        let description = self.description.trim();
        if description.is_empty() && self.files.len() == 1 {
            let file = self.files.pop();
            let (name, content) = file.unwrap_or_default();
            return Ok((content.into_owned(), Some(name.into_owned())));
        }
        if self.files.is_empty() {
            return Err(T::EmptyContent.says(NO_FILE).into());
        }
        let bytes = Archive::bytes_of(self.files).map_err(RequestError::Files)?;
        Ok((bytes, Some(description.to_owned())))
    }
}

/// Handles `POST /api/v3/gists`.
pub(crate) async fn create(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    authorize(context)?;
    let options = SaveOptions::of(&context.request, context.expiry_rules())?;
    if options.burn.is_some() || options.password.is_some() {
        return Err(T::InvalidValue.says(STAYS_OPEN).into());
    }
    let mut gist = Gist::default();
    gist.change(sent(context).await?)?;
    let (content, title) = gist.into_paste()?;
    let options = SaveOptions { title, ..options };
    let (draft, access) = create::draft(context, content.into(), &options).await?;
    let created = context.create(draft, access).await?;
    let base_url = context.state.base_url(&context.request)?;
    let mut response = created_response(context, &created, StatusCode::CREATED);
    response.insert_header((LOCATION, format!("{base_url}/api/v3/gists/{}", created.id)));
    object(context, &created.id, &created.paste, true, response).await
}

/// Handles `GET` and `HEAD` of `/api/v3/gists/{id}`.
pub(crate) async fn read(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    refuse_unknown_token(context)?;
    let text = context.request.route.param;
    let id = context.id(text)?;
    let stored = context.read(id).await?;
    let owner = context.explicit_owner();
    let is_own = |of_paste: &TokenHash| owner.is_some_and(|owner| of_paste.matches(&owner));
    let is_own = stored.owner().is_some_and(is_own);
    let response = respond(StatusCode::OK, JSON, NO_STORE);
    object(context, text, &stored, is_own, response).await
}

/// Handles `PATCH` and `POST` of `/api/v3/gists/{id}`.
pub(crate) async fn update(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    authorize(context)?;
    let text = context.request.route.param;
    let mut owned = update::load_owned(context, text, None).await?;
    let options = SaveOptions::of(&context.request, context.expiry_rules())?;
    let sent = sent(context).await?;
    let paste = open(&context.peek(owned.id).await?)?;
    owned.of = Some(paste.saved());
    let mut gist = Gist::of(&paste, text);
    gist.change(sent)?;
    let (content, title) = gist.into_paste()?;
    drop(paste);
    let is_untitled = title.as_ref().is_none_or(String::is_empty);
    let options = SaveOptions { title, ..options };
    update::change_content(context, &owned, &content, options, is_untitled).await?;
    let stored = context.peek(owned.id).await?;
    let response = respond(StatusCode::OK, JSON, NO_STORE);
    object(context, text, &stored, true, response).await
}

/// Handles `DELETE /api/v3/gists/{id}`.
pub(crate) async fn delete(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    authorize(context)?;
    delete::remove(context, context.request.route.param, None).await?;
    Ok(no_content())
}

/// Handles `GET` and `HEAD` of `/api/v3/gists`.
pub(crate) async fn list(_: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    Err(T::NotFound.says(NO_LIST).into())
}

/// Handles `POST /api/graphql`. `gh gist edit` asks who its user is, before it changes a gist.
pub(crate) async fn graphql(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    refuse_unknown_token(context)?;
    let body = json_body(context).await?;
    let query: Value = serde_json::from_slice(without_bom(&body)).unwrap_or_default();
    let asks_for_user = query["query"]
        .as_str()
        .is_some_and(|it| it.contains("viewer{login}"));
    json_response(&match asks_for_user {
        true => json!({ "data": { "viewer": { "login": OWNER } } }),
        false => json!({ "errors": [{ "message": NO_GRAPHQL }] }),
    })
}

/// Refuses a client that is no owner.
fn authorize(context: &RequestContext<'_>) -> Result<(), ApiError> {
    refuse_unknown_token(context)?;
    match context.explicit_owner() {
        Some(_) => Ok(()),
        None => Err(T::KeyRequired.says(NO_OWNER).into()),
    }
}

/// Refuses a token that is no key and no owner's secret, such as one of GitHub.
fn refuse_unknown_token(context: &RequestContext<'_>) -> Result<(), ApiError> {
    match Authorization::of(context.request.headers()) {
        Authorization::Bearer(_) => {
            context.charges.guess(|| None::<()>)?;
            Err(AccessError::WrongKey(Challenge::Bearer).into())
        }
        _ => Ok(()),
    }
}

/// Reads the gist in the body.
async fn sent(context: &mut RequestContext<'_>) -> Result<SentGist, ApiError> {
    let body = json_body(context).await?;
    let sent = serde_json::from_slice(without_bom(&body));
    sent.map_err(|_| T::MalformedRequest.says(NOT_A_GIST).into())
}

fn open(stored: &StoredPaste) -> Result<Paste, ApiError> {
    match stored.access() {
        Access::Open if !stored.is_sealed() => stored.clone().open().map_err(ApiError::protected),
        _ => Err(T::NotFound.says(NOT_OPEN).into()),
    }
}

/// A gist in a response.
#[derive(Serialize)]
struct GistObject<'a> {
    id: &'a str,
    url: String,
    html_url: String,
    description: &'a str,
    public: bool,
    owner: Value,
    files: BTreeMap<&'a str, FileObject<'a>>,
    created_at: &'a str,
    updated_at: &'a str,
}

/// A file in a response. What is not UTF-8 has no content, so that clients read its bytes.
#[derive(Serialize)]
struct FileObject<'a> {
    filename: &'a str,
    r#type: &'static str,
    language: Option<&'static str>,
    raw_url: String,
    size: usize,
    truncated: bool,
    content: Option<&'a str>,
}

/// Responds with the object of a gist.
async fn object(
    context: &RequestContext<'_>,
    id: &str,
    stored: &StoredPaste,
    is_own: bool,
    mut response: HttpResponseBuilder,
) -> Result<HttpResponse, ApiError> {
    let base_url = context.state.base_url(&context.request)?;
    let paste = open(stored)?;
    let make = || {
        let gist = Gist::of(&paste, id);
        let raw_url = format!("{base_url}/raw/{id}");
        let is_archive = paste.archive().is_some_and(|archive| archive.is_ok());
        let saved = Utc::from_epoch_millis(stored.saved().as_millis()).to_string();
        let files = gist.files.iter().map(|(name, content)| {
            let raw_url = match is_archive {
                true => [&raw_url, "/", &file_path(name)].concat(),
                false => raw_url.clone(),
            };
            (&**name, FileObject::new(name, content, raw_url))
        });
        json_text(&GistObject {
            id,
            url: format!("{base_url}/api/v3/gists/{id}"),
            html_url: format!("{base_url}/{id}"),
            description: &gist.description,
            public: false,
            owner: json!({ "login": if is_own { OWNER } else { STRANGER } }),
            files: files.collect(),
            created_at: &saved,
            updated_at: &saved,
        })
    };
    let body = made_body(context, Priority::Read, json_size(stored), make).await?;
    Ok(response.insert_header((CONTENT_TYPE, JSON)).body(body))
}

impl<'a> FileObject<'a> {
    fn new(filename: &'a str, content: &'a [u8], raw_url: String) -> Self {
        let text = std::str::from_utf8(content).ok();
        Self {
            filename,
            r#type: match text {
                Some(_) => "text/plain",
                None => "application/octet-stream",
            },
            language: Language::from_sure_name(filename).map(Language::label),
            raw_url,
            size: content.len(),
            truncated: text.is_none(),
            content: text,
        }
    }
}
