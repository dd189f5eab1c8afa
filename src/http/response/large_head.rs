//! The answer to a request whose head is too large, written before there is a request.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};

use crate::http::response::headers::{NO_STORE, TEXT, protect};

const SENTENCE: &str = "The head of this request is larger than 60 KiB, the most that is looked at here: leave out long headers, or send \
     long options as fields of a form.\n";

/// All bytes of the answer, status line and headers included.
pub(crate) fn large_head_answer() -> Vec<u8> {
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    let mut answer = HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, TEXT))
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((CONTENT_LENGTH, SENTENCE.len()))
        .insert_header((CONNECTION, "close"))
        .finish();
    protect(&mut answer);
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in answer.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(["\r\n", SENTENCE].concat().into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::connection::large_head::MAX_HEAD;

    #[test]
    fn the_answer_is_a_whole_one_that_closes() {
        let answer = String::from_utf8(large_head_answer()).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
        assert!(head.contains("connection: close") && head.contains("x-frame-options: DENY"));
        assert!(head.contains(&format!("content-length: {}", body.len())));
        assert!(body.contains(&format!("{} KiB", MAX_HEAD / 1024)));
    }
}
