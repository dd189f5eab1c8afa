//! The field names that a form sent to `/` may use, and their meanings.
//!
//! Invariants:
//! - A name occurs once in the table. Names are case-sensitive.
//! - An unknown name is an error and not ignored: a paste with a mistyped `burm=1` must not be published for good.
//!
//! Cost: a lookup scans the table of about forty names. The nearest name is computed only for an error message.

/// The meaning of a form field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The content to save.
    Content,
    Language,
    Title,
    Expires,
    /// The URL of a link, instead of content.
    Link,
    /// The number of reads after which the paste is deleted.
    Burn,
    Password,
    /// A field of other pastebins that has no meaning here.
    Ignored,
}

/// The names of each field. The first one is the documented name.
const TABLE: [(Field, &[&str]); 8] = [
    (
        Field::Content,
        &[
            "file", "f:1", "f:2", "f:3", "f:4", "f:5", "f:6", "f:7", "f:8", "f:9", "sprunge",
            "clbin", "content", "text", "code", "paste", "data", "val", "p", "c",
        ],
    ),
    (
        Field::Language,
        &["lang", "language", "syntax", "lexer", "extension", "ext"],
    ),
    (Field::Title, &["title", "name"]),
    (Field::Expires, &["expires"]),
    (Field::Link, &["url", "shorten"]),
    (Field::Burn, &["burn"]),
    (Field::Password, &["password"]),
    (
        Field::Ignored,
        &[
            "poster", "author", "nick", "user", "private", "secret", "remember", "submit",
            "parent", "reply", "read",
        ],
    ),
];

impl Field {
    /// The field with exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABLE
            .iter()
            .find(|(_, names)| names.contains(&name))
            .map(|(field, _)| *field)
    }

    /// The documented name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Content => "file",
            Self::Language => "lang",
            Self::Title => "title",
            Self::Expires => "expires",
            Self::Link => "url",
            Self::Burn => "burn",
            Self::Password => "password",
            Self::Ignored => "submit",
        }
    }

    /// The allowed values, as error messages describe them.
    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Self::Content => "the text or file to save",
            Self::Language => "the name of a language such as `rust`, at most 1 KiB",
            Self::Title => "one line of text, at most 64 KiB",
            Self::Expires => "a number with a unit such as `7d`, or `never`",
            Self::Link => "a URL that starts with `https://` or `http://`",
            Self::Burn => "a number of views from 1 to 100",
            Self::Password => "a text of 1 to 1024 bytes",
            Self::Ignored => "anything",
        }
    }
}

/// The least similarity of a suggested name, from 0 to 1: a wrong suggestion misleads more than none.
const MIN_SIMILARITY: f64 = 0.8;

/// The most similar known name, if one is similar. Ignored names are never suggested: they have no effect.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let proposed = TABLE.iter().filter(|(field, _)| *field != Field::Ignored);
    most_like(name, proposed.flat_map(|(_, names)| names.iter().copied()))
}

/// The most similar query option, if one is similar.
pub(crate) fn nearest_option(name: &str) -> Option<&'static str> {
    let options = [
        Field::Expires,
        Field::Language,
        Field::Title,
        Field::Burn,
        Field::Password,
    ];
    most_like(name, options.into_iter().map(Field::name))
}

/// The most similar of the known names, if one is similar.
pub(crate) fn most_like(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    known
        .map(|known| (strsim::jaro_winkler(&name, known), known))
        // Among equally similar names the first wins; `max_by` would return the last.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_occurs_once_and_is_case_sensitive() {
        let mut seen = HashSet::new();
        for (field, names) in TABLE {
            for name in names {
                assert!(seen.insert(*name), "{name} stands twice");
                assert_eq!(Field::named(name), Some(field), "{name}");
                assert_eq!(Field::named(&name.to_uppercase()), None, "{name}");
            }
        }
    }

    #[test]
    fn the_documented_name_of_a_field_is_one_of_its_names() {
        for (field, _) in TABLE {
            assert_eq!(Field::named(field.name()), Some(field));
        }
    }

    #[test]
    fn a_name_matches_only_exactly() {
        for name in [
            "", "f:0", "f:10", "f:", "file ", "burm", "expire", "files", "Password",
        ] {
            assert_eq!(Field::named(name), None, "{name:?}");
        }
    }

    #[test]
    fn a_mistyped_name_suggests_the_intended_one() {
        for (typed, meant) in [
            ("expire", "expires"),
            ("expiry_days", "expires"),
            ("langauge", "language"),
            ("Title", "title"),
            ("syntx", "syntax"),
            ("FILE", "file"),
            ("sprung", "sprunge"),
            ("burm", "burn"),
            ("pasword", "password"),
        ] {
            assert_eq!(nearest(typed), Some(meant), "{typed:?}");
        }
        for unlike in ["zzz", "", "x-y"] {
            assert_eq!(nearest(unlike), None, "{unlike:?}");
        }
    }
}
