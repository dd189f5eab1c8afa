//! Heading ids: the HTML ids to which links to headings lead.
//!
//! Invariants: ids are unique within a document. An id consists of letters, digits, `-` and `_`. It is a slug of at
//! most [`MAX_SLUG`] bytes, with a number if necessary.
//! Cost: one or two hash look-ups per heading.

use std::collections::HashMap;

/// The prefix of every heading's id. No other id of a page starts with it.
pub(super) const HEADING: &str = "h-";

/// Maximum length of a slug in bytes.
const MAX_SLUG: usize = 80;

/// The ids that are in use. For each, the map contains the next number to try.
#[derive(Debug, Default)]
pub(super) struct HeadingIds {
    next_number: HashMap<String, usize>,
}

impl HeadingIds {
    /// Returns the id of a heading with this text, without the prefix. It is the slug. If the slug is in use, a number
    /// is appended.
    pub(super) fn id(&mut self, heading: &str) -> String {
        let slug = slug(heading);
        let mut number = self.next_number.get(&slug).copied().unwrap_or_default();
        let mut id = slug.clone();
        // Another heading may have the id `a-1`. Each used id is skipped only once, because the next number is stored.
        while self.next_number.contains_key(&id) {
            id = format!("{slug}-{number}");
            number += 1;
        }
        self.next_number.insert(slug, number.max(1));
        self.next_number.entry(id.clone()).or_insert(1);
        id
    }
}

/// Returns the slug of a text by GitHub's rules: lower case, `-` for spaces, no punctuation.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        if slug.len() + c.len_utf8() > MAX_SLUG {
            break;
        }
        match c {
            ' ' | '\n' => slug.push('-'),
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() => slug.push(c),
            _ => {}
        }
    }
    if slug.is_empty() {
        slug.push_str("part");
    }
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_heading_has_the_slug_that_github_gives_it() {
        for (heading, name) in [
            ("Getting Started", "getting-started"),
            ("What's new in 2.0?", "whats-new-in-20"),
            ("snake_case & more", "snake_case--more"),
            ("Größe", "größe"),
            ("راهنما", "راهنما"),
            ("???", "part"),
            ("\"><script>\u{202e}", "script"),
        ] {
            assert_eq!(slug(heading), name);
        }
    }

    #[test]
    fn the_slug_of_a_long_heading_is_cut() {
        assert_eq!(slug(&"é".repeat(1000)).len(), MAX_SLUG);
    }

    #[test]
    fn headings_of_the_same_text_are_numbered() {
        let mut ids = HeadingIds::default();
        let names = ["a", "a", "a-1", "a", "a-1"].map(|heading| ids.id(heading));
        assert_eq!(names, ["a", "a-1", "a-1-1", "a-2", "a-1-2"]);
    }

    proptest! {
        #[test]
        fn no_two_headings_have_the_same_id(headings in prop::collection::vec("[a ]{0,2}(-1|-2|-1-1)?", 0..40)) {
            let mut ids = HeadingIds::default();
            let mut names: Vec<String> = headings.iter().map(|heading| ids.id(heading)).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), all);
        }
    }
}
