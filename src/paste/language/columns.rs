//! Tables in plain text: comma-separated and tab-separated values, and logs, whose lines start with a time.
//!
//! Invariants: a text is a table only if its first lines all have the same number of columns, and a log only if
//! three of four lines have a time.
//! Cost: one pass over the text.

/// Lines that are inspected, and how many a table has at least.
const INSPECTED: usize = 50;
const LEAST: usize = 4;

/// Bytes of a line of a log that contain the time: a date or an address may come before it.
const TIME_WITHIN: usize = 44;

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
    let timed = lines.iter().filter(|line| has_time(line)).count();
    if lines.len() < LEAST {
        None
    } else if timed * 4 >= lines.len() * 3 {
        Some("log")
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

/// Returns true if a line starts with the time of an event, such as `2026-05-04 12:00:00` or `[04/May/2026:12:00:00`.
fn has_time(line: &str) -> bool {
    let start = &line.as_bytes()[..line.len().min(TIME_WITHIN)];
    start.windows(8).any(|time| {
        let is_time = |(at, byte): (usize, &u8)| match at {
            2 | 5 => *byte == b':',
            _ => byte.is_ascii_digit(),
        };
        time.iter().enumerate().all(is_time)
    })
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
            ("at 12:00 we\nate, and\nat 13:00 we\nleft\n", None),
            ("f(a,b);\nf(c,d);\nf(e,f);\nf(g,h);\n", None),
        ] {
            assert_eq!(table(text, true), expected, "{text}");
        }
    }
}
