//! The table of contents of a document: a list of links to its headings.
//!
//! Invariants: a document has one if it has [`MIN_HEADINGS`] headings. It has at most [`MAX_ENTRIES`] entries, each
//! with at most [`MAX_CHARS`] characters. If there are more headings, only those of the upper levels are listed.
//! Cost: a copy of the headings' texts. At most [`MAX_ENTRIES`] headings of each level are kept.

use super::heading_ids::HEADING;
use super::html_buffer::HtmlBuffer;

const MIN_HEADINGS: usize = 3;
const MAX_ENTRIES: usize = 100;
const MAX_CHARS: usize = 100;
/// Maximum number of levels of headings that are listed.
const MAX_LEVELS: usize = 3;

/// The headings of a document so far.
#[derive(Debug, Default)]
pub(super) struct Contents {
    entries: Vec<Entry>,
    /// The number of headings of each level. The first level is 1.
    counts: [usize; 7],
    size: usize,
}

#[derive(Debug)]
struct Entry {
    level: usize,
    link: HtmlBuffer,
}

impl Contents {
    /// Adds a heading with this text and slug.
    pub(super) fn add(&mut self, level: usize, text: &str, slug: &str) {
        self.counts[level] += 1;
        let text = text.trim();
        if text.is_empty() || self.counts[level] > MAX_ENTRIES {
            return;
        }
        let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
        let mut link = HtmlBuffer::default();
        link.markup(if text.is_ascii() {
            "<a"
        } else {
            "<a dir=\"auto\""
        });
        link.attribute(" href=\"#", &[HEADING, slug].concat());
        link.markup(">");
        link.text(&text[..end.unwrap_or(text.len())]);
        link.markup(if end.is_some() {
            "…</a></li>\n"
        } else {
            "</a></li>\n"
        });
        self.size += link.len();
        self.entries.push(Entry { level, link });
    }

    /// Returns the bytes of HTML so far.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the list as HTML. Returns `None` if the document has few headings.
    pub(super) fn finish(self) -> Option<String> {
        if self.counts.iter().sum::<usize>() < MIN_HEADINGS {
            return None;
        }
        let levels = self.listed_levels();
        let rank = |entry: &Entry| levels.iter().position(|level| *level == entry.level);
        let mut html = HtmlBuffer::with_capacity(self.size + 20 * self.entries.len());
        html.markup("<ul>\n");
        let listed = self
            .entries
            .iter()
            .filter_map(|entry| Some((entry, rank(entry)?)));
        for (entry, rank) in listed.take(MAX_ENTRIES) {
            html.with_number("<li class=\"l", rank + 1, "\">");
            html.fragment(entry.link.as_str());
        }
        html.markup("</ul>");
        Some(html.into_string())
    }

    /// Returns the levels that are listed: those that fit, and at least enough that the list is not only a title.
    fn listed_levels(&self) -> Vec<usize> {
        let used = (1..self.counts.len()).filter(|level| self.counts[*level] > 0);
        let mut headings = 0;
        used.take(MAX_LEVELS)
            .take_while(|level| {
                let is_listed =
                    headings < MIN_HEADINGS || headings + self.counts[*level] <= MAX_ENTRIES;
                headings += self.counts[*level];
                is_listed
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(levels: &[usize]) -> Option<String> {
        let mut contents = Contents::default();
        for level in levels {
            contents.add(*level, "a <b>", "a-b");
        }
        contents.finish()
    }

    #[test]
    fn three_headings_have_contents_with_their_levels() {
        assert_eq!(contents(&[1, 2]), None);
        let item =
            |level| format!("<li class=\"l{level}\"><a href=\"#h-a-b\">a &#60;b&#62;</a></li>\n");
        assert_eq!(
            contents(&[2, 3, 2]),
            Some(["<ul>\n", &item(1), &item(2), &item(1), "</ul>"].concat())
        );
        assert_eq!(
            contents(&[1, 2, 4, 6]),
            Some(["<ul>\n", &item(1), &item(2), &item(3), "</ul>"].concat())
        );
    }

    #[test]
    fn many_headings_are_listed_by_their_upper_levels() {
        let count = |levels: &[usize]| contents(levels).map(|html| html.matches("<li").count());
        assert_eq!(count(&[1; 10_000]), Some(MAX_ENTRIES));
        assert_eq!(count(&[&[1][..], &[2; 10_000]].concat()), Some(MAX_ENTRIES));
        assert_eq!(count(&[&[1; 5][..], &[2; 10_000]].concat()), Some(5));
        let mut long = Contents::default();
        (0..3).for_each(|_| long.add(1, &"é".repeat(10_000), "a"));
        assert!(long.finish().is_some_and(|html| html.len() < 1000));
    }
}
