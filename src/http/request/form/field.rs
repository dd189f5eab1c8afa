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
    /// A question, instead of content.
    Question,
    Option(&'static SaveOption),
    /// The id of the paste whose content is replaced.
    Replaces,
    /// The id of the paste that is deleted.
    Removes,
    /// The token of that paste.
    Token,
    /// Who can read the paste, as the editor asks.
    Readers,
    /// Whether the line ends of the text are those of Windows, as browsers send them.
    Ends,
    /// A request for something that this server does not do.
    Refused(&'static RequestError),
    /// A field of other pastebins that has no meaning here.
    Ignored,
}

const CONTENT: &str = "the text or file to save";
const URL: &str = "a URL that starts with `https://` or `http://`";
const ID: &str = "the id of a paste";

/// The names of the fields that are not options, and their allowed values. The first name is the documented one.
const TABLE: [(Meaning, &[&str], &str); 14] = [
    (
        Meaning::Content,
        &[
            "file", "f:1", "sprunge", "clbin", "content", "text", "code", "paste", "data", "val",
            "p", "c",
        ],
        CONTENT,
    ),
    (Meaning::Oneshot, &["oneshot"], CONTENT),
    (Meaning::Link, &["url", "shorten"], URL),
    (Meaning::Question, &["question"], "at most 300 characters"),
    (Meaning::Replaces, &["id:1"], ID),
    (Meaning::Removes, &["rm"], ID),
    (Meaning::Token, &["token"], "the token of the paste"),
    (Meaning::Ends, &["ends"], "`crlf`"),
    (
        Meaning::Readers,
        &["readers"],
        "`link`, `once` or `password`",
    ),
    (
        Meaning::Refused(&RequestError::OneshotLink),
        &["oneshot_url"],
        URL,
    ),
    (Meaning::Refused(&RequestError::Remote), &["remote"], URL),
    (
        Meaning::Refused(&RequestError::SeveralContents),
        &["f:2", "f:3", "f:4", "f:5", "f:6", "f:7", "f:8", "f:9"],
        CONTENT,
    ),
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

impl Field {
    /// The field with exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        // ix.io numbers the options of a content.
        let name = match name {
            "name:1" | "ext:1" | "read:1" => &name[..name.len() - 2],
            name => name,
        };
        let mut options = OPTIONS.iter();
        if let Some(option) = options.find(|option| option.fields.contains(&name)) {
            return Some(Self {
                meaning: Meaning::Option(option),
                name: option.name,
                allowed: option.allowed,
            });
        }
        let mut others = TABLE.iter();
        let (meaning, names, allowed) = others.find(|(_, names, _)| names.contains(&name))?;
        Some(Self {
            meaning: *meaning,
            name: names[0],
            allowed,
        })
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
    let has_effect = |meaning| !matches!(meaning, Meaning::Ignored | Meaning::Refused(_));
    let others = TABLE.iter().filter(|(meaning, ..)| has_effect(*meaning));
    let options = OPTIONS.iter().map(|option| option.fields);
    let names = others.map(|(_, names, _)| *names).chain(options);
    RequestError::unknown(RequestError::UnknownField, name, names.flatten().copied())
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
            "", "f:0", "f:10", "f:", "id:2", "name:2", "title:1", "file ", "burm", "files",
            "Password", "filename",
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
