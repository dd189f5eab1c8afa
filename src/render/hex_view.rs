//! A hex view: the first bytes of binary data as offset, hex and ASCII.
//!
//! The result is plain text, not HTML. Askama, the template engine, escapes it.

use std::fmt::{self, Write};

use crate::render::humanize;

/// Bytes per row. The tools hexdump and xxd use the same number.
const ROW: usize = 16;

/// Maximum number of shown bytes: 4,096 rows.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the hex view, and a sentence that says what it is and how much of the content it shows.
pub(super) fn hex_view(bytes: &[u8]) -> (String, String) {
    let shown = &bytes[..bytes.len().min(MAX_BYTES)];
    let mut rows = String::new();
    for (row, bytes) in shown.chunks(ROW).enumerate() {
        write_row(row * ROW, bytes, &mut rows).expect("a string takes everything");
    }
    let mut note = format!(
        "This is not text: {} of binary data.",
        humanize::size(bytes.len())
    );
    if shown.len() < bytes.len() {
        let shown = humanize::size(shown.len());
        note += &format!(" Only the first {shown} are shown.");
    }
    (rows, note)
}

fn write_row(offset: usize, bytes: &[u8], rows: &mut String) -> fmt::Result {
    write!(rows, "{offset:08x} ")?;
    for at in 0..ROW {
        let gap = if at == ROW / 2 { "  " } else { " " };
        match bytes.get(at) {
            Some(byte) => write!(rows, "{gap}{byte:02x}")?,
            None => write!(rows, "{gap}  ")?,
        }
    }
    rows.push_str("  |");
    for byte in bytes {
        let is_printable = byte.is_ascii_graphic() || *byte == b' ';
        rows.push(if is_printable { char::from(*byte) } else { '.' });
    }
    rows.push_str("|\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_offset_hex_and_ascii_and_a_short_one_is_padded() {
        let (rows, note) = hex_view(b"\xff<b>&\0 456789abcdefgh");
        assert_eq!(
            rows,
            "00000000  ff 3c 62 3e 26 00 20 34  35 36 37 38 39 61 62 63  |.<b>&. 456789abc|\n\
             00000010  64 65 66 67 68                                    |defgh|\n"
        );
        assert_eq!(note, "This is not text: 21 bytes of binary data.");
    }

    #[test]
    fn only_the_first_64_kib_are_shown_and_a_note_says_so() {
        let (rows, note) = hex_view(&[0xff; 65 * 1024]);
        assert_eq!(rows.lines().count(), 4096);
        assert_eq!(
            note,
            "This is not text: 65 KiB of binary data. Only the first 64 KiB are shown."
        );
        assert!(!hex_view(&[0xff]).1.contains("first"));
    }
}
