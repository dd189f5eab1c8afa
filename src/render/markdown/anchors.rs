//! Anchors: the names by which headings are linked to.
//!
//! What it must not know: HTML.
//! Invariants: no two names of a document are the same; a name is of letters, digits, `-` and `_`, at most
//! [`LONGEST`] bytes and a number.
//! Cost: a look-up or two a heading.

use std::collections::HashMap;

/// What the id of every heading begins with; no other id of a page does.
pub(super) const HEADING: &str = "h-";

/// Bytes of a name before its number.
const LONGEST: usize = 80;

/// The names given so far, and how many headings asked for each.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    asked: HashMap<String, usize>,
}

impl Anchors {
    /// A name for the heading of this text: its slug, with a number from the second on.
    pub(super) fn name(&mut self, heading: &str) -> String {
        let slug = slug(heading);
        let mut number = self.asked.get(&slug).copied().unwrap_or_default();
        let mut name = slug.clone();
        // Another heading may be called `a-1`. Each is passed over once: the number goes on from there.
        while self.asked.contains_key(&name) {
            name = format!("{slug}-{number}");
            number += 1;
        }
        self.asked.insert(slug, number.max(1));
        self.asked.entry(name.clone()).or_insert(1);
        name
    }
}

/// A text as a name, as GitHub writes it: in lower case, a space as `-`, without punctuation.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        if slug.len() + c.len_utf8() > LONGEST {
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
    fn a_heading_is_named_as_people_know_it_from_github() {
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
    fn a_long_heading_has_a_short_name() {
        assert_eq!(slug(&"é".repeat(1000)).len(), LONGEST);
    }

    #[test]
    fn headings_of_the_same_text_are_numbered() {
        let mut anchors = Anchors::default();
        let names = ["a", "a", "a-1", "a", "a-1"].map(|heading| anchors.name(heading));
        assert_eq!(names, ["a", "a-1", "a-1-1", "a-2", "a-1-2"]);
    }

    proptest! {
        #[test]
        fn no_name_is_given_twice(headings in prop::collection::vec("[a ]{0,2}(-1|-2|-1-1)?", 0..40)) {
            let mut anchors = Anchors::default();
            let mut names: Vec<String> = headings.iter().map(|heading| anchors.name(heading)).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), all);
        }
    }
}
