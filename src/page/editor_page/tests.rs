//! Tests of the editor's page, for new pastes and for changes.

use super::*;
use crate::page::SECRETS;
use crate::page::message_page::label;
use crate::page::site::{Redirect, limits, site};
use crate::paste::Access;

fn page(default: &str, longest: &str) -> EditorPage<'static> {
    EditorPage {
        site: Arc::new(Site {
            redirect: Redirect::Off,
            ..site("").clone()
        }),
        edited: None,
        is_private: false,
        lists_recent: true,
        slugs: false,
        limits: limits(default, longest),
        prefill: None,
        difference: None,
        complaint: None,
    }
}

fn values(default: &str, longest: &str) -> String {
    let policy = limits(default, longest).expiry_policy;
    let values: Vec<_> = expiry_options(policy, Some(policy.default))
        .into_iter()
        .map(|option| option.value + if option.is_selected { "*" } else { "" })
        .collect();
    values.join(" ")
}

#[test]
fn only_allowed_lifetimes_are_offered_and_the_default_always_is() {
    assert_eq!(values("7d", "30d"), "10m 1h 1d 7d* 30d");
    assert_eq!(values("2h", "1d"), "10m 1h 2h* 1d");
    assert_eq!(values("90s", "5m"), "90s*");
    assert_eq!(values("never", "never"), "10m 1h 1d 7d 30d 1y never*");
}

#[test]
fn an_error_names_each_field_as_the_form_does() {
    let html = editor(&EditorPage {
        site: Arc::new(site("").clone()),
        slugs: true,
        ..page("7d", "30d")
    });
    for field in [
        "burn", "content", "expires", "lang", "password", "slug", "title", "url",
    ] {
        let (_, after) = html.split_once(&format!("<label for=\"{field}\"")).unwrap();
        let (_, text) = after.split_once('>').unwrap();
        let (shown, _) = text.split_once('<').unwrap();
        assert_eq!(label(field), Some(shown.trim()));
    }
}

#[test]
fn the_form_has_the_fields_that_a_save_reads_and_says_its_purpose_and_limit() {
    let html = editor(&page("7d", "30d"));
    assert!(html.contains("method=\"post\" action=\"/\" enctype=\"multipart/form-data\""));
    for name in [
        "content", "file", "title", "lang", "expires", "burn", "password",
    ] {
        assert_eq!(
            html.matches(&format!(" name=\"{name}\"")).count(),
            1,
            "{name}"
        );
    }
    assert!(!html.contains(" name=\"slug\""));
    let with_slugs = EditorPage {
        slugs: true,
        ..page("7d", "30d")
    };
    assert!(editor(&with_slugs).contains(" name=\"slug\""));
    assert!(html.contains("Save text or a file, and share its link."));
    assert!(html.contains("Up to 1 MiB."));
    assert!(html.contains("href=\"/help\""));
}

fn edit(access: Access, prefill: Option<Prefill<'_>>) -> String {
    editor(&EditorPage {
        edited: Some(EditedPaste {
            id: "0123456789AB",
            access,
        }),
        site: Arc::new(site("").clone()),
        prefill,
        ..page("7d", "30d")
    })
}

#[test]
fn a_change_starts_with_the_text_and_keeps_unselected_values() {
    let prefill = Prefill {
        text: "let a = 1;".into(),
        title: "a title".into(),
        language: Language::from_name("rust"),
        ..Prefill::default()
    };
    let html = edit(Access::Open, Some(prefill));
    for part in [
        "<h1>Edit</h1>",
        "method=\"post\" action=\"/0123456789AB/edit\" enctype=\"multipart/form-data\"",
        "let a = 1;</textarea>",
        "value=\"a title\"",
        "<select id=\"lang\" name=\"lang\" class=\"unscripted\">\n<option value=\"\">unchanged</option>",
        "<select id=\"expires\" name=\"expires\">\n<option value=\"\">unchanged</option>",
        "<button type=\"submit\" id=\"save\">Save changes</button>",
        "<a href=\"/0123456789AB\">",
        "<meta name=\"robots\" content=\"noindex, nofollow\">",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    for absent in [
        " selected",
        "name=\"burn\"",
        "name=\"password\"",
        "name=\"url\"",
    ] {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[test]
fn a_copy_is_not_indexed_and_warns_if_the_form_may_change_it() {
    let copy = |text: &'static str| {
        let prefill = Prefill {
            text: Cow::Borrowed(text),
            ..Prefill::default()
        };
        editor(&EditorPage {
            prefill: Some(prefill),
            ..page("7d", "30d")
        })
    };
    let robots = "<meta name=\"robots\" content=\"noindex, nofollow\">";
    assert!(copy("a").contains(robots) && !editor(&page("7d", "30d")).contains(robots));
    for (text, changes) in [
        ("a\n", false),
        ("a\r\n", false),
        ("a\r\nb\n", true),
        ("a\rb", true),
        ("\0", true),
        ("\u{202e}", true),
    ] {
        assert_eq!(copy(text).contains("class=\"note\""), changes, "{text:?}");
    }
}

#[test]
fn every_language_is_offered_once_after_detection() {
    let html = editor(&page("7d", "30d"));
    let options: Vec<&str> = html.split("<option").collect();
    assert!(options[1].starts_with(" value=\"\">auto-detect</option>"));
    for language in Language::all() {
        let option = format!("<option value=\"{}\"", language.name());
        assert_eq!(html.matches(&option).count(), 1);
    }
}

#[test]
fn the_form_tells_its_scripts_who_reads_and_whether_the_browser_keeps_a_list() {
    for is in [false, true] {
        let html = editor(&EditorPage {
            is_private: is,
            lists_recent: is,
            ..page("7d", "30d")
        });
        assert!(html.contains(&format!("data-secrets=\"/assets/{}\"", SECRETS.name)));
        assert_eq!(html.contains(" data-private"), is);
        assert_eq!(html.contains(" data-recent"), is);
    }
}

#[test]
fn the_page_stays_small_with_all_languages() {
    let html = editor(&EditorPage {
        site: Arc::new(site("").clone()),
        ..page("7d", "never")
    });
    assert!(html.len() <= 15 * 1024, "{}", html.len());
}
