//! Text mode: translates the words of `\text{…}` within a formula.
//!
//! The parser `pulldown-latex` copies such words unchanged, with the dollars of nested formulas and the backslashes of
//! escapes. This module splits the content into words, symbols and formulas.
//! Invariants: plain words are not changed. A formula with a command that is unknown in text mode, or with a comment,
//! is rejected.
//! Cost: one pass over the words, and one over the formulas in them, which cannot nest.

use super::lexer::{argument, command};

/// A function that translates a formula nested in words. It returns `None` if the formula cannot be shown.
pub(super) type TranslateFormula = fn(&str) -> Option<String>;

/// Writes the words at the start of `rest` in this font. If they contain more than plain words, they become a group.
/// Returns the text after them, or `None` if they cannot be shown.
pub(super) fn text<'a>(
    font: &str,
    rest: &'a str,
    translate: TranslateFormula,
    out: &mut String,
) -> Option<&'a str> {
    if !rest.trim_start().starts_with('{') {
        out.push_str(font);
        return Some(rest);
    }
    let (words, rest) = argument(rest)?;
    if words.contains(['\\', '$', '~', '{', '%']) {
        let mut writer = TextWriter {
            font,
            translate,
            words: String::new(),
            out,
        };
        writer.out.push('{');
        writer.write(words)?;
        writer.end_words();
        writer.out.push('}');
    } else {
        out.extend([font, "{", words, "}"]);
    }
    Some(rest)
}

/// Writes words, symbols and formulas in sequence.
struct TextWriter<'a> {
    font: &'a str,
    translate: TranslateFormula,
    /// The words that are not written yet.
    words: String,
    out: &'a mut String,
}

impl TextWriter<'_> {
    fn write(&mut self, text: &str) -> Option<()> {
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '$', '~', '{', '}', '%']) {
            self.words.push_str(&rest[..at]);
            let (mark, after) = command(&rest[at..]);
            rest = after;
            match mark {
                "$" => match after.split_once('$') {
                    Some((tex, after)) => {
                        self.formula(tex)?;
                        rest = after;
                    }
                    None => self.words.push('$'),
                },
                "\\$" | "\\_" | "\\&" | "\\#" => self.words.push_str(&mark[1..]),
                // The parser knows these commands in formulas, but not in words.
                "\\%" | "\\{" | "\\}" => {
                    self.end_words();
                    self.out.push_str(mark);
                }
                "\\," | "\\:" | "\\;" => self.words.push('\u{2009}'),
                "\\ " | "~" => self.words.push('\u{a0}'),
                "{" | "}" => {}
                _ => return None,
            }
        }
        self.words.push_str(rest);
        Some(())
    }

    fn formula(&mut self, tex: &str) -> Option<()> {
        self.end_words();
        self.out.push('{');
        self.out.push_str(&(self.translate)(tex)?);
        self.out.push('}');
        Some(())
    }

    fn end_words(&mut self) {
        if !self.words.is_empty() {
            self.out.extend([self.font, "{", &self.words, "}"]);
            self.words.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::render::math::{DisplayMode, latex_compat};

    fn translate(tex: &str) -> Option<String> {
        latex_compat::translate(tex, DisplayMode::Inline)
    }

    #[test]
    fn plain_words_are_not_changed() {
        for tex in [r"\text{if a, b}c", r"\textbf{a}", r"\text{}", r"\text ab"] {
            assert_eq!(translate(tex).as_deref(), Some(tex));
        }
    }

    #[test]
    fn formulas_symbols_and_spaces_in_words_are_translated() {
        for (tex, expected) in [
            (
                r"\text{if $\bm x$, b}^2",
                r"{\text{if }{\boldsymbol x}\text{, b}}^2",
            ),
            (r"\text{a\_b \& \$5}", r"{\text{a_b & $5}}"),
            (r"\textbf{50\%}", r"{\textbf{50}\%}"),
            (r"\mbox{a~{b}}", "{\\text{a\u{a0}b}}"),
            (r"\text{for $5}", r"{\text{for $5}}"),
        ] {
            assert_eq!(translate(tex).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_commands_in_words_are_refused() {
        for tex in [
            r"\text{\textbf{a}}",
            r"\text{a\\b}",
            r"\text{$\label$}",
            r"\text{a",
            r"\text{50% of it}",
            r"\textbf{a\,50% b}",
        ] {
            assert_eq!(translate(tex), None, "{tex}");
        }
    }
}
