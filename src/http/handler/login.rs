//! `/login`: a browser gets a key as a cookie, and returns to the page that needed it.
//!
//! Invariants: the browser is only ever sent to a path of this server. Only a page of this server can log a browser in
//! or out.

use actix_web::HttpResponse;
use actix_web::http::header::SET_COOKIE;

use crate::account::Principal;
use crate::http::admission::RequestContext;
use crate::http::error::{AccessError, ApiError};
use crate::http::request::{Request, RequestError, ResponseFormat, query, request_key_cookie};
use crate::http::response::{key_cookie, login_page, no_key_cookie, see_other};
use crate::http::transfer::small_form;

/// The longest path that a browser is sent back to.
const MAX_PATH: usize = 2048;

/// Handles `GET /login`.
pub(crate) async fn page(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    let request = context.request;
    let home = home(&request);
    let key = request_key_cookie(&request);
    let holder = key.map(|key| context.log_in(key)).transpose();
    Ok(match &holder {
        Ok(Some(Principal::Key(key))) => {
            login_page(&request, &home, Some(key.grant.name.as_str()), None)
        }
        Ok(_) | Err(ApiError::Access(_)) => login_page(&request, &home, None, None),
        Err(error) => return Err(error.clone()),
    })
}

/// Handles `POST /login`.
pub(crate) async fn log_in(context: &mut RequestContext<'_>) -> Result<HttpResponse, ApiError> {
    if !context.is_same_origin() {
        return Err(AccessError::CrossSite.into());
    }
    let body = small_form(context).await?;
    let body = std::str::from_utf8(&body).map_err(|_| RequestError::Query)?;
    let (mut key, mut to, mut leaves) = (String::new(), String::new(), false);
    for (name, value) in query::pairs(body)? {
        match &*name {
            "key" => value.trim().clone_into(&mut key),
            "to" => to = value.into_owned(),
            "logout" => leaves = true,
            _ => {}
        }
    }
    let request = context.request;
    if leaves {
        let to = [request.base_path(), "/login"].concat();
        return Ok(redirect(&to, no_key_cookie(&request)));
    }
    let home = home(&request);
    let to = own_path(&to, request.base_path()).unwrap_or(&home);
    match context.log_in(&key) {
        Ok(principal) => {
            let cookie = key_cookie(&request, &key, &principal, context.now());
            Ok(redirect(to, cookie))
        }
        Err(ApiError::Access(error)) if request.format == ResponseFormat::Html => {
            Ok(login_page(&request, to, None, Some(error)))
        }
        Err(error) => Err(error),
    }
}

fn redirect(to: &str, cookie: String) -> HttpResponse {
    see_other(to)
        .insert_header((SET_COOKIE, cookie))
        .body("Done.\n")
}

/// Returns the path of the home page.
fn home(request: &Request<'_>) -> String {
    [request.base_path(), "/"].concat()
}

/// Returns the path if it is one of this server. Browsers read `//` and `/\` as the start of a host name, skip control
/// characters before they look, and remove the segments `.` and `..`.
fn own_path<'a>(path: &'a str, base_path: &str) -> Option<&'a str> {
    let mut segments = path.split(['/', '?', '#']);
    let is_own = path.len() <= MAX_PATH
        && !path.starts_with("//")
        && !segments.any(|it| matches!(&*it.to_ascii_lowercase().replace("%2e", "."), "." | ".."))
        && path.strip_prefix(base_path)?.starts_with('/')
        && path
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    is_own.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_only_sent_to_a_path_of_this_server() {
        for path in [
            "/",
            "/abc",
            "/abc.md?lines=1-2",
            "/?next=//evil.example",
            "/a//b",
        ] {
            assert_eq!(own_path(path, ""), Some(path));
        }
        for path in [
            "",
            "//evil.example",
            "/.//evil.example",
            "/abc/..//evil.example",
            "/%2E/.%2e//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "https://evil.example/",
            "https:evil.example",
            "javascript:alert(1)",
            "evil.example",
            "/\u{e9}",
            "@evil.example",
        ] {
            assert_eq!(own_path(path, ""), None, "{path:?}");
        }
        assert_eq!(own_path(&format!("/{}", "a".repeat(MAX_PATH)), ""), None);
        for (path, is_own) in [
            ("/paste/abc", true),
            ("/paste", false),
            ("/pastes/", false),
            ("/", false),
        ] {
            assert_eq!(own_path(path, "/paste").is_some(), is_own, "{path}");
        }
    }
}
