//! termbin: a text that arrives on a TCP port of its own is saved, and the answer is its URL in one line.
//!
//! Invariants: a client is its address, and gets the limits, the budgets and the connections of a client that saves
//! over HTTP. The answer is always one line of text. An HTTP request is not saved: a browser may have sent it, with
//! cookies and without the knowledge of its user. Neither is the start of a TLS connection.
//! Cost: one slot and one task for each connection; a text takes bytes of the budget as a body does.

mod socket;

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::dev;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::rt::net::TcpStream;

use crate::config::BaseUrl;
use crate::http::access_log;
use crate::http::admission::Charges;
use crate::http::connection::ConnectionState;
use crate::http::error::ApiError;
use crate::http::problem::ProblemType as T;
use crate::http::request::Cost;
use crate::http::state::AppState;
use crate::http::transfer::collect_from;
use crate::limit::NetworkPolicy;
use crate::overload::ConnectionSlot;
use crate::paste::{Access, Content, Draft};
use crate::store::Saver;
use socket::{Socket, Text};

const NO_TEXT: &str = "Nothing was sent, so nothing was saved. Send a text within 5 seconds, as in \
     `cmd | nc -N HOST PORT`.";
const NO_PROTOCOL: &str = "This port takes plain text, and an HTTP request or a TLS handshake was sent, so nothing was saved. Use \
     `cmd | nc -N HOST PORT`.";

/// The start of a TLS handshake: the type of the record, and the first byte of the version (RFC 8446, section 5.1).
const TLS: &[u8] = b"\x16\x03";

pub(crate) async fn serve(state: &Arc<AppState>, stream: TcpStream, slot: ConnectionSlot) {
    let peer = stream.peer_addr().ok().map(|peer| peer.ip());
    let client = state.clients.identity(peer, &HeaderMap::new());
    let clock = state.clock.clone();
    let socket = Rc::new(Socket {
        stream,
        slot,
        clock,
    });
    match socket.has_text().await {
        Ok(true) => {}
        Ok(false) => return socket.answer(&line(NO_TEXT)).await,
        Err(_) => return,
    }
    let connection = ConnectionState::new(Arc::clone(&socket.slot.handle), false);
    let charges = Charges::new(Rc::new(Arc::clone(state)), client, Rc::new(connection));
    let started = charges.elapsed();
    state.look_back(started);
    let saved = match client.policy {
        NetworkPolicy::Deny => Err(ApiError::Denied),
        NetworkPolicy::Allow | NetworkPolicy::Limit(_) => {
            let saving = pin!(save(&charges, &socket));
            charges.clock.follow(saving).await
        }
    };
    let (status, answer) = match saved {
        Ok(id) => {
            // The configuration has no TCP address without a public one.
            let base_url = state.public.as_ref().map_or("", BaseUrl::as_str);
            (StatusCode::OK, format!("{base_url}/{id}\n"))
        }
        Err(error) => {
            let row = error.row();
            (row.status, line(&row.sentence))
        }
    };
    if status == StatusCode::SERVICE_UNAVAILABLE {
        charges.cancel();
    }
    drop(charges);
    let took = state.clock.elapsed().saturating_sub(started);
    let ([method, route], bytes) = (access_log::TERMBIN, answer.len() as u64);
    access_log::line(method, route, status, bytes, took, None);
    let series = access_log::TERMBIN_SERIES;
    state.requests.count(series, status.as_u16(), bytes, took);
    state.requests.count_save(status.as_u16());
    socket.answer(&answer).await;
}

/// Saves the text and returns its id.
async fn save(charges: &Charges, socket: &Rc<Socket>) -> Result<String, ApiError> {
    let state = &charges.state;
    charges.admit(Cost::Save, None).await?;
    let mut payload: dev::Payload = dev::Payload::Stream {
        payload: Box::pin(Text::of(socket)),
    };
    let limits = state.app.limits;
    let max = limits.max_paste_size;
    let text = collect_from(charges, &mut payload, None, max, |_| max).await?;
    if is_http(&text) || text.starts_with(TLS) {
        return Err(T::MalformedRequest.says(NO_PROTOCOL).into());
    }
    let draft = Draft {
        slug: None,
        content: Content::new(&text, max).map_err(|error| ApiError::content(error, max))?,
        title: None,
        language: None,
        expiry: limits.expiry_policy.default,
    };
    let saver = Saver {
        client: charges.client(),
        owner: None,
        slug: None,
    };
    let now = charges.now();
    let creating = state.app.create(now, saver, draft, Access::Open);
    let created = charges.settle_after(text.len(), pin!(creating)).await?;
    Ok(created.id)
}

/// Returns whether a text starts like an HTTP request: a line with a method, a target and a version.
fn is_http(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b'\n', text).unwrap_or_default();
    let line = text[..end].trim_ascii_end();
    let words = line.split(|byte| *byte == b' ');
    let mut words = words.filter(|word| !word.is_empty());
    let method = words.next().unwrap_or_default();
    let version = words.nth(1).unwrap_or_default();
    method.iter().all(u8::is_ascii_uppercase)
        && version.starts_with(b"HTTP/")
        && words.next().is_none()
}

fn line(sentence: &str) -> String {
    [sentence, "\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_http_request_is_told_from_a_text_by_its_first_line() {
        for text in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /x HTTP/1.0\r\n\r\nbody",
            "GET / HTTP/1.1\nHost: a\n\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\r\nGET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            assert!(is_http(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "GET / HTTP/1.1",
            "> GET / HTTP/1.1\r\n",
            "get / HTTP/1.1\r\n",
            "HTTP/1.1 200 OK\r\n",
            "a\r\nGET / HTTP/1.1\r\n",
            "\r\n",
        ] {
            assert!(!is_http(text.as_bytes()), "{text}");
        }
    }
}
