//! Tests of fragments: the shown content and the note.

use super::*;
use crate::paste::Language;
use crate::render::render_key::RenderKey;
use crate::render::tests::{LISTING, Parsed};
use crate::render::time_budget::TimeBudget;

fn rendered(text: &str, language: &str, asks_for_source: bool, is_out_of_time: bool) -> Fragment {
    let language = Language::from_name(language).expect("a language");
    let key = RenderKey::new(language, asks_for_source);
    let is_used_up = || is_out_of_time;
    Fragment::of_form(
        text,
        key.form_of(text, None, TimeBudget::until(&is_used_up)),
    )
}

#[test]
fn markdown_is_a_document_unless_the_reader_asks_for_its_source() {
    let document = rendered("# a", "md", false, false);
    assert!(matches!(document.body, Body::Document(_)) && !document.can_copy);
    assert_eq!(document.alternative_view, Some(View::Source));
    let source = rendered("# a", "md", true, false);
    assert!(matches!(source.body, Body::Listing(_)) && source.can_copy);
    assert_eq!(source.alternative_view, Some(View::Document));
    let other = rendered("# a", "text", false, false);
    assert!(matches!(other.body, Body::Listing(_)));
    assert_eq!(other.alternative_view, None);
}

#[test]
fn invisible_characters_have_at_most_20_000_elements_whatever_the_text_is() {
    let texts = [
        "a\u{200b}",
        "\u{200b}\u{feff}",
        "\u{e0041}\u{e0042}",
        "\u{200b}",
        "\u{202e}a\n",
    ];
    for unit in texts {
        let text = unit.repeat((1 << 20) / unit.len());
        let one = unit.trim_end();
        for (language, text) in [
            ("text", text.clone()),
            ("rust", text.clone()),
            ("md", text[..(1 << 18) / unit.len() * unit.len()].to_owned()),
            ("ansi", format!("\u{1b}[1m{text}")),
            (
                "diff",
                format!(
                    "--- a\n+++ b\n@@ -0,0 +1 @@\n+{one}{}\n",
                    one.repeat(1 << 16)
                ),
            ),
            (
                "csv",
                format!("a,b\n{}", format!("{one},{one}\n").repeat(10_000)),
            ),
            ("json", format!("[\"{}\"]", one.repeat(1 << 16))),
            ("log", format!("2026-01-01 00:00:00 ERROR {text}")),
        ] {
            let mut fragment = rendered(&text, language, false, false);
            let html = fragment.body.html_mut().expect("a text");
            let marked = html.matches("<i>[U+").count();
            assert!(
                (1..=20_000).contains(&marked),
                "{language}: {marked} of {unit:?}"
            );
            assert_eq!(html.matches("<i>").count(), html.matches("</i>").count());
        }
    }
}

#[test]
fn a_decoded_text_names_its_charset_and_tells_what_is_missing() {
    let shown = |bytes: &[u8], limit| {
        let charset = Charset::of(bytes).expect("a text");
        let decoded = charset.decode(bytes, limit, || true);
        let key = RenderKey::new(Language::PLAIN, false);
        let form = key.form_of(&decoded.text, None, TimeBudget::until(&|| false));
        Fragment::of_form(&decoded.text, form).with_charset(charset, &decoded, bytes.len())
    };
    let legacy = shown(b"\xcf\xf0\xe8\xe2\xe5\xf2\n", usize::MAX);
    assert_eq!(legacy.note.as_deref(), Some("Shown as Windows-1251."));
    assert!(legacy.can_copy && legacy.lines == Some(1) && !legacy.is_truncated());
    let damaged = shown(
        "é \u{e9}".as_bytes().split_last().expect("bytes").1,
        usize::MAX,
    );
    let note = "Shown as UTF-8. Bytes that are not valid are shown as \u{fffd}.";
    assert_eq!(damaged.note.as_deref(), Some(note));
    let cut = shown(&b"caf\xe9\n".repeat(100_000), 1);
    let note = "Shown as Windows-1252. Only the beginning of 488.2 KiB is shown.";
    assert_eq!(cut.note.as_deref(), Some(note));
    assert!(!cut.can_copy && cut.lines.is_none() && cut.is_truncated());
}

#[test]
fn a_patch_is_shown_as_files_unless_it_has_no_hunk() {
    let patch = rendered("@@ -1 +1 @@\n-a\n+b\n", "diff", false, false);
    assert!(matches!(patch.body, Body::Patch(_)) && patch.can_copy && patch.note.is_none());
    assert_eq!(patch.alternative_view, Some(View::Source));
    let source = rendered("@@ -1 +1 @@\n-a\n+b\n", "diff", true, false);
    assert!(matches!(source.body, Body::Listing(_)));
    assert_eq!(source.alternative_view, Some(View::Document));
    let normal = rendered("1c1\n< a\n---\n> b\n", "diff", false, false);
    assert!(matches!(normal.body, Body::Listing(_)) && normal.note.is_none());
    assert_eq!(normal.alternative_view, None);
}

#[test]
fn a_part_of_a_patch_says_how_much_is_shown_and_not_that_it_is_cut_off() {
    let text = format!("@@ -1,20000 +1,20000 @@\n{}", " a\n".repeat(20_000));
    let patch = rendered(&text, "diff", false, false);
    assert!(matches!(patch.body, Body::Patch(_)) && !patch.can_copy);
    let note = "Only the first 20,000 of 20,001 lines are shown.";
    assert_eq!(patch.note.as_deref(), Some(note));
}

#[test]
fn a_document_beyond_a_limit_is_shown_as_source_with_a_note() {
    let wide = "a|".repeat(1000) + "\n" + &"-|".repeat(1000);
    let long = "```\n```\n".repeat(100);
    for (text, is_out_of_time) in [(wide, false), (long, true)] {
        let rendered = rendered(&text, "md", false, is_out_of_time);
        assert!(matches!(rendered.body, Body::Listing(_)) && rendered.can_copy);
        assert_eq!(rendered.alternative_view, None);
        assert!(
            rendered
                .note
                .is_some_and(|note| note.contains("This is its source."))
        );
    }
}

#[test]
fn output_that_a_terminal_hides_has_a_note_and_cannot_be_copied() {
    let plain = rendered("\u{1b}[32mok\u{1b}[0m\r\n", "ansi", false, false);
    assert!(plain.can_copy && plain.note.is_none());
    let hiding = rendered("echo\u{1b}_\nrm -rf ~\n\u{1b}\\ done", "ansi", false, false);
    assert!(!hiding.can_copy);
    assert_eq!(hiding.note.as_deref(), Some(HIDDEN));
    assert_eq!(hiding.alternative_view, Some(View::Source));
}

#[test]
fn a_fragment_that_more_time_would_not_improve_is_complete() {
    let wide = "a|".repeat(1000) + "\n" + &"-|".repeat(1000);
    let code = "```rust\nlet x = 1;\n```\n";
    let large = ("a".repeat(100) + "\n").repeat(15_000);
    for (text, language, is_out_of_time, is_complete) in [
        (code, "md", false, true),
        (code, "md", true, false),
        (&wide, "md", false, true),
        ("\u{1b}[1ma", "ansi", true, false),
        ("a", "text", true, true),
        (&large, "text", true, true),
        (&large, "rust", true, true),
        ("a", "rust", true, false),
    ] {
        let rendered = rendered(text, language, false, is_out_of_time);
        assert_eq!(rendered.is_complete, is_complete, "{language}");
    }
}

#[test]
fn a_limit_of_the_highlighting_has_a_note() {
    let large = ("a".repeat(100) + "\n").repeat(15_000);
    let long = "a".repeat(1000);
    let note = |text: &str, language| rendered(text, language, false, false).note;
    let starts = |note: Option<String>, start| note.is_some_and(|note| note.starts_with(start));
    assert!(starts(note(&large, "rust"), "This text is too large for"));
    assert!(starts(
        note(&long, "rust"),
        "Syntax highlighting ends at line 1: it is"
    ));
    assert!(!starts(note(&large, "text"), "This text is too large"));
    assert_eq!(note(&long, "text"), None);
}

#[test]
fn a_document_whose_code_exceeds_a_highlighting_limit_has_a_note() {
    let document = |code: &str| format!("# a\n\n```rust\n{code}\n```\n\n- b\n");
    let note = |text: &str| rendered(text, "md", false, false).note;
    let long = document(&"a".repeat(1000));
    let metadata = format!("---\na: {}\n---\n", "b".repeat(1000));
    assert_eq!(note(&document("let x = 1;")), None);
    assert_eq!(note(&long).as_deref(), Some(CODE_WITHOUT_HIGHLIGHTING));
    assert_eq!(note(&metadata).as_deref(), Some(CODE_WITHOUT_HIGHLIGHTING));
}

#[test]
fn a_document_whose_code_takes_too_long_is_shown_as_source() {
    let asked = std::cell::Cell::new(0);
    let is_out_of_time = || {
        asked.set(asked.get() + 1);
        asked.get() > 100
    };
    let text = format!("```rust\n{}```\n", "let x = 1;\n".repeat(200));
    let language = Language::from_name("md").expect("a language");
    let key = RenderKey::new(language, false);
    let budget = TimeBudget::until(&is_out_of_time);
    let rendered = Fragment::of_form(&text, key.form_of(&text, None, budget));
    assert!(matches!(rendered.body, Body::Listing(_)) && !rendered.is_complete);
}

#[test]
fn a_log_has_one_view_and_is_a_listing_if_it_takes_too_long() {
    for asks_for_source in [false, true] {
        let log = rendered("12:00:00 INFO a\r\n", "log", asks_for_source, false);
        assert!(matches!(log.body, Body::Log(_)) && log.can_copy && log.is_complete);
        assert!(log.alternative_view.is_none() && log.note.is_none() && log.lines == Some(1));
    }
    let late = rendered("12:00:00 INFO a\n", "log", false, true);
    assert!(matches!(late.body, Body::Listing(_)) && late.can_copy && !late.is_complete);
    let long = rendered(&"12:00:00 a\n".repeat(20_001), "log", false, false);
    assert!(matches!(long.body, Body::Log(_)) && !long.can_copy && long.is_truncated());
}

#[test]
fn a_renderer_that_panics_counts_as_out_of_time() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let found: Result<(), OutOfTime> = catch_panic(|| panic!("a fault"));
    std::panic::set_hook(hook);
    assert_eq!(found, Err(OutOfTime));
}

#[test]
fn urls_and_email_addresses_of_plain_text_alone_are_links() {
    let text = "(see <HTTPS://a.example/?b=(c)&d>, www.a.example)\nmailto:a@b.example, a@b.example\nftp://a.example \
        javascript://a.example/%0aalert(1) file:///a data:text/html,b README.md";
    let links = |language: &str| {
        let Body::Listing(html) = rendered(text, language, false, false).body else {
            panic!("a text is a listing");
        };
        let parsed = Parsed::of(&html, &[LISTING]);
        assert_eq!(parsed.text, text);
        parsed.links().join(" ")
    };
    assert_eq!(
        links("text"),
        "HTTPS://a.example/?b=(c)&d http://www.a.example mailto:a@b.example mailto:a@b.example"
    );
    assert_eq!(links("rust"), "");
}

#[test]
fn the_links_of_a_page_are_bounded() {
    for language in ["text", "log"] {
        let text = "a@b.cc\n".repeat(40).trim_end().replace('\n', " ") + "\n";
        let fragment = rendered(&text.repeat(1000), language, false, false);
        let html = match fragment.body {
            Body::Listing(html) | Body::Log(Log { html, .. }) => html,
            _ => panic!("a text or a log"),
        };
        assert_eq!(html.matches("<a href=\"mailto:").count(), 20_000);
        assert!(html.len() < 12 * text.len() * 1000);
    }
}

#[test]
fn slow_code_is_shown_whole_without_highlighting_and_with_a_note() {
    let result = |is_out_of_time| {
        let fragment = rendered("let x = 1;", "rust", false, is_out_of_time);
        let Body::Listing(html) = fragment.body else {
            panic!("a text is a listing");
        };
        let is_highlighted = html.contains("<span class=\"k\">");
        let text = Parsed::of(&html, &[LISTING]).text;
        (is_highlighted, fragment.is_complete, text, fragment.note)
    };
    let text = || "let x = 1;".to_owned();
    assert_eq!(result(false), (true, true, text(), None));
    assert_eq!(
        result(true),
        (false, false, text(), Some(WITHOUT_HIGHLIGHTING.to_owned()))
    );
}

#[test]
fn data_is_a_table_or_formatted_unless_the_reader_asks_for_its_source() {
    for (text, language) in [
        ("a,b\n1,2\n", "csv"),
        ("a\tb\n", "tsv"),
        ("{\"a\": 1}", "json"),
        ("1\n2\n", "jsonl"),
    ] {
        let data = rendered(text, language, false, false);
        assert!(
            matches!(data.body, Body::Table(_) | Body::Json(_)),
            "{text}"
        );
        assert!(!data.can_copy && data.note.is_none() && !data.is_truncated());
        assert_eq!(data.alternative_view, Some(View::Source));
        let source = rendered(text, language, true, false);
        assert!(matches!(source.body, Body::Listing(_)) && source.can_copy);
        assert_eq!(source.alternative_view, Some(View::Document));
    }
}

#[test]
fn malformed_data_is_shown_as_its_source() {
    for (text, language) in [("a,\"b\n", "csv"), ("{\"a\": 1,}", "json")] {
        let data = rendered(text, language, false, false);
        assert!(matches!(data.body, Body::Listing(_)) && data.note.is_none());
        assert_eq!(data.alternative_view, None);
    }
    let deep = rendered(&"[".repeat(200), "json", false, false);
    assert!(matches!(deep.body, Body::Listing(_)) && deep.note.is_none());
    let deep = "[".repeat(200) + &"]".repeat(200);
    let deep = rendered(&deep, "json", false, false);
    assert!(
        deep.note
            .is_some_and(|note| note.contains("This is its source."))
    );
}

#[test]
fn a_part_of_data_says_how_much_is_shown() {
    let rows = "a,b\n".repeat(10_002);
    let lines = format!("[{}1]", "1,".repeat(30_000));
    for (text, language, note) in [
        (&rows, "csv", "Only the first 10,000 rows are shown."),
        (
            &lines,
            "json",
            "Only the first 20,000 lines of the formatted text are shown.",
        ),
    ] {
        let data = rendered(text, language, false, false);
        assert!(data.is_truncated() && data.is_complete);
        assert_eq!(data.note.as_deref(), Some(note));
    }
}
