//! pinnwand: version 1 of its API, JSON with files. Its form is one of those at `/`.
//!
//! Invariants: a member with another name is rejected.

use actix_web::HttpResponse;
use serde::Deserialize;
use serde_json::json;

use super::fields::{self, reject_options};
use crate::http::admission::RequestContext;
use crate::http::error::ApiError;
use crate::http::handler::create;
use crate::http::problem::ProblemType as T;
use crate::http::request::{RequestError, named_language, words_of_expiry};
use crate::http::response::created_json;
use crate::http::transfer::json_body;
use crate::paste::{Archive, Content, Title};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paste {
    expiry: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    name: String,
    lexer: String,
    content: String,
}

const NOT_A_PASTE: &str = "The body is not JSON with only `expiry` and `files`, objects with only `name`, `lexer` and `content`.";
const BAD_EXPIRY: &str = "`expiry` is not a lifetime. Send one such as `1day` or `1week`.";

/// Handles `POST /api/v1/paste`.
pub(crate) async fn save(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let limits = context.state.app.limits;
    reject_options(context)?;
    let base_url = context.state.base_url(&context.request)?;
    let body = json_body(context).await?;
    let paste = serde_json::from_slice(&body).ok();
    let paste = paste.filter(|paste: &Paste| !paste.files.is_empty());
    let Paste { expiry, mut files } = paste.ok_or_else(|| T::MalformedRequest.says(NOT_A_PASTE))?;
    let sent = Some(words_of_expiry(&expiry).parse().ok());
    let expiry = fields::expiry(limits.expiry_policy, "expiry", sent, BAD_EXPIRY)?;
    let (mut title, mut language) = (None, None);
    let content = if let [file] = &mut files[..] {
        title = Title::from_file_name(&file.name);
        // `text` is what clients send of anything.
        language = Some(&*file.lexer)
            .filter(|it| *it != "text")
            .map(named_language);
        std::mem::take(&mut file.content).into_bytes()
    } else {
        let files = files.into_iter();
        let files = files.map(|it| (it.name, it.content.into_bytes()));
        Archive::bytes_of(files).map_err(RequestError::Files)?
    };
    let content = Content::new(&content, limits.max_paste_size);
    let created = fields::create(context, content, title, language, expiry).await?;
    let url = create::url(&base_url, &created);
    let removal = format!("{url}/delete#{}", created.token.as_str());
    let answer = json!({ "link": url, "removal": removal });
    Ok(created_json(context, &created, &answer))
}
