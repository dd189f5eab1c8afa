//! Slugs: addresses that people choose for their pastes, such as `release-notes`.
//!
//! Invariants: a slug has 3 to 64 characters of `a-z0-9-`. It is never as long as an id, and never the start of a
//! route, so a path names a slug, an id or a route, and never two of them.

use super::{IdCodec, PasteId};
use crate::hidden::Hidden;

/// The chosen address of a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slug(Hidden<Box<str>>);

/// Why a text is not a slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlugError {
    /// It is too short or too long, or has another character.
    NotASlug,
    /// It has as many characters as an id.
    LikeAnId,
    /// The server has a page there, or may have one later.
    Reserved,
}

/// The first segments of all routes, without their endings, some of which routes may be made, and the files at the root
/// of a domain that speak for all of it.
const RESERVED: [&str; 34] = [
    "about",
    "account",
    "admin",
    "ads",
    "api",
    "app-ads",
    "apple-app-site-association",
    "ask",
    "assets",
    "crossdomain",
    "diff",
    "documents",
    "favicon",
    "healthz",
    "help",
    "humans",
    "index",
    "llms",
    "login",
    "logout",
    "metrics",
    "mine",
    "operate",
    "raw",
    "record",
    "report",
    "robots",
    "security",
    "settings",
    "share",
    "sharex",
    "sitemap",
    "static",
    "version",
];

impl Slug {
    /// Minimum number of characters.
    pub const LEAST: usize = 3;

    /// Maximum number of characters.
    pub const MOST: usize = 64;

    /// Returns the slug with this text.
    ///
    /// # Errors
    /// Returns a [`SlugError`] if the text is not a slug.
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if !(Self::LEAST..=Self::MOST).contains(&text.len()) || !text.bytes().all(is_allowed) {
            return Err(SlugError::NotASlug);
        }
        if text.len() == IdCodec::LENGTH {
            return Err(SlugError::LikeAnId);
        }
        match RESERVED.contains(&text) || proves_domain(text) {
            true => Err(SlugError::Reserved),
            false => Ok(Self(Hidden(text.into()))),
        }
    }

    /// Returns the id of the paste with this slug.
    pub fn id(&self, ids: &IdCodec) -> PasteId {
        ids.id_of_slug(&self.0)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether this is the name of the file by which Google knows the owner of a domain.
fn proves_domain(text: &str) -> bool {
    let digits = text.strip_prefix("google");
    digits.is_some_and(|it| it.len() == 16 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_3_to_64_characters_and_is_neither_an_id_nor_a_route() {
        let long = "a".repeat(64);
        for text in [
            "abc",
            "release-notes",
            "2026",
            "---",
            "a-very-long-name",
            "google-0123456789abcde",
            &long,
        ] {
            assert_eq!(Slug::parse(text).unwrap().as_str(), text);
        }
        let too_long = "a".repeat(65);
        for (text, error) in [
            ("", SlugError::NotASlug),
            ("ab", SlugError::NotASlug),
            (&too_long, SlugError::NotASlug),
            ("Notes", SlugError::NotASlug),
            ("my notes", SlugError::NotASlug),
            ("my_notes", SlugError::NotASlug),
            ("my/notes", SlugError::NotASlug),
            ("notes.txt", SlugError::NotASlug),
            ("nötes", SlugError::NotASlug),
            ("a\0b", SlugError::NotASlug),
            ("twelve-chars", SlugError::LikeAnId),
            ("raw", SlugError::Reserved),
            ("robots", SlugError::Reserved),
            ("ads", SlugError::Reserved),
            ("apple-app-site-association", SlugError::Reserved),
            ("google0123456789abcdef", SlugError::Reserved),
        ] {
            assert_eq!(Slug::parse(text), Err(error), "{text:?}");
        }
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn no_debug_text_shows_a_slug() {
        assert_eq!(format!("{:?}", Slug::parse("abc")), "Ok(Slug(secret))");
    }
}
