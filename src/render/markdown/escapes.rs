//! Escapes: marks characters that the parser would read as markup by mistake.
//!
//! A dollar encloses no formula if it touches a letter or digit outside, like those of prices and variables. Only ASCII
//! letters count, because some scripts put no space between a word and a formula. By the rules of GitHub, a bare URL
//! takes precedence over emphasis in it, but the parser knows no bare URLs and would cut
//! `https://a.example/__init__.py`.
//! Invariants: such characters get a backslash, and nothing else is changed.
//! Cost: an escape changes what the parser makes of the text after it, so the text is parsed again until there is none
//! to add, at most [`MAX_ROUNDS`] times. A text without dollars and without markup in URLs costs a search.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::limits::EVENTS_PER_CHECK;
use crate::render::autolink::autolinks;
use crate::render::time_budget::{OutOfTime, TimeBudget};

/// The characters of inline markup that a URL may have.
const MARKUP: [char; 3] = ['*', '_', '~'];

/// Maximum number of times that a text is parsed. Nearly all texts need one or two.
pub(super) const MAX_ROUNDS: usize = 8;

/// Returns the text with its escapes.
///
/// # Errors
/// Returns [`OutOfTime`] if the budget is used up.
pub(super) fn escaped<'a>(
    text: &'a str,
    budget: TimeBudget<'_>,
) -> Result<Cow<'a, str>, OutOfTime> {
    let has_escapes = text.contains("\\$");
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let positions = misread(&text, has_escapes, budget)?;
        if positions.is_empty() {
            break;
        }
        let mut out = String::with_capacity(text.len() + positions.len());
        let mut written = 0;
        for at in positions {
            out.push_str(&text[written..at]);
            out.push('\\');
            written = at;
        }
        out.push_str(&text[written..]);
        text = Cow::Owned(out);
    }
    Ok(text)
}

/// Returns the positions of the characters that the parser reads as markup by mistake, in order.
fn misread(text: &str, has_escapes: bool, budget: TimeBudget<'_>) -> Result<Vec<usize>, OutOfTime> {
    let (mut dollars, mut marks) = (Vec::new(), Vec::new());
    let urls = autolinks(text).map(|(url, _)| url);
    let mut urls = urls
        .filter(|url| text[url.clone()].contains(MARKUP))
        .peekable();
    if !text.contains('$') && urls.peek().is_none() {
        return Ok(dollars);
    }
    let is_word = |c: Option<char>| c.is_some_and(|c| c == '$' || c.is_ascii_alphanumeric());
    let mut verbatim = 0;
    for (number, (event, range)) in parser(text).enumerate() {
        if number.is_multiple_of(EVENTS_PER_CHECK) {
            budget.check()?;
        }
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => verbatim += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => verbatim -= 1,
            Event::Text(_) if verbatim == 0 => {
                while let Some(url) = urls.next_if(|url| url.start < range.end) {
                    if url.start >= range.start {
                        marks.extend(unescaped_markup(text, url));
                    }
                }
            }
            Event::InlineMath(_) | Event::DisplayMath(_)
                if is_word(text[..range.start].chars().next_back())
                    || is_word(text[range.end..].chars().next())
                    // The dollars belong to the texts of two links.
                    || text[range.clone()].contains("](")
                    // Other dollars in it were escaped here.
                    || !has_escapes && text[range.clone()].contains("\\$") =>
            {
                let formula = &text[range.clone()];
                let count = formula.len() - formula.trim_start_matches('$').len();
                dollars.extend(range.start..range.start + count);
                // Without the formula, this may become code or a tag, in which nothing must be escaped.
                if formula.contains(['`', '<']) {
                    break;
                }
                dollars.extend(range.end - count..range.end);
            }
            _ => {}
        }
    }
    dollars.sort_unstable();
    dollars.dedup();
    // What is in a URL is known only when the formulas are.
    Ok(if dollars.is_empty() { marks } else { dollars })
}

/// Returns the parser's events. Each has its byte range.
pub(super) fn parser(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let flavour = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH;
    TextMergeWithOffset::new(Parser::new_ext(text, flavour).into_offset_iter())
}

fn unescaped_markup(text: &str, url: Range<usize>) -> impl Iterator<Item = usize> {
    let marks = text[url.clone()].match_indices(MARKUP);
    let marks = marks.map(move |(at, _)| url.start + at);
    marks.filter(|at| !text[..*at].ends_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let escaped = super::escaped(text, TimeBudget::until(&|| false));
        escaped.expect("there is time").into_owned()
    }

    #[test]
    fn dollars_around_a_formula_are_not_changed() {
        for text in [
            "",
            "no dollar",
            "$x$, ($y$) and *$z$*",
            "$a_b$-th, “$c*d$” and $e*f$.",
            "令$x$为实数",
            "$a\nb$",
            "$\\$5$ and \\$6",
            "$$\nx\n$$ and $$ y $$",
            "$$x \\text{ if $y$ or $5}$$",
            "$\\{x\\}$ $\\{$ $\\}$",
            "$`a_b`$",
            "[$x$](#a) $[0,1]$",
            "|a|\n|-|\n|$x$|",
            "`$5 $6` and\n\n    $7\n\n```\n$8\n```",
            "<https://a.example/$5> <a b=\"$5\">",
            "[$5]\n\n[$5]: https://a.example",
        ] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn dollars_of_prices_and_variables_are_escaped() {
        // In these texts, `¤` stands for a dollar that must be escaped. The parser reads no formula from the others.
        for text in [
            "It costs ¤5-¤10.",
            "¤100,000–¤200,000",
            "¤HOME/bin:¤PATH",
            "¤{HOME}. Between US¤5/US$10",
            "$5 and $x$, a¤b¤ and $y$.",
            "$5, $6, ¤7,¤8",
            "$ x$ and $y$",
            "$a\n\nb$",
            "[¤5](#a) or [10¤](#b)",
            "\\\\$5",
            "`$5` or $6",
            "¤5 or `$6` is 7$ or $x$",
        ] {
            let written = text.replace('¤', "$");
            assert_eq!(escaped(&written), text.replace('¤', "\\$"));
        }
    }

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
            (r"https://a.example/\_b_c_", r"https://a.example/\_b\_c_"),
            (
                "> - https://a.example/_b_/c",
                r"> - https://a.example/\_b\_/c",
            ),
            (
                "|a|b|\n|-|-|\n|https://a.example/_b|_c_|",
                "|a|b|\n|-|-|\n|https://a.example/\\_b|_c_|",
            ),
        ] {
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
            "https://a.example/**\n**a**",
        ] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn the_search_for_markup_ends_when_the_time_budget_is_used_up() {
        let escaped = super::escaped("a $b", TimeBudget::until(&|| true));
        assert_eq!(escaped, Err(OutOfTime));
    }
}
