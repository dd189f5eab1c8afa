//! Texts whose lines are alike: comma-separated and tab-separated values, and logs.
//!
//! Invariants: a text is a table only if its first lines all have the same number of columns, and a log only if most of
//! its first lines have a time or a level.
//! Cost: one pass over the text.

use super::log::{LogLine, is_failure, is_log};

/// Lines that are inspected, and how many a table has at least.
const INSPECTED: usize = 50;
const LEAST: usize = 4;

/// How many lines a table has at least whose first line has three names.
const LEAST_WITH_NAMES: usize = 2;

/// Returns the name of the kind of table, or `None` if the text is not one. If the text was cut, its last line is not
/// inspected.
pub(super) fn table(text: &str, is_whole: bool) -> Option<&'static str> {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if !is_whole {
        lines.pop();
    }
    lines.truncate(INSPECTED);
    let columns = |separator| {
        let mut counts = lines.iter().map(|line| separators(line, separator));
        let first = counts.next().flatten()?;
        counts.all(|count| count == Some(first)).then_some(first)
    };
    // A log may have a comma in each line, before the milliseconds. The columns of a table have names.
    let has_names = || LogLine::of(lines[0]).time.is_none();
    let is_table = || match columns(b',') {
        Some(commas) => commas >= 2 || commas == 1 && has_names(),
        None => columns(b'\t') >= Some(2),
    };
    let names = || {
        lines[0]
            .split([',', '\t'])
            .map(|name| name.trim_matches('"'))
    };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['.', ':', '=', ' '])
    };
    let has_three_names = || names().count() >= 3 && names().all(is_name);
    if lines.is_empty() {
        None
    } else if is_failure(&lines) || is_log(&lines, is_table) {
        Some("log")
    } else if lines.len() < LEAST && (lines.len() < LEAST_WITH_NAMES || !has_three_names()) {
        None
    } else if columns(b',').is_some_and(|commas| commas >= 1) {
        Some("csv")
    } else if columns(b'\t').is_some_and(|tabs| tabs >= 2) {
        Some("tsv")
    } else {
        None
    }
}

/// Returns how many separators stand outside of quotes. Returns `None` if the line is not like a row: sentences have
/// spaces after their commas, and code has brackets, ends with a sign or is indented.
fn separators(line: &str, separator: u8) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_code = line.starts_with([' ', '#', '/']) || line.ends_with([';', '{', '(', '[', '\\']);
    if is_code || separator == b',' && line.ends_with(',') && !line.contains(",,") {
        return None;
    }
    let (mut count, mut sentences, mut is_quoted) = (0, 0, false);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'{' | b'}' | b'(' | b'=' if separator == b',' => return None,
            _ if byte == separator => {
                count += 1;
                sentences += usize::from(bytes.get(at + 1) == Some(&b' '));
            }
            _ => {}
        }
    }
    (sentences == 0).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_as_many_columns_in_every_line_and_a_log_has_times() {
        for (text, expected) in [
            ("id,name\n1,Ann\n2,\"Bob, jr\"\n3,Eve\n", Some("csv")),
            ("id,name\n1,Ann\n2,Bob,x\n3,Eve\n", None),
            ("id,name\n1,Ann\n2,Bob\n", None),
            (
                "id\tname\tage\n1\tAnn\t3\n2\tBob\t4\n3\tEve\t5\n",
                Some("tsv"),
            ),
            ("4\tsrc\n8\tdocs\n4\ttests\n4\tbenches\n", None),
            ("Well, no.\nYes, so\nThen, we\nWent, home\n", None),
            (
                "12:00:01 up\n12:00:02 on\n  by hand\n12:00:03 down\n",
                Some("log"),
            ),
            (
                "time,m\n12:00:01,2.5\n12:00:02,2.6\n12:00:03,2.7\n",
                Some("csv"),
            ),
            (
                "12:00:01,5 INFO a\n12:00:02,5 INFO b\n12:00:03,5 WARN c\n12:00:04,6 d\n",
                Some("log"),
            ),
            (
                "12:00:01,5,a\n12:00:02,6,b\n12:00:03,7,c\n12:00:04,8,d\n",
                Some("csv"),
            ),
            ("at 12:00 we\nate, and\nat 13:00 we\nleft\n", None),
            ("f(a,b);\nf(c,d);\nf(e,f);\nf(g,h);\n", None),
        ] {
            assert_eq!(table(text, true), expected, "{text}");
        }
    }
}
