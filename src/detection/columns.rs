//! Texts whose lines are alike: separated values, and logs.
//!
//! Invariants: a text is a table only if its first rows have the same number of columns, but for one in fifty, and do
//! not read like sentences or code. It is a log only if most of its first lines have a time or a level.
//! Cost: one pass over the text for each separator.

use super::log::{LogLine, is_log, is_output};

/// Lines that are inspected, and how many a table has at least.
const INSPECTED: usize = 50;
const LEAST: usize = 4;

/// How many lines a table has at least whose first line has three names.
const LEAST_WITH_NAMES: usize = 2;

/// The number of rows that may have one row with another number of columns among them.
const LEAST_WITH_BAD: usize = 20;

/// The separators, and how many columns a table with them has at least. In a text, tabs and semicolons stand in many
/// places.
pub(super) const SEPARATORS: [(char, usize); 4] = [(',', 2), ('\t', 3), (';', 2), ('|', 3)];

/// Returns the name of the kind of table, or `None` if the text is not one. If the text was cut, its last line is not
/// inspected.
pub(super) fn table(text: &str, is_whole: bool) -> Option<&'static str> {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if !is_whole {
        lines.pop();
    }
    lines.truncate(INSPECTED);
    let first = *lines.first()?;
    // A spreadsheet names the separator so.
    let has_name = first.trim_start_matches('"').starts_with("sep=");
    let rows = rows(text, is_whole);
    let rows = rows.get(usize::from(has_name)..).unwrap_or_default();
    let mut separators = SEPARATORS.into_iter();
    let found = separators.find(|(separator, least)| is_table(rows, *separator, *least));
    // A log may have a comma in each line, before the milliseconds. The columns of a table have names.
    let has_columns = found.is_some_and(|(separator, _)| {
        count(first, separator) > 2 && separator != '\t' || LogLine::of(first).time.is_none()
    });
    if is_output(&lines) || is_log(&lines, has_columns) {
        return Some("log");
    }
    found.map(|(separator, _)| match separator {
        '\t' => "tsv",
        _ => "csv",
    })
}

/// Returns the first rows of the text. A row in whose quotes a line ends goes on in the next one (RFC 4180).
fn rows(text: &str, is_whole: bool) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut start = 0;
    let ends = text.match_indices('\n').map(|(end, _)| end);
    for end in ends.chain(is_whole.then_some(text.len())) {
        let row = &text[start..end];
        if row.matches('"').count().is_multiple_of(2) {
            rows.push(row.trim_end_matches('\r'));
            start = end + 1;
        }
    }
    rows.retain(|row| !row.is_empty());
    rows.truncate(INSPECTED);
    rows
}

/// Returns true if rows are those of a table with this separator and at least so many columns.
fn is_table(rows: &[&str], separator: char, least: usize) -> bool {
    let Some(columns) = rows.first().map(|row| count(row, separator)) else {
        return false;
    };
    let bad = rows
        .iter()
        .filter(|row| count(row, separator) != columns)
        .count();
    let most_bad = usize::from(rows.len() >= LEAST_WITH_BAD);
    let has_names = has_names(rows[0], separator);
    let is_enough =
        rows.len() >= LEAST || rows.len() >= LEAST_WITH_NAMES && has_names && columns >= 3;
    let count_of =
        |is: fn(&str, char) -> bool| rows.iter().filter(|row| is(row, separator)).count();
    let is_like = |is, part| count_of(is) * part <= rows.len();
    let has_names_and_numbers = has_names && has_numbers(rows, separator);
    let reads_otherwise = match has_names_and_numbers && columns >= 3 {
        true => !is_like(is_of_code, 2),
        false => !is_like(is_of_code, 8) || !is_like(is_of_sentence, 8) || !is_like(has_signs, 8),
    };
    // Two words with a comma, a semicolon or a bar stand in many lines that are no rows.
    let is_sure = match separator {
        ',' => columns >= 3 || has_names_and_numbers,
        ';' | '|' => has_numbers(rows, separator),
        _ => true,
    };
    columns >= least && bad <= most_bad && is_enough && is_sure && !reads_otherwise
}

/// Returns the parts of a row outside of quotes.
fn unquoted(row: &str) -> impl Iterator<Item = &str> {
    row.split('"').step_by(2)
}

/// Returns the number of columns of a row.
pub(super) fn count(row: &str, separator: char) -> usize {
    1 + unquoted(row)
        .map(|part| part.matches(separator).count())
        .sum::<usize>()
}

/// Returns true if each column of the row has a name: a few words or none, of which most are letters.
fn has_names(row: &str, separator: char) -> bool {
    let mut names = row
        .split(separator)
        .map(|name| name.trim().trim_matches('"'));
    names.all(|name| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !name.contains(['.', ':', '=', '(', '{', '<'])
            && name.split(' ').count() <= 3
    })
}

/// Returns true if most rows below the names have a number.
fn has_numbers(rows: &[&str], separator: char) -> bool {
    let is_number = |field: &str| {
        let field = field.trim().trim_matches('"');
        field.starts_with(|c: char| c.is_ascii_digit() || "-+".contains(c))
            && field
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"+-.,:%eETZ/ ".contains(&byte))
    };
    let numbered = rows
        .iter()
        .skip(1)
        .filter(|row| row.split(separator).any(is_number));
    numbered.count() * 2 >= rows.len()
}

/// Returns true if the line begins or ends as one of code does. An empty last cell ends with its separator.
fn is_of_code(line: &str, separator: char) -> bool {
    line.starts_with([' ', '\t', '#', '/', '|', '-'])
        || line.ends_with(['{', '(', '[', '\\'])
        || separator != ';' && line.ends_with(';')
        || line.ends_with(separator) && !line.ends_with(&*String::from_iter([separator; 2]))
}

/// Returns true if a blank follows a separator, as in a sentence.
fn is_of_sentence(line: &str, separator: char) -> bool {
    unquoted(line).any(|part| part.contains(&[separator, ' '].iter().collect::<String>()))
}

/// Returns true if the row has signs of code.
fn has_signs(line: &str, separator: char) -> bool {
    separator != '\t' && unquoted(line).any(|part| part.contains(['{', '}', '(', '=']))
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
            ("a;1,20;4\nb;2,35;2\nc;0,80;9\nd;1,5;3\n", Some("csv")),
            ("sep=;\na;b\n1;2\n3;4\n5;6\n", Some("csv")),
            (
                "id, name, age\n1, Ann, 3\n2, Bob, 4\n3, Eve, 5\n",
                Some("csv"),
            ),
            (
                "id,note,n\n1,f(x) = {2},3\n2,,4\n3,b,\n4,c,5\n",
                Some("csv"),
            ),
            ("a|b|c\n1|2|3\n4|5|6\n7|8|9\n", Some("csv")),
            ("I came;\nI saw;\nI won;\nI left;\n", None),
            ("RED,\nGREEN,\nBLUE,\nBLACK,\n", None),
            ("use a::b;\nuse c::d;\nmod e;\nmod f;\n", None),
            ("^a|b|c$\n^d|e|f$\n^g|h|i$\n^j|k|l$\n", None),
            ("Coffee 2,50\nTea 1,20\nMilk 0,90\nCake 3,10\n", None),
            (
                "\tmov\tr1,r2\n\tadd\tr1,r3\n\tsub\tr1,r4\n\tmul\tr1,r5\n",
                None,
            ),
            ("mov eax, 1\nmov ebx, 2\nmov ecx, 3\nmov edx, 4\n", None),
            (" a | b | c\n---+---+---\n 1 | 2 | 3\n 4 | 5 | 6\n", None),
            (
                "x = 1; y = 2\nz = 3; a = 4\nb = 5; c = 6\nd = 7; e = 8\n",
                None,
            ),
            (
                "int a; // one\nint b; // two\nint c; // three\nint d; // four\n",
                None,
            ),
        ] {
            assert_eq!(table(text, true), expected, "{text}");
        }
        let rows: String = (0..40).map(|row| format!("{row},b,{row}\n")).collect();
        let with_bad = |bad: &str| table(&format!("id,name,size\n{rows}{bad}"), true);
        assert_eq!(with_bad("1,2\n"), Some("csv"));
        assert_eq!(with_bad("1,2\n3\n"), None);
    }
}
