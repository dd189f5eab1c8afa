//! Tests of the page of a paste.

use super::*;
use crate::page::TABLE_SCRIPT;
use crate::page::site::site;
use crate::paste::{
    Access, Content, Draft, Expiry, Language, Revision, StoredPaste, Timestamp, Title, TokenHash,
};
use crate::render::{RenderKey, TimeBudget};

fn saved(content: &[u8], title: &str) -> Paste {
    saved_for("7d".parse().expect("an expiry"), content, title)
}

fn saved_for(expiry: Expiry, content: &[u8], title: &str) -> Paste {
    stored(expiry, content, title).into_paste()
}

fn stored(expiry: Expiry, content: &[u8], title: &str) -> StoredPaste {
    let draft = Draft {
        slug: None,
        content: Content::new(content, usize::MAX).expect("not empty"),
        title: Title::new(title),
        language: None,
        expiry,
    };
    StoredPaste::new(
        draft,
        Access::Open,
        Revision::default(),
        Timestamp::from_millis(951_782_400_000),
        TokenHash::of(""),
    )
}

fn rendered(paste: &Paste) -> Rendered {
    in_language(paste, Language::from_name("rust").expect("a language"))
}

fn in_language(paste: &Paste, language: impl Into<Option<Language>>) -> Rendered {
    let key = RenderKey::new(language, false);
    Rendered::new(paste, key, TimeBudget::until(&|| false))
}

fn page<'a>(paste: &'a Paste, rendered: &'a Rendered) -> PastePage<'a> {
    PastePage {
        site: site(""),
        file_of: None,
        head: PasteHead {
            id: "0123456789AB",
            url: "https://bin.example/0123456789AB",
            may_delete: false,
            saved: None,
        },
        paste,
        rendered,
        availability: Availability::Open,
        changed: None,
    }
}

fn html(content: &[u8], title: &str) -> String {
    let saved = saved(content, title);
    paste(&page(&saved, &rendered(&saved)))
}

#[test]
fn only_a_log_has_a_filter_and_only_one_with_levels_a_list_of_them() {
    for (content, expected) in [
        ("12:00:00 INFO a\n".repeat(4), [true, true, true, true]),
        ("12:00:00 a\n".repeat(4), [true, true, true, false]),
        ("data-l=\"e\" class=\"levels\"".to_owned(), [false; 4]),
    ] {
        let saved = saved(content.as_bytes(), "");
        let rendered = in_language(&saved, None);
        let html = paste(&page(&saved, &rendered));
        let assets = [&crate::page::LOG_STYLE, &crate::page::LOG_SCRIPT].map(|asset| &*asset.name);
        let parts = [assets[0], assets[1], "id=\"filter\"", "class=\"levels\""];
        assert_eq!(parts.map(|part| html.contains(part)), expected, "{content}");
    }
}

#[test]
fn a_page_shows_the_kind_of_a_paste_and_its_expiry() {
    let unread = stored("7d".parse().expect("an expiry"), &[b'a'; 1434], "a title");
    let kept = unread.into_data().with_reads(1).into_paste();
    let html = paste(&page(&kept, &rendered(&kept)));
    for part in [
        "<h1 class=\"title\"><bdi>a title</bdi></h1>",
        "<title>a title · tidebin</title>",
        "<a id=\"kind\" href=\"/0123456789AB/language\" rel=\"nofollow\" aria-keyshortcuts=\"l\"><span class=\"unseen\">Language: </span>Rust</a>",
        "<span>1.4 KiB</span>",
        "<span>1 line</span>",
        "<span>Saved <time datetime=\"2000-02-29T00:00:00Z\" data-when=\"past\">2000-02-29 00:00:00 UTC</time></span>",
        "<span>Expires <time datetime=\"2000-03-07T00:00:00Z\" data-when=\"future\">2000-03-07 00:00:00 UTC</time></span>",
        "data-link=\"https://bin.example/0123456789AB\"",
        "href=\"/raw/0123456789AB\"",
        "href=\"/dl/0123456789AB\"",
        "<meta name=\"robots\" content=\"noindex, nofollow\">",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn a_paste_that_never_expires_says_so() {
    let kept = saved_for(Expiry::Never, b"a", "");
    let html = paste(&page(&kept, &rendered(&kept)));
    assert!(html.contains("<span>Never expires</span>"));
    assert_eq!(html.matches("<time").count(), 1);
}

#[test]
fn only_the_owner_sees_the_count_of_views() {
    let unread = stored(Expiry::Never, b"a", "");
    let kept = unread.into_data().with_reads(2).into_paste();
    let rendered_kept = rendered(&kept);
    let mut with = page(&kept, &rendered_kept);
    with.head.may_delete = true;
    let with = paste(&with);
    assert!(with.contains("/stats\">2 views</a>"));
    assert!(!paste(&page(&kept, &rendered(&kept))).contains("view<"));
    assert!(!paste(&page(&kept, &rendered(&kept))).contains("views<"));
}

#[test]
fn only_the_owner_can_delete_here_and_any_other_reader_is_led_to_the_token() {
    let kept = saved(b"a", "");
    let without = paste(&page(&kept, &rendered(&kept)));
    let rendered_kept = rendered(&kept);
    let mut with = page(&kept, &rendered_kept);
    with.head.may_delete = true;
    let with = paste(&with);
    let delete = "Delete…</summary>\n<form method=\"post\" action=\"/0123456789AB\">";
    assert!(with.contains(delete) && !without.contains("name=\"delete\""));
    let token = "href=\"/0123456789AB/stats\" rel=\"nofollow\">For its owner<";
    assert!(without.contains(token) && !with.contains(token));
}

#[test]
fn one_action_stands_out_and_all_others_are_in_the_menu() {
    for (content, primary) in [
        (
            &b"a"[..],
            "<button type=\"button\" id=\"copy\" class=\"scripted\"",
        ),
        (b"\xff\0", "<a class=\"button\" href=\"/dl/0123456789AB\""),
    ] {
        let html = html(content, "");
        let actions = html.split("<div class=\"actions\">").nth(1).unwrap();
        let actions = actions.split("</div>").next().unwrap();
        assert!(actions.contains(primary), "{actions}");
        let stands_out = ["id=\"copy\"", "class=\"button\""].map(|it| actions.matches(it).count());
        assert_eq!(stands_out.iter().sum::<usize>(), 1);
    }
}

/// Returns the page of a text with an alternative view and a truncated rest.
fn revealed(left: Option<u8>, may_delete: bool) -> String {
    let kept = saved(&b"#\n".repeat(20_001), "a title");
    let language = Language::from_name("markdown").expect("a language");
    let key = RenderKey::new(language, true);
    let rendered = Rendered::new(&kept, key, TimeBudget::until(&|| false));
    let mut page = page(&kept, &rendered);
    page.head.may_delete = may_delete;
    page.availability = Availability::Restricted { reads_left: left };
    paste(&page)
}

#[test]
fn a_revealed_paste_says_first_how_many_views_are_left() {
    for (left, note) in [
        (
            Some(0),
            "This was the last view. The paste is deleted: save what you need before you leave this page.",
        ),
        (Some(1), "This paste has 1 view left."),
        (Some(3), "This paste has 3 views left."),
    ] {
        let html = revealed(left, false);
        let note = format!("<p class=\"note\" role=\"status\">{note}</p>");
        let at = html.find(&note).unwrap_or(usize::MAX);
        assert!(at < html.find("class=\"facts\"").unwrap_or(0), "{note}");
    }
    let (locked, fact) = (revealed(None, false), "<span>Password protected</span>");
    assert!(locked.contains(fact));
    for unlimited in [locked, html(b"a", "")] {
        assert!(!unlimited.contains("class=\"note\" role=\"status\""));
    }
    assert!(!html(b"a", "").contains(fact));
}

#[test]
fn a_revealed_paste_has_no_links_to_its_content_and_no_preview() {
    for left in [Some(0), Some(1), None] {
        let html = revealed(left, true);
        for banned in [
            "/raw/",
            "/dl/",
            "?view=",
            "href=\"?\"",
            "?from=",
            "og:",
            "twitter:",
        ] {
            assert!(!html.contains(banned), "{banned}");
        }
        assert!(html.contains("Only the first 20,000 of 20,001 lines are shown."));
    }
}

#[test]
fn a_deleted_paste_has_no_link_no_expiry_and_no_actions() {
    let (gone, locked) = (revealed(Some(0), true), revealed(None, true));
    for part in [
        "id=\"copy-link\"",
        "/qr/",
        "Expires <time",
        "name=\"delete\"",
        "/0123456789AB/stats",
    ] {
        assert!(!gone.contains(part) && locked.contains(part), "{part}");
    }
}

#[test]
fn only_the_owner_is_led_to_stats_and_only_a_text_can_be_edited() {
    let html = |content: &[u8], may_delete| {
        let kept = saved(content, "");
        let rendered = rendered(&kept);
        let mut page = page(&kept, &rendered);
        page.head.may_delete = may_delete;
        paste(&page)
    };
    let (edit, counts) = (
        "href=\"/0123456789AB/edit\"",
        "href=\"/0123456789AB/stats\">No views yet</a>",
    );
    assert!(!html(b"a", false).contains(counts));
    assert!(html(b"a", true).contains(edit) && html(b"a", true).contains(counts));
    assert!(!html(b"a", false).contains(edit));
    assert!(!html(b"\xff\0", true).contains(edit) && html(b"\xff\0", true).contains(counts));
}

#[test]
fn a_link_preview_has_the_title_and_the_first_words() {
    let html = html(b"<script>\n\"b\"", "\"><b>");
    for (name, content) in [
        ("og:url", "https://bin.example/0123456789AB"),
        ("og:title", "&#34;&#62;&#60;b&#62; · Rust"),
        ("og:description", "&#60;script&#62; &#34;b&#34;"),
    ] {
        let tag = format!("<meta property=\"{name}\" content=\"{content}\">");
        assert!(html.contains(&tag), "{tag} in {html}");
    }
}

#[test]
fn binary_data_is_shown_in_hex_without_a_copy_button_or_a_language() {
    let html = html(b"\xff<b\0", "");
    assert!(html.contains("<span>Binary data</span>") && !html.contains("Rust"));
    assert!(html.contains("This is not text: 4 bytes of binary data."));
    assert!(html.contains("ff 3c 62 00") && html.contains("|.&#60;b.|"));
    assert!(!html.contains("id=\"copy\"") && !html.contains("/language"));
    assert!(!html.contains("line</span>"));
}

#[test]
fn a_byte_order_mark_is_neither_shown_nor_described() {
    let html = html("\u{feff}a tide".as_bytes(), "");
    assert!(html.contains("content=\"a tide\"") && !html.contains("FEFF"));
    // The copy is exact, so it comes from the server.
    assert!(!html.contains('\u{feff}') && html.contains("data-raw"));
}

#[test]
fn what_a_page_does_not_show_exactly_is_copied_from_the_server_or_not_exactly() {
    let raw =
        "id=\"copy\" class=\"scripted\" aria-keyshortcuts=\"c\" data-raw=\"/raw/0123456789AB\"";
    for (content, is_exact) in [
        (&b"a"[..], true),
        (b"a b\0", false),
        (b"\xe2\x80\x8b", false),
    ] {
        let html = html(content, "");
        assert!(html.contains("id=\"copy\"") && html.contains(raw) != is_exact);
    }
    // A text of 20,001 lines
    assert!(revealed(None, false).contains(" data-inexact>Copy<"));
}

#[test]
fn lines_are_marked_on_a_page_and_linked_if_it_does_not_show_them() {
    let kept = saved(&b"#\n".repeat(20_001), "<span id=\"rest\"><span id=\"L2\">");
    let rendered = in_language(&kept, Language::PLAIN);
    let html = paste(&page(&kept, &rendered));
    let mark = |lines: &str| mark_lines(&html, LineRange::parse(lines).expect("lines"), "/raw/A");
    let shown = mark("2-3");
    assert_eq!(shown.matches(" class=\"marked\"").count(), 2);
    assert!(shown.contains("<span id=\"L2\" class=\"marked\" tabindex=\"-1\" autofocus "));
    let beyond = mark("20001");
    let link = "for the rest. <span id=\"rest\"><a href=\"/raw/A?lines=20001-20001\" autofocus>Open line 20001-20001</a>.";
    assert!(beyond.contains(link) && !beyond.contains("class=\"marked\""));
    assert!(mark("20001-20002").contains(">Open lines 20001-20002<"));
}

#[test]
fn a_text_is_shown_plain_at_the_least_cost() {
    let kept = saved(b"fn main() {}\n// <b>\x00", "");
    let key = RenderKey::new(Language::from_name("rust"), false);
    let html = paste(&page(&kept, &Rendered::plain(&kept, key)));
    for part in [
        "<code>fn main() {}\n// &#60;b&#62;␀</code>",
        "Shown as plain text, because the server is busy.",
        ">Rust</a>",
        "data-raw=\"/raw/0123456789AB\">Copy<",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn a_page_rarely_outgrows_its_reserved_capacity() {
    let code = "fn main() { println!(\"{}\", 1 < 2); }\n".repeat(1000);
    let kept = saved(code.as_bytes(), "");
    let rendered = rendered(&kept);
    let html = paste(&page(&kept, &rendered));
    assert!(
        html.len() <= 6 * 1024 + rendered.size(),
        "{} bytes",
        html.len()
    );
}

#[test]
fn a_document_that_was_unlocked_has_its_source_on_the_page() {
    let html = |content: &[u8], availability| {
        let saved = saved(content, "notes.md");
        let language = Language::from_name("markdown").expect("a language");
        let rendered = in_language(&saved, language);
        paste(&PastePage {
            availability,
            ..page(&saved, &rendered)
        })
    };
    let reads_left = None;
    let unlocked = html(b"# a\n\n<b>", Availability::Restricted { reads_left });
    for part in [
        "<code># a\n\n&#60;b&#62;</code></pre></details>",
        "id=\"copy\"",
        "download=\"notes.md\"",
    ] {
        assert_eq!(unlocked.matches(part).count(), 1, "{part}");
    }
    // A browser would change these.
    for content in ["# a\r\n", "# a\u{202e}"] {
        let unlocked = html(content.as_bytes(), Availability::Restricted { reads_left });
        assert!(unlocked.contains("id=\"source\"") && !unlocked.contains("download="));
    }
    let open = html(b"# a", Availability::Open);
    assert!(!open.contains("id=\"source\"") && open.contains("data-raw=\"/raw/"));
}

#[test]
fn a_document_has_a_style_sheet_of_its_own_and_contents_before_it() {
    let saved = saved(b"# a\n# b\n# c\n", "");
    let language = Language::from_name("markdown").expect("a language");
    let rendered = in_language(&saved, language);
    let document = paste(&page(&saved, &rendered));
    assert!(document.contains(&crate::page::DOCUMENT_STYLE.name));
    let contents = document.find("<nav class=\"contents\"").expect("contents");
    assert!(Some(contents) < document.find("<div class=\"document\">"));
    assert!(!html(b"fn main() {}", "").contains(&crate::page::DOCUMENT_STYLE.name));
}

#[test]
fn only_pages_of_data_load_its_style_and_only_tables_the_script_that_sorts() {
    let kept = saved(b"[1]", "");
    for (name, loaded) in [
        ("csv", [true, true]),
        ("json", [true, false]),
        ("text", [false, false]),
        ("markdown", [false, false]),
    ] {
        let rendered = in_language(&kept, Language::from_name(name));
        let html = paste(&page(&kept, &rendered));
        let names = [&DATA_STYLE.name, &TABLE_SCRIPT.name];
        assert_eq!(names.map(|asset| html.contains(asset)), loaded, "{name}");
    }
}
