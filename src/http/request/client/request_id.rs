//! The id by which a request is found in the logs of the proxy and of this server.
//!
//! Invariants: an id in the log has 1 to 64 letters, digits, `-` and `_`, so it is no address.

use actix_web::http::header::HeaderMap;

use super::reported;

/// The most bytes of an id.
const MOST: usize = 64;

/// Returns the `X-Request-Id`, or else the trace id of `traceparent`, that the nearest proxy sent.
pub(super) fn request_id(headers: &HeaderMap) -> Option<&str> {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    reported(headers, "x-request-id")
        .filter(|id| (1..=MOST).contains(&id.len()) && id.bytes().all(is_safe))
        .or_else(|| trace_id(reported(headers, "traceparent")?))
}

/// Returns the trace id of a `traceparent` (W3C Trace Context), such as
/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
fn trace_id(traceparent: &str) -> Option<&str> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let mut parts = traceparent.split('-');
    let mut hex = |length| {
        let part = parts.next()?;
        (part.len() == length && part.bytes().all(is_hex)).then_some(part)
    };
    let (version, id, _parent, _flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
    let is_last = version != "00" || parts.next().is_none();
    (version != "ff" && is_last && id.bytes().any(|byte| byte != b'0')).then_some(id)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn id_in(lines: &[(&'static str, &str)]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            headers.append(HeaderName::from_static(name), value);
        }
        request_id(&headers).map(str::to_owned)
    }

    #[test]
    fn the_request_id_of_the_nearest_proxy_is_preferred_to_the_trace() {
        let (long, too_long) = ("a".repeat(64), "a".repeat(65));
        for (id, expected) in [
            ("7f3a-B_9", Some("7f3a-B_9")),
            (&long, Some(&*long)),
            (&too_long, None),
            ("", None),
            ("a b", None),
            ("192.0.2.1", None),
            ("2001:db8::1", None),
            ("a\" route=\"/x", None),
            ("\u{e9}", None),
            ("forged, real", Some("real")),
        ] {
            assert_eq!(id_in(&[("x-request-id", id)]).as_deref(), expected, "{id}");
            let with_trace = id_in(&[("traceparent", TRACE), ("x-request-id", id)]);
            let either = expected.unwrap_or("4bf92f3577b34da6a3ce929d0e0e4736");
            assert_eq!(with_trace.as_deref(), Some(either), "{id}");
        }
        let two = [("x-request-id", "forged"), ("x-request-id", "real")];
        assert_eq!(id_in(&two).as_deref(), Some("real"));
        assert_eq!(id_in(&[]), None);
    }

    #[test]
    fn a_malformed_trace_has_no_id() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        for (trace, is_valid) in [
            (TRACE.to_owned(), true),
            (format!("cc-{id}-00f067aa0ba902b7-01-what"), true),
            (format!("00-{id}-00f067aa0ba902b7-01-what"), false),
            (format!("ff-{id}-00f067aa0ba902b7-01"), false),
            (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), false),
            (
                format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase()),
                false,
            ),
            (format!("00-{id}-00f067aa0ba902b7"), false),
            (format!("00-{id}"), false),
            (id.to_owned(), false),
            (String::new(), false),
        ] {
            let expected = is_valid.then_some(id);
            assert_eq!(
                id_in(&[("traceparent", &trace)]).as_deref(),
                expected,
                "{trace}"
            );
        }
    }
}
