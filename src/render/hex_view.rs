//! A hex view: the first bytes of binary data as offset, hex and ASCII.
//!
//! The result is plain text, not HTML. Askama, the template engine, escapes it.

use std::fmt;

use crate::render::humanize;

/// Bytes per row. The tools hexdump and xxd use the same number.
const ROW: usize = 16;

/// The first bytes of a paste's content.
#[derive(Debug, Clone, Copy)]
pub(super) struct HexView<'a> {
    shown: &'a [u8],
    total: usize,
}

impl<'a> HexView<'a> {
    /// Maximum number of shown bytes: 4,096 rows.
    const MAX_BYTES: usize = 64 * 1024;

    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            shown: &bytes[..bytes.len().min(Self::MAX_BYTES)],
            total: bytes.len(),
        }
    }

    /// Returns a sentence that says what the hex view is and how much of the content it shows.
    pub(super) fn note(self) -> String {
        let total = humanize::size(self.total);
        if self.shown.len() < self.total {
            let shown = humanize::size(self.shown.len());
            format!("This is not text: {total} of binary data. Only the first {shown} are shown.")
        } else {
            format!("This is not text: {total} of binary data.")
        }
    }
}

impl fmt::Display for HexView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, bytes) in self.shown.chunks(ROW).enumerate() {
            write!(f, "{:08x} ", row * ROW)?;
            for at in 0..ROW {
                let gap = if at == ROW / 2 { "  " } else { " " };
                match bytes.get(at) {
                    Some(byte) => write!(f, "{gap}{byte:02x}")?,
                    None => write!(f, "{gap}  ")?,
                }
            }
            f.write_str("  |")?;
            for byte in bytes {
                let printable = byte.is_ascii_graphic() || *byte == b' ';
                write!(f, "{}", if printable { char::from(*byte) } else { '.' })?;
            }
            f.write_str("|\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_offset_hex_and_ascii_and_a_short_one_is_padded() {
        let view = HexView::new(b"\xff<b>&\0 456789abcdefgh");
        assert_eq!(
            view.to_string(),
            "00000000  ff 3c 62 3e 26 00 20 34  35 36 37 38 39 61 62 63  |.<b>&. 456789abc|\n\
             00000010  64 65 66 67 68                                    |defgh|\n"
        );
        assert_eq!(view.note(), "This is not text: 21 bytes of binary data.");
    }

    #[test]
    fn only_the_first_64_kib_are_shown_and_a_note_says_so() {
        let view = HexView::new(&[0xff; 65 * 1024]);
        assert_eq!(view.to_string().lines().count(), 4096);
        assert_eq!(
            view.note(),
            "This is not text: 65 KiB of binary data. Only the first 64 KiB are shown."
        );
        assert!(!HexView::new(&[0xff]).note().contains("first"));
    }
}
