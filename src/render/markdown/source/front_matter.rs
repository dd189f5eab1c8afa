//! Front matter: metadata before a text, between two lines of `---`.
//!
//! Invariants: front matter starts at the first byte of a text. Elsewhere, `---` is a horizontal rule or underlines a
//! heading. The first line of the metadata is not empty.
//! Cost: one pass over the lines of the metadata. If the closing `---` is missing, the pass covers all lines.

/// Splits off the front matter. Returns the metadata, or `None` if there is none, and the text after it.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    match split_metadata(text) {
        Some((metadata, rest)) => (Some(metadata), rest),
        None => (None, text),
    }
}

fn split_metadata(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.split_inclusive('\n');
    let fence = lines.next().filter(|line| line.trim_end() == "---")?;
    let start = fence.len();
    let mut end = start;
    for line in lines {
        let is_first = end == start;
        let is_fence = matches!(line.trim_end(), "---" | "...");
        if is_first && (is_fence || line.trim().is_empty()) {
            return None;
        }
        if is_fence {
            return Some((&text[start..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    None
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
            ("---\n ---\n---\n---\n", " ---\n", "---\n"),
            ("---\na\n----\n---\nb", "a\n----\n", "b"),
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
        ] {
            assert_eq!(split(text), (None, text), "{text:?}");
        }
    }
}
