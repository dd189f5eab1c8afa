//! The table of weights, read in place from `table.bin`.
//!
//! Cost: finding a row reads about three rows.

use std::sync::LazyLock;

use super::layout::{BUCKETS, PER_UNIT, bucket, key};

pub(super) static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_bytes!("table.bin")));

pub(super) struct Table {
    pub(super) languages: Vec<&'static str>,
    pub(super) biases: Vec<f32>,
    starts: &'static [[u8; 4]],
    rows: &'static [u8],
}

impl Table {
    fn parse(file: &'static [u8]) -> Self {
        let names_end = memchr::memchr(b'\n', file).unwrap_or_default();
        let names = std::str::from_utf8(&file[..names_end]).unwrap_or_default();
        let languages: Vec<&str> = names.split(' ').collect();
        let (numbers, _) = file[names_end + 1..].as_chunks::<4>();
        let (biases, numbers) = numbers.split_at(languages.len());
        let starts = &numbers[..=BUCKETS];
        let rows_start = names_end + 1 + 4 * (biases.len() + starts.len());
        Self {
            languages,
            biases: biases
                .iter()
                .map(|&bias| f32::from_le_bytes(bias))
                .collect(),
            starts,
            rows: &file[rows_start..],
        }
    }

    /// Returns where the row of this feature is, or `None` if it has none.
    pub(super) fn row(&self, feature: u32) -> Option<u32> {
        let bucket = bucket(feature);
        let mut at = u32::from_le_bytes(self.starts[bucket]);
        let end = u32::from_le_bytes(self.starts[bucket + 1]);
        while at < end {
            let row = &self.rows[at as usize..];
            if row[..2] == key(feature) {
                return Some(at);
            }
            at += 3 + 2 * u32::from(row[2]);
        }
        None
    }

    /// Returns the weights of this row, each with the number of its language.
    pub(super) fn weights(&self, row: u32) -> impl Iterator<Item = (usize, f32)> {
        let row = &self.rows[row as usize + 2..];
        let (weights, _) = row[1..].as_chunks::<2>();
        weights[..usize::from(row[0])]
            .iter()
            .map(|&[language, weight]| {
                (
                    usize::from(language),
                    f32::from(weight.cast_signed()) / PER_UNIT,
                )
            })
    }
}
