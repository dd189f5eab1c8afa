//! Signs of a language that contains most of another one: types of TypeScript, what Sass adds to CSS, and what C++
//! adds to C.
//!
//! Invariants: code without a sign may be in either language. One sign decides, however long the text is, because it is
//! no code in the smaller language.
//! Cost: one pass over the lines.

use memchr::{memchr_iter, memmem};

/// Places of one line that are inspected. So the cost grows with the length of the text alone.
const MOST: usize = 8;

/// Types that a word after a colon names.
const TYPES: [&str; 10] = [
    "string", "number", "boolean", "void", "any", "unknown", "never", "bigint", "object", "symbol",
];

/// Starts of lines with declarations of types, and another part of such a line.
const DECLARATIONS: [(&str, &str); 11] = [
    ("interface ", "{"),
    ("type ", "="),
    ("enum ", "{"),
    ("const enum ", "{"),
    ("declare ", " "),
    ("abstract class ", " "),
    ("namespace ", "{"),
    ("import type ", " "),
    ("private ", ""),
    ("protected ", ""),
    ("readonly ", ":"),
];

/// Returns true if JavaScript would not have one of these lines.
pub(super) fn has_types(text: &[u8]) -> bool {
    lines(text).any(|line| {
        let line = ["export ", "default ", "static ", "public "]
            .into_iter()
            .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
        let declares = DECLARATIONS.iter().any(|(start, then)| {
            line.strip_prefix(start)
                .is_some_and(|rest| rest.starts_with(is_name) && rest.contains(then))
        });
        declares || is_annotated(line) || is_cast(line) || has_type_arguments(line)
    })
}

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

/// Returns true if C would not have one of these lines.
pub(super) fn has_classes(text: &[u8]) -> bool {
    const STARTS: [&str; 8] = [
        "class ",
        "template",
        "namespace ",
        "using ",
        "public:",
        "private:",
        "protected:",
        "virtual ",
    ];
    lines(text).any(|line| {
        let signs = ["::", "nullptr", "static_cast<", "constexpr "];
        let header = line
            .strip_prefix("#include <")
            .and_then(|rest| rest.strip_suffix('>'));
        header.is_some_and(|header| !header.contains('.'))
            || STARTS.iter().any(|start| line.starts_with(start))
            || signs
                .iter()
                .any(|sign| line.find(sign).is_some_and(|at| !is_in_quotes(&line[..at])))
    })
}

/// Returns the lines that are no comments, without the space around them.
fn lines(text: &[u8]) -> impl Iterator<Item = &str> {
    let is_comment = |line: &&[u8]| {
        [&b"//"[..], b"*", b"/*"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines
        .filter(move |line| !is_comment(line))
        .filter_map(|line| std::str::from_utf8(line).ok())
}

/// Returns true if a colon of this line is before a type: `(name: string`, `): Plan {`, `let name: Plan`, `a?: Plan`.
fn is_annotated(line: &str) -> bool {
    memchr_iter(b':', line.as_bytes()).take(MOST).any(|colon| {
        let (before, after) = (&line[..colon], line[colon + 1..].trim_start());
        if is_in_quotes(before)
            || before.contains(" ? ")
            || before.starts_with(['?', '.'])
            || before.starts_with("case ")
        {
            return false;
        }
        let rest = before.trim_end_matches(is_name);
        let named = rest.len() < before.len();
        let is_type = TYPES.iter().any(|name| {
            after
                .strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c| is_name(c) || "('\".:-".contains(c)))
        });
        let is_parameter = named && rest.ends_with('(') && line[colon..].starts_with(": ");
        let is_variable = named && ["const ", "let ", "var "].contains(&rest);
        let is_optional =
            before.ends_with(['?', '!']) && before[..before.len() - 1].ends_with(is_name);
        let returns = before.ends_with(')')
            && after.starts_with(|c: char| c.is_ascii_uppercase())
            && (line.ends_with('{') || line.contains("=>"));
        let ends = named || before.ends_with([')', '?', ']', '}']);
        is_type && ends || is_parameter || is_variable || is_optional || returns
    })
}

/// Returns true if this line has a value `as` another type.
fn is_cast(line: &str) -> bool {
    line.match_indices(" as ").take(MOST).any(|(at, _)| {
        let after = &line[at + 4..];
        let rest = after.trim_start_matches(is_name);
        let name = &after[..after.len() - rest.len()];
        let is_basic = name == "const" || TYPES.contains(&name);
        let is_type = is_basic && !rest.starts_with(' ')
            || name.starts_with(|c: char| c.is_ascii_uppercase())
                && rest.starts_with([')', ';', '[', '.', '<']);
        is_type
            && !line.starts_with("import ")
            && !line.starts_with("export ")
            && !is_in_quotes(&line[..at])
    })
}

/// Returns true if this line has a type with arguments, `Map<string`, or a call with some, `read<Plan>(`.
fn has_type_arguments(line: &str) -> bool {
    memchr_iter(b'<', line.as_bytes()).take(MOST).any(|at| {
        let (before, after) = (&line[..at], &line[at + 1..]);
        let name = &before[before.trim_end_matches(is_name).len()..];
        let rest = after.trim_start_matches(is_name);
        let argument = &after[..after.len() - rest.len()];
        let is_type =
            TYPES.contains(&argument) || argument.starts_with(|c: char| c.is_ascii_uppercase());
        let is_generic = name.starts_with(|c: char| c.is_ascii_uppercase());
        is_type
            && !name.is_empty()
            && (is_generic || memmem::find(after.as_bytes(), b">(").is_some())
            && !is_in_quotes(before)
    })
}

/// Returns true if a quote opens in this start of a line and does not close.
fn is_in_quotes(start: &str) -> bool {
    ['"', '\'', '`']
        .iter()
        .any(|quote| start.matches(*quote).count() % 2 == 1)
}

fn is_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_templates_and_qualified_names_are_signs_of_cpp() {
        for line in [
            "class Plan {",
            "template <typename T>",
            "std::string name;",
            "#include <vector>",
        ] {
            assert!(has_classes(line.as_bytes()), "{line}");
        }
        for line in [
            "#include <stdio.h>",
            "struct plan p;",
            "puts(\"a::b\");",
            "// std::string",
            "int class_of(int a);",
        ] {
            assert!(!has_classes(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_line_with_types_is_a_sign_of_typescript_and_javascript_has_none() {
        for line in [
            "export interface Plan {",
            "type Id = string | number;",
            "  private steps = [];",
            "let name: Plan | null = null;",
            "function read(path?: Path) {",
            "  title: string;",
            "  close(): Promise<void> {",
            "const all = list as Plan[];",
            "const [open, setOpen] = useState<Plan>(plan);",
            "const seen = new Map<string, number>();",
        ] {
            assert!(has_types(line.as_bytes()), "{line}");
        }
        for line in [
            "const plan = { name: title, size: count };",
            "return is_open ? value : any;",
            "  ? read(path) : Plan;",
            "// name: string",
            " * @param {string} name: string",
            "import * as React from 'react';",
            "export { read as Read };",
            "throw new Error('(code: string)');",
            "if (width<Max) return;",
            "return <List<br/></p>;",
            "  case \"a\": void read();",
            "<Plan>(text)</Plan>",
        ] {
            assert!(!has_types(line.as_bytes()), "{line}");
        }
    }

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
