//! The field names that a form sent to `/` may use, and their meanings.
//!
//! Invariants:
//! - A name has one meaning. Names are case-sensitive.
//! - An unknown name in a form is an error and not ignored: a paste with a mistyped `burm=1` must not be published for
//!   good.
//!
//! Cost: a lookup scans about fifty names. The nearest name is computed only for an error message.

use crate::http::request::error::RequestError;
use crate::http::request::save_option::{OPTIONS, SaveOption};

/// A known field.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(super) meaning: Meaning,
    /// The documented name.
    pub(super) name: &'static str,
    /// The allowed values, as error messages describe them.
    pub(super) allowed: &'static str,
    /// The number with which ix.io tells apart the fields of several pastes; zero if the name has none.
    pub(super) number: u8,
}

/// The meaning of a field.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    /// The content to save.
    Content,
    /// Content that is deleted after one read.
    Oneshot,
    /// The URL of a link, instead of content.
    Link,
    Option(&'static SaveOption),
    /// The id of the paste whose content is replaced.
    Replaces,
    /// The id of the paste that is deleted.
    Removes,
    /// The token of that paste.
    Token,
    /// A request for something that this server does not do.
    Refused(&'static RequestError),
    /// A field of other pastebins that has no meaning here.
    Ignored,
}

const CONTENT: &str = "the text or file to save";
const URL: &str = "a URL that starts with `https://` or `http://`";
const ID: &str = "the id of a paste";

/// The names of the fields that are not options, and their allowed values. The first name is the documented one.
const TABLE: [(Meaning, &[&str], &str); 9] = [
    (
        Meaning::Content,
        &[
            "file", "sprunge", "clbin", "content", "text", "code", "paste", "data", "val", "p", "c",
        ],
        CONTENT,
    ),
    (Meaning::Oneshot, &["oneshot"], CONTENT),
    (Meaning::Link, &["url", "shorten"], URL),
    (Meaning::Removes, &["rm"], ID),
    (Meaning::Token, &["token"], "the token of the paste"),
    (
        Meaning::Refused(&RequestError::OneshotLink),
        &["oneshot_url"],
        URL,
    ),
    (Meaning::Refused(&RequestError::Remote), &["remote"], URL),
    (
        Meaning::Refused(&RequestError::GeneratedPassword),
        &["protected"],
        CONTENT,
    ),
    (
        Meaning::Ignored,
        &[
            "submit", "poster", "author", "nick", "user", "owner", "private", "secret", "remember",
            "parent", "reply",
        ],
        "anything",
    ),
];

/// The names that ix.io numbers, as in `ext:2`. They belong to the content with the same number.
const NUMBERED: [&str; 5] = ["f", "name", "ext", "read", "id"];

impl Field {
    /// The field with exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if let Some((name, [digit @ b'1'..=b'9'])) = name
            .split_once(':')
            .map(|(name, number)| (name, number.as_bytes()))
        {
            let name = NUMBERED.into_iter().find(|known| *known == name)?;
            let field = match name {
                "id" => Self::new(Meaning::Replaces, "id:1", ID),
                "f" => Self::named("file")?,
                name => Self::named(name)?,
            };
            let number = digit - b'0';
            return Some(Self { number, ..field });
        }
        let mut options = OPTIONS.iter();
        if let Some(option) = options.find(|option| option.fields.contains(&name)) {
            return Some(Self::new(
                Meaning::Option(option),
                option.name,
                option.allowed,
            ));
        }
        let mut others = TABLE.iter();
        let (meaning, names, allowed) = others.find(|(_, names, _)| names.contains(&name))?;
        Some(Self::new(*meaning, names[0], allowed))
    }

    fn new(meaning: Meaning, name: &'static str, allowed: &'static str) -> Self {
        Self {
            meaning,
            name,
            allowed,
            number: 0,
        }
    }
}

/// The member of the API's JSON that a client means by the name of this field.
pub(crate) fn member_named(name: &str) -> Option<&'static str> {
    match Field::named(name)?.meaning {
        Meaning::Content => Some("content"),
        Meaning::Oneshot => Some("burn"),
        Meaning::Option(option) => Some(option.member.0),
        _ => None,
    }
}

/// The error for a field, an option or a member that is sent twice.
pub(crate) fn repeated(name: &'static str) -> RequestError {
    let field = Field::named(name);
    RequestError::RepeatedField(name, field.map_or("anything", |field| field.allowed))
}

/// The error for an unknown field. Names without an effect are never suggested.
pub(super) fn unknown(name: &str) -> RequestError {
    if is_numbered_too_high(name) {
        return RequestError::NumberTooLarge;
    }
    let has_effect = |meaning| !matches!(meaning, Meaning::Ignored | Meaning::Refused(_));
    let others = TABLE.iter().filter(|(meaning, ..)| has_effect(*meaning));
    let options = OPTIONS.iter().map(|option| option.fields);
    let names = others.map(|(_, names, _)| *names).chain(options);
    RequestError::unknown(RequestError::UnknownField, name, names.flatten().copied())
}

/// Returns whether a name is one that ix.io numbers, with a number above 9.
fn is_numbered_too_high(name: &str) -> bool {
    name.split_once(':').is_some_and(|(name, number)| {
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        NUMBERED.contains(&name) && number.len() > 1 && is_number
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_occurs_once_and_is_case_sensitive() {
        let mut seen = HashSet::new();
        let options = OPTIONS.iter().map(|option| (option.name, option.fields));
        let others = TABLE.iter().map(|(_, names, _)| (names[0], *names));
        for (documented, names) in others.chain(options) {
            for name in names {
                assert!(seen.insert(*name), "{name} stands twice");
                let field = Field::named(name).map(|field| field.name);
                assert_eq!(field, Some(documented), "{name}");
                assert!(Field::named(&name.to_uppercase()).is_none(), "{name}");
            }
        }
    }

    #[test]
    fn a_name_matches_only_exactly() {
        for name in [
            "", "f:0", "f:10", "f:", "title:1", "file ", "burm", "files", "Password", "filename",
        ] {
            assert!(Field::named(name).is_none(), "{name:?}");
        }
    }

    #[test]
    fn a_mistyped_name_suggests_the_intended_one() {
        for (typed, meant) in [
            ("expirse", "expires"),
            ("langauge", "language"),
            ("Title", "title"),
            ("syntx", "syntax"),
            ("FILE", "file"),
            ("sprung", "sprunge"),
            ("burm", "burn"),
            ("pasword", "password"),
        ] {
            let told = unknown(typed).row().sentence;
            assert!(told.contains(&format!("did you mean `{meant}`?")), "{told}");
        }
        for unlike in ["zzz", "", "x-y", "submi"] {
            assert!(
                !unknown(unlike).row().sentence.contains("mean"),
                "{unlike:?}"
            );
        }
    }
}
