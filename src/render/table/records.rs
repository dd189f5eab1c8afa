//! The records of a text with separated values, as RFC 4180 and spreadsheets write them.
//!
//! A field of CSV may be quoted, and then contain separators, line ends and doubled quotes. TSV has no quotes. A line
//! ends with LF, CR or both. Empty lines are no records.
//! Invariants: there are at most [`MAX_RECORDS`] records of at most [`MAX_COLUMNS`] fields, and [`MAX_FIELDS`] in all.
//! Cost: one pass over the text. The fields take as many bytes as the text, and 8 each.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::render::time_budget::{OutOfTime, TimeBudget};

/// Maximum number of records: the header and the rows below it.
const MAX_RECORDS: usize = 1 + 10_000;

/// Maximum number of fields of a record.
const MAX_COLUMNS: usize = 500;

/// Maximum number of fields of all records. More make browsers slow.
const MAX_FIELDS: usize = 200_000;

/// Maximum bytes of a record that may go on where the text was cut.
const LONGEST_OPEN: usize = 64 * 1024;

/// The separators of fields in files that are called CSV. The usual one is the first.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// The records of a text, or the first of them.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The fields without quotes and separators, one after the other.
    text: String,
    /// The end of each field in `text`.
    ends: Vec<usize>,
    /// For each record, the number of fields up to its end.
    counts: Vec<usize>,
    separator: u8,
    /// Whether the text has more records.
    pub(super) is_cut: bool,
}

impl Records {
    /// Splits a text. Returns `None` if it has no record, or if a quote is never closed. The last record of a text that
    /// is not whole is left out, unless it is so long that its quote is probably never closed.
    ///
    /// # Errors
    /// If the budget is used up, or a record has too many fields.
    pub(super) fn of(
        text: &str,
        (separator, has_quotes): (u8, bool),
        is_whole: bool,
        budget: &TimeBudget<'_>,
    ) -> Result<Option<Self>, OutOfTime> {
        let mut splitter = Splitter::new(text.len(), separator, has_quotes);
        splitter.read(text.as_bytes(), budget)?;
        splitter.records.is_cut |= !is_whole;
        if !splitter.records.is_cut {
            // The last line may have no line end.
            splitter.read(b"\n", budget)?;
        }
        // In a text that is not whole, a quote that is never closed looks like a record that goes on.
        let may_go_on = splitter.records.is_cut && splitter.open_bytes() <= LONGEST_OPEN;
        let is_malformed = splitter.is_within_record() && !may_go_on;
        let is_empty = splitter.records.counts.is_empty();
        Ok((!is_malformed && !is_empty).then(|| splitter.finish()))
    }

    /// Returns the number of records.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns whether numbers may have a comma in place of the point.
    pub(super) fn has_decimal_comma(&self) -> bool {
        self.separator != b','
    }

    /// Estimates the bytes of the table: its text, its tags, and an eighth of the text for escapes.
    pub(super) fn size_hint(&self) -> usize {
        const TAGS_PER_FIELD: usize = 14;
        const TAGS_PER_RECORD: usize = 26;
        let tags = TAGS_PER_FIELD * self.ends.len() + TAGS_PER_RECORD * self.counts.len();
        self.text.len() + self.text.len() / 8 + tags
    }

    /// Returns the records, each with its fields.
    pub(super) fn iter(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        let starts = std::iter::once(0).chain(self.counts.iter().copied());
        let ranges = starts.zip(&self.counts);
        ranges.map(|(start, end)| (start..*end).map(|at| self.field(at)))
    }

    fn field(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }
}

/// Returns the separator of the fields: the one that the first line has most often outside of quotes.
pub(super) fn separator_of(text: &str) -> u8 {
    let mut counts = [0; SEPARATORS.len()];
    let mut is_quoted = false;
    for byte in text.trim_start().bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\n' | b'\r' => break,
            _ => {
                if let Some(at) = SEPARATORS.iter().position(|known| *known == byte) {
                    counts[at] += 1;
                }
            }
        }
    }
    let found = SEPARATORS.iter().zip(counts).rev();
    let most = found.max_by_key(|(_, count)| *count);
    most.map_or(SEPARATORS[0], |(separator, _)| *separator)
}

/// Splits a text that comes in pieces.
struct Splitter {
    reader: Reader,
    /// The fields that were read, and room for the rest of the text.
    fields: Vec<u8>,
    /// The bytes of `fields` that were written.
    length: usize,
    /// The ends of the fields of the present record, which the reader counts from its start.
    ends: [usize; MAX_COLUMNS],
    count: usize,
    records: Records,
}

impl Splitter {
    fn new(size: usize, separator: u8, has_quotes: bool) -> Self {
        Self {
            reader: ReaderBuilder::new()
                .delimiter(separator)
                .quoting(has_quotes)
                .build(),
            // A line feed is added at the end.
            fields: vec![0; size + 1],
            length: 0,
            ends: [0; MAX_COLUMNS],
            count: 0,
            records: Records {
                separator,
                ..Records::default()
            },
        }
    }

    /// Reads a piece, until there are too many records.
    fn read(&mut self, mut input: &[u8], budget: &TimeBudget<'_>) -> Result<(), OutOfTime> {
        // The reader takes an empty piece for the end of the text.
        while !input.is_empty() && !self.records.is_cut {
            let (output, ends) = (
                &mut self.fields[self.length..],
                &mut self.ends[self.count..],
            );
            let (result, read, written, ended) = self.reader.read_record(input, output, ends);
            input = &input[read..];
            self.length += written;
            self.count += ended;
            match result {
                ReadRecordResult::Record => self.end_record(),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputEndsFull
                | ReadRecordResult::OutputFull
                | ReadRecordResult::End => return Err(OutOfTime),
            }
            budget.check()?;
        }
        Ok(())
    }

    /// Returns the bytes of the record that was started and not ended.
    fn open_bytes(&self) -> usize {
        self.length - self.records.ends.last().copied().unwrap_or(0)
    }

    fn end_record(&mut self) {
        let Records { ends, counts, .. } = &mut self.records;
        if counts.len() == MAX_RECORDS || ends.len() + self.count > MAX_FIELDS {
            self.records.is_cut = true;
            return;
        }
        let start = ends.last().copied().unwrap_or(0);
        ends.extend(self.ends[..self.count].iter().map(|end| start + end));
        counts.push(ends.len());
        self.count = 0;
    }

    fn is_within_record(&self) -> bool {
        self.count > 0 || self.length > self.records.ends.last().copied().unwrap_or(0)
    }

    fn finish(mut self) -> Records {
        self.fields.truncate(self.length);
        let text = String::from_utf8(self.fields);
        Records {
            text: text.expect("the parts of a text are text"),
            ..self.records
        }
    }
}
