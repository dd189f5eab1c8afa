//! Hostile text in every field: it stays text, runs nothing, and leads nowhere.
//!
//! After every visit the harness checks that no dialog opened, no script failed and no other origin got a request.

use super::{open_closed, save};
use crate::chromium::Scripts::On;
use crate::chromium::input::{CONTROL, ENTER};
use crate::chromium::{Visitor, visit};

/// Text that would have an effect as markup or as an address.
const CORPUS: [&str; 13] = [
    "</title></textarea></script><script>alert(1)</script>\"'><img src=/x onerror=alert(2)>{{7*7}}",
    "\" autofocus onfocus=alert(1) x=\"",
    "' onmouseover='alert(1)' '",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext></mtext><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<meta http-equiv=refresh content=0;url=https://evil.example/><base href=https://evil.example/>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><form action=https://evil.example/><button>",
    "--><!--<script>alert(1)//--></xmp></noscript></plaintext>",
    "&lt;script&gt;alert(1)&lt;/script&gt;&#60;b&#62;",
    "<details open ontoggle=alert(1)><summary onclick=alert(2)>x</summary><kbd tabindex=1 autofocus onfocus=alert(3)><details>",
    "//evil.example/\\..\\@evil.example%0d%0aSet-Cookie:a=b",
];

/// Text that would leave its element or its attribute, for pages on which it stands in the same kinds of places.
const BREAKOUTS: &[&str] = CORPUS.first_chunk::<3>().expect("three of them");

#[test]
#[ignore = "needs chromium"]
fn hostile_text_stays_text_in_every_field() {
    visit(On, |visitor| {
        for hostile in CORPUS {
            let path = save(visitor, hostile, hostile);
            for page in [format!("{path}.html"), path.clone()] {
                visitor.open(&page);
                visitor.shows("h1", hostile);
                visitor.shows(".listing code", hostile);
                visitor.finds("document.images.length", 1);
                visitor.finds("document.scripts.length", 1);
                let title = format!("{hostile} · tidebin");
                visitor.finds("document.title", title);
                let card = "document.querySelector('[property=\"og:description\"]').content";
                visitor.finds(card, hostile);
                visitor.is_at(&page);
            }
            visitor.open(&format!("/?from={}", &path[1..]));
            for field in ["#content", "#title"] {
                visitor.holds(field, hostile);
            }
            visitor.open(&format!("/raw{path}"));
            visitor.shows("body > pre", hostile);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn hostile_text_stays_text_in_every_part_of_a_document_and_on_a_terminal() {
    visit(On, |visitor| {
        for hostile in CORPUS {
            let document = format!(
                "{hostile}\n\n# {hostile}\n\n[a]({hostile}) [b](<{hostile}>) ![c]({hostile}) <{hostile}>\n\n\
                     |{hostile}|\n|--|\n|{hostile}|\n\n$\\operatorname{{{hostile}}}$ $\\text{{{hostile}}}$\n\n\
                     ```{hostile}\n{hostile}\n```\n\n[^{hostile}]\n\n[^{hostile}]: {hostile}\n\u{1b}]8;;{hostile}\u{7}"
            );
            let path = visitor.server.save(document).path;
            for ending in ["md", "ansi", "html", "tex", "log"] {
                let page = format!("{path}.{ending}");
                visitor.open(&page);
                visitor.finds("document.images.length", 1);
                let is_log = i32::from(ending == "log");
                visitor.finds("document.scripts.length", 1 + is_log);
                let style_sheets = 2 + i32::from(matches!(ending, "md" | "ansi")) + is_log;
                visitor.finds("document.styleSheets.length", style_sheets);
                // The form that links to lines.
                visitor.finds("document.forms.length", 0);
                visitor.finds("frames.length", 0);
                visitor.is_at(&page);
            }
        }
        let unclosed =
            "<details open>\n\n<details><summary>a\n\n- <kbd>b\n\n</details></section></main>";
        let path = visitor.server.save(unclosed).path;
        visitor.open(&format!("{path}.md"));
        visitor.finds("document.querySelectorAll('.document details').length", 2);
        let content = "document.querySelector('[aria-label=Content]')";
        for (end, parent) in [
            ("", "DIV"),
            (".parentElement", "MAIN"),
            (".parentElement.parentElement", "BODY"),
        ] {
            let tag = format!("{content}{end}.parentElement.tagName");
            visitor.finds(&tag, parent);
        }
        let last = format!("{content}.matches(':last-child')");
        visitor.finds(&last, true);
    });
}

#[test]
#[ignore = "needs chromium"]
fn hostile_text_stays_text_in_a_table_and_in_json() {
    visit(On, |visitor| {
        for hostile in CORPUS {
            let field = format!("\"{}\"", hostile.replace('"', "\"\""));
            let table = format!("a,b\n{field},x\n{hostile},{hostile}\n");
            let key = serde_json::json!({ hostile: hostile }).to_string();
            for (ending, text, shown) in
                [("csv", table, "td:nth-child(2)"), ("json", key, ".json .s")]
            {
                let path = visitor.server.save(text).path;
                let page = format!("{path}.{ending}");
                visitor.open(&page);
                let visible = match ending {
                    "json" => serde_json::json!(hostile).to_string(),
                    _ => hostile.to_owned(),
                };
                visitor.shows(shown, &visible);
                visitor.finds("document.images.length", 1);
                let scripts = if ending == "csv" { 2 } else { 1 };
                visitor.finds("document.scripts.length", scripts);
                visitor.finds("document.styleSheets.length", 3);
                // The form that links to lines.
                visitor.finds("frames.length + document.forms.length", 0);
                visitor.is_at(&page);
            }
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn hostile_addresses_queries_and_tokens_stay_text() {
    visit(On, |visitor| {
        let path = visitor.server.save("x").path;
        for &hostile in BREAKOUTS {
            let written: String = hostile.bytes().map(|byte| format!("%{byte:02X}")).collect();
            for page in [
                format!("/{written}"),
                format!("/?from={written}"),
                format!("/?{written}={written}"),
                format!("{path}?lines={written}"),
                format!("{path}#{written}"),
                format!("/qr/{written}"),
            ] {
                visitor.open(&page);
                let images = visitor.evaluate("document.images.length");
                assert!(images.as_i64() <= Some(1), "{page}");
                visitor.is_at(&page);
            }
            visitor.open(&format!("{path}/stats"));
            visitor.type_into("#token", hostile);
            visitor.follow(".gate button");
            visitor.tells(".complaint", "does not belong to this paste");
            visitor.finds("document.images.length", 1);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn values_that_a_browser_remembers_stay_text() {
    visit(On, |visitor| {
        for &hostile in BREAKOUTS {
            visitor.open("/help");
            let hostile = serde_json::json!(hostile);
            for name in ["theme", "wrap", "keys", "draft"] {
                visitor.evaluate(&format!("localStorage.setItem('{name}', {hostile})"));
            }
            visitor.open("/");
            visitor.finds("document.images.length", 1);
            visitor.click("#theme");
            visitor.type_into("#content", &format!("x{CONTROL}{ENTER}"));
            visitor.shows(".listing code", "x");
        }
    });
}

/// Asserts that no text became an element of the open page.
fn is_only_the_page(visitor: &Visitor, path: &str) {
    visitor.is_at(path);
    for (count, most) in [
        // The logo, and the QR code of a saved paste
        ("document.images.length", 2),
        // Those of every page, and at most one of this page
        ("document.scripts.length", 2),
        ("document.styleSheets.length", 3),
        (
            "document.querySelectorAll('base, iframe, math, svg:not(.chart), [http-equiv]').length",
            0,
        ),
    ] {
        let found = visitor.evaluate(count).as_i64();
        assert!(found <= Some(most), "{path}: {count} is {found:?}");
    }
}

#[test]
#[ignore = "needs chromium"]
fn hostile_text_stays_text_in_protected_pastes_and_in_the_editor() {
    visit(On, |visitor| {
        for &hostile in BREAKOUTS {
            visitor.open("/");
            visitor.click("#options summary");
            for field in ["#content", "#title", "#password"] {
                visitor.type_into(field, hostile);
            }
            visitor.choose("#burn", "3");
            visitor.click(".submit button");
            visitor.element(".saved");
            let path = visitor.path();
            is_only_the_page(visitor, &path);
            assert!(!visitor.text("body").contains(hostile));
            visitor.open(&path);
            open_closed(visitor, &format!("{hostile}!"));
            visitor.element(".complaint");
            is_only_the_page(visitor, &path);
            assert!(!visitor.text("body").contains(hostile));
            open_closed(visitor, hostile);
            visitor.shows(".listing code", hostile);
            visitor.shows("h1", hostile);
            is_only_the_page(visitor, &path);

            let path = save(visitor, hostile, hostile);
            for page in ["stats", "edit"] {
                let page = format!("{path}/{page}");
                visitor.open(&page);
                is_only_the_page(visitor, &page);
            }
            for field in ["#content", "#title"] {
                visitor.holds(field, hostile);
                visitor.type_into(field, hostile);
            }
            visitor.click(".submit button");
            visitor.shows(".listing code", &hostile.repeat(2));
            visitor.shows("h1", &hostile.repeat(2));
            is_only_the_page(visitor, &path);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn hostile_languages_and_tokens_stay_text() {
    visit(On, |visitor| {
        for &hostile in BREAKOUTS {
            let request = visitor
                .server
                .request("POST", "/")
                .header("X-Lang", hostile);
            let refused = request.body("x").send();
            assert!(refused.status == 400 && !refused.text().contains(hostile));
            let saved = visitor.server.save("x");
            visitor.open(&saved.path);
            is_only_the_page(visitor, &saved.path);
            for page in ["stats", "edit"] {
                let page = format!("{}/{page}", saved.path);
                visitor.open(&page);
                visitor.type_into("#token", hostile);
                visitor.click(".gate button");
                visitor.element(".complaint");
                is_only_the_page(visitor, &page);
                assert!(!visitor.text("body").contains(hostile));
            }
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn hostile_targets_are_refused_or_stay_text() {
    visit(On, |visitor| {
        for hostile in CORPUS {
            let graphic: String = hostile.split(char::is_whitespace).collect();
            for (target, is_link) in [
                (hostile.to_owned(), false),
                (format!("https://evil.example@{graphic}"), false),
                (
                    format!("https://evil.example/?{graphic}#{graphic}").replace('\\', ""),
                    true,
                ),
            ] {
                visitor.open("/");
                // The browser's own check is off, because other programs have no such check.
                visitor.evaluate("document.querySelector('.shorten form').noValidate = true");
                visitor.click(".shorten summary");
                visitor.type_into("#url", &target);
                visitor.click(".shorten button");
                if !is_link {
                    visitor.element(".shorten .complaint");
                    visitor.holds("#url", &target);
                    is_only_the_page(visitor, "/");
                    continue;
                }
                let shown = visitor.text(".target");
                assert!(shown.starts_with("https://evil.example/"), "{shown}");
                visitor.shows(".target b", "evil.example");
                let leads_to = "document.querySelector('.gate .button').getAttribute('href')";
                visitor.finds(leads_to, shown);
                let page = visitor.path();
                is_only_the_page(visitor, &page);
                let stats = page.replace('+', "/stats");
                visitor.open(&stats);
                is_only_the_page(visitor, &stats);
            }
        }
    });
}
