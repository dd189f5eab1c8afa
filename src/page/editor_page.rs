//! The page with the form that saves a paste, or changes one; and beside the former that which shortens a link.
//!
//! What it must not know: how the forms are read. The fields of a new paste are `content`, `file`, `title`, `lang`,
//! `expires`, `burn` and `password`, those of a link `url` and `expires`. A change has no `burn`, and a `password` only
//! if the paste is locked; an empty `lang` or `expires` of it is as it was.
//! Cost: a few µs, and a copy of the text that it begins with.
//! Invariants: the lifetimes offered are all allowed; for a new paste the default is among them and chosen. A password
//! never stands in a page.

use std::fmt;

use askama::Template;

use crate::page::editor_mode::EditorMode;
use crate::paste::{Expiry, Language, Title};
use crate::render::listing::is_plain;

/// What the form is for, and what it says about the limits.
#[derive(Debug, Clone, Copy)]
pub struct EditorPage<'a> {
    /// What happens to what is written.
    pub mode: EditorMode<'a>,
    /// Whether links are shortened here.
    pub links: bool,
    /// The largest content, as in `1 MiB`.
    pub max_size: &'a str,
    /// The same in bytes.
    pub max_bytes: usize,
    /// The lifetime chosen beforehand.
    pub default_expiry: Expiry,
    /// The longest one offered.
    pub longest_expiry: Expiry,
    /// What stands in the form already, if anything.
    pub prefill: Option<Prefill<'a>>,
}

/// What stands in the form beforehand.
#[derive(Clone, Copy)]
pub struct Prefill<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its title, or nothing.
    pub title: &'a str,
    /// What it is read as.
    pub language: Language,
}

/// What a user wrote never reaches a log.
impl fmt::Debug for Prefill<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prefill(secret)")
    }
}

/// A lifetime on offer.
#[derive(Debug, PartialEq, Eq)]
struct Choice {
    value: String,
    label: String,
    selected: bool,
}

#[derive(Template)]
#[template(path = "editor.html", config = "src/page/askama.toml")]
struct EditorTemplate<'a> {
    page: &'a EditorPage<'a>,
    is_new: bool,
    /// Where the form posts to.
    action: String,
    choices: Vec<Choice>,
    longest_password: usize,
    longest_link: usize,
    longest_title: usize,
    text: &'a str,
    title: &'a str,
    language: Language,
    /// Whether the form keeps every character of the text and shows it.
    is_plain: bool,
}

impl EditorTemplate<'_> {
    /// Whether the form reads the text as this language unless somebody chooses another. What is edited stays as it is.
    fn is_chosen(&self, language: &Language) -> bool {
        self.is_new && *language == self.language && *language != Language::PLAIN
    }
}

/// The page as HTML.
#[must_use]
pub fn editor(page: &EditorPage<'_>) -> String {
    /// About 240 languages.
    const OPTIONS: usize = 8 * 1024;
    const LONGEST_PASSWORD: usize = 1024;
    const LONGEST_LINK: usize = 4096;
    let template = EditorTemplate {
        page,
        is_new: page.mode.is_new(),
        action: page.mode.action(),
        choices: choices(page),
        longest_password: LONGEST_PASSWORD,
        longest_link: LONGEST_LINK,
        longest_title: Title::MAX_CHARS,
        text: page.prefill.map_or("", |prefill| prefill.text),
        title: page.prefill.map_or("", |prefill| prefill.title),
        language: page
            .prefill
            .map_or(Language::PLAIN, |prefill| prefill.language),
        is_plain: page.prefill.is_none_or(|prefill| is_plain(prefill.text)),
    };
    crate::page::write(&template, OPTIONS + template.text.len())
}

/// Seconds of a year, which has a label of its own.
const YEAR: u64 = 365 * 24 * 3600;

/// The usual lifetimes up to the longest, with the default in its place among them.
fn choices(page: &EditorPage<'_>) -> Vec<Choice> {
    const USUAL: [u64; 6] = [600, 3600, 86_400, 7 * 86_400, 30 * 86_400, YEAR];
    let mut expiry_policy: Vec<Expiry> = USUAL
        .iter()
        .filter_map(|seconds| Expiry::from_seconds(*seconds).ok())
        .chain([Expiry::Never])
        .filter(|expiry| *expiry <= page.longest_expiry)
        .chain([page.default_expiry])
        .collect();
    let is_new = page.mode.is_new();
    expiry_policy.sort_unstable();
    expiry_policy.dedup();
    expiry_policy
        .into_iter()
        .map(|expiry| Choice {
            value: expiry.to_string(),
            label: label(expiry),
            selected: is_new && expiry == page.default_expiry,
        })
        .collect()
}

fn label(expiry: Expiry) -> String {
    match expiry.seconds() {
        Some(YEAR) => "after 1 year".to_owned(),
        Some(_) => format!("after {}", expiry.in_words()),
        None => "never".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::Access;

    fn page(default: &str, longest: &str) -> EditorPage<'static> {
        let expiry = |text: &str| text.parse().expect("a lifetime");
        EditorPage {
            mode: EditorMode::New,
            links: false,
            max_size: "1 MiB",
            max_bytes: 1_048_576,
            default_expiry: expiry(default),
            longest_expiry: expiry(longest),
            prefill: None,
        }
    }

    fn values(default: &str, longest: &str) -> String {
        let values: Vec<_> = choices(&page(default, longest))
            .into_iter()
            .map(|choice| choice.value + if choice.selected { "*" } else { "" })
            .collect();
        values.join(" ")
    }

    #[test]
    fn no_lifetime_beyond_the_longest_is_offered_and_the_default_always_is() {
        assert_eq!(values("7d", "30d"), "10m 1h 1d 7d* 30d");
        assert_eq!(values("2h", "1d"), "10m 1h 2h* 1d");
        assert_eq!(values("90s", "5m"), "90s*");
        assert_eq!(values("never", "never"), "10m 1h 1d 7d 30d 365d never*");
    }

    #[test]
    fn a_lifetime_is_offered_in_words() {
        let html = editor(&page("7d", "never"));
        assert!(html.contains("<option value=\"7d\" selected>after 7 days</option>"));
        assert!(html.contains("<option value=\"1h\">after 1 hour</option>"));
        assert!(html.contains("<option value=\"365d\">after 1 year</option>"));
        assert!(html.contains("<option value=\"never\">never</option>"));
    }

    #[test]
    fn the_form_has_the_fields_that_a_save_reads_and_says_the_limit() {
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
        assert!(html.contains("Up to 1 MiB."));
        assert!(html.contains("href=\"/help\""));
    }

    fn edit(access: Access, prefill: Option<Prefill<'_>>) -> String {
        editor(&EditorPage {
            mode: EditorMode::Edit {
                id: "0123456789AB",
                access,
            },
            links: true,
            prefill,
            ..page("7d", "30d")
        })
    }

    #[test]
    fn a_change_begins_with_the_text_and_leaves_as_it_is_what_is_not_chosen() {
        let prefill = Prefill {
            text: "let a = 1;",
            title: "a title",
            language: Language::named("rust").expect("a language"),
        };
        let html = edit(Access::Open, Some(prefill));
        for part in [
            "<h1>Edit</h1>",
            "method=\"post\" action=\"/0123456789AB/edit\" enctype=\"multipart/form-data\"",
            "let a = 1;</textarea>",
            "value=\"a title\"",
            "<select id=\"lang\" name=\"lang\">\n<option value=\"\">as it is</option>",
            "<select id=\"expires\" name=\"expires\">\n<option value=\"\">as it is</option>",
            "<button type=\"submit\">Save changes</button>",
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
    fn what_is_locked_is_written_anew_under_a_password() {
        let html = edit(Access::Locked(None), None);
        assert!(html.contains("Password (new or the same)</label>"));
        assert!(html.contains("name=\"password\" type=\"password\" required maxlength=\"1024\""));
        assert!(html.contains("what you save takes its place"));
    }

    #[test]
    fn a_new_paste_may_be_read_so_often_and_have_a_password() {
        let html = editor(&page("7d", "30d"));
        for (value, label) in [
            ("", "as often as wanted"),
            ("1", "once"),
            ("3", "3 times"),
            ("10", "10 times"),
            ("100", "100 times"),
        ] {
            let option = format!("<option value=\"{value}\">{label}</option>");
            assert!(html.contains(&option), "{option} in {html}");
        }
        assert!(html.contains(
            "name=\"password\" type=\"password\" maxlength=\"1024\" autocomplete=\"new-password\""
        ));
    }

    #[test]
    fn a_link_is_shortened_only_where_that_is_allowed() {
        let html = |links| {
            editor(&EditorPage {
                links,
                ..page("7d", "30d")
            })
        };
        assert!(html(true).contains("name=\"url\" type=\"url\" required maxlength=\"4096\""));
        assert!(html(true).contains("<select id=\"link-expires\" name=\"expires\">"));
        assert!(!html(false).contains("Shorten"));
    }

    #[test]
    fn a_copy_stands_in_the_form_as_text_with_its_first_line_feed() {
        let prefill = Prefill {
            text: "\n</textarea><script>",
            title: "\"><script>",
            language: Language::named("rust").expect("a language"),
        };
        let html = editor(&EditorPage {
            prefill: Some(prefill),
            ..page("7d", "30d")
        });
        // A browser leaves out the first line feed of a text area.
        assert!(html.contains(">\n\n&#60;/textarea&#62;&#60;script&#62;</textarea>"));
        assert!(html.contains("value=\"&#34;&#62;&#60;script&#62;\""));
        assert!(html.contains("<option value=\"rust\" selected>"));
        assert_eq!(html.matches("<option value=\"text\" selected>").count(), 0);
    }

    #[test]
    fn a_copy_is_not_for_search_engines_and_says_if_the_form_may_change_it() {
        let copy = |text| {
            let prefill = Prefill {
                text,
                title: "",
                language: Language::PLAIN,
            };
            editor(&EditorPage {
                prefill: Some(prefill),
                ..page("7d", "30d")
            })
        };
        let robots = "<meta name=\"robots\" content=\"noindex, nofollow\">";
        assert!(copy("a").contains(robots) && !editor(&page("7d", "30d")).contains(robots));
        for (text, changes) in [
            ("a\r\n", false),
            ("a\rb", true),
            ("\0", true),
            ("\u{202e}", true),
        ] {
            assert_eq!(copy(text).contains("class=\"note\""), changes, "{text:?}");
        }
    }

    #[test]
    fn every_language_is_offered_once_and_first_what_title_and_content_tell() {
        let html = editor(&page("7d", "30d"));
        let options: Vec<&str> = html.split("<option").collect();
        assert!(options[1].starts_with(" value=\"\">detect</option>"));
        for language in Language::all() {
            let option = format!("<option value=\"{}\">", language.name());
            assert_eq!(html.matches(&option).count(), 1);
        }
    }

    #[test]
    fn the_page_stays_small_with_all_of_them() {
        let html = editor(&EditorPage {
            links: true,
            ..page("7d", "never")
        });
        assert!(html.len() <= 13 * 1024, "{}", html.len());
    }
}
