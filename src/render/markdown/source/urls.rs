//! Bare URLs of a source, with the characters in them that would be read as markup.
//!
//! By the rules of GitHub, a bare URL takes precedence over emphasis, strikethrough and code in it. The parser knows no
//! bare URLs and would cut `https://a.example/__init__.py`. So these characters are escaped before it reads the text.
//! Invariants: a URL does not contain a link, and contains inline code only as a whole. In a table, it ends in its
//! cell.
//! Cost: one pass over the text.

use std::ops::Range;

use super::super::autolink::Autolink;

/// The characters of inline markup that a URL may have.
const MARKUP: [char; 5] = ['*', '_', '~', '`', '$'];

/// The URLs of a text that precede the current event.
pub(super) struct Urls<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
    /// The position up to which the text was searched.
    searched: usize,
    /// The end of the last table cell.
    cell_end: Option<usize>,
    line: Line,
}

/// The part of a line before a URL.
#[derive(Default)]
struct Line {
    end: usize,
    has_fence: bool,
}

impl<'a> Urls<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            found: Vec::new(),
            searched: 0,
            cell_end: None,
            line: Line::default(),
        }
    }

    /// Returns whether a text may have a bare URL with markup. The destination of a link is not bare.
    pub(super) fn are_in(text: &str) -> bool {
        let mut words = text.split_ascii_whitespace();
        words.any(|word| {
            word.contains(MARKUP)
                && Autolink::first_in(word).is_some_and(|url| {
                    !word[..url.range.start].ends_with("](") && word[url.range].contains(MARKUP)
                })
        })
    }

    pub(super) fn start_cell(&mut self, range: &Range<usize>) {
        self.cell_end = Some(range.end);
    }

    /// Returns the next URL that starts in this range of prose.
    pub(super) fn next_in(&mut self, range: Range<usize>) -> Option<Range<usize>> {
        let start = range.start.max(self.searched);
        let limit = self.cell_end.filter(|end| *end >= range.end);
        let text = &self.text[..limit.unwrap_or(self.text.len())];
        if start >= range.end {
            return None;
        }
        let mut searched = 0;
        let url = Autolink::next_in(&text[start..], range.end - start, &mut searched);
        self.searched = start + searched;
        let mut url = url.map(|url| start + url.range.start..start + url.range.end)?;
        self.line.advance(self.text, url.start);
        if self.line.has_fence {
            let end = self.text[url.clone()].find('`');
            url.end = end.map_or(url.end, |end| url.start + end);
        }
        self.found.push(url.clone());
        Some(url)
    }

    /// Returns the end of the last URL.
    pub(super) fn end(&self) -> usize {
        self.found.last().map_or(0, |url| url.end)
    }

    /// Ends the last URL before an element that starts in it.
    pub(super) fn cut(&mut self, at: usize) {
        if let Some(url) = self.found.last_mut() {
            url.end = url.end.min(at);
        }
    }

    /// Returns the positions of the characters that must be escaped, in order.
    pub(super) fn markup(self) -> Vec<usize> {
        let mut markup = Vec::new();
        for url in self.found {
            let mut is_escaped = false;
            for (at, c) in self.text[url.clone()].char_indices() {
                if !is_escaped && MARKUP.contains(&c) {
                    markup.push(url.start + at);
                }
                is_escaped = c == '\\' && !is_escaped;
            }
        }
        markup
    }
}

impl Line {
    /// Reads the text up to a URL. Without the backticks of the URL, a line with a fence could start a code block.
    fn advance(&mut self, text: &str, to: usize) {
        let read = &text[self.end..to];
        let line = read.rsplit('\n').next().unwrap_or_default();
        self.has_fence = (self.has_fence && line.len() == read.len()) || line.contains("```");
        self.end = to;
    }
}

#[cfg(test)]
mod tests {
    use super::super::escapes::tests::escaped;
    use super::*;

    #[test]
    fn markup_in_a_bare_url_is_escaped() {
        for (text, expected) in [
            (
                "https://a.example/__init__.py",
                r"https://a.example/\_\_init\_\_.py",
            ),
            (
                "**https://a.example/*b*/**",
                r"**https://a.example/\*b\*/**",
            ),
            (
                "_see www.a.example/~b/~c._",
                r"_see www.a.example/\~b/\~c._",
            ),
            (
                "https://a.example/`b`/c `d`",
                r"https://a.example/&#96;b&#96;/c `d`",
            ),
            ("https://a.example/$b$ $c$", r"https://a.example/\$b\$ $c$"),
            // No formula has a dollar inside, so these four enclose none.
            (
                "$$https://a.example/$b $$",
                r"\$\$https://a.example/\$b \$\$",
            ),
            (r"https://a.example/\_b_c_", r"https://a.example/\_b\_c_"),
            (
                "> - https://a.example/_b_/c",
                r"> - https://a.example/\_b\_/c",
            ),
            (
                "|a|b|\n|-|-|\n|https://a.example/_b_|_c_|",
                "|a|b|\n|-|-|\n|https://a.example/\\_b_|_c_|",
            ),
        ] {
            assert!(Urls::are_in(text), "{text}");
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn other_urls_and_other_markup_are_not_changed() {
        for text in [
            "*a* https://a.example/b-c",
            "[a_b_c](https://a.example/_b_) <https://a.example/_b_>",
            "`https://a.example/_b_`",
            "```\nhttps://a.example/_b_\n```",
            "<a href=\"https://a.example/_b_\">",
            "[a]: https://a.example/_b_",
            "[https://a.example/_b_](#c)",
            "$x https://a.example/_b_ y$",
            "https://a.example/`b c`",
            "https://a.example/[b_c_]\n\n[b_c_]: #a",
            "https://a.example/**\n**a**",
            "```https://a.example/`\n$x$",
        ] {
            assert_eq!(escaped(text), text);
        }
    }
}
