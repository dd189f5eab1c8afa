//! Text: words between the symbols of a formula.
//!
//! Its reader writes them as they stand: formulas in them with their dollars, what is escaped with its backslash.
//! What it must not know: where in a formula the words stand.
//! Invariants: text without marks stays as it is; text with commands that it cannot do without is refused.
//! Cost: one pass over the words and one over the formulas in them, which hold no others.

use super::Place;
use super::dialect::translated;
use super::lexer::{argument, command};

/// Writes the words in this font that begin here, in a group of their own if they are more than words. The rest behind
/// them; none if they say what cannot be shown.
pub(super) fn text<'a>(font: &str, behind: &'a str, out: &mut String) -> Option<&'a str> {
    if !behind.trim_start().starts_with('{') {
        out.push_str(font);
        return Some(behind);
    }
    let (words, behind) = argument(behind)?;
    if words.contains(['\\', '$', '~', '{']) {
        let mut parts = Parts {
            font,
            words: String::new(),
            out,
        };
        parts.out.push('{');
        parts.read(words)?;
        parts.end_words();
        parts.out.push('}');
    } else {
        out.extend([font, "{", words, "}"]);
    }
    Some(behind)
}

/// Words, symbols and formulas, one after the other.
struct Parts<'a> {
    font: &'a str,
    /// Those that are not written yet.
    words: String,
    out: &'a mut String,
}

impl Parts<'_> {
    fn read(&mut self, text: &str) -> Option<()> {
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '$', '~', '{', '}']) {
            self.words.push_str(&rest[..at]);
            let (mark, behind) = command(&rest[at..]);
            rest = behind;
            match mark {
                "$" => match behind.split_once('$') {
                    Some((tex, behind)) => {
                        self.formula(tex)?;
                        rest = behind;
                    }
                    None => self.words.push('$'),
                },
                "\\$" | "\\_" | "\\&" | "\\#" => self.words.push_str(&mark[1..]),
                // Its reader takes these for what they are in a formula alone.
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
        self.out.push_str(&translated(tex, Place::Inline)?);
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
    use super::*;

    fn translated(tex: &str) -> Option<String> {
        super::translated(tex, Place::Inline)
    }

    #[test]
    fn words_are_left_as_they_are() {
        for tex in [r"\text{if a, b}c", r"\textbf{a}", r"\text{}", r"\text ab"] {
            assert_eq!(translated(tex).as_deref(), Some(tex));
        }
    }

    #[test]
    fn formulas_symbols_and_spaces_in_words_are_read() {
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
            assert_eq!(translated(tex).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_commands_in_words_are_refused() {
        for tex in [
            r"\text{\textbf{a}}",
            r"\text{a\\b}",
            r"\text{$\label$}",
            r"\text{a",
        ] {
            assert_eq!(translated(tex), None, "{tex}");
        }
    }
}
