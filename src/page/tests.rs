//! Tests of properties that every page has.

use crate::render::*;
use std::time::Duration;

use super::*;
use crate::date::Utc;
use crate::page::site::site;
use crate::paste::{
    Access, Content, Draft, Expiry, Language, PasteLimits, Revision, StoredPaste, Timestamp, Title,
    TokenHash,
};

const HOSTILE: &str = "</title></textarea></script><script>alert('1')</script>\"><svg onload=alert(1)>\
    {{ 7 }}&lt;\u{202e}";

/// Returns an open paste with this text and title.
fn stored(hostile: &str) -> StoredPaste {
    let draft = Draft {
        slug: None,
        content: Content::new(hostile.as_bytes(), usize::MAX).expect("not empty"),
        title: Title::new(hostile),
        language: None,
        expiry: Expiry::Never,
    };
    StoredPaste::new(
        draft,
        Access::Open,
        Revision::default(),
        Timestamp::default(),
        TokenHash::of(""),
    )
}

fn pages(hostile: &str) -> Vec<String> {
    let saved = stored(hostile).into_paste();
    let limits = PasteLimits::default();
    let rendered = Rendered::new(
        &saved,
        RenderKey::new(Language::PLAIN, false),
        TimeBudget::until(&|| false),
    );
    let page = |may_delete| PastePage {
        site: site(""),
        file_of: None,
        head: PasteHead {
            id: hostile,
            url: hostile,
            may_delete,
            saved: None,
        },
        paste: &saved,
        rendered: &rendered,
        availability: Availability::Open,
        changed: None,
    };
    let form = |edited| EditorPage {
        site: std::sync::Arc::new(site("").clone()),
        edited,
        is_private: false,
        lists_recent: true,
        slugs: true,
        limits,
        prefill: Some(Prefill {
            text: hostile.into(),
            files: vec![(hostile.into(), String::new())],
            title: hostile.into(),
            language: None,
            expiry: None,
            url: hostile.into(),
            burn: None,
        }),
        difference: None,
        complaint: Some(hostile),
    };
    let edit = Some(EditedPaste {
        id: hostile,
        access: Access::Locked(None),
    });
    let mut pages = vec![
        paste(&page(true)),
        paste(&page(false)),
        paste(&PastePage {
            availability: Availability::Restricted {
                reads_left: Some(0),
            },
            ..page(true)
        }),
        editor(&form(None)),
        editor(&form(edit)),
        to_html(&HelpPage {
            site: site(""),
            base_url: hostile,
            limits,
            needs_key: true,
            slugs: true,
        }),
        to_html(&ReportPage {
            site: site(""),
            id: hostile,
            url: hostile,
            contact: hostile,
            max_chars: 300,
        }),
        operate_of(hostile),
        to_html(&MessagePage {
            site: site(""),
            heading: hostile,
            sentence: hostile,
            next_step: NextStep::OpenPaste { id: hostile },
            line: "",
        }),
    ];
    pages.extend(device_pages(hostile));
    pages.extend(pages_for_some(hostile));
    pages
}

/// Returns the operator's page with this text in every place.
fn operate_of(hostile: &str) -> String {
    let report = NetworkReport {
        at: 0,
        network: hostile.to_owned(),
        reason: hostile.to_owned(),
    };
    to_html(&OperatePage {
        site: site(""),
        done: None,
        paste: None,
        status: &ServerStatus::default(),
        reported: &[ReportedPaste {
            id: hostile.to_owned(),
            url: String::new(),
            networks: 1,
            reports: vec![report],
        }],
        previews: &[Some(Preview::of(stored(hostile)))],
        number: 1,
        blocks: &[BlockedContent {
            sha256: hostile.to_owned(),
            since: 0,
            reason: Some(hostile.to_owned()),
        }],
        max_chars: 300,
    })
}

/// Returns the pages that give a list to another device.
fn device_pages(hostile: &str) -> [String; 4] {
    let enter = DeviceStep::Enter {
        has_list: true,
        secret: hostile,
        complaint: Some(hostile),
    };
    [
        DeviceStep::Show { secret: hostile },
        enter,
        DeviceStep::LogIn,
        DeviceStep::NeedsHttps,
    ]
    .map(|step| {
        to_html(&DevicePage {
            site: site(""),
            url: hostile,
            step,
        })
    })
}

/// Returns the pages that only some readers of a paste see.
fn pages_for_some(hostile: &str) -> [String; 5] {
    [
        to_html(&LanguagePage {
            site: site(""),
            id: hostile,
            name: hostile,
            named: None,
            is_owner: true,
        }),
        to_html(&ProtectedPage {
            site: site(""),
            segment: hostile,
            head: PasteHead {
                id: hostile,
                url: hostile,
                may_delete: true,
                saved: None,
            },
            access: Access::Locked(None),
            expires_at: None,
            complaint: Some(hostile),
        }),
        to_html(&LinkPage {
            site: site(""),
            head: PasteHead {
                id: hostile,
                url: hostile,
                may_delete: true,
                saved: None,
            },
            target: hostile,
            title: Some(hostile),
            times: PasteTimes {
                age: Duration::ZERO,
                saved_at: Utc::from_epoch_millis(0),
                expires_in: None,
                expires_at: None,
            },
            clicks: 0,
        }),
        to_html(&StatsPage {
            site: site(""),
            id: hostile,
            url: hostile,
            is_link: false,
            total: 1,
            by_hour: &[0, 1],
            by_day: &[1],
            times: PasteTimes {
                age: Duration::ZERO,
                saved_at: Utc::from_epoch_millis(0),
                expires_in: None,
                expires_at: None,
            },
            reads_left: None,
        }),
        to_html(&TokenPage {
            site: site(""),
            action: hostile,
            complaint: Some(hostile),
        }),
    ]
}

#[test]
fn nothing_a_user_wrote_becomes_markup_on_any_page() {
    // A text with an unsafe character has no copy button. So this text needs such a character too.
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
        assert_eq!(page.matches("<script src").count(), 1);
        let is_of = |script: &Asset| {
            page.contains(&format!(
                "<script src=\"/assets/{}\"></script>",
                script.name
            ))
        };
        assert_eq!(is_of(&EDITOR), page.contains("class=\"editor"));
        assert!(is_of(&EDITOR) || is_of(&SCRIPT) || is_of(&MINE));
    }
}

#[test]
fn every_page_has_a_language_one_heading_and_one_main_part() {
    for page in pages("calm") {
        assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
        for once in ["<h1", "<main>"] {
            assert_eq!(page.matches(once).count(), 1, "{once}");
        }
        // The bars of a chart also have titles.
        let head = page.split("</head>").next().unwrap_or_default();
        assert_eq!(head.matches("<title>").count(), 1);
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
