//! The lexer: splits a formula into commands and their arguments.
//!
//! Invariants: the two returned parts together are the text, except for the braces around an argument.
//! Cost: one pass over the first part.

/// Splits off the command or the single-byte character at the start of the text. A command's name consists of letters
/// or of one other character. Returns the split-off part and the rest.
pub(super) fn command(text: &str) -> (&str, &str) {
    let Some(name) = text.strip_prefix('\\') else {
        return text.split_at(1);
    };
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let other = name.chars().next().map_or(0, char::len_utf8);
    text.split_at(1 + if letters > 0 { letters } else { other })
}

/// Splits off the argument in braces at the start of the text. Returns the argument without its braces, and the rest.
/// Returns `None` if there is no argument or its closing brace is missing.
pub(super) fn argument(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_start().strip_prefix('{')?;
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if is_escaped => {}
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some((&inner[..at], &inner[at + 1..])),
            b'}' => depth -= 1,
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_letters_or_one_other_character() {
        for (text, parts) in [
            (r"\frac12", (r"\frac", "12")),
            (r"\\a", (r"\\", "a")),
            (r"\{a}", (r"\{", "a}")),
            (r"\éa", (r"\é", "a")),
            ("\\", ("\\", "")),
            ("{a}", ("{", "a}")),
        ] {
            assert_eq!(command(text), parts);
        }
    }

    #[test]
    fn an_argument_ends_with_its_own_brace() {
        for (text, parts) in [
            ("{a}b", Some(("a", "b"))),
            (" {a{b}c}", Some(("a{b}c", ""))),
            (r"{a\}b\\}c", Some((r"a\}b\\", "c"))),
            ("{a", None),
            (r"{a\}", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(argument(text), parts);
        }
    }
}
