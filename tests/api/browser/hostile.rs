//! Hostile text in every field: it stays text, runs nothing, and leads nowhere.
//!
//! After every visit the harness checks that no dialog opened, no script failed and no other origin got a request.

use super::{open_closed, save};
use crate::chromium::Scripts::{Off, On};
use crate::chromium::{Visitor, visit};
use crate::server::Saved;

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

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_text_stays_text_in_every_field() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                let path = save(visitor, hostile, hostile).await;
                for page in [
                    format!("{path}.html"),
                    format!("{path}?lines=1"),
                    path.clone(),
                ] {
                    visitor.open(&page).await;
                    visitor.shows("h1", hostile).await;
                    visitor.shows(".listing code", hostile).await;
                    visitor.finds("document.images.length", 1).await;
                    visitor.finds("document.scripts.length", 1).await;
                    let title = format!("{hostile} · tidebin");
                    visitor.finds("document.title", title).await;
                    let card = "document.querySelector('[property=\"og:description\"]').content";
                    visitor.finds(card, hostile).await;
                    visitor.is_at(&page).await;
                }
                visitor.open(&format!("/?from={}", &path[1..])).await;
                for field in ["#content", "#title"] {
                    visitor.holds(field, hostile).await;
                }
                visitor.open(&format!("/raw{path}")).await;
                visitor.shows("body > pre", hostile).await;
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_text_stays_text_in_every_part_of_a_document_and_on_a_terminal() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                let document = format!(
                    "{hostile}\n\n# {hostile}\n\n[a]({hostile}) [b](<{hostile}>) ![c]({hostile}) <{hostile}>\n\n\
                     |{hostile}|\n|--|\n|{hostile}|\n\n$\\operatorname{{{hostile}}}$ $\\text{{{hostile}}}$\n\n\
                     ```{hostile}\n{hostile}\n```\n\n[^{hostile}]\n\n[^{hostile}]: {hostile}\n\u{1b}]8;;{hostile}\u{7}"
                );
                let path = visitor.server.save(document).path;
                for ending in ["md", "ansi", "html", "tex", "log"] {
                    let page = format!("{path}.{ending}");
                    visitor.open(&page).await;
                    visitor.finds("document.images.length", 1).await;
                    let is_log = i32::from(ending == "log");
                    visitor.finds("document.scripts.length", 1 + is_log).await;
                    let style_sheets = 1 + i32::from(ending == "md") + is_log;
                    visitor
                        .finds("document.styleSheets.length", style_sheets)
                        .await;
                    // A listing has the form that links to lines.
                    let forms = i32::from(ending != "md");
                    visitor.finds("document.forms.length", forms).await;
                    visitor.finds("frames.length", 0).await;
                    visitor.is_at(&page).await;
                }
            }
            let unclosed =
                "<details open>\n\n<details><summary>a\n\n- <kbd>b\n\n</details></section></main>";
            let path = visitor.server.save(unclosed).path;
            visitor.open(&format!("{path}.md")).await;
            visitor
                .finds("document.querySelectorAll('.document details').length", 1)
                .await;
            let content = "document.querySelector('[aria-label=Content]')";
            for (end, parent) in [("", "MAIN"), (".parentElement", "BODY")] {
                let tag = format!("{content}{end}.parentElement.tagName");
                visitor.finds(&tag, parent).await;
            }
            let last = format!("{content}.matches(':last-child')");
            visitor.finds(&last, true).await;
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_text_stays_text_in_a_table_and_in_json() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                let field = format!("\"{}\"", hostile.replace('"', "\"\""));
                let table = format!("a,b\n{field},x\n{hostile},{hostile}\n");
                let key = serde_json::json!({ hostile: hostile }).to_string();
                for (ending, text, shown) in
                    [("csv", table, "td:nth-child(2)"), ("json", key, ".json .s")]
                {
                    let path = visitor.server.save(text).path;
                    let page = format!("{path}.{ending}");
                    visitor.open(&page).await;
                    let visible = match ending {
                        "json" => serde_json::json!(hostile).to_string(),
                        _ => hostile.to_owned(),
                    };
                    visitor.shows(shown, &visible).await;
                    visitor.finds("document.images.length", 1).await;
                    let scripts = if ending == "csv" { 2 } else { 1 };
                    visitor.finds("document.scripts.length", scripts).await;
                    visitor.finds("document.styleSheets.length", 2).await;
                    visitor
                        .finds("frames.length + document.forms.length", 0)
                        .await;
                    visitor.is_at(&page).await;
                }
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_addresses_queries_and_tokens_stay_text() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            let path = visitor.server.save("x").path;
            for hostile in CORPUS {
                let written: String = hostile.bytes().map(|byte| format!("%{byte:02X}")).collect();
                for page in [
                    format!("/{written}"),
                    format!("/?from={written}"),
                    format!("/?{written}={written}"),
                    format!("{path}?lines={written}"),
                    format!("{path}#{written}"),
                    format!("/qr/{written}"),
                ] {
                    visitor.open(&page).await;
                    let images = visitor.evaluate("document.images.length").await;
                    assert!(images.as_i64() <= Some(1), "{page}");
                    visitor.is_at(&page).await;
                }
                visitor.open(&format!("{path}/stats")).await;
                visitor.type_into("#token", hostile).await;
                visitor.follow(".gate button").await;
                visitor
                    .tells(".complaint", "does not belong to this paste")
                    .await;
                visitor.finds("document.images.length", 1).await;
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn values_that_a_browser_remembers_stay_text() {
    visit(On, async |visitor| {
        for hostile in CORPUS {
            visitor.open("/help").await;
            let hostile = serde_json::json!(hostile);
            for name in ["theme", "wrap", "keys", "draft"] {
                visitor
                    .evaluate(&format!("localStorage.setItem('{name}', {hostile})"))
                    .await;
            }
            visitor.open("/").await;
            visitor.finds("document.images.length", 1).await;
            visitor.click("#theme").await;
            visitor.type_into("#content", "x\u{e009}\u{e007}").await;
            visitor.shows(".listing code", "x").await;
        }
    });
}

/// Asserts that no text became an element of the open page.
async fn is_only_the_page(visitor: &Visitor<'_>, path: &str) {
    visitor.is_at(path).await;
    for (count, most) in [
        ("document.images.length", 1),
        ("document.scripts.length", 1),
        ("document.styleSheets.length", 1),
        (
            "document.querySelectorAll('base, iframe, math, svg:not(.chart), [http-equiv]').length",
            0,
        ),
    ] {
        let found = visitor.evaluate(count).await.as_i64();
        assert!(found <= Some(most), "{path}: {count} is {found:?}");
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_text_stays_text_in_protected_pastes_and_in_the_editor() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                visitor.open("/").await;
                for field in ["#content", "#title", "#password"] {
                    visitor.type_into(field, hostile).await;
                }
                visitor.choose("#burn", "3").await;
                visitor.click(".submit button").await;
                visitor.element(".gate").await;
                let path = visitor.path().await;
                is_only_the_page(visitor, &path).await;
                assert!(!visitor.text("body").await.contains(hostile));
                open_closed(visitor, &format!("{hostile}!")).await;
                visitor.element(".complaint").await;
                is_only_the_page(visitor, &path).await;
                assert!(!visitor.text("body").await.contains(hostile));
                open_closed(visitor, hostile).await;
                visitor.shows(".listing code", hostile).await;
                visitor.shows("h1", hostile).await;
                is_only_the_page(visitor, &path).await;

                let path = save(visitor, hostile, hostile).await;
                for page in ["stats", "edit"] {
                    let page = format!("{path}/{page}");
                    visitor.open(&page).await;
                    is_only_the_page(visitor, &page).await;
                }
                for field in ["#content", "#title"] {
                    visitor.holds(field, hostile).await;
                    visitor.type_into(field, hostile).await;
                }
                visitor.click(".submit button").await;
                visitor.shows(".listing code", &hostile.repeat(2)).await;
                visitor.shows("h1", &hostile.repeat(2)).await;
                is_only_the_page(visitor, &path).await;
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_languages_and_tokens_stay_text() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                let request = visitor
                    .server
                    .request("POST", "/")
                    .header("X-Lang", hostile);
                let saved = Saved::of(&request.body("x").send());
                visitor.open(&saved.path).await;
                visitor.tells(".facts", "Plain text").await;
                is_only_the_page(visitor, &saved.path).await;
                for page in ["stats", "edit"] {
                    let page = format!("{}/{page}", saved.path);
                    visitor.open(&page).await;
                    visitor.type_into("#token", hostile).await;
                    visitor.click(".gate button").await;
                    visitor.element(".complaint").await;
                    is_only_the_page(visitor, &page).await;
                    assert!(!visitor.text("body").await.contains(hostile));
                }
            }
        });
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn hostile_targets_are_refused_or_stay_text() {
    for scripts in [On, Off] {
        visit(scripts, async |visitor| {
            for hostile in CORPUS {
                let graphic: String = hostile.split(char::is_whitespace).collect();
                for (target, is_link) in [
                    (hostile.to_owned(), false),
                    (format!("https://evil.example@{graphic}"), false),
                    (
                        format!("https://evil.example/?{}", graphic.replace('\\', "")),
                        true,
                    ),
                    (
                        format!("https://evil.example/#{}", graphic.replace('\\', "")),
                        true,
                    ),
                ] {
                    visitor.open("/").await;
                    // The browser's own check is off, because other programs have no such check.
                    visitor
                        .evaluate("document.querySelector('.shorten').noValidate = true")
                        .await;
                    visitor.type_into("#url", &target).await;
                    visitor.click(".shorten button").await;
                    visitor
                        .element(if is_link { ".target" } else { ".message" })
                        .await;
                    if !is_link {
                        visitor.shows(".message h1", "That did not work").await;
                        is_only_the_page(visitor, "/").await;
                        continue;
                    }
                    let shown = visitor.text(".target").await;
                    assert!(shown.starts_with("https://evil.example/"), "{shown}");
                    visitor.shows(".target b", "evil.example").await;
                    let leads_to = visitor.element(".gate .button").await;
                    assert_eq!(leads_to.attr("href").await.unwrap(), Some(shown));
                    let page = visitor.path().await;
                    is_only_the_page(visitor, &page).await;
                    let stats = page.replace('+', "/stats");
                    visitor.open(&stats).await;
                    is_only_the_page(visitor, &stats).await;
                }
            }
        });
    }
}
