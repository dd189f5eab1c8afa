//! Front matter: metadata before a text, between two lines of `---`.
//!
//! Invariants: front matter starts at the first byte of a text. Elsewhere, `---` is a horizontal rule or underlines a
//! heading. The metadata looks like YAML: its first line is a key, and every other is a key, belongs to the key before
//! it, or is empty or a comment.
//! Cost: one pass over the lines of the metadata.

/// Splits off the front matter. Returns the metadata, or `None` if there is none, and the text after it.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let mut lines = text.split_inclusive('\n');
    let fence = lines.next().filter(|line| line.trim_end() == "---");
    let start = fence.map_or(0, str::len);
    let mut end = start;
    for line in lines.take_while(|_| fence.is_some()) {
        if end > start && matches!(line.trim_end(), "---" | "...") {
            return (Some(&text[start..end]), &text[end + line.len()..]);
        }
        let is_first = end == start;
        let is_more = line.trim().is_empty() || line.starts_with([' ', '\t', ']', '}', '-']);
        if !is_key(line) && (is_first || !is_more && !line.starts_with('#')) {
            break;
        }
        end += line.len();
    }
    (None, text)
}

/// Returns whether a line starts with a key such as `title:`. A key may be quoted, and may have a few words.
fn is_key(line: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || " _-./$@\"'".contains(c);
    line.split_once(':').is_some_and(|(key, value)| {
        key.starts_with(|c: char| c != '-' && is_word(c) && !c.is_whitespace())
            && key.chars().all(is_word)
            && value.starts_with(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_stands_between_two_fences_at_the_first_byte() {
        for (text, metadata, rest) in [
            ("---\na: b\n---\nc", "a: b\n", "c"),
            ("---\na: b\n\nc: d\n...\ne", "a: b\n\nc: d\n", "e"),
            ("--- \r\na: b\r\n---\t\r\nc", "a: b\r\n", "c"),
            ("---\na: b\n---", "a: b\n", ""),
            ("---\na:\n ---\n---\n---\n", "a:\n ---\n", "---\n"),
            ("---\nb c: d\n# a\n---\n", "b c: d\n# a\n", ""),
            (
                "---\n\"a\":\n- b\n  c\nd: [\n]\n---\n",
                "\"a\":\n- b\n  c\nd: [\n]\n",
                "",
            ),
        ] {
            assert_eq!(split(text), (Some(metadata), rest), "{text:?}");
        }
    }

    #[test]
    fn any_other_rule_belongs_to_the_text() {
        for text in [
            "",
            "---",
            "---\n",
            "---\na: b\n",
            "---\n\na: b\n---\n",
            "---\n---\n",
            "---\n...\n",
            "\n---\na: b\n---\n",
            " ---\na: b\n---\n",
            "----\na: b\n----\n",
            "---a\nb: c\n---\n",
            "a\n\n---\nb: c\n---\n",
            "---\na\n---\n",
            "---\n# a\n---\n",
            "---\na: b\n\nIt is c.\n---\n",
            "---\n- a: b\n---\n",
            "---\nhttps://a.example\n---\n",
            "---\n*a*: b\n---\n",
            "---\n\u{feff} a: b\n---\n",
        ] {
            assert_eq!(split(text), (None, text), "{text:?}");
        }
    }
}
