//! The response to a request head that is too large. The connection writes it itself, as no handler gets the request.

use actix_web::http::StatusCode;
use actix_web::http::header::{CONNECTION, CONTENT_LENGTH};

use crate::http::connection::MAX_HEAD;
use crate::http::response::headers::{NO_STORE, TEXT, protect, respond};

/// Returns all bytes of the response, status line and headers included.
pub(crate) fn large_head_response() -> Vec<u8> {
    let sentence = format!(
        "The URL and headers are larger than the limit of {} KiB. Shorten them, or send long options as form fields.\n",
        MAX_HEAD / 1024
    );
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    let mut response = respond(status, TEXT, NO_STORE)
        .insert_header((CONTENT_LENGTH, sentence.len()))
        .insert_header((CONNECTION, "close"))
        .finish();
    protect(&mut response);
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in response.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(["\r\n", &sentence].concat().into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_complete_and_closes_the_connection() {
        let response = String::from_utf8(large_head_response()).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
        assert!(head.contains("connection: close") && head.contains("x-frame-options: DENY"));
        assert!(head.contains(&format!("content-length: {}", body.len())));
        assert!(body.contains(&format!("{} KiB", MAX_HEAD / 1024)));
    }
}
