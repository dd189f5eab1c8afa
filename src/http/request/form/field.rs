//! Fields: the names that a form on `/` may use, and what each means.
//!
//! What it must not know: how a form is written on the wire, and what becomes of a value.
//! Invariants: a closed table; no name stands in it twice; names are exact, case included. A name that is not in it is
//! refused, not skipped: whoever writes `burm=1` must not find the paste published for good.
//! Cost: finding a name walks the table (some forty entries); the nearest name is looked for only for a refusal.

/// What a field of a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The bytes to save.
    Content,
    /// What to read them as.
    Language,
    /// What to call them.
    Title,
    /// How long they stay.
    Expires,
    /// An address to lead to, instead of bytes to save.
    Link,
    /// How often they may be read.
    Burn,
    /// What they are sealed under.
    Password,
    /// Sent by clients of other pastebins, without a meaning here.
    Ignored,
}

/// The table. The first name of a field is the one that we ask for.
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
    /// The field of exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        TABLE
            .iter()
            .find(|(_, names)| names.contains(&name))
            .map(|(field, _)| *field)
    }

    /// The name that we ask for.
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

    /// What a value of it looks like, for a refusal.
    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Self::Content => "the text or file to save",
            Self::Language => "the name of a language such as `rust`, at most 1 KiB",
            Self::Title => "one line of text, at most 64 KiB",
            Self::Expires => "a number with a unit such as `7d`, or `never`",
            Self::Link => "an address that begins with `https://` or `http://`",
            Self::Burn => "a number of reads from 1 to 100",
            Self::Password => "1 to 1024 bytes",
            Self::Ignored => "anything",
        }
    }
}

/// The known name that looks most like this one; ours for the content if none looks like it. Ignored names are never
/// proposed: they would be accepted and do nothing.
pub(crate) fn nearest(name: &str) -> &'static str {
    let proposed = TABLE.iter().filter(|(field, _)| *field != Field::Ignored);
    most_like(name, proposed.flat_map(|(_, names)| names.iter().copied()))
}

/// The option of a query that looks most like this name.
pub(crate) fn nearest_option(name: &str) -> &'static str {
    let options = [
        Field::Expires,
        Field::Language,
        Field::Title,
        Field::Burn,
        Field::Password,
    ];
    most_like(name, options.into_iter().map(Field::name))
}

fn most_like(name: &str, known: impl Iterator<Item = &'static str>) -> &'static str {
    let name = name.to_ascii_lowercase();
    known
        .map(|known| (strsim::jaro_winkler(&name, known), known))
        // The first of equals: `max_by` would take the last.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map_or("file", |(_, known)| known)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_stands_once_and_means_its_field_in_this_case_only() {
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
    fn the_name_asked_for_is_a_name_of_its_field() {
        for (field, _) in TABLE {
            assert_eq!(Field::named(field.name()), Some(field));
        }
    }

    #[test]
    fn what_is_nearly_a_name_is_no_name() {
        for name in [
            "", "f:0", "f:10", "f:", "file ", "burm", "expire", "files", "Password",
        ] {
            assert_eq!(Field::named(name), None, "{name:?}");
        }
    }

    #[test]
    fn a_mistyped_name_is_answered_with_the_one_that_was_meant() {
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
            ("zzz", "file"),
            ("", "file"),
        ] {
            assert_eq!(nearest(typed), meant, "{typed:?}");
        }
    }
}
