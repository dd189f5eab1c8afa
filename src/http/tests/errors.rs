//! The sentences of all errors, found in the files that hold them, so that a new error is never forgotten.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::http::error::{ApiError, RateLimitExceeded};
use crate::http::problem::ProblemType;
use crate::http::request::RequestError as E;
use crate::http::request::api::all_members;
use crate::http::request::form::repeated;
use crate::http::response::large_head_response;
use crate::limit::{Action, LimitDenied, Rules, Tier};
use crate::operate::STATUSES;
use crate::paste::{ExpiryError, LinkTargetError};

/// The sentences of all errors. A value that a sentence quotes is replaced.
pub(super) fn sentences() -> Vec<String> {
    let head = String::from_utf8(large_head_response()).unwrap();
    let (_, large_head) = head.trim_end().split_once("\r\n\r\n").unwrap();
    let written = sources().into_iter().flat_map(|(path, source)| {
        let is_protocol = path.starts_with("protocol") || path.starts_with("termbin");
        let start = if path.ends_with("pastebin.rs") {
            "Bad API request, "
        } else {
            ""
        };
        let texts = literals(&source)
            .into_iter()
            .filter(move |(is_said, text)| *is_said || (is_protocol && is_text(text)));
        let texts: Vec<String> = texts.map(|(_, text)| [start, &*text].concat()).collect();
        texts
    });
    let of_values = with_values()
        .into_iter()
        .map(|it| it.row().sentence.into_owned());
    written
        .chain(of_values)
        .chain([large_head.to_owned()])
        .collect()
}

/// The production code of this module's files, by their paths.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("tests") || path.ends_with("tests.rs") {
            } else if path.is_dir() {
                folders.push(path);
            } else {
                let source = fs::read_to_string(&path).unwrap();
                let (code, _) = source.split_once("#[cfg(test)]").unwrap_or((&source, ""));
                files.push((
                    path.strip_prefix(&root).unwrap().to_owned(),
                    code.to_owned(),
                ));
            }
        }
    }
    files
}

/// The strings in a code, and whether each is the sentence of a row.
fn literals(code: &str) -> Vec<(bool, String)> {
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace("\\\"", "\u{1}");
    let mut pieces = code.split('"');
    let mut found = Vec::new();
    while let (Some(before), Some(literal)) = (pieces.next(), pieces.next()) {
        let starts = ["says(", "says(format!(", "on_page("];
        let is_said = starts
            .iter()
            .any(|start| before.trim_end().ends_with(start));
        found.push((is_said, plain(&literal.replace('\u{1}', "\""))));
    }
    found
}

/// The text of a string: with its lines joined, and with a value in place of each placeholder.
fn plain(literal: &str) -> String {
    let joined: String = literal.split("\\\n").map(str::trim_start).collect();
    let mut text = String::new();
    let mut rest = &*joined.replace("{hint}", ".");
    while let Some((before, after)) = rest.split_once('{')
        && let Some((name, after)) = after.split_once('}')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        text += before;
        text += "7";
        rest = after;
    }
    text + rest
}

/// Returns whether a string is a text for people. Pieces of sentences begin with a small letter and have no full stop.
fn is_text(literal: &str) -> bool {
    let is_long = literal.split_whitespace().count() > 3;
    let is_piece = literal.starts_with('7');
    is_long
        && !is_piece
        && (literal.ends_with('.') || literal.starts_with(|c: char| c == '`' || c.is_uppercase()))
}

/// What `/api` says about each type of problem.
pub(super) fn meanings() -> Vec<String> {
    let types = ProblemType::ALL.iter();
    types.map(|it| it.about().meaning.to_owned()).collect()
}

#[test]
fn every_sentence_of_a_table_is_found() {
    let found = sentences();
    for (sentence, count) in [
        ("There is nothing at this URL. Check it for typos.", 1),
        (
            "Unknown member `7`. The OpenAPI document of this server lists all members.",
            1,
        ),
        (
            "The body is not a JSON object. Send one in UTF-8, as in `{\"content\": \"…\"}`.",
            1,
        ),
        (
            "Bad API request, api_paste_code was empty. Send the text in it.",
            1,
        ),
    ] {
        assert_eq!(
            found.iter().filter(|it| *it == sentence).count(),
            count,
            "{sentence}"
        );
    }
    assert!(found.len() > 150, "{}", found.len());
}

#[test]
fn every_type_of_problem_has_a_name_of_its_own_and_an_error() {
    let sources = sources();
    for problem_type in ProblemType::ALL {
        let same_name = |other: &&ProblemType| other.about().name == problem_type.about().name;
        assert_eq!(ProblemType::ALL.iter().filter(same_name).count(), 1);
        let row = format!("::{problem_type:?}.says(");
        let has_row = |(_, source): &(PathBuf, String)| source.contains(&row);
        assert!(sources.iter().any(has_row), "{problem_type:?}");
    }
}

#[test]
fn the_status_of_every_error_has_a_counter_of_its_own() {
    for problem_type in ProblemType::ALL {
        let status = problem_type.about().status.as_u16();
        assert!(
            STATUSES.contains(&status),
            "add {status} to STATUSES of `operate`"
        );
    }
}

#[test]
fn the_uri_of_a_problem_leads_to_the_page_of_the_api() {
    for (public_url, expected) in [
        (None, "/api#too-large"),
        (
            Some("https://bin.example"),
            "https://bin.example/api#too-large",
        ),
    ] {
        assert_eq!(ProblemType::TooLarge.uri(public_url), expected);
    }
}

/// Errors that quote a value of some length.
fn with_values() -> Vec<ApiError> {
    let fields = [
        "lang", "title", "expires", "burn", "password", "token", "rm", "oneshot",
    ];
    let of_fields = fields.into_iter().flat_map(|name| {
        let repeated = repeated(name);
        let E::RepeatedField(_, allowed) = repeated else {
            panic!("not a repeated field");
        };
        [
            repeated,
            E::FieldValue(name, allowed),
            E::FieldEmpty(name, allowed),
            E::FieldTooLong(name, allowed),
        ]
    });
    let of_members = all_members().map(|(name, allowed)| E::InvalidMember(name, allowed));
    let expiries = [
        ExpiryError::NoUnit,
        ExpiryError::UnknownUnit("y".to_owned()),
        ExpiryError::Malformed,
        ExpiryError::Zero,
        ExpiryError::Overflow,
    ];
    let name = || "burm".to_owned();
    let names = [
        E::UnknownField(name(), Some("burn")),
        E::UnknownOption(name(), Some("burn")),
        E::UnknownShortField(name(), Some("burn")),
        E::UnknownMember(name(), Some("burn")),
        E::ExpiryTooLong("30d".parse().unwrap()),
    ];
    let of_requests = of_fields
        .chain(of_members)
        .chain(expiries.map(E::Expiry))
        .chain(names);
    let targets = [
        LinkTargetError::TooLong,
        LinkTargetError::Character,
        LinkTargetError::Scheme,
        LinkTargetError::Host,
        LinkTargetError::Port,
        LinkTargetError::Credentials,
    ];
    let of_links = targets.map(|it| ApiError::Link(crate::app::LinkError::Target(it)));
    let of_requests = of_requests.map(ApiError::Request);
    let of_limits = exceeded_limits()
        .into_iter()
        .map(ApiError::RateLimitExceeded);
    of_requests.chain(of_links).chain(of_limits).collect()
}
/// Each action denied for a client and for its network. A save may also be larger than its quota ever allows.
fn exceeded_limits() -> Vec<RateLimitExceeded> {
    let soon = Some(Duration::from_secs(9));
    let by_action = Action::ALL.map(|action| (action, "rate 1/s burst 30", soon));
    let too_large = (Action::Save, "quota 1KiB/1d", None);
    let denials = by_action.into_iter().chain([too_large]);
    let of_both = denials.flat_map(|denial| [Tier::Client, Tier::Network].map(|it| (denial, it)));
    of_both
        .map(|((action, rules, retry_after), tier)| {
            let rules = Rules::parse(rules, action).unwrap();
            let denied = LimitDenied {
                action,
                rule: 0,
                tier,
                retry_after,
            };
            RateLimitExceeded::new(denied, &rules, 1).unwrap()
        })
        .collect()
}
