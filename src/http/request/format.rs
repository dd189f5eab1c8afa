//! Content negotiation (RFC 9110, section 12): the response format and the content coding that a client accepts.
//!
//! The `User-Agent` is ignored, but for [previews](super::preview). Browsers accept `text/html` by name, agents
//! `text/markdown` before it. curl, wget and HTTP libraries send `*/*` or nothing.
//! Cost: one pass over the `Accept` header, no allocation.

use actix_web::http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};

use crate::page::Coding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// HTML pages, for browsers.
    Html,
    /// JSON, for programs that accept it by name. Errors are problem details (RFC 9457).
    Json,
    /// Plain bytes, for terminals, agents and all other clients. An error is one sentence.
    Text,
}

impl ResponseFormat {
    /// The format with the greatest weight, of equal ones the first. A range such as `*/*` names none, so a client that
    /// names none gets plain bytes.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let (mut best, mut weight) = (Self::Text, 0.0);
        for value in headers.get_all(ACCEPT) {
            let value = value.as_bytes();
            // What curl and libraries send.
            if value == b"*/*" || !value.is_ascii() {
                continue;
            }
            // What browsers send. No later type weighs more.
            if value.starts_with(b"text/html,") {
                return Self::Html;
            }
            for element in value.split(|byte| *byte == b',') {
                let (name, parameters) = parts(element);
                let Some(format) = Self::named(name) else {
                    continue;
                };
                let its_weight = weight_in(parameters);
                if its_weight > weight {
                    (best, weight) = (format, its_weight);
                }
                if weight >= 1.0 {
                    return best;
                }
            }
        }
        best
    }

    fn named(media_type: &[u8]) -> Option<Self> {
        let (name, format): (&[u8], _) = match media_type.len() {
            9 => (b"text/html", Self::Html),
            10 => (b"text/plain", Self::Text),
            13 => (b"text/markdown", Self::Text),
            16 => (b"application/json", Self::Json),
            24 => (b"application/problem+json", Self::Json),
            _ => return None,
        };
        media_type.eq_ignore_ascii_case(name).then_some(format)
    }
}

impl Coding {
    /// The preferred coding among the accepted ones: brotli if it is offered, then gzip.
    pub(crate) fn of(headers: &HeaderMap, offers_brotli: bool) -> Self {
        let (mut brotli, mut gzip, mut any) = (None, None, None);
        for (name, parameters) in elements(headers, ACCEPT_ENCODING) {
            let is_accepted = weight_in(parameters) > 0.0;
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

/// The elements of a header such as `Accept`: each name with its parameters. A value that is not ASCII has none.
fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&[u8], &[u8])> {
    let values = headers.get_all(name).map(HeaderValue::as_bytes);
    let values = values.filter(|value| value.is_ascii());
    values
        .flat_map(|value| value.split(|byte| *byte == b','))
        .map(parts)
}

/// The name and the parameters of an element.
fn parts(element: &[u8]) -> (&[u8], &[u8]) {
    let name = element.split(|byte| *byte == b';').next();
    let (name, parameters) = element.split_at(name.map_or(0, <[u8]>::len));
    (name.trim_ascii(), parameters)
}

/// The weight that the parameters set, at most 1. Zero means "not acceptable". A malformed one counts as absent: 1.
fn weight_in(parameters: &[u8]) -> f32 {
    if parameters.is_empty() {
        return 1.0;
    }
    let mut parameters = str::from_utf8(parameters).unwrap_or_default().split(';');
    let weight = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    let weight = weight.and_then(|weight| weight.parse().ok());
    weight.map_or(1.0, |weight: f32| weight.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_the_type_that_it_names_with_the_greatest_weight() {
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
                ResponseFormat::Json,
            ),
            (Some("application/json, text/html"), ResponseFormat::Json),
            (Some("text/html, application/json"), ResponseFormat::Html),
            (Some("text/html;q=0.1, */*"), ResponseFormat::Html),
            (Some("text/plain, text/html;q=0.5"), ResponseFormat::Text),
            (Some("text/plain;q=0.5, TEXT/HTML"), ResponseFormat::Html),
            (
                Some("text/html;q=0, text/plain;q=0.1"),
                ResponseFormat::Text,
            ),
            (
                Some("text/html;q=0.2, application/json;q=.3"),
                ResponseFormat::Json,
            ),
            (Some("text/html;q=nan, text/plain"), ResponseFormat::Html),
            (Some("text/html;q=9, text/plain"), ResponseFormat::Html),
            (
                Some("text/plain;q=-1, text/html;q=0.1"),
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
    fn two_headers_are_one_list() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static("text/html;q=0.5"));
        headers.append(ACCEPT, HeaderValue::from_static("text/markdown;q=0.6"));
        assert_eq!(ResponseFormat::of(&headers), ResponseFormat::Text);
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
