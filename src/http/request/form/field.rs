//! The field names that a form sent to `/` may use, and their meanings.
//!
//! Invariants:
//! - A name occurs once in the table. Names are case-sensitive.
//! - An unknown name in a form is an error and not ignored: a paste with a mistyped `burm=1` must not be published for
//!   good.
//!
//! Cost: a lookup scans the table of about fifty names. The nearest name is computed only for an error message.

use crate::spelling;

/// The meaning of a form field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The content to save.
    Content,
    /// Content that is deleted after one read.
    Oneshot,
    Language,
    Title,
    Expires(ExpiryNotation),
    /// The URL of a link, instead of content.
    Link,
    /// The number of reads after which the paste is deleted.
    Burn,
    /// A check box: the paste is deleted after one read.
    BurnSwitch,
    Password,
    /// The address of the paste.
    Slug,
    /// The id of the paste whose content is replaced.
    Replaces,
    /// The id of the paste that is deleted.
    Removes,
    /// The token of that paste.
    Token,
    /// A link that burns, which this server does not have.
    OneshotLink,
    /// The address of content that the server should download, which it does not.
    Remote,
    /// Content for which the server should make up a password, which it does not.
    GeneratedPassword,
    /// A field of other pastebins that has no meaning here.
    Ignored,
}

/// The notation of an expiry, which follows from the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpiryNotation {
    /// A number with a unit, or milliseconds since 1970.
    WithUnit,
    /// Seconds, or `-1` for never.
    Seconds,
    /// `day`, `week`, `month` or `year`.
    Word,
}

/// The pastebin whose names a form uses, as far as the answer depends on it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    #[default]
    Terminal,
    /// A pastebin whose form redirects to the page of the paste.
    Website,
    /// wastebin: as [`Self::Website`], and a bare number in `expires` is in seconds.
    Wastebin,
}

/// The names of each field. The first one is the documented name.
const TABLE: [(Field, &[&str]); 18] = [
    (
        Field::Content,
        &[
            "file", "sprunge", "clbin", "content", "text", "code", "paste", "data", "val", "p", "c",
        ],
    ),
    (Field::Oneshot, &["oneshot"]),
    (
        Field::Language,
        &["lang", "language", "syntax", "lexer", "extension", "ext"],
    ),
    (Field::Title, &["title", "name", "description"]),
    (Field::Expires(ExpiryNotation::WithUnit), &["expires"]),
    (Field::Expires(ExpiryNotation::Seconds), &["expire"]),
    (Field::Expires(ExpiryNotation::Word), &["expiration"]),
    (Field::Link, &["url", "shorten"]),
    (Field::Burn, &["burn", "read"]),
    (
        Field::BurnSwitch,
        &["burn-after-reading", "burn_after_reading"],
    ),
    (Field::Password, &["password"]),
    (Field::Slug, &["slug"]),
    (Field::Removes, &["rm"]),
    (Field::Token, &["token"]),
    (Field::OneshotLink, &["oneshot_url"]),
    (Field::Remote, &["remote"]),
    (Field::GeneratedPassword, &["protected"]),
    (
        Field::Ignored,
        &[
            "poster", "author", "nick", "user", "owner", "private", "secret", "remember", "submit",
            "parent", "reply",
        ],
    ),
];

/// The names that ix.io numbers, as in `ext:2`. They belong to the content with the same number.
const NUMBERED: [(Field, &str); 5] = [
    (Field::Content, "f"),
    (Field::Title, "name"),
    (Field::Language, "ext"),
    (Field::Burn, "read"),
    (Field::Replaces, "id"),
];

impl Field {
    /// The field with exactly this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::numbered(name).map(|(field, _)| field)
    }

    /// The field with exactly this name, and its number; zero if the name has none.
    pub(super) fn numbered(name: &str) -> Option<(Self, u8)> {
        if let Some((name, [digit @ b'1'..=b'9'])) = name
            .split_once(':')
            .map(|(name, number)| (name, number.as_bytes()))
        {
            let mut known = NUMBERED.iter();
            let (field, _) = known.find(|(_, numbered)| *numbered == name)?;
            return Some((*field, digit - b'0'));
        }
        let mut known = TABLE.iter();
        let (field, _) = known.find(|(_, names)| names.contains(&name))?;
        Some((*field, 0))
    }

    /// Returns whether the value of the field is the content to save.
    pub(super) fn is_content(self) -> bool {
        use Field::{Content, GeneratedPassword, Link, Oneshot, OneshotLink, Remote};
        matches!(
            self,
            Content | Oneshot | Link | OneshotLink | Remote | GeneratedPassword
        )
    }

    /// The documented name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Content => "file",
            Self::Language => "lang",
            Self::Title => "title",
            Self::Oneshot => "oneshot",
            Self::Expires(_) => "expires",
            Self::Link => "url",
            Self::Burn | Self::BurnSwitch => "burn",
            Self::Password => "password",
            Self::Slug => "slug",
            Self::Replaces => "id:1",
            Self::Removes => "rm",
            Self::Token => "token",
            Self::OneshotLink => "oneshot_url",
            Self::Remote => "remote",
            Self::GeneratedPassword => "protected",
            Self::Ignored => "submit",
        }
    }

    /// The allowed values, as error messages describe them.
    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Self::Content | Self::Oneshot | Self::GeneratedPassword => "the text or file to save",
            Self::Language => "the name of a language such as `rust`, at most 1 KiB",
            Self::Title => "one line of text, at most 64 KiB",
            Self::Expires(_) => "a number with a unit such as `7d`, or `never`",
            Self::Link | Self::OneshotLink | Self::Remote => {
                "a URL that starts with `https://` or `http://`"
            }
            Self::Burn | Self::BurnSwitch => "a number of views from 1 to 100",
            Self::Replaces | Self::Removes => "the id of a paste",
            Self::Token => "the token of the paste",
            Self::Password => "a text of 1 to 1024 bytes",
            Self::Slug => "3 to 64 characters of `a` to `z`, `0` to `9` and `-`",
            Self::Ignored => "anything",
        }
    }
}

impl Origin {
    /// The origin of a form with a field of this name.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "extension" | "burn-after-reading" | "burn_after_reading" => Self::Wastebin,
            "code" | "val" | "poster" | "expire" | "expiration" => Self::Website,
            _ => Self::Terminal,
        }
    }
}

impl ExpiryNotation {
    /// The expiry as tidebin writes it. An expiry in another notation is left as it is, so that it is refused later.
    pub(super) fn translated(self, value: &str) -> String {
        let value = value.trim();
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        match (self, value) {
            (Self::Seconds, "-1") => "never".to_owned(),
            (Self::Seconds, _) if is_number => format!("{value}s"),
            (Self::Word, "day") => "1d".to_owned(),
            (Self::Word, "week") => "7d".to_owned(),
            (Self::Word, "month") => "30d".to_owned(),
            (Self::Word, "year") => "365d".to_owned(),
            _ => value.to_owned(),
        }
    }
}

/// Returns whether a name is one that ix.io numbers, with a number above 9.
pub(crate) fn is_numbered_too_high(name: &str) -> bool {
    let Some((name, number)) = name.split_once(':') else {
        return false;
    };
    let is_known = NUMBERED.iter().any(|(_, numbered)| *numbered == name);
    is_known && number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The most similar known name, if one is similar. Ignored names are never suggested: they have no effect.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let is_proposed = |field| {
        use Field::{GeneratedPassword, Ignored, OneshotLink, Remote};
        !matches!(field, Ignored | OneshotLink | Remote | GeneratedPassword)
    };
    let proposed = TABLE.iter().filter(|(field, _)| is_proposed(*field));
    spelling::nearest(name, proposed.flat_map(|(_, names)| names.iter().copied()))
}

/// The most similar query option, if one is similar.
pub(crate) fn nearest_option(name: &str) -> Option<&'static str> {
    spelling::nearest(
        name,
        ["expires", "lang", "title", "burn", "password", "slug"],
    )
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
            let named = Field::named(field.name()).map(Field::name);
            assert_eq!(named, Some(field.name()));
        }
    }

    #[test]
    fn a_name_matches_only_exactly() {
        for name in [
            "", "f:0", "f:10", "f:", "title:1", "file ", "burm", "files", "Password",
        ] {
            assert_eq!(Field::named(name), None, "{name:?}");
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
            assert_eq!(nearest(typed), Some(meant), "{typed:?}");
        }
        for unlike in ["zzz", "", "x-y"] {
            assert_eq!(nearest(unlike), None, "{unlike:?}");
        }
    }
}
