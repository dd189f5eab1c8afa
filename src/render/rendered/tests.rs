//! What is shown, what is not, and what is said about it.

use super::*;
use crate::paste::{Change, Content, Draft, Expiry, Language, StoredPaste, TitleChange, TokenHash};

fn rendered(text: &str, language: &str, asks_for_source: bool, is_out_of_time: bool) -> Rendered {
    let language = Language::named(language).expect("a language");
    let key = RenderKey::new(language, asks_for_source);
    Rendered::text(text, key, TimeBudget::until(&|| is_out_of_time))
}

#[test]
fn what_was_rendered_is_of_one_content_and_one_title() {
    let draft = |content: &[u8]| Draft {
        content: Content::new(content, usize::MAX).expect("not empty"),
        title: Title::new("a"),
        language: Language::PLAIN,
        expiry: Expiry::Never,
    };
    let before = Paste::new(draft(b"old"), Timestamp::default(), TokenHash::of(""));
    let key = RenderKey::new(Language::PLAIN, false);
    let rendered = Rendered::new(&before, key, TimeBudget::until(&|| false));
    assert!(rendered.same_revision(&before));
    let content = Content::new(b"new", usize::MAX).ok();
    let title = TitleChange::Is(Title::new("b").expect("a title"));
    for change in [
        Change {
            content,
            ..Change::default()
        },
        Change {
            title,
            ..Change::default()
        },
        Change {
            title: TitleChange::Goes,
            ..Change::default()
        },
    ] {
        // In the same millisecond.
        let after = StoredPaste::from(before.clone()).changed(&change, Timestamp::default());
        assert!(!rendered.same_revision(&after.read()));
    }
}

#[test]
fn only_markdown_is_a_document_and_only_where_nobody_asks_for_its_source() {
    let document = rendered("# a", "md", false, false);
    assert!(matches!(document.body, Body::Document(_)) && !document.can_copy);
    assert_eq!(document.other_view, Some(View::Source));
    let source = rendered("# a", "md", true, false);
    assert!(matches!(source.body, Body::Listing(_)) && source.can_copy);
    assert_eq!(source.other_view, Some(View::Document));
    let other = rendered("# a", "text", false, false);
    assert!(matches!(other.body, Body::Listing(_)));
    assert_eq!(other.other_view, None);
}

#[test]
fn a_document_that_goes_over_a_bound_is_shown_as_source_and_says_so() {
    let wide = "a|".repeat(1000) + "\n" + &"-|".repeat(1000);
    let long = "```\n```\n".repeat(100);
    for (text, is_out_of_time) in [(wide, false), (long, true)] {
        let rendered = rendered(&text, "md", false, is_out_of_time);
        assert!(matches!(rendered.body, Body::Listing(_)) && rendered.can_copy);
        assert_eq!(rendered.other_view, None);
        assert!(
            rendered
                .note
                .is_some_and(|note| note.contains("this is its source."))
        );
    }
}

#[test]
fn what_a_terminal_hides_is_told_and_not_copied() {
    let plain = rendered("\u{1b}[32mok\u{1b}[0m\r\n", "ansi", false, false);
    assert!(plain.can_copy && plain.note.is_none());
    let hiding = rendered("echo\u{1b}_\nrm -rf ~\n\u{1b}\\ done", "ansi", false, false);
    assert!(!hiding.can_copy);
    assert_eq!(hiding.note.as_deref(), Some(HIDDEN));
    assert_eq!(hiding.other_view, Some(View::Source));
}

#[test]
fn what_more_time_would_make_no_better_is_complete() {
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
        assert_eq!(rendered.is_complete(), is_complete, "{language}");
    }
}

#[test]
fn a_bound_of_the_colours_is_told() {
    let large = ("a".repeat(100) + "\n").repeat(15_000);
    let long = "a".repeat(1000);
    let note = |text: &str, language| rendered(text, language, false, false).note;
    let starts = |note: Option<String>, start| note.is_some_and(|note| note.starts_with(start));
    assert!(starts(note(&large, "rust"), "This text is too large to be"));
    assert!(starts(note(&long, "rust"), "Colours end at line 1: it is"));
    assert!(!starts(note(&large, "text"), "This text is too large"));
    assert_eq!(note(&long, "text"), None);
}

#[test]
fn a_document_whose_code_goes_over_a_bound_of_the_colours_says_so() {
    let document = |code: &str| format!("# a\n\n```rust\n{code}\n```\n\n- b\n");
    let note = |text: &str| rendered(text, "md", false, false).note;
    let long = document(&"a".repeat(1000));
    let metadata = format!("---\na: {}\n---\n", "b".repeat(1000));
    assert_eq!(note(&document("let x = 1;")), None);
    assert_eq!(note(&long).as_deref(), Some(CODE_WITHOUT_COLOURS));
    assert_eq!(note(&metadata).as_deref(), Some(CODE_WITHOUT_COLOURS));
}

#[test]
fn a_document_whose_code_takes_too_long_is_shown_as_its_source() {
    let asked = std::cell::Cell::new(0);
    let is_out_of_time = || {
        asked.set(asked.get() + 1);
        asked.get() > 100
    };
    let text = format!("```rust\n{}```\n", "let x = 1;\n".repeat(200));
    let language = Language::named("md").expect("a language");
    let key = RenderKey::new(language, false);
    let rendered = Rendered::text(&text, key, TimeBudget::until(&is_out_of_time));
    assert!(matches!(rendered.body, Body::Listing(_)) && !rendered.is_complete());
}

#[test]
fn a_renderer_that_panics_has_given_up() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let found: Result<(), OutOfTime> = guarded(|| panic!("a fault"));
    std::panic::set_hook(hook);
    assert_eq!(found, Err(OutOfTime));
}
