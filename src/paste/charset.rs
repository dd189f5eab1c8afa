//! The charset of a text that is not valid UTF-8, found in its bytes.
//!
//! A legacy encoding that the client named at the save is kept, if it fits. Otherwise the bytes tell. They are binary if
//! more than one in [`ODD`] characters of their samples is one that no text has, such as a NUL. The samples are the
//! start, and the part from the first byte beyond ASCII on. Of the other bytes, those are
//!
//! - UTF-16 with a byte order mark, or with NULs in every other byte;
//! - UTF-8 if most of their sequences beyond ASCII are valid. The invalid ones are shown as U+FFFD;
//! - else in a [code page](code_page) of DOS, if drawings or words tell it;
//! - else in the legacy encoding that `chardetng` finds, as Firefox does.
//!
//! Cost: the search for a byte beyond ASCII reads 4 MiB at most, which takes 0.2 ms. A legacy encoding takes 0.2 ms to
//! find.

mod code_page;

use std::num::NonZeroU8;

use encoding_rs::{CoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use code_page::CodePage;

/// The bytes of a sample. Almost all binary formats show what they are within them.
const SAMPLE: usize = 4096;

/// The bytes from which a legacy encoding is guessed.
const GUESSED: usize = 1024;

/// The bytes in which the first one beyond ASCII is searched. A page shows at most this many.
const SEARCHED: usize = 4 * 1024 * 1024;

/// The fewest bytes in which UTF-16 is found without a mark.
const SHORTEST: usize = 8;

/// A text has at most one odd character in this many. Damaged texts have some.
const ODD: usize = 100;

/// The bytes that are decoded at once.
const STEP: usize = 64 * 1024;

/// A charset in which browsers decode texts, with the name that they know, or a code page of DOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(Table);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    OfBrowsers(&'static Encoding),
    OfDos(&'static CodePage),
}

/// The legacy encodings whose label is stored, by their places. The order never changes.
const LABELLED: &str = "\
    IBM866 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-10 ISO-8859-13 ISO-8859-15 \
    ISO-8859-16 KOI8-R KOI8-U macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 \
    windows-1255 windows-1256 windows-1257 windows-1258 GBK gb18030 Big5 EUC-JP Shift_JIS EUC-KR IBM850 IBM437";

/// The legacy encoding that a client named, if it named one: its place in [`LABELLED`] from 2 on, or 1. So an encoding
/// of a content has one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharsetLabel(NonZeroU8);

impl CharsetLabel {
    /// No legacy encoding was named.
    pub const NONE: Self = Self(NonZeroU8::MIN);

    /// The greatest place that can be stored.
    #[cfg(test)]
    const MAX_PLACE: u8 = 62;

    /// Returns this charset, if it is a legacy encoding and these bytes are a text in it.
    pub(super) fn of(charset: Charset, bytes: &[u8]) -> Self {
        let samples = samples(bytes);
        let fits = || {
            utf_16(samples[0]).is_none()
                && samples.into_iter().all(has_few_controls)
                && samples.into_iter().all(|sample| charset.is_of(sample))
        };
        let name = fits().then_some(charset.name());
        let place = LABELLED.split(' ').position(|known| Some(known) == name);
        let place = place.and_then(|place| u8::try_from(place + 1).ok());
        Self::from_place(place.unwrap_or_default())
    }

    /// Returns the label with this place, from 1 on, or none for 0.
    pub(crate) fn from_place(place: u8) -> Self {
        Self(NonZeroU8::MIN.saturating_add(place))
    }

    /// Returns the place of the encoding, which is stored. It is at most 62.
    pub(crate) fn place(self) -> u8 {
        self.0.get() - 1
    }

    /// Returns the charset that was named.
    pub(super) fn charset(self) -> Option<Charset> {
        let before = usize::from(self.place()).checked_sub(1)?;
        LABELLED.split(' ').nth(before).and_then(Charset::named)
    }
}

/// A decoded text, or its beginning.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// Whether bytes were not valid. Each sequence of them is U+FFFD.
    pub has_errors: bool,
    /// Whether the text ends before the bytes do.
    pub is_cut: bool,
}

impl Charset {
    /// Returns the charset with this label (Encoding standard, section 4.2; `IBM850`, `cp437`).
    pub fn named(label: &str) -> Option<Self> {
        let of_dos = CodePage::named(label).map(Table::OfDos);
        let table = of_dos.or_else(|| Encoding::for_label(label.as_bytes()).map(Table::OfBrowsers));
        table.map(Self)
    }

    /// Returns the names of the legacy encodings.
    pub fn legacy_names() -> &'static str {
        LABELLED
    }

    fn is_of(self, sample: &[u8]) -> bool {
        is_text(&self.decode(sample, usize::MAX, || true).text)
    }

    /// Finds the charset of bytes that are not valid UTF-8. Returns `None` if they are binary.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let [head, beyond_ascii] = samples(bytes);
        if let Some(encoding) = utf_16(head) {
            return Some(Self(Table::OfBrowsers(encoding)));
        }
        if ![head, beyond_ascii].into_iter().all(has_few_controls) {
            return None;
        }
        if is_mostly_utf_8(beyond_ascii) {
            return Some(Self(Table::OfBrowsers(UTF_8)));
        }
        let part = &beyond_ascii[..beyond_ascii.len().min(GUESSED)];
        let of_dos = CodePage::of(part).map(Table::OfDos);
        let found = Self(of_dos.unwrap_or_else(|| Table::OfBrowsers(guess(part))));
        found.is_of(part).then_some(found)
    }

    /// Returns whether this valid UTF-8 is a text in UTF-16. Of ordinary text, two bytes are read.
    pub(super) fn is_utf_16(bytes: &[u8]) -> bool {
        // Names that NULs separate have characters of ASCII in both bytes, where a text in UTF-16 has its alphabet.
        let has_alphabet = |encoding| {
            let high = usize::from(encoding == UTF_16LE);
            let high = sample(bytes).iter().skip(high).step_by(2);
            high.clone().filter(|byte| **byte < b' ').count() * 4 >= high.count() * 3
        };
        bytes.iter().take(2).any(|byte| *byte < b'\t')
            && utf_16(sample(bytes)).is_some_and(has_alphabet)
    }

    /// Returns the name, such as `windows-1251`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Table::OfBrowsers(encoding) => encoding.name(),
            Table::OfDos(page) => page.name,
        }
    }

    /// Returns the line feed of a charset whose characters have two bytes.
    pub(super) fn wide_line_feed(self) -> Option<[u8; 2]> {
        match self.0 {
            Table::OfBrowsers(it) if it == UTF_16LE => Some([b'\n', 0]),
            Table::OfBrowsers(it) if it == UTF_16BE => Some([0, b'\n']),
            _ => None,
        }
    }

    /// Decodes about `limit` bytes of text, while there is time.
    pub fn decode(self, bytes: &[u8], limit: usize, has_time: impl Fn() -> bool) -> Decoded {
        let mut decoder = match self.0 {
            Table::OfBrowsers(encoding) => Ok(encoding.new_decoder_with_bom_removal()),
            Table::OfDos(page) => Err(page),
        };
        let mut decoded = Decoded {
            text: String::new(),
            has_errors: false,
            is_cut: false,
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            if decoded.text.len() >= limit || !has_time() {
                decoded.is_cut = true;
                break;
            }
            let (step, after) = rest.split_at(rest.len().min(STEP));
            let decoder = match &mut decoder {
                Ok(decoder) => decoder,
                Err(page) => {
                    page.decode(step, &mut decoded.text);
                    rest = after;
                    continue;
                }
            };
            let most = decoder.max_utf8_buffer_length(step.len());
            decoded.text.reserve(most.unwrap_or(STEP));
            let (result, read, has_errors) =
                decoder.decode_to_string(step, &mut decoded.text, after.is_empty());
            decoded.has_errors |= has_errors;
            rest = &rest[read..];
            debug_assert_eq!(
                result,
                CoderResult::InputEmpty,
                "the text has space for a step"
            );
        }
        decoded
    }
}

/// Returns the start of the bytes, and the part from the byte before the first one beyond ASCII on.
fn samples(bytes: &[u8]) -> [&[u8]; 2] {
    let ascii = Encoding::ascii_valid_up_to(&bytes[..bytes.len().min(SEARCHED)]);
    [sample(bytes), sample(&bytes[ascii.saturating_sub(1)..])]
}

fn sample(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(SAMPLE)]
}

/// Returns the variant of UTF-16 in which this is text.
fn utf_16(sample: &[u8]) -> Option<&'static Encoding> {
    let sample = &sample[..sample.len() & !1];
    let nuls = |parity| {
        let bytes = sample.iter().skip(parity).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let marked = Encoding::for_bom(sample).map(|(encoding, _)| encoding);
    let encoding = match marked {
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => encoding,
        _ if sample.len() < SHORTEST => return None,
        // Blanks, line ends and digits of all scripts have a NUL.
        _ => match (nuls(0), nuls(1)) {
            (0, high) if high > sample.len() / 128 + 3 => UTF_16LE,
            (high, 0) if high > sample.len() / 128 + 3 => UTF_16BE,
            _ => return None,
        },
    };
    let (text, _) = encoding.decode_with_bom_removal(sample);
    is_text(&text).then_some(encoding)
}

/// Returns whether the text has the mark of UTF-8, or valid sequences beyond ASCII prevail.
fn is_mostly_utf_8(sample: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in sample.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= invalid || sample.starts_with("\u{feff}".as_bytes())
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, false);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns whether the bytes may be a text in an encoding that extends ASCII.
fn has_few_controls(bytes: &[u8]) -> bool {
    let controls = bytes
        .iter()
        .filter(|byte| is_odd(char::from(**byte)) && byte.is_ascii());
    controls.count() * ODD <= bytes.len()
}

fn is_text(text: &str) -> bool {
    let (odd, all) = text.chars().fold((0, 0), |(odd, all), c| {
        (odd + usize::from(is_odd(c)), all + 1)
    });
    odd * ODD <= all
}

/// Returns whether texts do not have this character: a control character other than white space, bell, backspace and
/// escape, a noncharacter, one for private use, or one that stands for an invalid sequence.
fn is_odd(c: char) -> bool {
    match c {
        '\t'..='\r' | '\u{7}' | '\u{8}' | '\u{1b}' | '\u{85}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{fffd}'..='\u{ffff}' | '\u{fdd0}'..='\u{fdef}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests;
