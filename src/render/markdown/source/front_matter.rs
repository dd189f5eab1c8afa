//! Front matter: metadata before a text, between two lines of `---`.
//!
//! Invariants: front matter starts at the first byte of a text. Elsewhere, `---` is a horizontal rule or underlines a
//! heading. The metadata looks like YAML: every line is a key, belongs to the key before it, or is empty or a comment.
//! Its first line is not empty.
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
            let metadata = &text[start..end];
            return is_like_yaml(metadata).then(|| (metadata, &text[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

fn is_like_yaml(metadata: &str) -> bool {
    let mut has_key = false;
    let mut lines = metadata.lines();
    let are_like_yaml = lines.all(|line| {
        let is_key = starts_with_key(line);
        has_key |= is_key;
        let is_free = line.trim().is_empty() || line.starts_with('#');
        let belongs_to_key = line.starts_with([' ', '\t', ']', '}']) || line.starts_with("- ");
        is_key || is_free || (has_key && belongs_to_key)
    });
    are_like_yaml && has_key
}

/// Returns whether a line starts with a key such as `title:`. A key may be quoted, and may have a few words.
fn starts_with_key(line: &str) -> bool {
    const MAX_BYTES: usize = 60;
    let Some((key, value)) = line.split_once(':') else {
        return false;
    };
    let unquoted = key.trim_end().trim_matches(['"', '\'']);
    let is_word = |c: char| c.is_alphanumeric() || " _-./$@".contains(c);
    unquoted.len() <= MAX_BYTES
        && unquoted.starts_with(|c: char| !c.is_whitespace() && c != '-')
        && unquoted.chars().all(is_word)
        && value.chars().next().is_none_or(char::is_whitespace)
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
            ("---\n# a\nb c: d\n---\n", "# a\nb c: d\n", ""),
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
