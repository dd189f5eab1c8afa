//! Content negotiation (RFC 9110, section 12): the response format that a client accepts.
//!
//! The `User-Agent` is ignored. Browsers accept `text/html` by name. curl, wget and HTTP libraries send `*/*` or
//! nothing.
//! Cost: one pass over the `Accept` header, no allocation.

use actix_web::http::header::{ACCEPT, HeaderMap, HeaderName};

/// The format of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// HTML pages, for browsers.
    Html,
    /// JSON, for programs that accept it by name. Errors are problem details (RFC 9457).
    Json,
    /// Plain bytes, for terminals and all other clients. An error is one sentence.
    Text,
}

impl ResponseFormat {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut format = Self::Text;
        for (media_type, _) in elements(headers, ACCEPT).filter(|(_, is_accepted)| *is_accepted) {
            if media_type.eq_ignore_ascii_case("text/html") {
                return Self::Html;
            }
            let is_json = |name: &str| media_type.eq_ignore_ascii_case(name);
            if is_json("application/json") || is_json("application/problem+json") {
                format = Self::Json;
            }
        }
        format
    }
}

/// The elements of a header such as `Accept`, and whether the client accepts each.
pub(super) fn elements(
    headers: &HeaderMap,
    name: HeaderName,
) -> impl Iterator<Item = (&str, bool)> {
    let values = headers.get_all(name).flat_map(|value| value.to_str());
    values.flat_map(|value| value.split(',')).map(|element| {
        let (name, parameters) = element.split_once(';').unwrap_or((element, ""));
        (name.trim(), !is_refused(parameters))
    })
}

/// Returns whether the parameters set a weight of zero, which means "not acceptable".
fn is_refused(parameters: &str) -> bool {
    if parameters.is_empty() {
        return false;
    }
    let weight = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    weight.is_some_and(|weight| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn a_client_gets_html_or_json_only_if_it_accepts_them_by_name() {
        for (accept, format) in [
            (None, ResponseFormat::Text),
            (Some("*/*"), ResponseFormat::Text),
            (Some("text/*"), ResponseFormat::Text),
            (Some("text/html"), ResponseFormat::Html),
            (Some("TEXT/HTML;level=1"), ResponseFormat::Html),
            (
                Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
                ResponseFormat::Html,
            ),
            (Some("application/json"), ResponseFormat::Json),
            (
                Some("application/problem+json, */*;q=0.1"),
                ResponseFormat::Json,
            ),
            (
                Some("application/json, text/html;q=0.5"),
                ResponseFormat::Html,
            ),
            (Some("text/html;q=0"), ResponseFormat::Text),
            (
                Some("text/html; Q=0.000, application/json"),
                ResponseFormat::Json,
            ),
            (Some("text/htmlx"), ResponseFormat::Text),
            (Some(",;,="), ResponseFormat::Text),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(ResponseFormat::of(&headers), format, "{accept:?}");
        }
    }
}
