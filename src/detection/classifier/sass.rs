//! What Sass adds to CSS.
//!
//! Invariants: a text without it may be in either language. One line decides, however long the text is, because it is
//! no CSS.
//! Cost: one pass over the lines.

/// Returns true if a line of this text is of Sass: a variable, a directive, or a rule inside another one.
pub(super) fn has_sass(text: &[u8]) -> bool {
    const STARTS: [&str; 14] = [
        "$",
        "&",
        "@include ",
        "@mixin ",
        "@extend ",
        "@use ",
        "@forward ",
        "@function ",
        "@each ",
        "@if ",
        "@else",
        "@return ",
        "@for ",
        "//",
    ];
    let mut rules = Vec::new();
    let is_comment = |line: &&[u8]| line.starts_with(b"/*") || line.starts_with(b"*");
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines
        .filter(|line| !is_comment(line))
        .filter_map(|line| std::str::from_utf8(line).ok())
        .any(|line| {
            let nested = line.ends_with('{') && rules.last().is_some_and(|is_rule| *is_rule);
            for sign in line.bytes() {
                match sign {
                    b'{' => rules.push(!line.starts_with('@')),
                    b'}' => drop(rules.pop()),
                    _ => {}
                }
            }
            let starts = STARTS.iter().any(|start| line.starts_with(start));
            nested
                || starts
                || ["#{", " $", "($", "-$"]
                    .iter()
                    .any(|sign| line.contains(sign))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_directives_and_rules_in_rules_are_signs_of_sass() {
        for text in [
            "$width: 3rem;",
            "a { color: $ink; }",
            "@include wide;",
            "ul {\n  li {\n",
            "a {\n  &:hover {\n",
            ".a-#{$n} {}",
            "// a comment of one line",
        ] {
            assert!(has_sass(text.as_bytes()), "{text}");
        }
        for text in [
            "a { color: red; }\nb {\n  top: 0;\n}\nc {\n",
            "@media print {\n  a {\n    top: 0;\n  }\n}",
            "/* $width\n * @include\n */",
            "a { background: url(//example.org/a.png) }",
            "@import url('a.css');",
        ] {
            assert!(!has_sass(text.as_bytes()), "{text}");
        }
    }
}
