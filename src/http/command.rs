//! `tidebin pastes`, and `tidebin key revoke --with-pastes`: they ask the running server, which alone opens the database.
//!
//! Invariants: a removal is repeated until the server has no more, and says after each part how far it is.

use std::error::Error;
use std::io::{self, Read, Write};
use std::time::Duration;

use serde::Deserialize;

use super::healthcheck::{connect, reachable};
use crate::config::{OperatorAccess, Question};

/// How long the server may take for a part of a removal.
const PATIENCE: Duration = Duration::from_secs(60);

/// The answer to a part of a removal.
#[derive(Deserialize)]
struct Part {
    removed: usize,
    more: bool,
}

/// Asks the server, prints the answer, and does what belongs to it.
///
/// # Errors
/// If the server cannot be asked, or refuses. It can be repeated.
pub fn ask(access: &OperatorAccess, question: &Question) -> Result<(), Box<dyn Error>> {
    match question {
        Question::Pastes(of, None) => {
            let form = form(of.as_deref().map(|of| ("of", of)));
            let told = send(access, "GET", &format!("/operate/pastes?{form}"), "")?;
            Ok(write!(io::stdout(), "{told}")?)
        }
        Question::Pastes(of, Some(reason)) => {
            let of = of.as_deref().unwrap_or_default();
            match remove(access, of, reason)? {
                true => Ok(()),
                false => {
                    Err(format!("{of} has no pastes. `tidebin pastes` says who has some.").into())
                }
            }
        }
        Question::Revoke(file, name) => {
            file.revoke_key(name)?;
            remove(access, &format!("key:{name}"), "its key was revoked")?;
            Ok(writeln!(io::stdout(), "The key {name} is revoked.")?)
        }
    }
}

/// Removes all pastes of one, in parts. Returns whether there were any.
fn remove(access: &OperatorAccess, of: &str, reason: &str) -> Result<bool, Box<dyn Error>> {
    let form = form([("of", of), ("reason", reason)]);
    let mut all = 0;
    loop {
        let answer = send(access, "POST", "/api/v1/operate/pastes", &form)?;
        let Part { removed, more } = serde_json::from_str(&answer)?;
        all += removed;
        if all > 0 {
            let plural = if all == 1 { "" } else { "s" };
            let rest = if more { ", and there are more" } else { "" };
            writeln!(io::stdout(), "{all} paste{plural} removed{rest}.")?;
        }
        if !more {
            return Ok(all > 0);
        }
    }
}

fn form<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields).finish()
}

/// Sends a request to this path, and returns the text of the response.
fn send(access: &OperatorAccess, method: &str, path: &str, form: &str) -> io::Result<String> {
    let mut stream = connect(&reachable(access.addr.clone()))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let OperatorAccess {
        base_path, token, ..
    } = access;
    write!(
        stream,
        "{method} {base_path}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        token.0,
        form.len()
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or_default();
    match head.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        _ => {
            let problem: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
            let told = problem["detail"].as_str().unwrap_or(body.trim_end());
            Err(io::Error::other(told))
        }
    }
}
