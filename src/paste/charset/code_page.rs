//! Code pages of DOS, in which consoles of Windows still write. Browsers do not know them.
//!
//! Invariants: each byte has a character, so every text can be decoded.

/// A code page of DOS.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodePage {
    pub(super) name: &'static str,
    /// The characters of the bytes from 128 on.
    high: &'static str,
}

const CP850: CodePage = CodePage {
    name: "IBM850",
    high: "\
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
        └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
};

const CP437: CodePage = CodePage {
    name: "IBM437",
    high: "\
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
        └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
};

pub(super) const CODE_PAGES: [&CodePage; 2] = [&CP850, &CP437];

/// Bytes that draw lines and areas. In a row, they are no text in another encoding.
const DRAWING: &[u8] = b"\xc4\xcd\xdb\xdc\xdf\xb1\xb2";
const IN_A_ROW: usize = 4;

/// Bytes that draw in [`CP437`] alone.
const ONLY_IN_437: &[u8] =
    b"\xb5\xb6\xb7\xb8\xbd\xbe\xc6\xc7\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xdd\xde";

/// Bytes that are letters in both code pages, and that other encodings do not have behind a small letter.
const LETTERS: &[u8] = b"\x81\x82\x83\x84\x86\x87\x88\x89\x8b\x8c\x94\xa1\xa2\xa3\xa4";

/// Quotes and apostrophes of windows-1252.
const QUOTES: &[u8] = b"\x91\x92\x93";

impl CodePage {
    /// Returns the code page with this label.
    pub(super) fn named(label: &str) -> Option<&'static Self> {
        let label = label.trim().to_ascii_lowercase();
        let number = ["ibm", "cp"]
            .iter()
            .find_map(|start| label.strip_prefix(start));
        CODE_PAGES
            .into_iter()
            .find(|page| page.name.strip_prefix("IBM") == Some(number.unwrap_or(&label)))
    }

    /// Returns the code page that a drawing shows, or letters within words.
    pub(super) fn of(bytes: &[u8]) -> Option<&'static Self> {
        let mut runs = bytes.chunk_by(|a, b| a == b);
        let draws = runs.any(|run| run.len() >= IN_A_ROW && DRAWING.contains(&run[0]));
        let spells = || {
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
            let is_within = |three: &&[u8]| {
                let [before, byte, after] = **three else {
                    return false;
                };
                before.is_ascii_lowercase() && LETTERS.contains(&byte) && is_letter(after)
            };
            let within = bytes.windows(3).filter(is_within).count();
            let others = bytes.iter().filter(|byte| !byte.is_ascii()).count() - within;
            within > 0 && within >= others && !bytes.iter().any(|byte| QUOTES.contains(byte))
        };
        let is_437 = || bytes.iter().any(|byte| ONLY_IN_437.contains(byte));
        match draws {
            true if is_437() => Some(&CP437),
            true => Some(&CP850),
            false => spells().then_some(&CP850),
        }
    }

    /// Adds the text of these bytes.
    pub(super) fn decode(&self, bytes: &[u8], text: &mut String) {
        let high: Vec<char> = self.high.chars().collect();
        text.extend(bytes.iter().map(|byte| match byte.checked_sub(128) {
            Some(at) => high[usize::from(at)],
            None => char::from(*byte),
        }));
    }
}
