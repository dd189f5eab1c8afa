//! Pages: a plain value in, a whole HTML document out.
//!
//! What it must not know: HTTP, the store, the clock, the environment. Ages and dates come in as values.
//! Invariants: everything a user wrote is escaped where it is written: by askama's escaper in the templates, and by
//! `escape` in the renderers, which write HTML of their own. No page holds an inline style, script or event handler or
//! names another host's resource, so that the strictest policy fits. Every page is complete without its script.
//! Cost: a page is written into one string reserved beforehand; content is never copied in between. A page of a paste
//! is at most 5 times the shown content (an apostrophe, say, becomes five bytes), 120 bytes a line, 30 bytes a coloured
//! part, and 6 KiB; a document at most 12 times its text and 68 KiB.

mod allowance;
mod asset;
mod card;
mod code;
mod date;
mod editor_page;
mod escape;
mod excerpt;
mod help_page;
mod hex;
mod listing;
mod markdown;
mod marks;
mod math;
mod message_page;
mod odd;
mod page_cache;
mod paint;
mod paste_page;
mod qr;
mod rendered;
mod shape;
mod terminal;
mod words;

pub use allowance::Allowance;
pub use asset::{Asset, FAVICON, SCRIPT, STYLE, asset, assets};
pub use editor_page::{EditorPage, Start, editor};
pub use help_page::{HelpPage, help, help_text};
pub use message_page::{MessagePage, message};
pub use page_cache::PageCache;
pub use paste_page::{PastePage, paste};
pub use qr::qr;
pub use rendered::Rendered;
pub use shape::{Shape, View};

use askama::Template;

/// The template, written into a string that has room for `content` bytes beside the template's own text.
fn write(template: &impl Template, content: usize) -> String {
    /// The layout and the words of any page.
    const FRAME: usize = 6 * 1024;
    let mut page = String::with_capacity(FRAME + content);
    template
        .render_into(&mut page)
        .expect("a string takes everything, and no template fails by itself");
    page
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::paste::{Content, Draft, Language, Lifetime, Moment, Paste, Title, TokenHash};

    const HOSTILE: &str = "</title></textarea></script><script>alert('1')</script>\"><svg onload=alert(1)>\
        {{ 7 }}&lt;\u{202e}";

    fn pages(hostile: &str) -> Vec<String> {
        let draft = Draft {
            content: Content::new(hostile.as_bytes(), usize::MAX).expect("not empty"),
            title: Title::new(hostile),
            language: Language::PLAIN,
            lifetime: Lifetime::Never,
        };
        let saved = Paste::new(draft, Moment::default(), TokenHash::of(""));
        let lifetime = Lifetime::Never;
        let rendered = Rendered::new(
            &saved,
            Shape::new(Language::PLAIN, false),
            Allowance::until(&|| false),
        );
        let page = |may_delete| PastePage {
            id: hostile,
            url: hostile,
            paste: &saved,
            rendered: &rendered,
            age: Duration::ZERO,
            expires_in: None,
            expires_at: None,
            marked: "1".parse().ok(),
            may_delete,
        };
        vec![
            paste(&page(true)),
            paste(&page(false)),
            editor(&EditorPage {
                max_size: hostile,
                max_bytes: 1,
                default_lifetime: lifetime,
                longest_lifetime: lifetime,
                start: Some(Start {
                    text: hostile,
                    title: hostile,
                    language: Language::PLAIN,
                }),
            }),
            help(&HelpPage {
                base_url: hostile,
                max_size: hostile,
                default_lifetime: lifetime,
                longest_lifetime: lifetime,
            }),
            message(&MessagePage {
                heading: hostile,
                sentence: hostile,
            }),
        ]
    }

    #[test]
    fn nothing_a_user_wrote_becomes_markup_on_any_page() {
        // What has an odd character has no button that copies, so this one has one too.
        let calm = pages("calm\u{202e}");
        for (hostile, calm) in pages(HOSTILE).iter().zip(&calm) {
            for tag in ["<script", "<svg", "</title>", "</textarea>", "\">"] {
                assert_eq!(
                    hostile.matches(tag).count(),
                    calm.matches(tag).count(),
                    "{tag}"
                );
            }
            assert!(!hostile.contains("&lt;") && !hostile.contains("('1')"));
        }
    }

    #[test]
    fn every_page_fits_a_policy_without_inline_code_or_other_hosts() {
        for page in pages("calm") {
            for banned in [
                "style=",
                "<style",
                "onclick",
                " on",
                "javascript:",
                "http:",
                "https:",
                "//",
            ] {
                let markup = page.split('<').filter_map(|tag| tag.split('>').next());
                for tag in markup {
                    assert!(!tag.contains(banned), "{banned} in <{tag}>");
                }
            }
            assert_eq!(page.matches("<script").count(), 1);
            let script = format!("<script src=\"/assets/{}\"></script>", SCRIPT.name);
            assert!(page.contains(&script));
        }
    }

    #[test]
    fn every_page_says_its_language_has_one_heading_and_one_main_part() {
        for page in pages("calm") {
            assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
            for once in ["<h1", "<main>", "<title>"] {
                assert_eq!(page.matches(once).count(), 1, "{once}");
            }
        }
    }

    #[test]
    fn every_field_has_a_label_or_is_hidden() {
        for page in pages("calm") {
            let fields = page.split('<').filter(|tag| {
                ["input", "textarea", "select"]
                    .iter()
                    .any(|name| tag.starts_with(name))
            });
            for field in fields.filter(|field| !field.contains("type=\"hidden\"")) {
                let id = field
                    .split(" id=\"")
                    .nth(1)
                    .and_then(|rest| rest.split('"').next());
                let id = id.expect("a field that is shown has an id");
                let labelled = page.contains(&format!("for=\"{id}\""))
                    || page.contains(&format!("<label><input type=\"checkbox\" id=\"{id}\""));
                assert!(labelled, "{id}");
            }
        }
    }
}
