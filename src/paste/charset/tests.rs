//! Tests of charsets: texts in every kind of encoding, and binary data that looks like them.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use proptest::prelude::*;

use super::*;

fn name(bytes: &[u8]) -> Option<&'static str> {
    Charset::of(bytes).map(Charset::name)
}

fn wide(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

fn decoded(bytes: &[u8]) -> String {
    let charset = Charset::of(bytes).expect("a text");
    charset.decode(bytes, usize::MAX, || true).text
}

#[test]
fn a_charset_that_is_named_is_kept_if_it_is_a_legacy_one_and_fits() {
    let russian = b"\xd0\xd2\xc9\xd7\xc5\xd4";
    for (label, bytes, expected) in [
        ("koi8-r", &russian[..], Some("KOI8-R")),
        (" CP1251 ", russian, Some("windows-1251")),
        ("latin1", russian, Some("windows-1252")),
        ("sjis", b"\x83e", Some("Shift_JIS")),
        ("sjis", b"\xff\xff", None),
        ("utf-8", russian, None),
        ("utf-16", russian, None),
        ("klingon", russian, None),
        ("CP850", b"J\x94rg", Some("IBM850")),
        (" 437 ", b"J\x94rg", Some("IBM437")),
        ("koi8-r", b"\0\xff\0\x01", None),
        (
            "koi8-r",
            &[&b"#".repeat(9000)[..], b"\xff\0\x01\0\x02"].concat(),
            None,
        ),
    ] {
        let kept =
            Charset::named(label).and_then(|charset| CharsetLabel::of(charset, bytes).charset());
        assert_eq!(kept.map(Charset::name), expected, "{label}");
    }
}

#[test]
fn the_place_of_a_label_can_be_stored_and_names_it() {
    for (place, name) in (1..).zip(LABELLED.split(' ')) {
        let label = CharsetLabel::of(Charset::named(name).unwrap(), b"a");
        assert!(place <= CharsetLabel::MAX_PLACE, "{name}");
        assert_eq!(label.place(), place, "{name}");
        let charset = CharsetLabel::from_place(place).charset();
        assert_eq!(charset.map(Charset::name), Some(name));
    }
    assert_eq!(LABELLED.split(' ').count(), 33);
    assert_eq!(CharsetLabel::from_place(0), CharsetLabel::NONE);
}

#[test]
fn a_text_with_few_bad_bytes_is_utf_8_wherever_they_are() {
    for bytes in [
        &b"na\xc3\xafve \xff\n"[..],
        b"\xef\xbb\xbfmarked \xff\xff",
        &["日本語のテキスト".repeat(20).as_bytes(), b"\0\xe6\x97"].concat(),
    ] {
        assert_eq!(name(bytes), Some("UTF-8"));
    }
    let late = [
        &b"plain ASCII\n".repeat(10_000)[..],
        "é \u{e9}\n".as_bytes(),
        b"\xff",
    ]
    .concat();
    assert_eq!(name(&late), Some("UTF-8"));
    assert_eq!(decoded(b"na\xc3\xafve \xff\n"), "naïve \u{fffd}\n");
}

#[test]
fn utf_16_is_found_with_and_without_a_mark() {
    for text in ["Windows Registry\r\n", "Привет, мир\r\n", "中文 text\n"] {
        let marked = format!("\u{feff}{text}");
        for (to_bytes, encoding) in [
            (u16::to_le_bytes as fn(u16) -> [u8; 2], UTF_16LE),
            (u16::to_be_bytes, UTF_16BE),
        ] {
            assert_eq!(name(&wide(text, to_bytes)), Some(encoding.name()), "{text}");
            assert_eq!(decoded(&wide(text, to_bytes)), text);
            assert_eq!(name(&wide(&marked, to_bytes)), Some(encoding.name()));
            assert_eq!(decoded(&wide(&marked, to_bytes)), text);
            assert!(text == "中文 text\n" || Charset::is_utf_16(&wide(text, to_bytes)));
        }
    }
    assert!(!Charset::is_utf_16(b"text\0with\0NULs\0"));
    let names: Vec<u8> = (10..30)
        .flat_map(|it| format!("./IMG_{it}.png\0").into_bytes())
        .collect();
    assert!(!Charset::is_utf_16(&[b".\0", &names[..]].concat()));
    assert!(!Charset::is_utf_16(b"\0\0\0\x01\0\0\0\x02"));
    assert!(!Charset::is_utf_16(b""));
    assert!(!Charset::is_utf_16(
        b"\xff\0one NUL does not make a text of forty bytes"
    ));
}

#[test]
fn a_legacy_encoding_is_found_in_a_sentence() {
    for (label, found, text) in [
        ("windows-1251", "windows-1251", "Привет, мир! Это проверка."),
        ("koi8-r", "KOI8-U", "Привет, мир! Это проверка."),
        ("ibm866", "IBM866", "Привет, мир! Это проверка."),
        ("shift_jis", "Shift_JIS", "これはテストです。"),
        ("euc-jp", "EUC-JP", "これはテストです。日本語"),
        ("gb18030", "GBK", "这是一个测试，中文编码。"),
        ("big5", "Big5", "這是一個測試。"),
        ("euc-kr", "EUC-KR", "안녕하세요 세계"),
        ("windows-1252", "windows-1252", "Größe: 5 µm – “naïve” café"),
        ("iso-8859-2", "ISO-8859-2", "Zażółć gęślą jaźń"),
        ("windows-1253", "windows-1253", "Γειά σου Κόσμε"),
        ("windows-1256", "windows-1256", "مرحبا بالعالم"),
    ] {
        let encoding = Encoding::for_label(label.as_bytes()).expect("a label");
        let (bytes, ..) = encoding.encode(text);
        assert_eq!(name(&bytes), Some(found), "{text}");
        assert_eq!(decoded(&bytes), text);
        // Far behind ASCII, too.
        let late = [&b"plain ASCII\n".repeat(10_000)[..], &bytes].concat();
        assert_eq!(name(&late), Some(found), "{text}");
    }
    assert_eq!(decoded(b"caf\xe9"), "café");
}

#[test]
fn bytes_with_many_controls_are_binary() {
    let random: Vec<u8> = (0_u32..2000)
        .flat_map(|number| number.wrapping_mul(2_654_435_769).to_le_bytes())
        .collect();
    let packed_behind_a_script = [&b"#!/bin/sh\nexec tail\n".repeat(1000)[..], &random].concat();
    let sound: Vec<u8> = (0_i16..2000)
        .flat_map(|at| (at % 90 - 45).to_le_bytes())
        .collect();
    for bytes in [
        &b"\xff\0"[..],
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\xff",
        b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n3 0 obj\nstream\nx\xda\x03\x01\0\x9c\x04\x11\x02\0\x01",
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0",
        b"\xff\xfe\0\xd8\0\xd8\x01\0",
        &random,
        &packed_behind_a_script,
        &sound,
    ] {
        assert_eq!(name(bytes), None, "{:?}", &bytes[..bytes.len().min(40)]);
    }
}

#[test]
fn decoding_ends_at_its_limit_or_when_time_is_over() {
    let bytes = b"caf\xe9 ".repeat(100_000);
    let charset = Charset::of(&bytes).expect("a text");
    let whole = charset.decode(&bytes, usize::MAX, || true);
    assert_eq!(whole.text, "café ".repeat(100_000));
    assert!(!whole.is_cut && !whole.has_errors);
    let part = charset.decode(&bytes, 1, || true);
    assert!(part.is_cut && whole.text.starts_with(&part.text) && part.text.len() > STEP);
    let none = charset.decode(&bytes, usize::MAX, || false);
    assert!(none.is_cut && none.text.is_empty());
}

#[test]
fn a_character_that_two_steps_share_is_whole() {
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode("語");
    let bytes = [&b"x"[..], &bytes.repeat(STEP)].concat();
    let decoded =
        Charset(Table::OfBrowsers(encoding_rs::SHIFT_JIS)).decode(&bytes, usize::MAX, || true);
    assert_eq!(decoded.text, format!("x{}", "語".repeat(STEP)));
    assert!(!decoded.has_errors);
}

proptest! {
    #[test]
    fn any_bytes_are_binary_or_decoded_to_at_most_three_times_their_size(
        start in prop::collection::vec(any::<u8>(), 0..40),
        part in "[ -~é日\u{feff}]{0,20}|[\u{80}-\u{ff}]{0,20}",
        count in 1_usize..300,
    ) {
        let latin_1 = part.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
        for part in [part.clone().into_bytes(), latin_1] {
            let bytes = [&start[..], &part.repeat(count)].concat();
            if let Some(charset) = Charset::of(&bytes) {
                let decoded = charset.decode(&bytes, usize::MAX, || true);
                prop_assert!(decoded.text.len() <= 3 * bytes.len() && !decoded.is_cut);
            }
            Charset::is_utf_16(&bytes);
        }
    }
}

#[test]
fn a_code_page_of_dos_is_found_by_drawings_and_letters_within_words() {
    for (bytes, expected, text) in [
        (
            &b"C:\\Users\\J\x94rg>dir\r\n Datentr\x84ger in Laufwerk C: hat keine Bezeichnung.\r\n 1 Datei(en), Gr\x94\xe1e"[..],
            "IBM850",
            "C:\\Users\\Jörg>dir\r\n Datenträger in Laufwerk C: hat keine Bezeichnung.\r\n 1 Datei(en), Größe",
        ),
        (
            b"Le num\x82ro de s\x82rie du volume est 1234. R\x82pertoire de C:\\",
            "IBM850",
            "Le numéro de série du volume est 1234. Répertoire de C:\\",
        ),
        (
            b"El n\xa3mero de serie del volumen es 1234. Configuraci\xa2n",
            "IBM850",
            "El número de serie del volumen es 1234. Configuración",
        ),
        (
            b"\xda\xc4\xc4\xc4\xc4\xbf\n\xb3 a  \xb3\n\xc0\xc4\xc4\xc4\xc4\xd9\n",
            "IBM850",
            "┌────┐\n│ a  │\n└────┘\n",
        ),
        (
            b"\xd5\xcd\xcd\xcd\xcd\xb8\n\xb3 NFO\xb3 \xde\xdb\xdd\n",
            "IBM437",
            "╒════╕\n│ NFO│ ▐█▌\n",
        ),
    ] {
        assert_eq!(name(bytes), Some(expected), "{text}");
        assert_eq!(decoded(bytes), text);
    }
    for western in [
        &b"J\xf6rg sagt \x84nein\x94, und Gr\xf6\xdfe z\xe4hlt"[..],
        b"don\x92t say \x93wait\x85what\x94, caf\xe9\x97bar",
        b"Le num\xe9ro de s\xe9rie co\xfbte 5\xa0\x80",
        b"El n\xfamero\xa1 la configuraci\xf3n",
    ] {
        assert_eq!(name(western), Some("windows-1252"));
    }
    let russian = "Привет, как дела".chars();
    let windows_1251: Vec<u8> = russian
        .map(|c| {
            u8::try_from(u32::from(c).saturating_sub(0x350))
                .map_or(b' ', |byte| if c.is_ascii() { c as u8 } else { byte })
        })
        .collect();
    assert_eq!(name(&windows_1251), Some("windows-1251"));
    for page in code_page::CODE_PAGES {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let charset = Charset::named(page.name).unwrap();
        assert_eq!(
            charset
                .decode(&all, usize::MAX, || true)
                .text
                .chars()
                .count(),
            256
        );
    }
}
