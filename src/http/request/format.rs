//! Content negotiation (RFC 9110, section 12): the response format and the content coding that a client accepts.
//!
//! The `User-Agent` is ignored, but for [previews](super::preview). Browsers accept `text/html` by name. curl, wget and
//! HTTP libraries send `*/*` or nothing.
//! Cost: one pass over the `Accept` header, no allocation.

use actix_web::http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};

use crate::page::Coding;

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
            if media_type.eq_ignore_ascii_case(b"text/html") {
                return Self::Html;
            }
            let is_json = |name: &[u8]| media_type.eq_ignore_ascii_case(name);
            if is_json(b"application/json") || is_json(b"application/problem+json") {
                format = Self::Json;
            }
        }
        format
    }
}

impl Coding {
    /// The preferred coding among the accepted ones: brotli if it is offered, then gzip.
    pub(crate) fn of(headers: &HeaderMap, offers_brotli: bool) -> Self {
        let (mut brotli, mut gzip, mut any) = (None, None, None);
        for (name, is_accepted) in elements(headers, ACCEPT_ENCODING) {
            match name {
                // No other coding is preferred to it.
                name if name.eq_ignore_ascii_case(b"br") => match is_accepted && offers_brotli {
                    true => return Self::Brotli,
                    false => brotli = Some(is_accepted),
                },
                name if name.eq_ignore_ascii_case(b"gzip") => gzip = Some(is_accepted),
                b"*" => any = Some(is_accepted),
                _ => (),
            }
        }
        let accepts = |coding: Option<bool>| coding.or(any).unwrap_or(false);
        match (offers_brotli && accepts(brotli), accepts(gzip)) {
            (true, _) => Self::Brotli,
            (false, true) => Self::Gzip,
            (false, false) => Self::Identity,
        }
    }
}

/// The elements of a header such as `Accept`, and whether the client accepts each. A value that is not ASCII has none.
fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&[u8], bool)> {
    let values = headers.get_all(name).map(HeaderValue::as_bytes);
    let values = values.filter(|value| value.is_ascii());
    values
        .flat_map(|value| value.split(|byte| *byte == b','))
        .map(|element| {
            let name = element.split(|byte| *byte == b';').next();
            let (name, parameters) = element.split_at(name.map_or(0, <[u8]>::len));
            (name.trim_ascii(), !is_refused(parameters))
        })
}

/// Returns whether the parameters set a weight of zero, which means "not acceptable".
fn is_refused(parameters: &[u8]) -> bool {
    if parameters.is_empty() {
        return false;
    }
    let mut parameters = str::from_utf8(parameters).unwrap_or_default().split(';');
    let weight = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    weight.is_some_and(|weight| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_client_gets_the_best_coding_that_it_accepts() {
        for (accepted, coding) in [
            (None, Coding::Identity),
            (Some("gzip, deflate, br, zstd"), Coding::Brotli),
            (Some("gzip"), Coding::Gzip),
            (Some("GZIP;q=0.5, identity"), Coding::Gzip),
            (Some("br;q=0, gzip"), Coding::Gzip),
            (Some("br;q=0.000, gzip; q=0"), Coding::Identity),
            (Some("*"), Coding::Brotli),
            (Some("*, br;q=0"), Coding::Gzip),
            (Some("*;q=0"), Coding::Identity),
            (Some("identity"), Coding::Identity),
            (Some("brr, gzi, ;;,="), Coding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            }
            assert_eq!(Coding::of(&headers, true), coding, "{accepted:?}");
            if accepted.is_some_and(|accepted| accepted.contains("gzip, ")) {
                assert_eq!(Coding::of(&headers, false), Coding::Gzip, "{accepted:?}");
            }
        }
    }
}
