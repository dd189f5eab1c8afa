//! Headings: their ids, to which links lead, and the table of contents.
//!
//! Invariants: ids are unique within a document. An id consists of letters, digits, `-` and `_`. It is a slug of at
//! most [`MAX_SLUG`] bytes, with a number if necessary. A document with [`MIN_HEADINGS`] headings has a table of
//! contents: its first [`MAX_ENTRIES`] headings, without those of lower levels.
//! Cost: one or two hash look-ups per heading.

use std::collections::HashMap;

use crate::render::escape::write_text;
use crate::render::unsafe_char::unsafe_char;

/// The prefix of every heading's id. No other id of a page starts with it.
pub(super) const HEADING: &str = "h-";

/// Maximum length of a slug in bytes.
const MAX_SLUG: usize = 80;
const MIN_HEADINGS: usize = 3;
const MAX_ENTRIES: usize = 100;
const MAX_CHARS: usize = 100;
/// Maximum number of levels of headings that are listed.
const MAX_LEVELS: usize = 3;

/// The headings of a document so far.
#[derive(Debug, Default)]
pub(super) struct Headings {
    /// For each id in use, the next number to try.
    next_number: HashMap<String, usize>,
    /// The level and the link of the first headings.
    entries: Vec<(usize, String)>,
}

impl Headings {
    /// Adds a heading. Returns its id without the prefix: the slug of its text, with a number if it is in use.
    pub(super) fn add(&mut self, level: usize, text: &str) -> String {
        let slug = slug(text);
        let mut number = self.next_number.get(&slug).copied().unwrap_or_default();
        let mut id = slug.clone();
        // Another heading may have the id `a-1`. Each used id is skipped only once, because the next number is stored.
        while self.next_number.contains_key(&id) {
            id = format!("{slug}-{number}");
            number += 1;
        }
        self.next_number.insert(slug, number.max(1));
        self.next_number.entry(id.clone()).or_insert(1);
        if !text.trim().is_empty() && self.entries.len() < MAX_ENTRIES {
            self.entries.push((level, link(text.trim(), &id)));
        }
        id
    }

    /// Returns the table of contents as HTML. Returns `None` if the document has few headings.
    pub(super) fn contents(&self) -> Option<String> {
        if self.entries.len() < MIN_HEADINGS {
            return None;
        }
        let mut levels: Vec<usize> = self.entries.iter().map(|(level, _)| *level).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.truncate(MAX_LEVELS);
        let listed = self.entries.iter().filter_map(|(level, link)| {
            let rank = levels.iter().position(|listed| listed == level)? + 1;
            Some(format!("<li class=\"l{rank}\">{link}</li>"))
        });
        Some(format!("<ul>{}</ul>", listed.collect::<String>()))
    }
}

fn link(text: &str, id: &str) -> String {
    let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    let direction = if text.is_ascii() { "" } else { " dir=\"auto\"" };
    let mut link = format!("<a{direction} href=\"#{HEADING}{id}\">");
    write_text(&text[..end.unwrap_or(text.len())], &mut link).expect("a string takes everything");
    link + if end.is_some() { "…</a>" } else { "</a>" }
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
            c if c.is_alphanumeric() && unsafe_char(c).is_none() => slug.push(c),
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

    fn ids<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut headings = Headings::default();
        texts
            .into_iter()
            .map(|text| headings.add(1, text))
            .collect()
    }

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
        let names = ids(["a", "a", "a-1", "a", "a-1"]);
        assert_eq!(names, ["a", "a-1", "a-1-1", "a-2", "a-1-2"]);
    }

    fn contents(levels: &[usize]) -> Option<String> {
        let mut headings = Headings::default();
        for level in levels {
            headings.add(*level, "a <b>");
        }
        headings.contents()
    }

    #[test]
    fn three_headings_have_contents_with_their_levels() {
        assert_eq!(contents(&[1, 2]), None);
        let list = |ranks: [usize; 3]| {
            let item = |(rank, id)| {
                format!("<li class=\"l{rank}\"><a href=\"#h-{id}\">a &#60;b&#62;</a></li>")
            };
            let items: String = ranks
                .into_iter()
                .zip(["a-b", "a-b-1", "a-b-2"])
                .map(item)
                .collect();
            Some(format!("<ul>{items}</ul>"))
        };
        assert_eq!(contents(&[2, 3, 2]), list([1, 2, 1]));
        assert_eq!(contents(&[1, 2, 4, 6]), list([1, 2, 3]));
    }

    #[test]
    fn of_many_headings_the_first_are_listed_and_long_ones_cut() {
        let count = contents(&[1; 10_000]).map(|html| html.matches("<li").count());
        assert_eq!(count, Some(MAX_ENTRIES));
        let mut long = Headings::default();
        (0..3).for_each(|_| _ = long.add(1, &"é".repeat(10_000)));
        assert!(long.contents().is_some_and(|html| html.len() < 1200));
    }

    proptest! {
        #[test]
        fn no_two_headings_have_the_same_id(headings in prop::collection::vec("[a ]{0,2}(-1|-2|-1-1)?", 0..40)) {
            let mut names = ids(headings.iter().map(String::as_str));
            let all = names.len();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), all);
        }
    }
}
