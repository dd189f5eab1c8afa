//! Tags of raw HTML that a document may use.
//!
//! Invariants: a tag has no attribute except `open`. Its name is one of six.
//! Cost: one pass.

/// The elements that a document may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Details,
    Summary,
    Kbd,
    Sub,
    Sup,
    Br,
}

/// A tag, such as `<kbd>` or `</kbd>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: Name,
    pub(super) is_end: bool,
    /// The end tag and the start tag that are written for this element.
    pub(super) markup: (&'static str, &'static str),
}

/// A part of raw HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// A tag, and the text that it was made from.
    Tag(Tag, &'a str),
}

/// Maximum length of a tag in bytes. A longer one has something that it may not have.
const MAX_TAG: usize = 16;

impl Name {
    /// Returns whether this element may be in a line of text.
    pub(super) fn is_inline(self) -> bool {
        !matches!(self, Self::Details | Self::Summary)
    }
}

impl Tag {
    /// Parses a whole tag. Returns `None` if a document may not use it.
    pub(super) fn parse(written: &str) -> Option<Self> {
        let inner = written.strip_prefix('<')?.strip_suffix('>')?;
        let is_end = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = inner.split_at(end.unwrap_or(inner.len()));
        let (name, markup) = match (name.to_ascii_lowercase().as_str(), rest.trim()) {
            ("details", "") => (Name::Details, ("<details>", "</details>\n")),
            ("details", "open") if !is_end => (Name::Details, ("<details open>", "</details>\n")),
            ("summary", "") => (Name::Summary, ("<summary>", "</summary>\n")),
            ("kbd", "") => (Name::Kbd, ("<kbd>", "</kbd>")),
            ("sub", "") => (Name::Sub, ("<sub>", "</sub>")),
            ("sup", "") => (Name::Sup, ("<sup>", "</sup>")),
            ("br", "" | "/") if !is_end => (Name::Br, ("<br>\n", "")),
            _ => return None,
        };
        Some(Self {
            name,
            is_end,
            markup,
        })
    }
}

/// Splits raw HTML into tags that a document may use, and the text between them. Comments are text.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        let mut at = 0;
        while let Some(found) = rest[at..].find('<') {
            at += found;
            if let Some(comment) = rest[at..].strip_prefix("<!--") {
                let end = comment.find("-->").unwrap_or(comment.len());
                at += "<!--".len() + end;
                continue;
            }
            let tag = rest.as_bytes()[at..]
                .iter()
                .take(MAX_TAG)
                .position(|byte| *byte == b'>');
            let Some((tag, written)) = tag.and_then(|end| {
                let written = &rest[at..=at + end];
                Some((Tag::parse(written)?, written))
            }) else {
                at += 1;
                continue;
            };
            if at > 0 {
                break;
            }
            rest = &rest[written.len()..];
            return Some(Token::Tag(tag, written));
        }
        if !rest[at..].starts_with('<') {
            at = rest.len();
        }
        let (text, after) = rest.split_at(at);
        rest = after;
        (!text.is_empty()).then_some(Token::Text(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_one_of_six_names_and_no_attribute_but_open() {
        for written in [
            "<details>",
            "<DETAILS open>",
            "</details >",
            "<summary>",
            "<kbd>",
            "</sub>",
            "<SuP>",
            "<br>",
            "<br />",
        ] {
            assert!(Tag::parse(written).is_some(), "{written}");
        }
        for written in [
            "<details open=x>",
            "</details open>",
            "<details onclick=a>",
            "<kbd/>",
            "<kbd class>",
            "</br>",
            "< kbd>",
            "<kbd",
            "kbd>",
            "<b>",
            "<br/ >x",
            "<brx>",
            "<script>",
            "<>",
            "</>",
            "<sub\u{a0}x>",
            "<\u{212a}bd>",
        ] {
            assert_eq!(Tag::parse(written), None, "{written}");
        }
    }

    #[test]
    fn raw_html_is_split_into_tags_and_text() {
        for (html, expected) in [
            ("", vec![]),
            ("a<b", vec!["a<b"]),
            ("<br>", vec!["(<br>)"]),
            ("<<br><br>>", vec!["<", "(<br>)", "(<br>)", ">"]),
            ("<!-- <br> --><br>", vec!["<!-- <br> -->", "(<br>)"]),
            ("<!-- <br>", vec!["<!-- <br>"]),
            ("a<kbd>é<b></kbd>", vec!["a", "(<kbd>)", "é<b>", "(</kbd>)"]),
        ] {
            let tokens = tokens(html).map(|token| match token {
                Token::Text(text) => text.to_owned(),
                Token::Tag(_, written) => format!("({written})"),
            });
            assert_eq!(tokens.collect::<Vec<_>>(), expected, "{html}");
        }
    }
}
