//! The table of languages, parsed from `table.txt`.
//!
//! A row is `name|label|ending|other names and endings|whole file names`. In the last two columns, spaces separate the
//! words. The rows before the empty line are the most used languages.
//! Invariants: the table has at most 255 rows. Each name, ending and file name occurs once. All words except labels and
//! file names are in lower case. A test checks this, so parsing cannot fail.

use std::collections::HashMap;
use std::num::NonZeroU8;
use std::sync::LazyLock;

pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_str!("table.txt")));

pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    /// The number of rows, counted from the first, that are the most used languages.
    pub(super) common: usize,
    /// The number of each row, by name, alias and ending.
    pub(super) names: Names,
    /// The number of each row, by the whole name of a file.
    pub(super) files: Names,
}

/// A map from names in lower case to the numbers of their rows.
type Names = HashMap<String, NonZeroU8>;

pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) ending: &'static str,
}

/// Returns the numbers of rows, counted from one.
pub(super) fn numbers() -> impl Iterator<Item = NonZeroU8> {
    (1..=u8::MAX).filter_map(NonZeroU8::new)
}

/// Returns the row of this name, or `None` if there is none. Upper and lower case are equal.
pub(super) fn find(names: &Names, name: &str) -> Option<NonZeroU8> {
    /// Bytes of the longest name, rounded up.
    const LONGEST: usize = 32;
    (name.len() <= LONGEST)
        .then(|| names.get(&name.to_ascii_lowercase()).copied())
        .flatten()
}

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut table = Self {
            rows: Vec::new(),
            common: text.lines().position(str::is_empty).unwrap_or_default(),
            names: Names::new(),
            files: Names::new(),
        };
        let lines = text.lines().filter(|line| !line.is_empty());
        for (line, number) in lines.zip(numbers()) {
            let mut columns = line.split('|');
            let mut column = || columns.next().unwrap_or_default();
            let row = Row {
                name: column(),
                label: column(),
                ending: column(),
            };
            let others = column().split(' ');
            for name in others.chain([row.name, row.ending]) {
                table.names.insert(name.to_owned(), number);
            }
            for file in column().split(' ') {
                table.files.insert(file.to_ascii_lowercase(), number);
            }
            table.rows.push(row);
        }
        // The loop above read an empty column as an empty name.
        table.names.remove("");
        table.files.remove("");
        table
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_has_its_columns_and_no_name_occurs_twice() {
        let (mut names, mut files) = (HashSet::new(), HashSet::new());
        let rows = include_str!("table.txt")
            .lines()
            .filter(|line| !line.is_empty());
        for row in rows.clone() {
            let [name, label, ending, others, whole] = row.split('|').collect::<Vec<_>>()[..]
            else {
                panic!("five columns in {row}");
            };
            assert!(!label.is_empty() && !ending.is_empty(), "{row}");
            let mut own = HashSet::new();
            own.extend([name, ending]);
            own.extend(others.split(' ').filter(|other| !other.is_empty()));
            for name in own {
                assert!(names.insert(name), "{name} stands twice");
                assert_eq!(name, name.to_ascii_lowercase());
                assert!(name.len() <= 32);
            }
            for file in whole.split(' ').filter(|file| !file.is_empty()) {
                assert!(files.insert(file.to_ascii_lowercase()), "{file} twice");
            }
        }
        assert_eq!(rows.count(), TABLE.rows.len());
    }
}
